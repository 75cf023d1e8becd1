//! Transactions that are built for a quote.
use super::*;

#[tokio::test]
async fn transaction_method_matches_trade_kind() {
    let stand = Stand::new().await;
    let build = format!("&slippage=50&buildTx=true&userAddress={USER}");
    let cases = [
        (NATIVE, STABLE, "amount", Exchange::swapExactETHForTokensCall::SELECTOR, "1000000"),
        (STABLE, NATIVE, "amount", Exchange::swapExactTokensForETHCall::SELECTOR, "0"),
        (STABLE, MEADOW, "amount", Exchange::swapExactTokensForTokensCall::SELECTOR, "0"),
        (NATIVE, STABLE, "amountOut", Exchange::swapETHForExactTokensCall::SELECTOR, "maximumAmountIn"),
        (STABLE, NATIVE, "amountOut", Exchange::swapTokensForExactETHCall::SELECTOR, "0"),
        (STABLE, MEADOW, "amountOut", Exchange::swapTokensForExactTokensCall::SELECTOR, "0"),
    ];
    for (token_in, token_out, side, selector, value) in cases {
        let amount = if token_in == NATIVE && side == "amount" { "1000000000000" } else { "1000000" };
        let body = stand.quote(token_in, token_out, &format!("{side}={amount}{build}")).await;
        let transaction = &body["transaction"];
        assert_eq!(keys(transaction), ["from", "to", "data", "value", "gasPrice", "gas"]);
        let expected = match value {
            "0" => "0".into(),
            "maximumAmountIn" => body["maximumAmountIn"].clone(),
            _ => body["amountIn"].clone(),
        };
        assert_eq!(transaction["value"], expected);
        assert_eq!(transaction["from"], USER.to_checksum(None));
        assert_eq!(transaction["to"], ROUTER.to_checksum(None));
        assert_eq!((&transaction["gas"], &transaction["gasPrice"]), (&"120000".into(), &"7".into()));
        let asked =
            stand.chain.calls.lock().expect("no test panics with it").pop().expect("the chain was asked");
        assert_eq!(transaction["data"], asked.data.to_string());
        assert_eq!(asked.data[..4], selector);
    }
}

#[tokio::test]
async fn transaction_limits_follow_slippage_or_quote() {
    let stand = Stand::new().await;
    for (slippage, field) in [("&slippage=50", "minimumAmountOut"), ("", "amountOut")] {
        let rest = format!("amount=1000000{slippage}&buildTx=true&userAddress={USER}");
        let body = stand.quote(STABLE, MEADOW, &rest).await;
        let asked =
            stand.chain.calls.lock().expect("no test panics with it").pop().expect("the chain was asked");
        let call =
            Exchange::swapExactTokensForTokensCall::abi_decode(&asked.data).expect("the method's calldata");
        assert_eq!(call.amountOutMin.to_string(), body[field].as_str().expect("text"));
        assert_eq!((call.amountIn, call.to), (U256::from(1_000_000), USER));
        assert_eq!((call.path, call.deadline), (vec![STABLE, MEADOW], U256::from(NOW + 1_200)));
    }
}

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
