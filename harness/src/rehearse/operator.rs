//! What the rehearsal does to the platform behind the client's back: time travel, other traders, reorganisations.
use std::collections::BTreeMap;
use std::time::Duration;

use alloy::primitives::{Address, Bytes};
use alloy::sol_types::SolCall as _;
use reqwest::{Client, Method};
use serde_json::{Value, json};
use slipway_contracts::ChainId;
use slipway_contracts::bindings::ILaunchHook::{buyCall, getLaunchStateCall, sellCall};
use slipway_sim::Ready;

use super::record::Broadcast;

/// How long the platform may take for one call.
const PATIENCE: Duration = Duration::from_secs(30);
/// What others trade for, in whole units and in the smallest.
const AMOUNT: &str = "0.05";
const AMOUNT_UNITS: &str = "50000000000000000";
const ZERO: Address = Address::ZERO;

/// The platform did not do what the rehearsal needs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OperatorError {
    #[error("the platform has no control plane")]
    NoControl,
    #[error("{call} was not answered: {source}")]
    Unanswered { call: String, source: reqwest::Error },
    #[error("{call} was refused: {answer}")]
    Refused { call: String, answer: Value },
}

/// Speaks to the platform itself, past the client's proxies.
#[derive(Clone, Debug)]
pub(super) struct Operator {
    client: Client,
    control: String,
    token: Option<String>,
    swap: String,
    nodes: BTreeMap<u64, String>,
    /// The account of everybody else: the last one, as clients use the first.
    other: Address,
}

impl Operator {
    pub(super) fn new(client: Client, ready: &Ready) -> Result<Self, OperatorError> {
        Ok(Self {
            client,
            control: ready.control_url.clone().ok_or(OperatorError::NoControl)?,
            token: ready.control_token.clone(),
            swap: ready.swap_base_url.clone(),
            nodes: ready.chains.iter().map(|chain| (chain.chain_id, chain.rpc_url.clone())).collect(),
            other: ready.accounts.last().map(|account| account.address).unwrap_or_default(),
        })
    }

    pub(super) async fn checkpoint(&self) -> Result<u64, OperatorError> {
        let answer = self.demand(Method::POST, "/_sim/checkpoints", &json!({ "name": "rehearsal" })).await?;
        Ok(answer["id"].as_u64().unwrap_or_default())
    }

    pub(super) async fn revert(&self, checkpoint: u64) -> Result<(), OperatorError> {
        let path = format!("/_sim/checkpoints/{checkpoint}/revert");
        self.demand(Method::POST, &path, &json!({})).await.map(drop)
    }

    /// Withdraws the capability to launch, on every chain.
    pub(super) async fn pause_creation(&self) -> Result<(), OperatorError> {
        for chain in self.nodes.keys() {
            let path = format!("/_sim/creation-paused?chainId={chain}");
            self.demand(Method::PUT, &path, &json!({})).await?;
        }
        Ok(())
    }

    /// Number of the last entry of the journal.
    pub(super) async fn journal_end(&self) -> Result<u64, OperatorError> {
        let answer = self.demand(Method::GET, "/_sim/journal?after=9007199254740991", &Value::Null).await?;
        Ok(answer["last"].as_u64().unwrap_or_default())
    }

    /// The rules that refused requests after that entry, by request id.
    pub(super) async fn causes(&self, after: u64) -> Result<BTreeMap<String, String>, OperatorError> {
        let answer = self.demand(Method::GET, &format!("/_sim/journal?after={after}"), &Value::Null).await?;
        let entries = answer["entries"].as_array().into_iter().flatten();
        let texts = |entry: &Value| {
            Some((entry["requestId"].as_str()?.to_owned(), entry["cause"].as_str()?.to_owned()))
        };
        Ok(entries.filter_map(texts).collect())
    }

