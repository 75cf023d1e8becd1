//! The interface of a check: the world, the clause that it is run for, and the vocabulary for judging evidence.
pub mod check;
pub mod clause;
pub(crate) mod declare;
pub(crate) mod manners;
pub mod world;

use std::fmt::Debug;
use std::ops::Deref;

use futures::future::join_all;
use serde::Deserialize;
use serde_json::Value;

use crate::client::message::Response;
use crate::model::evidence::Evidence;
use crate::model::shown::readable;
use crate::model::target::Need;
use crate::model::verdict::{Differences, Failure, Stop, Verdict, cut};
use crate::trial::check::{Check, LookedAt};
use crate::trial::clause::Clause;
use crate::trial::world::World;

impl Failure {
    /// Creates a failure of a clause, with the evidence, the expectation and the actual behaviour.
    pub(crate) fn of(
        world: &World,
        clause: &'static Clause,
        evidence: &(impl Evidence + ?Sized),
        (expected, actual): (String, String),
    ) -> Self {
        Self {
            clause: clause.id,
            binding: clause.binding(),
            expected: cut(expected),
            actual: cut(actual),
            reproduce: cut(evidence.reproduce()),
            exchange: evidence.exchange().or_else(|| world.last_exchange()),
            answered: evidence.answered(),
        }
    }
}

/// One run of one check against a world. It judges by the clause of its check, or by another clause ([`Trial::by`]). A breach of a binding
/// clause ends the check; a difference from a choice is recorded, and the check goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial<'w> {
    pub(crate) world: &'w World,
    pub(crate) check: &'static Check,
    clause: &'static Clause,
    /// Where differences are recorded; if `None`, the first one ends the check.
    differences: Option<&'w Differences>,
    looked_at: Option<&'w LookedAt>,
}

impl<'w> Trial<'w> {
    pub(crate) fn new(world: &'w World, check: &'static Check) -> Self {
        Self { world, check, clause: check.clause, differences: None, looked_at: None }
    }

    /// Returns the run with differences recorded here.
    pub(crate) fn collecting(self, differences: &'w Differences) -> Self {
        Self { differences: Some(differences), ..self }
    }

    /// Returns the run with examined statements recorded here.
    pub(crate) fn noting(self, looked_at: &'w LookedAt) -> Self {
        Self { looked_at: Some(looked_at), ..self }
    }

    /// Records that these statements were examined: once a check records any, no others count.
    pub(crate) fn looks_at(&self, statements: impl IntoIterator<Item = &'static str>) {
        if let Some(looked_at) = self.looked_at {
            looked_at.add(statements);
        }
    }

    /// Returns the run that ends with the first difference: for prerequisites, which the check does not judge.
    pub(crate) fn stopping(self) -> Self {
        Self { differences: None, ..self }
    }

    /// Returns the run against another world.
    pub(crate) fn within<'v>(&'v self, world: &'v World) -> Trial<'v> {
        Trial { world, ..*self }
    }

    /// Returns the run judging by another clause.
    pub(crate) fn by(&self, clause: &'static Clause) -> Self {
        Self { clause, ..*self }
    }

    /// Returns the run judging a choice: by the check's own clause if that is a choice, else by this one.
    pub(crate) fn by_choice(&self, clause: &'static Clause) -> Self {
        if self.clause.binding().binds_every_platform() { self.by(clause) } else { *self }
    }

    /// Requires a condition; the evidence itself shows the actual behaviour.
    pub(crate) fn require(
        &self,
        evidence: &(impl Evidence + ?Sized),
        condition: bool,
        expected: &str,
    ) -> Verdict {
        self.require_or(evidence, condition, expected, || evidence.excerpt_about(expected))
    }

    /// Requires a condition, described by `expected`; `actual` describes what was seen instead.
    pub(crate) fn require_or(
        &self,
        evidence: &(impl Evidence + ?Sized),
        condition: bool,
        expected: &str,
        actual: impl FnOnce() -> String,
    ) -> Verdict {
        if condition {
            return Ok(());
        }
        self.part::<()>(Err(self.failure(evidence, expected, actual()))).map(drop)
    }

    pub(crate) fn require_equal<T: PartialEq + Debug>(
        &self,
        evidence: &(impl Evidence + ?Sized),
        what: &str,
        expected: &T,
        actual: &T,
    ) -> Verdict {
        let what_of = |value: &T| format!("{what} = {}", readable(value));
        if expected == actual {
            return Ok(());
        }
        self.part::<()>(Err(self.failure(evidence, what_of(expected), what_of(actual)))).map(drop)
    }

