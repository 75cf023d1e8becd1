//! `eth_feeHistory` (Ethereum execution API). A node answers it from a memory of the blocks that it has mined itself, so that it leaves out those
//! that it has loaded, and tells the fees of a later block as those of an earlier one.
use alloy::primitives::{U64, U128, U256};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::archive::{numbered, silent};
use super::call::{Call, INVALID_PARAMS, Refused, SERVER_ERROR};
use super::forward::{self, Answer, Backend, CALL_LIMIT};
use super::rules::number;
use crate::chain::Priced;

/// The largest number of percentiles, the same as go-ethereum's.
const PERCENTILES: usize = 100;
/// The price of blob gas, in wei, on a chain without blob transactions (EIP-4844).
const BLOB_FEE: &str = "0x1";
/// The tags of the latest block; also the one of the next block, of which nothing is known.
const LATEST: [&str; 4] = ["latest", "pending", "safe", "finalized"];

/// The parameters.
#[derive(Debug, PartialEq)]
struct Asked {
    count: u64,
    /// `None` for the latest block.
    newest: Option<u64>,
    percentiles: Vec<f64>,
}

impl Asked {
    /// `None` for parameters of another form.
    fn of(call: &Call) -> Option<Self> {
        let params = call.list()?;
        let count = number(params.first()?).filter(|count| *count > 0)?;
        let newest = params.get(1)?;
        let newest = match newest.as_str().filter(|tag| LATEST.contains(tag)) {
            Some(_) => None,
            None => Some(numbered(newest)?),
        };
        let percentiles = match params.get(2) {
            None => Vec::new(),
            Some(list) => serde_json::from_value(list.clone()).ok()?,
        };
        Some(Self { count, newest, percentiles })
    }

    fn check(&self) -> Result<(), Refused> {
        let list = &self.percentiles;
        let is_sound = list.iter().all(|percentile| (0.0..=100.0).contains(percentile)) && list.is_sorted();
        if list.len() <= PERCENTILES && is_sound {
            return Ok(());
        }
        let message =
            format!("the percentiles are at most {PERCENTILES} numbers from 0 to 100 in ascending order");
        Err(Refused::new(INVALID_PARAMS, message))
    }
}

#[derive(Deserialize)]
struct Receipts {
    result: Option<Vec<Receipt>>,
}

/// What a transaction paid.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Receipt {
    effective_gas_price: U128,
    gas_used: U64,
}

/// What a transaction paid above the base fee, in wei for a unit of gas, and the gas that it used.
type Tip = (U256, u64);

impl Backend {
    pub(super) async fn fee_history(&self, call: &Call) -> Result<Answer, Refused> {
        let Some(asked) = Asked::of(call) else { return self.ask_here(call).await };
        asked.check()?;
        let history = timeout(CALL_LIMIT, self.fees(call, &asked)).await;
        Ok(call.result(history.map_err(|_| forward::silent(self.chain.id()))??).into())
    }

    async fn fees(&self, call: &Call, asked: &Asked) -> Result<Value, Refused> {
        let failed = |error| silent(&error);
        let head = self.chain.head().await.map_err(failed)?.number;
        let newest = asked.newest.unwrap_or(head);
        if newest > head {
            let message = format!("block {newest} is beyond the latest block, {head}");
            return Err(Refused::new(SERVER_ERROR, message));
        }
        let oldest = (newest + 1).saturating_sub(asked.count);
        let mut blocks = self.chain.prices(oldest..head.min(newest + 1) + 1).await.map_err(failed)?;
        let mut fees: Vec<U256> = blocks.iter().map(|block| block.base_fee_per_gas).collect();
        if newest == head {
            fees.push(self.chain.next_fee().await.map_err(failed)?);
        } else {
            // It is the one after the newest.
            blocks.pop();
        }
        let gas = |gas: U256| gas.saturating_to::<u64>();
        let ratio = |block: &Priced| gas(block.gas_used) as f64 / gas(block.gas_limit) as f64;
        let mut history = json!({
            "oldestBlock": format!("{oldest:#x}"),
            "baseFeePerGas": fees,
            "gasUsedRatio": blocks.iter().map(ratio).collect::<Vec<_>>(),
            "baseFeePerBlobGas": vec![BLOB_FEE; blocks.len() + 1],
            "blobGasUsedRatio": vec![0.0; blocks.len()],
        });
        if !asked.percentiles.is_empty() {
            let mut paid = Vec::with_capacity(blocks.len());
            for (number, block) in (oldest..).zip(&blocks) {
                let tips = if block.gas_used.is_zero() {
                    Vec::new()
                } else {
                    self.tips(call, number, block).await?
                };
                paid.push(rewards(tips, gas(block.gas_used), &asked.percentiles));
            }
            history["reward"] = json!(paid);
        }
        Ok(history)
    }

