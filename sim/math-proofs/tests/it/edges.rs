//! The edges one by one, and the split of the supply, which purchases alone do not cover.
use slipway_contracts::artifacts::Artifacts;
use slipway_contracts::bindings::ILaunchViewer;
use slipway_math::curve::{Curve, MAX_GAIN_BPS, MINIMUM_BUY, MINIMUM_SELL, Position};
use slipway_math::fees::least_gross_up;
use slipway_math::split::SaleSplit;
use slipway_math_proofs::cases::{Case, ETHER, LARGEST_RAISE};
use slipway_math_proofs::evm::{Evm, VIEWER, small};

/// Flat and steepest, smallest and largest raise.
fn corners() -> impl Iterator<Item = Curve> {
    [0, 1, 50_000, MAX_GAIN_BPS]
        .into_iter()
        .flat_map(|gain| [ETHER, 2 * ETHER + 1, LARGEST_RAISE].map(|raise| Curve::new(raise, gain).unwrap()))
}

#[test]
fn curve_edges_match_contracts() {
    let mut evm = Evm::deployed(&Artifacts::sound()).unwrap();
    for curve in corners() {
        let last = curve.sold_down(curve.target_raise() - 1);
        for sold in [0, 1, 2, MINIMUM_SELL, curve.sale_supply() / 2, last - 1, last] {
            let position = Position { sold, contributions: curve.cost_up(sold) };
            let least = least_gross_up(curve.target_raise() - position.contributions).unwrap();
            for gross in [
                0,
                1,
                MINIMUM_BUY - 1,
                MINIMUM_BUY,
                least.saturating_sub(1),
                least,
                least + 1,
                2 * LARGEST_RAISE,
                u128::MAX,
            ] {
                for tokens in [0, 1, MINIMUM_SELL, sold].map(|tokens| tokens.min(sold)) {
                    let case = Case { curve, split_bps: 3_333, position, gross, tokens };
                    evm.set_case(&case);
                    assert_eq!(evm.answers(gross, tokens).unwrap(), case.answers(), "{case:?}");
                }
            }
        }
    }
}

#[test]
fn split_matches_contracts() {
    let mut evm = Evm::deployed(&Artifacts::sound()).unwrap();
    for gain in (0..=MAX_GAIN_BPS).step_by(100) {
        let raise = ETHER + u128::from(gain) * 20_000_000_000_000;
        let native = SaleSplit::new(raise, gain).unwrap();
        let call =
            ILaunchViewer::previewSaleSplitCall { targetRaise: raise.try_into().unwrap(), gainBps: gain };
        let answered = evm.call(VIEWER, &call).unwrap();
        assert_eq!(
            [answered.saleSupply, answered.liquiditySupply],
            [native.sale_supply, native.liquidity_supply]
        );
        assert_eq!(small(answered.salePortionBps), native.sale_portion_bps.into());
        assert_eq!([answered.marginalPrice, answered.poolPrice], [native.marginal_price, native.pool_price]);
    }
}
