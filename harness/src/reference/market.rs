//! `docs/how-to/market.md`: every member of a market file, from its schema, and examples that are read.
use std::fs;
use std::path::{Path, PathBuf};

use slipway_sim::{Config, MarketFile};
use slipway_test_support::is_current;

use super::settings::described_tables;
use crate::market_file::schema;

fn checkout(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn page() -> PathBuf {
    checkout("docs/how-to/market.md")
}

#[test]
fn page_describes_the_market_file() {
    let schema = schema();
    let row = |name: &str| &schema["$defs"][name];
    let tables = [
        ("The file", &schema),
        ("`[[launch]]`", row("LaunchRow")),
        ("A trade", row("TradeRow")),
        ("A message", row("ChatRow")),
        ("`[[draw]]`", row("DrawRow")),
        ("`[[asset]]`", row("AssetRow")),
        ("`[[pair]]`", row("PairRow")),
        ("`[[auction]]`", row("AuctionRow")),
        ("`[[referral]]`", row("ReferralRow")),
    ];
    is_current(&page(), "market", &described_tables(&schema, &tables));
}

/// The default market, the examples and those of the page fit the schema and can be made.
#[test]
fn examples_of_markets_are_read() {
    let folder = checkout("harness/examples/markets");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = files.chain([checkout("sim/src/market/default.toml")]);
    let mut texts: Vec<String> = files.map(|path| fs::read_to_string(path).unwrap()).collect();
    let page = fs::read_to_string(page()).unwrap();
    texts.extend(page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()));
    assert_eq!(texts.len(), 14);
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for text in texts {
        let value: serde_json::Value = toml::from_str(&text).unwrap();
        assert!(validator.is_valid(&value), "{text}: {:?}", validator.iter_errors(&value).next());
        let market = toml::from_str::<MarketFile>(&text).unwrap().into();
        Config { market, ..Config::default() }
            .check_market()
            .unwrap_or_else(|error| panic!("{error}: {text}"));
    }
}
