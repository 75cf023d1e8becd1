//! The swap service under load with all its middleware, compared with a bare hyper server and with the same quote by
//! `eth_call`: each in a separate process, in interleaved rounds. Prints figures only after the served quotes have been
//! found equal to the router's. `SECONDS` sets the length of a round; `BESIDE` lists other quote servers that already run,
//! as `NAME=PROCESS=URL`, separated by semicolons.
use slipway_contracts::ChainId;
use std::convert::Infallible;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use alloy::primitives::{Address, Bytes, U256, hex};
use alloy::sol_types::SolCall;
use http_body_util::Full;
use hyper::service::service_fn;
use hyper::{Request, Response, body};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use slipway_benches::http::{Connection, ask, get, post};
use slipway_benches::process::{
    Failure, ProcessorTime, Server, median, print_line, run, serve_platform, until_eof,
};
use slipway_contracts::bindings::IUniswapV2Router02 as Router;
use slipway_sim::Config;
use slipway_sim::clock::ClockMode;
use tokio::net::TcpListener;
use tokio::runtime;

const CONNECTIONS: usize = 32;
const ROUNDS: usize = 7;
/// Different quotes requested in turn.
const QUOTES: usize = 64;
const PRIMARY: u64 = ChainId::PRIMARY.0;
const NATIVE: &str = "0x0000000000000000000000000000000000000000";

fn main() -> ExitCode {
    let role = std::env::args().nth(1).unwrap_or_default();
    let done = match role.as_str() {
        "hello" => run(&mut runtime::Builder::new_current_thread(), bare_server()),
        "platform" => run(&mut runtime::Builder::new_multi_thread(), serve_platform(config())),
        "--list" | "--test" => Ok(()),
        _ => run(&mut runtime::Builder::new_current_thread(), measure()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_line(&format!("quote_load: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn config() -> Config {
    Config { clock: ClockMode::Manual, ..Config::default() }
}

/// The floor: a server with one constant answer.
async fn bare_server() -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    print_line(&listener.local_addr()?.to_string());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            stream.set_nodelay(true).ok();
            let answer = service_fn(async |_: Request<body::Incoming>| {
                Ok::<_, Infallible>(Response::new(Full::new(&b"hello"[..])))
            });
            tokio::spawn(
                hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), answer),
            );
        }
    });
    until_eof().await
}

/// One side of the comparison.
struct Contestant {
    name: String,
    address: String,
    /// Process whose processor time counts.
    pid: u32,
    requests: Vec<Vec<u8>>,
    rates: Vec<f64>,
    costs: Vec<f64>,
}

impl Contestant {
    fn new(name: &str, address: &str, pid: u32, requests: Vec<Vec<u8>>) -> Self {
        Self {
            name: name.to_owned(),
            address: address.trim_start_matches("http://").to_owned(),
            pid,
            requests,
            rates: Vec::new(),
            costs: Vec::new(),
        }
    }

    /// Loads the server for this long; records requests per second and microseconds of processor time per request.
    async fn round(&mut self, length: Duration) -> Result<(), Failure> {
        let (busy, start) = (ProcessorTime::of(self.pid)?, Instant::now());
        let mut tasks = Vec::new();
        for place in 0..CONNECTIONS {
            let requests = self.requests.clone();
            tasks.push(tokio::spawn(send_requests(self.address.clone(), requests, place, start + length)));
        }
        let mut answers = 0;
        for task in tasks {
            answers += task.await??;
        }
        let (took, busy) = (start.elapsed(), ProcessorTime::of(self.pid)?.since(&busy));
        self.rates.push(f64::from(answers) / took.as_secs_f64());
        self.costs.push(busy.as_secs_f64() * 1e6 / f64::from(answers));
        Ok(())
    }

    fn rate(&self) -> f64 {
        median(&self.rates)
    }

    fn cost(&self) -> f64 {
        median(&self.costs)
    }
}

async fn send_requests(
    address: String,
    requests: Vec<Vec<u8>>,
    place: usize,
    end: Instant,
) -> Result<u32, Failure> {
    let (mut connection, mut answers) = (Connection::open(&address).await?, 0);
    for request in requests.iter().cycle().skip(place) {
        if Instant::now() >= end {
            break;
        }
        match connection.ask(request).await? {
            (200, _) => answers += 1,
            (status, _) => return Err(format!("the server refused: {status}").into()),
        }
    }
    Ok(answers)
}

/// A quote as requested from the service and from the chain.
struct QuotePair {
    quote: Vec<u8>,
    call: Vec<u8>,
}

