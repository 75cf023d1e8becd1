//! Five thousand answers of a node against the native quotes.
use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall;
use serde_json::{Map, Value, json};
use slipway_contracts::bindings::ILaunchHook;
use slipway_math_proofs::cases::{Case, Cases};
use slipway_math_proofs::evm::small;

use crate::local_chain::LocalChain;

const CALLS: usize = 5_000;

/// A call to a contract with these storage words in place of its own.
pub(crate) fn call_with_state(contract: Address, storage: &[(U256, U256)], call: &impl SolCall) -> Value {
    let words: Map<String, Value> = storage
        .iter()
        .map(|(slot, word)| (format!("{slot:#066x}"), json!(format!("{word:#066x}"))))
        .collect();
    let state: Map<String, Value> =
        [(contract.to_string(), json!({ "stateDiff": words }))].into_iter().collect();
    json!([{ "to": contract, "input": Bytes::from(call.abi_encode()) }, "latest", state])
}

#[tokio::test]
async fn quotes_match_eth_call() {
    let chain = LocalChain::start(1).await;
    let hook = chain.deployment.hook;
    let cases: Vec<Case> = Cases::new(0xca11).take(CALLS).collect();
    for part in cases.chunks(1_000) {
        let buys = part.iter().map(|case| {
            let call = ILaunchHook::previewBuyCall { launchId: U256::ONE, ethIn: U256::from(case.gross) };
            call_with_state(hook, &case.storage(), &call)
        });
        let sells = part.iter().map(|case| {
            let call = ILaunchHook::previewSellCall { launchId: U256::ONE, tokenAmount: case.tokens };
            call_with_state(hook, &case.storage(), &call)
        });
        let answers: Vec<Bytes> = chain.batch("eth_call", buys.chain(sells).collect()).await;
        let (buys, sells) = answers.split_at(part.len());
        for ((case, buy), sell) in part.iter().zip(buys).zip(sells) {
            let native = case.answers();
            let buy = ILaunchHook::previewBuyCall::abi_decode_returns(buy).unwrap();
            assert_eq!(
                [buy.tokensOut, buy.cost, buy.refund, buy.tokensRemaining].map(small),
                native.buy,
                "{case:?}"
            );
            let sell = ILaunchHook::previewSellCall::abi_decode_returns(sell).unwrap();
            assert_eq!(
                [sell.netPayout, sell.protocolFee, sell.creatorFee, sell.buybackFee].map(small),
                native.sell,
                "{case:?}"
            );
        }
    }
}
