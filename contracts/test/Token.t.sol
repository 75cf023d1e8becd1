// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {IToken, LaunchFixture} from "./support/LaunchFixture.sol";

/// @title The token of a launch as an ERC-20
contract TokenTest is LaunchFixture {
    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    error InsufficientBalance();
    error InsufficientAllowance();
    error ReceiverInvalid();

    IToken private token;
    uint256 private held;

    function setUp() public override {
        super.setUp();
        uint256 launchId;
        (launchId, token) = _launch();
        held = _buy(alice, launchId, 0.1 ether);
    }

    function test_transfer() public {
        vm.expectEmit(address(token));
        emit Transfer(alice, bob, 5);
        vm.prank(alice);
        assertTrue(token.transfer(bob, 5));
        assertEq(token.balanceOf(bob), 5);
        assertEq(token.balanceOf(alice), held - 5);
        vm.expectRevert(InsufficientBalance.selector);
        vm.prank(bob);
        token.transfer(alice, 6);
        vm.expectRevert(ReceiverInvalid.selector);
        vm.prank(bob);
        token.transfer(address(0), 1);
    }

    function test_transferToOneself() public {
        vm.prank(alice);
        token.transfer(alice, held);
        assertEq(token.balanceOf(alice), held);
    }

    function test_allowance() public {
        vm.expectEmit(address(token));
        emit Approval(alice, bob, 10);
        vm.prank(alice);
        assertTrue(token.approve(bob, 10));
        vm.startPrank(bob);
        assertTrue(token.transferFrom(alice, bob, 4));
        assertEq(token.allowance(alice, bob), 6);
        vm.expectRevert(InsufficientAllowance.selector);
        token.transferFrom(alice, bob, 7);
        vm.stopPrank();
        vm.prank(alice);
        token.approve(bob, type(uint256).max);
        vm.prank(bob);
        token.transferFrom(alice, bob, 4);
        assertEq(token.allowance(alice, bob), type(uint256).max);
    }

    function test_burn() public {
        vm.expectEmit(address(token));
        emit Transfer(alice, address(0), 3);
        vm.prank(alice);
        token.burn(3);
        assertEq(token.totalSupply(), TOTAL_SUPPLY - 3);
        assertEq(token.balanceOf(alice), held - 3);
        vm.expectRevert(InsufficientBalance.selector);
        vm.prank(bob);
        token.burn(1);
    }
}
