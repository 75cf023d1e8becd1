//! The instruction counts of the benchmarks match the committed table. If SLIPWAY_WRITE is set, the table is rewritten. If counting or
//! comparing is impossible, the tests are skipped.
#![expect(clippy::unwrap_used, reason = "a test fails on the spot")]
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use serde::Deserialize;
use slipway_test_support::{Tool, skip};

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions.toml");
const INSTRUCTIONS: &str = env!("CARGO_BIN_EXE_instructions");
/// The function of that program whose instructions are counted.
const COUNTED: &str = "instructions::counted*";
/// Makes the C library copy memory in the one way that every processor supports, so that counts are the same on all of them.
const COPIES: &str =
    "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX2,-AVX2_Usable,-AVX,-ERMS,-FSRM,-SSSE3,-SSE4_2,-BMI2";
/// Allowed deviation from the committed count, in both directions.
const TOLERANCE_PERCENT: u64 = 2;
/// Does five percent more work than the other; its count is not in the table.
const PLANTED: (&str, &str) = ("curve_quote_planted", "curve_quote");
const RENEW: &str = "SLIPWAY_WRITE=1 cargo test --workspace --test instructions";

type Counts = BTreeMap<String, u64>;

/// What the counts depend on besides the source.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
struct Build {
    profile: String,
    rustc: String,
    target: String,
}

impl fmt::Display for Build {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "profile {}, rustc {}, target {}", self.profile, self.rustc, self.target)
    }
}

impl Build {
    /// The build of the counted program.
    fn of_this_run() -> Self {
        let output = Command::new("rustc").arg("-vV").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let line = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).unwrap().to_owned();
        let folder = Path::new(INSTRUCTIONS).parent().unwrap().file_name().unwrap().to_str().unwrap();
        Self {
            profile: if folder == "debug" { "dev" } else { folder }.to_owned(),
            rustc: line("release: "),
            target: line("host: "),
        }
    }
}

#[derive(Debug, Deserialize)]
struct Table {
    build: Build,
    counts: Counts,
}

impl Table {
    fn read() -> Self {
        toml::from_str(&std::fs::read_to_string(TABLE).unwrap()).unwrap()
    }

    fn write(&self) {
        let Build { profile, rustc, target } = &self.build;
        let mut text = format!(
            "# Instructions of each benchmark. Written by `{RENEW}`.\n\n[build]\nprofile = \"{profile}\"\n\
             rustc = \"{rustc}\"\ntarget = \"{target}\"\n\n[counts]\n"
        );
        for (name, count) in &self.counts {
            writeln!(text, "{name} = {count}").unwrap();
        }
        std::fs::write(TABLE, text).unwrap();
    }
}

/// Both sides of every comparison.
struct Run {
    committed: Counts,
    counted: Counts,
    planted: u64,
}

/// Counts once for all tests, or reports why nothing can be compared here.
fn run() -> Option<&'static Run> {
    static RUN: OnceLock<Result<Run, String>> = OnceLock::new();
    match RUN.get_or_init(compared) {
        Ok(run) => Some(run),
        Err(reason) => {
            skip(Tool::Valgrind, reason);
            None
        }
    }
}

fn compared() -> Result<Run, String> {
    let build = Build::of_this_run();
    let writes = std::env::var_os("SLIPWAY_WRITE").is_some();
    if !writes {
        let known = Table::read().build;
        if known != build {
            return Err(format!("instructions were counted with {known}; this is {build}: {RENEW}"));
        }
    }
    Tool::Valgrind.probe()?;
    let mut counted = count();
    let planted = counted.remove(PLANTED.0).unwrap();
    if writes {
        Table { build, counts: counted.clone() }.write();
    }
    Ok(Run { committed: Table::read().counts, counted, planted })
}

fn count() -> Counts {
    let listed = Command::new(INSTRUCTIONS).output().unwrap();
    let names = String::from_utf8(listed.stdout).unwrap();
    names.lines().map(|name| (name.to_owned(), counted(name))).collect()
}

/// The instruction count of one benchmark, from callgrind's output.
fn counted(name: &str) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let counts = folder.path().join("counts");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no"])
        .arg(format!("--toggle-collect={COUNTED}"))
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .args([INSTRUCTIONS, name])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("GLIBC_TUNABLES", COPIES)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(counts).unwrap();
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")).unwrap();
    total.parse().unwrap()
}

/// Whether a count is the committed one, within the tolerance.
fn judge(name: &str, committed: u64, counted: u64) -> Result<(), String> {
    if counted.abs_diff(committed) * 100 <= committed * TOLERANCE_PERCENT {
        return Ok(());
    }
    let percent = (counted as f64 / committed as f64 - 1.0) * 100.0;
    let remedy = if counted > committed { "where that is meant" } else { "to keep the gain" };
    Err(format!(
        "{name}: committed {committed}, counted {counted}: {percent:+.2} %, tolerance {TOLERANCE_PERCENT} %; {remedy}: {RENEW}"
    ))
}

#[test]
fn counts_are_the_committed_ones() {
    let Some(run) = run() else { return };
    let names = |counts: &Counts| counts.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&run.counted), names(&run.committed), "benchmarks and table: {RENEW}");
    let judged = run.counted.iter().map(|(name, counted)| judge(name, run.committed[name], *counted));
    let wrong: Vec<String> = judged.filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (name, counted) in &run.counted {
        assert!(*counted > 100_000, "{name}: {counted} instructions are too few to be compared");
    }
}

#[test]
fn five_percent_more_work_is_refused() {
    let Some(run) = run() else { return };
    let refused = judge(PLANTED.0, run.committed[PLANTED.1], run.planted).unwrap_err();
    assert!(refused.starts_with("curve_quote_planted: committed ") && refused.contains(": +"), "{refused}");
}

#[test]
fn tolerance_is_two_percent_above_and_below() {
    for within in [98_000, 100_000, 102_000] {
        assert_eq!(judge("any", 100_000, within), Ok(()));
    }
    let above = judge("any", 100_000, 102_001).unwrap_err();
    assert!(above.contains("any: committed 100000, counted 102001: +2.00 %"), "{above}");
    let below = judge("any", 100_000, 97_000).unwrap_err();
    assert!(below.contains("counted 97000: -3.00 %") && below.contains("SLIPWAY_WRITE=1"), "{below}");
}
