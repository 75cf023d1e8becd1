// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {FullMath} from "@uniswap/v4-core/src/libraries/FullMath.sol";

import {ISaleSplitCalculator} from "../sol/interfaces/ISaleSplitCalculator.sol";
import {LaunchFixture} from "./support/LaunchFixture.sol";

/// @title Division of the supply
contract SaleSplitTest is LaunchFixture {
    function test_corners() public view {
        _check(1 ether, 0);
        _check(5 ether, 0);
        _check(1 ether, 200_000);
        _check(5 ether, 200_000);
        (uint128 sale,, uint256 portion,,) = viewer.previewSaleSplit(2 ether, 0);
        assertEq(sale, 0.5e27);
        assertEq(portion, 5_000);
    }

    function testFuzz_curveEndsAtThePoolPrice(uint96 raise, uint32 gain) public view {
        _check(uint96(bound(raise, 1 ether, 5 ether)), uint32(bound(gain, 0, 200_000)));
    }

    function _check(uint96 raise, uint32 gain) private view {
        (uint128 sale, uint128 liquidity, uint256 portion, uint256 marginal, uint256 pool) =
            viewer.previewSaleSplit(raise, gain);
        (uint128 calculated,,,,) = ISaleSplitCalculator(calculator).previewSaleSplit(raise, gain);
        assertEq(calculated, sale);
        assertEq(uint256(sale) + liquidity, TOTAL_SUPPLY);
        // The largest whole supply that satisfies the equation of both prices.
        assertLe(uint256(sale) * (40_000 + 3 * uint256(gain)), TOTAL_SUPPLY * 2 * (10_000 + uint256(gain)));
        assertGt((uint256(sale) + 1) * (40_000 + 3 * uint256(gain)), TOTAL_SUPPLY * 2 * (10_000 + uint256(gain)));
        assertEq(portion, uint256(sale) * 10_000 / TOTAL_SUPPLY);
        assertEq(pool, FullMath.mulDiv(raise, 1e18, liquidity));
        assertApproxEqAbs(marginal, pool, 1);
    }
}
