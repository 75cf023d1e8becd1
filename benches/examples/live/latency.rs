//! How long answers take while nothing is mined and while both chains mine as fast as they can. Each question is sent at its time,
//! whether or not the one before is answered, and what it waits counts.
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use slipway_benches::http::{ANSWER, body_of, fetch, get, post};
use slipway_benches::process::{Failure, print_line, within};

use crate::Sides;
use crate::mining::Pace;

/// Questions of each kind in a second.
const RATE: u32 = 100;
/// Questions of each kind in a round.
const QUESTIONS: u32 = 300;

/// One question that is asked again and again.
#[derive(Clone, Debug)]
struct Question {
    name: &'static str,
    address: String,
    request: Vec<u8>,
    /// The answer that no trade of this market changes, if it is one.
    expected: Option<Vec<u8>>,
}

const PHASES: [(&str, Option<Pace>); 3] =
    [("idle", None), ("one trade a block", Some(Pace::Single)), ("100 trades a block", Some(Pace::Many))];

pub(crate) async fn measure(sides: &Sides, rounds: usize) -> Result<(), Failure> {
    let questions = questions(sides).await?;
    let mut times = vec![[const { Vec::new() }; 3]; questions.len()];
    let mut trades = [0; 3];
    for _ in 0..rounds {
        for (phase, (_, pace)) in PHASES.into_iter().enumerate() {
            let mining = pace.map(|pace| sides.market.at_full_speed(pace));
            let begin = Instant::now() + Duration::from_millis(200);
            let callers: Vec<_> = questions
                .iter()
                .enumerate()
                .map(|(place, question)| {
                    let question = question.clone();
                    // They ask one after the other, not at once.
                    let begin = begin + Duration::from_secs(1) / RATE / 8 * u32::try_from(place).unwrap_or(0);
                    thread::spawn(move || question.ask(begin))
                })
                .collect();
            for (place, caller) in callers.into_iter().enumerate() {
                times[place][phase].extend(caller.join().map_err(|_| "a caller panicked")??);
            }
            if let Some(mining) = mining {
                trades[phase] += mining.stop()?;
            }
            // What the last trades have left to do belongs to no other phase.
            tokio::time::sleep(Duration::from_millis(700)).await;
        }
    }
    let seconds = f64::from(QUESTIONS) / f64::from(RATE) * f64::from(u32::try_from(rounds)?);
    for (phase, (name, _)) in PHASES.into_iter().enumerate() {
        let rate = f64::from(u32::try_from(trades[phase])?) / seconds;
        print_line(&format!("{name}: {rate:.0} trades a second"));
    }
    for (question, times) in questions.iter().zip(&mut times) {
        for (phase, times) in times.iter_mut().enumerate() {
            times.sort();
            print_line(&format!(
                "{:18} {:20} median {:>9.1?}, 99 % {:>9.1?}, longest {:>9.1?}, {} answers",
                question.name,
                PHASES[phase].0,
                within(times, 50),
                within(times, 99),
                within(times, 100),
                times.len()
            ));
        }
        let idle = within(&times[0], 99).as_secs_f64();
        let beside = |phase: usize| within(&times[phase], 99).as_secs_f64() / idle;
        print_line(&format!("{:18} 99 % beside idle {:.2}, {:.2}", question.name, beside(1), beside(2)));
    }
    Ok(())
}

async fn questions(sides: &Sides) -> Result<Vec<Question>, Failure> {
    let quote = untouched_quote(sides).await?;
    let token = &sides.market.chains[0].token;
    fetch(&sides.bare.said, &post("/keep", &serde_json::from_slice(&quote.1)?)).await?;
    let question = |name, address: &str, target: &str, expected| Question {
        name,
        address: address.trim_start_matches("http://").to_owned(),
        request: get(target),
        expected,
    };
    let mut node = question("eth_getBalance", &sides.market.chains[0].node, "/", None);
    node.request = post("/", &sides.market.balance());
    Ok(vec![
        node,
        question("hyper", &sides.bare.said, "/quote", Some(quote.1.clone())),
        question("GET /api/quote", &sides.swap, &quote.0, Some(quote.1)),
        question("GET /api/tokens", &sides.rest, "/api/tokens", None),
        question("GET /api/token", &sides.rest, &format!("/api/token?address={token}"), None),
        question("GET /trade/<token>", &sides.rest, &format!("/trade/{token}"), None),
    ])
}

/// A quote that goes through no pair that is traded, and its answer: the same before and after trades.
async fn untouched_quote(sides: &Sides) -> Result<(String, Vec<u8>), Failure> {
    let pairs: serde_json::Value = serde_json::from_slice(&fetch(&sides.swap, &get("/api/pairs")).await?)?;
    let pairs = pairs.as_array().ok_or("no pairs")?;
    let mut quotes = Vec::new();
    for pair in pairs {
        let (one, other) =
            (crate::text(&pair["token0"]["address"])?, crate::text(&pair["token1"]["address"])?);
        let amount = crate::text(&pair["reserve0"])?.parse::<u128>()? / 10_000;
        let target = format!("/api/quote?tokenIn={one}&tokenOut={other}&amount={amount}&slippage=50");
        if sides.market.pair != [one, other]
            && let Ok(answer) = fetch(&sides.swap, &get(&target)).await
        {
            quotes.push((target, answer));
        }
    }
    sides.market.steadily(8, Duration::from_millis(20), async || Ok(())).await?;
    tokio::time::sleep(Duration::from_secs(1)).await;
    for (target, answer) in quotes {
        if fetch(&sides.swap, &get(&target)).await? == answer {
            return Ok((target, answer));
        }
    }
    Err("every quote is changed by the trades".into())
}

impl Question {
    /// Asks at every time of its rate; answers what each answer took from that time on.
    fn ask(&self, begin: Instant) -> Result<Vec<Duration>, Failure> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_nodelay(true)?;
        let mut buffer = vec![0; ANSWER];
        let mut times = Vec::new();
        for number in 0..QUESTIONS {
            let due = begin + Duration::from_secs(1) / RATE * number;
            thread::sleep(due.saturating_duration_since(Instant::now()));
            stream.write_all(&self.request)?;
            let mut filled = 0;
            let body = loop {
                let read = stream.read(&mut buffer[filled..])?;
                if read == 0 {
                    return Err("the server hung up".into());
                }
                filled += read;
                if let Some(body) = body_of(&buffer[..filled])?.filter(|body| filled >= body.end) {
                    break body;
                }
            };
            times.push(due.elapsed());
            if self.expected.as_ref().is_some_and(|expected| buffer[body] != expected[..]) {
                return Err(format!("{}: an answer is not the expected one", self.name).into());
            }
        }
        Ok(times)
    }
}
