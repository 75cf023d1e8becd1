// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {ILaunchErrors} from "../sol/interfaces/ILaunchErrors.sol";
import {ILaunchEvents} from "../sol/interfaces/ILaunchEvents.sol";
import {CreateLaunchParams, LaunchConfig} from "../sol/types/LaunchTypes.sol";
import {IToken, LaunchFixture} from "./support/LaunchFixture.sol";
import {ReferenceCurve} from "./support/ReferenceCurve.sol";

/// @title Fees, their division and withdrawal, and buying back from the curve
contract FeesTest is LaunchFixture {
    function test_withdrawPaysEverythingOnce() public {
        (uint256 launchId,) = _launch();
        _buy(alice, launchId, 1 ether);
        uint256 balance = creator.balance;
        vm.expectEmit(address(hook));
        emit ILaunchEvents.FeesWithdrawn(creator, 0.005 ether);
        vm.startPrank(creator);
        hook.withdrawFees();
        assertEq(creator.balance - balance, 0.005 ether);
        assertEq(hook.withdrawableFees(creator), 0);
        vm.expectRevert(ILaunchErrors.NothingToWithdraw.selector);
        hook.withdrawFees();
        vm.stopPrank();

        vm.expectRevert(ILaunchErrors.NothingToWithdraw.selector);
        vm.prank(bob);
        hook.withdrawFees();
        assertEq(hook.withdrawableFees(protocol), 0.01 ether);
        assertEq(address(hook).balance, _owed());
    }

    function test_splitCorners() public {
        CreateLaunchParams memory params = _params();
        params.creatorFeeSplitBps = 0;
        (uint256 none,) = _launch(params, 0);
        params.creatorFeeSplitBps = 10_000;
        (uint256 all,) = _launch(params, 0);
        _buy(alice, none, 1 ether);
        assertEq(hook.withdrawableFees(creator), 0);
        assertEq(hook.accumulatedBuyback(none), 0.01 ether);
        _buy(alice, all, 1 ether);
        assertEq(hook.withdrawableFees(creator), 0.01 ether);
        assertEq(hook.accumulatedBuyback(all), 0);
    }

    function test_updateSplit() public {
        (uint256 launchId,) = _launch();
        vm.expectRevert(ILaunchErrors.NotCreator.selector);
        vm.prank(alice);
        hook.updateCreatorFeeSplit(launchId, 1);
        vm.startPrank(creator);
        vm.expectRevert(ILaunchErrors.SplitOutOfRange.selector);
        hook.updateCreatorFeeSplit(launchId, 10_001);
        vm.expectEmit(address(hook));
        emit ILaunchEvents.CreatorFeeSplitUpdated(launchId, 5_000, 10_000);
        hook.updateCreatorFeeSplit(launchId, 10_000);
        vm.stopPrank();
        assertEq(_state(launchId).creatorFeeSplitBps, 10_000);
        _buy(alice, launchId, 1 ether);
        assertEq(hook.withdrawableFees(creator), 0.01 ether);
    }

    function test_buybackFromTheCurve() public {
        CreateLaunchParams memory params = _params();
        params.creatorFeeSplitBps = 0;
        (uint256 launchId, IToken token) = _launch(params, 0);
        _buy(alice, launchId, 0.1 ether - 100);
        vm.expectRevert(ILaunchErrors.BuybackTooSmall.selector);
        hook.executeAccumulatedBuyback(launchId);

        _buy(alice, launchId, 0.1 ether);
        LaunchConfig memory launch = _state(launchId);
        uint256 spent = hook.accumulatedBuyback(launchId);
        uint256 soldAfter = ReferenceCurve.largest(
            launch.targetRaise, launch.gainBps, launch.saleSupply, launch.netContributions + spent
        );
        vm.expectEmit(address(hook));
        emit ILaunchEvents.BuybackExecuted(launchId, bob, spent, soldAfter - launch.sold, false);
        vm.prank(bob);
        hook.executeAccumulatedBuyback(launchId);
        assertEq(hook.accumulatedBuyback(launchId), 0);
        assertEq(_state(launchId).sold, soldAfter);
        assertEq(_state(launchId).netContributions, launch.netContributions + spent);
        assertEq(token.totalSupply(), TOTAL_SUPPLY - (soldAfter - launch.sold));
        assertEq(address(hook).balance, _owed());
    }

    function test_buybackAtItsThreshold() public {
        CreateLaunchParams memory params = _params();
        params.creatorFeeSplitBps = 0;
        (uint256 launchId,) = _launch(params, 0);
        _buy(alice, launchId, 0.1 ether);
        assertEq(hook.accumulatedBuyback(launchId), 0.001 ether);
        hook.executeAccumulatedBuyback(launchId);
    }

    function test_buybackWaitsForTheStart() public {
        CreateLaunchParams memory params = _params();
        params.startTime = uint64(block.timestamp + 1);
        (uint256 launchId,) = _launch(params, 1 ether);
        vm.expectRevert(ILaunchErrors.NotStarted.selector);
        hook.executeAccumulatedBuyback(launchId);
        skip(1);
        hook.executeAccumulatedBuyback(launchId);
    }

    function test_buybackThatReachesTheTargetKeepsTheRest() public {
        CreateLaunchParams memory params = _params();
        params.creatorFeeSplitBps = 0;
        (uint256 launchId, IToken token) = _launch(params, 0);
        _buy(alice, launchId, 1 ether);
        LaunchConfig memory launch = _state(launchId);
        uint256 left = 0.001 ether;
        _buy(alice, launchId, ReferenceCurve.leastGross(launch.targetRaise - launch.netContributions - left));
        left = launch.targetRaise - _state(launchId).netContributions;
        uint256 available = hook.accumulatedBuyback(launchId);
        assertGt(available, left);
        hook.executeAccumulatedBuyback(launchId);
        launch = _state(launchId);
        assertTrue(launch.finalized);
        assertEq(launch.sold, launch.saleSupply);
        assertEq(hook.accumulatedBuyback(launchId), available - left);
        assertEq(address(hook).balance, _owed());
        assertEq(token.balanceOf(address(hook)), 0);
    }
}
