// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {IPoolManager} from "@uniswap/v4-core/src/interfaces/IPoolManager.sol";
import {FullMath} from "@uniswap/v4-core/src/libraries/FullMath.sol";
import {StateLibrary} from "@uniswap/v4-core/src/libraries/StateLibrary.sol";
import {PoolId} from "@uniswap/v4-core/src/types/PoolId.sol";
import {Vm} from "forge-std/Vm.sol";

import {ILaunchErrors} from "../../sol/interfaces/ILaunchErrors.sol";
import {ILaunchEvents} from "../../sol/interfaces/ILaunchEvents.sol";
import {ILaunchHook} from "../../sol/interfaces/ILaunchHook.sol";
import {CaptchaAuth, CreateLaunchParams, LaunchConfig, TradeAmounts, TradePrice} from "../../sol/types/LaunchTypes.sol";
import {IToken} from "./LaunchFixture.sol";
import {LawWatch} from "./LawWatch.sol";

/// @title Random use of a hook that only watches
contract LawHandler is LawWatch {
    uint256 private constant MAX_LAUNCHES = 3;

    ILaunchHook private immutable hook;
    address private immutable manager;
    address private immutable weth;

    constructor(ILaunchHook hook_, address manager_, address weth_) {
        (hook, manager, weth) = (hook_, manager_, weth_);
    }

    function createLaunch(uint256 who, uint96 raise, uint32 gain, uint16 split) external {
        if (hook.launchCount() == MAX_LAUNCHES) return;
        CreateLaunchParams memory params;
        (params.name, params.ticker) = ("N", "T");
        params.targetRaise = uint96(bound(raise, 1 ether, 5 ether));
        params.gainBps = uint32(bound(gain, 0, 200_000));
        params.creatorFeeSplitBps = uint16(bound(split, 0, 10_000));
        vm.prank(actor(who));
        hook.createLaunch(params);
    }

    function buy(uint256 who, uint256 which, uint256 gross) external {
        (uint256 launchId,) = _pickOpen(which);
        if (launchId != 0) _buy(actor(who), launchId, bound(gross, 1e13, 1.2 ether));
    }

    function sell(uint256 who, uint256 which, uint256 amount) external {
        (uint256 launchId, LaunchConfig memory launch) = _pickOpen(which);
        if (launchId == 0) return;
        uint256 held = IToken(launch.token).balanceOf(actor(who));
        if (held >= 1e18) _sell(actor(who), launchId, bound(amount, 1e18, held));
    }

    /// @notice What is bought is sold at once: before its own fee, the sale may not be worth more than the net purchase.
    function roundTrip(uint256 who, uint256 which, uint256 gross) external {
        (uint256 launchId, LaunchConfig memory launch) = _pickOpen(which);
        if (launchId == 0) return;
        gross = bound(gross, 1e13, 0.3 ether);
        uint256 held = IToken(launch.token).balanceOf(actor(who));
        _buy(actor(who), launchId, gross);
        if (hook.getLaunchState(launchId).finalized) return;
        uint256 bought = IToken(launch.token).balanceOf(actor(who)) - held;
        if (_sell(actor(who), launchId, bought) > _net(gross)) roundTripPaid = true;
    }

    /// @notice Two purchases give what one of their sum was promised; sums of whole hundreds have no rounded fee.
    function buyInParts(uint256 who, uint256 which, uint256 first, uint256 second) external {
        (uint256 launchId, LaunchConfig memory launch) = _pickOpen(which);
        if (launchId == 0) return;
        first = bound(first, 1e11, 2e15) * 100;
        second = bound(second, 1e11, 2e15) * 100;
        if (_net(first + second) >= launch.targetRaise - launch.netContributions) return;
        (uint256 together,,,) = hook.previewBuy(launchId, first + second);
        uint256 held = IToken(launch.token).balanceOf(actor(who));
        _buy(actor(who), launchId, first);
        _buy(actor(who), launchId, second);
        if (IToken(launch.token).balanceOf(actor(who)) - held != together) partsDiffer = true;
    }

    /// @notice The purchase that fills the curve costs the least gross whose net is what was missing.
    function fillUp(uint256 who, uint256 which, uint256 extra) external {
        (uint256 launchId, LaunchConfig memory launch) = _pickOpen(which);
        if (launchId == 0 || extra % 3 != 0) return;
        uint256 needed = launch.targetRaise - launch.netContributions;
        uint256 gross = needed + needed / 40 + 200 + extra % 1 ether;
        if (gross < 1e13) gross = 1e13;
        uint256 spent = _buy(actor(who), launchId, gross);
        _watchTarget(spent, needed, 200);
        if (hook.getLaunchState(launchId).netContributions != launch.targetRaise) targetInexact = true;
    }

    function buyBack(uint256 which) external {
        (uint256 launchId,) = _pick(which);
        if (launchId == 0 || hook.accumulatedBuyback(launchId) < 1e15) return;
        uint256 balance = address(hook).balance;
        try hook.executeAccumulatedBuyback(launchId) {
            moneyOut += balance - address(hook).balance;
            // It raises the price and tells no trade: the next trade begins from a price that is not known here.
            lastCap[launchId] = 0;
        } catch {
            refused = true;
        }
        _watchOpening(launchId);
    }

    function withdraw(uint256 who) external {
        uint256 amount = hook.withdrawableFees(actor(who));
        if (amount == 0) return;
        _withdraw(address(hook), actor(who), amount, abi.encodeCall(hook.withdrawFees, ()));
    }

    /// @notice Everything that a closed curve must refuse, by the one error that says so.
    function tryAfterwards(uint256 who, uint256 which) external {
        (uint256 launchId, LaunchConfig memory launch) = _pick(which);
        if (launchId == 0 || !launch.finalized) return;
        CaptchaAuth memory none;
        _expectClosed(who, 1 ether, abi.encodeCall(hook.buy, (launchId, 0, none)));
        _expectClosed(who, 1 ether, abi.encodeCall(hook.buyWithReferral, (launchId, 0, none, "R")));
        _expectClosed(who, 0, abi.encodeCall(hook.sell, (launchId, 1e18, 0, none)));
        _expectClosed(who, 0, abi.encodeCall(hook.sellWithReferral, (launchId, 1e18, 0, none, "R")));
        _expectClosed(who, 0, abi.encodeCall(hook.previewBuy, (launchId, 1 ether)));
        _expectClosed(who, 0, abi.encodeCall(hook.previewSell, (launchId, 1e18)));
    }

    function _expectClosed(uint256 who, uint256 value, bytes memory data) private {
        _expectClosed(address(hook), who, value, data, ILaunchErrors.AlreadyFinalized.selector);
    }

    function _pick(uint256 which) private view returns (uint256 launchId, LaunchConfig memory launch) {
        uint256 count = hook.launchCount();
        if (count == 0) return (0, launch);
        launchId = 1 + which % count;
        launch = hook.getLaunchState(launchId);
    }

    function _pickOpen(uint256 which) private view returns (uint256 launchId, LaunchConfig memory launch) {
        (launchId, launch) = _pick(which);
        if (launch.finalized) launchId = 0;
    }

    function _net(uint256 gross) internal pure override returns (uint256) {
        return gross - 2 * (gross / 100);
    }

    /// @dev Wei that the buyer is poorer by.
    function _buy(address who, uint256 launchId, uint256 gross) private returns (uint256 spent) {
        CaptchaAuth memory none;
        bool success;
        (success, spent) = _pay(address(hook), who, gross, abi.encodeCall(hook.buy, (launchId, 0, none)));
        if (success) _watchPrice(launchId, true);
        _watchOpening(launchId);
    }

    /// @dev What the sale was worth before its fee, by its own telling.
    function _sell(address who, uint256 launchId, uint256 amount) private returns (uint256 gross) {
        CaptchaAuth memory none;
        address token = hook.getLaunchState(launchId).token;
        bytes memory data = abi.encodeCall(hook.sell, (launchId, uint128(amount), 0, none));
        if (_give(address(hook), who, token, amount, data)) gross = _watchPrice(launchId, false);
    }

    /// @dev Reads the trade that was just told.
    function _watchPrice(uint256 launchId, bool bought) private returns (uint256 gross) {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].topics[0] != ILaunchEvents.Trade.selector) continue;
            (, TradePrice memory price, TradeAmounts memory amounts,) =
                abi.decode(logs[i].data, (uint8, TradePrice, TradeAmounts, uint256));
            _watchCap(launchId, price.marketCap, bought);
            if (price.marketCap / 1e9 != price.priceAfter) priceFell = true;
            gross = amounts.ethAmount;
        }
    }

    /// @dev Once, when a launch has just graduated: the pool stands within a unit of the root of what was raised against
    ///      what is left of the supply.
    function _watchOpening(uint256 launchId) private {
        LaunchConfig memory launch = hook.getLaunchState(launchId);
        if (!launch.finalized || opened[launchId]) return;
        opened[launchId] = true;
        (uint256 price,,,) = StateLibrary.getSlot0(IPoolManager(manager), PoolId.wrap(launch.poolId));
        (uint256 amount0, uint256 amount1) = launch.token < weth
            ? (uint256(launch.liquiditySupply), uint256(launch.targetRaise))
            : (uint256(launch.targetRaise), uint256(launch.liquiditySupply));
        uint256 ratio = FullMath.mulDiv(amount1, 1 << 192, amount0);
        if ((price - 1) * (price - 1) > ratio || (price + 2) * (price + 2) <= ratio) openingOff = true;
    }
}
