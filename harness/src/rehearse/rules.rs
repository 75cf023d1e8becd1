//! The interface's requirements of a client, and how the journal of a run shows a violation.
use std::time::Duration;

use serde_json::Value;

use super::canary::Canaries;
use super::fault::{Act, Fault};
use super::record::{Broadcast, CAPABILITIES, Exchange, Part, one_or_many};
use super::trade_rules::{amount_rounded, is_same, quote_altered, trade_unbounded, unsimulated_transaction};

/// Tolerance between a client's clock and the journal's.
const TOLERANCE: Duration = Duration::from_millis(10);
/// Requests this close together were sent before the first of them was answered.
const TOGETHER: Duration = Duration::from_millis(100);

/// One requirement.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) id: &'static str,
    /// The clause that binds platforms to the same requirement; `slipway explain` describes it. `None` if only tool servers have one.
    pub(super) clause: Option<&'static str>,
    judge: fn(&Case<'_>) -> Option<Breach>,
    /// The requirement, in one sentence.
    pub(super) sentence: &'static str,
}

/// A run to judge.
pub(super) struct Case<'a> {
    pub(super) fault: &'static Fault,
    pub(super) exchanges: &'a [Exchange],
    /// The run without a fault, if this is a run with one.
    pub(super) undisturbed: Option<&'a [Exchange]>,
    /// The values planted for an agent.
    pub(super) canaries: &'a Canaries,
    /// Whether the client failed to end in time.
    pub(super) timed_out: bool,
}

#[derive(Debug)]
pub(super) struct Breach {
    /// Number of the exchange, from 0.
    pub(super) exchange: usize,
    pub(super) expected: String,
    pub(super) actual: String,
    /// The clause, if it differs from the rule's.
    clause: Option<&'static str>,
}

/// A breach of the rule's own clause.
pub(super) fn breach(exchange: usize, expected: impl Into<String>, actual: impl Into<String>) -> Breach {
    Breach { exchange, expected: expected.into(), actual: actual.into(), clause: None }
}

/// The first breach of a rule in a run.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) rule: &'static Rule,
    pub(super) breach: Breach,
    /// The description of its exchange.
    pub(super) shown: String,
    /// Whether the run without a fault has it too.
    pub(super) is_as_in_nothing: bool,
}

impl Finding {
    pub(super) fn clause(&self) -> Option<&'static str> {
        self.breach.clause.or(self.rule.clause)
    }
}

pub(super) const fn rule(
    id: &'static str,
    clause: &'static str,
    judge: fn(&Case<'_>) -> Option<Breach>,
    sentence: &'static str,
) -> Rule {
    Rule { id, clause: Some(clause), judge, sentence }
}

/// A rule whose clause is about tool servers, which means nothing to a client without one.
const fn rule_of_clients(
    id: &'static str,
    judge: fn(&Case<'_>) -> Option<Breach>,
    sentence: &'static str,
) -> Rule {
    Rule { id, clause: None, judge, sentence }
}

#[rustfmt::skip]
pub(super) static RULES: [Rule; 12] = [
    rule_of_clients("broadcast-retried", broadcast_retried,
        "A transaction that was broadcast is waited for, at most 120 seconds, and never sent again."),
    rule("private-cached", "CAP-CACHE", private_cached,
        "Capabilities are private and not to be stored: a client asks for them before each launch."),
    rule("retry-after-ignored", "UP-RATE-WALLET", retry_after_ignored,
        "A request refused with 429 is not repeated before its Retry-After has passed."),
    rule("withdrawn-capability-used", "CAP-INACTIVE", withdrawn_capability_used,
        "A client launches only when the capabilities answered with success, for the chain it asked about, with `flags.create` on and an active deployment."),
    rule("captcha-reused", "UP-CAPTCHA", captcha_reused,
        "A captcha token serves one request."),
    rule("limit-exceeded", "CHAT-POST-RATE", limit_exceeded,
        "A client stays within the limits: in a minute 5 chat messages of an address, 10 referral codes, 30 reads of referral stats or the leaderboard, 5 registrations, 3 uploads of a wallet."),
    rule_of_clients("other-chain-used", other_chain_used,
        "Nothing is signed before the node has reported the chain id that it is meant for."),
    rule("unsimulated-transaction", "QUOTE-BUILD", unsimulated_transaction,
        "A transaction that came with a quote is simulated before it is signed."),
    rule("trade-unbounded", "QUOTE-MIN-OUT", trade_unbounded,
        "A trade states the least that it accepts, or the most that it pays: the price may move before it is mined."),
    rule("quote-altered", "QUOTE-BUILD", quote_altered,
        "A transaction that came with a quote is sent as it was shown: its recipient, its value and its deadline."),
    rule("amount-rounded", "SVC-AMOUNT", amount_rounded,
        "Amounts are whole numbers beyond 2^53, and a client keeps every digit of them."),
    rule("pages-unread", "LIST-PAGE", pages_unread,
        "A client that reads a list to its end follows the number of pages that the latest answer states."),
];

pub(super) fn judge(rules: &'static [Rule], case: &Case<'_>) -> Vec<Finding> {
    let finding = |rule: &'static Rule| {
        let breach = (rule.judge)(case)?;
        let shown = case.exchanges.get(breach.exchange).map(|exchange| exchange.asked.shown());
        Some(Finding { rule, breach, shown: shown.unwrap_or_default(), is_as_in_nothing: false })
    };
    rules.iter().filter_map(finding).collect()
}

impl Case<'_> {
    /// The first exchange like this.
    pub(super) fn first(&self, is_it: impl Fn(&Exchange) -> bool) -> Option<usize> {
        self.exchanges.iter().position(is_it)
    }

    /// The first exchange that the fault affected, if that is what it does.
    pub(super) fn first_affected(&self, act: Act) -> Option<usize> {
        self.first(|exchange| exchange.act == act)
    }

    /// The first broadcast like this.
    pub(super) fn first_sent(&self, is_it: impl Fn(&Broadcast) -> bool) -> Option<usize> {
        self.first(|exchange| exchange.asked.sent.iter().any(&is_it))
    }
}

