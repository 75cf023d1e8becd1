//! What several answers say of the same thing, a log, an event, a block, a transaction or what a service does not have: one says what the others say.
use std::collections::BTreeMap;
use std::fmt::Debug;

use alloy::consensus::{Transaction, TxEnvelope};
use alloy::eips::Decodable2718;
use alloy::primitives::{Address, B256, Bytes};
use alloy::rpc::types::Log;
use serde_json::Value;

use super::node::{Judged, number};
use super::shape::Misshapen;
use super::{Seen, Service, judge};
use crate::clause::Binding;

/// What was said so far, each by at most two answers.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// By the hash of the block and the place in it.
    logs: BTreeMap<(B256, u64), Vec<(usize, Log)>>,
    /// Times by the hash of the block.
    times: BTreeMap<B256, Vec<(usize, u64)>>,
    /// Who sent a transaction to whom, by its hash.
    transactions: BTreeMap<B256, Vec<(usize, Parties)>>,
    /// How many topics an event of a contract has, by its signature: as many as it has indexed arguments, and one.
    topics: BTreeMap<(Address, B256), Vec<(usize, usize)>>,
    /// The words in which a service refuses what it does not have, by the status.
    refusals: BTreeMap<(Service, u16), Vec<(usize, String)>>,
}

/// A sender, and whom a transaction went to; none where it made a contract.
type Parties = (Address, Option<Address>);

/// What an answer says of one thing.
pub(super) enum Fact {
    Log((B256, u64), Box<Log>),
    Time(B256, u64),
    Transaction(B256, Parties),
    Topics((Address, B256), usize),
    Refusal((Service, u16), String),
}

impl Known {
    /// Learns what an answer says, by its number; an error where another answer, or this one elsewhere, said otherwise.
    pub(super) fn learn(&mut self, from: usize, facts: Vec<Fact>) -> Judged {
        for fact in facts {
            let binding = match &fact {
                Fact::Refusal(..) => Binding::Choice,
                _ => Binding::Interface,
            };
            match fact {
                Fact::Log(key, log) => told(self.logs.entry(key).or_default(), from, *log, same_log),
                Fact::Time(key, time) => told(self.times.entry(key).or_default(), from, time, u64::eq),
                Fact::Transaction(key, parties) => {
                    told(self.transactions.entry(key).or_default(), from, parties, Parties::eq)
                }
                Fact::Topics(key, count) => told(self.topics.entry(key).or_default(), from, count, usize::eq),
                Fact::Refusal(key, words) => {
                    told(self.refusals.entry(key).or_default(), from, words, String::eq)
                }
            }
            .map_err(|(before, now)| Misshapen {
                pointer: String::new(),
                expected: format!("{before}, as it was said before"),
                actual: now,
                binding,
            })?;
        }
        Ok(())
    }

    /// Whether an answer in the place of the one with this number says of something what no other answer says of it, or contradicts
    /// itself.
    pub(super) fn contradicts(&self, from: usize, facts: Vec<Fact>) -> bool {
        let elsewhere = facts.iter().any(|fact| match fact {
            Fact::Log(key, log) => differs(self.logs.get(key), from, |other| same_log(other, log)),
            Fact::Time(key, time) => differs(self.times.get(key), from, |other| other == time),
            Fact::Transaction(key, parties) => {
                differs(self.transactions.get(key), from, |other| other == parties)
            }
            Fact::Topics(key, count) => differs(self.topics.get(key), from, |other| other == count),
            Fact::Refusal(key, words) => differs(self.refusals.get(key), from, |other| other == words),
        });
        elsewhere || Self::default().learn(from, facts).is_err()
    }
}

/// Keeps what was said of a thing; what was said before where that differs.
fn told<T: Debug>(
    before: &mut Vec<(usize, T)>,
    from: usize,
    said: T,
    same: fn(&T, &T) -> bool,
) -> Result<(), (String, String)> {
    if let Some((_, other)) = before.iter().find(|(_, other)| !same(other, &said)) {
        return Err((format!("{other:?}"), format!("{said:?}")));
    }
    if before.len() < 2 && before.iter().all(|(source, _)| *source != from) {
        before.push((from, said));
    }
    Ok(())
}

