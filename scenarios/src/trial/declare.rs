//! Macros that declare clauses and their checks.

/// Declares a clause with its checks: `NAME = "ID" (basis): "text"; check!(…); …`. The basis is a list of statements (`S1, S2`),
/// `standard "RFC 9110 section 15.5.6"`, or `choice` with the statements whose gaps it fills (`choice S1, S2`).
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
        pub(crate) static $name: $crate::trial::clause::Clause = {
            // `check!`, which is used inside this block, finds its clause by this name.
            use self::$name as CLAUSE;
            $crate::trial::clause::Clause {
                id: $id,
                text: $text,
                basis: $crate::trial::clause::Basis::$basis($($on)+),
                checks: &[$($check),+],
                location: $crate::trial::clause::Location { file: file!(), line: line!() },
            }
        };
    };
}

/// Declares a check inside a clause: `"id" [Lane; Needs; Statements] function(more arguments) on Snapshot: "summary"`. It examines the
/// named statements, else all of its clause. The function gets the trial; with a snapshot, it also gets a reading of the target and is
/// retried until the target does not move. With `after all` it runs after all other checks and judges their answers. The boxing function is
/// generated in this crate, so that the checks' code is compiled here and not in every crate that runs them.
macro_rules! check {
    (
        $id:literal [$lane:ident; $($need:ident),+ $(; $($statement:ident),+)?]
        $($function:ident)::+ $(($($argument:expr),+))? $(on $snapshot:ident)? $(after $all:ident)?: $summary:literal
    ) => {
        $crate::trial::check::Check {
            id: $id,
            clause: &CLAUSE,
            summary: $summary,
            statements: check!(@statements $($($statement),+)?),
            lane: $crate::trial::check::Lane::$lane,
            needs: &[$($crate::model::target::Need::$need),+],
            after_all: check!(@after $($all)?),
            location: $crate::trial::clause::Location { file: file!(), line: line!() },
            body: {
                #[inline(never)]
                fn body(trial: $crate::trial::Trial<'_>) -> $crate::trial::check::Run<'_> {
                    Box::pin(async move {
                        check!(@run trial, ($($snapshot)?), $($function)::+, $($($argument),+)?)
                    })
                }
                body
            },
        }
    };
    (@statements) => {
        None
    };
    (@statements $($statement:ident),+) => {
        Some(&[$(stringify!($statement)),+])
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
        $crate::truth::steady::on_steady::<$crate::truth::steady::$snapshot, _>(&$trial, |trial, snapshot| {
            Box::pin($function(trial, snapshot, $($argument),*))
        })
        .await
    };
}

/// Lists the clauses of a section, in the order of the interface.
macro_rules! section {
    ($($($clause:ident)::+),+ $(,)?) => {
        pub(crate) static CLAUSES: &[&$crate::trial::clause::Clause] = &[$(&$($clause)::+),+];
    };
}

pub(crate) use {check, clause, section};