/// All broadcasts with the numbers of their exchanges.
pub(super) fn broadcasts(exchanges: &[Exchange]) -> impl Iterator<Item = (usize, &Broadcast)> {
    let numbered = exchanges.iter().enumerate();
    numbered.flat_map(|(number, exchange)| exchange.asked.sent.iter().map(move |sent| (number, sent)))
}

/// The broadcasts that repeat an earlier one, each with the earlier one's number: the same signed transaction, or the same trade or launch
/// again while the first is unanswered. A broadcast is no repetition if the client sends as many of them without a fault, or has seen the
/// receipt of the first.
fn repeated(case: &Case<'_>) -> Vec<(usize, usize)> {
    let sent: Vec<_> = broadcasts(case.exchanges).collect();
    let intended: Vec<_> = case.undisturbed.into_iter().flat_map(broadcasts).collect();
    let repetition = |(place, &(number, later)): (usize, &(usize, &Broadcast))| {
        let alike =
            |others: &[(usize, &Broadcast)]| others.iter().filter(|(_, other)| is_same(other, later)).count();
        let is_more = case.undisturbed.is_some() && alike(&sent[..=place]) > alike(&intended);
        let came = case.exchanges[number].came;
        let earlier = sent[..place].iter().find(|(before, earlier)| {
            let first = &case.exchanges[*before];
            let is_lost = matches!(first.act, Act::Refuse(_) | Act::Cut);
            let is_unanswered = is_lost || first.answered.is_none_or(|at| came < at);
            let is_again = is_more && is_unanswered && is_same(earlier, later);
            (later.hash.is_some() && later.hash == earlier.hash)
                || (is_again && !has_receipt(&case.exchanges[*before..number], earlier))
        });
        earlier.map(|(earlier, _)| (number, *earlier))
    };
    sent.iter().enumerate().filter_map(repetition).collect()
}

/// Whether the client received the receipt of a transaction.
fn has_receipt(exchanges: &[Exchange], sent: &Broadcast) -> bool {
    let Some(hash) = sent.hash.map(|hash| hash.to_string()) else { return false };
    let mut answers = exchanges.iter().flat_map(|exchange| one_or_many(&exchange.answer));
    answers.any(|answer| answer["result"]["transactionHash"] == *hash)
}

