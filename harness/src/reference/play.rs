//! `docs/how-to/play.md`: every member of a play file, from its schema, and examples that can be played.
use std::fs;
use std::path::{Path, PathBuf};

use slipway_test_support::is_current;

use super::page;
use super::settings::described_tables;
use crate::arguments::MarketArgument;
use crate::files::play_file::{WrittenPlay, schema};

const PAGE: &str = "../how-to/play.md";

#[test]
fn page_describes_the_play_file() {
    let schema = schema();
    let table = |name: &str| &schema["$defs"][name];
    let tables = [
        ("The file", &schema),
        ("`[[step]]`", table("StepRow")),
        ("A launch", table("LaunchTable")),
        ("A fault", table("FaultTable")),
        ("An effect", table("EffectTable")),
        ("An expectation", table("ExpectTable")),
    ];
    is_current(&page(PAGE), "play", &described_tables(&schema, &tables));
}

fn fits(text: &str) {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let value: serde_json::Value = toml::from_str(text).unwrap();
    assert!(validator.is_valid(&value), "{text}: {:?}", validator.iter_errors(&value).next());
}

/// The examples fit the schema, the page lists each, and the one on the page is an exact copy.
#[test]
fn examples_of_plays_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/plays");
    let text = fs::read_to_string(page(PAGE)).unwrap();
    let shown: Vec<&str> =
        text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let mut whole = 0;
    let files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 5);
    for path in files {
        let play = fs::read_to_string(&path).unwrap();
        fits(&play);
        WrittenPlay::read(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(text.contains(&format!("| `{name}` |")), "{name} is not on the page");
        whole += shown.iter().filter(|shown| **shown == play).count();
    }
    shown.into_iter().for_each(fits);
    assert_eq!(whole, 1);
}

/// An error in a file is reported with its line and its place.
#[test]
fn wrong_plays_are_refused_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("play.toml");
    let names = "a".repeat(101);
    for (text, reason) in [
        ("", "play.toml:1: it has no step; write [[step]]"),
        ("\n[[step]]\n", "play.toml:2: step 1: it does nothing; there are launch, buy, sell"),
        (
            "[[step]]\nwait = 1\njump = 2\n",
            "play.toml:3: step 1, jump: a step does one thing, and this one has wait",
        ),
        ("[[step]]\nwiat = 1\n", "play.toml:2: step 1 has no field `wiat`; did you mean `wait`?"),
        ("[[step]]\nwait = 0\n", "play.toml:2: step 1, wait: it is from 1 to 1000"),
        ("[[step]]\nreorg = 1001\n", "play.toml:2: step 1, reorg: it is from 1 to 1000"),
        (
            "[[step]]\nwait = 1\nchain = 1\n",
            "play.toml:3: step 1, chain: there is no chain 1; there are 57073 and 4663",
        ),
        ("[[step]]\nbuy = 1\ntoken = \"A\"\n", "play.toml:2: step 1, buy: `by` says which account it is"),
        ("[[step]]\nbuy = 1\nby = \"a\"\n", "play.toml:2: step 1, buy: `token` says which token it is"),
        ("[[step]]\njump = 1\nby = \"a\"\n", "play.toml:3: step 1, by: jump is done by no account"),
        ("[[step]]\njump = 1\ntoken = \"a\"\n", "play.toml:3: step 1, token: jump concerns no token"),
        ("[[step]]\njump = 1\nchain = 4663\n", "play.toml:3: step 1, chain: jump takes no chain here"),
        ("[[step]]\njump = 1\ncaptcha = true\n", "play.toml:3: step 1, captcha: jump is no trade"),
        (
            "[[step]]\nby = \"a\"\ntoken = \"A\"\nbuy = 0.5\n",
            "play.toml:4: step 1, buy: invalid type: floating point",
        ),
        ("[[step]]\nby = \"a\"\ntoken = \"A\"\nto = 101\n", "play.toml:4: step 1, to: it is at most 100"),
        (
            "[[step]]\nby = \"a\"\nlaunch = {}\n",
            "play.toml:3: step 1, launch: `ticker` says how later steps name it",
        ),
        (
            "[[step]]\nrevert = \"x\"\n",
            "play.toml:2: step 1, revert: there is no checkpoint \"x\" before it; there are none",
        ),
        (
            "[[step]]\ncheckpoint = \"x\"\n[[step]]\ncheckpoint = \"x\"\n",
            "play.toml:4: step 2, checkpoint: there is a checkpoint \"x\" already",
        ),
        ("[[step]]\ntoken = \"A\"\nexpect = {}\n", "play.toml:3: step 1, expect: it compares nothing"),
        (
            "[[step]]\ntoken = \"A\"\nexpect = { holders = 1 }\nfails = 404\n",
            "play.toml:4: step 1, fails: a refused read shows nothing: write expect = {}",
        ),
        ("[[step]]\nfault = { path = \"/a\" }\n", "play.toml:2: step 1, fault, effect: it is one of status"),
        (
            "[[step]]\nfault = { name = \"a/b\", path = \"/a\", effect = { cut = true } }\n",
            "play.toml:2: step 1, fault, name: 1 to 100 letters",
        ),
        (
            "[[step]]\nwait = 1\nfails = true\n",
            "play.toml:3: step 1, fails: the name of an error or a cause as text",
        ),
        ("accounts = { a = 10 }\n[[step]]\nwait = 1\n", "play.toml:1: accounts, a: it is from 0 to 9"),
        (
            "[[step]]\nby = \"LONG\"\nlaunch = { ticker = \"A\" }\n",
            "play.toml:2: step 1, by: a name has 1 to 100 characters",
        ),
    ] {
        fs::write(&path, text.replace("LONG", &names)).unwrap();
        let error = WrittenPlay::read(&path).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}, not {reason}");
        assert!(error.ends_with("; `slipway show schema play` prints its form"), "{error}");
    }
    fs::write(&path, "[[step]]\nwait = 1\n".repeat(10_001)).unwrap();
    let error = WrittenPlay::read(&path).unwrap_err().to_string();
    assert!(error.contains("step: there are 10001 steps; 10000 is the most"), "{error}");
    fs::write(&path, " ".repeat((4 << 20) + 1)).unwrap();
    let error = WrittenPlay::read(&path).unwrap_err().to_string();
    assert!(error.contains("it has more than 4 MiB"), "{error}");
}

/// A market is a known one, or a file next to the play.
#[test]
fn the_market_of_a_play_is_named_from_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("play.toml");
    for (line, file) in
        [("", None), ("market = \"default\"\n", None), ("market = \"m.toml\"\n", Some("m.toml"))]
    {
        fs::write(&path, format!("{line}[[step]]\nwait = 1\n")).unwrap();
        match (WrittenPlay::read(&path).unwrap().market().unwrap(), file) {
            (MarketArgument::Known(_), None) => {}
            (MarketArgument::File(found), Some(name)) => assert_eq!(found, folder.path().join(name)),
            other => panic!("{line}: {other:?}"),
        }
    }
    fs::write(&path, "\nmarket = \"1.5\"\n[[step]]\nwait = 1\n").unwrap();
    let error = WrittenPlay::read(&path).unwrap().market().unwrap_err().to_string();
    assert!(error.contains("play.toml:2: market: expected `empty`"), "{error}");
}
