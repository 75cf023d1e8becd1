//! The interface as numbered statements, parsed from `interface.md`; clauses are based on them. Knows no check.
use std::sync::LazyLock;

/// One statement of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Stable id; never reused.
    pub id: &'static str,
    /// The text of the statement.
    pub text: &'static str,
    /// The gap that it leaves, which every platform must fill.
    pub gap: Option<&'static str>,
}

/// A chapter of statements.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Its title.
    pub title: &'static str,
    /// Its topic, in one sentence.
    pub introduction: &'static str,
    /// Its statements.
    pub statements: Vec<Statement>,
}

const DOCUMENT: &str = include_str!("../../interface.md");

static GROUPS: LazyLock<Vec<Group>> = LazyLock::new(|| DOCUMENT.split("\n## ").skip(1).map(group).collect());

/// Returns every group, in document order.
pub fn groups() -> &'static [Group] {
    &GROUPS
}

/// Returns every statement, in document order.
pub fn statements() -> impl Iterator<Item = &'static Statement> {
    groups().iter().flat_map(|group| &group.statements)
}

/// Returns the statement with this id.
pub fn statement(id: &str) -> Option<&'static Statement> {
    statements().find(|statement| statement.id == id)
}

/// Statements that no check judges on a third-party platform, with the reasons.
const NOT_JUDGED: &[(&str, &str)] = &[
    ("S42", "a promise about later versions, which clients must bear"),
    ("S43", "a duty of clients"),
    ("S121", "what makes a token trend is left open"),
    ("S162", "says what an endpoint does not report"),
    ("S192", "advice to partners"),
    ("S210", "what a milestone is, and what it earns, is left open"),
    ("S222", "a duty of clients"),
    ("S270", "needs a tool server on Windows"),
    ("S326", "says that no other limits are stated"),
    ("S330", "a promise about later versions, which clients must bear"),
];

/// Returns why no check judges a statement; `None` if one does.
pub fn why_not_judged(id: &str) -> Option<&'static str> {
    NOT_JUDGED.iter().find(|(one, _)| *one == id).map(|(_, reason)| *reason)
}

/// Parses a chapter of the document: title, introduction, then a list of statements.
fn group(chapter: &'static str) -> Group {
    let mut group = Group::default();
    for line in chapter.lines() {
        if let Some(gap) = line.strip_prefix("  - *Open*: ") {
            if let Some(statement) = group.statements.last_mut() {
                statement.gap = Some(gap);
            }
        } else if let Some((id, text)) = line.strip_prefix("- **").and_then(|line| line.split_once("** ")) {
            group.statements.push(Statement { id, text, gap: None });
        } else if group.title.is_empty() {
            group.title = line;
        } else {
            group.introduction = if line.is_empty() { group.introduction } else { line };
        }
    }
    group
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{DOCUMENT, Group, NOT_JUDGED, groups, statement, statements, why_not_judged};
    use crate::clauses;

    #[test]
    fn statement_ids_are_unique() {
        let ids: Vec<&str> = statements().map(|statement| statement.id).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
        assert_eq!(ids.len(), 331);
    }

    #[test]
    fn every_line_of_the_document_is_read() {
        let lines = DOCUMENT.lines().skip_while(|line| !line.starts_with("## "));
        let of_group = |group: &Group| {
            let gaps = group.statements.iter().filter(|statement| statement.gap.is_some()).count();
            2 + group.statements.len() + gaps
        };
        assert_eq!(
            groups().iter().map(of_group).sum::<usize>(),
            lines.filter(|line| !line.is_empty()).count()
        );
    }

    #[test]
    fn clauses_rest_on_statements_that_exist() {
        let known: BTreeSet<&str> = statements().map(|statement| statement.id).collect();
        for clause in clauses() {
            for id in clause.statements() {
                assert!(known.contains(id), "{} rests on {id}, which is no statement", clause.id);
            }
            let looked_at = || clause.checks.iter().flat_map(crate::Check::statements);
            for id in looked_at() {
                assert!(clause.statements().contains(id), "a check of {} looks at {id}", clause.id);
            }
            for id in clause.statements() {
                assert!(looked_at().any(|one| one == id), "no check of {} looks at {id}", clause.id);
            }
        }
    }

    #[test]
    fn statements_have_a_check_that_binds_or_a_reason() {
        let binding = clauses().filter(|clause| clause.binding().binds_every_platform());
        let judged: BTreeSet<&str> = binding.flat_map(|clause| clause.statements().iter().copied()).collect();
        for statement in statements() {
            let (is_judged, reason) = (judged.contains(statement.id), why_not_judged(statement.id));
            assert!(is_judged != reason.is_some(), "{}: judged: {is_judged}, but {reason:?}", statement.id);
        }
        assert!(NOT_JUDGED.iter().all(|(id, _)| statement(id).is_some()));
    }
}
