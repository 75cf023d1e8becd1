//! The interface's requirements of a client, and how the journal of a run shows a violation.
use std::time::Duration;

use alloy::sol_types::SolCall as _;
use serde_json::Value;
use slipway_contracts::bindings::ILaunchHook::{
    createLaunchCall, createLaunchWithQuoteCall, createLaunchWithReferralCall,
};

use super::canary::Canaries;
use super::fault::Fault;
use super::record::{Broadcast, Exchange, Part};
use super::{trade, trade_rules};

/// Tolerance between a client's clock and the journal's.
const TOLERANCE: Duration = Duration::from_millis(10);
/// Requests this close together were sent before the first of them was answered.
const TOGETHER: Duration = Duration::from_millis(100);
/// Selectors of the calls that create a launch.
pub(super) const LAUNCHES: [[u8; 4]; 3] =
    [createLaunchCall::SELECTOR, createLaunchWithReferralCall::SELECTOR, createLaunchWithQuoteCall::SELECTOR];

/// One requirement.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) id: &'static str,
    /// The requirement, in one sentence.
    pub(super) sentence: &'static str,
    /// The clause that binds platforms to the same requirement; `slipway explain` describes it.
    pub(super) clause: &'static str,
    pub(super) judge: fn(&Case<'_>) -> Option<Breach>,
}

pub(super) struct Case<'a> {
    pub(super) fault: Fault,
    pub(super) exchanges: &'a [Exchange],
    /// The run without a fault, if this is a run with one.
    pub(super) undisturbed: Option<&'a [Exchange]>,
    /// The values planted for an agent.
    pub(super) canaries: Option<&'a Canaries>,
    /// Whether the client failed to end in time.
    pub(super) timed_out: bool,
}

pub(super) struct Breach {
    /// Number of the exchange, from 0.
    pub(super) exchange: usize,
    pub(super) expected: String,
    pub(super) actual: String,
    /// The clause, if it differs from the rule's.
    pub(super) clause: Option<&'static str>,
}

/// A breach of the rule's own clause.
pub(super) fn breach(exchange: usize, expected: impl Into<String>, actual: impl Into<String>) -> Breach {
    Breach { exchange, expected: expected.into(), actual: actual.into(), clause: None }
}

/// A breach with everything that a report shows.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) rule: &'static Rule,
    pub(super) clause: &'static str,
    pub(super) expected: String,
    pub(super) actual: String,
    /// Number of the exchange, from 1, and its description.
    pub(super) exchange: usize,
    pub(super) shown: String,
}

pub(super) static RULES: [Rule; 12] = [
    Rule {
        id: "broadcast-retried",
        sentence: "A transaction that was broadcast is waited for, at most 120 seconds, and never sent again.",
        clause: "MCP-RECEIPT",
        judge: broadcast_retried,
    },
    Rule {
        id: "private-cached",
        sentence: "Capabilities are private and not to be stored: a client asks for them before each launch.",
        clause: "CAP-CACHE",
        judge: private_cached,
    },
    Rule {
        id: "retry-after-ignored",
        sentence: "A request refused with 429 is not repeated before its Retry-After has passed.",
        clause: "UP-RATE-WALLET",
        judge: retry_after_ignored,
    },
    Rule {
        id: "withdrawn-capability-used",
        sentence: "A client launches only when the capabilities answered with success, for the chain it asked about, with `flags.create` on and an active deployment.",
        clause: "CAP-INACTIVE",
        judge: withdrawn_capability_used,
    },
    Rule {
        id: "captcha-reused",
        sentence: "A captcha token serves one request.",
        clause: "UP-CAPTCHA",
        judge: captcha_reused,
    },
    Rule {
        id: "limit-exceeded",
        sentence: "A client stays within the limits: in a minute 5 chat messages of an address, 10 referral codes, 30 reads of referral stats or the leaderboard, 5 registrations, 3 uploads of a wallet.",
        clause: "CHAT-POST-RATE",
        judge: limit_exceeded,
    },
    Rule {
        id: "other-chain-used",
        sentence: "Nothing is signed before the node has reported the chain id that it is meant for.",
        clause: "MCP-CHAIN-ID",
        judge: other_chain_used,
    },
    Rule {
        id: "unsimulated-transaction",
        sentence: "A transaction that came with a quote is simulated before it is signed.",
        clause: "QUOTE-BUILD",
        judge: unsimulated_transaction,
    },
    Rule {
        id: "trade-unbounded",
        sentence: "A trade states the least that it accepts, or the most that it pays: the price may move before it is mined.",
        clause: "QUOTE-MIN-OUT",
        judge: trade_rules::trade_unbounded,
    },
    Rule {
        id: "quote-altered",
        sentence: "A transaction that came with a quote is sent as it was shown: its recipient, its value and its deadline.",
        clause: "QUOTE-BUILD",
        judge: trade_rules::quote_altered,
    },
    Rule {
        id: "amount-rounded",
        sentence: "Amounts are whole numbers beyond 2^53, and a client keeps every digit of them.",
        clause: "SVC-AMOUNT",
        judge: trade_rules::amount_rounded,
    },
    Rule {
        id: "pages-unread",
        sentence: "A client that reads a list to its end follows the number of pages that the latest answer states.",
        clause: "LIST-PAGE",
        judge: pages_unread,
    },
];

