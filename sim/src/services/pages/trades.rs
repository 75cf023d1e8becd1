//! The trades of one token from its events: on the curve, in the pool or pair, and buybacks.
use alloy::primitives::U256;
use maud::{Markup, html};

use super::amount::Asset;
use super::layout::{address, cell, heads, table, transaction};
use super::number::ago;
use crate::api::market::Traded;
use crate::api::tokens::view::TokenView;
use crate::event::{Event, EventKind, Side};

/// Number of trades on a page.
pub(super) const SHOWN: usize = 30;

/// One trade from the perspective of the token.
struct Trade {
    what: &'static str,
    /// What the trader paid or got.
    quote: U256,
    tokens: U256,
}

/// Reads a trade from an event; `token_is_first` says whether the token is the first of its pool or pair.
fn trade(event: &Event, token_is_first: bool) -> Option<Trade> {
    let name = |side| if side == Side::Buy { "buy" } else { "sell" };
    Some(match event.kind {
        EventKind::Trade { side, quote_amount, token_amount, fee, .. } => {
            Trade { what: name(side), quote: side.settled(quote_amount, fee), tokens: token_amount }
        }
        EventKind::BuybackExecuted { quote_amount, tokens_burned, .. } => {
            Trade { what: "buyback", quote: quote_amount, tokens: tokens_burned }
        }
        EventKind::PoolSwap { amount0, amount1, .. } => {
            let (tokens, quote) = if token_is_first { (amount0, amount1) } else { (amount1, amount0) };
            let side = if tokens >= 0 { Side::Buy } else { Side::Sell };
            let units = |amount: i128| U256::from(amount.unsigned_abs());
            Trade { what: name(side), quote: units(quote), tokens: units(tokens) }
        }
        EventKind::PairSwap { amount0_in, amount1_in, amount0_out, amount1_out } => {
            let ((tokens_in, tokens_out), (quote_in, quote_out)) = if token_is_first {
                ((amount0_in, amount0_out), (amount1_in, amount1_out))
            } else {
                ((amount1_in, amount1_out), (amount0_in, amount0_out))
            };
            let side = if tokens_out > tokens_in { Side::Buy } else { Side::Sell };
            let (quote, tokens) = (quote_in.abs_diff(quote_out), tokens_in.abs_diff(tokens_out));
            Trade { what: name(side), quote, tokens }
        }
        _ => return None,
    })
}

/// The latest trades, newest first.
pub(super) fn section(token: &TokenView, traded: &[Traded], token_is_first: bool, now: u64) -> Markup {
    let (quote, launched) = (Asset::quote(token), Asset::launched(token));
    let rows = html! {
        @for Traded { event, trader } in traded {
            @if let Some(trade) = trade(event, token_is_first) {
                tr data-transaction=(event.transaction) {
                    (cell("Time", "", &ago(event.timestamp, now)))
                    (cell("Kind", "", &html! { span.(trade.what) { (sign(trade.what)) (trade.what) } }))
                    (cell("Paid or got", "n", &quote.number(trade.quote)))
                    (cell("Tokens", "n", &launched.number(trade.tokens)))
                    (cell("Account", "", &html! { @if let Some(trader) = trader { (address(*trader)) } }))
                    (cell("Transaction", "", &transaction(event.transaction)))
                }
            }
        }
    };
    let columns = [
        ("Time", ""),
        ("Kind", ""),
        (quote.symbol.as_str(), "n"),
        (launched.symbol.as_str(), "n"),
        ("Account", ""),
        ("Transaction", ""),
    ];
    html! {
        section #trades data-live aria-labelledby="trades-title" {
            h2 #trades-title { "Trades" }
            @if traded.is_empty() { p.muted { "None yet." } } @else { (table("Trades", &heads(&columns), &rows)) }
        }
    }
}

/// A sign for the side of a trade, independent of its colour.
fn sign(what: &str) -> &'static str {
    match what {
        "buy" => "+ ",
        "sell" => "− ",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::trade;
    use crate::event::{Event, EventKind, Side};
    use alloy::primitives::{Address, B256, U256};

    fn event(kind: EventKind) -> Event {
        Event {
            chain_id: 1,
            block: 1,
            timestamp: 0,
            transaction: B256::ZERO,
            log_index: 0,
            emitter: Address::ZERO,
            kind,
        }
    }

    fn described(kind: EventKind, token_is_first: bool) -> (&'static str, u64, u64) {
        let trade = trade(&event(kind), token_is_first).unwrap();
        (trade.what, trade.quote.to(), trade.tokens.to())
    }

    #[test]
    fn a_sale_is_what_the_seller_got() {
        let of = |side| EventKind::Trade {
            launch_id: 1,
            trader: Address::ZERO,
            side,
            price_after: U256::ONE,
            market_cap: U256::ONE,
            quote_amount: U256::from(100),
            token_amount: U256::from(7),
            fee: U256::from(2),
            refund: U256::from(30),
        };
        assert_eq!(described(of(Side::Buy), true), ("buy", 100, 7));
        assert_eq!(described(of(Side::Sell), true), ("sell", 98, 7));
    }

    #[test]
    fn swaps_are_told_from_the_side_of_the_token() {
        let pool = |amount0, amount1| EventKind::PoolSwap {
            pool_id: B256::ZERO,
            sender: Address::ZERO,
            amount0,
            amount1,
            sqrt_price_x96: U256::ONE,
        };
        assert_eq!(described(pool(5, -7), true), ("buy", 7, 5));
        assert_eq!(described(pool(5, -7), false), ("sell", 5, 7));
        let pair = |amounts: [u64; 4]| {
            let [amount0_in, amount1_in, amount0_out, amount1_out] = amounts.map(U256::from);
            EventKind::PairSwap { amount0_in, amount1_in, amount0_out, amount1_out }
        };
        assert_eq!(described(pair([5, 0, 0, 7]), true), ("sell", 7, 5));
        assert_eq!(described(pair([5, 0, 0, 7]), false), ("buy", 5, 7));
        assert!(trade(&event(EventKind::FeeOnTransfer), true).is_none());
    }
}
