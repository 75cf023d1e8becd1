//! Transactions that are built for a quote.
use super::*;

#[tokio::test]
async fn revert_and_unreachable_chain_are_distinguished() {
    let rest = format!("amount=1000000&buildTx=true&userAddress={USER}");
    let reason = "execution reverted: TransferHelper: TRANSFER_FROM_FAILED";
    let refusing = Stand::with_estimate(Err(GasError::WouldFail { reason: reason.into() })).await;
    let (status, body) = refusing.get(&target(STABLE, MEADOW, &rest)).await;
    assert_eq!((status.as_u16(), &body["details"]), (500, &reason.into()));
    assert_eq!(refusing.refused(&target(STABLE, MEADOW, &rest)).await, (500, "quote-gas"));
    let silent = Stand::with_estimate(Err(GasError::OutOfReach)).await;
    assert_eq!(silent.refused(&target(STABLE, MEADOW, &rest)).await, (500, "chain-unreachable"));
}

/// The router charges two units for what one buys. Slippage has room for the second; without it the least input is sent.
#[tokio::test]
async fn exact_output_transaction_keeps_slippage() {
    let stand = Stand::new().await;
    let asked =
        || stand.chain.calls.lock().expect("no test panics with it").pop().expect("the chain was asked");
    let build = format!("amountOut=1&buildTx=true&userAddress={USER}");
    let body = stand.quote(CLAY, COPPER, &format!("{build}&slippage=1")).await;
    assert_eq!((&body["amountIn"], &body["maximumAmountIn"]), (&"1".into(), &"2".into()));
    let call =
        Exchange::swapTokensForExactTokensCall::abi_decode(&asked().data).expect("the method's calldata");
    assert_eq!((call.amountOut, call.amountInMax), (U256::ONE, U256::from(2)));

    for rest in ["", "&slippage=0"] {
        let body = stand.quote(CLAY, COPPER, &format!("{build}{rest}")).await;
        assert_eq!((&body["amountIn"], &body["maximumAmountIn"]), (&"1".into(), &"1".into()));
        let call =
            Exchange::swapExactTokensForTokensCall::abi_decode(&asked().data).expect("the method's calldata");
        assert_eq!((call.amountIn, call.amountOutMin), (U256::ONE, U256::ONE));
    }
}
