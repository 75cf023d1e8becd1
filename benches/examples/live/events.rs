//! Connections that are told of every block.
use std::time::{Duration, Instant};

use slipway_benches::http::{connect, get};
use slipway_benches::process::{Failure, ProcessorTime, median, memory, print_line, within};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::Sides;
use crate::bare::EVENT;

const READERS: usize = 1_000;
/// Trades of a round, each in a block of its own.
const TRADES: usize = 150;
/// From one trade to the next.
const PAUSE: Duration = Duration::from_millis(33);
/// How long nothing is traded.
const QUIET: Duration = Duration::from_secs(3);
/// Events that have not come by then never will.
const PATIENCE: Duration = Duration::from_secs(10);

/// What one side has spent on its readers.
#[derive(Debug, Default)]
struct Side {
    name: &'static str,
    /// Microseconds of processor time for each event of each reader.
    costs: Vec<f64>,
    /// Milliseconds of processor time in a second without events.
    quiet: Vec<f64>,
    /// KiB for each reader; of those after the first round the memory is there already.
    memory: Vec<f64>,
    /// From the block to the last reader.
    delays: Vec<Duration>,
    events: usize,
}

/// Measures readers of all blocks, and readers of one token's messages too.
pub(crate) async fn measure(sides: &Sides, rounds: usize) -> Result<(), Failure> {
    let token = format!("/live?token={}", sides.market.chains[0].token);
    for target in ["/live", &token] {
        let mut bare = Side { name: "hyper", ..Side::default() };
        let mut platform = Side { name: "platform", ..Side::default() };
        for _ in 0..rounds {
            let alone = bare.round(sides, "/live", Duration::ZERO).await?;
            platform.round(sides, target, alone).await?;
        }
        let path = target.split('?').next().unwrap_or_default();
        let suffix = if path == target { "" } else { "?token=…" };
        print_line(&format!(
            "\n{path}{suffix}, {READERS} readers, {rounds} interleaved rounds of {TRADES} trades"
        ));
        for side in [&mut bare, &mut platform] {
            side.print();
        }
        print_line(&format!(
            "processor time of an event beside hyper's {:.2}",
            median(&platform.costs) / median(&bare.costs),
        ));
    }
    Ok(())
}

impl Side {
    /// Connects the readers and trades while they read; `alone` is what the same trades cost this side without readers.
    /// Answers what they have cost the platform, which has no readers in the rounds of the bare server.
    async fn round(&mut self, sides: &Sides, target: &str, alone: Duration) -> Result<Duration, Failure> {
        let is_bare = self.name == "hyper";
        let (address, server) =
            if is_bare { (&sides.bare.said, &sides.bare) } else { (&sides.rest, &sides.platform) };
        let before = memory(server.pid())?;
        let (stop, stopped) = watch::channel(false);
        let (read, mut reading) = watch::channel(0);
        let mut readers = JoinSet::new();
        for _ in 0..READERS {
            let reader = follow(address.clone(), target.to_owned(), read.clone(), stopped.clone());
            readers.spawn(reader);
            // As many at a time as a backlog holds.
            if readers.len() % 100 == 0 {
                let open = readers.len();
                timeout(PATIENCE, reading.wait_for(|read| *read >= open)).await??;
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "kibibytes of one process")]
        self.memory.push(memory(server.pid())?.saturating_sub(before) as f64 / 1_000.0);
        let spent = ProcessorTime::of(server.pid())?;
        sleep(QUIET).await;
        let quiet = ProcessorTime::of(server.pid())?.since(&spent);
        self.quiet.push(quiet.as_secs_f64() * 1e3 / QUIET.as_secs_f64());
        let (spent, of_platform) =
            (ProcessorTime::of(server.pid())?, ProcessorTime::of(sides.platform.pid())?);
        let mut bare = connect(&sides.bare.said).await?;
        let times = sides.market.steadily(TRADES, PAUSE, async || {
            if is_bare {
                bare.write_all(&get("/tick")).await?;
            }
            Ok(())
        });
        let times = times.await?;
        let all = timeout(PATIENCE, reading.wait_for(|read| *read >= READERS * (TRADES + 1))).await;
        let took = ProcessorTime::of(server.pid())?.since(&spent);
        let of_platform = ProcessorTime::of(sides.platform.pid())?.since(&of_platform);
        stop.send_replace(true);
        let mut read = Vec::new();
        while let Some(reader) = readers.join_next().await {
            read.push(reader??);
        }
        if all.is_err() {
            let least = read.iter().map(Vec::len).min().unwrap_or_default();
            print_line(&format!("{}: a reader had {least} of {} events", self.name, TRADES + 1));
        }
        self.note(&read, &times, took.saturating_sub(if is_bare { Duration::ZERO } else { alone }))?;
        Ok(of_platform)
    }

    /// Keeps the figures of a round in which every reader had every event.
    fn note(&mut self, read: &[Vec<Instant>], times: &[Instant], spent: Duration) -> Result<(), Failure> {
        let events: usize = read.iter().map(|times| times.len() - 1).sum();
        let count = u32::try_from(events)?;
        self.events += events;
        self.costs.push(spent.as_secs_f64() * 1e6 / f64::from(count));
        if read.iter().any(|read| read.len() != times.len() + 1) {
            return Ok(());
        }
        for (number, mined) in times.iter().enumerate() {
            let last = read.iter().map(|read| read[number + 1]).max().ok_or("no reader")?;
            self.delays.push(last.saturating_duration_since(*mined));
        }
        Ok(())
    }

    fn print(&mut self) {
        self.delays.sort();
        print_line(&format!(
            "{:9} {:6.2} us of processor an event, {:6.1} KiB a reader, {:6.1} ms a second while quiet, \
             to the last reader {:?}, 99 % {:?}; {} events read",
            self.name,
            median(&self.costs),
            self.memory[0],
            median(&self.quiet),
            within(&self.delays, 50),
            within(&self.delays, 99),
            self.events,
        ));
    }
}

/// Reads events until it is stopped, and compares every byte; answers when each event was there.
async fn follow(
    address: String,
    target: String,
    read_by_all: watch::Sender<usize>,
    mut stopped: watch::Receiver<bool>,
) -> Result<Vec<Instant>, Failure> {
    let expected = [format!("{:X}\r\n", EVENT.len()).as_bytes(), EVENT, b"\r\n"].concat();
    let mut stream = connect(&address).await?;
    stream.write_all(&get(&target)).await?;
    let (mut buffer, mut head, mut read) = (vec![0; 4096], Vec::new(), 0);
    let mut times = Vec::new();
    let mut is_open = false;
    loop {
        let count = tokio::select! {
            count = stream.read(&mut buffer) => count?,
            _ = stopped.changed() => return Ok(times),
        };
        let mut bytes = &buffer[..count];
        if !is_open {
            head.extend_from_slice(bytes);
            let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            let text = std::str::from_utf8(&head[..end])?;
            if !text.starts_with("HTTP/1.1 200") || !text.contains("text/event-stream") {
                return Err(format!("no events: {text}").into());
            }
            is_open = true;
            bytes = &head[end + 4..];
        } else if count == 0 {
            return Err("the server hung up".into());
        }
        let now = Instant::now();
        for byte in bytes {
            if *byte != expected[read] {
                return Err("an event has other bytes".into());
            }
            read += 1;
            if read == expected.len() {
                read = 0;
                times.push(now);
                read_by_all.send_modify(|read| *read += 1);
            }
        }
    }
}
