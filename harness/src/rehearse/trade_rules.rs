//! The interface's requirements of a client that trades: a price bound, the transaction as shown, and every digit of an amount.
use std::collections::BTreeSet;

use alloy::primitives::{Address, Bytes, U256};
use serde_json::Value;

use super::fault::Fault;
use super::record::{Broadcast, Exchange, Part};
use super::rules::{Breach, Case, breach, broadcasts};
use super::trade::{altered, in_53_bits, is_unbounded, words};

/// A number that ends with this many zeros was chosen, not rounded.
const CHOSEN: u64 = 1_000_000;

/// Judged only under the fault that moves the price: otherwise a client may know that nobody else trades.
pub(super) fn trade_unbounded(case: &Case<'_>) -> Option<Breach> {
    let mut sent = broadcasts(case.exchanges).into_iter().filter(|_| case.fault == Fault::PriceMoves);
    let (exchange, ..) = sent.find(|(_, _, sent)| is_unbounded(sent))?;
    Some(breach(
        exchange,
        "a trade with a bound, which fails where the price has moved beyond it",
        "sent a trade that takes any price",
    ))
}

fn quoted(exchanges: &[Exchange]) -> impl Iterator<Item = (usize, (Address, Bytes, U256))> {
    exchanges.iter().enumerate().filter_map(|(number, exchange)| {
        let built = &exchange.answer["transaction"];
        let parsed = (
            built["to"].as_str()?.parse().ok()?,
            built["data"].as_str()?.parse().ok()?,
            built["value"].as_str()?.parse().ok()?,
        );
        (exchange.asked.part == Part::Swap).then_some((number, parsed))
    })
}

pub(super) fn quote_altered(case: &Case<'_>) -> Option<Breach> {
    broadcasts(case.exchanges).into_iter().find_map(|(exchange, _, sent)| {
        let quotes: Vec<_> = quoted(&case.exchanges[..exchange]).collect();
        let is_shown = |(to, data, value): &(Address, Bytes, U256)| {
            (sent.to, &sent.input, sent.value) == (Some(*to), data, *value)
        };
        if quotes.iter().any(|(_, quoted)| is_shown(quoted)) {
            return None;
        }
        let found = quotes.iter().rev();
        let mut found = found
            .filter_map(|(number, (to, data, value))| Some((number, altered(&sent, (*to, data, *value))?)));
        let (quote, what) = found.next()?;
        Some(breach(
            exchange,
            format!("the transaction of request {}, as it was shown", quote + 1),
            format!("sent it with another {what}"),
        ))
    })
}

pub(super) fn amount_rounded(case: &Case<'_>) -> Option<Breach> {
    let mut known = BTreeSet::new();
    let mut sent = broadcasts(case.exchanges).into_iter().peekable();
    for (number, exchange) in case.exchanges.iter().enumerate() {
        while let Some((exchange, _, sent)) = sent.next_if(|(of, ..)| *of == number) {
            let Some((rounded, exact)) = rounded(&sent, &known) else { continue };
            return Some(breach(
                exchange,
                format!("the amount {exact}, as it was answered"),
                format!("sent {rounded}, which is what a floating-point number keeps of it"),
            ));
        }
        amounts(&exchange.answer, &mut known);
    }
    None
}

/// A number in a transaction that is one of these amounts rounded, with that amount.
fn rounded(sent: &Broadcast, known: &BTreeSet<U256>) -> Option<(U256, U256)> {
    let mut numbers = words(&sent.input).chain([sent.value]);
    numbers.find_map(|number| {
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
