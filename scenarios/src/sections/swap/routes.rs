//! Quotes compared with the exchange itself: the best route to the unit, and the amount that the router really pays.
use num_bigint::BigInt;
use num_traits::Zero;

use super::market::{NATIVE, Quote, Quotes, SwapFixture, asks};
use super::quotes::sized;
use crate::answers::reads::QUOTE;
use crate::client::chain::{TransactionOutcome, gas_of};
use crate::client::wire::Token;
use crate::model::seed::Choices;
use crate::prelude::*;
use crate::truth::ledger::exchange::contract;
use crate::truth::reference::{integer, part};

/// Inputs of which most or all is lost to rounding.
const SMALLEST: [u32; 3] = [1, 2, 1_000];
/// Generated trades for a check.
const TRADES: usize = 12;

clause! {
    QUOTE_ROUTE = "QUOTE-ROUTE" (choice S9, S77):
        "The best route is taken, straight or through other tokens, and path shows it.";
    check!("swap-quote-route" [Read; Swap, PrimaryChain] route_is_best:
        "the quoted output is that of the best route and the path pays it");
    check!("swap-law-no-splitting" [Read; Swap, PrimaryChain] super::laws::splitting_gains_nothing:
        "quotes of the parts of a route pay no more than the one quote");
}
pub(super) async fn route_is_best(trial: &Trial<'_>) -> Verdict {
    let mut market = SwapFixture::open(trial).await?;
    let mut choices = trial.choices("route");
    let mut wanted = Vec::new();
    for (from, to) in market.choose_many(&mut choices, TRADES)? {
        wanted.push((from, to, sized(&market, &mut choices, from, to)));
    }
    let asked: Vec<_> = wanted.iter().map(|(from, to, input)| asks(*from, *to, "amount", input)).collect();
    let quotes = market.all_steady(QUOTE, &asked).await?;
    for ((from, to, input), quote) in wanted.into_iter().zip(quotes) {
        trial.part(takes_the_best(trial, &market, (from, to), &input, quote))?;
    }
    Ok(())
}

/// A quote's output is that of the best route, and its path pays it.
fn takes_the_best(
    trial: &Trial<'_>,
    market: &SwapFixture<'_>,
    (from, to): (Address, Address),
    input: &BigInt,
    quote: Response,
) -> Verdict {
    let (start, end) = (market.traded(from), market.traded(to));
    let Some(best) = market.exchange.most_output(start, end, input) else {
        return trial.status(&quote, 500);
    };
    let quote = Quote::of(trial, quote)?;
    quote.is("amountIn", input)?;
    quote.is("amountOut", &best)?;
    let path = market.path_of(&quote)?;
    let ends = (path.first().copied(), path.last().copied());
    trial.require_equal(&quote.response, "ends of the path", &(Some(start), Some(end)), &ends)?;
    let paid = market.exchange.forward(&path, input).and_then(|mut amounts| amounts.pop());
    trial.require_equal(&quote.response, "what the quoted path pays", &Some(best), &paid)
}