    /// The tips of a block, from its receipts, which are read like those that a caller asks for: one block at a time, up to the limit.
    async fn tips(&self, call: &Call, number: u64, block: &Priced) -> Result<Vec<Tip>, Refused> {
        let asked = call.instead("eth_getBlockReceipts", &[format!("{number:#x}")]);
        let receipts = self.ask_here(&asked).await?;
        let Ok(Receipts { result: Some(receipts) }) = serde_json::from_slice(&receipts.text) else {
            return Err(Refused::new(SERVER_ERROR, format!("the chain has no block {number}")));
        };
        let tip = |paid: U128| U256::from(paid).saturating_sub(block.base_fee_per_gas);
        Ok(receipts.iter().map(|paid| (tip(paid.effective_gas_price), paid.gas_used.to())).collect())
    }
}

/// For each percentile, the tip up to which that part of the gas of a block was bought.
fn rewards(mut tips: Vec<Tip>, gas_used: u64, percentiles: &[f64]) -> Vec<U256> {
    tips.sort_unstable();
    let mut tips = tips.into_iter();
    let (mut tip, mut bought) = tips.next().unwrap_or_default();
    let mut rewards = Vec::with_capacity(percentiles.len());
    for percentile in percentiles {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a part of the gas, rounded down as go-ethereum does"
        )]
        let part = (gas_used as f64 * percentile / 100.0) as u64;
        while bought < part
            && let Some((next, gas)) = tips.next()
        {
            tip = next;
            bought += gas;
        }
        rewards.push(tip);
    }
    rewards
}

#[cfg(test)]
mod tests {
    use alloy::primitives::U256;
    use serde_json::{Value, json};

    use super::super::call::{self, read};
    use super::{Asked, rewards};

    fn asked(params: &Value) -> Option<Asked> {
        let text = json!({ "method": "eth_feeHistory", "params": params, "id": 1 }).to_string();
        let Ok(call::Asked::One(call)) = read(text.as_bytes(), 1) else { panic!("{text}") };
        Asked::of(&call)
    }

    #[test]
    fn blocks_and_percentiles_are_read() {
        let of = |count, newest, percentiles| Some(Asked { count, newest, percentiles });
        assert_eq!(asked(&json!(["0x2", "latest", [1, 50.5]])), of(2, None, vec![1.0, 50.5]));
        assert_eq!(asked(&json!([3, "earliest"])), of(3, Some(0), Vec::new()));
        assert_eq!(asked(&json!(["0x2", "0x10", []])), of(2, Some(16), Vec::new()));
        for wrong in
            [json!([]), json!(["0x0", "latest"]), json!(["0x1", "first"]), json!(["0x1", "latest", "x"])]
        {
            assert_eq!(asked(&wrong), None, "{wrong}");
        }
        for (percentiles, is_sound) in
            [(json!([0, 100]), true), (json!([50, 49]), false), (json!([-1]), false), (json!([100.5]), false)]
        {
            let asked = asked(&json!(["0x1", "latest", percentiles])).unwrap();
            assert_eq!(asked.check().is_ok(), is_sound, "{percentiles}");
        }
    }

    /// The values follow from the definition: of 100,000 gas, 21,000 were bought at tips of up to 1, 71,000 of up to 2, and all of up to 5.
    #[test]
    fn rewards_are_tips_up_to_a_part_of_the_gas() {
        let tips = [(5_u64, 29_000_u64), (1, 21_000), (2, 50_000)];
        let paid = tips.map(|(tip, gas)| (U256::from(tip), gas)).to_vec();
        assert_eq!(
            rewards(paid, 100_000, &[0.0, 21.0, 21.5, 22.0, 71.0, 71.9, 100.0]),
            [1, 1, 2, 2, 2, 5, 5].map(U256::from)
        );
        assert_eq!(rewards(Vec::new(), 0, &[10.0, 90.0]), [U256::ZERO; 2]);
    }
}
