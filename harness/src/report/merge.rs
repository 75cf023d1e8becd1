//! Merges a run that was split into shards.
use std::collections::BTreeMap;

use super::events::{End, Event, Run, Verdict, Word};
use crate::shard::Shard;

/// Merges the events of all shards of a run into those of the whole. A check that every shard runs on its own exchanges gets the worst
/// of its verdicts.
pub(super) fn merge(shards: Vec<Vec<Event>>) -> Result<Vec<Event>, String> {
    let runs = shards.iter().map(|events| begun(events)).collect::<Result<Vec<_>, _>>()?;
    Shard::complete(&runs.iter().map(|run| run.shard).collect::<Vec<_>>())?;
    for run in &runs[1..] {
        same(runs[0], run)?;
    }
    let whole = Run { shard: None, ..runs[0].clone() };
    let kept = kept(&shards);
    let mut merged = vec![Event::Run(Box::new(whole))];
    let mut end = End::default();
    let mut before = 0;
    for (place, events) in shards.into_iter().enumerate() {
        let own = |check: &str| kept.get(check).is_none_or(|(_, holder)| *holder == place);
        let mut numbers = 0;
        for event in events {
            match event {
                Event::Run(_) => {}
                Event::Exchange(mut exchange) => {
                    numbers = numbers.max(exchange.number);
                    exchange.number += before;
                    if own(&exchange.check) {
                        merged.push(Event::Exchange(exchange));
                    }
                }
                Event::Verdict(mut verdict) => {
                    if let Some(failure) = &mut verdict.failure {
                        failure.exchange = failure.exchange.map(|number| number + before);
                    }
                    if own(&verdict.check) {
                        merged.push(Event::Verdict(verdict));
                    }
                }
                Event::End(last) => {
                    end.took = end.took.max(last.took);
                    end.stale.extend(last.stale);
                    end.expired.extend(last.expired);
                }
            }
        }
        before += numbers;
    }
    for entries in [&mut end.stale, &mut end.expired] {
        entries.sort();
        entries.dedup();
    }
    merged.push(Event::End(end));
    Ok(merged)
}

/// The first event of a complete stream.
fn begun(events: &[Event]) -> Result<&Run, String> {
    match (events.first(), events.last()) {
        (Some(Event::Run(run)), Some(Event::End(_))) => Ok(run),
        (Some(Event::Run(_)), _) => Err("its last event is not `end`: the run was cut off".to_owned()),
        _ => Err("the first event is not `run`".to_owned()),
    }
}

/// Shards of one run differ only in their part and in the addresses of their target.
fn same(one: &Run, other: &Run) -> Result<(), String> {
    let differs = [
        ("tool", one.tool != other.tool),
        ("interface", one.interface != other.interface),
        ("lane", one.lane != other.lane),
        ("seed", one.seed != other.seed),
        ("strict", one.strict != other.strict),
        ("demanded parts", one.required != other.required),
        ("selection of checks", one.sections != other.sections),
    ];
    match differs.into_iter().find(|(_, differs)| *differs) {
        Some((what, _)) => Err(format!("the shards differ in their {what}")),
        None => Ok(()),
    }
}

/// The worst verdict of each check, and the shard that has it.
fn kept(shards: &[Vec<Event>]) -> BTreeMap<String, (Word, usize)> {
    let mut kept = BTreeMap::<String, (Word, usize)>::new();
    for (place, events) in shards.iter().enumerate() {
        for verdict in events.iter().filter_map(verdict) {
            let worst = kept.entry(verdict.check.clone()).or_insert((verdict.verdict, place));
            *worst = (*worst).min((verdict.verdict, place));
        }
    }
    kept
}

fn verdict(event: &Event) -> Option<&Verdict> {
    match event {
        Event::Verdict(verdict) => Some(verdict),
        _ => None,
    }
}
