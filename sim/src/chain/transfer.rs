//! Whether a token arrives whole: transfers tried on the node without a transaction. Decides nothing.
use alloy::primitives::{Address, Bytes, U256, address};
use alloy::rpc::types::TransactionRequest;
use alloy::sol_types::SolCall;
use serde_json::{Value, json};
use slipway_contracts::bindings::IERC20;

use super::Chain;

/// Holds nothing of any token: where the tried transfers go to and come back from.
const STRANGER: Address = address!("00000000000000000000000000000000000f1ee5");

impl Chain {
    /// Whether a transfer of so many units from a holder to a stranger, or the same way back, loses any of them.
    ///
    /// What cannot be tried keeps nothing: a token that refuses the transfer fails by itself where it is traded.
    pub(crate) async fn keeps_of_transfers(&self, token: Address, holder: Address, units: U256) -> bool {
        let transfer = |from: Address, to| call(from, token, &IERC20::transferCall { to, amount: units });
        let balance = |account| call(STRANGER, token, &IERC20::balanceOfCall { account });
        let calls = [
            balance(STRANGER),
            balance(holder),
            transfer(holder, STRANGER),
            balance(STRANGER),
            transfer(STRANGER, holder),
            balance(holder),
        ];
        let block = json!({ "blockStateCalls": [{ "calls": calls }], "validation": false });
        let Ok(blocks) = self.ask::<_, Vec<SimulatedBlock>>("eth_simulateV1", (block, "latest")).await else {
            return false;
        };
        let outcomes = blocks.first().map_or(&[][..], |block| &block.calls);
        let [before, held, sent, came, _, back] = outcomes else {
            return false;
        };
        let (Some(before), Some(held), Some(came)) = (before.units(), held.units(), came.units()) else {
            return false;
        };
        // Where the first transfer lost something the second fails, for the stranger has not got enough.
        sent.status == "0x1" && (came != before + units || back.units() != Some(held))
    }
}

/// A block that the node did not keep.
#[derive(Debug, serde::Deserialize)]
struct SimulatedBlock {
    calls: Vec<SimulatedCall>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct SimulatedCall {
    status: String,
    return_data: Bytes,
}

impl SimulatedCall {
    fn units(&self) -> Option<U256> {
        U256::try_from_be_slice(self.return_data.get(..32)?)
    }
}

fn call(from: Address, to: Address, input: &impl SolCall) -> Value {
    let request =
        TransactionRequest::default().from(from).to(to).input(Bytes::from(input.abi_encode()).into());
    json!(request)
}
