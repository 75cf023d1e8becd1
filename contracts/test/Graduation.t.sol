// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {IPoolManager} from "@uniswap/v4-core/src/interfaces/IPoolManager.sol";
import {FullMath} from "@uniswap/v4-core/src/libraries/FullMath.sol";
import {StateLibrary} from "@uniswap/v4-core/src/libraries/StateLibrary.sol";
import {TickMath} from "@uniswap/v4-core/src/libraries/TickMath.sol";
import {PoolId, PoolIdLibrary} from "@uniswap/v4-core/src/types/PoolId.sol";
import {PoolKey} from "@uniswap/v4-core/src/types/PoolKey.sol";
import {Vm} from "forge-std/Vm.sol";

import {ILaunchErrors} from "../sol/interfaces/ILaunchErrors.sol";
import {ILaunchEvents} from "../sol/interfaces/ILaunchEvents.sol";
import {IWrappedNative} from "../sol/interfaces/IWrappedNative.sol";
import {PoolSeed} from "../sol/libraries/PoolSeed.sol";
import {CreateLaunchParams, LaunchConfig} from "../sol/types/LaunchTypes.sol";
import {IToken, LaunchFixture} from "./support/LaunchFixture.sol";
import {PoolTrader} from "./support/PoolTrader.sol";
import {ReferenceCurve} from "./support/ReferenceCurve.sol";

