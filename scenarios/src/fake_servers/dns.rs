//! A name server that answers from a script: addresses by name, another list at each asking where that is wanted.
//! Leaves out everything but questions for addresses of one name, over UDP.
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use crate::check::Inconclusive;
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

/// Type of a question for an IPv4 address.
const TYPE_A: u16 = 1;
/// Type of a question for an IPv6 address.
const TYPE_AAAA: u16 = 28;
/// Length of the header of every message.
const HEADER: usize = 12;

/// The name server; it ends with this.
#[derive(Debug)]
pub struct FakeDns {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Drop for FakeDns {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl FakeDns {
    /// A server of these names, in lower case and without a final dot; other names do not exist.
    pub async fn start(names: BTreeMap<String, Vec<IpAddr>>) -> Result<Self, Inconclusive> {
        let always = names.into_iter().map(|(name, list)| (name, vec![list]));
        Self::changing(always.collect()).await
    }

    /// The same with several lists of addresses a name: each asking for IPv4 moves on to the next one, and the last stays.
    pub async fn changing(names: BTreeMap<String, Vec<Vec<IpAddr>>>) -> Result<Self, Inconclusive> {
        let failed = |error: std::io::Error| Inconclusive::Harness {
            reason: format!("no name server of our own: {error}"),
        };
        let socket = UdpSocket::bind(("127.0.0.1", 0)).await.map_err(failed)?;
        let address = socket.local_addr().map_err(failed)?;
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let task = tokio::spawn(serve(socket, names, Arc::clone(&asked)));
        Ok(Self { address, asked, task })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Names that were asked for, in order.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn serve(socket: UdpSocket, names: BTreeMap<String, Vec<Vec<IpAddr>>>, asked: Arc<Mutex<Vec<String>>>) {
    let mut buffer = [0; 1024];
    let mut lookups: BTreeMap<String, usize> = BTreeMap::new();
    while let Ok((length, peer)) = socket.recv_from(&mut buffer).await {
        let Some((name, kind, end)) = question(&buffer[..length]) else {
            continue;
        };
        asked.lock().unwrap_or_else(PoisonError::into_inner).push(name.clone());
        let lookups = lookups.entry(name.clone()).or_default();
        *lookups += usize::from(kind == TYPE_A);
        let list = names.get(&name).and_then(|lists| {
            let at = lookups.saturating_sub(1).min(lists.len().saturating_sub(1));
            lists.get(at)
        });
        let answer = answer(&buffer[..end], kind, list);
        // A lost datagram is asked for again.
        let _ = socket.send_to(&answer, peer).await;
    }
}

/// The name and type of the first question, and where it ends.
fn question(message: &[u8]) -> Option<(String, u16, usize)> {
    let (mut at, mut labels) = (HEADER, Vec::new());
    loop {
        let length = usize::from(*message.get(at)?);
        at += 1;
        if length == 0 {
            break;
        }
        let label = message.get(at..at + length)?;
        labels.push(String::from_utf8_lossy(label).to_lowercase());
        at += length;
    }
    let kind = u16::from_be_bytes([*message.get(at)?, *message.get(at + 1)?]);
    message.get(at + 3)?;
    Some((labels.join("."), kind, at + 4))
}

/// The question repeated, with an address record for each address of the asked type.
fn answer(question: &[u8], kind: u16, addresses: Option<&Vec<IpAddr>>) -> Vec<u8> {
    let records: Vec<Vec<u8>> = addresses
        .into_iter()
        .flatten()
        .filter_map(|address| match (address, kind) {
            (IpAddr::V4(address), TYPE_A) => Some(address.octets().to_vec()),
            (IpAddr::V6(address), TYPE_AAAA) => Some(address.octets().to_vec()),
            _ => None,
        })
        .collect();
    let code = if addresses.is_some() { 0 } else { 3 };
    let count = u16::try_from(records.len()).expect("a script has few addresses");
    let mut message = question[..2].to_vec();
    // An authoritative answer that recursion is available for.
    message.extend([0x85, 0x80 | code, 0, 1]);
    message.extend(count.to_be_bytes());
    message.extend([0, 0, 0, 0]);
    message.extend(&question[HEADER..]);
    for record in records {
        // The name of the question, the type, the Internet, no caching.
        message.extend([0xc0, 0x0c]);
        message.extend(kind.to_be_bytes());
        message.extend([0, 1, 0, 0, 0, 0]);
        message.extend(u16::try_from(record.len()).unwrap_or_default().to_be_bytes());
        message.extend(record);
    }
    message
}

#[cfg(test)]
mod tests {
    use super::{FakeDns, TYPE_A};
    use std::collections::BTreeMap;
    use tokio::net::UdpSocket;

    /// The last address of the answer to one question for an IPv4 address of `a.slipway.dev`.
    async fn asked(host: &FakeDns) -> Vec<u8> {
        let socket = UdpSocket::bind(("127.0.0.1", 0)).await.unwrap();
        let mut query = vec![9, 9, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        query.extend(b"\x01A\x07slipway\x03dev\x00\x00\x01\x00\x01");
        socket.send_to(&query, host.address()).await.unwrap();
        let mut answer = [0; 512];
        let (length, _) = socket.recv_from(&mut answer).await.unwrap();
        assert_eq!(&answer[..2], [9, 9]);
        assert_eq!(answer[3] & 15, 0);
        assert_eq!(answer[7], 1, "one record of type {TYPE_A}");
        answer[length - 4..length].to_vec()
    }

    #[tokio::test]
    async fn answers_by_record_type() {
        let addresses = vec!["1.2.3.4".parse().unwrap(), "::1".parse().unwrap()];
        let names = BTreeMap::from([("a.slipway.dev".to_owned(), addresses)]);
        let host = FakeDns::start(names).await.unwrap();
        assert_eq!(asked(&host).await, [1, 2, 3, 4]);
        assert_eq!(host.asked(), ["a.slipway.dev"]);
    }

    #[tokio::test]
    async fn advances_per_query_and_keeps_the_last() {
        let lists = ["1.2.3.4", "5.6.7.8"].map(|text| vec![text.parse().unwrap()]);
        let names = BTreeMap::from([("a.slipway.dev".to_owned(), lists.to_vec())]);
        let host = FakeDns::changing(names).await.unwrap();
        for expected in [[1, 2, 3, 4], [5, 6, 7, 8], [5, 6, 7, 8]] {
            assert_eq!(asked(&host).await, expected);
        }
    }
}
