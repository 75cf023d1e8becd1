// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {WideMath} from "./WideMath.sol";

/// @title The curve of the first version
/// @notice The price grows exponentially with the tokens sold: p(x) = a·e^(b·x). That the curve raises the target R over
///         the sale supply S, and ends at the price of the target against the liquidity supply S/4, fixes both: with
///         u = b·S, u solves 1 - e^-u = u/4, and the first x tokens cost C(x) = R·(e^(u·x/S) - 1) / (e^u - 1).
/// @dev Exponentials have 96 fractional bits and an error below 2^-90, so that C is right to far less than a wei before it
///      is rounded up. C(0) is 0 and C(S) is R exactly.
library ExponentialCurve {
    /// @notice Token units of every token.
    uint256 internal constant TOTAL_SUPPLY = 1e27;
    /// @notice S, in token units.
    uint256 internal constant SALE_SUPPLY = 8e26;
    /// @notice Token units that seed the pair.
    uint256 internal constant LIQUIDITY_SUPPLY = 2e26;
    /// @notice R, in wei.
    uint256 internal constant TARGET = 3 ether;

    uint256 private constant ONE = 1 << 96;
    /// @dev u, e^u as `_exp` computes it, and the natural logarithm of two, with 96 fractional bits.
    uint256 private constant U = 310629095773104257463905116714;
    uint256 private constant EXP_U = 3995892421215877370415635626208;
    uint256 private constant LN_2 = 54916777467707473351141471128;
    /// @dev u·R/S for a whole token and for the whole supply.
    uint256 private constant SLOPE_OF_TOKEN = U * TARGET * 1e18 / SALE_SUPPLY;
    uint256 private constant SLOPE_OF_SUPPLY = U * TARGET * 1e27 / SALE_SUPPLY;

    /// @notice C(sold), rounded up.
    function costUp(uint256 sold) internal pure returns (uint256) {
        return WideMath.mulDivUp(TARGET, _growth(sold) - ONE, EXP_U - ONE);
    }

    /// @notice The most tokens whose cost, rounded up, is within `budget`, at least `sold`.
    function soldDown(uint256 sold, uint256 budget) internal pure returns (uint256) {
        if (budget >= TARGET) return SALE_SUPPLY;
        uint256 low = sold;
        uint256 high = SALE_SUPPLY;
        while (low < high) {
            uint256 middle = (low + high + 1) / 2;
            if (costUp(middle) <= budget) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    /// @notice The price after `sold` tokens, in wei for a whole token, rounded down.
    function priceDown(uint256 sold) internal pure returns (uint256) {
        return WideMath.mulDivDown(SLOPE_OF_TOKEN, _growth(sold), EXP_U - ONE) / ONE;
    }

    /// @notice The whole supply at the price after `sold` tokens, in wei, rounded down.
    function marketCapDown(uint256 sold) internal pure returns (uint256) {
        return WideMath.mulDivDown(SLOPE_OF_SUPPLY, _growth(sold), EXP_U - ONE) / ONE;
    }

    /// @dev e^(u·sold/S).
    function _growth(uint256 sold) private pure returns (uint256) {
        return _exp(U * sold / SALE_SUPPLY);
    }

    /// @dev e^exponent: whole powers of two are split off, and the rest, below one, is summed term by term.
    function _exp(uint256 exponent) private pure returns (uint256 sum) {
        uint256 twos = exponent / LN_2;
        uint256 rest = exponent % LN_2;
        sum = ONE;
        uint256 term = ONE;
        for (uint256 i = 1; term != 0; ++i) {
            term = term * rest / (i * ONE);
            sum += term;
        }
        return sum << twos;
    }
}
