//! Connections that ask for a page every second, one after the other.
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use slipway_benches::chart::{Chart, named};
use slipway_benches::http::{ANSWER, connect, fetch, get, post, read_answer};
use slipway_benches::process::{Failure, ProcessorTime, Server, median, memory, print_line, within};
use tokio::io::AsyncWriteExt as _;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use crate::Sides;

const CALLERS: u32 = 1_000;
/// From one question of a caller to its next.
const PERIOD: Duration = Duration::from_secs(1);
/// Questions of each caller in a round.
const TURNS: u32 = 5;

/// One server and what its answers have cost.
#[derive(Debug)]
struct Side {
    name: &'static str,
    address: String,
    pid: u32,
    costs: Vec<f64>,
    /// KiB for each caller; of those after the first round the memory is there already.
    memory: Vec<f64>,
    times: Vec<Duration>,
}

pub(crate) async fn measure(sides: &Sides, rounds: usize) -> Result<(), Failure> {
    let page = format!("/api/token?address={}", sides.market.chains[0].token);
    // The same server on the runtime that the platform has.
    let threads = Server::start("threads")?;
    let mut figures = Vec::new();
    for (target, others) in [("/api/tokens", ""), ("/api/tokens", "?txCountMax="), (&page, "")] {
        let expected = Arc::new(fetch(&sides.rest, &get(target)).await?);
        let kept: Value = serde_json::from_slice(&expected)?;
        for server in [&sides.bare, &threads] {
            fetch(&server.said, &post("/keep", &kept)).await?;
        }
        let side = |name, address: &str, pid| Side {
            name,
            address: address.to_owned(),
            pid,
            costs: Vec::new(),
            memory: Vec::new(),
            times: Vec::new(),
        };
        let mut bare = side("hyper", &sides.bare.said, sides.bare.pid());
        let mut threaded = side("threads", &threads.said, threads.pid());
        let mut platform = side("platform", &sides.rest, sides.platform.pid());
        if fetch(&bare.address, &get(target)).await? != *expected {
            return Err("the bare server answers something else".into());
        }
        for _ in 0..rounds {
            bare.round(target, others, &expected).await?;
            threaded.round(target, others, &expected).await?;
            platform.round(target, others, &expected).await?;
        }
        let path = target.split('?').next().unwrap_or_default();
        print_line(&format!(
            "\n{path}{others}, {CALLERS} callers, {} bytes, {rounds} interleaved rounds",
            expected.len()
        ));
        for side in [&mut bare, &mut threaded, &mut platform] {
            side.print();
        }
        print_line(&format!(
            "processor time of an answer beside hyper's {:.2}",
            median(&platform.costs) / median(&bare.costs),
        ));
        let asked = if others.is_empty() { path.to_owned() } else { format!("{path}, never the same") };
        figures.push((format!("{asked}: hyper"), median(&bare.costs)));
        figures.push((format!("{asked}: platform"), median(&platform.costs)));
    }
    let title = format!("Polls of {CALLERS} callers, equal answers");
    Chart { name: "polls", title: &title, unit: "µs of processor an answer" }.bars(&named(&figures));
    Ok(())
}

impl Side {
    /// Every caller asks so and so often, where there are `others` never the same twice; every answer has to be the expected one.
    async fn round(&mut self, target: &str, others: &str, expected: &Arc<Vec<u8>>) -> Result<(), Failure> {
        let before = memory(self.pid)?;
        let mut streams = Vec::new();
        for _ in 0..CALLERS {
            streams.push(connect(&self.address).await?);
        }
        let begin = Instant::now() + Duration::from_millis(100);
        let mut callers = JoinSet::new();
        for (stream, number) in streams.into_iter().zip(0..) {
            let expected = Arc::clone(expected);
            let request = |turn| match others {
                "" => get(target),
                // More trades than any token has.
                others => get(&format!("{target}{others}{}", 1_000_000 + number * TURNS + turn)),
            };
            let requests = (0..TURNS).map(request).collect();
            callers.spawn(poll(stream, requests, expected, begin + PERIOD / CALLERS * number));
        }
        sleep_until(begin).await;
        let spent = ProcessorTime::of(self.pid)?;
        sleep_until(begin + PERIOD * TURNS).await;
        #[expect(clippy::cast_precision_loss, reason = "kibibytes of one process")]
        self.memory.push(memory(self.pid)?.saturating_sub(before) as f64 / f64::from(CALLERS));
        while let Some(caller) = callers.join_next().await {
            self.times.extend(caller??);
        }
        let spent = ProcessorTime::of(self.pid)?.since(&spent);
        self.costs.push(spent.as_secs_f64() * 1e6 / f64::from(CALLERS * TURNS));
        Ok(())
    }

    fn print(&mut self) {
        self.times.sort();
        print_line(&format!(
            "{:9} {:6.2} us of processor an answer, {:6.1} KiB a caller, {:?} an answer, 99 % {:?}; {} equal answers",
            self.name,
            median(&self.costs),
            self.memory[0],
            within(&self.times, 50),
            within(&self.times, 99),
            self.times.len(),
        ));
    }
}

async fn poll(
    mut stream: tokio::net::TcpStream,
    requests: Vec<Vec<u8>>,
    expected: Arc<Vec<u8>>,
    begin: Instant,
) -> Result<Vec<Duration>, Failure> {
    let mut times = Vec::new();
    let mut buffer = vec![0; ANSWER / 32];
    for (request, turn) in requests.iter().zip(0..) {
        sleep_until(begin + PERIOD * turn).await;
        let asked = Instant::now();
        stream.write_all(request).await?;
        let body = read_answer(&mut stream, &mut buffer).await?;
        if buffer[body] != expected[..] {
            return Err("an answer is not the expected one".into());
        }
        times.push(asked.elapsed());
    }
    Ok(times)
}
