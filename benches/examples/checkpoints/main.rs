//! Checkpoints of a market that has grown: `checkpoints target/release/slipway 50000 10000` trades and writes messages, then takes
//! checkpoints and goes back to them, beside bare anvil starts and beside what the nodes need for it alone, in interleaved rounds.
//! Prints medians; ends with an error when a revert does not bring everything back.
#[expect(dead_code, reason = "shared with the week, which uses all of it")]
#[path = "../week/market.rs"]
mod market;
#[expect(dead_code, reason = "shared with the week, which uses all of it")]
#[path = "../week/platform.rs"]
mod platform;
#[path = "../week/tally.rs"]
mod tally;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use alloy::primitives::{U256, keccak256};
use alloy::signers::SignerSync as _;
use alloy::signers::local::PrivateKeySigner;
use futures::future::try_join_all;
use serde_json::{Value, json};
use slipway_contracts::toolchain::{Toolchain, ToolchainOptions};
use slipway_scenarios::client::http::{Http, Request};
use url::Url;

use market::{Failure, Side, ask};
use platform::Platform;

const USAGE: &str = "usage: checkpoints SLIPWAY TRADES MESSAGES";
const LAUNCHES: usize = 80;
const TRADES_A_BLOCK: usize = 500;
const ROUNDS: usize = 15;
/// Messages that one sender may write before others do.
const SAID: usize = 5;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, trades, messages] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let tools = Toolchain::locate(&ToolchainOptions::from_environment(), &|_| {}).await?;
    let platform = Platform::start(Path::new(program), &["--market", "empty"])?;
    let mut sides = Vec::new();
    for chain in platform.chains() {
        sides.push(Side::open(chain).await?);
    }
    grow(&platform, &mut sides, trades.parse()?).await?;
    let token = format!("{:#x}", sides[0].tally.launches[&1].token);
    write(&platform, &token, messages.parse()?).await?;
    try_join_all(sides.iter().map(|side| ask::<_, Value>(&side.provider, "evm_setAutomine", (true,))))
        .await?;
    let measured = measure(&platform, &sides, &token, tools.anvil()).await?;
    measured.print(trades, messages)
}

/// Launches and trades, by the block.
async fn grow(platform: &Platform<'_>, sides: &mut [Side], trades: usize) -> Result<(), Failure> {
    let blocks = trades.div_ceil(TRADES_A_BLOCK * sides.len());
    for block in 0..=blocks {
        for side in sides.iter_mut() {
            if block == 0 {
                (0..LAUNCHES / 2).try_for_each(|_| side.create())?;
            } else {
                side.trade(TRADES_A_BLOCK.min(trades))?;
            }
            side.send().await?;
        }
        let now = platform.advance(60).await?;
        for side in sides.iter_mut() {
            side.learn(now).await?;
        }
    }
    Ok(())
}

async fn write(platform: &Platform<'_>, token: &str, messages: usize) -> Result<(), Failure> {
    for number in 0..messages {
        let captcha = platform.order("/_sim/captchas", &json!({})).await?;
        let captcha = captcha["token"].as_str().ok_or("no captcha")?;
        let signer = PrivateKeySigner::from_bytes(&keccak256((number / SAID).to_be_bytes()))?;
        let message = format!("message {number}");
        let signed = format!("Launch platform chat\nToken: {token}\nCaptcha: {captcha}\nMessage: {message}");
        let signature = signer.sign_message_sync(signed.as_bytes())?.to_string();
        platform
            .say(&json!({ "token": captcha, "tokenAddress": token, "message": message, "signature": signature }))
            .await?;
    }
    Ok(())
}

/// What was measured, each in every round.
#[derive(Default)]
struct Measured {
    bare: Vec<Duration>,
    call: Vec<Duration>,
    checkpoint: Vec<Duration>,
    snapshot: Vec<Duration>,
    revert: Vec<Duration>,
    node_revert: Vec<Duration>,
    blocks: Vec<Duration>,
    trade: Vec<Duration>,
    trade_after: Vec<Duration>,
}

