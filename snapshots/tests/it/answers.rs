//! One golden answer for each shape of the REST and the swap service, on the seeded market at its end.
use std::collections::BTreeMap;

use serde_json::Value;

use super::golden::Door::{self, Rest, Swap};
use super::golden::{Golden, Market};

/// `{name}` in a path is replaced with an address of the seeded market, see [`places`].
const CASES: &[(&str, Door, &str)] = &[
    ("list-newest", Rest, "/api/tokens"),
    ("list-live-by-market-cap", Rest, "/api/tokens?status=live&sortBy=mcap-high"),
    ("list-nothing-found", Rest, "/api/tokens?search=no-token-has-this-name"),
    ("list-bad-sort", Rest, "/api/tokens?sortBy=loudest"),
    ("list-bounds-upside-down", Rest, "/api/tokens?fundingMin=1&fundingMax=0"),
    ("owner", Rest, "/api/tokens/by-owner?owner={owner}&limit=2"),
    ("owner-missing", Rest, "/api/tokens/by-owner"),
    ("batch-by-get", Rest, "/api/tokens/batch?addresses={funding},{nobody},x"),
    ("recent", Rest, "/api/tokens/recent-v2?chainId=57073&limit=2"),
    ("recent-second-chain", Rest, "/api/tokens/recent-v2?chainId=4663&limit=2"),
    ("recent-no-chain", Rest, "/api/tokens/recent-v2"),
    ("token-funding", Rest, "/api/token?address={funding}"),
    ("token-live", Rest, "/api/token?address={live}"),
    ("token-unknown", Rest, "/api/token?address={nobody}"),
    ("eoti", Rest, "/api/eoti"),
    ("eoti-with-bid-data", Rest, "/api/eoti?includeBidData=true"),
    ("eoti-bad-flag", Rest, "/api/eoti?includeBidData=yes"),
    ("koti", Rest, "/api/koti"),
    ("stocks", Rest, "/api/stocks/quote-assets?chainId=4663"),
    ("stocks-none", Rest, "/api/stocks/quote-assets?chainId=57073"),
    ("stocks-no-chain", Rest, "/api/stocks/quote-assets"),
    ("list-first-version", Rest, "/api/tokens?search=LETTR"),
    ("capabilities", Rest, "/api/capabilities?chainId=57073"),
    ("capabilities-bad-chain", Rest, "/api/capabilities?chainId=1"),
    ("no-such-path", Rest, "/api/nothing"),
    ("swap-pairs", Swap, "/api/pairs"),
    ("swap-tokens", Swap, "/api/tokens"),
    (
        "quote-exact-in",
        Swap,
        "/api/quote?tokenIn={native}&tokenOut={listed}&amount=1000000000000000000&slippage=50",
    ),
    ("quote-exact-out", Swap, "/api/quote?tokenIn={native}&tokenOut={listed}&amountOut=1000000"),
    (
        "quote-wrap",
        Swap,
        "/api/quote?tokenIn={native}&tokenOut={wrapped}&amount=1&buildTx=true&userAddress={owner}",
    ),
    ("quote-both-amounts", Swap, "/api/quote?tokenIn={native}&tokenOut={listed}&amount=1&amountOut=1"),
    ("quote-no-route", Swap, "/api/quote?tokenIn={native}&tokenOut={nobody}&amount=1"),
];

#[tokio::test]
async fn every_shape_is_the_golden_one() {
    let market = Market::start().await;
    let places = places(&market).await;
    let mut golden = Golden::default();
    for &(id, client, path) in CASES {
        let answer = market.get(client, &filled(path, &places)).await;
        golden.add(id, &market.shown(&format!("GET {path}"), &answer));
    }
    golden.compare("answers");
    market.stop().await;
}

/// Addresses of the seeded market by their placeholder names.
async fn places(market: &Market) -> BTreeMap<&'static str, String> {
    let first = async |client, path, pointer: &str| {
        let answer = market.get(client, path).await.json().unwrap();
        let found = answer.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        found.unwrap_or_else(|| panic!("{path} has no {pointer}: {answer}"))
    };
    let wrapped = market.ready().chains[0].contracts["WETH9"].to_string();
    let swaps = market.get(Swap, "/api/tokens").await.json().unwrap();
    let listed = swaps.as_array().unwrap().iter().map(|token| token["address"].as_str().unwrap());
    let listed = listed.filter(|address| !address.eq_ignore_ascii_case(&wrapped)).min().unwrap().to_owned();
    BTreeMap::from([
        ("owner", first(Rest, "/api/tokens?sortBy=oldest", "/tokens/0/owner").await),
        ("funding", first(Rest, "/api/tokens?status=funding&sortBy=mcap-high", "/tokens/0/address").await),
        ("live", first(Rest, "/api/tokens?status=live&sortBy=mcap-high", "/tokens/0/address").await),
        ("native", format!("0x{:040}", 0)),
        ("nobody", format!("0x{}", "9".repeat(40))),
        ("wrapped", wrapped),
        ("listed", listed),
    ])
}

fn filled(path: &str, places: &BTreeMap<&str, String>) -> String {
    places.iter().fold(path.to_owned(), |path, (name, address)| path.replace(&format!("{{{name}}}"), address))
}
