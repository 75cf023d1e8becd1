//! A name server that answers from a script.
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use hickory_resolver::proto::op::{Message, ResponseCode};
use hickory_resolver::proto::rr::{RData, Record, RecordType};
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

/// The answers of one host, one set a look-up; the last set is given ever after.
type Answers = Vec<Vec<IpAddr>>;

/// Serves a script of names until it is dropped.
pub(super) struct Names {
    pub(super) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Names {
    pub(super) async fn serve(script: &[(&str, &[&[&str]])]) -> Self {
        let script: BTreeMap<String, Answers> = script
            .iter()
            .map(|(name, answers)| {
                let answers = answers
                    .iter()
                    .map(|set| set.iter().map(|text| text.parse().unwrap()).collect())
                    .collect();
                (format!("{name}."), answers)
            })
            .collect();
        let socket = UdpSocket::bind(("127.0.0.1", 0)).await.unwrap();
        let address = socket.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        let task = tokio::spawn(async move {
            let mut buffer = [0_u8; 2048];
            loop {
                let (length, peer) = socket.recv_from(&mut buffer).await.unwrap();
                let question = Message::from_vec(&buffer[..length]).unwrap();
                let answer = answer(&question, &script, &log);
                socket.send_to(&answer.to_vec().unwrap(), peer).await.unwrap();
            }
        });
        Self { address, asked, task }
    }

    /// The names asked for, in order.
    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn answer(question: &Message, script: &BTreeMap<String, Answers>, asked: &Mutex<Vec<String>>) -> Message {
    let query = question.queries[0].clone();
    let name = query.name().to_ascii().to_lowercase();
    let mut answer = Message::response(question.metadata.id, question.metadata.op_code);
    answer.metadata.recursion_available = true;
    answer.add_query(query.clone());
    let Some(sets) = script.get(&name) else {
        answer.metadata.response_code = ResponseCode::NXDomain;
        return answer;
    };
    // Both families of one look-up get the same set: the count moves with the first family only.
    let mut asked = asked.lock().unwrap();
    if query.query_type() == RecordType::A {
        asked.push(name.clone());
    }
    let looked_up = asked.iter().filter(|other| **other == name).count().max(1);
    for address in &sets[(looked_up - 1).min(sets.len() - 1)] {
        let data = match address {
            IpAddr::V4(address) => RData::A((*address).into()),
            IpAddr::V6(address) => RData::AAAA((*address).into()),
        };
        if data.record_type() == query.query_type() {
            answer.add_answer(Record::from_rdata(query.name().clone(), 0, data));
        }
    }
    answer
}
