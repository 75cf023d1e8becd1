//! Writes that wait for their acknowledgement, sent to one process or shared by several.
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinSet;

use crate::client::all;
use crate::fleet::Fleet;
use crate::stored::{Known, Write, messages, missing, registration, tokens};
use crate::table::{THROUGHPUT, print_head, print_line, print_row, rate, throughput};
use crate::{Failure, PROCESSES};

/// Callers, each with one write at a time.
pub(crate) const CALLERS: usize = 32;
/// Writes of a round.
const WRITES: usize = 1_000;

/// Writes that callers take one after the other.
pub(crate) type Queue = Arc<Mutex<VecDeque<Write>>>;

pub(crate) fn queue(writes: impl IntoIterator<Item = Write>) -> Queue {
    Arc::new(Mutex::new(writes.into_iter().collect()))
}

pub(crate) fn take(queue: &Queue) -> Option<Write> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
}

/// Measures both kinds of write; answers whether every process shows all of them afterwards.
pub(crate) async fn measure(fleet: &Fleet<'_>, rounds: usize) -> Result<bool, Failure> {
    let mut tokens = tokens(fleet).await?.into_iter().cycle();
    let mut known: Vec<Known> = Vec::new();
    for (title, says) in
        [("Registrations (`POST /api/referral/register`)", false), ("Messages (`POST /api/chat`)", true)]
    {
        let mut sides = PROCESSES.map(|count| (count, Vec::new()));
        for _ in 0..rounds {
            for (count, measured) in &mut sides {
                let writes: Vec<Write> = match tokens.next() {
                    Some(token) if says => messages(fleet, &token, WRITES).await?,
                    _ => (0..WRITES).map(|_| registration()).collect(),
                };
                let queue = queue(writes);
                let round = fleet.round(async {
                    let acknowledged = write(fleet, *count, &queue).await?;
                    let count = acknowledged.len();
                    known.extend(acknowledged);
                    Ok(count)
                });
                measured.push(round.await?);
            }
        }
        print_head(title, &[&["processes"], &THROUGHPUT[..]].concat())?;
        let one = rate(&sides[0].1);
        for (count, rounds) in &sides {
            print_row(&throughput(&count.to_string(), rounds, one))?;
        }
        print_line(&format!("\n{CALLERS} callers, {rounds} interleaved rounds of {WRITES} writes"))?;
    }
    let mut lost = 0;
    for place in 0..fleet.processes.len() {
        lost += missing(fleet, place, &known).await?;
    }
    let (count, processes) = (known.len(), fleet.processes.len());
    print_line(&format!(
        "\n{count} writes acknowledged; {lost} of them missing at one of {processes} processes"
    ))?;
    Ok(lost == 0)
}

/// Callers of the first processes send all writes; every one of them has to succeed.
async fn write(fleet: &Fleet<'_>, processes: usize, queue: &Queue) -> Result<Vec<Known>, Failure> {
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let mut rest = fleet.rest(caller % processes).await?;
        let queue = Arc::clone(queue);
        callers.spawn(async move {
            let mut known = Vec::new();
            while let Some(write) = take(&queue) {
                let answer = rest.expect(&write.ask).await?;
                known.push(write.known(&answer)?);
            }
            Ok(known)
        });
    }
    Ok(all(callers).await?.concat())
}
