//! The slow reference model, written from the specification alone, and the definition of the cost in wide integers.
use alloy::primitives::U512;
use num_bigint::BigInt;
use slipway_math_proofs::cases::{Answers, Case, Cases};
use slipway_scenarios::truth::reference::curve::{Curve, Position, fees};

/// The reference bisects with unbounded integers: it is two hundred times slower than the code it checks.
const STATES: usize = 20_000;

fn cost_up(case: &Case, sold: u128) -> U512 {
    let (supply, gain) = (U512::from(case.curve.sale_supply()), U512::from(case.curve.gain_bps()));
    let numerator = U512::from(case.curve.target_raise())
        * U512::from(sold)
        * (U512::from(20_000) * supply + gain * U512::from(sold));
    numerator.div_ceil(supply * supply * (U512::from(20_000) + gain))
}

/// Checks `C(x)` itself: the purchase is the largest that its net pays for, and the sale returns the difference in cost.
pub(crate) fn agrees_with_the_definition(case: &Case, answers: &Answers) {
    let sold = case.position.sold + answers.buy[0];
    let cost = answers.buy[1];
    let paid = U512::from(case.position.contributions + cost - 2 * (cost / 100));
    assert!(cost_up(case, sold) <= paid, "{case:?}");
    assert!(sold == case.curve.sale_supply() || cost_up(case, sold + 1) > paid, "{case:?}");
    let kept = cost_up(case, case.position.sold - case.tokens);
    let gross = U512::from(case.position.contributions) - kept;
    let shares: u128 = answers.sell.iter().sum();
    assert_eq!(gross, U512::from(shares), "{case:?}");
}

fn integer(value: u128) -> BigInt {
    BigInt::from(value)
}

#[test]
fn quotes_match_reference_model() {
    for case in Cases::new(0x5eed).take(STATES) {
        let curve = Curve::new(integer(case.curve.target_raise()), case.curve.gain_bps().into());
        let position =
            Position { sold: integer(case.position.sold), net: integer(case.position.contributions) };
        let split = BigInt::from(case.split_bps);
        let native = case.answers();
        let bought = curve.buy(&position, &integer(case.gross));
        let left = &curve.sale - &bought.after.sold;
        let buy = [bought.tokens, bought.cost, bought.refund, left];
        assert_eq!(buy, native.buy.map(integer), "{case:?}");
        let sold = curve.sell(&position, &integer(case.tokens));
        let fees = fees(&sold.gross, &split);
        let sell = [sold.payout, fees.protocol, fees.creator, fees.buyback];
        assert_eq!(sell, native.sell.map(integer), "{case:?}");
        assert_eq!(
            integer(case.curve.sold_down(case.position.contributions)),
            curve.sold_for(&position.net),
            "{case:?}"
        );
    }
}
