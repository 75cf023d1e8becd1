//! `eth_feeHistory` (Ethereum execution API). A node answers it from a memory of the blocks that it has mined itself, so that it leaves out those
//! that it has loaded, and tells the fees of a later block as those of an earlier one.
use serde_json::{Value, json};
use tokio::time::timeout;

use super::archive::{numbered, silent};
use super::call::{Call, INVALID_PARAMS, Refused, SERVER_ERROR};
use super::forward::{self, Answer, Backend, CALL_LIMIT};
use super::rules::number;
use crate::chain::BlockFees;

/// The largest number of percentiles, the same as go-ethereum's.
const PERCENTILES: usize = 100;
/// The price of blob gas, in wei, on a chain without blob transactions (EIP-4844).
const BLOB_FEE: &str = "0x1";
/// The blocks that are the latest one, also as the next one: nothing of it is known before it is mined.
const LATEST: [&str; 4] = ["latest", "pending", "safe", "finalized"];

/// The parameters.
#[derive(Debug, PartialEq)]
struct Asked {
    count: u64,
    /// `None` for the latest block.
    newest: Option<u64>,
    percentiles: Option<Vec<f64>>,
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
            None | Some(Value::Null) => None,
            Some(list) => Some(serde_json::from_value(list.clone()).ok()?),
        };
        Some(Self { count, newest, percentiles: percentiles.filter(|list: &Vec<f64>| !list.is_empty()) })
    }

    fn check(&self) -> Result<(), Refused> {
        let list = self.percentiles.as_deref().unwrap_or_default();
        let is_sound = list.iter().all(|percentile| (0.0..=100.0).contains(percentile)) && list.is_sorted();
        if list.len() <= PERCENTILES && is_sound {
            return Ok(());
        }
        let message =
            format!("the percentiles are at most {PERCENTILES} numbers from 0 to 100 in ascending order");
        Err(Refused::new(INVALID_PARAMS, message))
    }
}

impl Backend {
    pub(super) async fn fee_history(&self, call: &Call) -> Result<Answer, Refused> {
        let Some(asked) = Asked::of(call) else { return self.ask_here(call).await };
        asked.check()?;
        let head = self.chain.head().await.map_err(|error| silent(&error))?.number;
        let newest = asked.newest.unwrap_or(head);
        if newest > head {
            let message = format!("block {newest} is beyond the latest block, {head}");
            return Err(Refused::new(SERVER_ERROR, message));
        }
        let oldest = (newest + 1).saturating_sub(asked.count);
        let read = timeout(CALL_LIMIT, async {
            let fees = self.chain.fees(oldest..newest + 1, asked.percentiles.is_some()).await?;
            let next = match newest == head {
                true => self.chain.next_fee().await?,
                false => self.chain.fees(newest + 1..newest + 2, false).await?[0].base_fee,
            };
            Ok((fees, next))
        });
        let read = read.await.map_err(|_| forward::silent(self.chain.id()))?;
        let (fees, next) = read.map_err(|error| silent(&error))?;
        let mut history = json!({
            "oldestBlock": format!("{oldest:#x}"),
            "baseFeePerGas": fees.iter().map(|block| block.base_fee).chain([next]).collect::<Vec<_>>(),
            "gasUsedRatio": fees.iter().map(|block| block.gas_used as f64 / block.gas_limit as f64).collect::<Vec<_>>(),
            "baseFeePerBlobGas": vec![BLOB_FEE; fees.len() + 1],
            "blobGasUsedRatio": vec![0.0; fees.len()],
        });
        if let Some(percentiles) = asked.percentiles {
            history["reward"] = fees.into_iter().map(|block| rewards(block, &percentiles)).collect();
        }
        Ok(call.result(history).into())
    }
}

/// What the transactions of a block paid above its base fee: for each percentile, the tip up to which that part of its gas was bought.
fn rewards(mut block: BlockFees, percentiles: &[f64]) -> Value {
    block.tips.sort_unstable();
    let mut rewards = Vec::with_capacity(percentiles.len());
    let mut paid = block.tips.iter();
    let (mut tip, mut bought) = paid.next().copied().unwrap_or_default();
    for percentile in percentiles {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a part of the gas, rounded down as go-ethereum does"
        )]
        let part = (block.gas_used as f64 * percentile / 100.0) as u64;
        while bought < part
            && let Some((next, gas)) = paid.next()
        {
            tip = *next;
            bought += gas;
        }
        rewards.push(tip);
    }
    json!(rewards)
}

#[cfg(test)]
mod tests {
    use alloy::primitives::U256;
    use serde_json::{Value, json};

    use super::super::call::{self, read};
    use super::{Asked, BlockFees, rewards};

    fn asked(params: &Value) -> Option<Asked> {
        let text = json!({ "method": "eth_feeHistory", "params": params, "id": 1 }).to_string();
        let Ok(call::Asked::One(call)) = read(text.as_bytes(), 1) else { panic!("{text}") };
        Asked::of(&call)
    }

    #[test]
    fn blocks_and_percentiles_are_read() {
        let of = |count, newest, percentiles| Some(Asked { count, newest, percentiles });
        assert_eq!(asked(&json!(["0x2", "latest", [1, 50.5]])), of(2, None, Some(vec![1.0, 50.5])));
        assert_eq!(asked(&json!([3, "earliest"])), of(3, Some(0), None));
        assert_eq!(asked(&json!(["0x2", "0x10", []])), of(2, Some(16), None));
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
        let block = |tips: &[(u64, u64)]| BlockFees {
            base_fee: U256::from(7),
            gas_used: tips.iter().map(|(_, gas)| gas).sum(),
            gas_limit: 30_000_000,
            tips: tips.iter().map(|(tip, gas)| (U256::from(*tip), *gas)).collect(),
        };
        let paid = block(&[(5, 29_000), (1, 21_000), (2, 50_000)]);
        assert_eq!(
            rewards(paid, &[0.0, 21.0, 21.5, 22.0, 71.0, 71.9, 100.0]),
            json!(["0x1", "0x1", "0x2", "0x2", "0x2", "0x5", "0x5"])
        );
        assert_eq!(rewards(block(&[]), &[10.0, 90.0]), json!(["0x0", "0x0"]));
    }
}
