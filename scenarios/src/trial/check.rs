//! A check and its execution; the caller schedules checks and reports the results.
use std::collections::BTreeSet;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

use parking_lot::Mutex;

use crate::client::calls::{BEARERS, CALLS, CAPTCHAS, Call};
use crate::model::target::Need;
use crate::model::verdict::{Differences, Failure, Outcome, Stop, Verdict};
use crate::trial::Trial;
use crate::trial::clause::{Clause, Location};
use crate::trial::world::World;

/// The effects that a check may have on the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// Only reads: safe against any target, and in parallel with other reads.
    Read,
    /// Sends transactions or stores facts without disturbing readers: may run in parallel with others.
    Write,
    /// Moves the clock, pauses creation, uses up a limit or uses checkpoints: runs alone.
    Exclusive,
}

/// The part of a target that a check is about, and that must be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Profile {
    /// The REST service alone.
    Rest,
    /// The swap service, with quotes compared with the chain.
    Swap,
    /// The chains: contracts, and REST answers compared with them.
    Chain,
    /// The tool server.
    Tools,
}

/// A profile with the access of its checks. Written `rest`, `rest+write`, `rest+limits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    pub(crate) profile: Profile,
    /// The access of its checks.
    pub access: Access,
}

/// The access that the checks of a part have to the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Only reads.
    Read,
    /// Sends transactions, which requires keys.
    Write,
    /// Moves the clock and uses up limits, which requires a control plane.
    Limits,
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self.profile {
            Profile::Rest => "rest",
            Profile::Swap => "swap",
            Profile::Chain => "chain",
            Profile::Tools => "tools",
        })?;
        formatter.write_str(match self.access {
            Access::Read => "",
            Access::Write => "+write",
            Access::Limits => "+limits",
        })
    }
}

/// The result of a check's run.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Its outcome.
    pub outcome: Outcome,
    /// Every difference from this project's choices, in the order of discovery.
    pub differences: Vec<Failure>,
    /// The statements of the interface on which it reached a verdict.
    pub statements: Vec<&'static str>,
    /// Parts of the target that would have enabled further judgements, but are missing.
    pub lacking: Vec<Need>,
}

/// The statements that a check has examined, if it depends on what the target happens to offer.
#[derive(Debug, Default)]
pub(crate) struct LookedAt(Mutex<Option<BTreeSet<&'static str>>>);

impl LookedAt {
    /// Adds statements; from then on, only added ones count.
    pub(crate) fn add(&self, statements: impl IntoIterator<Item = &'static str>) {
        self.0.lock().get_or_insert_default().extend(statements);
    }
}

/// The future of a check's body.
pub(crate) type Run<'a> = Pin<Box<dyn Future<Output = Verdict> + Send + 'a>>;

/// One executable check of a clause.
#[derive(Clone, Copy)]
pub struct Check {
    /// Stable id; never reused.
    pub id: &'static str,
    /// The clause it checks.
    pub clause: &'static Clause,
    /// What it tests, in one sentence.
    pub summary: &'static str,
    /// The statements of its clause that it examines; all of them if `None`.
    pub(crate) statements: Option<&'static [&'static str]>,
    /// Its effects on the target.
    pub lane: Lane,
    /// Its requirements on the target.
    pub needs: &'static [Need],
    /// Whether it runs after all other checks, and judges what they have received.
    pub after_all: bool,
    /// Where it is declared.
    pub location: Location,
    pub(crate) body: fn(Trial<'_>) -> Run<'_>,
}

impl Check {
    /// Returns the part of a profile that it belongs to.
    pub fn part(&self) -> Part {
        let needs = |need: Need| self.needs.contains(&need);
        let profile = if needs(Need::ToolServer) {
            Profile::Tools
        } else if needs(Need::Swap) {
            Profile::Swap
        } else if needs(Need::PrimaryChain) || needs(Need::SecondChain) {
            Profile::Chain
        } else {
            Profile::Rest
        };
        let access = if needs(Need::Control) {
            Access::Limits
        } else if needs(Need::Accounts) || self.lane > Lane::Read {
            Access::Write
        } else {
            Access::Read
        };
        Part { profile, access }
    }

    /// Returns the statements of the interface that it examines.
    pub fn statements(&self) -> &'static [&'static str] {
        self.statements.unwrap_or_else(|| self.clause.statements())
    }

    /// Returns a need that the target of a world lacks. Commands that a target declares replace the control plane for checks that use it
    /// for nothing else.
    pub fn lacks(&self, world: &World) -> Option<Need> {
        let conventions = &world.target().conventions;
        let is_declared = |call: &Call| match call.path {
            CAPTCHAS => conventions.captcha.is_some(),
            BEARERS => conventions.bearer.is_some(),
            _ => false,
        };
        let mut calls = CALLS.iter().filter(|call| call.is_needed_by(self.id)).peekable();
        let replaced = calls.peek().is_some() && calls.all(is_declared);
        let mut needs = self.needs.iter().copied();
        needs.find(|need| !(world.offers(*need) || replaced && *need == Need::Control))
    }

    /// Runs the check against a world. In a strict run a difference fails. If it finds something in answers that other checks have read,
    /// which may be from another moment, it runs again without shared answers.
    pub async fn run(&'static self, world: &World, strict: bool) -> Ran {
        let world = world.for_another();
        let ran = self.run_once(&world, strict).await;
        let found_nothing = ran.outcome == Outcome::Passed || matches!(ran.outcome, Outcome::Skipped(_));
        if found_nothing || !world.http().has_reused() {
            ran
        } else {
            self.run_once(&world.alone(), strict).await
        }
    }

    async fn run_once(&'static self, world: &World, strict: bool) -> Ran {
        let (differences, looked_at) = (Differences::default(), LookedAt::default());
        let trial = Trial::new(world, self).collecting(&differences).noting(&looked_at);
        let verdict = trial.part(ended((self.body)(trial).await));
        let is_whole = matches!(verdict, Ok(Some(())));
        let differences = differences.into_inner();
        let of = (self.clause.id, self.clause.binding());
        let outcome = Outcome::of(verdict.map(drop), &differences, of, strict);
        let noted = looked_at.0.into_inner();
        let statements = match noted {
            _ if !outcome.is_decided() => Vec::new(),
            Some(noted) => noted.into_iter().collect(),
            // Statements that a difference kept it from examining do not count; a breach is a verdict on all.
            None if is_whole || matches!(outcome, Outcome::Failed(_)) => self.statements().to_vec(),
            None => Vec::new(),
        };
        Ran { outcome, differences, statements, lacking: world.lacking() }
    }
}