fn broadcast_retried(case: &Case<'_>) -> Option<Breach> {
    // A transaction that a reorganisation rolled back is no longer pending.
    let repeated = if case.fault.act == Act::Reorganise { Vec::new() } else { repeated(case) };
    let (exchange, earlier) = *repeated.first()?;
    let actual = format!("the transaction of request {} was sent again", earlier + 1);
    Some(breach(exchange, "one broadcast of each transaction, whatever its answer", actual))
}

/// The answers about capabilities in part of a run.
fn capabilities(exchanges: &[Exchange]) -> Vec<&Exchange> {
    exchanges.iter().filter(|exchange| exchange.asked.is_for(CAPABILITIES)).collect()
}

/// Whether a client asks about capabilities in part of a run, or does without a fault.
fn asks(case: &Case<'_>, exchanges: &[Exchange]) -> bool {
    case.undisturbed.into_iter().chain([exchanges]).any(|exchanges| !capabilities(exchanges).is_empty())
}

/// Every launch except repetitions: its number, its chain, and the answers about capabilities since the launch before it.
fn launches<'a>(case: &Case<'a>) -> Vec<(usize, u64, Vec<&'a Exchange>)> {
    let (exchanges, repeated) = (case.exchanges, repeated(case));
    let mut begin = 0;
    let mut found = Vec::new();
    for (number, _) in broadcasts(exchanges).filter(|(_, sent)| sent.is_launch()) {
        let Part::Node(chain) = exchanges[number].asked.part else { continue };
        if !repeated.iter().any(|(again, _)| *again == number) {
            found.push((number, chain, capabilities(&exchanges[begin..number])));
            begin = number;
        }
    }
    found
}

fn private_cached(case: &Case<'_>) -> Option<Breach> {
    let expected = "the capabilities are asked for anew before each launch";
    let is_conditional =
        |exchange: &Exchange| exchange.asked.is_conditional && exchange.asked.is_for(CAPABILITIES);
    if let Some(exchange) = case.first(is_conditional) {
        return Some(breach(exchange, expected, "asked whether a kept answer still holds"));
    }
    let is_kept = |(number, _, asked): &(usize, u64, Vec<&Exchange>)| {
        asked.is_empty() && asks(case, &case.exchanges[..*number])
    };
    let (exchange, ..) = launches(case).into_iter().find(is_kept)?;
    Some(breach(exchange, expected, "launched by an earlier answer"))
}

fn withdrawn_capability_used(case: &Case<'_>) -> Option<Breach> {
    launches(case).into_iter().find_map(|(exchange, chain, asked)| {
        let actual = match asked.last() {
            Some(last) => format!("launched although {}", obstacle(last, chain)?),
            None if asks(case, case.exchanges) => return None,
            None => "launched without ever asking for the capabilities".to_owned(),
        };
        Some(breach(exchange, "a launch only where the latest answer about capabilities permits it", actual))
    })
}

/// Why an answer about capabilities rules out a launch.
fn obstacle(exchange: &Exchange, chain: u64) -> Option<String> {
    let answer = &exchange.answer;
    let (create, status) = (&answer["flags"]["create"], &answer["activeCreationDeployment"]["status"]);
    let is_off = matches!(create, Value::Null | Value::Bool(false)) || *create == 0 || *create == "";
    match exchange.status {
        None => Some("the answer about capabilities broke off".to_owned()),
        Some(code) if code != 200 => Some(format!("the capabilities were answered with {code}")),
        _ if answer["chainId"] != chain => Some(format!("the answer is about chain {}", answer["chainId"])),
        _ if is_off => Some(format!("flags.create is {create}")),
        _ if status != "active" => Some(format!("activeCreationDeployment.status is {status}")),
        _ => None,
    }
}

fn retry_after_ignored(case: &Case<'_>) -> Option<Breach> {
    case.exchanges.iter().enumerate().find_map(|(number, refused)| {
        let seconds = refused.retry_after.filter(|_| refused.status == Some(429))?;
        let answered = refused.answered?;
        let mut together = case.undisturbed.map_or(1, |exchanges| sent_together(exchanges, refused));
        let later = case.exchanges[number + 1..].iter().position(|later| {
            let is_early = later.asked.limit == refused.asked.limit
                && later.came + TOLERANCE < answered + Duration::from_secs(seconds);
            if is_early && together > 1 && later.came < refused.came + TOGETHER {
                together -= 1;
                return false;
            }
            is_early && later.came > answered
        })?;
        let exchange = number + 1 + later;
        let waited = case.exchanges[exchange].came.saturating_sub(answered).as_millis();
        let expected = format!(
            "after the refusal of request {} a wait of {seconds} s, as its Retry-After says",
            number + 1
        );
        Some(breach(exchange, expected, format!("asked again after {waited} ms")))
    })
}

