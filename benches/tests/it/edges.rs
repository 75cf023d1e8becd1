//! The edges one by one, and the parts of the curve that no purchase asks for alone: split, prices, the exponential curve of the first version.
use alloy::primitives::{U256, address};
use alloy::sol;
use slipway_benches::evm::{Evm, VIEWER, small};
use slipway_benches::states::{Case, ETHER, LARGEST_RAISE};
use slipway_contracts::artifacts::Artifacts;
use slipway_contracts::bindings::ILaunchViewer;
use slipway_sim::math::curve::{Curve, MAX_GAIN_BPS, MINIMUM_BUY, MINIMUM_SELL, Position};
use slipway_sim::math::exponential;
use slipway_sim::math::fees::least_gross_up;
use slipway_sim::math::split::SaleSplit;

sol! {
    function previewBuy(address token, uint256 ethIn) external view returns (uint256 tokensOut, uint256 cost, uint256 refund);
    function previewSell(address token, uint256 tokenAmount) external view returns (uint256 payout, uint256 fee);
    function priceOf(address token) external view returns (uint256 price);
}

/// Flat and steepest, smallest and largest raise.
fn corners() -> impl Iterator<Item = Curve> {
    [0, 1, 50_000, MAX_GAIN_BPS]
        .into_iter()
        .flat_map(|gain| [ETHER, 2 * ETHER + 1, LARGEST_RAISE].map(|raise| Curve::new(raise, gain).unwrap()))
}

#[test]
fn the_edges_agree_one_by_one() {
    let mut evm = Evm::deployed(&Artifacts::sound()).unwrap();
    for curve in corners() {
        let last = curve.sold_down(curve.target_raise() - 1);
        for sold in [0, 1, 2, MINIMUM_SELL, curve.sale_supply() / 2, last - 1, last] {
            let position = Position {
                sold,
                contributions: curve.cost_up(sold),
            };
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
                    let case = Case {
                        curve,
                        split_bps: 3_333,
                        position,
                        gross,
                        tokens,
                    };
                    evm.stand(&case);
                    assert_eq!(evm.answers(gross, tokens).unwrap(), case.answers(), "{case:?}");
                }
            }
        }
    }
}

#[test]
fn the_split_agrees_for_every_hundredth_gain() {
    let mut evm = Evm::deployed(&Artifacts::sound()).unwrap();
    for gain in (0..=MAX_GAIN_BPS).step_by(100) {
        let raise = ETHER + u128::from(gain) * 20_000_000_000_000;
        let native = SaleSplit::new(raise, gain).unwrap();
        let call = ILaunchViewer::previewSaleSplitCall {
            targetRaise: raise.try_into().unwrap(),
            gainBps: gain,
        };
        let said = evm.call(VIEWER, &call).unwrap();
        assert_eq!(
            [said.saleSupply, said.liquiditySupply, said.salePortionBps].map(small),
            [
                native.sale_supply,
                native.liquidity_supply,
                native.sale_portion_bps.into()
            ]
        );
        assert_eq!(
            [said.marginalPrice, said.poolPrice],
            [native.marginal_price, native.pool_price]
        );
    }
}

/// The factory's own previews, for a token written into its storage as its layout says.
#[test]
fn the_curve_of_the_first_version_agrees_to_the_last_unit() {
    let factory = address!("5117000000000000000000000000000000000007");
    let token = address!("5117000000000000000000000000000000000008");
    let mut evm = Evm::deployed(&Artifacts::sound()).unwrap();
    evm.create_legacy_factory(&Artifacts::sound(), factory).unwrap();
    let supply = exponential::SALE_SUPPLY;
    let some = (1..60_u128).map(|part| supply / 60 * part + part * 7_777_777);
    for sold in [0, 1, MINIMUM_SELL, supply - 1_000_000_000]
        .into_iter()
        .chain(some)
    {
        let position = Position {
            sold,
            contributions: exponential::cost_up(sold),
        };
        evm.stand_legacy(factory, token, position);
        let missing = exponential::TARGET - position.contributions;
        let full = exponential::buy(position, 10 * exponential::TARGET).cost;
        for gross in [MINIMUM_BUY, missing / 3, full - 1, full, full + 1, 9 * ETHER] {
            let native = exponential::buy(position, gross);
            let call = previewBuyCall {
                token,
                ethIn: U256::from(gross),
            };
            let said = evm.call(factory, &call).unwrap();
            assert_eq!(
                [said.tokensOut, said.cost, said.refund].map(small),
                [native.tokens_out, native.cost, native.refund],
                "{gross} wei after {sold}"
            );
        }
        for tokens in [1, MINIMUM_SELL, sold / 3, sold].map(|tokens| tokens.min(sold)) {
            let native = exponential::sell(position, tokens).unwrap();
            let call = previewSellCall {
                token,
                tokenAmount: U256::from(tokens),
            };
            let said = evm.call(factory, &call).unwrap();
            assert_eq!(
                [said.payout, said.fee].map(small),
                [native.payout, native.fee],
                "{tokens} tokens of {sold}"
            );
        }
        let price = evm.call(factory, &priceOfCall { token }).unwrap();
        assert_eq!(price, exponential::price_down(sold));
    }
}
