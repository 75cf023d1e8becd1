// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

/// @title Interface of the sale split
/// @notice Divides the supply so that the curve ends at the price at which the pool opens.
interface ISaleSplitCalculator {
    /// @notice The division of the supply and the two prices that meet at graduation.
    /// @param targetRaise Net contributions at graduation, in quote units.
    /// @param gainBps End price over start price, minus one, in basis points.
    /// @return saleSupply Token units that the curve sells.
    /// @return liquiditySupply Token units that seed the pool.
    /// @return salePortionBps Sale supply over total supply in basis points, rounded down.
    /// @return marginalPrice Curve price at its end, in quote units for one whole token, rounded down.
    /// @return poolPrice Opening price of the pool, in quote units for one whole token, rounded down.
    function previewSaleSplit(uint96 targetRaise, uint32 gainBps)
        external
        pure
        returns (
            uint128 saleSupply,
            uint128 liquiditySupply,
            uint256 salePortionBps,
            uint256 marginalPrice,
            uint256 poolPrice
        );
}