/// The first breach of each rule in a run.
pub(super) fn judge(rules: &'static [Rule], case: &Case<'_>) -> Vec<Finding> {
    let finding = |rule: &'static Rule| {
        let Breach { exchange, expected, actual, clause } = (rule.judge)(case)?;
        let shown = case.exchanges.get(exchange).map(|exchange| exchange.asked.shown()).unwrap_or_default();
        let clause = clause.unwrap_or(rule.clause);
        Some(Finding { rule, clause, expected, actual, exchange: exchange + 1, shown })
    };
    rules.iter().filter_map(finding).collect()
}

/// All broadcasts with the numbers of their exchanges.
pub(super) fn broadcasts(exchanges: &[Exchange]) -> Vec<(usize, &Exchange, Broadcast)> {
    let of = |(number, exchange): (usize, &'_ Exchange)| {
        exchange.asked.broadcasts().map(move |sent| (number, sent)).collect::<Vec<_>>()
    };
    let numbered = exchanges.iter().enumerate().flat_map(of);
    numbered.map(|(number, sent)| (number, &exchanges[number], sent)).collect()
}

/// The broadcasts that repeat an earlier one, each with the earlier one's number: the same signed transaction, or the same trade or launch
/// again while the first is unanswered. A broadcast is no repetition if the client sends as many of them without a fault, or has seen the
/// receipt of the first.
fn repeated(case: &Case<'_>) -> Vec<(usize, usize)> {
    let sent = broadcasts(case.exchanges);
    let intended = case.undisturbed.map(broadcasts).unwrap_or_default();
    let mut found = Vec::new();
    for (place, (number, exchange, later)) in sent.iter().enumerate() {
        let alike = |others: &[(usize, &Exchange, Broadcast)]| {
            others.iter().filter(|(_, _, other)| trade::is_same(other, later)).count()
        };
        let is_more = case.undisturbed.is_some() && alike(&sent[..=place]) > alike(&intended);
        let earlier = sent[..place].iter().find(|(before, first, earlier)| {
            let is_same_transaction = later.hash.is_some() && later.hash == earlier.hash;
            let is_unanswered = first.is_disturbed || first.answered.is_none_or(|at| exchange.came < at);
            let is_again = is_more && is_unanswered && trade::is_same(earlier, later);
            is_same_transaction || (is_again && !has_receipt(&case.exchanges[*before..*number], earlier))
        });
        found.extend(earlier.map(|(earlier, ..)| (*number, *earlier)));
    }
    found
}

/// Whether the client received the receipt of a transaction.
fn has_receipt(exchanges: &[Exchange], sent: &Broadcast) -> bool {
    let Some(hash) = sent.hash.map(|hash| hash.to_string()) else { return false };
    exchanges.iter().any(|exchange| {
        let answers =
            exchange.answer.as_array().map_or(std::slice::from_ref(&exchange.answer), Vec::as_slice);
        answers.iter().any(|answer| answer["result"]["transactionHash"] == *hash)
    })
}

fn broadcast_retried(case: &Case<'_>) -> Option<Breach> {
    // A transaction that a reorganisation rolled back is no longer pending.
    if case.fault == Fault::Reorganisation {
        return None;
    }
    let (exchange, earlier) = *repeated(case).first()?;
    Some(breach(
        exchange,
        "one broadcast of each transaction, whatever its answer",
        format!("the transaction of request {} was sent again", earlier + 1),
    ))
}

/// The answers about capabilities in part of a run.
fn capabilities(exchanges: &[Exchange]) -> impl DoubleEndedIterator<Item = &Exchange> {
    exchanges
        .iter()
        .filter(|exchange| exchange.asked.part == Part::Rest && exchange.asked.path() == "/api/capabilities")
}

