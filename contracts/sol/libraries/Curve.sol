// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {ILaunchErrors} from "../interfaces/ILaunchErrors.sol";
import {WideMath} from "./WideMath.sol";

/// @title The launch curve
/// @notice A price that is linear in the tokens sold. With S tokens for sale, a target R and a gain of G basis points,
///         the first x tokens cost C(x) = R·x·(20000·S + G·x) / (S²·(20000 + G)), so that C(S) is exactly R.
///         Costs are rounded up and tokens down, in favour of the curve.
library Curve {
    /// @notice Token units of every launch.
    uint256 internal constant TOTAL_SUPPLY = 1e27;

    /// @notice Units of a whole token.
    uint256 internal constant WHOLE_TOKEN = 1e18;

    uint256 private constant BPS = 10_000;
    uint256 private constant TWICE_BPS = 20_000;

    /// @notice The figures that shape a curve.
    /// @param targetRaise R, in quote units.
    /// @param gainBps G, in basis points.
    /// @param saleSupply S, in token units.
    struct Shape {
        uint256 targetRaise;
        uint256 gainBps;
        uint256 saleSupply;
    }

    /// @notice Refuses figures for which the formulas have no meaning.
    function requireValid(Shape memory shape) internal pure {
        if (shape.saleSupply == 0 || shape.saleSupply > TOTAL_SUPPLY || shape.targetRaise == 0) {
            revert ILaunchErrors.CurveInvalid();
        }
    }

    /// @notice S for a gain: the supply that makes the curve's last price the price of the rest against R.
    function saleSupplyDown(uint256 gainBps) internal pure returns (uint256) {
        return TOTAL_SUPPLY * 2 * (BPS + gainBps) / (4 * BPS + 3 * gainBps);
    }

    /// @notice C(sold), rounded up.
    function costUp(Shape memory shape, uint256 sold) internal pure returns (uint256) {
        return WideMath.mulDivUp(
            shape.targetRaise * sold,
            TWICE_BPS * shape.saleSupply + shape.gainBps * sold,
            shape.saleSupply * shape.saleSupply * (TWICE_BPS + shape.gainBps)
        );
    }

    /// @notice The most tokens whose cost, rounded up, is within `budget`.
    /// @dev Exact without a correction: solving C(x) = budget for x gives
    ///      x = (sqrt(10000²·S² + G·(20000 + G)·S²·budget/R) - 10000·S) / G,
    ///      and rounding down commutes with adding an integer, with the square root and with dividing by an integer, so
    ///      rounding at every step rounds the result. A whole `budget` is at least C(x) exactly when it is at least
    ///      C(x) rounded up.
    function soldDown(Shape memory shape, uint256 budget) internal pure returns (uint256) {
        uint256 supply = shape.saleSupply;
        uint256 gain = shape.gainBps;
        if (budget >= shape.targetRaise) return supply;
        if (gain == 0) return WideMath.mulDivDown(budget, supply, shape.targetRaise);

        uint256 square = supply * supply;
        uint256 radicand =
            BPS * BPS * square + WideMath.mulDivDown(square * gain * (TWICE_BPS + gain), budget, shape.targetRaise);
        return (WideMath.sqrtDown(radicand) - BPS * supply) / gain;
    }

    /// @notice The price after `sold` tokens, in quote units for a whole token, rounded down.
    function priceDown(Shape memory shape, uint256 sold) internal pure returns (uint256) {
        return _scaledPriceDown(shape, sold, WHOLE_TOKEN);
    }

    /// @notice The whole supply at the price after `sold` tokens, in quote units, rounded down.
    function marketCapDown(Shape memory shape, uint256 sold) internal pure returns (uint256) {
        return _scaledPriceDown(shape, sold, TOTAL_SUPPLY);
    }

    function _scaledPriceDown(Shape memory shape, uint256 sold, uint256 units) private pure returns (uint256) {
        return WideMath.mulDivDown(
            shape.targetRaise * units,
            TWICE_BPS * shape.saleSupply + 2 * shape.gainBps * sold,
            shape.saleSupply * shape.saleSupply * (TWICE_BPS + shape.gainBps)
        );
    }
}