    /// Somebody else buys what the transaction trades; false when it trades nothing.
    pub(super) async fn move_price(&self, chain: u64, broadcast: &Broadcast) -> Result<bool, OperatorError> {
        for token in self.tokens(chain, broadcast).await? {
            let order = json!({
                "token": token, "side": "buy", "amount": AMOUNT, "chainId": chain, "account": self.other,
            });
            let (status, _) = self.call(Method::POST, "/_sim/trades", &order).await?;
            if status == 200 || (chain == ChainId::PRIMARY.0 && self.swap(chain, token).await?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Somebody else fills the launch that the transaction trades; false when it trades none.
    pub(super) async fn graduate(&self, chain: u64, broadcast: &Broadcast) -> Result<bool, OperatorError> {
        for token in self.tokens(chain, broadcast).await? {
            let order = json!({ "chainId": chain, "account": self.other });
            let path = format!("/_sim/tokens/{token}/graduate");
            let (status, _) = self.call(Method::POST, &path, &order).await?;
            if status == 200 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes back the block of a receipt and all after it.
    pub(super) async fn reorganise(&self, chain: u64, receipt: &Value) -> Result<bool, OperatorError> {
        let number = |value: &Value| {
            value.as_str().and_then(|text| u64::from_str_radix(text.trim_start_matches("0x"), 16).ok())
        };
        let Some(block) = number(&receipt["blockNumber"]) else { return Ok(false) };
        let latest = self.rpc(chain, "eth_blockNumber", json!([])).await?;
        let depth = number(&latest).map_or(1, |latest| latest.saturating_sub(block) + 1);
        self.rpc(chain, "anvil_reorg", json!([depth, []])).await?;
        Ok(true)
    }

    /// The tokens that a transaction may trade: that of the launch it names, else every address in its input.
    async fn tokens(&self, chain: u64, broadcast: &Broadcast) -> Result<Vec<Address>, OperatorError> {
        let input = &broadcast.input;
        let bought = buyCall::abi_decode(input).map(|call| call.launchId);
        let launch = bought.or_else(|_| sellCall::abi_decode(input).map(|call| call.launchId));
        let Ok(launch) = launch else { return Ok(addresses(input)) };
        let call = Bytes::from(getLaunchStateCall { launchId: launch }.abi_encode());
        let asked = json!([{ "to": broadcast.to, "data": call }, "latest"]);
        let answer = self.rpc(chain, "eth_call", asked).await?;
        let bytes: Bytes = answer.as_str().and_then(|text| text.parse().ok()).unwrap_or_default();
        Ok(getLaunchStateCall::abi_decode_returns(&bytes).map(|state| state.token).into_iter().collect())
    }

    /// Buys a token on the exchange; false when it has no route.
    async fn swap(&self, chain: u64, token: Address) -> Result<bool, OperatorError> {
        let url = format!(
            "{}/api/quote?tokenIn={ZERO}&tokenOut={token}&amount={AMOUNT_UNITS}&slippage=5000&buildTx=true&userAddress={}",
            self.swap, self.other
        );
        let (status, quote) = answered("GET /api/quote", self.client.get(url)).await?;
        if status != 200 || !quote["transaction"].is_object() {
            return Ok(false);
        }
        let built = &quote["transaction"];
        self.rpc(chain, "anvil_impersonateAccount", json!([self.other])).await?;
        let value: alloy::primitives::U256 =
            built["value"].as_str().and_then(|text| text.parse().ok()).unwrap_or_default();
        let transaction =
            json!({ "from": self.other, "to": built["to"], "data": built["data"], "value": value });
        self.rpc(chain, "eth_sendTransaction", json!([transaction])).await?;
        Ok(true)
    }

    async fn rpc(&self, chain: u64, method: &str, params: Value) -> Result<Value, OperatorError> {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let url = self.nodes.get(&chain).map(String::as_str).unwrap_or_default();
        let (_, mut answer) = answered(method, self.client.post(url).json(&call)).await?;
        if !answer["error"].is_null() {
            return Err(OperatorError::Refused { call: method.to_owned(), answer: answer["error"].take() });
        }
        Ok(answer["result"].take())
    }

    async fn demand(&self, method: Method, path: &str, body: &Value) -> Result<Value, OperatorError> {
        match self.call(method, path, body).await? {
            (200, answer) => Ok(answer),
            (_, answer) => Err(OperatorError::Refused { call: path.to_owned(), answer }),
        }
    }

    async fn call(&self, method: Method, path: &str, body: &Value) -> Result<(u16, Value), OperatorError> {
        let mut request = self.client.request(method, format!("{}{path}", self.control));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if !body.is_null() {
            request = request.json(body);
        }
        answered(path, request).await
    }
}

async fn answered(call: &str, request: reqwest::RequestBuilder) -> Result<(u16, Value), OperatorError> {
    let failed = |source| OperatorError::Unanswered { call: call.to_owned(), source };
    let response = request.timeout(PATIENCE).send().await.map_err(failed)?;
    let status = response.status().as_u16();
    let body = response.bytes().await.map_err(failed)?;
    Ok((status, serde_json::from_slice(&body).unwrap_or_default()))
}

/// What stands in an input as an address does, each once; small numbers do not.
fn addresses(input: &[u8]) -> Vec<Address> {
    let mut found = Vec::new();
    for word in input.get(4..).unwrap_or_default().chunks_exact(32) {
        let (front, address) = word.split_at(12);
        let address = Address::from_slice(address);
        let is_address = front.iter().all(|byte| *byte == 0) && address[..4] != [0; 4];
        if is_address && !found.contains(&address) {
            found.push(address);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, U256, address};
    use alloy::sol_types::SolValue as _;

    use super::addresses;

    #[test]
    fn addresses_of_an_input_are_found_and_numbers_are_not() {
        let token = address!("0x1111111111111111111111111111111111111111");
        let words = (U256::from(7), token, Address::ZERO, U256::MAX, token).abi_encode();
        let input = [&[1, 2, 3, 4], words.as_slice()].concat();
        assert_eq!(addresses(&input), [token]);
        assert!(addresses(&[1, 2]).is_empty());
    }
}
