//! A week of the platform's time at full speed: `week target/release/slipway 10000 1000000 --keep-blocks 8` launches and trades on both chains,
//! as many transactions in a block as fit, moved on by the clock of the control plane. Options after the numbers are those of `slipway up`.
//! Prints memory and speed of every day and each invariant at the end; ends with 1 when one does not hold.
mod invariants;
mod market;
#[expect(dead_code, reason = "shared with the checkpoints, which use the rest of it")]
mod platform;
mod tally;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use slipway_benches::chart::Chart;

use market::{Failure, Side};
use platform::Platform;

const USAGE: &str = "usage: week SLIPWAY LAUNCHES TRADES [OPTION OF UP]…";
const DAYS: usize = 7;
const DAY: u64 = 86_400;
/// Trades of each chain that share a block.
const TRADES_A_BLOCK: usize = 1_000;
/// Blocks of a day at least.
const BLOCKS_A_DAY: usize = 4;
/// One launch of so many graduates.
const GRADUATES: usize = 20;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<ExitCode, Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, launches, trades, options @ ..] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let (launches, trades): (usize, usize) = (launches.parse()?, trades.parse()?);
    let options: Vec<&str> =
        ["--market", "empty"].into_iter().chain(options.iter().map(String::as_str)).collect();
    let platform = Platform::start(Path::new(program), &options)?;
    let mut sides = Vec::new();
    for chain in platform.chains() {
        sides.push(Side::open(chain).await?);
    }
    print(&format!(
        "{launches} launches, {trades} trades, {} of each on each chain",
        1.0 / sides.len() as f64
    ))?;
    print("day  launches  trades     trades a second  platform MiB  nodes MiB")?;
    let begun = Instant::now();
    let mut grown: [Vec<(f64, f64)>; 2] = Default::default();
    for day in 0..DAYS {
        let share = |whole: usize| whole * (day + 1) / DAYS - whole * day / DAYS;
        let started = Instant::now();
        let done = live(&platform, &mut sides, share(launches), share(trades)).await?;
        let speed = done as f64 / started.elapsed().as_secs_f64();
        let memory = platform.memory()?;
        let (created, traded) = totals(&sides);
        for (line, kibibytes) in grown.iter_mut().zip([memory.platform, memory.nodes]) {
            line.push((traded as f64, kibibytes as f64 / 1024.0));
        }
        print(&format!(
            "{:<4} {created:<9} {traded:<10} {speed:<16.0} {:<13} {}",
            day + 1,
            memory.platform / 1024,
            memory.nodes / 1024
        ))?;
    }
    print(&format!("the week took {:.0} s", begun.elapsed().as_secs_f64()))?;
    let mut sound = true;
    for side in &sides {
        let (lines, holds) = invariants::judge(side, &platform).await?;
        for line in lines {
            print(&line)?;
        }
        sound &= holds;
    }
    if sound {
        let [ours, nodes] = grown;
        let title = format!("Memory of a week of {launches} launches, every invariant holds");
        let chart = Chart { name: "week", title: &title, unit: "MiB" };
        chart.lines("trades", &[("platform", ours), ("both nodes", nodes)]);
    }
    let memory = platform.memory()?;
    print(&format!(
        "memory afterwards: platform {} MiB, nodes {} MiB",
        memory.platform / 1024,
        memory.nodes / 1024
    ))?;
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One day: launches first, trades by the block, then fees and buybacks.
async fn live(
    platform: &Platform<'_>,
    sides: &mut [Side],
    launches: usize,
    trades: usize,
) -> Result<usize, Failure> {
    let before = totals(sides).1;
    let count = sides.len();
    let blocks = trades.div_ceil(TRADES_A_BLOCK * count).max(BLOCKS_A_DAY);
    for block in 0..blocks {
        let share = |whole: usize, place: usize| {
            let slots = blocks * count;
            let slot = block * count + place;
            whole * (slot + 1) / slots - whole * slot / slots
        };
        let mut made = Vec::new();
        for (place, side) in sides.iter_mut().enumerate() {
            for _ in 0..share(launches, place) {
                side.create()?;
            }
            side.trade(share(trades, place))?;
            for _ in 0..share(launches / GRADUATES, place) {
                side.graduate()?;
            }
            if block + 1 == blocks {
                side.collect()?;
            }
            made.push(side.send());
        }
        futures::future::try_join_all(made).await?;
        let next = DAY * (block as u64 + 1) / blocks as u64 - DAY * block as u64 / blocks as u64;
        let now = platform.advance(next).await?;
        futures::future::try_join_all(sides.iter_mut().map(|side| side.learn(now))).await?;
    }
    Ok(totals(sides).1 - before)
}

fn totals(sides: &[Side]) -> (usize, usize) {
    let launches = sides.iter().map(|side| side.tally.launches.len()).sum();
    (launches, sides.iter().map(|side| side.tally.trades).sum())
}

fn print(line: &str) -> Result<(), Failure> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}