/// Quotes of many sizes between the listed tokens, each found equal to the router's answer for the same path.
async fn equal_quotes(swap: &str, node: &str) -> Result<Vec<QuotePair>, Failure> {
    let pairs = ask(swap, &get("/api/pairs")).await?;
    let mut twins = Vec::new();
    for turn in 0..20_u32 {
        for pair in pairs.as_array().ok_or("no list of pairs")? {
            let reserve: u128 = pair["reserve0"].as_str().unwrap_or_default().parse()?;
            let amount = reserve / 10_000 * u128::from(turn + 1);
            let token = pair["token0"]["address"].as_str().unwrap_or_default();
            let other = pair["token1"]["address"].as_str().unwrap_or_default();
            if amount == 0 || twins.len() == QUOTES {
                continue;
            }
            let to = if turn % 2 == 0 { other } else { NATIVE };
            let target = format!("/api/quote?tokenIn={token}&tokenOut={to}&amount={amount}&slippage=50");
            let quote = get(&target);
            // The wrapped coin, and tokens without a route to it, have no such quote.
            let Ok(served) = ask(swap, &quote).await else {
                continue;
            };
            if served["executionRate"] == "1" {
                continue;
            }
            let call = router_call(&served)?;
            let answer = ask(node, &call).await?;
            let data: Bytes = answer["result"].as_str().ok_or("the router reverted")?.parse()?;
            let amounts = Router::getAmountsOutCall::abi_decode_returns(&data)?;
            let expected = amounts.last().ok_or("no amounts")?.to_string();
            if served["amountOut"] != expected.as_str() {
                return Err(format!("{target}: {} is not {expected}", served["amountOut"]).into());
            }
            twins.push(QuotePair { quote, call });
        }
    }
    Ok(twins)
}

/// The same quote requested from the router by `eth_call`.
fn router_call(served: &Value) -> Result<Vec<u8>, Failure> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let path: Result<Vec<Address>, _> = served["path"]
        .as_array()
        .ok_or("a quote without a path")?
        .iter()
        .map(|token| text(token).parse())
        .collect();
    let data =
        Router::getAmountsOutCall { amountIn: text(&served["amountIn"]).parse::<U256>()?, path: path? };
    let call =
        json!({"to": served["metadata"]["routerAddress"], "data": hex::encode_prefixed(data.abi_encode())});
    Ok(post("/", &json!({"jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [call, "latest"]})))
}

/// Quote servers that the caller has started.
fn external_servers() -> Result<Vec<Contestant>, Failure> {
    let named = std::env::var("BESIDE").unwrap_or_default();
    let sides = named.split(';').filter(|side| !side.is_empty()).map(|side| {
        let (name, rest) = side.split_once('=').ok_or("NAME=PROCESS=URL")?;
        let (pid, url) = rest.split_once('=').ok_or("NAME=PROCESS=URL")?;
        let url = url.strip_prefix("http://").ok_or("a URL of plain HTTP")?;
        let (address, target) = url.split_once('/').unwrap_or((url, ""));
        Ok(Contestant::new(name, address, pid.parse()?, vec![get(&format!("/{target}"))]))
    });
    sides.collect()
}

async fn measure() -> Result<(), Failure> {
    let seconds = std::env::var("SECONDS").ok().and_then(|text| text.parse().ok());
    let length = Duration::from_secs_f64(seconds.unwrap_or(2.0));
    let (bare_server, platform) = (Server::start("hello")?, Server::start("platform")?);
    let said: Value = serde_json::from_str(&platform.said)?;
    let ready = &said["ready"];
    let swap = ready["swapBaseUrl"].as_str().ok_or("no swap service")?;
    let chains = ready["chains"].as_array().ok_or("no chains")?;
    let chain = chains.iter().find(|chain| chain["chainId"] == PRIMARY).ok_or("no primary chain")?;
    let node = chain["rpcUrl"].as_str().ok_or("no node")?;
    let twins = equal_quotes(swap, node).await?;
    if twins.len() < QUOTES {
        return Err(format!("only {} quotes could be compared", twins.len()).into());
    }
    let (quotes, calls): (Vec<_>, Vec<_>) = twins.into_iter().map(|twin| (twin.quote, twin.call)).unzip();
    let node_pid = said["nodes"][0].as_u64().ok_or("no process of the primary node")?;
    let mut sides = vec![
        Contestant::new("hyper hello", &bare_server.said, bare_server.pid(), vec![get("/")]),
        Contestant::new("GET /api/quote", swap, platform.pid(), quotes),
        Contestant::new("eth_call getAmountsOut", node, u32::try_from(node_pid)?, calls),
    ];
    sides.extend(external_servers()?);
    for _ in 0..ROUNDS {
        for side in &mut sides {
            side.round(length).await?;
        }
    }
    print_line(&format!(
        "{QUOTES} served quotes equal getAmountsOut, 0 apart; {CONNECTIONS} connections, medians of {ROUNDS} interleaved rounds"
    ));
    let (floor, quote) = (&sides[0], &sides[1]);
    for side in &sides {
        print_line(&format!(
            "{:24} {:9.0} requests a second  {:7.2} us of processor a request",
            side.name,
            side.rate(),
            side.cost()
        ));
    }
    print_line(&format!(
        "a quote is {:.2} of hello's rate at {:.2} of its processor time",
        quote.rate() / floor.rate(),
        quote.cost() / floor.cost(),
    ));
    for side in &sides[2..] {
        print_line(&format!("and {:.1} times the rate of {}", quote.rate() / side.rate(), side.name));
    }
    Ok(())
}
