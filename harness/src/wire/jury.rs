//! The checks that can be asked about a mutant, in the order in which they are likely to notice it, and what is known without asking.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::{StreamExt, stream};
use reqwest::StatusCode;
use reqwest::header::HeaderName;
use serde_json::Value;
use slipway_defects::wire::{Answer, Mutant, Part, general};
use slipway_scenarios::audit::recorded::{Agreement, Figures, call_has_form, calls_agree, has_form};
use slipway_scenarios::client::http::Response;
use slipway_scenarios::{Check, Lane, Stop, World};

use super::survey::{Seen, Whole};
use crate::runner::CHECKS_AT_ONCE;

/// A check that takes longer than this, and many times longer than with nothing changed, has noticed a mutant.
const PATIENCE: Duration = Duration::from_secs(3);
const SLOWER: u32 = 10;
/// Who takes longer to notice is not asked first the next time.
const PROMPT: Duration = Duration::from_secs(2);
/// What a tool server says of itself.
const OF_SESSION: [&str; 3] = ["initialize", "server/discover", "tools/list"];

/// A check that is green while nothing is changed, and what it takes.
#[derive(Clone, Copy)]
pub(super) struct Usable {
    pub(super) check: &'static Check,
    pub(super) took: Duration,
}

impl Usable {
    pub(super) fn patience(&self) -> Duration {
        PATIENCE.max(self.took * SLOWER)
    }
}

#[derive(Default)]
pub(super) struct Jury {
    pub(super) usable: BTreeMap<&'static str, Usable>,
    /// Checks that judge what the others have seen.
    pub(super) after_all: Vec<Usable>,
    /// What was answered while nothing was changed.
    pub(super) answers: Vec<Seen>,
    /// What those say together.
    agreement: Agreement,
    noticed: Mutex<Noticed>,
}

/// Who noticed what before.
#[derive(Default)]
struct Noticed {
    /// The same kind of change in the same kind of place.
    exactly: BTreeMap<(String, String, String), &'static str>,
    /// Any change of the same kind of place.
    place: BTreeMap<(String, String), &'static str>,
    /// How many changes of an endpoint.
    endpoint: BTreeMap<(String, &'static str), usize>,
}

impl Jury {
    /// Takes in the answers of the survey.
    pub(super) fn hear(&mut self, world: &World, answers: Vec<Seen>) {
        let over_http = answers.iter().enumerate().filter_map(|(at, seen)| match &seen.whole {
            Whole::Http(response) => Some((at, &**response)),
            Whole::Tool(_) => None,
        });
        self.agreement = Agreement::of(world, over_http);
        self.answers = answers;
    }

    /// Those of these checks that can be asked in a lane: first who noticed such a change before, then the quick ones.
    pub(super) fn asked(&self, ids: &BTreeSet<&'static str>, mutant: &Mutant, reading: bool) -> Vec<Usable> {
        let in_lane = |item: &Usable| (item.check.lane == Lane::Read) == reading;
        let mut asked: Vec<Usable> =
            ids.iter().filter_map(|id| self.usable.get(id).copied()).filter(in_lane).collect();
        let noticed = self.noticed();
        let (endpoint, part, kind) = place(mutant);
        let exactly = noticed.exactly.get(&(endpoint.clone(), part.clone(), kind)).copied();
        let near = noticed.place.get(&(endpoint.clone(), part)).copied();
        asked.sort_by_key(|item| {
            let id = item.check.id;
            let often = noticed.endpoint.get(&(endpoint.clone(), id)).copied().unwrap_or_default();
            (Some(id) != exactly, Some(id) != near, std::cmp::Reverse(often), item.took)
        });
        asked
    }

    /// Whether such a change was noticed before.
    pub(super) fn knows(&self, mutant: &Mutant) -> bool {
        self.noticed().exactly.contains_key(&place(mutant))
    }

    pub(super) fn notice(&self, mutant: &Mutant, check: &'static str, took: Duration) {
        let (endpoint, part, kind) = place(mutant);
        let mut noticed = self.noticed();
        if took <= PROMPT {
            *noticed.endpoint.entry((endpoint.clone(), check)).or_default() += 1;
            noticed.place.insert((endpoint.clone(), part.clone()), check);
        }
        noticed.exactly.insert((endpoint, part, kind), check);
    }

