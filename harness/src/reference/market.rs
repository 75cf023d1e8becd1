//! `docs/how-to/market.md`: every member of a market file, from its schema, and examples that are read.
use std::fs;
use std::path::{Path, PathBuf};

use slipway_sim::{Config, MarketFile};
use slipway_test_support::is_current;

use super::settings::described_tables;
use crate::files::market_file::{schema, with};

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

/// The default market, the example files and those on the page fit the schema and are valid.
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

#[test]
fn wrong_files_are_named_with_line_and_field() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("market.toml");
    for (text, parts) in [
        ("swaps = 1\nswap = 2", &[":2: ", "there is no field `swap`; did you mean `swaps`?"][..]),
        (
            "[[launch]]\nname = 'A'\nticket = 'A'",
            &[":3: ", "launch 1 has no field `ticket`", "did you mean `ticker`?"],
        ),
        ("[[launch]]\nname = 'A'\n[[launch]]\nname = 5", &[":4: ", "launch 2, name: ", "expected a string"]),
        ("[[launch]]\nraise = 1.5", &[":2: ", "launch 1, raise: ", "a decimal as text such as \"0.25\""]),
        ("[[launch]]\nage = '3 days'", &[":2: ", "launch 1, age: ", "such as \"90s\""]),
        ("[[launch]]\nprogress = -1", &[":2: ", "launch 1, progress: "]),
        ("[[pair]]\ntokens = ['A']", &[":2: ", "pair 1, tokens: "]),
        (
            "[[launch]]\nname = 'A'\nticker = 'B'\nraise = 9",
            &[":4: ", "launch 1 (B), raise: it is from 1 to 5"],
        ),
        (
            "[[launch]]\nname = 'A'\nticker = 'B'\ntrades = [\n  { by = 'a', to = 50 },\n  { by = 'a', to = 200 },\n]",
            &[":6: ", "launch 1 (B), trades 2, to: it is at most 100"],
        ),
        (
            "\n[[launch]]\nname = 'A'\nticker = 'B'\ntrades = [{ by = 'a', sell = 5 }]",
            &[":2: ", "launch 1 (B): "],
        ),
        ("[[launch]]\n\n[[launch]]", &[":1: ", "launch 1, name: it has 1 to 192 bytes"]),
        ("swaps = ", &[":1: "]),
    ] {
        fs::write(&path, text).unwrap();
        let error = with(Config::default(), &path).unwrap_err().to_string();
        assert!(!error.contains('\n') && error.contains("market.toml:"), "{error}");
        for part in parts {
            assert!(error.contains(part), "{part} is missing in {error}");
        }
    }
    fs::write(&path, "#".repeat((4 << 20) + 1)).unwrap();
    assert!(with(Config::default(), &path).unwrap_err().to_string().contains("cannot be read"));
    let absent = with(Config::default(), &folder.path().join("absent.toml")).unwrap_err().to_string();
    assert!(absent.contains("absent.toml cannot be read"), "{absent}");
}