/// @title From the last purchase on the curve to the life of the pool
abstract contract GraduationTest is LaunchFixture {
    using PoolIdLibrary for PoolKey;

    /// @dev A trader at the pool that holds wrapped quote and all of alice's tokens.
    function _trader(IToken token) internal returns (PoolTrader trader) {
        trader = new PoolTrader(manager);
        vm.deal(address(this), 10 ether);
        IWrappedNative(weth).deposit{value: 10 ether}();
        IToken(weth).transfer(address(trader), 10 ether);
        uint256 held = token.balanceOf(alice);
        vm.prank(alice);
        token.transfer(address(trader), held);
    }

    function _sqrtPrice(LaunchConfig memory launch) internal view returns (uint256 sqrtPrice) {
        (sqrtPrice,,,) = StateLibrary.getSlot0(IPoolManager(manager), PoolId.wrap(launch.poolId));
    }

    /// @dev The square of `value` is at most the ratio with 192 fractional bits, and the next square is above it.
    function _assertRoot(uint256 value, uint256 amount0, uint256 amount1) private pure {
        uint256 ratio = FullMath.mulDiv(amount1, 1 << 192, amount0);
        assertLe(value * value, ratio);
        assertGt((value + 1) * (value + 1), ratio);
    }

    function _checkOpening(uint256 launchId, uint256 paid, uint256 gross) private view {
        LaunchConfig memory launch = _state(launchId);
        assertTrue(launch.finalized);
        assertEq(launch.sold, launch.saleSupply);
        assertEq(launch.netContributions, launch.targetRaise);
        assertEq(launch.poolId, PoolId.unwrap(_key(launch.token).toId()));
        assertEq(paid, gross);
        if (launch.token < weth) _assertRoot(_sqrtPrice(launch), launch.liquiditySupply, launch.targetRaise);
        else _assertRoot(_sqrtPrice(launch), launch.targetRaise, launch.liquiditySupply);
        assertEq(IToken(launch.token).balanceOf(address(hook)), 0);
        assertEq(IToken(weth).balanceOf(address(hook)), 0);
        assertEq(address(hook).balance, _owed());
    }

    function test_constantsAreThoseOfThePoolManager() public pure {
        assertEq(PoolSeed.LOWEST_TICK, TickMath.minUsableTick(PoolSeed.TICK_SPACING));
        assertEq(PoolSeed.HIGHEST_TICK, TickMath.maxUsableTick(PoolSeed.TICK_SPACING));
        assertEq(PoolSeed.LOWEST_SQRT_PRICE, TickMath.getSqrtPriceAtTick(PoolSeed.LOWEST_TICK));
        assertEq(PoolSeed.HIGHEST_SQRT_PRICE, TickMath.getSqrtPriceAtTick(PoolSeed.HIGHEST_TICK));
    }

    function testFuzz_opensAtTheEndPrice(uint96 raise, uint32 gain, uint256 extra) public {
        CreateLaunchParams memory params = _params();
        params.targetRaise = uint96(bound(raise, 1 ether, 5 ether));
        params.gainBps = uint32(bound(gain, 0, 200_000));
        (uint256 launchId,) = _launch(params, 0);
        uint256 gross = ReferenceCurve.leastGross(params.targetRaise);
        uint256 balance = alice.balance;
        _buy(alice, launchId, gross + bound(extra, 0, 10 ether));
        _checkOpening(launchId, balance - alice.balance, gross);
    }

    function test_tellsWhatWasSeededAndAccountsForTheRest() public {
        (uint256 launchId, IToken token) = _launch();
        vm.recordLogs();
        _buy(alice, launchId, 3 ether);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        (bytes32 poolId, uint256 quoteSeeded, uint256 tokensSeeded) =
            abi.decode(_find(logs, ILaunchEvents.LaunchFinalized.selector), (bytes32, uint256, uint256));
        LaunchConfig memory launch = _state(launchId);
        assertEq(poolId, launch.poolId);
        assertEq(IToken(weth).balanceOf(manager), quoteSeeded);
        assertEq(token.balanceOf(manager), tokensSeeded);
        // What rounding and the ends of the range leave is below a ten-thousandth of a token and ten thousand wei.
        assertLe(launch.targetRaise - quoteSeeded, 10_000);
        assertLe(launch.liquiditySupply - tokensSeeded, 1e14);
        assertEq(token.totalSupply(), uint256(launch.saleSupply) + tokensSeeded);
        uint256 fee = (3 ether - (alice.balance + 3 ether - 1_000 ether)) / 100;
        assertEq(hook.withdrawableFees(protocol), fee + launch.targetRaise - quoteSeeded);
    }

    function test_curveIsClosedAfterwards() public {
        (uint256 launchId,) = _graduated(_params());
        vm.expectRevert(ILaunchErrors.AlreadyFinalized.selector);
        hook.buy{value: 1 ether}(launchId, 0, _noAuth());
        vm.expectRevert(ILaunchErrors.AlreadyFinalized.selector);
        hook.buyWithReferral{value: 1 ether}(launchId, 0, _noAuth(), "REF-6");
        vm.expectRevert(ILaunchErrors.AlreadyFinalized.selector);
        hook.sell(launchId, 1e18, 0, _noAuth());
        vm.expectRevert(ILaunchErrors.AlreadyFinalized.selector);
        hook.sellWithReferral(launchId, 1e18, 0, _noAuth(), "REF-6");
        vm.expectRevert(ILaunchErrors.AlreadyFinalized.selector);
        hook.previewBuy(launchId, 1 ether);
        vm.expectRevert(ILaunchErrors.AlreadyFinalized.selector);
        hook.previewSell(launchId, 1e18);
    }

    function test_nobodyElseOpensAPoolWithTheHook() public {
        (, IToken token) = _launch();
        PoolKey memory key = _key(address(token));
        vm.expectRevert();
        IPoolManager(manager).initialize(key, 1 << 96);
        key.fee = 500;
        key.tickSpacing = 10;
        vm.expectRevert();
        IPoolManager(manager).initialize(key, 1 << 96);
        vm.expectRevert(ILaunchErrors.InitializeForbidden.selector);
        hook.beforeInitialize(address(hook), key, 1 << 96);
    }

    function test_nobodyTakesTheLiquidity() public {
        (, IToken token) = _graduated(_params());
        PoolTrader trader = _trader(token);
        vm.expectRevert();
        trader.changeLiquidity(_key(address(token)), -1);
        // A stranger may add its own, and take that back.
        trader.changeLiquidity(_key(address(token)), 1e15);
        trader.changeLiquidity(_key(address(token)), -1e15);
        vm.expectRevert(ILaunchErrors.NotPoolManager.selector);
        hook.unlockCallback(abi.encode(uint8(0), address(token), uint256(1)));
    }

    function test_collectsAndDividesPoolFees() public {
        (uint256 launchId, IToken token) = _graduated(_params());
        PoolTrader trader = _trader(token);
        PoolKey memory key = _key(address(token));
        bool tokenIsFirst = address(token) < weth;
        uint256 supply = token.totalSupply();
        uint256 earned = hook.withdrawableFees(creator);
        uint256 aside = hook.accumulatedBuyback(launchId);

        trader.swap(key, !tokenIsFirst, 1 ether);
        hook.collectPoolFees(launchId);
        uint256 creatorShare = hook.withdrawableFees(creator) - earned;
        uint256 buybackShare = hook.accumulatedBuyback(launchId) - aside;
        // A thousandth of the input, less what the pool manager rounds away; half each.
        assertApproxEqAbs(creatorShare + buybackShare, 0.001 ether, 2);
        assertEq(creatorShare, (creatorShare + buybackShare) / 2);
        assertEq(token.totalSupply(), supply);
        assertEq(address(hook).balance, _owed());

        trader.swap(key, tokenIsFirst, 1e25);
        hook.collectPoolFees(launchId);
        assertApproxEqAbs(supply - token.totalSupply(), 1e22, 2);
        assertEq(token.balanceOf(address(hook)), 0);
        assertEq(hook.withdrawableFees(creator), earned + creatorShare);
    }

    /// @dev What the pool earned under the previous split is divided by it, whoever changes the split first.
    function test_aNewSplitLeavesWhatAccruedAlone() public {
        (uint256 launchId, IToken token) = _graduated(_params());
        bool tokenIsFirst = address(token) < weth;
        PoolTrader trader = _trader(token);
        trader.swap(_key(address(token)), !tokenIsFirst, 1 ether);
        uint256 earned = hook.withdrawableFees(creator);
        uint256 aside = hook.accumulatedBuyback(launchId);
        vm.prank(creator);
        hook.updateCreatorFeeSplit(launchId, 10_000);
        hook.collectPoolFees(launchId);
        uint256 creatorShare = hook.withdrawableFees(creator) - earned;
        uint256 buybackShare = hook.accumulatedBuyback(launchId) - aside;
        assertApproxEqAbs(creatorShare, 0.0005 ether, 2);
        assertApproxEqAbs(buybackShare, 0.0005 ether, 2);

        trader.swap(_key(address(token)), !tokenIsFirst, 1 ether);
        hook.collectPoolFees(launchId);
        assertApproxEqAbs(hook.withdrawableFees(creator) - earned - creatorShare, 0.001 ether, 2);
        assertEq(hook.accumulatedBuyback(launchId), aside + buybackShare);
        assertEq(address(hook).balance, _owed());
    }

    /// @dev Ether forced into the hook, and assets sent to it or to the pool manager, are no part of a pool's opening.
    function test_giftsDoNotMoveTheFirstPrice() public {
        (uint256 launchId, IToken token) = _launch();
        _buy(alice, launchId, 1 ether);
        vm.deal(address(hook), address(hook).balance + 1 ether);
        vm.deal(address(this), 2 ether);
        IWrappedNative(weth).deposit{value: 2 ether}();
        IToken(weth).transfer(address(hook), 1 ether);
        IToken(weth).transfer(manager, 1 ether);
        vm.prank(alice);
        token.transfer(manager, 1e18);

        _buy(alice, launchId, 6 ether);
        LaunchConfig memory launch = _state(launchId);
        if (address(token) < weth) _assertRoot(_sqrtPrice(launch), launch.liquiditySupply, launch.targetRaise);
        else _assertRoot(_sqrtPrice(launch), launch.targetRaise, launch.liquiditySupply);
        assertApproxEqAbs(IToken(weth).balanceOf(manager), 1 ether + launch.targetRaise, 10_000);
        assertApproxEqAbs(token.balanceOf(manager), 1e18 + launch.liquiditySupply, 1e14);
        assertEq(IToken(weth).balanceOf(address(hook)), 1 ether);
        assertEq(address(hook).balance, _owed() + 1 ether);
    }

    function test_collectingNeedsAPool() public {
        (uint256 launchId,) = _launch();
        vm.expectRevert(ILaunchErrors.NotFinalized.selector);
        hook.collectPoolFees(launchId);
    }

    function test_collectingNothingIsHarmless() public {
        (uint256 launchId, IToken token) = _graduated(_params());
        uint256 supply = token.totalSupply();
        vm.expectEmit(address(hook));
        emit ILaunchEvents.PoolFeesCollected(launchId, 0, 0, 0);
        hook.collectPoolFees(launchId);
        assertEq(token.totalSupply(), supply);
    }

    function test_buybackFromThePool() public {
        (uint256 launchId, IToken token) = _graduated(_params());
        uint256 available = hook.accumulatedBuyback(launchId);
        uint256 price = _sqrtPrice(_state(launchId));
        uint256 inPool = token.balanceOf(manager);
        uint256 supply = token.totalSupply();
        vm.recordLogs();
        hook.executeAccumulatedBuyback(launchId);
        (uint256 spent, uint256 burned, bool fromPool) =
            abi.decode(_find(vm.getRecordedLogs(), ILaunchEvents.BuybackExecuted.selector), (uint256, uint256, bool));
        assertTrue(fromPool);
        assertEq(spent, available);
        assertEq(supply - token.totalSupply(), burned);
        assertEq(inPool - token.balanceOf(manager), burned);
        assertGt(burned, 0);
        assertEq(hook.accumulatedBuyback(launchId), 0);
        assertEq(address(hook).balance, _owed());
        assertEq(_sqrtPrice(_state(launchId)) < price, address(token) > weth);
    }

    function _find(Vm.Log[] memory logs, bytes32 topic) private pure returns (bytes memory) {
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].topics[0] == topic) return logs[i].data;
        }
        revert("no such log");
    }
}

/// @title Graduation with the token on the first side of the pool
contract GraduationTokenFirstTest is GraduationTest {
    function _deployWrappedNative() internal override returns (address) {
        return _moveCode(super._deployWrappedNative(), address(type(uint160).max - 1));
    }
}

/// @title Graduation with the token on the second side of the pool
contract GraduationTokenSecondTest is GraduationTest {
    function _deployWrappedNative() internal override returns (address) {
        return _moveCode(super._deployWrappedNative(), address(0x10000));
    }
}
