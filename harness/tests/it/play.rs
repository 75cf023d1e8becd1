//! `slipway play`: every example, the output of a play that goes otherwise than expected, a running platform, and random plays.
mod random;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::{Running, command, expect_code};

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/plays");
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn example(name: &str) -> PathBuf {
    examples().into_iter().find(|path| path.ends_with(name)).unwrap()
}

/// The output of a play that must end with this code.
fn printed(options: &[&str], code: i32) -> String {
    String::from_utf8(expect_code(&[&["play"], options].concat(), code).stdout).unwrap()
}

#[test]
fn examples_play_as_expected() {
    for path in examples() {
        let played = printed(&[text(&path)], 0);
        assert!(played.trim_end().ends_with("all as expected; seed 1"), "{played}");
    }
}

/// Hashes, addresses and figures depend only on the file and the seed.
#[test]
fn equal_plays_and_seeds_have_equal_results() {
    let path = example("anti-snipe.toml");
    let played = printed(&[text(&path), "--seed", "5"], 0);
    assert_eq!(printed(&[text(&path), "--seed", "5"], 0), played);
    assert_ne!(printed(&[text(&path), "--seed", "6"], 0), played);
}

#[test]
fn a_step_that_is_not_as_expected_ends_the_play_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong.toml");
    let steps = [
        ("[[step]]\nby = \"a\"\nlaunch = { ticker = \"A\", prebuy = \"0.1\" }\n", "", ""),
        ("[[step]]\ntoken = \"A\"\nexpect = { holders = 2 }\n", "holders 2", "holders 1"),
        ("[[step]]\nby = \"a\"\ntoken = \"A\"\nexpect = { balance = 7 }\n", "balance 7 A", "balance "),
        ("[[step]]\nby = \"b\"\ntoken = \"A\"\nsell = 1\n", "no refusal", "InsufficientBalance()"),
        ("[[step]]\nby = \"b\"\ntoken = \"A\"\nbuy = 1\nfails = 404\n", "a refusal: 404", "tokens"),
        ("[[step]]\nby = \"b\"\ntoken = \"B\"\nbuy = 1\n", "one token with the ticker B", "0 of them"),
        ("[[step]]\nfault = { path = \"a\", effect = { cut = true } }\n", "no refusal", "400 path must"),
    ];
    for (step, expected, actual) in &steps[1..] {
        fs::write(&path, [steps[0].0, step, steps[0].0].concat()).unwrap();
        let played = printed(&[text(&path)], 1);
        let place = format!("not as expected, {}:4\n", path.display());
        assert!(played.contains(&place), "{played}");
        assert!(played.contains(&format!("   expected {expected}")), "{played}");
        let found = played.lines().find(|line| line.trim_start().starts_with("actual")).unwrap();
        assert!(found.contains(actual), "{played}");
        assert!(
            played.ends_with("step 2 was not as expected, 1 after it was not played; seed 1\n"),
            "{played}"
        );
    }
    let lines = printed(&[text(&path), "--json"], 1);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!((&lines[0]["asExpected"], &lines[1]["asExpected"]), (&true.into(), &false.into()));
    assert_eq!((&lines[1]["step"], &lines[1]["line"]), (&2.into(), &4.into()));
    assert_eq!((&lines[2]["steps"], &lines[2]["asExpected"]), (&3.into(), &1.into()));
}

/// A play on a running platform leaves its effects there; without a platform it reports that nothing answers.
#[test]
fn a_running_platform_is_played_on() {
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready.json");
    let path = example("reorg.toml");
    let running = Running::up(&["--market", "empty", "--no-trailing-blocks", "--ready-file", text(&ready)]);
    let attach = format!("--attach={}", text(&ready));
    printed(&[text(&path), &attach], 0);
    let again = folder.path().join("again.toml");
    fs::write(&again, "[[step]]\ntoken = \"BACK\"\nexpect = { holders = 0 }\n").unwrap();
    let mut around = command(&["play", text(&again), "--attach"]);
    assert!(around.env("SLIPWAY_READY", running.ready().to_string()).status().unwrap().success());
    let gone = running.ready().to_string();
    drop(running);
    let asked = |options: &[&str]| {
        let mut play = command(&[&["play", text(&again), "--attach"], options].concat());
        let output = play.env("SLIPWAY_READY", &gone).output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(asked(&[]).contains("SLIPWAY_READY names it: unset it, or give --port"));
    assert!(asked(&["--port", "1"]).contains("`slipway up --port 1`"), "the port decides");
    expect_code(&["play", text(&again), &attach], 3);
    expect_code(&["play", text(&again), &attach, "--seed", "2"], 2);
    expect_code(&["play", text(&folder.path().join("absent.toml"))], 2);
}
