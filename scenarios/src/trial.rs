//! What a check is handed: the world, the clause it is run for, and one vocabulary to judge evidence with.
use std::fmt::Debug;
use std::ops::Deref;

use futures::future::join_all;
use serde::Deserialize;
use serde_json::Value;

use crate::check::Check;
use crate::clause::Clause;
use crate::client::message::Response;
use crate::evidence::Evidence;
use crate::verdict::{Differences, Failure, Stop, Verdict};
use crate::world::World;

/// One run of one check against a world. Every failure it makes carries the clause it judges by: that of its check, or one
/// that the check judges besides its own ([`Trial::by`]).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial<'w> {
    pub(crate) world: &'w World,
    pub(crate) check: &'static Check,
    clause: &'static Clause,
    /// Where differences that are choices of the target are collected; without it they end the check.
    differences: Option<&'w Differences>,
}

impl<'w> Trial<'w> {
    pub(crate) fn new(world: &'w World, check: &'static Check) -> Self {
        Self { world, check, clause: check.clause, differences: None }
    }

    /// The same run, which collects differences that are choices of the target.
    pub(crate) fn collecting(self, differences: &'w Differences) -> Self {
        Self { differences: Some(differences), ..self }
    }

    /// The same run, which ends with the first difference, be it a choice.
    pub(crate) fn strict(self) -> Self {
        Self { differences: None, ..self }
    }

    /// The same run, judging by another clause. Where that clause is a choice, what does not hold is collected as a
    /// difference and the check goes on.
    pub(crate) fn by(&self, clause: &'static Clause) -> Self {
        Self { clause, ..*self }
    }

    /// The same run, judging what is a choice: by the clause that is judged where that is one, else by another.
    pub(crate) fn chosen(&self, clause: &'static Clause) -> Self {
        if self.clause.binding().binds_every_platform() { self.by(clause) } else { *self }
    }

    /// The same run against another world.
    pub(crate) fn within<'v>(&'v self, world: &'v World) -> Trial<'v> {
        Trial { world, check: self.check, clause: self.clause, differences: self.differences }
    }

    /// Notes what an attempt found that was judged apart and counts; without a collector the first ends the check.
    pub(crate) fn adopt(&self, found: Vec<Failure>) -> Verdict {
        found.into_iter().try_for_each(|failure| self.note(Err(failure.into())))
    }

    /// Notes a difference that is a choice of the target, and goes on; any other verdict is returned.
    pub(crate) fn note(&self, verdict: Verdict) -> Verdict {
        match (verdict, self.differences) {
            (Err(Stop::Failed(failure)), Some(differences)) if !failure.binding.binds_every_platform() => {
                differences.add(*failure);
                Ok(())
            }
            (other, _) => other,
        }
    }

