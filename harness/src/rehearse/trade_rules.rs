//! The rules for clients that trade: a price bound, the transaction as shown, and every digit of an amount.
use std::collections::BTreeSet;

use alloy::primitives::{Bytes, U256};
use serde_json::Value;
use slipway_contracts::decode::Argument;

use super::fault::Act;
use super::record::{Broadcast, Exchange, Part};
use super::rules::{Breach, Case, breach, broadcasts};

/// The arguments with the price bound of a trade: the least output, or the most input. Every call that trades has one of them.
const LEAST: [&str; 3] = ["minTokensOut", "minEthOut", "amountOutMin"];
const MOST: &str = "amountInMax";
/// The arguments that a client may choose anew when it repeats a trade.
const CHOSEN_ANEW: [&str; 3] = ["deadline", "auth", "referralCode"];
/// A number that ends with this many zeros was chosen, not rounded.
const CHOSEN: u64 = 1_000_000;

fn is_bound(name: &str) -> bool {
    LEAST.contains(&name) || name == MOST
}

pub(super) fn is_trade(sent: &Broadcast) -> bool {
    sent.call.as_ref().is_some_and(|call| call.arguments.iter().any(|argument| is_bound(&argument.name)))
}

/// Whether two calls have equal arguments, except those that may differ.
fn agree(one: &Broadcast, other: &Broadcast, may_differ: impl Fn(&str) -> bool) -> bool {
    let (Some(one), Some(other)) = (&one.call, &other.call) else { return false };
    // The fields of a struct have its name before theirs.
    let differs = |argument: &Argument| may_differ(argument.name.split('.').next().unwrap_or_default());
    let mut pairs = one.arguments.iter().zip(&other.arguments);
    one.name == other.name
        && one.arguments.len() == other.arguments.len()
        && pairs.all(|(one, other)| one == other || (one.name == other.name && differs(one)))
}

/// Whether two transactions have the same effect: the same sender calls the same contract, with equal arguments except a trade's bound,
/// deadline and authorisation.
pub(super) fn is_same(one: &Broadcast, other: &Broadcast) -> bool {
    let is_free = |name: &str| is_bound(name) || CHOSEN_ANEW.contains(&name);
    (one.from, one.to, one.value) == (other.from, other.to, other.value)
        && (one.input == other.input || (is_trade(one) && agree(one, other, is_free)))
}

/// Whether it is a trade that accepts any price.
fn is_unbounded(sent: &Broadcast) -> bool {
    LEAST.iter().any(|least| sent.argument(least) == Some("0"))
        || sent.argument(MOST).is_some_and(|most| most == U256::MAX.to_string())
}

/// Judged only under the fault that moves the price: otherwise a client may know that nobody else trades.
pub(super) fn trade_unbounded(case: &Case<'_>) -> Option<Breach> {
    let exchange = case.first_sent(|sent| case.fault.act == Act::MovePrice && is_unbounded(sent))?;
    let expected = "a trade with a bound, which fails where the price has moved beyond it";
    Some(breach(exchange, expected, "sent a trade that takes any price"))
}

/// The quoted transactions, with the numbers of their exchanges.
fn quotes(case: &Case<'_>) -> Vec<(usize, Broadcast)> {
    let quote = |(number, exchange): (usize, &Exchange)| {
        let built = Some(&exchange.answer["transaction"]).filter(|built| built["data"].is_string())?;
        (exchange.asked.part == Part::Swap).then(|| (number, Broadcast::unsigned(built)))
    };
    case.exchanges.iter().enumerate().filter_map(quote).collect()
}

pub(super) fn unsimulated_transaction(case: &Case<'_>) -> Option<Breach> {
    let quotes = quotes(case);
    broadcasts(case.exchanges).find_map(|(exchange, sent)| {
        let mut before = quotes.iter().take_while(|(quote, _)| *quote < exchange);
        let (quote, _) = before.find(|(_, quoted)| quoted.input == sent.input)?;
        let tried = &case.exchanges[*quote..exchange];
        if tried.iter().flat_map(|exchange| exchange.asked.simulated()).any(|input| input == sent.input) {
            return None;
        }
        let expected = "eth_call or eth_estimateGas of a built transaction before it is signed";
        let actual = format!("sent the transaction of request {} without trying it", quote + 1);
        Some(breach(exchange, expected, actual))
    })
}

/// The first difference between a transaction and a quoted one, if they are otherwise the same swap.
fn altered(sent: &Broadcast, quoted: &Broadcast) -> Option<&'static str> {
    // Only trades by the router have a recipient.
    let is_swap = is_trade(sent) && sent.argument("to").is_some() && sent.to == quoted.to;
    if !is_swap || !agree(sent, quoted, |name| ["to", "deadline"].contains(&name)) {
        return None;
    }
    let differs = |name| sent.argument(name) != quoted.argument(name);
    [("recipient", differs("to")), ("deadline", differs("deadline")), ("value", sent.value != quoted.value)]
        .into_iter()
        .find_map(|(name, differs)| differs.then_some(name))
}

pub(super) fn quote_altered(case: &Case<'_>) -> Option<Breach> {
    let quotes = quotes(case);
    broadcasts(case.exchanges).find_map(|(exchange, sent)| {
        let before = &quotes[..quotes.partition_point(|(quote, _)| *quote < exchange)];
        let is_shown = |quoted: &Broadcast| {
            (sent.to, &sent.input, sent.value) == (quoted.to, &quoted.input, quoted.value)
        };
        if before.iter().any(|(_, quoted)| is_shown(quoted)) {
            return None;
        }
        let mut latest_first = before.iter().rev();
        let (quote, what) = latest_first.find_map(|(quote, quoted)| Some((quote, altered(sent, quoted)?)))?;
        let expected = format!("the transaction of request {}, as it was shown", quote + 1);
        Some(breach(exchange, expected, format!("sent it with another {what}")))
    })
}

