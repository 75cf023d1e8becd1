//! Waiting for a target that is still starting: it is ready when every given part answers.
use std::time::{Duration, Instant};

use futures::future::join_all;
use slipway_contracts::ChainId;
use slipway_scenarios::client::http::Http;
use slipway_scenarios::client::message::Request;
use slipway_scenarios::{Target, World};
use url::Url;

use crate::error::{CommandError, Fatal};

#[derive(Debug, thiserror::Error)]
#[error("{part} at {url} did not answer within {seconds} s: {reason}")]
pub(crate) struct NotReady {
    part: String,
    url: String,
    seconds: u64,
    reason: String,
}

impl Fatal for NotReady {}

/// Time limit of one answer, and the pause before the next attempt.
const ANSWER: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(100);

/// Returns when every part of the target answers.
pub(crate) async fn until_ready(target: &Target, patience: Duration) -> Result<(), CommandError> {
    let begun = Instant::now();
    for (part, url, request) in parts(target) {
        loop {
            // A new client for each attempt: a client gives up on an address after a while, and this one is expected to be silent at first.
            let http = Http::new()?;
            let reason = match tokio::time::timeout(ANSWER, http.send(request.clone())).await {
                Ok(Ok(answer)) if answer.status.as_u16() < 500 => break,
                Ok(Ok(answer)) => format!("status {}", answer.status.as_u16()),
                Ok(Err(error)) => error.to_string(),
                Err(_) => "no answer".to_owned(),
            };
            if begun.elapsed() >= patience {
                return Err(NotReady { part, url, seconds: patience.as_secs(), reason }.into());
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
    Ok(())
}

/// Asks each address once; if none answers, returns the reason. Later requests to an address that did not answer are not sent.
pub(crate) async fn silence(world: &World) -> Option<String> {
    let parts = parts(world.target());
    let asked = parts.into_iter().map(|(part, _, request)| async move {
        world.http().silence(request).await.map(|reason| format!("{part} does not answer: {reason}"))
    });
    let answers = join_all(asked).await;
    if answers.is_empty() || answers.iter().any(Option::is_none) {
        return None;
    }
    Some(answers.into_iter().flatten().collect::<Vec<_>>().join("; "))
}

/// A given chain whose node says that it is another of the platform's chains, and that one: the addresses are mixed up. What other nodes say
/// is for the checks.
pub(crate) async fn other_chain(target: &Target) -> Option<(u64, u64)> {
    let http = Http::new().ok()?.for_nodes();
    let asked = target.rpc_urls.iter().map(async |(chain, url)| {
        let answer =
            tokio::time::timeout(ANSWER, http.send_once(chain_id_of(url))).await.ok()?.ok()?.json()?;
        let id = answer["result"].as_str()?.strip_prefix("0x")?;
        let id = u64::from_str_radix(id, 16).ok()?;
        (id != *chain && ChainId::ALL.contains(&ChainId(id))).then_some((*chain, id))
    });
    join_all(asked).await.into_iter().flatten().next()
}

fn chain_id_of(url: &Url) -> Request {
    let call = serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": []});
    Request::post_json(url, "", &call)
}

fn parts(target: &Target) -> Vec<(String, String, Request)> {
    let get =
        |name: &str, url: &Url, path: &str| (name.to_owned(), url.to_string(), Request::get(url, path, &[]));
    let mut parts = Vec::new();
    parts.extend(target.base_url.as_ref().map(|url| get("the REST service", url, "/api/tokens")));
    parts.extend(target.swap_url.as_ref().map(|url| get("the swap service", url, "/api/tokens")));
    parts.extend(target.control_url.as_ref().map(|url| get("the control plane", url, "/_sim/ready")));
    for (chain, url) in &target.rpc_urls {
        parts.push((format!("the RPC of chain {chain}"), url.to_string(), chain_id_of(url)));
    }
    parts
}
