//! The lists of pairs and tokens.
use super::*;

#[tokio::test]
async fn pairs_are_listed_with_figures_from_their_reserves() {
    let stand = Stand::new().await;
    let (status, body) = stand.get("/api/pairs").await;
    assert_eq!(status, StatusCode::OK);
    let pairs = body.as_array().expect("a bare array");
    assert_eq!(pairs.len(), 7);
    let expected = [
        "pair_address",
        "token0",
        "token1",
        "reserve0",
        "reserve1",
        "liquidity_usd",
        "volume_24h",
        "apr",
        "fee_tier",
        "version",
        "daily_fees",
    ];
    assert_eq!(keys(&pairs[0]), expected);
    assert_eq!(
        pairs[0]["token0"],
        serde_json::json!({
            "address": STABLE.to_checksum(None), "symbol": "TA1", "decimals": 6,
        })
    );
    assert_eq!((&pairs[0]["reserve0"], &pairs[0]["fee_tier"]), (&"1200000000000".into(), &3_000.into()));
    // 400 coins of 3000 dollars on one side, as much on the other; one coin traded, three thousandths of it kept.
    let figure = |name: &str| pairs[0][name].as_f64().expect("a number");
    assert!((figure("liquidity_usd") - 2_400_000.0).abs() < 1e-6);
    assert!((figure("volume_24h") - 3_000.0).abs() < 1e-9);
    assert!((figure("daily_fees") - 9.0).abs() < 1e-9);
    assert!((figure("apr") - 0.136_875).abs() < 1e-9);
    for unpriced in [&pairs[3], &pairs[4]] {
        assert_eq!(unpriced["liquidity_usd"].as_f64(), Some(0.0));
    }
}

#[tokio::test]
async fn tokens_are_listed_with_prices_in_native_coins() {
    let stand = Stand::new().await;
    let (_, body) = stand.get("/api/tokens").await;
    let tokens = body.as_array().expect("a bare array");
    assert_eq!(keys(&tokens[0]), ["address", "name", "symbol", "decimals", "logoURI", "price_eth"]);
    let prices: Vec<_> = tokens.iter().map(|token| token["price_eth"].as_f64().expect("a number")).collect();
    let expected = [1.0 / 3_000.0, 1.0, 20.0, 1.0 / 1_500.0, 0.0, 0.0, 0.0, 0.0, 1.0 / 2_500.0];
    assert_eq!(prices.len(), expected.len());
    for (price, expected) in prices.iter().zip(expected) {
        assert!((price - expected).abs() <= expected * 1e-15, "{prices:?}");
    }
}
