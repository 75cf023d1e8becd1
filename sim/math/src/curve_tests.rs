//! Laws of the curve, each against the definition of the cost in 512 bits rather than against the code under test.
use alloy_primitives::U512;
use proptest::prelude::*;

use super::*;

const ETHER: u128 = 1_000_000_000_000_000_000;

/// `ceil(C(x))` straight from its definition.
fn cost_by_definition(curve: &Curve, sold: u128) -> u128 {
    let (supply, gain) = (U512::from(curve.sale_supply()), U512::from(curve.gain_bps()));
    let numerator = U512::from(curve.target_raise())
        * U512::from(sold)
        * (U512::from(20_000) * supply + gain * U512::from(sold));
    let divisor = supply * supply * (U512::from(20_000) + gain);
    u128::try_from(numerator.div_ceil(divisor)).expect("the cost of a curve fits")
}

fn any_curve() -> impl Strategy<Value = Curve> {
    let raise = prop_oneof![4 => ETHER..=5 * ETHER, 1 => 1..=MAX_TARGET_RAISE, 1 => 1..1_000_000_u128];
    let gain = prop_oneof![1 => Just(0), 1 => Just(MAX_GAIN_BPS), 1 => 1..10_u32, 5 => 0..=MAX_GAIN_BPS];
    (raise, gain).prop_map(|(raise, gain)| Curve::new(raise, gain).expect("inside the limits"))
}

fn any_launchable_curve() -> impl Strategy<Value = Curve> {
    (ETHER..=5 * ETHER, 0..=MAX_GAIN_BPS)
        .prop_map(|(raise, gain)| Curve::new(raise, gain).expect("inside the limits"))
}

/// The position after contributions of `part` / 2^64 of the raise.
fn position_at(curve: &Curve, part: u64) -> Position {
    let net = (U256::from(curve.target_raise()) * U256::from(part)) >> 64;
    curve.buy_net(Position::default(), u128::try_from(net).expect("a part of the raise")).position_after
}

#[test]
fn ends_are_exact() {
    for gain in [0, 1, 50_000, MAX_GAIN_BPS] {
        let curve = Curve::new(3 * ETHER, gain).expect("inside the limits");
        assert_eq!(curve.cost_up(0), 0);
        assert_eq!(curve.cost_up(curve.sale_supply()), 3 * ETHER);
        assert_eq!(cost_by_definition(&curve, curve.sale_supply()), 3 * ETHER);
        assert_eq!(curve.sold_down(0), 0);
        assert_eq!(curve.sold_down(3 * ETHER), curve.sale_supply());
    }
}

#[test]
fn parameters_outside_limits_are_refused() {
    assert_eq!(Curve::new(0, 0), Err(CurveError::RaiseOutOfRange { target_raise: 0 }));
    let target_raise = MAX_TARGET_RAISE + 1;
    assert_eq!(Curve::new(target_raise, 0), Err(CurveError::RaiseOutOfRange { target_raise }));
    assert_eq!(
        Curve::new(ETHER, MAX_GAIN_BPS + 1),
        Err(CurveError::GainTooHigh { gain_bps: MAX_GAIN_BPS + 1 })
    );
}

#[test]
fn more_than_was_sold_is_refused() {
    let curve = Curve::new(ETHER, 50_000).expect("inside the limits");
    let position = curve.buy(Position::default(), ETHER / 2, 5_000).position_after;
    let tokens = position.sold + 1;
    assert_eq!(
        curve.sell(position, tokens, 0),
        Err(CurveError::SellExceedsSold { tokens, sold: position.sold })
    );
}

#[test]
fn a_complete_curve_returns_everything() {
    let curve = Curve::new(ETHER, 50_000).expect("inside the limits");
    let complete = curve.buy(Position::default(), 2 * ETHER, 5_000).position_after;
    let buy = curve.buy(complete, ETHER, 5_000);
    assert_eq!((buy.tokens_out, buy.cost, buy.refund, buy.finalizes), (0, 0, ETHER, false));
    assert_eq!(buy.position_after, complete);
}