/// A difference that ends a check early says so.
fn ended(mut verdict: Verdict) -> Verdict {
    if let Err(Stop::Failed(failure)) = &mut verdict
        && !failure.binding.binds_every_platform()
    {
        failure.actual.push_str("; the rest of the check was not run");
    }
    verdict
}

impl fmt::Debug for Check {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Check")
            .field("id", &self.id)
            .field("clause", &self.clause.id)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::Address;

    use super::{Check, Run};
    use crate::clause;
    use crate::model::conventions::{Conventions, PrintingCommand};
    use crate::model::target::{Need, PRIMARY, Target};
    use crate::model::verdict::Outcome;
    use crate::trial::Trial;
    use crate::trial::world::World;

    fn chosen(trial: Trial<'_>) -> Trial<'_> {
        trial.by(clause("OWNER-BAD").unwrap())
    }

    fn goes_on(trial: Trial<'_>) -> Run<'_> {
        Box::pin(async move {
            chosen(trial).require("it", false, "one")?;
            chosen(trial).part(Err::<(), _>(chosen(trial).failure("it", "two", "seen"))).map(drop)
        })
    }

    fn ends(trial: Trial<'_>) -> Run<'_> {
        Box::pin(async move {
            chosen(trial).require("it", false, "one")?;
            Err(chosen(trial).failure("it", "two", "seen"))
        })
    }

    /// A check of a binding clause finds two differences; the statements that it examined nevertheless count.
    #[tokio::test]
    async fn a_check_that_a_difference_ends_says_so_and_counts_no_statement() {
        let world = World::new(Target::default(), 1).unwrap();
        let bound = clause("QUOTE-RATES").unwrap().checks[0];
        for (body, is_whole) in [(goes_on as fn(Trial<'_>) -> Run<'_>, true), (ends, false)] {
            let check: &'static Check = Box::leak(Box::new(Check { body, ..bound }));
            let ran = check.run(&world, false).await;
            assert!(matches!(ran.outcome, Outcome::Difference(_)), "{ran:?}");
            let found: Vec<(&str, bool)> = ran
                .differences
                .iter()
                .map(|one| (one.expected.as_str(), one.actual.ends_with("was not run")))
                .collect();
            assert_eq!(found, [("one", false), ("two", !is_whole)]);
            assert_eq!(ran.statements.is_empty(), !is_whole, "{ran:?}");
        }
    }

    #[test]
    fn commands_take_the_place_of_a_control_plane() {
        let command = |key| PrintingCommand { key, program: "true".to_owned(), arguments: Vec::new() };
        let lacks = |conventions: Conventions, id: &str| {
            let base_url = Some("http://127.0.0.1:1".parse().unwrap());
            let world = World::new(Target { base_url, conventions, ..Target::default() }, 1).unwrap();
            crate::checks().find(|check| check.id == id).unwrap().lacks(&world)
        };
        let captcha = || Conventions { captcha: Some(command("captcha-command")), ..Conventions::default() };
        let bearer = || Conventions { bearer: Some(command("bearer-command")), ..Conventions::default() };
        for (conventions, id, lacking) in [
            (Conventions::default(), "chat-get-array", Some(Need::Control)),
            (captcha(), "chat-get-array", None),
            (bearer(), "chat-get-array", Some(Need::Control)),
            // It also uses up a limit and waits for the end of the minute.
            (captcha(), "chat-rate", Some(Need::Control)),
            (bearer(), "referral-access", None),
            (captcha(), "capabilities-paused", Some(Need::Control)),
            (captcha(), "chat-get-public", None),
            (captcha(), "swap-pairs", Some(Need::Swap)),
        ] {
            assert_eq!(lacks(conventions, id), lacking, "{id}");
        }
    }

    #[test]
    fn a_declared_hook_takes_the_place_of_a_service_that_names_it() {
        let lacks = |hook: Option<Address>, id: &str| {
            let conventions = Conventions { hook, ..Conventions::default() };
            let rpc_urls = [(PRIMARY, "http://127.0.0.1:1".parse().unwrap())].into();
            let world = World::new(Target { rpc_urls, conventions, ..Target::default() }, 1).unwrap();
            crate::checks().find(|check| check.id == id).unwrap().lacks(&world)
        };
        for (hook, id, lacking) in [
            (None, "chain-launch-limits", Some(Need::LaunchHook)),
            (Some(Address::ZERO), "chain-launch-limits", None),
            (Some(Address::ZERO), "chain-curve-exact", Some(Need::Accounts)),
            (Some(Address::ZERO), "token-after-launch", Some(Need::Rest)),
        ] {
            assert_eq!(lacks(hook, id), lacking, "{id}");
        }
    }
}