clause! {
    QUOTE_EXACT_OUT = "QUOTE-EXACT-OUT" (S9, S71, S215):
        "For an exact output, the quote is the least input that yields it along its path, or a unit more.";
    check!("swap-quote-exact-out" [Read; Swap, PrimaryChain] exact_output_takes_the_least:
        "the quoted input buys the output along the path, and two units less do not");
    check!("swap-law-dual" [Read; Swap, PrimaryChain] super::laws::input_and_output_are_dual:
        "what an exact output costs buys it as an exact input, and two units less do not");
}
pub(super) async fn exact_output_takes_the_least(trial: &Trial<'_>) -> Verdict {
    let mut market = SwapFixture::open(trial).await?;
    let mut choices = trial.choices("exact-output");
    let mut quoted = 0;
    let mut wanted = Vec::new();
    for (from, to) in market.choose_many(&mut choices, TRADES)? {
        wanted.push((from, to, sized(&market, &mut choices, to, from)));
    }
    let asked: Vec<_> =
        wanted.iter().map(|(from, to, output)| asks(*from, *to, "amountOut", output)).collect();
    let quotes = market.all_steady(QUOTE, &asked).await?;
    for ((from, to, output), quote) in wanted.into_iter().zip(quotes) {
        let (start, end) = (market.traded(from), market.traded(to));
        let best = market.exchange.least_input(start, end, &output);
        // Which routes are considered is the platform's choice.
        let by_route = trial.by(&QUOTE_ROUTE);
        let Some(best) = best.filter(|_| quote.code() != 500) else {
            by_route.require(&quote, quote.code() == 500, "no route of three pairs")?;
            continue;
        };
        let quote = Quote::of(trial, quote)?;
        quoted += 1;
        quote.is("amountOut", &output)?;
        let input = quote.amount("amountIn")?;
        by_route.require_equal(&quote.response, "the least input over all routes", &best, &input)?;
        let path = market.path_of(&quote)?;
        let paid = |input: &BigInt| {
            let amounts = market.exchange.forward(&path, input);
            amounts.and_then(|mut amounts| amounts.pop()).unwrap_or_default()
        };
        // Rounding up once more is left open.
        let (enough, short) = (paid(&input), paid(&BigInt::max(&input - 2, BigInt::zero())));
        let least = enough >= output && short < output;
        let expected = "the input buys the output along the path and two units less do not";
        trial
            .require_or(&quote.response, least, expected, || format!("{enough} and {short} for {output}"))?;
    }
    need_material(quoted != 0, "no exact output is quoted")
}

clause! {
    QUOTE_EXACT_IN = "QUOTE-EXACT-IN" (S9, S72, S81, S214, S221, S331):
        "For an exact input, the quote is what the router actually pays, to the last unit.";
    check!("swap-quote-exact-in" [Exclusive; Swap, PrimaryChain, Accounts] router_pays_what_was_quoted:
        "the router pays to the unit what was quoted, really traded, and once more for the same request");
    check!("swap-quote-smallest" [Read; Swap, PrimaryChain; S72, S214] smallest_inputs_are_exact:
        "quotes inputs of one unit, of two and of a thousand, and computes what their path pays");
    check!("swap-quote-fee-on-transfer" [Read; Swap, PrimaryChain; S72] super::laws::kept_parts_are_never_promised:
        "of a token that keeps a part of transfers nothing is promised that the router does not pay");
}
pub(super) async fn router_pays_what_was_quoted(trial: &Trial<'_>) -> Verdict {
    let mut market = SwapFixture::open(trial).await?;
    let mut choices = trial.choices("exact-input");
    let trader = trial.account(PRIMARY, &mut choices, ether(20)).await?;
    let targets = reachable(&market, &mut choices)?;
    for token in targets {
        let first = small(&market, NATIVE, token);
        traded(&mut market, &trader, (NATIVE, token), &first).await?;
        // The same request again: its quote is that of the new reserves.
        let bought = traded(&mut market, &trader, (NATIVE, token), &first).await?;
        let third: BigInt = &bought / 3;
        if third.is_zero() {
            continue;
        }
        traded(&mut market, &trader, (token, NATIVE), &third).await?;
        if let Some(other) = market.another(token) {
            traded(&mut market, &trader, (token, other), &third).await?;
        }
    }
    Ok(())
}

