//! The reserves of a graduated token's pool or pair, and their worth.
use alloy::primitives::U256;
use maud::{Markup, html};
use tokio::time::timeout;

use super::amount::Asset;
use super::{PATIENCE, Pages};
use crate::api::tokens::view::TokenView;
use crate::api::tokens::{Pool, WHOLE};

/// Units of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reserves {
    pub(super) quote: U256,
    pub(super) tokens: U256,
}

impl Pages {
    /// Reads the reserves of the token's pool; `None` on its curve, or if the node does not respond in time. A pair's reserves come from
    /// its events.
    pub(super) async fn reserves(
        &self,
        token: &TokenView,
        in_pair: (u128, u128),
        token_is_first: bool,
    ) -> Option<Reserves> {
        match token.pool? {
            Pool::Pair(_) => {
                let (quote, tokens) = in_pair;
                Some(Reserves { quote: U256::from(quote), tokens: U256::from(tokens) })
            }
            Pool::Managed(id) => {
                let asked = self.api.pool_amounts(token.birth.chain_id, id);
                let (first, second) = timeout(PATIENCE, asked).await.ok()??;
                let (tokens, quote) = if token_is_first { (first, second) } else { (second, first) };
                Some(Reserves { quote, tokens })
            }
        }
    }
}

/// The reserves of a pool, its price, and the worth of both sides.
pub(super) fn section(token: &TokenView, pool: Pool, reserves: Option<Reserves>, price: u128) -> Markup {
    let (quote, launched) = (Asset::quote(token), Asset::launched(token));
    html! {
        h2 #curve-title { "Pool" }
        p { "The curve is full: the token trades in " (name(pool)) "." }
        @match reserves {
            Some(held) => {
                dl.terms {
                    dt { "Reserve, " bdi { (quote.symbol) } } dd #reserve-quote { (quote.amount(held.quote)) }
                    dt { "Reserve, " bdi { (launched.symbol) } } dd #reserve-token { (launched.amount(held.tokens)) }
                    dt { "Price" } dd { (quote.amount(U256::from(price))) }
                    dt { "Liquidity, both sides" } dd #liquidity { (quote.amount(worth(held, price))) }
                }
            }
            None => p.muted { "The node has not answered what the pool holds." },
        }
    }
}

/// Worth of both sides in quote units, given the price of a whole token, rounded down.
fn worth(held: Reserves, price: u128) -> U256 {
    held.quote + held.tokens * U256::from(price) / U256::from(WHOLE)
}

fn name(pool: Pool) -> Markup {
    html! {
        @match pool {
            Pool::Managed(id) => { "the pool " code { (id) } },
            Pool::Pair(pair) => { "the pair " code { (pair.to_checksum(None)) } " of the " a href="/exchange" { "exchange" } },
        }
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::U256;

    use super::{Reserves, worth};
    use crate::api::tokens::WHOLE;

    #[test]
    fn both_sides_are_worth_their_price() {
        let held =
            |quote: u128, tokens: u128| Reserves { quote: U256::from(quote), tokens: U256::from(tokens) };
        assert_eq!(worth(held(5, 10 * WHOLE), 3), U256::from(35));
        assert_eq!(worth(held(5, 2 * WHOLE - 1), 1), U256::from(6), "rounded down");
        assert_eq!(worth(held(0, 0), 7), U256::ZERO);
    }
}
