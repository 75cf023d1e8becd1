//! Tokens on their bonding curve are not quoted by the exchange.
use num_bigint::BigInt;

use super::market::{NATIVE, SwapFixture};
use super::quotes::errs;
use crate::prelude::*;
use crate::truth::market::{Market, Token};

/// Most tokens that are tried.
const MOST: usize = 5;

clause! {
    QUOTE_CURVE = "QUOTE-CURVE" (S221):
        "The exchange quotes no token that is on its bonding curve and has no pair.";
    check!("swap-quote-curve" [Read; Rest, Swap, PrimaryChain] is_not_quoted on Market:
        "asks for quotes of tokens that are still funding, both ways");
}
pub(super) async fn is_not_quoted(trial: &Trial<'_>, market: &Market) -> Verdict {
    let swap = SwapFixture::open(trial).await?;
    let paired = swap.exchange.tokens();
    let on_curve = |token: &&Token| !token.graduated && !paired.contains(&token.address);
    let funding: Vec<&Token> = market.tokens().filter(on_curve).take(MOST).collect();
    need_material(!funding.is_empty(), "no listed token is on its curve without a pair")?;
    let amount = BigInt::from(1_000_000_000_000_000_u64);
    for token in funding {
        for (from, to) in [(NATIVE, token.address), (token.address, NATIVE)] {
            errs(trial, &swap.ask_in(from, to, &amount).await?)?;
        }
    }
    Ok(())
}
