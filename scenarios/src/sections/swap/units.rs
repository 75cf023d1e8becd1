//! The units of rates and fees: in any scale, they must be figures of the quoted trade.
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::market::{NATIVE, Quote, Quotes};
use crate::model::figure::Figure;
use crate::prelude::*;
use crate::truth::reference::part;

/// Percent by which a rate may differ from the amounts: it may exclude the fee and be rounded.
const SLACK: u32 = 3;
/// Possible scales of `lpFeePercent`: a fraction of one, percent, and basis points.
const SCALES: [u32; 3] = [1, 100, 10_000];

clause! {
    QUOTE_UNITS = "QUOTE-UNITS" (S75, S76, S78, S79, S80):
        "executionRate is that of the amounts and spotRate in its unit, whatever the unit is, lpFee is lpFeePercent of the input, neither is 0 where the pair takes a fee, and a trade of a third of a reserve has an impact.";
    check!("swap-quote-units" [Read; Swap] held:
        "compares the rates and fees of quotes of exact inputs and outputs with their amounts, in any scale and either direction, and looks for the impact of large trades");
}
pub(super) async fn held(trial: &Trial<'_>) -> Verdict {
    let market = Quotes::open(trial).await?;
    let mut judged = 0;
    let chosen = market.choose_many(&mut trial.choices("units"), 6)?;
    // A single pair's spot rate is known, so some sides have one.
    let quoted = |(from, to): &(Address, Address)| {
        market.exchange.filled(*from, *to).is_some() && market.depth(*from, *to).is_some()
    };
    let direct = market.exchange.pairs.iter().map(|pair| pair.tokens.into()).filter(quoted).take(3);
    let direct: Vec<_> = direct.collect();
    // A pair of the wrapped coin, paid in the native one.
    let wrapped = direct.iter().flat_map(|(one, other)| [(*one, *other), (*other, *one)]);
    let native = wrapped.filter(|(one, _)| *one == market.wrapped).map(|(_, other)| (NATIVE, other)).next();
    for (from, to) in chosen.into_iter().chain(direct.iter().copied()).chain(native) {
        let depth = |from, to| market.depth(market.traded(from), market.traded(to)).unwrap_or_default();
        let exact_in = market.ask_in(from, to, &part(&depth(from, to), 1_000)).await?;
        let exact_out = market.ask_out(from, to, &part(&depth(to, from), 1_000)).await?;
        for response in [exact_in, exact_out] {
            let Some(quote) = Quote::if_given(trial, response)? else { continue };
            let (paid, got) = (quote.amount("amountIn")?, quote.amount("amountOut")?);
            if paid.is_zero() || got.is_zero() {
                continue;
            }
            rates(&quote, &BigRational::new(got.clone(), paid.clone()))?;
            fees(&quote, &paid)?;
            a_taken_fee_is_shown(&market, &quote, &paid, &got)?;
            judged += 1;
        }
    }
    for (from, to) in direct.into_iter().filter(|_| market.knows_reserves()) {
        moves_the_price(&market, from, to).await?;
    }
    need_material(judged != 0, "no route gives a quote")
}

/// A trade of a third of a pair's reserve moves the price, and so differs from the spot price.
async fn moves_the_price(market: &Quotes<'_>, from: Address, to: Address) -> Verdict {
    let depth = |from, to| market.depth(from, to).unwrap_or_default();
    let exact_in = market.ask_in(from, to, &part(&depth(from, to), 3)).await?;
    let exact_out = market.ask_out(from, to, &part(&depth(to, from), 3)).await?;
    for response in [exact_in, exact_out] {
        if let Some(quote) = Quote::if_given(market, response)? {
            is_apart_from_spot(&quote)?;
        }
    }
    Ok(())
}

fn is_apart_from_spot(quote: &Quote<'_>) -> Verdict {
    if quote.path()?.len() != 2 {
        return Ok(());
    }
    let impact = quote.number(&quote.body, "priceImpact")?;
    let moved = impact.is_positive();
    quote.trial.require_or(
        &quote.response,
        moved,
        "a priceImpact above 0 of a trade of a third of a reserve",
        || impact.to_string(),
    )?;
    let (execution, spot) = (rate(quote, "executionRate")?, rate(quote, "spotRate")?);
    if !is_precise(&execution) || !is_precise(&spot) {
        return Ok(());
    }
    let apart = !is_near(&(execution.value() / spot.value()));
    let expected = "an executionRate apart from spotRate for a trade of a third of a reserve";
    quote.trial.require_or(&quote.response, apart, expected, || {
        format!("spotRate {}, executionRate {}", spot.text(), execution.text())
    })
}

/// Both rates are positive numbers in the same unit; the execution rate is output per input or its inverse, with any decimals.
fn rates(quote: &Quote<'_>, exact: &BigRational) -> Verdict {
    let [execution, spot] = ["executionRate", "spotRate"].map(|name| rate(quote, name));
    let (execution, spot) = (execution?, spot?);
    if !is_precise(&execution) || !is_precise(&spot) {
        return Ok(());
    }
    let (execution, spot) = (execution.value(), spot.value());
    let either_way = [execution / exact, execution * exact];
    let fits = either_way.iter().any(|quotient| near_a_power_of_ten(quotient.clone()));
    quote.trial.require_or(
        &quote.response,
        fits,
        "executionRate is amountOut/amountIn or its inverse, up to a power of ten",
        || format!("{execution} where one unit of input gives {exact} of output"),
    )?;
    // Along one pair, a small trade executes close to the spot price.
    let along_one = quote.path()?.len() == 2;
    let alike = !along_one || is_near(&(execution / spot));
    let expected = "spotRate in the unit of executionRate";
    quote.trial.require_or(&quote.response, alike, expected, || {
        format!("spotRate {spot}, executionRate {execution}")
    })
}