pub(super) async fn smallest_inputs_are_exact(trial: &Trial<'_>) -> Verdict {
    let mut market = SwapFixture::open(trial).await?;
    let sides = market.choose_many(&mut trial.choices("smallest"), TRADES)?;
    let wanted: Vec<_> = sides
        .into_iter()
        .flat_map(|(from, to)| SMALLEST.map(|units| (from, to, BigInt::from(units))))
        .collect();
    let asked: Vec<_> = wanted.iter().map(|(from, to, input)| asks(*from, *to, "amount", input)).collect();
    let quotes = market.all_steady(QUOTE, &asked).await?;
    let mut quoted = 0;
    for ((_, _, input), quote) in wanted.into_iter().zip(quotes) {
        // What buys nothing may have no route.
        let Some(quote) = Quote::if_given(trial, quote)? else { continue };
        quoted += 1;
        let path = market.path_of(&quote)?;
        let paid = market.exchange.forward(&path, &input).and_then(|mut amounts| amounts.pop());
        quote.is("amountIn", &input)?;
        quote.is("amountOut", &paid.unwrap_or_default())?;
    }
    need_material(quoted != 0, "no small input is quoted")
}

/// Quotes an input, trades it along the quoted path, and compares balances.
async fn traded(
    market: &mut SwapFixture<'_>,
    trader: &Account,
    (from, to): (Address, Address),
    input: &BigInt,
) -> Verdict<BigInt> {
    let response = market.ask_in(from, to, input).await?;
    let Some(quote) = Quote::if_given(market, response)? else { return Ok(BigInt::zero()) };
    let output = quote.amount("amountOut")?;
    let path = market.path_of(&quote)?;
    let sending = market.router_call(trader.address(), (from, to), input, path);
    if from != NATIVE {
        allow(market, trader, from).await?;
    }
    let before = holding(market, trader.address(), to).await?;
    let outcome = market.chain.send(trader, sending).await?;
    let Some(receipt) = outcome.success() else {
        return Err(market.failure(&quote.response, "the router takes the quoted path", outcome.describe()));
    };
    let gas = if to == NATIVE { gas_of(receipt) } else { U256::ZERO };
    let after = holding(market, trader.address(), to).await? + gas;
    let paid = integer(after) - integer(before);
    market.require_equal(&quote.response, "what the router paid", &output, &paid)?;
    settled(market, &outcome).await?;
    Ok(paid)
}

/// Waits until the service has seen a transaction, and reads the reserves again.
pub(super) async fn settled(market: &mut SwapFixture<'_>, outcome: &TransactionOutcome) -> Verdict {
    if let TransactionOutcome::Mined(receipt) = outcome {
        market.settled(PRIMARY, receipt.block_number.unwrap_or_default()).await?;
    }
    market.refresh().await
}

/// Picks up to three tokens that the native coin can buy.
pub(super) fn reachable(market: &Quotes<'_>, choices: &mut Choices) -> Verdict<Vec<Address>> {
    let mut found: Vec<Address> = market
        .exchange
        .tokens()
        .into_iter()
        .filter(|token| *token != market.wrapped && market.depth(market.wrapped, *token).is_some())
        .collect();
    need_material(!found.is_empty(), "no token can be bought with the native asset")?;
    while found.len() > 3 {
        let index = choices.index(found.len());
        found.remove(index);
    }
    Ok(found)
}

/// Returns an input that moves prices a little and that a trader can afford.
pub(super) fn small(market: &SwapFixture<'_>, from: Address, to: Address) -> BigInt {
    let depth = market.depth(market.traded(from), market.traded(to)).unwrap_or_default();
    part(&depth, 1_000).min(integer(ether(1)))
}

pub(super) async fn allow(market: &SwapFixture<'_>, trader: &Account, token: Address) -> Verdict {
    let call = Token::approveCall { spender: market.router, amount: U256::MAX };
    let outcome = market.chain.transact(trader, token, U256::ZERO, &call).await?;
    match outcome.success() {
        Some(receipt) => {
            let block = receipt.block_number.unwrap_or_default();
            market.settled(PRIMARY, block).await
        }
        None => Err(no_material(format!("{token} takes no approval: {}", outcome.describe()))),
    }
}

pub(super) async fn holding(market: &SwapFixture<'_>, account: Address, token: Address) -> Verdict<U256> {
    if token == NATIVE {
        return Ok(market.chain.balance(account).await?);
    }
    contract(market.chain, token, &Token::balanceOfCall { account }).await
}