#[test]
fn price_grows_by_the_gain() {
    let curve = Curve::new(2 * ETHER, 50_000).expect("inside the limits");
    let (first, last) = (curve.price_down(0), curve.price_down(curve.sale_supply()));
    assert_eq!(last / first, U256::from(6));
    // The cap is rounded once, so it keeps the nine digits that the price per token loses.
    assert!(curve.market_cap_down(0) >= first * U256::from(1_000_000_000));
    assert!(curve.market_cap_down(0) < (first + U256::ONE) * U256::from(1_000_000_000));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn cost_agrees_with_its_definition(curve in any_curve(), part in any::<u64>()) {
        let sold = position_at(&curve, part).sold;
        prop_assert_eq!(curve.cost_up(sold), cost_by_definition(&curve, sold));
    }

    #[test]
    fn sold_is_the_exact_maximum(curve in any_curve(), part in any::<u64>()) {
        let position = position_at(&curve, part);
        prop_assert!(cost_by_definition(&curve, position.sold) <= position.contributions);
        prop_assert!(position.sold < curve.sale_supply());
        prop_assert!(cost_by_definition(&curve, position.sold + 1) > position.contributions);
    }

    #[test]
    fn two_buys_give_what_one_gives(curve in any_curve(), start in any::<u64>(), parts in any::<[u64; 2]>()) {
        let position = position_at(&curve, start);
        let [first, second] = parts.map(|part| position_at(&curve, part).contributions);
        let stepped = curve.buy_net(curve.buy_net(position, first).position_after, second).position_after;
        prop_assert_eq!(stepped, curve.buy_net(position, first + second).position_after);
    }

    #[test]
    fn more_wei_never_buy_less(curve in any_curve(), start in any::<u64>(), nets in any::<[u64; 2]>()) {
        let position = position_at(&curve, start);
        let [less, more] = if nets[0] <= nets[1] { nets } else { [nets[1], nets[0]] };
        let [less, more] = [less, more].map(|net| curve.buy_net(position, u128::from(net)));
        prop_assert!(less.tokens_out <= more.tokens_out);
        prop_assert!(curve.price_down(less.position_after.sold) <= curve.price_down(more.position_after.sold));
        prop_assert!(curve.market_cap_down(less.position_after.sold) <= curve.market_cap_down(more.position_after.sold));
    }

    #[test]
    fn no_round_trip_pays(curve in any_launchable_curve(), start in any::<u64>(), gross in 1..ETHER, split in 0..=10_000_u16) {
        let position = position_at(&curve, start);
        let buy = curve.buy(position, gross, split);
        let sell = curve.sell(buy.position_after, buy.tokens_out, split).expect("what was bought can be sold");
        prop_assert!(sell.payout <= buy.cost);
        prop_assert!(sell.position_after.contributions >= curve.cost_up(sell.position_after.sold));
    }

    #[test]
    fn least_gross_reaches_the_target(
        curve in any_launchable_curve(), start in any::<u64>(), beyond in 0..ETHER, split in 0..=10_000_u16,
    ) {
        let position = position_at(&curve, start);
        let missing = curve.target_raise() - position.contributions;
        let least = least_gross_up(missing).expect("far below the limit");
        let buy = curve.buy(position, least, split);
        prop_assert!(buy.finalizes);
        prop_assert_eq!((buy.cost, buy.refund, buy.net), (least, 0, missing));
        prop_assert_eq!(buy.position_after, Position { sold: curve.sale_supply(), contributions: curve.target_raise() });
        prop_assert!(!curve.buy(position, least - 1, split).finalizes);

        let generous = curve.buy(position, least + 100 + beyond, split);
        prop_assert_eq!((generous.cost, generous.refund), (least, 100 + beyond));
        prop_assert_eq!(generous.fees, buy.fees);
    }

    #[test]
    fn every_wei_is_accounted_for(
        curve in any_launchable_curve(), trades in prop::collection::vec((any::<bool>(), any::<u64>()), 1..24), split in 0..=10_000_u16,
    ) {
        let mut position = Position::default();
        let (mut paid_in, mut paid_out, mut kept) = (0, 0, 0);
        for (buys, size) in trades {
            let (fees, after) = if buys {
                let buy = curve.buy(position, u128::from(size), split);
                prop_assert_eq!(buy.cost + buy.refund, u128::from(size));
                prop_assert_eq!(buy.net + buy.fees.total(), buy.cost);
                paid_in += buy.cost;
                (buy.fees, buy.position_after)
            } else {
                let tokens = u128::try_from((U256::from(position.sold) * U256::from(size)) >> 64).expect("a part");
                let sell = curve.sell(position, tokens, split).expect("a part of what was sold");
                paid_out += sell.payout;
                (sell.fees, sell.position_after)
            };
            kept += fees.total();
            position = after;
            prop_assert_eq!(paid_in, paid_out + kept + position.contributions);
            prop_assert!(position.contributions >= cost_by_definition(&curve, position.sold));
            if position.contributions == curve.target_raise() {
                break;
            }
        }
    }
}
