// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {WideMath} from "./WideMath.sol";

/// @title Opening price and liquidity of a graduated pool
/// @notice The position spans every price that the tick spacing allows.
library PoolSeed {
    /// @notice Swap fee of the pools, in hundredths of a basis point.
    uint24 internal constant FEE = 1_000;
    /// @notice Tick spacing of the pools.
    int24 internal constant TICK_SPACING = 60;
    /// @notice Lowest tick that the spacing allows.
    int24 internal constant LOWEST_TICK = -887_220;
    /// @notice Highest tick that the spacing allows.
    int24 internal constant HIGHEST_TICK = 887_220;
    /// @notice Square root price at the lowest tick, with 96 fractional bits.
    uint160 internal constant LOWEST_SQRT_PRICE = 4306310044;
    /// @notice Square root price at the highest tick, with 96 fractional bits.
    uint160 internal constant HIGHEST_SQRT_PRICE = 1457652066949847389969617340386294118487833376468;

    uint256 private constant ONE_X96 = 1 << 96;
    uint256 private constant ONE_X192 = 1 << 192;

    /// @notice The square root of `amount1 / amount0` with 96 fractional bits, rounded down.
    /// @dev Rounding the ratio down first does not change the rounded root. Amounts are those of a launch, whose ratio
    ///      lies far inside the range of a pool price.
    function sqrtPriceDown(uint256 amount0, uint256 amount1) internal pure returns (uint160) {
        return uint160(WideMath.sqrtDown(WideMath.mulDivDown(amount1, ONE_X192, amount0)));
    }

    /// @notice The most liquidity that both amounts pay for at a price.
    function liquidityDown(uint160 sqrtPrice, uint256 amount0, uint256 amount1) internal pure returns (uint256) {
        uint256 product = WideMath.mulDivDown(sqrtPrice, HIGHEST_SQRT_PRICE, ONE_X96);
        uint256 from0 = WideMath.mulDivDown(amount0, product, HIGHEST_SQRT_PRICE - sqrtPrice);
        uint256 from1 = WideMath.mulDivDown(amount1, ONE_X96, sqrtPrice - LOWEST_SQRT_PRICE);
        return from0 < from1 ? from0 : from1;
    }
}
