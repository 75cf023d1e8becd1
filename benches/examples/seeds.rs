//! Starts a platform for every seed of a range, each from nothing, or has a given `slipway` check it completely:
//! `seeds 1 300` and `seeds 1 100 target/release/slipway`. Ends with 1 when a seed fails, and lists those that do.
use std::error::Error;
use std::io::{Write, stdout};
use std::process::{ExitCode, Stdio};
use std::time::Instant;

use slipway_sim::cache::CachePolicy;
use slipway_sim::clock::ClockMode;
use slipway_sim::{Config, Platform};
use tokio::process::Command;

const USAGE: &str = "usage: seeds FIRST LAST [SLIPWAY]";

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (first, last, program) = match arguments.as_slice() {
        [first, last] => (first, last, None),
        [first, last, program] => (first, last, Some(program)),
        _ => return Err(USAGE.into()),
    };
    let seeds = first.parse::<u64>()?..=last.parse::<u64>()?;
    if seeds.is_empty() {
        return Err(USAGE.into());
    }
    let (mut tried, mut failed) = (0_u64, Vec::new());
    for seed in seeds {
        let begun = Instant::now();
        let outcome = match program {
            Some(program) => check(program, seed).await,
            None => start(seed).await,
        };
        let seconds = begun.elapsed().as_secs_f64();
        match &outcome {
            Ok(()) => writeln!(stdout(), "seed {seed}: ok, {seconds:.1} s")?,
            Err(error) => writeln!(stdout(), "seed {seed}: FAILED: {error}")?,
        }
        tried += 1;
        failed.extend(outcome.err().map(|_| seed));
    }
    writeln!(stdout(), "{tried} seeds, {} failed: {failed:?}", failed.len())?;
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Deploys and seeds both chains, starts everything over them, and stops it.
async fn start(seed: u64) -> Result<(), Box<dyn Error>> {
    let config = Config { seed, cache: CachePolicy::Off, clock: ClockMode::Manual, ..Config::default() };
    let platform = Platform::start(config).await?;
    platform.stop().await;
    Ok(())
}

/// Runs every check against a platform of this seed.
async fn check(program: &str, seed: u64) -> Result<(), Box<dyn Error>> {
    let seed = seed.to_string();
    let output = Command::new(program)
        .args(["check", "--seed", &seed])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stdout)).into())
}