    /// Creates a failure, which ends the check, or the [part](Self::part) of it that cannot continue.
    pub(crate) fn failure(
        &self,
        evidence: &(impl Evidence + ?Sized),
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Stop {
        Failure::of(self.world, self.clause, evidence, (expected.into(), actual.into())).into()
    }

    /// Runs a part of a check on which nothing else depends: a difference ends only this part and is recorded; any other verdict is
    /// returned.
    pub(crate) fn part<T>(&self, verdict: Verdict<T>) -> Verdict<Option<T>> {
        match (verdict, self.differences) {
            (Err(Stop::Failed(failure)), Some(differences)) if !failure.binding.binds_every_platform() => {
                differences.add(*failure);
                Ok(None)
            }
            (other, _) => other.map(Some),
        }
    }

    /// Judges what may come from another moment, or may be read in another way: findings count only once they are [kept](Self::keep).
    pub(crate) fn tried<T>(&self, judge: impl FnOnce(&Trial<'_>) -> Verdict<T>) -> Tried<T> {
        let differences = Differences::default();
        let verdict = judge(&self.collecting(&differences));
        Tried { verdict, differences: differences.into_inner() }
    }

    /// Keeps the findings of a judgement: every difference, and the verdict.
    pub(crate) fn keep<T>(&self, tried: Tried<T>) -> Verdict<T> {
        tried.differences.into_iter().try_for_each(|one| self.part::<()>(Err(one.into())).map(drop))?;
        tried.verdict
    }
}

/// A judgement whose findings do not count yet.
pub(crate) struct Tried<T = ()> {
    verdict: Verdict<T>,
    differences: Vec<Failure>,
}

impl<T> Tried<T> {
    /// Whether it has no findings.
    pub(crate) fn holds(&self) -> bool {
        self.verdict.is_ok() && self.differences.is_empty()
    }
}

/// Reads answers.
impl Trial<'_> {
    pub(crate) fn status(&self, response: &Response, code: u16) -> Verdict {
        self.require(response, response.code() == code, &format!("status {code}"))
    }

    /// Requires a success, because the body is read next. Which one is left open: the audit compares it with 200.
    pub(crate) fn succeeded(&self, response: &Response) -> Verdict {
        if response.status.is_success() {
            return Ok(());
        }
        Err(self.failure(response, "a success, such as status 200", response.excerpt()))
    }

    /// Requires a success with a JSON body, and returns the body.
    pub(crate) fn ok_json(&self, response: &Response) -> Verdict<Value> {
        self.succeeded(response)?;
        response.json().ok_or_else(|| self.failure(response, "a JSON body", response.excerpt()))
    }

    pub(crate) fn with_json(&self, response: Response) -> Verdict<(Response, Value)> {
        let body = self.ok_json(&response)?;
        Ok((response, body))
    }

    /// Requires a success with a JSON body of this type, and returns it.
    pub(crate) fn decoded<'r, T: Deserialize<'r>>(
        &self,
        response: &'r Response,
        expected: &str,
    ) -> Verdict<T> {
        self.succeeded(response)?;
        serde_json::from_slice(&response.body).map_err(|error| {
            if error.is_syntax() || error.is_eof() {
                return self.failure(response, "a JSON body", response.excerpt());
            }
            let place = if error.line() == 1 { error.column() } else { 0 };
            self.failure(response, expected, format!("{error} in {}", response.excerpt_at(place)))
        })
    }

    /// Requires a fitting cause of a refusal, if the platform keeps a journal.
    pub(crate) async fn cause_fits(
        &self,
        response: &Response,
        expected: &str,
        fits: impl Fn(Option<&str>) -> bool,
    ) -> Verdict {
        let Ok(control) = self.control() else { return Ok(()) };
        // Another process of the platform, with a separate journal, may have answered.
        let Some(entry) = control.entry_of(response).await? else { return Ok(()) };
        let cause = entry.cause.as_deref();
        self.require_or(response, fits(cause), expected, || format!("refused by {}", readable(&cause)))
    }

    /// Requires any cause of a refusal, if the platform keeps a journal.
    pub(crate) async fn has_a_cause(&self, response: &Response) -> Verdict {
        self.cause_fits(response, "a cause in the journal", |cause| cause.is_some()).await
    }
}

/// Most concurrent reads of one check.
pub(crate) const AT_ONCE: usize = 4;

/// Runs futures in order, at most `most` at once; waits for each that was started, even after an error.
pub(crate) async fn some_at_once<T, E>(
    most: usize,
    futures: Vec<impl Future<Output = Result<T, E>>>,
) -> Result<Vec<T>, E> {
    let mut answers = Vec::with_capacity(futures.len());
    let mut futures = futures.into_iter();
    loop {
        let some: Vec<_> = futures.by_ref().take(most).collect();
        if some.is_empty() {
            return Ok(answers);
        }
        answers.extend(all_settled(some).await?);
    }
}

impl Trial<'_> {
    /// Returns the answers of these reads, in order. If this run can move the clock, they are sent one by one, so that each has a separate
    /// second; else some at once.
    pub(crate) async fn read_all<T>(&self, reads: Vec<impl Future<Output = Verdict<T>>>) -> Verdict<Vec<T>> {
        some_at_once(if self.offers(Need::Control) { 1 } else { AT_ONCE }, reads).await
    }
}

