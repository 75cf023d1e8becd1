// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {ISaleSplitCalculator} from "./interfaces/ISaleSplitCalculator.sol";
import {SaleSplit} from "./libraries/SaleSplit.sol";

/// @title Sale split calculator
/// @notice Stateless; a hook asks it once for every launch.
contract SaleSplitCalculator is ISaleSplitCalculator {
    /// @inheritdoc ISaleSplitCalculator
    function previewSaleSplit(uint96 targetRaise, uint32 gainBps)
        external
        pure
        returns (
            uint128 saleSupply,
            uint128 liquiditySupply,
            uint256 salePortionBps,
            uint256 marginalPrice,
            uint256 poolPrice
        )
    {
        return SaleSplit.preview(targetRaise, gainBps);
    }
}
