//! Readers of a platform whose chains are traded on, beside a server of the bare library that does the same: `live events`
//! measures 1,000 connections that are told of every block, `live polls` 1,000 that ask for a page every second, `live latency`
//! how long quotes and pages take while both chains mine as fast as they can; a number after it sets the rounds. No figure is
//! printed of answers or events that are not those that were expected.
mod bare;
mod events;
mod latency;
mod mining;
mod polls;

use std::process::ExitCode;

use serde_json::Value;
use slipway_benches::process::{Failure, Server, print_line, run, serve_platform};
use slipway_sim::Config;
use slipway_sim::clock::ClockMode;
use tokio::runtime::Builder;

use mining::Market;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let role = arguments.next().unwrap_or_default();
    let rounds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(5);
    let config = Config { clock: ClockMode::Manual, ..Config::default() };
    let alone = &mut Builder::new_current_thread();
    let done = match role.as_str() {
        "bare" => run(alone, bare::serve()),
        "threads" => run(&mut Builder::new_multi_thread(), bare::serve()),
        "platform" => run(&mut Builder::new_multi_thread(), serve_platform(config)),
        "events" => run(alone, with_sides(async |sides| events::measure(sides, rounds).await)),
        "polls" => run(alone, with_sides(async |sides| polls::measure(sides, rounds).await)),
        "latency" => run(alone, with_sides(async |sides| latency::measure(sides, rounds).await)),
        _ => Err("live events|polls|latency [ROUNDS]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_line(&format!("live: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// The platform, the bare server, and what trades.
struct Sides {
    platform: Server,
    bare: Server,
    rest: String,
    swap: String,
    market: Market,
}

async fn with_sides(measure: impl AsyncFnOnce(&Sides) -> Result<(), Failure>) -> Result<(), Failure> {
    let (platform, bare) = (Server::start("platform")?, Server::start("bare")?);
    let said: Value = serde_json::from_str(&platform.said)?;
    let ready = &said["ready"];
    let market = Market::open(ready).await?;
    let (rest, swap) = (text(&ready["baseUrl"])?, text(&ready["swapBaseUrl"])?);
    print_line(&format!("load {}", std::fs::read_to_string("/proc/loadavg")?.trim()));
    measure(&Sides { platform, bare, rest, swap, market }).await?;
    print_line(&format!("load {}", std::fs::read_to_string("/proc/loadavg")?.trim()));
    Ok(())
}

fn text(value: &Value) -> Result<String, Failure> {
    Ok(value.as_str().ok_or_else(|| format!("{value} is no text"))?.to_owned())
}