fn differs<T>(before: Option<&Vec<(usize, T)>>, from: usize, same: impl Fn(&T) -> bool) -> bool {
    before.into_iter().flatten().any(|(source, other)| *source != from && !same(other))
}

fn same_log(one: &Log, other: &Log) -> bool {
    let place = |log: &Log| (log.block_number, log.transaction_hash, log.transaction_index);
    (&one.inner, place(one)) == (&other.inner, place(other))
}

/// What an answer says that others may say, too.
pub(super) fn facts(seen: &Seen) -> Vec<Fact> {
    let answer = || seen.response.json().unwrap_or_default();
    match (seen.service, judge::refuses_endpoint(seen)) {
        (Service::Node, _) => of_node(&seen.response.asked(), &answer()),
        (service, Some(code)) => {
            let words = answer()["error"].as_str().map(str::to_owned);
            words.into_iter().map(|words| Fact::Refusal((service, code), words)).collect()
        }
        _ => Vec::new(),
    }
}

/// The logs that a node tells of, the times of blocks, and the parties of transactions: also of the one that a request sends.
fn of_node(request: &Value, answer: &Value) -> Vec<Fact> {
    if let Value::Array(answers) = answer {
        return answers.iter().flat_map(|answer| of_node(&Value::Null, answer)).collect();
    }
    let result = &answer["result"];
    let hash = |value: &Value| value.as_str().and_then(|text| text.parse::<B256>().ok());
    let address = |value: &Value| value.as_str().and_then(|text| text.parse::<Address>().ok());
    let mut facts: Vec<Fact> = sent(request).into_iter().collect();
    if let (Some(hash), Some(from)) = (hash(&result["transactionHash"]), address(&result["from"])) {
        facts.push(Fact::Transaction(hash, (from, address(&result["to"]))));
    }
    if let (Some(hash), Some(time)) = (hash(&result["hash"]), number(&result["timestamp"])) {
        facts.push(Fact::Time(hash, time));
    }
    let logs = result.as_array().or_else(|| result["logs"].as_array());
    let receipt = (hash(&result["blockHash"]), number(&result["blockTimestamp"]));
    if let (Some(hash), Some(time)) = receipt {
        facts.push(Fact::Time(hash, time));
    }
    for log in logs.into_iter().flatten() {
        let (Some(hash), Some(index)) = (hash(&log["blockHash"]), number(&log["logIndex"])) else {
            continue;
        };
        // What is no log is for the judgement of its answer.
        let Ok(said) = serde_json::from_value::<Log>(log.clone()) else { continue };
        let topics = said.topics();
        if let Some(signature) = topics.first() {
            facts.push(Fact::Topics((said.address(), *signature), topics.len()));
        }
        facts.push(Fact::Log((hash, index), Box::new(said)));
        facts.extend(number(&log["blockTimestamp"]).map(|time| Fact::Time(hash, time)));
    }
    facts
}

