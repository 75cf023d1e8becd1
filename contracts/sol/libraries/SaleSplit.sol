// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {Curve} from "./Curve.sol";
import {WideMath} from "./WideMath.sol";

/// @title Division of the supply between sale and pool
library SaleSplit {
    /// @notice The division and the two prices that meet at graduation, as the calculator answers them.
    function preview(uint96 targetRaise, uint32 gainBps)
        internal
        pure
        returns (
            uint128 saleSupply,
            uint128 liquiditySupply,
            uint256 salePortionBps,
            uint256 marginalPrice,
            uint256 poolPrice
        )
    {
        uint256 sale = Curve.saleSupplyDown(gainBps);
        uint256 liquidity = Curve.TOTAL_SUPPLY - sale;
        Curve.Shape memory shape = Curve.Shape({targetRaise: targetRaise, gainBps: gainBps, saleSupply: sale});
        // The whole supply bounds both parts, far below what 128 bits hold.
        saleSupply = uint128(sale);
        liquiditySupply = uint128(liquidity);
        salePortionBps = sale * 10_000 / Curve.TOTAL_SUPPLY;
        marginalPrice = Curve.priceDown(shape, sale);
        poolPrice = WideMath.mulDivDown(targetRaise, Curve.WHOLE_TOKEN, liquidity);
    }
}
