// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {FullMath} from "@uniswap/v4-core/src/libraries/FullMath.sol";
import {Test} from "forge-std/Test.sol";

import {WideMath} from "../sol/libraries/WideMath.sol";

/// @title The library behind a call, so that its refusals can be expected
contract WideCalculator {
    function down(uint256 a, uint256 b, uint256 d) external pure returns (uint256) {
        return WideMath.mulDivDown(a, b, d);
    }

    function up(uint256 a, uint256 b, uint256 d) external pure returns (uint256) {
        return WideMath.mulDivUp(a, b, d);
    }
}

/// @title Products wider than a word, against published arithmetic
contract WideMathTest is Test {
    WideCalculator private calculator;

    function setUp() public {
        calculator = new WideCalculator();
    }

    function test_aQuotientThatFitsNoWordIsRefused() public {
        vm.expectRevert(WideMath.QuotientOverflow.selector);
        calculator.down(type(uint256).max, 2, 1);
        vm.expectRevert(WideMath.QuotientOverflow.selector);
        calculator.down(1, 1, 0);
        vm.expectRevert(WideMath.QuotientOverflow.selector);
        calculator.up(1 << 255, 1 << 255, 1 << 254);
        assertEq(calculator.down(type(uint256).max, type(uint256).max, type(uint256).max), type(uint256).max);
    }

    function testFuzz_agreesWithPublishedArithmetic(uint256 a, uint256 b, uint256 d, uint256 narrow) public view {
        (a, b, d) = (a >> (narrow & 0xff), b >> ((narrow >> 8) & 0xff), d >> ((narrow >> 16) & 0xff));
        d = d == 0 ? 1 : d;
        if (type(uint256).max / (b == 0 ? 1 : b) < a && FullMath.mulDiv(a, b, type(uint256).max) + 1 >= d) return;
        assertEq(calculator.down(a, b, d), FullMath.mulDiv(a, b, d));
    }

    function testFuzz_theRootIsTheLargestThatFits(uint256 value) public pure {
        uint256 root = WideMath.sqrtDown(value);
        assertLe(root * root, value);
        if (root < type(uint128).max) assertGt((root + 1) * (root + 1), value);
    }
}
