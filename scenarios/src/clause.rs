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
    /// Whom it binds.
    pub binding: Binding,
    /// The checks that hold it.
    pub checks: &'static [Check],
    /// Where it is declared.
    pub location: Location,
}

impl Clause {
    /// Title of the part of the interface it belongs to.
    #[must_use]
    pub fn section(&self) -> &'static str {
        let found = crate::sections().find(|(_, clauses)| clauses.iter().any(|clause| clause.id == self.id));
        found.map(|(title, _)| title).unwrap_or_default()
    }
}

/// Whom a clause binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Every platform: the interface says so.
    Interface,
    /// This implementation, which chose where the interface leaves it open. An external target that differs is reported,
    /// and failed only when asked strictly.
    ImplementationDefined,
}

impl fmt::Display for Binding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Interface => "interface",
            Self::ImplementationDefined => "implementation-defined",
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

/// Declares a clause with its checks: `NAME = "ID" (binding): "text"; check!(…); …`.
macro_rules! clause {
    ($name:ident = $id:literal ($binding:ident): $text:literal; $($check:expr;)+) => {
        pub(crate) static $name: $crate::clause::Clause = {
            // The name by which `check!`, which is written inside this block, finds its clause.
            use self::$name as CLAUSE;
            $crate::clause::Clause {
                id: $id,
                text: $text,
                binding: $crate::clause::Binding::$binding,
                checks: &[$($check),+],
                location: $crate::clause::Location { file: file!(), line: line!() },
            }
        };
    };
}

/// Declares a check inside a clause: `"id" [Lane; Needs] function(more arguments) on Snapshot: "summary"`. The function is
/// handed the trial; with a snapshot it is judged against one that stands still, and `after all` it runs after all others,
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
        $crate::market::on_steady::<$crate::market::$snapshot, _>(&$trial, |trial, snapshot| {
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

    use super::Binding;
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
        let binding = |id| clause(id).map(|clause| clause.binding);
        assert_eq!(binding("LIST-PAGE"), Some(Binding::Interface));
        assert_eq!(binding("SVC-ERR"), Some(Binding::ImplementationDefined));
        assert_eq!(binding("NO-SUCH-CLAUSE"), None);
        let (clause, check) = (clause("LIST-BAD").unwrap(), clause("LIST-BAD").unwrap().checks[1]);
        assert!(clause.location.file.ends_with("sections/list/refusals.rs"), "{}", clause.location);
        assert!(check.location.line > clause.location.line, "{} {}", clause.location, check.location);
        assert_eq!(check.clause.id, clause.id);
    }
}
