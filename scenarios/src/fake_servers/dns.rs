//! A name server that answers from a script: addresses by name, optionally another list for each query. Answers only address queries for
//! one name, over UDP.
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use hickory_proto::op::{Message, ResponseCode};
use hickory_proto::rr::{RData, Record, RecordType};
use parking_lot::Mutex;
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

use crate::model::verdict::Inconclusive;

/// The name server; dropping it ends it.
#[derive(Debug)]
pub(crate) struct FakeDns {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Drop for FakeDns {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl FakeDns {
    /// Starts a server of these names, in lower case and without a final dot; other names do not exist.
    pub(crate) async fn start(names: BTreeMap<String, Vec<IpAddr>>) -> Result<Self, Inconclusive> {
        let always = names.into_iter().map(|(name, list)| (name, vec![list]));
        Self::changing(always.collect()).await
    }

    /// Like [`FakeDns::start`], with several lists of addresses for a name: each IPv4 query moves on to the next list, and the last one
    /// stays.
    pub(crate) async fn changing(names: BTreeMap<String, Vec<Vec<IpAddr>>>) -> Result<Self, Inconclusive> {
        let failed = |error: std::io::Error| Inconclusive::Harness {
            reason: format!("no name server of our own: {error}"),
        };
        let socket = UdpSocket::bind(("127.0.0.1", 0)).await.map_err(failed)?;
        let address = socket.local_addr().map_err(failed)?;
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let task = tokio::spawn(serve(socket, names, Arc::clone(&asked)));
        Ok(Self { address, asked, task })
    }

    /// Returns the queried names, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().clone()
    }
}

async fn serve(socket: UdpSocket, names: BTreeMap<String, Vec<Vec<IpAddr>>>, asked: Arc<Mutex<Vec<String>>>) {
    let mut buffer = [0; 1024];
    let mut lookups: BTreeMap<String, usize> = BTreeMap::new();
    while let Ok((length, peer)) = socket.recv_from(&mut buffer).await {
        let Ok(message) = Message::from_vec(&buffer[..length]) else { continue };
        let Some(question) = message.queries.first() else { continue };
        let name = question.name().to_lowercase().to_ascii().trim_end_matches('.').to_owned();
        asked.lock().push(name.clone());
        let lookups = lookups.entry(name.clone()).or_default();
        *lookups += usize::from(question.query_type() == RecordType::A);
        let list = names.get(&name).and_then(|lists| {
            let at = lookups.saturating_sub(1).min(lists.len().saturating_sub(1));
            lists.get(at)
        });
        let answer = answer(message, list).to_vec().expect("a script has few addresses");
        // A resolver repeats its query if a datagram is lost.
        let _ = socket.send_to(&answer, peer).await;
    }
}

/// Answers a question with an address record for each address of the requested type.
fn answer(question: Message, addresses: Option<&Vec<IpAddr>>) -> Message {
    let mut answer = question.into_response();
    answer.metadata.authoritative = true;
    answer.metadata.recursion_available = true;
    answer.metadata.response_code =
        if addresses.is_some() { ResponseCode::NoError } else { ResponseCode::NXDomain };
    // Resolvers send extensions that this server does not support.
    answer.edns = None;
    if let Some(asked) = answer.queries.first() {
        let records = addresses.into_iter().flatten().map(|address| RData::from(*address));
        let of_type = records.filter(|data| data.record_type() == asked.query_type());
        answer.answers = of_type.map(|data| Record::from_rdata(asked.name().clone(), 0, data)).collect();
    }
    answer
}
