//! Several processes over one PostgreSQL: `replicas target/release/slipway 5` measures the processor time of a quote and of a page at one,
//! two and four processes compared with as many platforms without a database, and how soon the others show what one has acknowledged. The
//! number is the length of a round in seconds. Exits with 1 if two answers to the same request differ.
use std::collections::BTreeMap;
use std::iter::successors;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use alloy::hex;
use alloy::sol_types::SolCall as _;
use futures::future::try_join_all;
use serde_json::{Value, json};
use slipway_benches::http::{Connection, get, post};
use slipway_benches::process::{Failure, print_line};
use slipway_contracts::bindings::{CreateLaunchParams, ILaunchHook};
use slipway_test_support::database::Server;
use slipway_test_support::up::Up;
use tokio::task::JoinSet;

const ROUNDS: usize = 3;
const CALLERS: usize = 16;
const PROCESSES: [usize; 3] = [1, 2, 4];
/// Writes of each kind whose propagation to the other processes is measured.
const WRITES: usize = 200;
/// The clock is fixed, so that equal questions have equal answers; every caller has separate limits.
const COMMON: [&str; 3] = ["--clock", "fixed", "--trust-forwarded"];
/// Unit of the times in `/proc/PID/stat`.
const TICK: Duration = Duration::from_millis(10);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, seconds] = arguments.as_slice() else {
        return Err("usage: replicas SLIPWAY SECONDS".into());
    };
    let (program, length) = (Path::new(program), Duration::from_secs(seconds.parse()?));
    let (database, folder) = (Server::synced().await, tempfile::tempdir()?);
    let (url, file) = (database.url(), folder.path().join("ready.json").display().to_string());
    let start =
        |option: &str| Up::start(program, &[&COMMON[..], &["--database-url", &url, option, &file]].concat());
    let separate: Vec<Up<'_>> = (0..PROCESSES[2]).map(|_| Up::start(program, &COMMON)).collect();
    let mut fleet = vec![start("--ready-file")];
    fleet.extend((1..PROCESSES[2]).map(|_| start("--attach")));
    let mut equal = true;
    let first = &separate[0];
    for (title, service, targets) in
        [("a quote", "swapBaseUrl", quotes(first).await?), ("a page", "baseUrl", pages())]
    {
        // Each is compared with as many without a database, because more processes than cores have a cost by themselves.
        let mut sides: Vec<(Vec<&Up>, Option<u32>)> = Vec::new();
        for count in PROCESSES {
            sides.push((separate[..count].iter().collect(), None));
            sides.push((fleet[..count].iter().collect(), Some(database.pid())));
        }
        let expected = Arc::new(expected(first, service, targets).await?);
        let mut spent = vec![Vec::new(); sides.len()];
        for _ in 0..ROUNDS {
            for ((processes, database), spent) in sides.iter().zip(&mut spent) {
                let pids: Vec<u32> = processes.iter().map(|up| up.pid()).collect();
                let before = usage(&pids, *database)?;
                let (answers, differing) = load(processes, service, &expected, length).await?;
                spent.push((usage(&pids, *database)? - before).as_secs_f64() * 1e6 / f64::from(answers));
                equal &= differing == 0;
            }
        }
        spent.iter_mut().for_each(|rounds| rounds.sort_by(f64::total_cmp));
        for (pair, rounds) in sides.chunks(2).zip(spent.chunks(2)) {
            let [separate, shared] = [&rounds[0], &rounds[1]].map(|rounds| rounds[ROUNDS / 2]);
            print_line(&format!(
                "{title}, {} over one database: {shared:.1} µs of processor, {:.2} of the {separate:.1} µs of as many without",
                pair[0].0.len(),
                shared / separate
            ));
        }
    }
    visibility(&fleet).await?;
    print_line(if equal { "all answers are equal" } else { "ANSWERS DIFFER" });
    Ok(if equal { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn origin<'a>(up: &'a Up, service: &str) -> Result<&'a str, Failure> {
    up.ready[service].as_str().ok_or_else(|| format!("no {service}").into())
}