pub(super) fn amount_rounded(case: &Case<'_>) -> Option<Breach> {
    let mut known = BTreeSet::new();
    for (number, exchange) in case.exchanges.iter().enumerate() {
        if let Some((rounded, exact)) = exchange.asked.sent.iter().find_map(|sent| rounded(sent, &known)) {
            let expected = format!("the amount {exact}, as it was answered");
            let actual = format!("sent {rounded}, which is what a floating-point number keeps of it");
            return Some(breach(number, expected, actual));
        }
        amounts(&exchange.answer, &mut known);
    }
    None
}

/// A number in a transaction that is one of these amounts rounded, with that amount.
fn rounded(sent: &Broadcast, known: &BTreeSet<U256>) -> Option<(U256, U256)> {
    let words = sent.input.get(4..).unwrap_or_default().chunks_exact(32).map(U256::from_be_slice);
    words.chain([sent.value]).find_map(|number| {
        let is_large = number.bit_len() > 53 && number.bit_len() <= 128;
        if !is_large || known.contains(&number) || (number % U256::from(CHOSEN)).is_zero() {
            return None;
        }
        // Rounding moves an amount by less than this.
        let near = number >> 52;
        let mut around = known.range(number.saturating_sub(near)..=number.saturating_add(near));
        let exact = around.find(|exact| in_53_bits(**exact) == number)?;
        Some((number, *exact))
    })
}

/// An amount rounded to a floating-point number with 53 bits.
fn in_53_bits(amount: U256) -> U256 {
    let Some(dropped) = amount.bit_len().checked_sub(53).filter(|dropped| *dropped > 0) else {
        return amount;
    };
    let (kept, rest) = (amount >> dropped, amount & ((U256::ONE << dropped) - U256::ONE));
    let half = U256::ONE << (dropped - 1);
    let is_up = rest > half || (rest == half && kept.bit(0));
    (kept + U256::from(is_up)) << dropped
}

/// The amounts in an answer: decimal texts of services, words of a node's results.
fn amounts(answer: &Value, found: &mut BTreeSet<U256>) {
    match answer {
        Value::Array(items) => items.iter().for_each(|item| amounts(item, found)),
        Value::Object(members) => members.values().for_each(|member| amounts(member, found)),
        Value::String(text) => match text.strip_prefix("0x") {
            Some(digits) if digits.len() % 64 == 0 && digits.len() <= 64 * 64 => {
                let bytes: Bytes = text.parse().unwrap_or_default();
                found.extend(bytes.chunks_exact(32).map(U256::from_be_slice));
            }
            Some(_) => found.extend(text.parse::<U256>().ok()),
            None => found.extend(U256::from_str_radix(text, 10).ok()),
        },
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, Bytes, U256};
    use alloy::sol_types::SolCall as _;
    use serde_json::json;
    use slipway_contracts::bindings::IUniswapV2Router02::swapExactETHForTokensCall;

    use super::super::record::Broadcast;
    use super::{altered, in_53_bits, is_same, is_unbounded};

    fn swap(least: u64, to: u8, deadline: u64, value: u64) -> Broadcast {
        let call = swapExactETHForTokensCall {
            amountOutMin: U256::from(least),
            path: vec![Address::repeat_byte(1), Address::repeat_byte(2)],
            to: Address::repeat_byte(to),
            deadline: U256::from(deadline),
        };
        let input = Bytes::from(call.abi_encode());
        Broadcast::unsigned(&json!({ "to": Address::ZERO, "data": input, "value": value.to_string() }))
    }

    #[test]
    fn bound_and_time_may_be_chosen_anew_and_the_rest_may_not() {
        let sent = swap(5, 3, 100, 7);
        assert!(is_same(&sent, &swap(6, 3, 200, 7)));
        assert!(!is_same(&sent, &swap(5, 4, 100, 7)) && !is_same(&sent, &swap(5, 3, 100, 8)));
        assert!(is_unbounded(&swap(0, 3, 100, 7)) && !is_unbounded(&sent));
        let quoted = |sent: &Broadcast| altered(sent, &swap(5, 3, 100, 7));
        assert_eq!(quoted(&swap(5, 4, 100, 7)), Some("recipient"));
        assert_eq!(quoted(&swap(5, 3, 101, 7)), Some("deadline"));
        assert_eq!(quoted(&swap(5, 3, 100, 8)), Some("value"));
        // A swap of another amount is not the quoted one.
        assert_eq!((quoted(&sent), quoted(&swap(6, 4, 100, 7))), (None, None));
    }

    #[test]
    fn amounts_round_as_numbers_of_other_languages_do() {
        let power = |bits: u32| U256::ONE << bits;
        assert_eq!(in_53_bits(power(53)), power(53));
        assert_eq!(in_53_bits(power(53) + U256::from(1)), power(53));
        assert_eq!(in_53_bits(power(53) + U256::from(3)), power(53) + U256::from(4));
        let amount = "216139516022557606303768412";
        let rounded = format!("{:.0}", amount.parse::<f64>().unwrap());
        assert_eq!(in_53_bits(amount.parse().unwrap()), rounded.parse::<U256>().unwrap());
    }
}