    /// A failure of the clause, shown by the evidence.
    pub(crate) fn failure(
        &self,
        evidence: &(impl Evidence + ?Sized),
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Stop {
        self.broken(evidence, expected, actual).into()
    }

    /// The same failure, to be collected.
    pub(crate) fn broken(
        &self,
        evidence: &(impl Evidence + ?Sized),
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Failure {
        Failure {
            clause: self.clause.id,
            binding: self.clause.binding(),
            expected: expected.into(),
            actual: actual.into(),
            reproduce: evidence.reproduce(),
            exchange: evidence.exchange().or_else(|| self.world.last_exchange()),
        }
    }

    pub(crate) fn equal<T: PartialEq + Debug>(
        &self,
        evidence: &(impl Evidence + ?Sized),
        what: &str,
        expected: &T,
        actual: &T,
    ) -> Verdict {
        if expected == actual {
            return Ok(());
        }
        self.breach(self.failure(evidence, format!("{what} = {expected:?}"), format!("{what} = {actual:?}")))
    }

    /// A condition holds; `expected` says it in words, `actual` what was seen instead.
    pub(crate) fn holds(
        &self,
        evidence: &(impl Evidence + ?Sized),
        condition: bool,
        expected: &str,
        actual: impl FnOnce() -> String,
    ) -> Verdict {
        if condition { Ok(()) } else { self.breach(self.failure(evidence, expected, actual())) }
    }

    /// Ends the check, unless it judges by a choice besides its own clause: then a difference is noted.
    pub(crate) fn breach(&self, stop: Stop) -> Verdict {
        if std::ptr::eq(self.clause, self.check.clause) { Err(stop) } else { self.note(Err(stop)) }
    }

    /// A condition holds; what was seen is the evidence itself.
    pub(crate) fn shows(
        &self,
        evidence: &(impl Evidence + ?Sized),
        condition: bool,
        expected: &str,
    ) -> Verdict {
        self.holds(evidence, condition, expected, || evidence.excerpt())
    }

    /// Each of several named conditions holds; the first that does not is reported.
    pub(crate) fn all_hold(
        &self,
        evidence: &(impl Evidence + ?Sized),
        conditions: &[(&str, bool)],
    ) -> Verdict {
        conditions.iter().try_for_each(|(expected, condition)| self.shows(evidence, *condition, expected))
    }

    pub(crate) fn status(&self, response: &Response, code: u16) -> Verdict {
        self.shows(response, response.code() == code, &format!("status {code}"))
    }

    /// The answer is 200 with a JSON body, which is returned.
    pub(crate) fn ok_json(&self, response: &Response) -> Verdict<Value> {
        self.status(response, 200)?;
        response.json().ok_or_else(|| self.failure(response, "a JSON body", response.excerpt()))
    }

    pub(crate) fn with_json(&self, response: Response) -> Verdict<(Response, Value)> {
        let body = self.ok_json(&response)?;
        Ok((response, body))
    }

    /// The answer is 200 with a JSON body of this kind, which is returned.
    pub(crate) fn decoded<'r, T: Deserialize<'r>>(
        &self,
        response: &'r Response,
        expected: &str,
    ) -> Verdict<T> {
        self.ok_json(response)?;
        serde_json::from_slice(&response.body)
            .map_err(|error| self.failure(response, expected, format!("{error} in {}", response.excerpt())))
    }

    /// Where the platform keeps a journal, the rule by which it refused is one that fits.
    pub(crate) async fn cause_fits(
        &self,
        response: &Response,
        expected: &str,
        fits: impl Fn(Option<&str>) -> bool,
    ) -> Verdict {
        let Ok(control) = self.control() else { return Ok(()) };
        // Another process of the platform may have answered, whose journal is its own.
        let Some(entry) = control.entry_of(response).await? else { return Ok(()) };
        let cause = entry.cause.as_deref();
        self.holds(response, fits(cause), expected, || format!("refused by {cause:?}"))
    }

    /// Where the platform keeps a journal, it names the rule that refused.
    pub(crate) async fn has_a_cause(&self, response: &Response) -> Verdict {
        self.cause_fits(response, "a cause in the journal", |cause| cause.is_some()).await
    }
}

/// Lets what the checks of a section share judge evidence as the trial in it does.
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

/// Runs futures together, each to its end: the first error is answered only then, so that a failed check leaves nothing in
/// flight at the target.
pub(crate) async fn all_settled<T, E>(
    futures: impl IntoIterator<Item = impl Future<Output = Result<T, E>>>,
) -> Result<Vec<T>, E> {
    join_all(futures).await.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{Differences, Stop, Trial};
    use crate::clause;
    use crate::target::Target;
    use crate::verdict::Binding;
    use crate::world::World;

    #[test]
    fn what_breaks_a_clause_has_its_binding() {
        let world = World::new(Target::default(), 1).unwrap();
        let differences = Differences::default();
        let of = |id| Trial::new(&world, &clause(id).unwrap().checks[0]).collecting(&differences);
        let broken = |trial: Trial<'_>| match trial.shows("it", false, "something else") {
            Err(Stop::Failed(failure)) => Some((failure.clause, failure.binding)),
            _ => None,
        };
        let (bound, chosen) = (of("QUOTE-RATES"), of("OWNER-BAD"));
        assert_eq!(broken(bound), Some(("QUOTE-RATES", Binding::Interface)));
        assert_eq!(broken(chosen), Some(("OWNER-BAD", Binding::Choice)));
        let err = clause("SVC-ERR").unwrap();
        // Another clause's difference is collected and the check goes on; a choice judges choices itself.
        assert_eq!(broken(bound.by(err)), None);
        assert_eq!(broken(bound.chosen(err)), None);
        assert_eq!(broken(chosen.chosen(err)), Some(("OWNER-BAD", Binding::Choice)));
        let found: Vec<&str> = differences.into_inner().iter().map(|one| one.clause).collect();
        assert_eq!(found, ["SVC-ERR"]);
    }
}
