//! One golden answer for each shape of the REST and the swap service, on the seeded market at its end.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use slipway_scenarios::door::http::{Answer, Ask, Http};
use slipway_sim::clock::ClockMode;
use slipway_sim::{Config, Platform};
use url::Url;

/// Headers that are part of an answer's shape; the rest is the transport's.
const HEADERS: [&str; 8] = [
    "content-type",
    "cache-control",
    "allow",
    "retry-after",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-service-image-storage",
];

/// Which service is asked.
#[derive(Clone, Copy)]
enum Door {
    Rest,
    Swap,
}
use Door::{Rest, Swap};

/// `{name}` in a path stands for an address of the seeded market, see [`places`].
const CASES: &[(&str, Door, &str)] = &[
    ("list-newest", Rest, "/api/tokens"),
    (
        "list-live-by-market-cap",
        Rest,
        "/api/tokens?status=live&sortBy=mcap-high",
    ),
    (
        "list-nothing-found",
        Rest,
        "/api/tokens?search=no-token-has-this-name",
    ),
    ("list-bad-sort", Rest, "/api/tokens?sortBy=loudest"),
    (
        "list-bounds-upside-down",
        Rest,
        "/api/tokens?fundingMin=1&fundingMax=0",
    ),
    ("owner", Rest, "/api/tokens/by-owner?owner={owner}&limit=2"),
    ("owner-missing", Rest, "/api/tokens/by-owner"),
    (
        "batch-by-get",
        Rest,
        "/api/tokens/batch?addresses={funding},{nobody},x",
    ),
    ("recent", Rest, "/api/tokens/recent-v2?chainId=57073&limit=2"),
    (
        "recent-second-chain",
        Rest,
        "/api/tokens/recent-v2?chainId=4663&limit=2",
    ),
    ("recent-no-chain", Rest, "/api/tokens/recent-v2"),
    ("token-funding", Rest, "/api/token?address={funding}"),
    ("token-live", Rest, "/api/token?address={live}"),
    ("token-unknown", Rest, "/api/token?address={nobody}"),
    ("eoti", Rest, "/api/eoti"),
    ("eoti-with-bid-data", Rest, "/api/eoti?includeBidData=true"),
    ("eoti-bad-flag", Rest, "/api/eoti?includeBidData=1"),
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
    (
        "quote-exact-out",
        Swap,
        "/api/quote?tokenIn={native}&tokenOut={listed}&amountOut=1000000",
    ),
    (
        "quote-wrap",
        Swap,
        "/api/quote?tokenIn={native}&tokenOut={wrapped}&amount=1&buildTx=true&userAddress={owner}",
    ),
    (
        "quote-both-amounts",
        Swap,
        "/api/quote?tokenIn={native}&tokenOut={listed}&amount=1&amountOut=1",
    ),
    (
        "quote-no-route",
        Swap,
        "/api/quote?tokenIn={native}&tokenOut={nobody}&amount=1",
    ),
];

#[tokio::test]
async fn every_shape_is_the_golden_one() {
    let config = Config {
        seed: 1,
        clock: ClockMode::Manual,
        ..Config::default()
    };
    let platform = Platform::start(config).await.unwrap();
    let places = places(&platform).await;
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../golden");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let _bound = settings.bind_to_scope();
    for &(id, door, path) in CASES {
        let answer = get(&platform, door, &filled(path, &places)).await;
        insta::assert_snapshot!(id, shown(path, &answer, &platform));
    }
    platform.stop().await;
}

/// A golden file that no case names would never be compared with anything.
#[test]
fn every_golden_file_belongs_to_a_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let cases: BTreeSet<String> = CASES.iter().map(|(id, ..)| format!("{id}.snap")).collect();
    assert_eq!(files, cases);
}

/// Addresses of the seeded market by the name that stands for them.
async fn places(platform: &Platform) -> BTreeMap<&'static str, String> {
    let first = async |door, path, pointer: &str| {
        let answer = get(platform, door, path).await.json().unwrap();
        let found = answer.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        found.unwrap_or_else(|| panic!("{path} has no {pointer}: {answer}"))
    };
    let wrapped = platform.ready().chains[0].contracts["WETH9"].to_string();
    let swaps = get(platform, Swap, "/api/tokens").await.json().unwrap();
    let listed = swaps
        .as_array()
        .unwrap()
        .iter()
        .map(|token| token["address"].as_str().unwrap());
    let listed = listed
        .filter(|address| !address.eq_ignore_ascii_case(&wrapped))
        .min()
        .unwrap()
        .to_owned();
    BTreeMap::from([
        (
            "owner",
            first(Rest, "/api/tokens?sortBy=oldest", "/tokens/0/owner").await,
        ),
        (
            "funding",
            first(
                Rest,
                "/api/tokens?status=funding&sortBy=mcap-high",
                "/tokens/0/address",
            )
            .await,
        ),
        (
            "live",
            first(
                Rest,
                "/api/tokens?status=live&sortBy=mcap-high",
                "/tokens/0/address",
            )
            .await,
        ),
        ("native", format!("0x{:040}", 0)),
        ("nobody", format!("0x{}", "9".repeat(40))),
        ("wrapped", wrapped),
        ("listed", listed),
    ])
}

fn filled(path: &str, places: &BTreeMap<&str, String>) -> String {
    places.iter().fold(path.to_owned(), |path, (name, address)| {
        path.replace(&format!("{{{name}}}"), address)
    })
}

async fn get(platform: &Platform, door: Door, path: &str) -> Answer {
    let ready = platform.ready();
    let origin = match door {
        Rest => &ready.base_url,
        Swap => &ready.swap_base_url,
    };
    let mut ask = Ask::get(&Url::parse(origin).unwrap(), "", &[]);
    ask.url = Url::parse(&format!("{origin}{path}")).unwrap();
    Http::new().unwrap().send(ask).await.unwrap()
}

/// The answer as text; the ports of this run are replaced by the names of their services.
fn shown(path: &str, answer: &Answer, platform: &Platform) -> String {
    let mut text = format!("GET {path}\n{}\n", answer.status.as_u16());
    for name in HEADERS {
        if let Some(value) = answer.header(name) {
            let _ = writeln!(text, "{name}: {value}");
        }
    }
    let body = answer.json().unwrap_or_else(|| json!(answer.excerpt()));
    let _ = write!(text, "\n{body:#}");
    let ready = platform.ready();
    text.replace(&ready.base_url, "{rest}")
        .replace(&ready.swap_base_url, "{swap}")
}
