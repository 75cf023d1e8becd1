//! The name server as the server sees it: addresses in its answers are replaced, dropped or invented.
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hickory_resolver::proto::op::{Message, Query, ResponseCode};
use hickory_resolver::proto::rr::{RData, Record, RecordType};
use tokio::net::UdpSocket;

use super::effect::NamesEffect;
use super::links::is_private;

/// Public addresses of both families.
const PUBLIC_FOUR: Ipv4Addr = Ipv4Addr::new(8, 8, 8, 8);
const PUBLIC_SIX: Ipv6Addr = Ipv6Addr::new(0x2606, 0x4700, 0x4700, 0, 0, 0, 0, 0x1111);
/// Largest message over UDP, in bytes.
const LARGEST: usize = 4096;
/// How long the name server may take to answer.
const WAIT: Duration = Duration::from_secs(5);

/// Listens in front of a name server; returns the address of the proxy.
pub(super) async fn listen(upstream: SocketAddr, effects: Vec<NamesEffect>) -> io::Result<SocketAddr> {
    let socket = Arc::new(UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await?);
    let address = socket.local_addr()?;
    let effects: Arc<[NamesEffect]> = effects.into();
    tokio::spawn(async move {
        let mut buffer = [0; LARGEST];
        while let Ok((length, peer)) = socket.recv_from(&mut buffer).await {
            let (question, socket, effects) =
                (buffer[..length].to_vec(), Arc::clone(&socket), Arc::clone(&effects));
            tokio::spawn(async move {
                if let Some(answer) = answer(upstream, &question, &effects).await {
                    // The server retries a lost datagram.
                    drop(socket.send_to(&answer, peer).await);
                }
            });
        }
    });
    Ok(address)
}

async fn answer(upstream: SocketAddr, question: &[u8], effects: &[NamesEffect]) -> Option<Vec<u8>> {
    let answer = ask(upstream, question).await?;
    let Ok(mut message) = Message::from_vec(&answer) else {
        return Some(answer);
    };
    for effect in effects {
        match effect {
            NamesEffect::Public(kind) => {
                message.answers.iter_mut().for_each(|record| make_public(record, *kind));
            }
            NamesEffect::OneIsEnough => {
                let public = |message: &Message| {
                    message.answers.iter().filter_map(address_of).any(|ip| !is_private(ip))
                };
                if public(&message) || other_family(upstream, &message).await.as_ref().is_some_and(public) {
                    message.answers.retain(|record| !address_of(record).is_some_and(is_private));
                }
            }
            NamesEffect::Resolve => resolve(&mut message),
        }
    }
    message.to_vec().ok()
}

async fn ask(upstream: SocketAddr, question: &[u8]) -> Option<Vec<u8>> {
    let own: IpAddr =
        if upstream.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((own, 0)).await.ok()?;
    socket.connect(upstream).await.ok()?;
    socket.send(question).await.ok()?;
    let mut buffer = [0; LARGEST];
    let length = tokio::time::timeout(WAIT, socket.recv(&mut buffer)).await.ok()?.ok()?;
    Some(buffer[..length].to_vec())
}

/// The answer for the same name in the other family.
async fn other_family(upstream: SocketAddr, message: &Message) -> Option<Message> {
    let asked = message.queries.first()?;
    let kind = if asked.query_type() == RecordType::A { RecordType::AAAA } else { RecordType::A };
    let mut question = Message::query();
    question.metadata.recursion_desired = true;
    question.add_query(Query::query(asked.name().clone(), kind));
    let answer = ask(upstream, &question.to_vec().ok()?).await?;
    Message::from_vec(&answer).ok()
}

fn address_of(record: &Record) -> Option<IpAddr> {
    match &record.data {
        RData::A(address) => Some(IpAddr::V4(address.0)),
        RData::AAAA(address) => Some(IpAddr::V6(address.0)),
        _ => None,
    }
}

fn make_public(record: &mut Record, kind: fn(IpAddr) -> bool) {
    match address_of(record).filter(|address| kind(*address)) {
        Some(IpAddr::V4(_)) => record.data = RData::A(PUBLIC_FOUR.into()),
        Some(IpAddr::V6(_)) => record.data = RData::AAAA(PUBLIC_SIX.into()),
        None => {}
    }
}

/// Gives an address to a name that has none.
fn resolve(message: &mut Message) {
    if message.answers.iter().any(|record| address_of(record).is_some()) {
        return;
    }
    message.metadata.response_code = ResponseCode::NoError;
    let asked = message.queries.first().filter(|asked| asked.query_type() == RecordType::A);
    if let Some(name) = asked.map(|asked| asked.name().clone()) {
        message.add_answer(Record::from_rdata(name, 0, RData::A(PUBLIC_FOUR.into())));
    }
}