/// Every launch except repetitions: its number, its chain, and the answers about capabilities since the launch before it.
fn launches<'a>(case: &Case<'a>) -> Vec<(usize, u64, Vec<&'a Exchange>)> {
    let (exchanges, repeated) = (case.exchanges, repeated(case));
    let mut begin = 0;
    let mut found = Vec::new();
    for (number, exchange, sent) in broadcasts(exchanges) {
        let selector = sent.input.get(..4).unwrap_or_default();
        let is_launch = LAUNCHES.iter().any(|known| selector == known);
        let Part::Node(chain) = exchange.asked.part else { continue };
        if is_launch && !repeated.iter().any(|(again, _)| *again == number) {
            found.push((number, chain, capabilities(&exchanges[begin..number]).collect()));
            begin = number;
        }
    }
    found
}

fn private_cached(case: &Case<'_>) -> Option<Breach> {
    let expected = "the capabilities are asked for anew before each launch".to_owned();
    let conditional = case.exchanges.iter().position(|exchange| {
        exchange.asked.is_conditional
            && exchange.asked.part == Part::Rest
            && exchange.asked.path() == "/api/capabilities"
    });
    if let Some(exchange) = conditional {
        let actual = "asked whether a kept answer still holds".to_owned();
        return Some(breach(exchange, expected, actual));
    }
    let was_asked_before = |number: usize| {
        let undisturbed = case.undisturbed.is_some_and(|exchanges| capabilities(exchanges).next().is_some());
        undisturbed || capabilities(&case.exchanges[..number]).next().is_some()
    };
    let launches = launches(case);
    let (exchange, ..) =
        launches.iter().find(|(number, _, asked)| asked.is_empty() && was_asked_before(*number))?;
    Some(breach(*exchange, expected, "launched by an earlier answer"))
}

fn withdrawn_capability_used(case: &Case<'_>) -> Option<Breach> {
    let was_ever_asked = case.undisturbed.is_some_and(|exchanges| capabilities(exchanges).next().is_some())
        || capabilities(case.exchanges).next().is_some();
    launches(case).into_iter().find_map(|(exchange, chain, asked)| {
        let actual = match asked.last() {
            Some(last) => format!("launched although {}", obstacle(last, chain)?),
            None if was_ever_asked => return None,
            None => "launched without ever asking for the capabilities".to_owned(),
        };
        let expected = "a launch only where the latest answer about capabilities permits it".to_owned();
        Some(breach(exchange, expected, actual))
    })
}

/// Why an answer about capabilities rules out a launch.
fn obstacle(exchange: &Exchange, chain: u64) -> Option<String> {
    let answer = &exchange.answer;
    let is_truthy =
        |value: &Value| !matches!(value, Value::Null | Value::Bool(false)) && *value != 0 && *value != "";
    let status = &answer["activeCreationDeployment"]["status"];
    match exchange.status {
        None => Some("the answer about capabilities broke off".to_owned()),
        Some(code) if code != 200 => Some(format!("the capabilities were answered with {code}")),
        _ if answer["chainId"] != chain => Some(format!("the answer is about chain {}", answer["chainId"])),
        _ if !is_truthy(&answer["flags"]["create"]) => {
            Some(format!("flags.create is {}", answer["flags"]["create"]))
        }
        _ if status != "active" => Some(format!("activeCreationDeployment.status is {status}")),
        _ => None,
    }
}

fn retry_after_ignored(case: &Case<'_>) -> Option<Breach> {
    case.exchanges.iter().enumerate().find_map(|(number, refused)| {
        let wait = Duration::from_secs(refused.retry_after.filter(|_| refused.status == Some(429))?);
        let answered = refused.answered?;
        let mut together = case.undisturbed.map_or(1, |exchanges| sent_together(exchanges, refused));
        let later = case.exchanges[number + 1..].iter().position(|later| {
            let is_early =
                later.asked.limit == refused.asked.limit && later.came + TOLERANCE < answered + wait;
            if is_early && together > 1 && later.came < refused.came + TOGETHER {
                together -= 1;
                return false;
            }
            is_early && later.came > answered
        })?;
        let exchange = number + 1 + later;
        let waited = case.exchanges[exchange].came.saturating_sub(answered);
        Some(breach(
            exchange,
            format!(
                "after the refusal of request {} a wait of {} s, as its Retry-After says",
                number + 1,
                wait.as_secs()
            ),
            format!("asked again after {} ms", waited.as_millis()),
        ))
    })
}

