//! Clauses: the statements a platform is held to, each declared where its checks are.
use std::fmt;

use crate::check::Check;

/// One checkable statement.
#[derive(Clone, Copy, Debug)]
pub struct Clause {
    /// Stable id; never reused.
    pub id: &'static str,
    /// What must hold.
    pub text: &'static str,
    /// What it rests on, and therefore which platforms it binds.
    pub basis: Basis,
    /// The checks that hold it.
    pub checks: &'static [Check],
    /// Where it is declared.
    pub location: Location,
}

impl Clause {
    /// Whom it binds.
    pub fn binding(&self) -> Binding {
        match self.basis {
            Basis::Interface(_) => Binding::Interface,
            Basis::Standard(_) => Binding::Standard,
            Basis::Choice(_) => Binding::Choice,
        }
    }

    /// The statements of the interface that it checks, or whose gaps it closes.
    pub fn statements(&self) -> &'static [&'static str] {
        match self.basis {
            Basis::Interface(statements) | Basis::Choice(statements) => statements,
            Basis::Standard(_) => &[],
        }
    }

    /// Title of the part of the interface it belongs to.
    pub fn section(&self) -> &'static str {
        let found = crate::sections().find(|(_, clauses)| clauses.iter().any(|clause| clause.id == self.id));
        found.map(|(title, _)| title).unwrap_or_default()
    }
}

/// What a clause rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Statements of the interface, by their ids.
    Interface(&'static [&'static str]),
    /// A section of a public standard that every conforming platform keeps.
    Standard(&'static str),
    /// A choice of this project where these statements leave something open.
    Choice(&'static [&'static str]),
}

/// Whom a clause binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Every platform: the interface says so.
    Interface,
    /// Every platform: a public standard that the interface rests on says so.
    Standard,
    /// This project's platform only, which chose where the interface leaves something open. An external target that
    /// chose otherwise is reported as a difference, and fails only in a strict run.
    Choice,
}

impl Binding {
    /// Whether a breach fails a platform that is not this project's.
    pub fn binds_every_platform(self) -> bool {
        self != Self::Choice
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Interface => "interface",
            Self::Standard => "standard",
            Self::Choice => "choice",
        })
    }
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

/// Declares a clause with its checks: `NAME = "ID" (basis): "text"; check!(…); …`. The basis is a list of statements
/// (`S1, S2`), `standard "RFC 9110 section 15.5.6"`, or `choice` with the statements that leave something open (`choice S1, S2`).
macro_rules! clause {
    ($name:ident = $id:literal (choice $($beside:ident),*): $($rest:tt)+) => {
        clause!(@ $name, $id, Choice(&[$(stringify!($beside)),*]), $($rest)+);
    };
    ($name:ident = $id:literal (standard $standard:literal): $($rest:tt)+) => {
        clause!(@ $name, $id, Standard($standard), $($rest)+);
    };
    ($name:ident = $id:literal ($($statement:ident),+): $($rest:tt)+) => {
        clause!(@ $name, $id, Interface(&[$(stringify!($statement)),+]), $($rest)+);
    };
    (@ $name:ident, $id:literal, $basis:ident($($on:tt)+), $text:literal; $($check:expr;)+) => {
        pub(crate) static $name: $crate::clause::Clause = {
            // The name by which `check!`, which is written inside this block, finds its clause.
            use self::$name as CLAUSE;
            $crate::clause::Clause {
                id: $id,
                text: $text,
                basis: $crate::clause::Basis::$basis($($on)+),
                checks: &[$($check),+],
                location: $crate::clause::Location { file: file!(), line: line!() },
            }
        };
    };
}

/// Declares a check inside a clause: `"id" [Lane; Needs] function(more arguments) on Snapshot: "summary"`. The function is
/// handed the trial; with a snapshot it is judged against one that does not change, and `after all` it runs after all others,
/// whose answers it judges. Boxing happens in a function of this
/// crate, so that the code of the checks is compiled here and not wherever they are run.
macro_rules! check {
    (
        $id:literal [$lane:ident; $($need:ident),+]
        $($function:ident)::+ $(($($argument:expr),+))? $(on $snapshot:ident)? $(after $all:ident)?: $summary:literal
    ) => {
        $crate::check::Check {
            id: $id,
            clause: &CLAUSE,
            summary: $summary,
            lane: $crate::check::Lane::$lane,
            needs: &[$($crate::check::Need::$need),+],
            after_all: check!(@after $($all)?),
            location: $crate::clause::Location { file: file!(), line: line!() },
            body: {
                #[inline(never)]
                fn body(trial: $crate::trial::Trial<'_>) -> $crate::check::Run<'_> {
                    Box::pin(async move {
                        check!(@run trial, ($($snapshot)?), $($function)::+, $($($argument),+)?)
                    })
                }
                body
            },
        }
    };
    (@after all) => {
        true
    };
    (@after) => {
        false
    };
    (@run $trial:ident, (), $function:path, $($argument:expr),*) => {
        $function(&$trial, $($argument),*).await
    };
    (@run $trial:ident, ($snapshot:ident), $function:path, $($argument:expr),*) => {
        $crate::steady::on_steady::<$crate::steady::$snapshot, _>(&$trial, |trial, snapshot| {
            Box::pin($function(trial, snapshot, $($argument),*))
        })
        .await
    };
}

/// Lists the clauses of a section, in the order of the interface.
macro_rules! section {
    ($($($clause:ident)::+),+ $(,)?) => {
        pub(crate) static CLAUSES: &[&$crate::clause::Clause] = &[$(&$($clause)::+),+];
    };
}

pub(crate) use {check, clause, section};

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
