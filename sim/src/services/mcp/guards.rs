//! The one place where a finding becomes a refusal, so that a guard can be switched off by its name and nowhere else.
use std::collections::BTreeSet;

/// Which guards stand. All of them, unless a seeded defect says otherwise.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guards {
    off: BTreeSet<&'static str>,
}

/// What a guard raises: it knows the guard's name.
pub(crate) trait Raised {
    /// The name of the guard.
    fn guard(&self) -> &'static str;
}

impl Raised for super::refusal::Refusal {
    fn guard(&self) -> &'static str {
        self.code()
    }
}

impl Guards {
    /// All guards but the named ones.
    pub(crate) fn without(off: BTreeSet<&'static str>) -> Self {
        Self { off }
    }

    /// Refuses unless the statement is true.
    pub(crate) fn hold<R: Raised>(&self, statement: bool, refusal: R) -> Result<(), R> {
        if statement || self.off.contains(refusal.guard()) { Ok(()) } else { Err(refusal) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::refusal::Refusal;
    use super::*;

    #[test]
    fn a_guard_refuses_until_it_is_switched_off() {
        let all = Guards::default();
        assert_eq!(all.hold(true, Refusal::TickerDollar), Ok(()));
        assert_eq!(all.hold(false, Refusal::TickerDollar), Err(Refusal::TickerDollar));
        let some = Guards::without(BTreeSet::from(["ticker-dollar"]));
        assert_eq!(some.hold(false, Refusal::TickerDollar), Ok(()));
        assert_eq!(some.hold(false, Refusal::NotConfirmed), Err(Refusal::NotConfirmed));
    }

    #[test]
    fn codes_are_distinct() {
        let codes: BTreeSet<_> = Refusal::CODES.iter().collect();
        assert_eq!(codes.len(), Refusal::CODES.len());
    }
}