/// Quotes of many sizes between tokens that have a route.
async fn quotes(up: &Up<'_>) -> Result<Vec<String>, Failure> {
    let mut swap = Connection::open(origin(up, "swapBaseUrl")?).await?;
    let pairs: Value = serde_json::from_slice(swap.ask(&get("/api/pairs")).await?.1)?;
    let mut targets = Vec::new();
    for turn in 1..=8_u128 {
        for pair in pairs.as_array().ok_or("no list of pairs")? {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let amount = text(&pair["reserve0"]).parse::<u128>()? / 10_000 * turn;
            let (token, other) = (text(&pair["token0"]["address"]), text(&pair["token1"]["address"]));
            let target = format!("/api/quote?tokenIn={token}&tokenOut={other}&amount={amount}&slippage=50");
            if amount > 0 && swap.ask(&get(&target)).await?.0 == 200 {
                targets.push(target);
            }
        }
    }
    Ok(targets)
}

fn pages() -> Vec<String> {
    let orders = ["newest", "oldest", "trending", "mcap-high", "mcap-low"];
    let pages =
        orders.map(|order| (1..=4).map(move |page| format!("/api/tokens?sortBy={order}&page={page}")));
    pages.into_iter().flatten().collect()
}

/// Requests with the expected answers.
type Expected = Vec<(Vec<u8>, Vec<u8>)>;

async fn expected(up: &Up<'_>, service: &str, targets: Vec<String>) -> Result<Expected, Failure> {
    let mut connection = Connection::open(origin(up, service)?).await?;
    let mut expected = Vec::new();
    for target in targets {
        let request = get(&target);
        let (status, body) = connection.ask(&request).await?;
        if status != 200 {
            return Err(format!("{target}: {status}").into());
        }
        expected.push((request, body.to_vec()));
    }
    Ok(expected)
}

/// Sends requests to the processes until the time is over; returns how many answers came, and how many of them differed from the expected
/// ones.
async fn load(
    processes: &[&Up<'_>],
    service: &str,
    expected: &Arc<Expected>,
    length: Duration,
) -> Result<(u32, u32), Failure> {
    let end = Instant::now() + length;
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let mut connection = Connection::open(origin(processes[caller % processes.len()], service)?).await?;
        let expected = Arc::clone(expected);
        callers.spawn(async move {
            let (mut answers, mut differing) = (0, 0);
            for (request, body) in expected.iter().cycle().skip(caller) {
                if Instant::now() >= end {
                    break;
                }
                let (_, answer) = connection.ask(request).await?;
                answers += 1;
                differing += u32::from(answer != body);
            }
            Ok::<_, Failure>((answers, differing))
        });
    }
    let mut sum = (0, 0);
    while let Some(done) = callers.join_next().await {
        let (answers, differing) = done??;
        sum = (sum.0 + answers, sum.1 + differing);
    }
    Ok(sum)
}

