//! Clauses: the statements that a platform must satisfy, each declared next to its checks.
use std::fmt;

use crate::model::verdict::Binding;
use crate::trial::check::Check;

/// One checkable statement.
#[derive(Clone, Copy, Debug)]
pub struct Clause {
    /// Stable id; never reused.
    pub id: &'static str,
    /// The demand.
    pub text: &'static str,
    /// Its basis, which decides the platforms that it binds.
    pub basis: Basis,
    /// The checks that test it.
    pub checks: &'static [Check],
    /// Where it is declared.
    pub location: Location,
}

impl Clause {
    /// Returns which platforms it binds.
    pub fn binding(&self) -> Binding {
        match self.basis {
            Basis::Interface(_) => Binding::Interface,
            Basis::Standard(_) => Binding::Standard,
            Basis::Choice(_) => Binding::Choice,
        }
    }

    /// Returns the statements of the interface that it covers, or whose gaps it fills.
    pub fn statements(&self) -> &'static [&'static str] {
        match self.basis {
            Basis::Interface(statements) | Basis::Choice(statements) => statements,
            Basis::Standard(_) => &[],
        }
    }
}

/// The basis of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Statements of the interface, by their ids.
    Interface(&'static [&'static str]),
    /// A section of a public standard that every conforming platform follows.
    Standard(&'static str),
    /// A choice of this project that fills gaps of these statements.
    Choice(&'static [&'static str]),
}

/// A line of the source tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Path from the root of the workspace.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Binding, Clause};
    use crate::{checks, clause, clauses};

    #[test]
    fn ids_are_unique() {
        let clauses: Vec<&str> = clauses().map(|clause| clause.id).collect();
        let checks: Vec<&str> = checks().map(|check| check.id).collect();
        for ids in [clauses, checks] {
            assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
        }
    }

    #[test]
    fn clauses_have_their_binding_and_place() {
        let binding = |id| clause(id).map(Clause::binding);
        assert_eq!(binding("LIST-PAGE"), Some(Binding::Interface));
        assert_eq!(binding("SVC-ERR"), Some(Binding::Choice));
        assert_eq!(binding("NO-SUCH-CLAUSE"), None);
        let (clause, check) = (clause("LIST-BAD").unwrap(), clause("LIST-BAD").unwrap().checks[1]);
        assert!(clause.location.file.ends_with("sections/list/refusals.rs"), "{}", clause.location);
        assert!(check.location.line > clause.location.line, "{} {}", clause.location, check.location);
        assert_eq!(check.clause.id, clause.id);
    }
}
