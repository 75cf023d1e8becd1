//! Quotes and pages of the list, from one process or shared by several.
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::body::Bytes;
use slipway_test_support::up::Up;
use tokio::task::JoinSet;

use crate::client::{Ask, Connection, all};
use crate::fleet::{COMMON, Fleet, text, usage};
use crate::table::{Round, THROUGHPUT, print_head, print_line, print_row, rate, throughput};
use crate::{Failure, PROCESSES};

const CONNECTIONS: usize = 32;
const LENGTH: Duration = Duration::from_secs(2);
/// Different quotes asked for in turn.
const QUOTES: usize = 64;
const NATIVE: &str = "0x0000000000000000000000000000000000000000";

/// A read, and what the first process answers.
struct Read {
    ask: Ask,
    expected: Bytes,
}

/// The processes that a load is spread over, and what was measured of them.
struct Side {
    name: String,
    origins: Vec<String>,
    rounds: Vec<Round>,
}

/// Measures both kinds of read; answers whether every answer was that of the first process.
pub(crate) async fn measure(fleet: &Fleet<'_>, program: &Path, rounds: usize) -> Result<bool, Failure> {
    let alone = Up::start(program, &COMMON);
    let quotes = quotes(fleet).await?;
    let pages = pages(fleet).await?;
    let mut equal = true;
    for (title, service, reads) in [
        ("Quotes (`GET /api/quote`)", "swapBaseUrl", quotes),
        ("Pages of the list (`GET /api/tokens`)", "baseUrl", pages),
    ] {
        let reads = Arc::new(reads);
        let mut sides = vec![side("one, without a database", vec![text(&alone.ready[service])?.to_owned()])];
        for count in PROCESSES {
            let origins = (0..count).map(|place| fleet.address(place, service).map(str::to_owned));
            sides.push(side(&count.to_string(), origins.collect::<Result<_, _>>()?));
        }
        let mut different = 0;
        for _ in 0..rounds {
            for (place, side) in sides.iter_mut().enumerate() {
                let load = load(&side.origins, &reads);
                let (round, differing) =
                    if place == 0 { beside(&alone, load).await? } else { in_fleet(fleet, load).await? };
                side.rounds.push(round);
                different += differing;
            }
        }
        let answers: usize = sides.iter().flat_map(|side| &side.rounds).map(|round| round.done).sum();
        print_head(title, &[&["processes"], &THROUGHPUT[..]].concat())?;
        let one = rate(&sides[1].rounds);
        for side in &sides {
            print_row(&throughput(&side.name, &side.rounds, one))?;
        }
        let kinds = reads.len();
        print_line(&format!(
            "\n{answers} answers to {kinds} questions, {different} not equal to that of the first process; {CONNECTIONS} connections, {rounds} interleaved rounds"
        ))?;
        equal &= different == 0;
    }
    Ok(equal)
}

fn side(name: &str, origins: Vec<String>) -> Side {
    Side { name: name.to_owned(), origins, rounds: Vec::new() }
}

/// How many answers there were, and how many of them were not equal to those of the first process.
type Load = Result<(usize, usize), Failure>;

async fn in_fleet(fleet: &Fleet<'_>, load: impl Future<Output = Load>) -> Result<(Round, usize), Failure> {
    let mut different = 0;
    let round = fleet.round(async {
        let (answers, differing) = load.await?;
        different = differing;
        Ok(answers)
    });
    Ok((round.await?, different))
}

/// The same for a platform that shares nothing.
async fn beside(platform: &Up<'_>, load: impl Future<Output = Load>) -> Result<(Round, usize), Failure> {
    let pids = [platform.pid()];
    let (before, begun) = (usage(&pids, None)?, Instant::now());
    let (done, different) = load.await?;
    let took = begun.elapsed();
    Ok((Round { done, took, usage: usage(&pids, None)?.since(&before) }, different))
}

/// Callers ask all origins in turn until the time is over.
async fn load(origins: &[String], reads: &Arc<Vec<Read>>) -> Load {
    let end = Instant::now() + LENGTH;
    let mut callers = JoinSet::new();
    for caller in 0..CONNECTIONS {
        let mut connection = Connection::open(&origins[caller % origins.len()]).await?;
        let reads = Arc::clone(reads);
        callers.spawn(async move {
            let (mut answers, mut different) = (0, 0);
            for read in reads.iter().cycle().skip(caller) {
                if Instant::now() >= end {
                    break;
                }
                let answer = connection.ask(&read.ask).await?;
                answers += 1;
                different += usize::from(answer.status != 200 || answer.body != read.expected);
            }
            Ok((answers, different))
        });
    }
    let done = all(callers).await?;
    Ok(done.into_iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1)))
}

/// Quotes of many sizes between the listed tokens, as the first process answers them.
async fn quotes(fleet: &Fleet<'_>) -> Result<Vec<Read>, Failure> {
    let mut swap = Connection::open(fleet.address(0, "swapBaseUrl")?).await?;
    let pairs = swap.expect(&Ask::get("/api/pairs")).await?;
    let mut reads = Vec::new();
    for turn in 0..20_u32 {
        for pair in pairs.as_array().ok_or("no list of pairs")? {
            let amount = text(&pair["reserve0"])?.parse::<u128>()? / 10_000 * u128::from(turn + 1);
            let (token, other) = (text(&pair["token0"]["address"])?, text(&pair["token1"]["address"])?);
            let to = if turn % 2 == 0 { other } else { NATIVE };
            let ask =
                Ask::get(format!("/api/quote?tokenIn={token}&tokenOut={to}&amount={amount}&slippage=50"));
            if amount == 0 || reads.len() == QUOTES {
                continue;
            }
            let answer = swap.ask(&ask).await?;
            // Some tokens have no route.
            if answer.status == 200 {
                reads.push(Read { ask, expected: answer.body });
            }
        }
    }
    Ok(reads)
}

/// Every order of the list, page by page, as the first process answers them.
async fn pages(fleet: &Fleet<'_>) -> Result<Vec<Read>, Failure> {
    let mut rest = fleet.rest(0).await?;
    let mut reads = Vec::new();
    for order in ["newest", "oldest", "trending", "mcap-high", "mcap-low"] {
        for page in 1..=4 {
            let ask = Ask::get(format!("/api/tokens?sortBy={order}&page={page}"));
            let expected = rest.ask(&ask).await?;
            expected.json()?;
            reads.push(Read { ask, expected: expected.body });
        }
    }
    Ok(reads)
}