    fn noticed(&self) -> MutexGuard<'_, Noticed> {
        self.noticed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether an answer that the mutant changes no longer has the form of its endpoint, contradicts other answers, or no longer says
    /// what the chains do, so that a run in which any check receives it ends red.
    pub(super) fn condemns(&self, mutant: &Mutant, world: &World, figures: Option<&Figures<'_>>) -> bool {
        let concerned = |(_, seen): &(usize, &Seen)| mutant.concerns(seen.service, &seen.request);
        self.answers.iter().enumerate().filter(concerned).any(|(at, seen)| {
            let mut body = seen.body.clone();
            match &seen.whole {
                Whole::Http(response) => {
                    let mut status = response.status.as_u16();
                    let mut headers = response.headers.keys().map(ToString::to_string).collect();
                    let mut answer =
                        Answer { status: Some(&mut status), headers: &mut headers, body: &mut body };
                    if !mutant.apply(&mut answer) {
                        return false;
                    }
                    let changed = with(response, status, &headers, (body != seen.body).then_some(&body));
                    self.judges().any(|judge| !has_form(world, judge, &changed))
                        || self.agreement.contradicts(world, at, &changed)
                        || figures.is_some_and(|figures| figures.miss(response, &changed))
                }
                Whole::Tool(request) => {
                    let mut answer = Answer { status: None, headers: &mut Vec::new(), body: &mut body };
                    if !mutant.apply(&mut answer) {
                        return false;
                    }
                    let changed = body.to_string().into_bytes();
                    self.judges().any(|judge| !call_has_form(world, judge, request, &changed))
                        || self.disagrees(at, request, changed, world)
                }
            }
        })
    }

    /// Whether a tool server says something else of itself in a changed answer than in the others.
    fn disagrees(&self, at: usize, request: &[u8], changed: Vec<u8>, world: &World) -> bool {
        if !OF_SESSION.contains(&self.answers[at].endpoint.as_str()) {
            return false;
        }
        let others = self.answers.iter().enumerate().filter(|(other, _)| *other != at);
        let mut calls: Vec<(Vec<u8>, Vec<u8>)> = others
            .filter_map(|(_, seen)| match &seen.whole {
                Whole::Tool(request) if OF_SESSION.contains(&seen.endpoint.as_str()) => {
                    Some((request.to_vec(), seen.body.to_string().into_bytes()))
                }
                _ => None,
            })
            .collect();
        calls.push((request.to_vec(), changed));
        self.judges().any(|judge| !calls_agree(world, judge, &calls))
    }

    fn judges(&self) -> impl Iterator<Item = &'static Check> {
        self.after_all.iter().map(|judge| judge.check)
    }
}

/// A response with another status, some of its headers, and another body.
fn with(response: &Response, status: u16, headers: &[String], body: Option<&Value>) -> Response {
    let mut changed = response.clone();
    changed.status = StatusCode::from_u16(status).unwrap_or(response.status);
    let gone = |name: &&HeaderName| !headers.iter().any(|kept| kept == name.as_str());
    let gone: Vec<HeaderName> = response.headers.keys().filter(gone).cloned().collect();
    for name in gone {
        changed.headers.remove(name);
    }
    if let Some(body) = body {
        changed.body = body.to_string().into_bytes();
    }
    changed
}

/// What kind of change a mutant makes in what kind of place.
fn place(mutant: &Mutant) -> (String, String, String) {
    let part = match &mutant.part {
        Part::Body(pointer) => general(pointer),
        part => format!("{part:?}"),
    };
    (mutant.endpoint.clone(), part, mutant.kind.to_string())
}

/// Runs checks side by side; how long each took and what it says, as [`red`] does, in their order.
pub(super) async fn side_by_side(
    asked: impl IntoIterator<Item = (&'static Check, Arc<World>, Duration)>,
) -> Vec<(&'static Check, Duration, Option<String>)> {
    let runs = asked.into_iter().map(|(check, world, patience)| async move {
        let started = Instant::now();
        let said = red(check, world, patience).await;
        (check, started.elapsed(), said)
    });
    stream::iter(runs).buffered(CHECKS_AT_ONCE).collect().await
}

/// What a check says that does not pass, so that a run of all checks would not end with 0; one that is skipped says nothing.
pub(super) async fn red(check: &'static Check, world: Arc<World>, patience: Duration) -> Option<String> {
    let verdict = tokio::spawn(async move { tokio::time::timeout(patience, check.run(&world)).await }).await;
    match verdict {
        Ok(Ok(slipway_scenarios::Outcome { verdict: Ok(()) | Err(Stop::Skipped(_)), .. })) => None,
        Ok(Ok(slipway_scenarios::Outcome { verdict: Err(stop), .. })) => Some(format!("{stop:?}")),
        Ok(Err(_)) => Some(format!("no verdict within {} s", patience.as_secs())),
        Err(panic) => Some(panic.to_string()),
    }
}
