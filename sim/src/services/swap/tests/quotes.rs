//! Quotes and refusals on the wire.
use super::*;

#[tokio::test]
async fn exact_input_quote_fields() {
    let stand = Stand::new().await;
    let body = stand.quote(WRAPPED, STABLE, "amount=1000000000000000000&slippage=100").await;
    let expected = [
        "amountIn",
        "amountOut",
        "minimumAmountOut",
        "executionRate",
        "spotRate",
        "path",
        "priceImpact",
        "lpFee",
        "metadata",
    ];
    assert_eq!(keys(&body), expected);
    assert_eq!(body["amountIn"], "1000000000000000000");
    assert_eq!(body["amountOut"], "2983563468");
    assert_eq!(body["minimumAmountOut"], "2953727833");
    assert_eq!(body["executionRate"], "2983563468000000000000");
    assert_eq!(body["spotRate"], "3000000000000000000000");
    assert_eq!(body["path"], names(&[WRAPPED, STABLE]));
    assert_eq!(body["priceImpact"], 0.005_478_844);
    assert_eq!(body["lpFee"], "3000000000000000");
    let metadata = serde_json::json!({
        "lpFeePercent": 0.003, "routerAddress": ROUTER.to_checksum(None), "slippageBps": 100,
    });
    assert_eq!(body["metadata"], metadata);
}

#[tokio::test]
async fn exact_output_quote_fields() {
    let stand = Stand::new().await;
    let body = stand.quote(WRAPPED, STABLE, "amountOut=2983563468").await;
    let amount_in = body["amountIn"].as_str().expect("text").to_owned();
    assert_eq!((&body["amountOut"], &body["maximumAmountIn"]), (&"2983563468".into(), &body["amountIn"]));
    assert!(body.get("minimumAmountOut").is_none() && body["metadata"].get("slippageBps").is_none());
    let forward = stand.quote(WRAPPED, STABLE, &format!("amount={amount_in}")).await;
    assert_eq!(forward["amountOut"], "2983563468");
    assert!(forward.get("minimumAmountOut").is_none());
    let bound = stand.quote(WRAPPED, STABLE, "amountOut=2983563468&slippage=10000").await;
    let twice = 2 * amount_in.parse::<u128>().expect("digits");
    assert_eq!(bound["maximumAmountIn"], twice.to_string());
}

#[tokio::test]
async fn multi_hop_fees_compound() {
    let stand = Stand::new().await;
    let body = stand.quote(NATIVE, MEADOW, "amount=1000000000000000000").await;
    assert_eq!(body["path"], names(&[WRAPPED, STABLE, MEADOW]));
    assert_eq!(
        (&body["metadata"]["lpFeePercent"], &body["lpFee"]),
        (&0.005_991.into(), &"5991000000000000".into())
    );
    let back = stand.quote(MEADOW, NATIVE, "amountOut=1000").await;
    assert_eq!(back["path"], names(&[MEADOW, STABLE, WRAPPED]));
    let three = stand.quote(GRANITE, MEADOW, "amount=1000").await;
    assert_eq!(three["path"], names(&[GRANITE, WRAPPED, STABLE, MEADOW]));
    assert_eq!(three["metadata"]["lpFeePercent"], 0.008_973_027);
}

#[tokio::test]
async fn wrapping_quotes_one_to_one() {
    let stand = Stand::new().await;
    let most = U256::MAX.to_string();
    for (token_in, token_out) in [(NATIVE, WRAPPED), (WRAPPED, NATIVE)] {
        for rest in [format!("amount={most}"), format!("amountOut={most}&buildTx=true&userAddress={USER}")] {
            let body = stand.quote(token_in, token_out, &rest).await;
            assert_eq!((&body["amountIn"], &body["amountOut"]), (&most.clone().into(), &most.clone().into()));
            assert_eq!((&body["executionRate"], &body["spotRate"]), (&"1".into(), &"1".into()));
            assert_eq!((body["priceImpact"].as_f64(), &body["lpFee"]), (Some(0.0), &"0".into()));
            assert_eq!(body["metadata"]["lpFeePercent"].as_f64(), Some(0.0));
            assert_eq!(body["path"], names(&[token_in, token_out]));
            assert!(body.get("transaction").is_none());
        }
    }
    let bounds = stand.quote(NATIVE, WRAPPED, "amount=10001&slippage=1").await;
    assert_eq!(bounds["minimumAmountOut"], "9999");
}

#[tokio::test]
async fn every_refusal_has_its_status_and_cause() {
    let stand = Stand::new().await;
    let beyond = format!("amount={}", u128::MAX);
    let beyond_everything = format!("amount={}", U256::MAX);
    let cases = [
        ("/api/quote".into(), (400, "quote-missing")),
        (target(NATIVE, STABLE, ""), (400, "quote-no-amount")),
        (target(NATIVE, STABLE, "amount=1&amountOut=1"), (400, "quote-both-amounts")),
        (target(NATIVE, STABLE, "amount=1&slippage=10001"), (400, "quote-slippage")),
        (target(NATIVE, STABLE, "amount=1&buildTx=true"), (400, "quote-user-address")),
        (target(NATIVE, NATIVE, "amount=1"), (400, "quote-same-token")),
        (target(STABLE, STABLE, "amount=1"), (400, "quote-same-token")),
        (target(NATIVE, ROUTER, "amount=1"), (500, "quote-unknown-token")),
        (target(NATIVE, ISLET, "amount=1000"), (500, "quote-no-route")),
        (target(NATIVE, KEEPER, "amount=1000"), (500, "quote-fee-on-transfer")),
        (target(KEEPER, STABLE, "amountOut=1000"), (500, "quote-fee-on-transfer")),
        (target(NATIVE, STABLE, "amountOut=1200000000000"), (500, "quote-liquidity")),
        (target(NATIVE, STABLE, "amount=1"), (500, "quote-liquidity")),
        (target(NATIVE, STABLE, &beyond), (500, "quote-liquidity")),
        (target(NATIVE, STABLE, &beyond_everything), (500, "quote-liquidity")),
        ("/api/nothing".into(), (404, "path")),
    ];
    for (target, expected) in cases {
        assert_eq!(stand.refused(&target).await, expected, "{target}");
    }
}