async fn measure(
    platform: &Platform<'_>,
    sides: &[Side],
    token: &str,
    anvil: &Path,
) -> Result<Measured, Failure> {
    let mut measured = Measured::default();
    let chain = sides[0].chain_id;
    let order = json!({ "token": token, "side": "buy", "amount": "0.001", "chainId": chain });
    let buy = async || platform.order("/_sim/trades", &order).await;
    for _ in 0..ROUNDS {
        measured.bare.push(bare_start(anvil).await?);
        measured.call.push(timed(platform.now()).await?.0);
        buy().await?;
        measured.trade.push(timed(buy()).await?.0);
        let mine = async |side: &Side| {
            ask::<_, Value>(&side.provider, "evm_mine", ()).await?;
            ask::<_, Value>(&side.provider, "evm_mine", ()).await
        };
        measured.blocks.push(timed(try_join_all(sides.iter().map(mine))).await?.0);
        let take = async |side: &Side| ask::<_, U256>(&side.provider, "evm_snapshot", ()).await;
        let (took, snapshots) = timed(try_join_all(sides.iter().map(take))).await?;
        measured.snapshot.push(took);
        let go_back = sides.iter().zip(&snapshots);
        let go_back = go_back.map(|(side, id)| ask::<_, bool>(&side.provider, "evm_revert", (*id,)));
        measured.node_revert.push(timed(try_join_all(go_back)).await?.0);
        platform.advance(1).await?;
        let before = shown(platform, token).await?;
        let (took, made) = timed(platform.order("/_sim/checkpoints", &json!({}))).await?;
        measured.checkpoint.push(took);
        measured.trade_after.push(timed(buy()).await?.0);
        if shown(platform, token).await? == before {
            return Err("a trade changes nothing that is shown".into());
        }
        let path = format!("/_sim/checkpoints/{}/revert", made["id"]);
        measured.revert.push(timed(platform.order(&path, &json!({}))).await?.0);
        if shown(platform, token).await? != before {
            return Err("a revert does not bring everything back".into());
        }
    }
    Ok(measured)
}

/// What the service says of the traded token, of the list and of the messages.
async fn shown(platform: &Platform<'_>, token: &str) -> Result<[Value; 3], Failure> {
    Ok([
        platform.get("/api/token", &[("address", token)]).await?,
        platform.get("/api/tokens", &[]).await?,
        platform.get("/api/chat", &[("tokenAddress", token)]).await?,
    ])
}

async fn timed<T>(task: impl Future<Output = Result<T, Failure>>) -> Result<(Duration, T), Failure> {
    let begun = Instant::now();
    let answer = task.await?;
    Ok((begun.elapsed(), answer))
}

impl Measured {
    fn print(mut self, trades: &str, messages: &str) -> Result<(), Failure> {
        let bare = median(&mut self.bare);
        let mut output = std::io::stdout();
        writeln!(output, "{trades} trades, {messages} messages; medians of {ROUNDS} rounds")?;
        for (what, values) in [
            ("checkpoint of everything", &mut self.checkpoint),
            ("  evm_snapshot of both nodes alone", &mut self.snapshot),
            ("revert of everything", &mut self.revert),
            ("  evm_revert of both nodes alone", &mut self.node_revert),
            ("  two empty blocks of both nodes alone", &mut self.blocks),
            ("a call that does nothing", &mut self.call),
            ("a trade and its block", &mut self.trade),
            ("the first trade after a checkpoint", &mut self.trade_after),
        ] {
            let value = median(values);
            let ratio = value.as_secs_f64() / bare.as_secs_f64();
            writeln!(output, "{what:<42}{:>9.2} ms  {ratio:.2}", value.as_secs_f64() * 1_000.0)?;
        }
        Ok(writeln!(
            output,
            "{:<42}{:>9.2} ms",
            "bare anvil, start to first answer",
            bare.as_secs_f64() * 1_000.0
        )?)
    }
}

fn median(values: &mut [Duration]) -> Duration {
    values.sort_unstable();
    values[values.len() / 2]
}

/// A node that ends with this.
struct Bare(Child);

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// From the start of an anvil with its defaults to its first answer.
async fn bare_start(program: &Path) -> Result<Duration, Failure> {
    let begun = Instant::now();
    let mut node = Bare(Command::new(program).args(["--port", "0"]).stdout(Stdio::piped()).spawn()?);
    let output = BufReader::new(node.0.stdout.take().ok_or("no output")?);
    let mut lines = output.lines().map_while(Result::ok);
    let address = lines.find_map(|line| Some(line.strip_prefix("Listening on ")?.to_owned()));
    let origin = Url::parse(&format!("http://{}", address.ok_or("no address")?))?;
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": [] });
    let answer = Http::new()?.send(Request::post_json(&origin, "", &call)).await?;
    let took = begun.elapsed();
    if answer.json().is_none_or(|answer| answer["result"] != "0x7a69") {
        return Err("the bare node does not answer".into());
    }
    Ok(took)
}