/// The parties of the transaction that a request sends.
fn sent(request: &Value) -> Option<Fact> {
    let method = request["method"].as_str()?;
    if !method.starts_with("eth_sendRawTransaction") {
        return None;
    }
    let bytes: Bytes = request["params"][0].as_str()?.parse().ok()?;
    let transaction = TxEnvelope::decode_2718(&mut bytes.as_ref()).ok()?;
    let from = transaction.signature().recover_address_from_prehash(&transaction.signature_hash()).ok()?;
    Some(Fact::Transaction(*transaction.tx_hash(), (from, transaction.to())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::node::tests::log;
    use super::*;

    #[test]
    fn answers_agree_on_logs_and_times() {
        let with_time = |log: Value, time: &str| {
            let mut log = log;
            log["blockTimestamp"] = json!(time);
            json!({"id": 1, "result": [log]})
        };
        let block =
            json!({"id": 1, "result": {"hash": format!("0x{}", "3".repeat(64)), "timestamp": "0x64"}});
        let said = |answers: &[Value]| {
            let mut known = Known::default();
            answers
                .iter()
                .enumerate()
                .try_for_each(|(from, answer)| known.learn(from, of_node(&Value::Null, answer)))
        };
        let sound = with_time(log("0x2", "0x0"), "0x64");
        let receipt = json!({"id": 1, "result": {"logs": sound["result"]}});
        let batch = json!([receipt, block]);
        assert_eq!(said(&[sound.clone(), block.clone(), receipt, batch]), Ok(()));
        assert!(said(&[sound.clone(), with_time(log("0x2", "0x0"), "0x65")]).is_err());
        assert!(said(&[block, with_time(log("0x2", "0x1"), "0x65")]).is_err());
        let mut other = sound.clone();
        other["result"][0]["data"] = json!("0x01");
        assert!(said(&[sound.clone(), other.clone()]).is_err());
        let mut known = Known::default();
        known.learn(0, of_node(&Value::Null, &sound)).unwrap();
        assert!(!known.contradicts(0, of_node(&Value::Null, &other)), "only what it said itself");
        let both = json!([sound, other]);
        assert!(Known::default().contradicts(0, of_node(&Value::Null, &both)), "it contradicts itself");
        known.learn(1, of_node(&Value::Null, &sound)).unwrap();
        assert!(
            known.contradicts(0, of_node(&Value::Null, &other))
                && known.contradicts(1, of_node(&Value::Null, &other))
        );
        assert!(!known.contradicts(0, of_node(&Value::Null, &sound)));
    }

    #[test]
    fn an_event_has_as_many_topics_everywhere() {
        let said = |index: &str, topics: usize| {
            let mut log = log("0x2", index);
            log["topics"] = json!(vec![log["topics"][0].clone(); topics]);
            of_node(&Value::Null, &json!({"id": 1, "result": [log]}))
        };
        let mut known = Known::default();
        known.learn(0, said("0x0", 2)).unwrap();
        assert!(!known.contradicts(1, said("0x1", 2)));
        assert!(known.contradicts(1, said("0x1", 1)));
        assert!(known.learn(1, said("0x1", 3)).is_err());
    }

    #[test]
    fn answers_agree_on_the_parties_of_a_transaction() {
        let word = format!("0x{}", "4".repeat(64));
        let receipt = |from: &str, to: Value| json!({"id": 1, "result": {"transactionHash": word, "from": format!("0x{}", from.repeat(40)), "to": to}});
        let mut known = Known::default();
        let sound = receipt("1", json!(format!("0x{}", "2".repeat(40))));
        known.learn(0, of_node(&Value::Null, &sound)).unwrap();
        assert!(!known.contradicts(1, of_node(&Value::Null, &sound)));
        assert!(
            known
                .contradicts(1, of_node(&Value::Null, &receipt("3", json!(format!("0x{}", "2".repeat(40))))))
        );
        assert!(known.contradicts(1, of_node(&Value::Null, &receipt("1", Value::Null))));
    }

    /// The transaction of the example in EIP-155, which is older than types.
    #[test]
    fn parties_of_what_is_sent_are_those_who_signed() {
        let raw = "0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83";
        let request = json!({"method": "eth_sendRawTransactionSync", "params": [raw]});
        let hash = alloy::primitives::keccak256(raw.parse::<Bytes>().unwrap()).to_string();
        let receipt = |from: &str| json!({"result": {"transactionHash": hash, "from": from, "to": "0x3535353535353535353535353535353535353535"}});
        let learned = |from: &str| Known::default().learn(0, of_node(&request, &receipt(from)));
        assert_eq!(learned("0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f"), Ok(()));
        assert!(learned("0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a40").is_err());
    }

    #[test]
    fn what_a_service_does_not_have_is_refused_in_the_same_words() {
        let refusal = |service, code, words: &str| vec![Fact::Refusal((service, code), words.to_owned())];
        let mut known = Known::default();
        known.learn(0, refusal(Service::Rest, 405, "no")).unwrap();
        known.learn(1, refusal(Service::Rest, 404, "nothing")).unwrap();
        known.learn(2, refusal(Service::Swap, 405, "never")).unwrap();
        assert!(!known.contradicts(3, refusal(Service::Rest, 405, "no")));
        assert!(known.contradicts(3, refusal(Service::Rest, 405, "No")));
        let bad = known.learn(3, refusal(Service::Rest, 405, "No")).unwrap_err();
        assert_eq!(bad.binding, Binding::Choice);
    }
}
