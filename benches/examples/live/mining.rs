//! Trades on both chains, sent by the nodes themselves for one of the funded accounts: at a pace, or as fast as the nodes take them.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use alloy::primitives::{Address, U256, hex};
use alloy::sol_types::SolCall as _;
use serde_json::{Value, json};
use slipway_benches::http::{ANSWER, ask, connect, get, post, read_answer};
use slipway_benches::process::Failure;
use slipway_contracts::bindings::{CaptchaAuth, ILaunchHook, IUniswapV2Router02 as Router};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::runtime::Builder;

use crate::text;

/// What a trade pays, in wei: so little that no launch is full after a hundred thousand.
const PAID: u64 = 10_000_000_000_000;
/// Trades of a block where a block has many.
const BLOCK: usize = 100;

/// How trades are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// As fast as the nodes take them, one in a block.
    Single,
    /// As fast as the nodes take them, many in a block.
    Many,
}

/// One chain and the trades that are made on it, in turn.
#[derive(Clone, Debug)]
pub(crate) struct Trading {
    pub(crate) node: String,
    /// Who trades.
    from: String,
    trades: Vec<Value>,
    /// The launch that is traded.
    pub(crate) token: String,
}

/// What is traded on both chains.
#[derive(Clone, Debug)]
pub(crate) struct Market {
    pub(crate) chains: Vec<Trading>,
    /// The tokens of the one pair that is traded.
    pub(crate) pair: [String; 2],
}

impl Market {
    /// Launches a token on each chain, to be traded; on the chain of the exchange its first pair is traded too.
    pub(crate) async fn open(ready: &Value) -> Result<Self, Failure> {
        let (control, rest) = (text(&ready["controlUrl"])?, text(&ready["baseUrl"])?);
        let from = text(&ready["accounts"][5]["address"])?;
        let pairs = ask(&text(&ready["swapBaseUrl"])?, &get("/api/pairs")).await?;
        let pair = [text(&pairs[0]["token0"]["address"])?, text(&pairs[0]["token1"]["address"])?];
        let mut chains = Vec::new();
        for chain in ready["chains"].as_array().ok_or("no chains")? {
            let node = text(&chain["rpcUrl"])?;
            let launch = json!({
                "name": "Live", "ticker": "LIVE", "targetRaise": "5", "chainId": chain["chainId"],
            });
            let token = text(&ask(&control, &post("/_sim/launches", &launch)).await?["token"])?;
            let record = ask(&rest, &get(&format!("/api/token?address={token}"))).await?;
            let buy = ILaunchHook::buyCall {
                launchId: U256::from(record["launch_id"].as_u64().ok_or("a launch without a number")?),
                minTokensOut: U256::ZERO,
                auth: CaptchaAuth::default(),
            };
            let trade = |to: &Value, data: Vec<u8>| {
                json!({
                    "from": from, "to": to, "data": hex::encode_prefixed(data), "value": format!("{PAID:#x}"),
                    "gas": "0x6ddd0", "gasPrice": "0x77359400",
                })
            };
            let mut trades = vec![trade(&chain["hook"], buy.abi_encode())];
            if let Some(router) = chain["contracts"].get("UniswapV2Router02") {
                let swap = Router::swapExactETHForTokensCall {
                    amountOutMin: U256::ZERO,
                    path: pair.iter().map(|token| token.parse()).collect::<Result<Vec<Address>, _>>()?,
                    to: from.parse()?,
                    deadline: U256::from(u64::MAX),
                };
                trades.push(trade(router, swap.abi_encode()));
            }
            rpc(&mut connect(&node).await?, &call("anvil_impersonateAccount", &json!([from]))).await?;
            chains.push(Trading { node, from: from.clone(), trades, token });
        }
        Ok(Self { chains, pair })
    }

    /// A question to the node of the first chain that no contract has to run for.
    pub(crate) fn balance(&self) -> Value {
        call("eth_getBalance", &json!([self.chains[0].from, "latest"]))
    }

