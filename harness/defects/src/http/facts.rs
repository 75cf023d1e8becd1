//! Facts about a platform that acts need, learnt by the proxy's own requests.
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::future::join_all;
use parking_lot::Mutex;
use reqwest::Client;
use serde_json::Value;
use tokio::sync::OnceCell;
use url::Url;

use super::act::{Facts, Need};
use super::exchange::ProxiedResponse;

/// How long the platform may take to answer one of the proxy's own requests.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The native coin as a query writes it.
const NATIVE: &str = "0x0000000000000000000000000000000000000000";
/// The usual wrapped native coin of the primary chain, for a platform without a swap service.
const USUAL_WRAPPED: &str = "0x4200000000000000000000000000000000000006";
/// Enough native coin for a quote of any pair with liquidity, wei.
const PROBE: &str = "1000000000000000";

/// A client of the platform, and the facts learnt that never change.
#[derive(Debug, Default)]
pub(in crate::http) struct Learner {
    client: Client,
    rest: Option<Url>,
    swap: Option<Url>,
    control: Option<Url>,
    versions: Mutex<BTreeMap<String, bool>>,
    wrapped: OnceCell<String>,
}

impl Learner {
    pub(in crate::http) fn new(rest: Option<Url>, swap: Option<Url>, control: Option<Url>) -> Self {
        let client = crate::client([&rest, &swap, &control].into_iter().flatten());
        Self { client, rest, swap, control, ..Self::default() }
    }

    /// Learns what a change needs; when a request is changed, there is no response yet.
    pub(in crate::http) async fn learn(&self, need: Need, response: Option<&ProxiedResponse>) -> Facts {
        match need {
            Need::Clock => Facts { now: self.now().await, ..Facts::default() },
            Need::Versions => Facts { v1_tokens: self.v1_tokens(response).await, ..Facts::default() },
            Need::Exchange => {
                let listed = self.listed().await.into_iter().map(|token| token.to_lowercase());
                let (listed, wrapped_native) = (listed.collect(), self.wrapped_native().await);
                Facts { listed, wrapped_native, ..Facts::default() }
            }
            // The answer to another query comes through the proxy of the service.
            Need::OtherAnswer(_) => Facts::default(),
        }
    }

    async fn get(&self, origin: &Url, path: &str, query: &[(&str, &str)]) -> Option<Value> {
        let mut url = origin.join(path).ok()?;
        url.query_pairs_mut().extend_pairs(query);
        crate::json_of(self.client.get(url).timeout(TIMEOUT).send().await.ok()?).await.ok()
    }

    /// The time of the control plane, or of this machine if there is none.
    async fn now(&self) -> u64 {
        let platform_time = match &self.control {
            Some(control) => {
                self.get(control, "/_sim/clock", &[]).await.and_then(|clock| clock["now"].as_u64())
            }
            None => None,
        };
        platform_time
            .unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs()))
    }

    async fn v1_tokens(&self, response: Option<&ProxiedResponse>) -> BTreeSet<String> {
        let tokens = response.and_then(|response| response.body["tokens"].as_array());
        let addresses = tokens.into_iter().flatten().filter_map(|token| token["address"].as_str());
        let asked = addresses.map(|address| async move { (address, self.is_v1(address).await) });
        let answered = join_all(asked).await.into_iter();
        answered.filter(|(_, is_v1)| *is_v1).map(|(address, _)| address.to_owned()).collect()
    }

    async fn is_v1(&self, address: &str) -> bool {
        if let Some(known) = self.versions.lock().get(address) {
            return *known;
        }
        let Some(rest) = &self.rest else { return false };
        let token = self.get(rest, "/api/token", &[("address", address)]).await;
        let Some(version) = token.and_then(|token| token["version"].as_str().map(str::to_owned)) else {
            return false;
        };
        let is_v1 = version == "v1";
        self.versions.lock().insert(address.to_owned(), is_v1);
        is_v1
    }

    /// The first token on the path of a quote that begins with the native coin.
    async fn wrapped_native(&self) -> String {
        let learnt = async || self.quoted_wrapped().await.unwrap_or_else(|| USUAL_WRAPPED.to_owned());
        self.wrapped.get_or_init(learnt).await.clone()
    }

    /// The tokens of the exchange; empty if the service does not answer.
    async fn listed(&self) -> Vec<String> {
        let tokens = match &self.swap {
            Some(swap) => self.get(swap, "/api/tokens", &[]).await,
            None => None,
        };
        let tokens = tokens.as_ref().and_then(Value::as_array).into_iter().flatten();
        tokens.filter_map(|token| token["address"].as_str().map(str::to_owned)).collect()
    }

    async fn quoted_wrapped(&self) -> Option<String> {
        let swap = self.swap.as_ref()?;
        for token in self.listed().await {
            let query = [("tokenIn", NATIVE), ("tokenOut", &token), ("amount", PROBE)];
            let quote = self.get(swap, "/api/quote", &query).await;
            let path = quote.as_ref().and_then(|quote| quote["path"].as_array());
            if let Some(first) =
                path.and_then(|path| path.first()).and_then(Value::as_str).filter(|it| *it != NATIVE)
            {
                return Some(first.to_owned());
            }
        }
        None
    }
}
