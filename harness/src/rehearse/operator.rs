//! The rehearsal's own actions on the platform: other traders, reorganisations, a pause of creation.
use std::collections::BTreeMap;

use alloy::primitives::{Address, U64};
use serde_json::{Value, json};
use slipway_contracts::ChainId;
use slipway_contracts::bindings::ILaunchHook::getLaunchStateCall;
use slipway_defects::http::Addresses;
use slipway_scenarios::client::chain::Chain;
use slipway_scenarios::client::control::Control;
use slipway_scenarios::client::http::Http;
use slipway_scenarios::client::message::Request;
use slipway_scenarios::model::target::PrivateKey;
use slipway_scenarios::model::verdict::Inconclusive;
use slipway_sim::Ready;
use url::Url;

use super::fault::Act;
use super::record::{Asked, Broadcast, Part};
use super::trade_rules::is_trade;
use crate::error::Fatal;

/// The amount of the other traders' trades, in whole units and in the smallest unit.
const AMOUNT: &str = "0.05";
const AMOUNT_UNITS: &str = "50000000000000000";

/// The platform did not carry out what the rehearsal needs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OperatorError {
    #[error("the rehearsal cannot go on: the platform has no control plane")]
    NoControl,
    #[error("the rehearsal cannot go on: {0}")]
    Unanswered(#[from] Inconclusive),
}

impl Fatal for OperatorError {}

/// Calls the platform directly, bypassing the client's proxies.
#[derive(Debug)]
pub(super) struct Operator {
    http: Http,
    pub(super) control: Control,
    swap: Option<Url>,
    nodes: BTreeMap<u64, Chain>,
    /// The account of all other traders: the last one, because clients use the first.
    other: Address,
}

impl Operator {
    pub(super) fn new(ready: &Ready, addresses: &Addresses) -> Result<Self, OperatorError> {
        let http = Http::new()?;
        let control = addresses.control.clone().ok_or(OperatorError::NoControl)?;
        let token = ready.control_token.clone().map(PrivateKey::new);
        let node = |(chain, url): (&u64, &Url)| (*chain, Chain::new(http.clone(), url.clone(), *chain));
        Ok(Self {
            control: Control::new(http.clone(), control, token),
            swap: addresses.swap.clone(),
            nodes: addresses.rpc.iter().map(node).collect(),
            http,
            other: ready.accounts.last().map(|account| account.address).unwrap_or_default(),
        })
    }

    /// Takes the platform back to a checkpoint, its chains included.
    pub(super) async fn revert(&self, checkpoint: &str) -> Result<(), OperatorError> {
        self.control.revert(checkpoint).await?;
        self.nodes.values().for_each(Chain::rolled_back);
        Ok(())
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

    /// Has another trader buy what a request trades, or fill its launch; false if it trades nothing.
    pub(super) async fn trade(&self, act: Act, asked: &Asked) -> Result<bool, OperatorError> {
        let (Some(node), Some(sent)) = (self.node(asked), asked.sent.first()) else { return Ok(false) };
        let order = json!({ "chainId": node.chain_id(), "account": self.other });
        let mut purchase = order.clone();
        (purchase["side"], purchase["amount"]) = (json!("buy"), json!(AMOUNT));
        for token in tokens(node, sent).await? {
            purchase["token"] = json!(token);
            let is_done = if act == Act::Graduate {
                self.control.attempt(&format!("/_sim/tokens/{token}/graduate"), &order).await?
            } else {
                self.control.attempt("/_sim/trades", &purchase).await? || self.swap(node, token).await?
            };
            if is_done {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Rolls back the block of the receipt that a request got, and all blocks after it.
    pub(super) async fn reorganise(&self, asked: &Asked, receipt: &Value) -> Result<bool, OperatorError> {
        let block = serde_json::from_value::<U64>(receipt["blockNumber"].clone());
        let (Some(node), Ok(block)) = (self.node(asked), block) else { return Ok(false) };
        let depth = node.head().await?.header.number.saturating_sub(block.to()) + 1;
        node.must::<Value>("anvil_reorg", json!([depth, []])).await?;
        Ok(true)
    }

    fn node(&self, asked: &Asked) -> Option<&Chain> {
        if let Part::Node(chain) = asked.part { self.nodes.get(&chain) } else { None }
    }

    /// Buys a token on the exchange, which is on the primary chain; false if it has no route.
    async fn swap(&self, node: &Chain, token: Address) -> Result<bool, OperatorError> {
        let Some(swap) = self.swap.as_ref().filter(|_| node.chain_id() == ChainId::PRIMARY.0) else {
            return Ok(false);
        };
        let query = [
            ("tokenIn", &*Address::ZERO.to_string()),
            ("tokenOut", &*token.to_string()),
            ("amount", AMOUNT_UNITS),
            ("slippage", "5000"),
            ("buildTx", "true"),
            ("userAddress", &*self.other.to_string()),
        ];
        let quote =
            self.http.send(Request::get(swap, "/api/quote", &query)).await?.json().unwrap_or_default();
        if !quote["transaction"].is_object() {
            return Ok(false);
        }
        let Broadcast { to, input, value, .. } = Broadcast::unsigned(&quote["transaction"]);
        node.must::<Value>("anvil_impersonateAccount", json!([self.other])).await?;
        let transaction = json!({ "from": self.other, "to": to, "data": input, "value": value });
        node.must::<Value>("eth_sendTransaction", json!([transaction])).await?;
        Ok(true)
    }
}

/// The tokens that a transaction may trade: the token of the launch in its input, otherwise every address in its input.
async fn tokens(node: &Chain, sent: &Broadcast) -> Result<Vec<Address>, OperatorError> {
    let launch = sent.argument("launchId").filter(|_| is_trade(sent)).and_then(|launch| launch.parse().ok());
    let (Some(launch), Some(hook)) = (launch, sent.to) else { return Ok(addresses(&sent.input)) };
    let state = node.call(hook, &getLaunchStateCall { launchId: launch }).await?;
    Ok(state.map(|state| state.token).into_iter().collect())
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
