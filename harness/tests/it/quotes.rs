//! The npm package of quotes in Node.js and in a browser: equal to the answers of `slipway quotes cases` to the unit, and small.
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use slipway_packages::Part;
use slipway_test_support::{Tool, need, times};
use tempfile::TempDir;

use crate::program::succeeds;

pub(crate) const KINDS: [&str; 6] = ["curve", "inverse", "v1", "swap", "route", "pool"];
pub(crate) const NEEDS: [Tool; 2] = [Tool::Wasm, Tool::Node];
/// Largest permitted size, unpacked.
const MOST_BYTES: u64 = 200_000;

/// Cases of each kind; a million over all kinds if `SLIPWAY_THOROUGH` is set.
pub(crate) fn count() -> u64 {
    times(3_400, 170_000)
}

/// The folder of its unpacked files.
pub(crate) fn unpacked() -> PathBuf {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let modules = folder.path().join("node_modules");
        fs::create_dir(&modules).unwrap();
        // They contain no program: who makes them alone builds none.
        let program = Some(Path::new("/nonexistent/slipway"));
        slipway_packages::make(folder.path(), program, &[Part::Quotes])
            .unwrap_or_else(|error| panic!("{error}"));
        let archive = folder.path().join(format!("slipway-quotes-{}.tgz", env!("CARGO_PKG_VERSION")));
        succeeds(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&modules));
        fs::rename(modules.join("package"), modules.join("slipway-quotes")).unwrap();
        folder
    });
    folder.path().join("node_modules/slipway-quotes")
}

/// The program that compares the quotes.
pub(crate) fn check() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/quotes/check.mjs")
}

/// Writes the cases of a kind, with their header, to a file.
pub(crate) fn vectors(kind: &str, folder: &Path) -> PathBuf {
    let path = folder.join(kind);
    let mut vectors = Command::new(env!("CARGO_BIN_EXE_slipway"));
    vectors
        .args(["quotes", "cases", kind, "--count", &count().to_string()])
        .stdout(File::create(&path).unwrap());
    succeeds(&mut vectors);
    path
}

#[test]
fn quotes_of_the_npm_package_are_no_unit_apart() {
    let Some(()) = need(&NEEDS) else { return };
    let folder = tempfile::tempdir().unwrap();
    for kind in KINDS {
        let mut compare = Command::new("node");
        compare.arg(check()).arg(unpacked().join("index.js"));
        let output = succeeds(compare.stdin(File::open(vectors(kind, folder.path())).unwrap()));
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said, format!("{} cases of {kind}, no unit apart\n", count()));
    }
}

/// The control: a difference of one unit is found.
#[test]
fn one_unit_apart_is_found() {
    let Some(()) = need(&NEEDS) else { return };
    let folder = tempfile::tempdir().unwrap();
    for (kind, case) in [
        ("swap", r#"{"reserveIn":"1000","reserveOut":"1000","amountIn":"100","amountOut":"91"}"#),
        (
            "inverse",
            r#"{"targetRaise":"1000000000000000000","gainBps":0,"sold":"0","netContributions":"0","amountOut":"1","cost":"2"}"#,
        ),
    ] {
        let path = folder.path().join(kind);
        fs::write(&path, format!("{{\"kind\":\"{kind}\"}}\n{case}\n")).unwrap();
        let mut compare = Command::new("node");
        compare.arg(check()).arg(unpacked().join("index.js")).stdin(File::open(path).unwrap());
        let output = compare.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains("Error: "), "{said}");
    }
}

#[test]
fn npm_package_of_quotes_is_small_and_names_its_contracts() {
    let Some(()) = need(&NEEDS) else { return };
    let folder = unpacked();
    let bytes: u64 =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
    assert!(bytes < MOST_BYTES, "{bytes} bytes");
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contracts/artifacts/manifest.json");
    let manifest: serde_json::Value = serde_json::from_slice(&fs::read(manifest).unwrap()).unwrap();
    let code = fs::read_to_string(folder.join("index.js")).unwrap();
    assert!(code.contains(&format!("CONTRACTS = {}", manifest["sources"]).replace('"', "'")), "{manifest}");
    let types = fs::read_to_string(folder.join("index.d.ts")).unwrap();
    for exported in code.lines().filter_map(|line| line.strip_prefix("export ")) {
        let name = exported.split(['(', ' ']).nth(1).unwrap();
        assert!(
            types.contains(&format!("export function {name}(")) || name == "CONTRACTS",
            "{name} has no type"
        );
    }
}

/// Runs the sample of the README, followed by an assertion.
#[test]
fn sample_of_the_quotes_runs_and_wrong_questions_are_refused() {
    let Some(()) = need(&NEEDS) else { return };
    let readme = fs::read_to_string(unpacked().join("README.md")).unwrap();
    let sample = readme.split("```js\n").nth(1).unwrap().split("```").next().unwrap();
    let script = format!(
        r"{sample}
import assert from 'node:assert'
import {{ poolQuote, sellQuote }} from 'slipway-quotes'
assert(amountOut > 0n && cost === 10n ** 16n && refund === 0n && out === 1594n)
assert.match(CONTRACTS, /^[0-9a-f]{{64}}$/)
assert.throws(() => pairQuote({{ reserveIn: 1000, reserveOut: 1n, amountIn: 1n }}), TypeError)
assert.throws(() => pairQuote({{ reserveIn: 1n << 128n, reserveOut: 1n, amountIn: 1n }}), RangeError)
assert.throws(() => pairQuote({{ reserveIn: -1n, reserveOut: 1n, amountIn: 1n }}), RangeError)
assert.throws(() => curveQuote({{ ...launch, sold: 10n ** 24n, amountIn: 1n }}), RangeError)
assert.throws(() => curveQuote({{ ...launch, gainBps: 200_001, amountIn: 1n }}), RangeError)
assert.throws(() => poolQuote({{ sqrtPriceX96: 0n, liquidity: 1n, zeroForOne: true, amountIn: 1n }}), RangeError)
assert.equal(sellQuote({{ ...launch, amountIn: 1n }}).amountOut, 0n)
assert.equal(pairQuote({{ reserveIn: 0n, reserveOut: 1n, amountIn: 1n }}), 0n)
"
    );
    let file = unpacked().ancestors().nth(2).unwrap().join("sample.mjs");
    fs::write(&file, script).unwrap();
    succeeds(Command::new("node").arg(file));
}
