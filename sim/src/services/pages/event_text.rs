//! Logs as events in words, decoded with the ABIs of the contracts; amounts stay in the smallest units.
use std::collections::HashMap;
use std::sync::LazyLock;

use alloy::dyn_abi::{DynSolValue, EventExt as _};
use alloy::hex;
use alloy::json_abi::{Event, JsonAbi};
use alloy::primitives::{B256, LogData};
use slipway_contracts::artifacts::abis;
use slipway_contracts::bindings::{IERC20, IPoolManager, IUniswapV2Factory, IUniswapV2Pair, IWETH9};

/// Every known event, by its topic and its number of topics: standards share names and differ in which fields are indexed.
static KNOWN: LazyLock<HashMap<(B256, usize), Event>> = LazyLock::new(|| {
    let own = abis().iter().flat_map(|(_, text)| {
        let abi: JsonAbi = serde_json::from_str(text).expect("committed ABIs parse");
        abi.events.into_values().flatten()
    });
    let published = [
        IERC20::abi::events(),
        IWETH9::abi::events(),
        IUniswapV2Factory::abi::events(),
        IUniswapV2Pair::abi::events(),
        IPoolManager::abi::events(),
    ];
    let published = published.into_iter().flat_map(|events| events.into_values().flatten());
    // Later entries win: our own contracts use the field names of the interface for events of the standards.
    published.chain(own).map(|event| ((event.selector(), topics(&event)), event)).collect()
});

fn topics(event: &Event) -> usize {
    1 + event.inputs.iter().filter(|input| input.indexed).count()
}

/// The name of an event and its fields; none when no known contract has such an event.
pub(super) fn decoded(log: &LogData) -> Option<(&'static str, Vec<(&'static str, String)>)> {
    let event = KNOWN.get(&(*log.topics().first()?, log.topics().len()))?;
    let values = event.decode_log(log).ok()?;
    let (mut indexed, mut body) = (values.indexed.iter(), values.body.iter());
    let fields = event.inputs.iter().map(|input| {
        let value = if input.indexed { indexed.next() } else { body.next() };
        (input.name.as_str(), value.map(text).unwrap_or_default())
    });
    Some((&event.name, fields.collect()))
}

fn text(value: &DynSolValue) -> String {
    match value {
        DynSolValue::Bool(flag) => flag.to_string(),
        DynSolValue::Int(number, _) => number.to_string(),
        DynSolValue::Uint(number, _) => number.to_string(),
        DynSolValue::FixedBytes(word, size) => hex::encode_prefixed(&word[..*size]),
        DynSolValue::Address(address) => address.to_checksum(None),
        DynSolValue::Function(function) => hex::encode_prefixed(function),
        DynSolValue::Bytes(bytes) => hex::encode_prefixed(bytes),
        DynSolValue::String(text) => text.clone(),
        DynSolValue::Array(values)
        | DynSolValue::FixedArray(values)
        | DynSolValue::Tuple(values)
        | DynSolValue::CustomStruct { tuple: values, .. } => {
            let values: Vec<String> = values.iter().map(text).collect();
            format!("[{}]", values.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, I256, LogData, U256, aliases::I24};
    use alloy::sol_types::SolEvent;
    use slipway_contracts::bindings::{IERC20, ILaunchHook, IPoolManager};

    use super::decoded;

    fn described(event: &impl SolEvent) -> (&'static str, Vec<(&'static str, String)>) {
        decoded(&event.encode_log_data()).unwrap()
    }

    #[test]
    fn events_are_told_with_every_field_in_order() {
        let account = Address::repeat_byte(0xab);
        let moved = IERC20::Transfer { from: Address::ZERO, to: account, amount: U256::MAX };
        let (name, fields) = described(&moved);
        assert_eq!(name, "Transfer");
        assert_eq!(fields[1].1, account.to_checksum(None));
        assert_eq!(fields[2].1, U256::MAX.to_string());
        let accrued = ILaunchHook::BuybackAccrued { launchId: U256::from(7), amount: U256::from(5) };
        assert_eq!(
            described(&accrued),
            ("BuybackAccrued", vec![("launchId", "7".into()), ("amount", "5".into())])
        );
        let less = IPoolManager::ModifyLiquidity {
            id: U256::ONE.into(),
            sender: account,
            tickLower: I24::MINUS_ONE,
            tickUpper: I24::ONE,
            liquidityDelta: I256::MINUS_ONE,
            salt: U256::ZERO.into(),
        };
        let (_, fields) = described(&less);
        assert_eq!(
            fields.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            ["id", "sender", "tickLower", "tickUpper", "liquidityDelta", "salt"]
        );
        assert_eq!((fields[2].1.as_str(), fields[4].1.as_str()), ("-1", "-1"));
        assert_eq!(fields[0].1, format!("0x{:064x}", 1));
    }

    #[test]
    fn other_logs_are_not_guessed() {
        assert_eq!(decoded(&LogData::empty()), None);
        let topics = vec![U256::from(9).into()];
        assert_eq!(decoded(&LogData::new_unchecked(topics, Default::default())), None);
    }
}
