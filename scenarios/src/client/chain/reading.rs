//! Bulk reads, also at given blocks, in a bounded number of requests.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};

use alloy::primitives::{Address, B256, Bytes, U64};
use alloy::rpc::types::{Block, Log};
use alloy::sol_types::SolCall;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Chain, RpcResult, result_of, unusable};
use crate::client::message::LIMIT_EXCEEDED;
use crate::model::verdict::Inconclusive;

/// Most calls in one request.
const BATCH: usize = 100;
/// Most sets of logs that are kept.
const KNOWN_LOGS: usize = 256;
/// Most logs that are read from one contract, and most that are kept in all.
const MOST_LOGS: usize = 200_000;

/// Known logs by request.
pub(super) type KnownLogs = BTreeMap<String, Known>;

/// Logs up to a block; they are valid as long as that block is on the chain.
#[derive(Clone, Debug)]
pub(super) struct Known {
    to: u64,
    hash: B256,
    logs: Vec<Log>,
}

/// Most requests for the logs of one contract and topic.
const MOST_LOG_REQUESTS: u32 = 2_000;

impl Chain {
    /// Returns the Unix times of the blocks of logs, read from the block if a log does not state it.
    pub(crate) async fn times<'l>(
        &self,
        logs: impl IntoIterator<Item = &'l Log>,
    ) -> Result<BTreeMap<u64, u64>, Inconclusive> {
        let (mut times, mut blocks) = (BTreeMap::new(), BTreeSet::new());
        for log in logs {
            match (log.block_number.unwrap_or_default(), log.block_timestamp) {
                (number, Some(time)) => drop(times.insert(number, time)),
                (number, None) => drop(blocks.insert(number)),
            }
        }
        let params: Vec<Value> = blocks.iter().map(|number| json!([U64::from(*number), false])).collect();
        let found = self.batch::<Option<Block>>("eth_getBlockByNumber", &params).await?;
        for (number, block) in blocks.into_iter().zip(found) {
            let unread = |why: String| unusable("eth_getBlockByNumber", format!("block {number}: {why}"));
            let block = match block.map_err(|error| unread(error.to_string()))? {
                Some(block) => block,
                None => self.block(number).await?.ok_or_else(|| unread("unknown".to_owned()))?,
            };
            times.insert(number, block.header.timestamp);
        }
        Ok(times)
    }

    /// Returns the code at an address after a block; an error if the node no longer has that state.
    pub(crate) async fn code_at(
        &self,
        address: Address,
        block: u64,
    ) -> Result<RpcResult<Bytes>, Inconclusive> {
        self.rpc("eth_getCode", json!([address, U64::from(block)])).await
    }

    /// Reads the logs of a contract from a block on.
    pub async fn logs(&self, address: Address, topic: B256, from: u64) -> Result<Vec<Log>, Inconclusive> {
        let head = self.head().await?.header.number;
        let requests = AtomicU32::new(MOST_LOG_REQUESTS);
        let logs = self.logs_within(&[address], &json!([topic]), (from, head), &requests).await?;
        logs.ok_or_else(|| {
            let reason = format!("logs from block {from} to {head} take over {MOST_LOG_REQUESTS} requests");
            Inconclusive::Unreachable { endpoint: "the chain", reason }
        })
    }

    /// Reads logs of contracts within blocks (inclusive), in chain order; known logs are read again only if the chain was rolled back.
    /// `requests` is the remaining number of requests; `None` if it does not suffice.
    pub(crate) async fn logs_within(
        &self,
        addresses: &[Address],
        topics: &Value,
        (from, to): (u64, u64),
        requests: &AtomicU32,
    ) -> Result<Option<Vec<Log>>, Inconclusive> {
        let asked = json!([addresses, topics, from]).to_string();
        let known = self.known.lock().await.get(&asked).cloned();
        let known = match known {
            Some(known) if known.to <= to && self.is_of_chain(&known).await? => Some(known),
            _ => None,
        };
        let (first, mut logs) = known.map_or((from, Vec::new()), |known| (known.to + 1, known.logs));
        // The hash is read first: if the chain is rolled back in between, the logs read next are not kept under the old hash.
        let last = self.block(to).await?;
        // A node that lags leaves the newest blocks out of a range without a word, and refuses a hash that it does not have.
        let newest = last.as_ref().map_or_else(Vec::new, |last| {
            vec![(to.saturating_sub(1), last.header.parent_hash), (to, last.header.hash)]
        });
        let newest: Vec<(u64, B256)> =
            newest.into_iter().filter(|(number, _)| *number > 0 && (first..=to).contains(number)).collect();
        let until = to - newest.len() as u64;
        let Some(more) = self.unknown_logs(addresses, topics, (first, until), requests).await? else {
            return Ok(None);
        };
        logs.extend(more);
        for (number, hash) in newest {
            let filter = json!({ "address": addresses, "topics": topics, "blockHash": hash });
            let more = match self.rpc("eth_getLogs", json!([filter])).await? {
                Ok(more) => Some(more),
                Err(_) => self.unknown_logs(addresses, topics, (number, number), requests).await?,
            };
            let Some(more) = more else { return Ok(None) };
            logs.extend(more);
        }
        if let Some(last) = last {
            let mut known = self.known.lock().await;
            let all = known.values().map(|known| known.logs.len()).sum::<usize>() + logs.len();
            if known.len() == KNOWN_LOGS || all > MOST_LOGS {
                known.clear();
            }
            known.insert(asked, Known { to, hash: last.header.hash, logs: logs.clone() });
        }
        Ok(Some(logs))
    }

    async fn is_of_chain(&self, known: &Known) -> Result<bool, Inconclusive> {
        Ok(self.block(known.to).await?.is_some_and(|block| block.header.hash == known.hash))
    }

    /// Reads logs from the node. If the node refuses a range, or its answer is too large, halves the range for this and all later requests;
    /// a refusal that may be due to the call rate is first retried once.
    async fn unknown_logs(
        &self,
        addresses: &[Address],
        topics: &Value,
        (from, to): (u64, u64),
        requests: &AtomicU32,
    ) -> Result<Option<Vec<Log>>, Inconclusive> {
        let mut logs = Vec::new();
        let (mut first, mut repeated) = (from, None);
        while first <= to {
            let take = |left: u32| left.checked_sub(1);
            if requests.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
                return Ok(None);
            }
            let last = to.min(first.saturating_add(self.span.load(Ordering::Relaxed) - 1));
            let filter = json!({
                "address": addresses, "topics": topics, "fromBlock": U64::from(first), "toBlock": U64::from(last),
            });
            let answered = match self.rpc::<Vec<Log>>("eth_getLogs", json!([filter])).await {
                Err(Inconclusive::TooLarge { .. }) if first < last => {
                    self.halve(first, last);
                    continue;
                }
                answered => answered?,
            };
            match answered {
                Ok(found) => {
                    logs.extend(found);
                    if logs.len() > MOST_LOGS {
                        let address = self.url.origin().ascii_serialization();
                        let reason = format!("over {MOST_LOGS} logs from block {from} to {last}");
                        return Err(Inconclusive::TooLarge { address, reason });
                    }
                    first = last.saturating_add(1);
                }
                Err(error) if error.code == LIMIT_EXCEEDED && repeated != Some((first, last)) => {
                    repeated = Some((first, last));
                }
                Err(_) if first < last => self.halve(first, last),
                Err(error) => {
                    let reason = format!("eth_getLogs of block {first}: {error}");
                    return Err(Inconclusive::Unreachable { endpoint: "the chain", reason });
                }
            }
        }
        logs.sort_by_key(|log| (log.block_number, log.log_index));
        Ok(Some(logs))
    }

    /// Limits later requests for logs to half of these blocks.
    fn halve(&self, first: u64, last: u64) {
        self.span.fetch_min((last - first).div_ceil(2), Ordering::Relaxed);
    }

    /// Makes several calls of one method in one request, in order; one by one if the node does not support batches.
    pub async fn batch<T: DeserializeOwned>(
        &self,
        method: &str,
        params: &[Value],
    ) -> Result<Vec<RpcResult<T>>, Inconclusive> {
        let mut answers = Vec::with_capacity(params.len());
        for chunk in params.chunks(BATCH) {
            let calls = chunk.iter().enumerate();
            let body: Vec<Value> = calls
                .map(|(id, params)| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
                .collect();
            let answered = self.post(&Value::Array(body)).await?.json();
            match answered.and_then(|answer| in_order(answer, chunk.len())) {
                Some(results) => {
                    for (result, params) in results.into_iter().zip(chunk) {
                        answers.push(match result_of(method, result)? {
                            Err(error) if error.lacks_a_block() || error.code == LIMIT_EXCEEDED => {
                                self.rpc(method, params.clone()).await?
                            }
                            answered => answered,
                        });
                    }
                }
                None => {
                    for params in chunk {
                        answers.push(self.rpc(method, params.clone()).await?);
                    }
                }
            }
        }
        Ok(answers)
    }

    /// Calls contracts on the state after a block, in order; `None` for a call that reverts or whose answer cannot be decoded.
    pub(crate) async fn calls_at<C: SolCall>(
        &self,
        calls: &[(Address, C)],
        block: u64,
    ) -> Result<Vec<Option<C::Return>>, Inconclusive> {
        let params: Vec<Value> = calls
            .iter()
            .map(|(to, call)| json!([{"to": to, "input": Bytes::from(call.abi_encode())}, U64::from(block)]))
            .collect();
        let outputs: Vec<RpcResult<Bytes>> = self.batch("eth_call", &params).await?;
        Ok(outputs.into_iter().map(|output| C::abi_decode_returns(&output.ok()?).ok()).collect())
    }

    /// Calls one function for each key on the state after a block; keys whose call reverts are left out.
    pub(crate) async fn each_at<K: Ord + Copy, C: SolCall>(
        &self,
        keys: impl IntoIterator<Item = K>,
        call: impl Fn(K) -> (Address, C),
        block: u64,
    ) -> Result<BTreeMap<K, C::Return>, Inconclusive> {
        let keys: Vec<K> = keys.into_iter().collect();
        let calls: Vec<_> = keys.iter().map(|key| call(*key)).collect();
        let answers = self.calls_at(&calls, block).await?;
        Ok(keys.into_iter().zip(answers).filter_map(|(key, answer)| Some((key, answer?))).collect())
    }
}

