//! Transactions built for a quote.
use super::*;

#[tokio::test]
async fn revert_and_unreachable_chain_are_distinguished() {
    let rest = format!("amount=1000000&buildTx=true&userAddress={USER}");
    let reason = "execution reverted: TransferHelper: TRANSFER_FROM_FAILED";
    let stand = Stand::new().await;
    let target = target(STABLE, MEADOW, &rest);
    stand.node.push_failure_msg(reason);
    let (status, body) = stand.get(&target).await;
    assert_eq!((status.as_u16(), &body["details"]), (500, &reason.into()));
    stand.node.push_failure_msg(reason);
    assert_eq!(stand.refused(&target).await, (500, "quote-gas"));
    // The node has no response left.
    assert_eq!(stand.refused(&target).await, (500, "chain-unreachable"));
}

/// The router charges two units for an output that costs one. Slippage allows for the second; without it the least input is sent.
#[tokio::test]
async fn exact_output_transaction_keeps_slippage() {
    let stand = Stand::new().await;
    let data =
        |body: &Value| body["transaction"]["data"].as_str().expect("text").parse::<Bytes>().expect("bytes");
    let build = format!("amountOut=1&buildTx=true&userAddress={USER}");
    stand.answers_gas();
    let body = stand.quote(CLAY, COPPER, &format!("{build}&slippage=1")).await;
    assert_eq!((&body["amountIn"], &body["maximumAmountIn"]), (&"1".into(), &"2".into()));
    let call =
        Exchange::swapTokensForExactTokensCall::abi_decode(&data(&body)).expect("the method's calldata");
    assert_eq!((call.amountOut, call.amountInMax), (U256::ONE, U256::from(2)));

    for rest in ["", "&slippage=0"] {
        stand.answers_gas();
        let body = stand.quote(CLAY, COPPER, &format!("{build}{rest}")).await;
        assert_eq!((&body["amountIn"], &body["maximumAmountIn"]), (&"1".into(), &"1".into()));
        let call =
            Exchange::swapExactTokensForTokensCall::abi_decode(&data(&body)).expect("the method's calldata");
        assert_eq!((call.amountIn, call.amountOutMin), (U256::ONE, U256::ONE));
    }
}