fn rate(quote: &Quote<'_>, name: &str) -> Verdict<Figure> {
    let shown = &quote.body[name];
    let figure = shown.as_str().and_then(Figure::parse).filter(|figure| !figure.value().is_negative());
    figure.ok_or_else(|| {
        let expected = format!("{name} as a number in a text, not negative");
        quote.trial.failure(&quote.response, expected, shown.to_string())
    })
}

/// Whether a figure shows at least two digits.
fn is_precise(figure: &Figure) -> bool {
    figure.value().abs() >= figure.last_place() * BigInt::from(50)
}

/// The fee is a part of the input in smallest units, and the percentage is that part in some scale.
fn fees(quote: &Quote<'_>, paid: &BigInt) -> Verdict {
    let percent = quote.number(&quote.body["metadata"], "lpFeePercent")?;
    let possible = !percent.is_negative() && percent < BigRational::from_integer(10_000.into());
    quote
        .trial
        .require_or(&quote.response, possible, "lpFeePercent is a part of a trade", || percent.to_string())?;
    let stated = BigRational::from_integer(paid.clone()) * percent;
    let figure = rate(quote, "lpFee")?;
    if !figure.value().is_integer() {
        // In whole tokens, with any decimals.
        let fits = stated.is_zero() || !is_precise(&figure) || near_a_power_of_ten(figure.value() / &stated);
        return quote.trial.require_or(&quote.response, fits, "lpFee is lpFeePercent of amountIn", || {
            format!("lpFee = {} of {paid}", quote.body["lpFee"])
        });
    }
    let fee = quote.amount("lpFee")?;
    quote.trial.require_or(&quote.response, fee <= *paid, "lpFee within amountIn", || {
        format!("lpFee = {fee} of {paid}")
    })?;
    let fits = SCALES.iter().any(|scale| {
        let shown = BigRational::from_integer(&fee * *scale);
        let unit = BigRational::from_integer(BigInt::from(*scale) * 2);
        (&shown - &stated).abs() * BigInt::from(100)
            <= &stated * BigInt::from(SLACK) + unit * BigInt::from(100)
    });
    let expected = "lpFee is lpFeePercent of amountIn, in the token that is paid";
    quote.trial.require_or(&quote.response, fits, expected, || {
        format!("lpFee = {fee} of {paid} with lpFeePercent = {}", quote.body["metadata"]["lpFeePercent"])
    })
}

/// A trade along one pair that pays less than its reserves would without a fee has a fee.
fn a_taken_fee_is_shown(market: &Quotes<'_>, quote: &Quote<'_>, paid: &BigInt, got: &BigInt) -> Verdict {
    let path = market.path_of(quote)?;
    let [from, to] = path[..] else { return Ok(()) };
    let reserves = market.exchange.filled(from, to).filter(|_| market.knows_reserves());
    let Some((held, left)) = reserves else { return Ok(()) };
    let free: BigInt = left * paid / (held + paid);
    // Of fewer units, rounding takes as much.
    let few = BigInt::from(10_000);
    if paid < &few || got < &few || got * 1_000 >= free * 999 {
        return Ok(());
    }
    let (fee, percent) = (rate(quote, "lpFee")?, quote.number(&quote.body["metadata"], "lpFeePercent")?);
    // A fee in whole tokens may be rounded to none.
    let some = fee.value().is_positive() || fee.text().contains('.');
    let expected = "a fee, as the reserves would pay more without one";
    quote.trial.require_or(&quote.response, some && percent.is_positive(), expected, || {
        format!("lpFee {}, lpFeePercent {percent}", fee.text())
    })
}

/// Whether a quotient is a power of ten, up to a fee or a rounded digit.
pub(in crate::sections) fn near_a_power_of_ten(mut quotient: BigRational) -> bool {
    if !quotient.is_positive() {
        return false;
    }
    let ten = BigRational::from_integer(10.into());
    let edge = BigRational::new(5.into(), 1.into());
    while quotient >= edge {
        quotient /= &ten;
    }
    while &quotient * &ten < edge {
        quotient *= &ten;
    }
    is_near(&quotient)
}

fn is_near(quotient: &BigRational) -> bool {
    (quotient - BigRational::one()).abs() * BigInt::from(100) <= BigRational::from_integer(SLACK.into())
}

#[cfg(test)]
mod tests {
    use super::{is_precise, near_a_power_of_ten};
    use crate::model::figure::{Figure, rational};

    #[test]
    fn a_rate_is_one_in_any_decimals() {
        for (quotient, expected) in [
            ("1", true),
            ("1e18", true),
            ("1e-12", true),
            ("0.98", true),
            ("1.02e6", true),
            ("9.8", true),
            ("0.95", false),
            ("2", false),
            ("5", false),
            ("-1", false),
            ("0", false),
        ] {
            assert_eq!(near_a_power_of_ten(rational(quotient).unwrap()), expected, "{quotient}");
        }
        for (shown, expected) in
            [("0.0004", false), ("0.00042", false), ("0.00423", true), ("57", true), ("0", false)]
        {
            assert_eq!(is_precise(&Figure::parse(shown).unwrap()), expected, "{shown}");
        }
    }
}
