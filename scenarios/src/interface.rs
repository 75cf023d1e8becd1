//! The interface as numbered statements: the one table that clauses rest on. It knows no check.
mod batch;
mod capabilities;
mod chain;
mod chat;
mod featured;
mod general;
mod leaderboard;
mod list;
mod owner;
mod quote;
mod recent;
mod referral;
mod token;
mod tokens;
mod tool_safety;
mod tools;
mod upload;

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

/// Statements that a reader looks for together.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Its title.
    pub title: &'static str,
    /// What it covers, in one sentence.
    pub introduction: &'static str,
    /// Its statements.
    pub statements: &'static [Statement],
}

/// Every group, in the order of the document.
pub static GROUPS: &[Group] = &[
    Group {
        title: "General",
        introduction: "These statements define the scope, the supported chains, the JSON conventions, authentication in general, captcha tokens and compatibility.",
        statements: general::STATEMENTS,
    },
    Group {
        title: "Token fields and states",
        introduction: "A token object has these fields, each endpoint returns a part of them, and a token is in one of two funding states.",
        statements: tokens::STATEMENTS,
    },
    Group {
        title: "Token list",
        introduction: "`GET /api/tokens` lists tokens by page, with filters and sort orders.",
        statements: list::STATEMENTS,
    },
    Group {
        title: "Tokens by owner",
        introduction: "`GET /api/tokens/by-owner` lists the tokens that one wallet created, by page.",
        statements: owner::STATEMENTS,
    },
    Group {
        title: "Token batch",
        introduction: "`POST /api/tokens/batch` returns up to 50 tokens by address, with the groups of fields that the caller asks for.",
        statements: batch::STATEMENTS,
    },
    Group {
        title: "Recent launches",
        introduction: "`GET /api/tokens/recent-v2` lists recent V2 launches of one chain by offset.",
        statements: recent::STATEMENTS,
    },
    Group {
        title: "Single token",
        introduction: "`GET /api/token` returns the details of one token.",
        statements: token::STATEMENTS,
    },
    Group {
        title: "Leaderboard",
        introduction: "`GET /api/leaderboard` returns points and rankings.",
        statements: leaderboard::STATEMENTS,
    },
    Group {
        title: "Emperor and King",
        introduction: "`GET /api/eoti` returns the daily Emperor token with its auction bids, and `GET /api/koti` returns the King token.",
        statements: featured::STATEMENTS,
    },
    Group {
        title: "Chat",
        introduction: "`GET /api/chat` reads the messages of a token, and `POST /api/chat` posts one under authentication and limits.",
        statements: chat::STATEMENTS,
    },
    Group {
        title: "Image upload",
        introduction: "`POST /api/upload` stores a logo image, and partners host their images themselves.",
        statements: upload::STATEMENTS,
    },
    Group {
        title: "Capabilities",
        introduction: "`GET /api/capabilities` reports the deployments of a chain and lets a client check them before a launch.",
        statements: capabilities::STATEMENTS,
    },
    Group {
        title: "Referral programme",
        introduction: "The referral programme has codes, stats, registration, a leaderboard, rewards and limits.",
        statements: referral::STATEMENTS,
    },
    Group {
        title: "Swap service",
        introduction: "The swap service quotes swaps on the exchange and lists its pairs and tokens.",
        statements: quote::STATEMENTS,
    },
    Group {
        title: "Contracts",
        introduction: "The contracts create launches, emit events and enforce the limits of a launch.",
        statements: chain::STATEMENTS,
    },
    Group {
        title: "Tools",
        introduction: "The tool server has five tools with these arguments and results.",
        statements: tools::STATEMENTS,
    },
    Group {
        title: "Tool server settings and safety",
        introduction: "The tool server is configured by environment variables and follows rules for URLs, keys, caps and errors.",
        statements: tool_safety::STATEMENTS,
    },
];

/// Every statement, in the order of the document.
pub fn statements() -> impl Iterator<Item = &'static Statement> {
    GROUPS.iter().flat_map(|group| group.statements)
}

/// The statement of an id.
#[must_use]
pub fn statement(id: &str) -> Option<&'static Statement> {
    statements().find(|statement| statement.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::statements;
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