/// Sorts the answers of a batch by their ids; `None` unless every id has one.
fn in_order(answer: Value, count: usize) -> Option<Vec<Value>> {
    let Value::Array(mut results) = answer else {
        return None;
    };
    results.sort_by_key(|result| result["id"].as_u64());
    let whole = results.len() == count
        && results.iter().enumerate().all(|(id, result)| result["id"].as_u64() == u64::try_from(id).ok());
    whole.then_some(results)
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use tokio::net::TcpListener;
    use url::Url;

    use super::*;
    use crate::client::bounds::LARGEST_ANSWER;
    use crate::client::http::Http;

    /// The number of blocks whose logs a node of [`answer`] returns in one answer that is not too large.
    const READABLE: u64 = 10;

    /// Answers with a block, or with one log for each block of a range; for a long range, with more than is read.
    async fn answer(body: axum::body::Bytes) -> String {
        let asked: Value = serde_json::from_slice(&body).unwrap();
        let number = |value: &Value| value.as_str().unwrap().parse::<U64>().unwrap().to::<u64>();
        if asked["method"] != "eth_getLogs" {
            return json!({"jsonrpc": "2.0", "id": asked["id"], "result": null}).to_string();
        }
        let filter = &asked["params"][0];
        let (from, to) = (number(&filter["fromBlock"]), number(&filter["toBlock"]));
        if to - from >= READABLE {
            return " ".repeat(LARGEST_ANSWER + 1);
        }
        let logs: Vec<Log> =
            (from..=to).map(|number| Log { block_number: Some(number), ..Log::default() }).collect();
        json!({"jsonrpc": "2.0", "id": asked["id"], "result": logs}).to_string()
    }

    #[tokio::test]
    async fn a_range_of_logs_that_is_larger_than_what_is_read_is_halved() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let served = axum::serve(listener, Router::new().fallback(answer));
        tokio::spawn(async move { served.await });
        let chain = Chain::new(Http::new().unwrap(), url, 57073);
        let requests = AtomicU32::new(50);
        let logs = chain.logs_within(&[Address::ZERO], &json!([]), (0, 99), &requests).await.unwrap();
        let blocks: Vec<u64> = logs.unwrap().iter().map(|log| log.block_number.unwrap()).collect();
        assert_eq!(blocks, (0..100).collect::<Vec<_>>());
        assert_eq!(requests.into_inner(), 50 - 4 - 17, "four halvings, and seventeen ranges of six blocks");
    }

    #[test]
    fn answers_of_a_batch_are_ordered_by_id() {
        let shuffled = json!([{"id": 1, "result": "b"}, {"id": 0, "result": "a"}]);
        let ordered = in_order(shuffled, 2).unwrap();
        assert_eq!((&ordered[0]["result"], &ordered[1]["result"]), (&json!("a"), &json!("b")));
        assert_eq!(in_order(json!([{"id": 0}, {"id": 0}]), 2), None);
        assert_eq!(in_order(json!({"error": {}}), 1), None);
    }
}