/// How many requests under one limit the client sends together in a run without a fault.
fn sent_together(exchanges: &[Exchange], like: &Exchange) -> usize {
    let alike: Vec<Duration> =
        exchanges.iter().filter(|one| one.asked.limit == like.asked.limit).map(|one| one.came).collect();
    let from =
        |first: &Duration| alike.iter().filter(|came| (*first..*first + TOGETHER).contains(*came)).count();
    alike.iter().map(from).max().unwrap_or(1)
}

fn captcha_reused(case: &Case<'_>) -> Option<Breach> {
    case.exchanges.iter().enumerate().find_map(|(exchange, later)| {
        let captcha = later.asked.captcha.as_ref()?;
        let earlier = case.exchanges[..exchange].iter().position(|earlier| {
            // A request refused as malformed or for its rate has not used the captcha.
            let is_used = earlier.status == Some(403)
                || (earlier.is_forwarded
                    && !matches!(earlier.status, Some(400 | 401 | 404 | 413 | 415 | 429)));
            is_used && earlier.asked.captcha.as_ref() == Some(captcha)
        })?;
        Some(breach(
            exchange,
            "a fresh captcha token for each request",
            format!("sent the captcha token of request {} again", earlier + 1),
        ))
    })
}

fn limit_exceeded(case: &Case<'_>) -> Option<Breach> {
    let exchange =
        case.exchanges.iter().position(|exchange| exchange.is_forwarded && exchange.status == Some(429))?;
    let clause = match case.exchanges[exchange].asked.path() {
        "/api/upload" => Some("UP-RATE-WALLET"),
        "/api/referral/code" => Some("REF-CODE-RATE"),
        "/api/referral/stats" | "/api/referral/leaderboard" => Some("REF-READ-RATE"),
        "/api/referral/register" => Some("REF-REG-RATE"),
        _ => None,
    };
    let cause = case.exchanges[exchange].cause.as_deref().unwrap_or("its rate");
    Some(Breach {
        clause,
        exchange,
        expected: "no more requests than the limit allows".to_owned(),
        actual: format!("refused with 429 by the platform ({cause})"),
    })
}

fn other_chain_used(case: &Case<'_>) -> Option<Breach> {
    if case.fault != Fault::OtherChain {
        return None;
    }
    let (exchange, ..) = broadcasts(case.exchanges).into_iter().next()?;
    Some(breach(
        exchange,
        "nothing is sent to a node of another chain",
        "broadcast a transaction to a node that reports another chain id",
    ))
}

fn unsimulated_transaction(case: &Case<'_>) -> Option<Breach> {
    broadcasts(case.exchanges).into_iter().find_map(|(exchange, _, sent)| {
        let before = &case.exchanges[..exchange];
        let built = |exchange: &Exchange| {
            let data = exchange.answer["transaction"]["data"].as_str().map(str::to_lowercase);
            exchange.asked.part == Part::Swap && data == Some(sent.input.to_string())
        };
        let quote = before.iter().position(built)?;
        let mut calls = before[quote..].iter().flat_map(|exchange| &exchange.asked.calls);
        let is_simulated = calls.any(|call| call.simulated().contains(&sent.input));
        (!is_simulated).then(|| {
            breach(
                exchange,
                "eth_call or eth_estimateGas of a built transaction before it is signed",
                format!("sent the transaction of request {} without trying it", quote + 1),
            )
        })
    })
}

fn pages_unread(case: &Case<'_>) -> Option<Breach> {
    let exchange = case
        .exchanges
        .iter()
        .position(|exchange| case.fault == Fault::GrowingList && exchange.is_disturbed)?;
    let last = &case.exchanges[exchange];
    // A client that stops at the second-last page even without the fault does not read lists to the end.
    let reads_all = |exchanges: &[Exchange], pages: u64| {
        exchanges.iter().any(|exchange| exchange.asked.page() == Some(pages))
    };
    let pages = last.asked.page()?;
    let is_reader = case.undisturbed.is_some_and(|exchanges| reads_all(exchanges, pages));
    let is_read = reads_all(&case.exchanges[exchange..], pages + 1);
    (is_reader && last.answered.is_some() && !is_read).then(|| {
        breach(
            exchange,
            format!("page {} is read, which the answer says there is", pages + 1),
            "the list was read as far as an earlier answer said",
        )
    })
}

#[cfg(test)]
mod tests {
    use slipway_scenarios::sections;

    use super::RULES;
    use crate::rehearse::agent_rules::AGENT_RULES;

    #[test]
    fn rules_name_clauses_that_exist() {
        for rule in RULES.iter().chain(&AGENT_RULES) {
            let known = sections().any(|(_, clauses)| clauses.iter().any(|clause| clause.id == rule.clause));
            assert!(known, "{}: {}", rule.id, rule.clause);
        }
    }
}