/// How soon each other process shows a registration after its acknowledgement, and a launch after its receipt.
async fn visibility(fleet: &[Up<'_>]) -> Result<(), Failure> {
    let mut rest = Vec::new();
    for up in fleet {
        rest.push(Connection::open(origin(up, "baseUrl")?).await?);
    }
    let (mut registered, mut launched) = (Vec::new(), Vec::new());
    let mut node =
        Connection::open(fleet[0].ready["chains"][0]["rpcUrl"].as_str().unwrap_or_default()).await?;
    let sender = &fleet[0].ready["accounts"][0]["address"];
    call(&mut node, "anvil_autoImpersonateAccount", json!([true])).await?;
    for number in 0..WRITES {
        let (writer, referrer) = (number % fleet.len(), format!("0x{:040x}", 0x10_0000 + number));
        let body =
            json!({ "referral_code": referrer, "wallet_address": format!("0x{:040x}", 0x20_0000 + number) });
        let headers = format!("x-forwarded-for: 2001:db8::{number:x}");
        let registration = with_header(post("/api/referral/register", &body), &headers);
        if rest[writer].ask(&registration).await?.0 != 200 {
            return Err("a registration was refused".into());
        }
        let read = get(&format!("/api/referral/stats?address={referrer}"));
        let read = with_header(read, &headers);
        let shows = |body: &Value| body["stats"]["total_referrals"] == 1;
        watch(&mut rest, writer, &read, shows, &mut registered).await?;
        if number % 4 == 0 {
            let name = format!("Shown {number}");
            let data = hex::encode_prefixed(launch(&name).abi_encode());
            let transaction =
                json!({ "from": sender, "to": fleet[0].ready["chains"][0]["hook"], "data": data });
            call(&mut node, "eth_sendTransactionSync", json!([transaction])).await?;
            let read = get(&format!("/api/tokens?search=Shown%20{number}&sortBy=newest"));
            let shows = |body: &Value| body["tokens"].to_string().contains(&format!("\"{name}\""));
            watch(&mut rest, fleet.len(), &read, shows, &mut launched).await?;
        }
    }
    for (kind, mut times) in [("a registration", registered), ("a launch by the node", launched)] {
        times.sort_unstable();
        let within = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
        print_line(&format!(
            "shown by the others after {kind}: median {:.1} ms, 99 % {:.1} ms, longest {:.1} ms of {}",
            within(50),
            within(99),
            within(100),
            times.len()
        ));
    }
    Ok(())
}

/// Polls every process except the writer in parallel until each shows the write. Records when the read that shows it began: an earlier read
/// did not show it.
async fn watch(
    rest: &mut [Connection],
    writer: usize,
    read: &[u8],
    shows: impl Fn(&Value) -> bool,
    times: &mut Vec<Duration>,
) -> Result<(), Failure> {
    let begun = Instant::now();
    let others = rest.iter_mut().enumerate().filter(|(place, _)| *place != writer);
    let shown = others.map(async |(_, connection)| {
        loop {
            let asked = begun.elapsed();
            let (status, body) = connection.ask(read).await?;
            if status == 200 && shows(&serde_json::from_slice(body)?) {
                return Ok::<_, Failure>(asked);
            }
        }
    });
    times.extend(try_join_all(shown).await?);
    Ok(())
}

fn launch(name: &str) -> ILaunchHook::createLaunchCall {
    let params = CreateLaunchParams {
        name: name.to_owned(),
        ticker: "SHOWN".to_owned(),
        creatorFeeSplitBps: 5_000,
        gainBps: 50_000,
        targetRaise: alloy::primitives::U256::from(10).pow(alloy::primitives::U256::from(18)).to(),
        ..CreateLaunchParams::default()
    };
    ILaunchHook::createLaunchCall { params }
}

async fn call(node: &mut Connection, method: &str, params: Value) -> Result<(), Failure> {
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let (_, body) = node.ask(&post("/", &request)).await?;
    let answer: Value = serde_json::from_slice(body)?;
    if answer["error"].is_null() { Ok(()) } else { Err(format!("{method}: {answer}").into()) }
}

fn with_header(request: Vec<u8>, header: &str) -> Vec<u8> {
    String::from_utf8_lossy(&request).replacen("\r\n", &format!("\r\n{header}\r\n"), 1).into_bytes()
}

/// The processor time that these processes and the database server have used so far.
fn usage(platforms: &[u32], database: Option<u32>) -> Result<Duration, Failure> {
    let mut processes = BTreeMap::new();
    for entry in std::fs::read_dir("/proc")? {
        let pid = entry?.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
        // It may have ended meanwhile.
        processes.extend(pid.and_then(|pid| Some((pid, spent(pid)?))));
    }
    let above = |from: u32| successors(Some(from), |pid| processes.get(pid).map(|(parent, _)| *parent));
    let counts = |pid: u32| platforms.contains(&pid) || above(pid).any(|pid| Some(pid) == database);
    Ok(processes.iter().filter(|(pid, _)| counts(**pid)).map(|(_, (_, own))| *own).sum())
}

/// The parent of a process, and the processor time that it has used.
fn spent(pid: u32) -> Option<(u32, Duration)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may contain anything.
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let number = |place: usize| fields.get(place)?.parse::<u32>().ok();
    Some((number(1)?, TICK * (number(11)? + number(12)?)))
}
