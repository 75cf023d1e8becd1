//! The rehearsal's own actions on the platform: time travel, other traders, reorganisations.
use std::collections::BTreeMap;

use alloy::primitives::{Address, Bytes};
use alloy::sol_types::SolCall as _;
use serde_json::{Value, json};
use slipway_contracts::ChainId;
use slipway_contracts::bindings::ILaunchHook::{buyCall, getLaunchStateCall, sellCall};
use slipway_scenarios::client::control::Control;
use slipway_scenarios::client::http::Http;
use slipway_scenarios::client::message::Request;
use slipway_scenarios::model::target::PrivateKey;
use slipway_scenarios::model::verdict::Inconclusive;
use slipway_sim::Ready;
use url::Url;

use super::record::Broadcast;
use crate::error::Fatal;

/// The amount of the other traders' trades, in whole units and in the smallest unit.
const AMOUNT: &str = "0.05";
const AMOUNT_UNITS: &str = "50000000000000000";
const ZERO: Address = Address::ZERO;

/// The platform did not carry out what the rehearsal needs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OperatorError {
    #[error("the rehearsal cannot go on: the platform has no control plane")]
    NoControl,
    #[error("the rehearsal cannot go on: {0}")]
    Unanswered(#[from] Inconclusive),
    #[error("the rehearsal cannot go on: {call} was refused: {answer}")]
    Refused { call: String, answer: Value },
}

impl Fatal for OperatorError {}

/// Calls the platform directly, bypassing the client's proxies.
#[derive(Clone, Debug)]
pub(super) struct Operator {
    http: Http,
    pub(super) control: Control,
    swap: Url,
    nodes: BTreeMap<u64, Url>,
    /// The account of all other traders: the last one, because clients use the first.
    other: Address,
}

impl Operator {
    pub(super) fn new(ready: &Ready) -> Result<Self, OperatorError> {
        let http = Http::new()?;
        let url = |text: &str| Url::parse(text).expect("the platform's own addresses are well-formed");
        let control = url(ready.control_url.as_deref().ok_or(OperatorError::NoControl)?);
        let token = ready.control_token.clone().map(PrivateKey::new);
        Ok(Self {
            control: Control::new(http.clone(), control, token),
            http,
            swap: url(&ready.swap_base_url),
            nodes: ready.chains.iter().map(|chain| (chain.chain_id, url(&chain.rpc_url))).collect(),
            other: ready.accounts.last().map(|account| account.address).unwrap_or_default(),
        })
    }

    /// Disables launches on every chain.
    pub(super) async fn pause_creation(&self) -> Result<(), OperatorError> {
        for chain in self.nodes.keys() {
            self.control.pause_creation(*chain, true).await?;
        }
        Ok(())
    }

    /// The rules that refused requests after a journal entry, by request id.
    pub(super) async fn causes(&self, after: u64) -> Result<BTreeMap<String, String>, OperatorError> {
        let entries = self.control.journal(after).await?;
        Ok(entries.into_iter().filter_map(|entry| Some((entry.request_id, entry.cause?))).collect())
    }

    /// Has another trader buy what the transaction trades; false if it trades nothing.
    pub(super) async fn move_price(&self, chain: u64, broadcast: &Broadcast) -> Result<bool, OperatorError> {
        for token in self.tokens(chain, broadcast).await? {
            let order = json!({
                "token": token, "side": "buy", "amount": AMOUNT, "chainId": chain, "account": self.other,
            });
            let traded = self.control.attempt("/_sim/trades", &order).await?;
            if traded || (chain == ChainId::PRIMARY.0 && self.swap(chain, token).await?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Has another trader fill the launch that the transaction trades; false if it trades none.
    pub(super) async fn graduate(&self, chain: u64, broadcast: &Broadcast) -> Result<bool, OperatorError> {
        for token in self.tokens(chain, broadcast).await? {
            let order = json!({ "chainId": chain, "account": self.other });
            let path = format!("/_sim/tokens/{token}/graduate");
            if self.control.attempt(&path, &order).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Rolls back the block of a receipt and all blocks after it.
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

    /// The tokens that a transaction may trade: the token of the launch in its input, otherwise every address in its input.
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

    /// Buys a token on the exchange; false if it has no route.
    async fn swap(&self, chain: u64, token: Address) -> Result<bool, OperatorError> {
        let (token, other) = (token.to_string(), self.other.to_string());
        let query = [
            ("tokenIn", ZERO.to_string()),
            ("tokenOut", token),
            ("amount", AMOUNT_UNITS.to_owned()),
            ("slippage", "5000".to_owned()),
            ("buildTx", "true".to_owned()),
            ("userAddress", other),
        ];
        let query: Vec<(&str, &str)> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let response = self.http.send(Request::get(&self.swap, "/api/quote", &query)).await?;
        let quote = response.json().unwrap_or_default();
        if response.code() != 200 || !quote["transaction"].is_object() {
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
        let node = self.nodes.get(&chain).expect("both chains have a node");
        let answered = self.http.send(Request::post_json(node, "", &call)).await?;
        let mut answer = answered.json().unwrap_or_default();
        if !answer["error"].is_null() {
            return Err(OperatorError::Refused { call: method.to_owned(), answer: answer["error"].take() });
        }
        Ok(answer["result"].take())
    }
}

/// The distinct addresses in an input; small numbers do not count.
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
