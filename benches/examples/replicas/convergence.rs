//! How long after a write was acknowledged the other processes show it, and how many reads came after it and did not.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::future::try_join_all;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::Failure;
use crate::client::{Ask, Connection, all};
use crate::fleet::{Fleet, text};
use crate::stored::{Write, is_shown, messages, registration, shows, tokens};
use crate::table::{milliseconds, print_head, print_line, print_row, within};

/// Writes of each kind in a round.
const WRITES: usize = 40;
/// Callers that keep all processes busy with writes of their own.
const BUSY: usize = 16;
/// What is not shown by then never will be.
const PATIENCE: Duration = Duration::from_secs(10);

/// What was seen after the writes of one kind.
struct Kind {
    name: &'static str,
    /// From the acknowledgement to the end of the read that shows it.
    times: Vec<Duration>,
    /// Reads that came after the acknowledgement and did not show it.
    stale: usize,
}

/// One connection to each process, and one to the control plane.
struct Callers {
    rest: Vec<Connection>,
    control: Connection,
}

impl Callers {
    async fn of(fleet: &Fleet<'_>) -> Result<Self, Failure> {
        let rest = try_join_all((0..fleet.processes.len()).map(|place| fleet.rest(place)));
        Ok(Self { rest: rest.await?, control: fleet.control().await? })
    }
}

/// Measures every kind of write, first alone, then beside others; answers whether no read was stale.
pub(crate) async fn measure(fleet: &Fleet<'_>, rounds: usize) -> Result<bool, Failure> {
    let title = format!("Shown by the others, {} processes", fleet.processes.len());
    print_head(&title, &["after", "reads", "median", "99 %", "longest", "stale"])?;
    let mut sound = true;
    for busy in [false, true] {
        let over = Arc::new(AtomicBool::new(false));
        let beside = Arc::new(AtomicUsize::new(0));
        let others = if busy { write_on(fleet, &over, &beside).await? } else { JoinSet::new() };
        let kinds = kinds(fleet, rounds).await;
        over.store(true, Ordering::SeqCst);
        all(others).await?;
        for mut kind in kinds? {
            kind.times.sort();
            let name =
                if busy { format!("{}, beside other writes", kind.name) } else { kind.name.to_owned() };
            let times = [within(&kind.times, 50), within(&kind.times, 99), within(&kind.times, 100)];
            let [median, most, longest] = times.map(milliseconds);
            let reads = kind.times.len() + kind.stale;
            print_row(&[name, reads.to_string(), median, most, longest, kind.stale.to_string()])?;
            sound &= kind.stale == 0;
        }
        if busy {
            let beside = beside.load(Ordering::SeqCst);
            print_line(&format!("\n{BUSY} callers wrote {beside} registrations meanwhile"))?;
        }
    }
    Ok(sound)
}

async fn kinds(fleet: &Fleet<'_>, rounds: usize) -> Result<Vec<Kind>, Failure> {
    let mut callers = Callers::of(fleet).await?;
    let tokens = tokens(fleet).await?;
    let kind = |name| Kind { name, times: Vec::new(), stale: 0 };
    let [mut registered, mut said, mut launched, mut traded] =
        ["a registration", "a message", "a launch", "a trade"].map(kind);
    for round in 0..rounds {
        let registrations = (0..WRITES).map(|_| registration()).collect();
        stored(&mut callers, registrations, &mut registered).await?;
        let writes = messages(fleet, &tokens[round % tokens.len()], WRITES).await?;
        stored(&mut callers, writes, &mut said).await?;
        mined(&mut callers, &mut launched, &mut traded).await?;
    }
    Ok(vec![registered, said, launched, traded])
}

/// Writes by each process in turn, which every other one then has to show.
async fn stored(callers: &mut Callers, writes: Vec<Write>, kind: &mut Kind) -> Result<(), Failure> {
    let processes = callers.rest.len();
    for (number, write) in writes.into_iter().enumerate() {
        let writer = number % processes;
        let answer = callers.rest[writer].expect(&write.ask).await?;
        let known = write.known(&answer)?;
        kind.watch(&mut callers.rest, writer, || shows(&known), |answer| is_shown(&known, answer)).await?;
    }
    Ok(())
}

/// Launches and trades that the first process has acknowledged, which every other one then has to show.
async fn mined(callers: &mut Callers, launched: &mut Kind, traded: &mut Kind) -> Result<(), Failure> {
    for number in 0..WRITES {
        let launch = json!({ "name": format!("Shown {number}"), "ticker": "SHOWN", "targetRaise": "1" });
        let launch = callers.control.expect(&Ask::post("/_sim/launches", &launch)).await?;
        let token = text(&launch["token"])?.to_owned();
        let read = || Ask::get(format!("/api/token?address={token}"));
        launched.watch(&mut callers.rest, 0, read, |answer| answer["address"] == token.as_str()).await?;
        let trade = json!({ "token": token, "side": "buy", "amount": "0.01" });
        callers.control.expect(&Ask::post("/_sim/trades", &trade)).await?;
        traded.watch(&mut callers.rest, 0, read, |answer| answer["txns_total"] == 1).await?;
    }
    Ok(())
}

impl Kind {
    /// Asks all processes but one at once until each shows what was acknowledged just now.
    async fn watch(
        &mut self,
        rest: &mut [Connection],
        writer: usize,
        read: impl Fn() -> Ask,
        shown: impl Fn(&Value) -> bool,
    ) -> Result<(), Failure> {
        let begun = Instant::now();
        let others = rest.iter_mut().enumerate().filter(|(place, _)| *place != writer);
        let seen = others.map(async |(place, connection)| {
            let mut stale = 0;
            loop {
                let answer = connection.ask(&read()).await?;
                // What is not known yet is answered with 404.
                if answer.status == 200 && shown(&answer.json()?) {
                    return Ok::<_, Failure>((begun.elapsed(), stale));
                }
                stale += 1;
                if begun.elapsed() > PATIENCE {
                    return Err(format!("process {place} does not show {}", self.name).into());
                }
            }
        });
        for (time, stale) in try_join_all(seen).await? {
            self.times.push(time);
            self.stale += stale;
        }
        Ok(())
    }
}

/// Callers register wallets at all processes until it is over.
async fn write_on(
    fleet: &Fleet<'_>,
    over: &Arc<AtomicBool>,
    written: &Arc<AtomicUsize>,
) -> Result<JoinSet<Result<(), Failure>>, Failure> {
    let mut callers = JoinSet::new();
    for caller in 0..BUSY {
        let mut rest = fleet.rest(caller % fleet.processes.len()).await?;
        let (over, written) = (Arc::clone(over), Arc::clone(written));
        callers.spawn(async move {
            while !over.load(Ordering::SeqCst) {
                rest.expect(&registration().ask).await?;
                written.fetch_add(1, Ordering::SeqCst);
            }
            Ok(())
        });
    }
    Ok(callers)
}
