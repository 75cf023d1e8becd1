//! A replica is killed amid writes: what any process had acknowledged is shown by all that are left.
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use crate::Failure;
use crate::client::all;
use crate::fleet::Fleet;
use crate::stored::{Known, messages, missing, registration, tokens};
use crate::table::{milliseconds, print_head, print_row};
use crate::writes::{CALLERS, Queue, queue, take};

/// Writes of each kind in a round, and acknowledgements after which the replica is killed.
const WRITES: usize = 1_000;
const KILLED_AFTER: usize = 600;

/// An acknowledgement, by whom, and when.
struct Acknowledged {
    known: Known,
    place: usize,
    at: Instant,
}

/// How a caller ended.
enum End {
    /// Nothing was left to write.
    Done,
    /// The connection was closed.
    Closed(Instant),
    /// Anything else: what it was told.
    Refused(String),
}

/// What one killed replica did to its callers and to the others.
#[derive(Default)]
struct Outcome {
    acknowledged: usize,
    by_the_dead: usize,
    closed: usize,
    slowest: Duration,
    refused: Vec<String>,
    pause: Duration,
    lost: usize,
}

/// Kills a replica in every round and starts another; answers whether nothing was lost, and nobody was told anything but what
/// is the case.
pub(crate) async fn measure(fleet: &mut Fleet<'_>, rounds: usize) -> Result<bool, Failure> {
    let title = format!("One of {} processes killed amid writes", fleet.processes.len());
    let columns = [
        "round",
        "acknowledged",
        "of them by the killed",
        "lost",
        "callers of the killed: connection closed",
        "the last of them after",
        "other errors of any caller",
        "longest pause of the others",
    ];
    print_head(&title, &columns)?;
    let mut sound = true;
    for round in 1..=rounds {
        let outcome = kill(fleet).await?;
        print_row(&[
            round.to_string(),
            outcome.acknowledged.to_string(),
            outcome.by_the_dead.to_string(),
            outcome.lost.to_string(),
            outcome.closed.to_string(),
            milliseconds(outcome.slowest),
            if outcome.refused.is_empty() { "0".to_owned() } else { outcome.refused.join("; ") },
            milliseconds(outcome.pause),
        ])?;
        sound &= outcome.lost == 0 && outcome.refused.is_empty();
        fleet.attach();
    }
    Ok(sound)
}

async fn kill(fleet: &mut Fleet<'_>) -> Result<Outcome, Failure> {
    let tokens = tokens(fleet).await?;
    let said = messages(fleet, &tokens[0], WRITES).await?;
    // A registration, a message, a registration …
    let queue = queue(said.into_iter().flat_map(|message| [registration(), message]));
    let victim = fleet.processes.len() - 1;
    let (acknowledged, mut heard) = unbounded_channel();
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let place = caller % fleet.processes.len();
        let rest = fleet.rest(place).await?;
        let (queue, acknowledged) = (Arc::clone(&queue), acknowledged.clone());
        callers.spawn(async move { Ok((place, write(rest, place, queue, acknowledged).await?)) });
    }
    drop(acknowledged);
    let mut told: Vec<Acknowledged> = Vec::new();
    for _ in 0..KILLED_AFTER {
        told.push(heard.recv().await.ok_or("every caller has ended")?);
    }
    let mut dead = fleet.processes.remove(victim);
    let killed = Instant::now();
    dead.kill();
    while let Some(one) = heard.recv().await {
        told.push(one);
    }
    let mut outcome = Outcome::default();
    for (place, end) in all(callers).await? {
        match end {
            End::Closed(at) if place == victim => {
                outcome.closed += 1;
                outcome.slowest = outcome.slowest.max(at - killed);
            }
            End::Done if place != victim => {}
            End::Done => outcome.refused.push("a killed process answers".to_owned()),
            End::Closed(_) => outcome.refused.push(format!("process {place} closed a connection")),
            End::Refused(what) => outcome.refused.push(format!("process {place}: {what}")),
        }
    }
    let address = dead.ready["baseUrl"].as_str().unwrap_or_default().trim_start_matches("http://");
    let again = TcpStream::connect(address).await;
    if !again.is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused) {
        outcome.refused.push("a killed process can be connected to".to_owned());
    }
    outcome.acknowledged = told.len();
    outcome.by_the_dead = told.iter().filter(|one| one.place == victim).count();
    outcome.pause = longest_pause(&told, victim, killed);
    let known: Vec<Known> = told.into_iter().map(|one| one.known).collect();
    for place in 0..fleet.processes.len() {
        outcome.lost += missing(fleet, place, &known).await?;
    }
    Ok(outcome)
}

/// Writes until nothing is left, or until something goes wrong.
async fn write(
    mut rest: crate::client::Connection,
    place: usize,
    queue: Queue,
    acknowledged: UnboundedSender<Acknowledged>,
) -> Result<End, Failure> {
    while let Some(write) = take(&queue) {
        let Ok(answer) = rest.ask(&write.ask).await else {
            return Ok(End::Closed(Instant::now()));
        };
        let at = Instant::now();
        match answer.json() {
            Ok(answer) => acknowledged.send(Acknowledged { known: write.known(&answer)?, place, at })?,
            Err(error) => return Ok(End::Refused(error.to_string())),
        }
    }
    Ok(End::Done)
}

/// The longest time, from the kill on, in which none of the others acknowledged anything.
fn longest_pause(told: &[Acknowledged], victim: usize, killed: Instant) -> Duration {
    let others = told.iter().filter(|one| one.place != victim).map(|one| one.at);
    let mut times: Vec<Instant> = others.filter(|at| *at > killed).collect();
    times.push(killed);
    times.sort();
    times.windows(2).map(|two| two[1] - two[0]).max().unwrap_or_default()
}
