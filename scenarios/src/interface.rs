//! The interface as numbered statements, read from `interface.md`: what clauses rest on. It knows no check.
use std::sync::LazyLock;

/// One statement of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Stable id; never reused.
    pub id: &'static str,
    /// What the interface says.
    pub text: &'static str,
    /// What it leaves open, so that a platform must choose.
    pub gap: Option<&'static str>,
}

/// A chapter of statements.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Its title.
    pub title: &'static str,
    /// What it covers, in one sentence.
    pub introduction: &'static str,
    /// Its statements.
    pub statements: Vec<Statement>,
}

const DOCUMENT: &str = include_str!("interface.md");

static GROUPS: LazyLock<Vec<Group>> = LazyLock::new(|| DOCUMENT.split("\n## ").skip(1).map(group).collect());

/// Every group, in the order of the document.
pub fn groups() -> &'static [Group] {
    &GROUPS
}

/// Every statement, in the order of the document.
pub fn statements() -> impl Iterator<Item = &'static Statement> {
    groups().iter().flat_map(|group| &group.statements)
}

/// The statement of an id.
pub fn statement(id: &str) -> Option<&'static Statement> {
    statements().find(|statement| statement.id == id)
}

/// A chapter of the document: its title, its introduction, then a list of statements.
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

    use super::{DOCUMENT, Group, groups, statements};
    use crate::clauses;

    /// Statements that no check of this crate can try, with the reason.
    const UNTRIED: &[(&str, &str)] = &[
        ("S42", "a promise about later versions; clients must bear it"),
        ("S162", "says what an endpoint does not report"),
        ("S270", "needs a machine with Windows"),
        ("S326", "says that no other limits are stated"),
    ];

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
        }
    }

    #[test]
    fn statements_have_a_check_or_a_reason() {
        let tried: BTreeSet<&str> =
            clauses().flat_map(|clause| clause.statements().iter().copied()).collect();
        for statement in statements() {
            let reason = UNTRIED.iter().any(|(id, _)| *id == statement.id);
            let has_check = tried.contains(statement.id);
            assert!(
                has_check != reason,
                "{}: has a check: {has_check}, has a reason: {reason}",
                statement.id
            );
        }
    }
}
