//! Reads token contracts as of a block, and finds out whether their transfers charge a fee, by calls that the node simulates. Anybody can
//! list a contract, so each call is bounded in gas, in time and in how much of its answer is read.
use std::time::Duration;

use alloy::primitives::{Address, Bytes, U64, U256, address};
use alloy::rpc::types::TransactionRequest;
use alloy::sol_types::SolCall;
use serde_json::{Value, json};
use slipway_contracts::bindings::IERC20;

use tokio::time::timeout;

use super::{Chain, ChainError};
use crate::event::ExchangeToken;

/// Holds no tokens: the counterpart of the simulated transfers, in both directions.
const STRANGER: Address = address!("00000000000000000000000000000000000f1ee5");
/// Decimals of a token whose contract does not report them.
const USUAL_DECIMALS: u8 = 18;
/// Gas of each simulated call: a hundred times what a usual token needs.
const SIMULATED_GAS: u64 = 1_000_000;
/// Time limit of a simulation; with this little gas a node needs milliseconds.
const SIMULATION_LIMIT: Duration = Duration::from_secs(5);
/// Maximum length of a name or symbol, in bytes.
const LONGEST_TEXT: usize = 256;

impl Chain {
    /// Name, symbol and decimals of tokens as of a block. A missing or overlong text becomes empty; decimals that are missing or not a
    /// `uint8` become 18.
    ///
    /// A failing node is an error: then nothing is known about the contracts.
    pub(crate) async fn describe_tokens(
        &self,
        tokens: [Address; 2],
        block: u64,
    ) -> Result<[ExchangeToken; 2], ChainError> {
        let calls = tokens.map(|token| {
            [
                call(STRANGER, token, &IERC20::nameCall {}),
                call(STRANGER, token, &IERC20::symbolCall {}),
                call(STRANGER, token, &IERC20::decimalsCall {}),
            ]
        });
        let outcomes = self.simulated(calls.concat(), block).await?;
        let (first, second) = outcomes.split_at(outcomes.len() / 2);
        Ok([described(tokens[0], first), described(tokens[1], second)])
    }

    /// Whether a transfer of this many units from a holder to a stranger, or back, loses any of them, as of a block.
    ///
    /// A transfer that cannot be simulated counts as lossless: a token that refuses it fails on its own where it is traded.
    pub(crate) async fn keeps_of_transfers(
        &self,
        token: Address,
        holder: Address,
        units: U256,
        block: u64,
    ) -> Result<bool, ChainError> {
        let transfer = |from: Address, to| call(from, token, &IERC20::transferCall { to, amount: units });
        let balance = |account| call(STRANGER, token, &IERC20::balanceOfCall { account });
        let calls = vec![
            balance(STRANGER),
            balance(holder),
            transfer(holder, STRANGER),
            balance(STRANGER),
            transfer(STRANGER, holder),
            balance(holder),
        ];
        let outcomes = self.simulated(calls, block).await?;
        let [before, held, sent, came, _, back] = &outcomes[..] else {
            return Ok(false);
        };
        let (Some(before), Some(held), Some(came)) = (before.units(), held.units(), came.units()) else {
            return Ok(false);
        };
        // If the first transfer lost something, the second fails, since the stranger's balance is too low.
        Ok(sent.succeeded() && (came != before.wrapping_add(units) || back.units() != Some(held)))
    }

    /// Simulates consecutive calls as of a block, or of the latest one if the node no longer has the block's state. If the node takes too
    /// long for them but responds to another call, the contracts are to blame and count as silent: the result is empty.
    async fn simulated(&self, calls: Vec<Value>, block: u64) -> Result<Vec<SimulatedCall>, ChainError> {
        if let Ok(outcomes) = timeout(SIMULATION_LIMIT, self.simulated_once(calls, block)).await {
            return outcomes;
        }
        self.head().await?;
        Ok(Vec::new())
    }

    async fn simulated_once(&self, calls: Vec<Value>, block: u64) -> Result<Vec<SimulatedCall>, ChainError> {
        const METHOD: &str = "eth_simulateV1";
        let calls = json!({ "blockStateCalls": [{ "calls": calls }], "validation": false });
        let blocks: Result<Vec<SimulatedBlock>, _> = self.ask(METHOD, (&calls, U64::from(block))).await;
        let blocks = match blocks {
            Err(error) if error.refusal().is_some() => self.ask(METHOD, (&calls, "latest")).await?,
            answer => answer?,
        };
        Ok(blocks.into_iter().next().map(|block| block.calls).unwrap_or_default())
    }
}

/// Builds a contract's description from the outcomes of the calls for its name, symbol and decimals.
fn described(address: Address, outcomes: &[SimulatedCall]) -> ExchangeToken {
    let stated = |place: usize| outcomes.get(place).filter(|outcome| outcome.succeeded());
    let data = |place: usize| stated(place).map_or(&[][..], |outcome| &outcome.return_data);
    let short = |text: String| if text.len() > LONGEST_TEXT { String::new() } else { text };
    ExchangeToken {
        address,
        name: IERC20::nameCall::abi_decode_returns(data(0)).map(short).unwrap_or_default(),
        symbol: IERC20::symbolCall::abi_decode_returns(data(1)).map(short).unwrap_or_default(),
        decimals: IERC20::decimalsCall::abi_decode_returns_validate(data(2)).unwrap_or(USUAL_DECIMALS),
    }
}

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
    fn succeeded(&self) -> bool {
        self.status == "0x1"
    }

    fn units(&self) -> Option<U256> {
        U256::try_from_be_slice(self.return_data.get(..32)?)
    }
}

fn call(from: Address, to: Address, input: &impl SolCall) -> Value {
    let request = TransactionRequest::default().from(from).to(to).gas_limit(SIMULATED_GAS);
    json!(request.input(Bytes::from(input.abi_encode()).into()))
}
