//! Trades one after the other: `serial target/release/slipway 3000` makes each trade when the one before is mined and indexed, compares
//! the speed of the last 500 with that of the first, and tells what each cost the platform. Ends with an error when the
//! index has not every trade.
#[expect(dead_code, reason = "shared with the week, which uses all of it")]
#[path = "week/platform.rs"]
mod platform;

use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use slipway_benches::process::{Failure, ProcessorTime, within};

use platform::Platform;

const USAGE: &str = "usage: serial SLIPWAY TRADES, of at least 1000 trades";
/// Trades of each end that are compared.
const WINDOW: usize = 500;
/// What each trade pays, in the native coin.
const AMOUNT: &str = "0.0001";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, trades] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let trades: usize = trades.parse()?;
    if trades < 2 * WINDOW {
        return Err(USAGE.into());
    }
    let platform = Platform::start(Path::new(program), &[])?;
    let list = platform.get("/api/tokens", &[("status", "funding"), ("sortBy", "oldest")]).await?;
    let record = async |token: &str| platform.get("/api/token", &[("address", token)]).await;
    let mut token = None;
    for listed in list["tokens"].as_array().into_iter().flatten() {
        let address = listed["address"].as_str().ok_or("a token without an address")?;
        // The curve of the first version is searched on chain, which takes the node four times as long.
        if token.is_none() && record(address).await?["version"] == "v2" {
            token = Some(address.to_owned());
        }
    }
    let token = token.ok_or("no launch is open")?;
    let count = async || {
        let trades = record(&token).await?["txns_total"].as_u64();
        trades.ok_or_else(|| Failure::from("no number of trades"))
    };
    let nodes = platform.chains().count();
    let (before, spent) = (count().await?, ProcessorTime::of(platform.pid())?);
    let order = json!({ "token": token, "side": "buy", "amount": AMOUNT });
    let mut times = Vec::new();
    for _ in 0..trades {
        let begun = Instant::now();
        platform.order("/_sim/trades", &order).await?;
        times.push(begun.elapsed());
    }
    let spent = ProcessorTime::of(platform.pid())?.since(&spent);
    if count().await? != before + u64::try_from(trades)? {
        return Err("the index has not every trade".into());
    }
    let [first, last] =
        [&times[..WINDOW], &times[trades - WINDOW..]].map(|window| window.iter().sum::<Duration>());
    times.sort_unstable();
    let mut output = std::io::stdout();
    writeln!(output, "{trades} trades one after the other, {nodes} chains, every one indexed")?;
    writeln!(
        output,
        "speed of the last {WINDOW} beside the first {WINDOW}   {:.2} ({:.2} ms, {:.2} ms a trade)",
        first.as_secs_f64() / last.as_secs_f64(),
        last.as_secs_f64() * 1e3 / WINDOW as f64,
        first.as_secs_f64() * 1e3 / WINDOW as f64,
    )?;
    writeln!(
        output,
        "median {:?}, 99 % {:?}; processor time of the platform {:?} a trade",
        within(&times, 50),
        within(&times, 99),
        spent / u32::try_from(trades)?,
    )?;
    Ok(())
}
