//! Why a seeded defect turns checks red of clauses that it does not name. Left without a reason is what nobody expects: a fault in one
//! place that a check of another notices.
use slipway_defects::{Defect, Layer, catalogue};
use slipway_scenarios::{Check, checks, sections};

/// Defects and checks of different places, and why.
const TABLE: &[(&str, &str, &str)] = &[
    ("cap-hook-unlisted", "hist-order", HOOKS),
    ("cap-hook-unlisted", "hist-read", HOOKS),
    ("cap-hook-unlisted", "leaderboard-points", HOOKS),
    ("cap-stock-hooks-unlisted", "leaderboard-points", HOOKS),
    (
        "cap-stock-hooks-unlisted",
        "stocks-quote-assets",
        "it compares assets with the hooks that capabilities name",
    ),
    ("chat-get-wrapped", "hist-order", "it reads the messages that its clients have written"),
    ("list-search-alone", "chain-after-graduation", "it looks for the graduated token by status and search"),
    ("owner-missing-empty", "service-methods", "it asks every endpoint without its parameters"),
    ("swap-fee-as-number", "service-amounts", "it reads the amounts of quotes"),
    ("swap-no-route-as-missing", "service-amounts", "it reads the amounts of quotes"),
    ("token-first-version-progress", "chain-first-version", "it compares a token of V1 with its contract"),
    ("token-first-version-unknown", "capabilities-trade", "it asks for tokens of V1 by their address"),
    ("token-first-version-unknown", "recent-chain", "it asks for tokens of V1 by their address"),
    ("token-market-cap-coarse", "chain-first-version", RECORD),
    ("token-market-cap-coarse", "hist-order", RECORD),
    ("token-market-cap-coarse", "hist-read", RECORD),
    ("token-new-late", "chain-after-graduation", AFTER_LAUNCH),
    ("token-new-late", "hist-order", AFTER_LAUNCH),
    ("token-new-late", "hist-read", AFTER_LAUNCH),
    ("token-new-late", "stocks-launch", AFTER_LAUNCH),
];
const HOOKS: &str = "it learns from capabilities which contracts emit trades";
const RECORD: &str = "it recomputes every figure of the token that it reads";
const AFTER_LAUNCH: &str = "it reads a token right after its launch";

/// Why this defect may turn this check red although it does not name its clause; none where nobody knows.
pub(crate) fn reason(defect: &str, check: &str) -> Option<&'static str> {
    let defect = catalogue().iter().find(|one| one.id == defect)?;
    let check = checks().find(|one| one.id == check)?;
    by_kind(defect, check).or_else(|| {
        let listed = TABLE.iter().find(|(id, reddened, _)| (*id, *reddened) == (defect.id, check.id));
        listed.map(|(.., reason)| *reason)
    })
}

fn by_kind(defect: &Defect, check: &Check) -> Option<&'static str> {
    let names = |start: &str| defect.clauses.iter().any(|clause| clause.starts_with(start));
    if section(check.clause.id).is_some_and(|of| defect.clauses.iter().any(|id| section(id) == Some(of))) {
        Some("checks of one part of the interface read the same answers")
    } else if check.clause.id.starts_with("FIG-") {
        Some("every figure of every endpoint is recomputed, so that a fault of an endpoint is a wrong figure")
    } else if names("FIG-") || names("HIST-") {
        Some("a lie that is told on every endpoint is noticed by every check that reads what it is about")
    } else if names("SVC-") {
        Some("a fault of every answer is noticed by every check that receives one")
    } else if defect.layer == Layer::Chain {
        Some("a broken contract is noticed by every check that launches or trades with it")
    } else if defect.layer == Layer::Node {
        Some("a broken node is noticed by every check that asks or signs for it")
    } else {
        None
    }
}

/// The part of the interface that a clause is of.
fn section(clause: &str) -> Option<&'static str> {
    sections().find(|(_, clauses)| clauses.iter().any(|one| one.id == clause)).map(|(title, _)| title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_elsewhere_has_no_reason() {
        for (defect, check) in [
            ("list-count-everything", "list-pages-rounded"),
            ("list-count-everything", "chat-rate"),
            ("mcp-wallet-panics", "list-totals"),
            ("no-such-defect", "list-totals"),
        ] {
            assert_eq!(reason(defect, check), None, "{defect} {check}");
        }
        for (defect, check) in [
            ("list-count-everything", "list-search"),
            ("list-count-everything", "fig-same"),
            ("lie-name", "list-search"),
            ("chain-buy-rounds-up", "tool-server-preview-reality"),
            ("svc-refusal-without-status", "chat-rate"),
            ("owner-missing-empty", "service-methods"),
        ] {
            assert!(reason(defect, check).is_some(), "{defect} {check}");
        }
    }

    #[test]
    fn listed_reasons_are_of_what_there_is_and_needed() {
        for (id, reddened, _) in TABLE {
            let defect = catalogue().iter().find(|one| one.id == *id).unwrap();
            let check = checks().find(|one| one.id == *reddened).unwrap();
            assert_eq!(by_kind(defect, check), None, "{id} {reddened}");
            assert!(!defect.clauses.contains(&check.clause.id), "{id} {reddened}");
        }
    }
}