/// How many requests under one limit the client sends together in a run without a fault.
fn sent_together(exchanges: &[Exchange], like: &Exchange) -> usize {
    let alike = exchanges.iter().filter(|one| one.asked.limit == like.asked.limit);
    let came: Vec<Duration> = alike.map(|one| one.came).collect();
    let from = |first: &Duration| came.iter().filter(|at| (*first..*first + TOGETHER).contains(*at)).count();
    came.iter().map(from).max().unwrap_or(1)
}

fn captcha_reused(case: &Case<'_>) -> Option<Breach> {
    case.exchanges.iter().enumerate().find_map(|(exchange, later)| {
        let captcha = later.asked.captcha.as_ref()?;
        let earlier = case.exchanges[..exchange].iter().position(|earlier| {
            // A request refused as malformed or for its rate has not used the captcha.
            let is_unused = matches!(earlier.status, Some(400 | 401 | 404 | 413 | 415 | 429));
            let is_used = earlier.status == Some(403) || (earlier.is_forwarded() && !is_unused);
            is_used && earlier.asked.captcha.as_ref() == Some(captcha)
        })?;
        let actual = format!("sent the captcha token of request {} again", earlier + 1);
        Some(breach(exchange, "a fresh captcha token for each request", actual))
    })
}

fn limit_exceeded(case: &Case<'_>) -> Option<Breach> {
    let number = case.first(|exchange| exchange.is_forwarded() && exchange.status == Some(429))?;
    let exchange = &case.exchanges[number];
    let clause = match exchange.asked.path() {
        "/api/upload" => Some("UP-RATE-WALLET"),
        "/api/referral/code" => Some("REF-CODE-RATE"),
        "/api/referral/stats" | "/api/referral/leaderboard" => Some("REF-READ-RATE"),
        "/api/referral/register" => Some("REF-REG-RATE"),
        _ => None,
    };
    let cause = exchange.cause.as_deref().unwrap_or("its rate");
    let actual = format!("refused with 429 by the platform ({cause})");
    Some(Breach { clause, ..breach(number, "no more requests than the limit allows", actual) })
}

fn other_chain_used(case: &Case<'_>) -> Option<Breach> {
    let exchange = case.first_sent(|_| case.fault.act == Act::OtherChain)?;
    let actual = "broadcast a transaction to a node that reports another chain id";
    Some(breach(exchange, "nothing is sent to a node of another chain", actual))
}

fn pages_unread(case: &Case<'_>) -> Option<Breach> {
    let exchange = case.first_affected(Act::GrowList)?;
    let last = &case.exchanges[exchange];
    // A client that stops at the second-last page even without the fault does not read lists to the end.
    let reads =
        |exchanges: &[Exchange], page: u64| exchanges.iter().any(|one| one.asked.page() == Some(page));
    let pages = last.asked.page()?;
    let is_reader = case.undisturbed.is_some_and(|exchanges| reads(exchanges, pages));
    let is_broken = is_reader && last.answered.is_some() && !reads(&case.exchanges[exchange..], pages + 1);
    let expected = format!("page {} is read, which the answer says there is", pages + 1);
    is_broken.then(|| breach(exchange, expected, "the list was read as far as an earlier answer said"))
}

#[cfg(test)]
mod tests {
    use slipway_scenarios::sections;

    use super::{RULES, Rule};
    use crate::rehearse::agent_rules::AGENT_RULES;

    #[test]
    fn rules_name_clauses_that_exist() {
        for rule in RULES.iter().chain(&AGENT_RULES) {
            let Some(named) = rule.clause else { continue };
            let known = sections().any(|(_, clauses)| clauses.iter().any(|clause| clause.id == named));
            assert!(known, "{}: {named}", rule.id);
        }
        let of_tools = |rule: &Rule| rule.clause.is_some_and(|clause| clause.starts_with("MCP-"));
        assert!(!RULES.iter().any(of_tools), "a client without tools is judged by no clause of theirs");
    }
}
