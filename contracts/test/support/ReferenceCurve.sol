// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {FullMath} from "@uniswap/v4-core/src/libraries/FullMath.sol";

import {LaunchConfig} from "../../sol/types/LaunchTypes.sol";

/// @title The curve a second time, slowly
/// @notice Written from the formulas and sharing no code with the contracts: published wide arithmetic, bisection instead
///         of a square root, search instead of a closed form.
library ReferenceCurve {
    uint256 internal constant TOTAL = 1e27;

    /// @notice What a purchase must come to.
    struct Purchase {
        uint256 soldAfter;
        uint256 contributionsAfter;
        uint256 tokensOut;
        uint256 cost;
        uint256 refund;
        uint256 protocolFee;
        uint256 creatorFee;
        uint256 buybackFee;
    }

    function saleSupply(uint256 gain) internal pure returns (uint256) {
        return FullMath.mulDiv(TOTAL, 2 * (10_000 + gain), 40_000 + 3 * gain);
    }

    /// @notice C(x), rounded up.
    function cost(uint256 raise, uint256 gain, uint256 supply, uint256 x) internal pure returns (uint256) {
        return FullMath.mulDivRoundingUp(raise * x, 20_000 * supply + gain * x, supply * supply * (20_000 + gain));
    }

    /// @notice The largest x within the supply whose cost is within the budget.
    function largest(uint256 raise, uint256 gain, uint256 supply, uint256 budget) internal pure returns (uint256) {
        uint256 low = 0;
        uint256 high = supply;
        while (low < high) {
            uint256 middle = (low + high + 1) / 2;
            if (cost(raise, gain, supply, middle) <= budget) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    /// @notice What is left of a gross amount after both fees.
    function net(uint256 gross) internal pure returns (uint256) {
        return gross - 2 * (gross * 100 / 10_000);
    }

    /// @notice The least gross amount that leaves at least `needed`.
    function leastGross(uint256 needed) internal pure returns (uint256 gross) {
        // The fee is near needed / 49; the search runs over the few whole fees around it.
        uint256 half = needed / 98;
        half = half < 3 ? 0 : half - 3;
        for (;; ++half) {
            for (gross = half * 100; gross < half * 100 + 100; ++gross) {
                if (net(gross) >= needed) return gross;
            }
        }
    }

    function purchase(LaunchConfig memory launch, uint256 gross) internal pure returns (Purchase memory result) {
        result.cost = gross;
        uint256 needed = launch.targetRaise - launch.netContributions;
        if (net(gross) >= needed) result.cost = leastGross(needed);
        result.refund = gross - result.cost;
        (result.protocolFee, result.creatorFee, result.buybackFee) = fees(result.cost, launch.creatorFeeSplitBps);
        result.contributionsAfter = launch.netContributions + net(result.cost);
        result.soldAfter = largest(launch.targetRaise, launch.gainBps, launch.saleSupply, result.contributionsAfter);
        result.tokensOut = result.soldAfter - launch.sold;
    }

    /// @notice The gross value of a sale.
    function saleGross(LaunchConfig memory launch, uint256 amount) internal pure returns (uint256) {
        return
            launch.netContributions - cost(launch.targetRaise, launch.gainBps, launch.saleSupply, launch.sold - amount);
    }

    function fees(uint256 gross, uint256 split)
        internal
        pure
        returns (uint256 protocolFee, uint256 creatorFee, uint256 buybackFee)
    {
        protocolFee = gross * 100 / 10_000;
        uint256 variableFee = gross * 100 / 10_000;
        creatorFee = variableFee * split / 10_000;
        buybackFee = variableFee - creatorFee;
    }

    /// @notice Price for `units` tokens after `sold`, rounded down.
    function price(LaunchConfig memory launch, uint256 sold, uint256 units) internal pure returns (uint256) {
        uint256 supply = launch.saleSupply;
        uint256 gain = launch.gainBps;
        return FullMath.mulDiv(
            launch.targetRaise * units, 20_000 * supply + 2 * gain * sold, supply * supply * (20_000 + gain)
        );
    }
}