/// Makes the shared code of a section judge evidence as its trial does.
macro_rules! judges_as_its_trial {
    ($type:ident) => {
        impl<'a> std::ops::Deref for $type<'a> {
            type Target = $crate::trial::Trial<'a>;

            fn deref(&self) -> &Self::Target {
                &self.trial
            }
        }
    };
}

pub(crate) use judges_as_its_trial;

impl Deref for Trial<'_> {
    type Target = World;

    fn deref(&self) -> &World {
        self.world
    }
}

/// Runs futures together, each to its end: even on an error it waits for the others, so that a failed check leaves no request in flight.
pub(crate) async fn all_settled<T, E>(
    futures: impl IntoIterator<Item = impl Future<Output = Result<T, E>>>,
) -> Result<Vec<T>, E> {
    join_all(futures).await.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::{Differences, Stop, Trial, some_at_once};
    use crate::clause;
    use crate::model::target::Target;
    use crate::model::verdict::Binding;
    use crate::trial::world::World;

    #[tokio::test]
    async fn some_at_once_keep_their_order_and_end_before_the_next_begin() {
        let (running, most, ended) = (Cell::new(0), Cell::new(0), Cell::new(0));
        let future = |number: usize| {
            let (running, most, ended) = (&running, &most, &ended);
            async move {
                running.set(running.get() + 1);
                most.set(most.get().max(running.get()));
                for _ in number..10 {
                    tokio::task::yield_now().await;
                }
                running.set(running.get() - 1);
                ended.set(ended.get() + 1);
                if number == 4 { Err(number) } else { Ok(number) }
            }
        };
        assert_eq!(some_at_once(3, (5..10).map(future).collect()).await, Ok((5..10).collect()));
        assert_eq!((most.get(), ended.get()), (3, 5));
        // The fifth fails: it is in the second batch of three, and a third batch never starts.
        assert_eq!(some_at_once(3, (0..10).map(future).collect()).await, Err(4));
        assert_eq!((running.get(), ended.get()), (0, 5 + 6));
    }

    #[test]
    fn a_difference_is_recorded_and_a_breach_ends_the_check() {
        let world = World::new(Target::default(), 1).unwrap();
        let differences = Differences::default();
        let of = |id| Trial::new(&world, &clause(id).unwrap().checks[0]);
        let broken = |trial: Trial<'_>| match trial.require("it", false, "something else") {
            Err(Stop::Failed(failure)) => Some((failure.clause, failure.binding)),
            _ => None,
        };
        let (bound, chosen) = (of("QUOTE-RATES"), of("OWNER-BAD"));
        assert_eq!(broken(bound.collecting(&differences)), Some(("QUOTE-RATES", Binding::Interface)));
        assert_eq!(broken(chosen.collecting(&differences)), None);
        assert_eq!(broken(chosen.collecting(&differences)), None);
        assert_eq!(broken(bound.by(clause("SVC-ERR").unwrap()).collecting(&differences)), None);
        assert_eq!(broken(chosen.collecting(&differences).stopping()), Some(("OWNER-BAD", Binding::Choice)));
        let found: Vec<&str> = differences.into_inner().iter().map(|one| one.clause).collect();
        assert_eq!(found, ["OWNER-BAD", "SVC-ERR"]);
    }

    #[test]
    fn a_difference_costs_its_part_and_what_was_tried_counts_once_kept() {
        let world = World::new(Target::default(), 1).unwrap();
        let differences = Differences::default();
        let of = |id| Trial::new(&world, &clause(id).unwrap().checks[0]).collecting(&differences);
        let (bound, chosen) = (of("QUOTE-RATES"), of("OWNER-BAD"));
        assert!(matches!(chosen.part(Err::<u8, _>(chosen.failure("it", "a", "b"))), Ok(None)));
        assert!(matches!(chosen.part(Ok(7)), Ok(Some(7))));
        assert!(bound.part(Err::<u8, _>(bound.failure("it", "a", "b"))).is_err());
        let tried = chosen.tried(|trial| {
            trial.require("it", false, "c")?;
            trial.require("it", false, "d")
        });
        assert!(!tried.holds());
        chosen.keep(tried).unwrap();
        assert!(chosen.tried(|trial| trial.require("it", true, "e")).holds());
        let found: Vec<String> = differences.into_inner().into_iter().map(|one| one.expected).collect();
        assert_eq!(found, ["a", "c", "d"]);
    }
}