    /// Makes so many trades in turn on both chains, one every `pause`; answers when each was in its block.
    ///
    /// `mined` is told of each.
    pub(crate) async fn steadily(
        &self,
        trades: usize,
        pause: Duration,
        mut mined: impl AsyncFnMut() -> Result<(), Failure>,
    ) -> Result<Vec<Instant>, Failure> {
        let mut nodes = Vec::new();
        for chain in &self.chains {
            nodes.push(connect(&chain.node).await?);
        }
        let mut times = Vec::new();
        let mut tick = tokio::time::interval(pause);
        for number in 0..trades {
            tick.tick().await;
            let place = number % nodes.len();
            let number = number / nodes.len();
            self.chains[place].trade(&mut nodes[place], number).await?;
            times.push(Instant::now());
            mined().await?;
        }
        Ok(times)
    }

    /// Trades on both chains, on a thread of its own each, until it is stopped.
    pub(crate) fn at_full_speed(&self, pace: Pace) -> Mining {
        let (over, trades) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let threads = self.chains.iter().cloned().map(|chain| {
            let (over, trades) = (Arc::clone(&over), Arc::clone(&trades));
            thread::spawn(move || {
                let runtime = Builder::new_current_thread().enable_all().build()?;
                runtime.block_on(chain.mine(pace, &over, &trades))
            })
        });
        Mining { threads: threads.collect(), over, trades }
    }
}

impl Trading {
    async fn trade(&self, node: &mut TcpStream, number: usize) -> Result<(), Failure> {
        let trade = &self.trades[number % self.trades.len()];
        let receipt = rpc(node, &call("eth_sendTransactionSync", &json!([trade]))).await?;
        if receipt["result"]["status"] != "0x1" {
            return Err(format!("a trade failed: {receipt}").into());
        }
        Ok(())
    }

    /// How many transactions of the account are in blocks.
    async fn sent(&self, node: &mut TcpStream) -> Result<usize, Failure> {
        let count = rpc(node, &call("eth_getTransactionCount", &json!([self.from, "latest"]))).await?;
        Ok(usize::from_str_radix(text(&count["result"])?.trim_start_matches("0x"), 16)?)
    }

    async fn mine(&self, pace: Pace, over: &AtomicBool, trades: &AtomicUsize) -> Result<(), Failure> {
        let mut node = connect(&self.node).await?;
        let before = self.sent(&mut node).await?;
        if pace == Pace::Many {
            rpc(&mut node, &call("evm_setAutomine", &json!([false]))).await?;
        }
        let mut number = 0;
        while !over.load(Ordering::SeqCst) {
            if pace == Pace::Single {
                self.trade(&mut node, number).await?;
                number += 1;
                continue;
            }
            let calls = (0..BLOCK)
                .map(|number| call("eth_sendTransaction", &json!([self.trades[number % self.trades.len()]])));
            let sent = rpc(&mut node, &calls.collect()).await?;
            let is_hash = |answer: &Value| answer["result"].is_string();
            if !sent.as_array().is_some_and(|sent| sent.iter().all(is_hash)) {
                return Err(format!("trades were refused: {sent}").into());
            }
            rpc(&mut node, &call("evm_mine", &json!([]))).await?;
        }
        trades.fetch_add(self.sent(&mut node).await? - before, Ordering::SeqCst);
        if pace == Pace::Many {
            rpc(&mut node, &call("evm_setAutomine", &json!([true]))).await?;
            // A launch whose raise is complete would have refused them all.
            self.trade(&mut node, 0).await?;
        }
        Ok(())
    }
}

/// Trades that go on.
pub(crate) struct Mining {
    threads: Vec<JoinHandle<Result<(), Failure>>>,
    over: Arc<AtomicBool>,
    trades: Arc<AtomicUsize>,
}

impl Mining {
    /// Ends them; answers how many there were.
    pub(crate) fn stop(self) -> Result<usize, Failure> {
        self.over.store(true, Ordering::SeqCst);
        for thread in self.threads {
            thread.join().map_err(|_| "a thread that trades panicked")??;
        }
        Ok(self.trades.load(Ordering::SeqCst))
    }
}

fn call(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

async fn rpc(node: &mut TcpStream, call: &Value) -> Result<Value, Failure> {
    node.write_all(&post("/", call)).await?;
    let mut buffer = vec![0; ANSWER];
    let body = read_answer(node, &mut buffer).await?;
    Ok(serde_json::from_slice(&buffer[body])?)
}
