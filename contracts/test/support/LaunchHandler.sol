// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {IHooks} from "@uniswap/v4-core/src/interfaces/IHooks.sol";
import {Currency} from "@uniswap/v4-core/src/types/Currency.sol";
import {PoolKey} from "@uniswap/v4-core/src/types/PoolKey.sol";

import {ILaunchHook} from "../../sol/interfaces/ILaunchHook.sol";
import {IWrappedNative} from "../../sol/interfaces/IWrappedNative.sol";
import {CaptchaAuth, CreateLaunchParams, LaunchConfig} from "../../sol/types/LaunchTypes.sol";
import {IToken} from "./LaunchFixture.sol";
import {Actors} from "./LawWatch.sol";
import {PoolTrader} from "./PoolTrader.sol";
import {ReferenceCurve} from "./ReferenceCurve.sol";

/// @title Random use of a hook, with totals kept beside it
/// @notice Every call either does something valid or returns. The totals are computed by the reference, never read back.
contract LaunchHandler is Actors {
    uint256 private constant MAX_LAUNCHES = 4;

    ILaunchHook private immutable hook;
    address private immutable manager;
    address private immutable weth;
    address private immutable protocol;
    PoolTrader private immutable trader;

    bool public roundTripPaid;
    mapping(uint256 launchId => uint256) public soldOf;
    mapping(uint256 launchId => uint256) public contributionsOf;
    mapping(uint256 launchId => uint256) private burned;
    mapping(address account => uint256) private earned;
    mapping(uint256 launchId => uint256) private aside;

    constructor(ILaunchHook hook_, address manager_, address weth_, address protocol_) {
        hook = hook_;
        manager = manager_;
        weth = weth_;
        protocol = protocol_;
        trader = new PoolTrader(manager_);
    }

    function createLaunch(uint256 who, uint96 raise, uint32 gain, uint16 split, uint256 prebuy) external {
        if (hook.launchCount() == MAX_LAUNCHES) return;
        CreateLaunchParams memory params;
        params.name = "N";
        params.ticker = "T";
        params.targetRaise = uint96(bound(raise, 1 ether, 5 ether));
        params.gainBps = uint32(bound(gain, 0, 200_000));
        params.creatorFeeSplitBps = uint16(bound(split, 0, 10_000));
        prebuy = prebuy % 2 == 0 ? 0 : bound(prebuy, 1e13, params.targetRaise);
        vm.deal(actor(who), prebuy);
        vm.prank(actor(who));
        uint256 launchId = hook.createLaunch{value: prebuy}(params);
        if (prebuy == 0) return;
        LaunchConfig memory empty = hook.getLaunchState(launchId);
        (empty.sold, empty.netContributions) = (0, 0);
        _count(launchId, empty, ReferenceCurve.purchase(empty, prebuy));
    }

    function buy(uint256 who, uint256 which, uint256 gross) public {
        (uint256 launchId, LaunchConfig memory launch) = _pick(which);
        if (launchId == 0 || launch.finalized) return;
        gross = bound(gross, 1e13, 1.2 ether);
        ReferenceCurve.Purchase memory expected = ReferenceCurve.purchase(launch, gross);
        _buy(actor(who), launchId, gross, expected);
        _count(launchId, launch, expected);
    }

    function fillUp(uint256 who, uint256 which, uint256 extra) external {
        (uint256 launchId, LaunchConfig memory launch) = _pick(which);
        if (launchId == 0 || launch.finalized || extra % 4 != 0) return;
        uint256 gross = ReferenceCurve.leastGross(launch.targetRaise - launch.netContributions);
        if (gross < 1e13) gross = 1e13;
        gross += extra % 1 ether;
        ReferenceCurve.Purchase memory expected = ReferenceCurve.purchase(launch, gross);
        _buy(actor(who), launchId, gross, expected);
        _count(launchId, launch, expected);
    }

    function sell(uint256 who, uint256 which, uint256 amount) public {
        (uint256 launchId, LaunchConfig memory launch) = _pick(which);
        if (launchId == 0 || launch.finalized) return;
        uint256 held = IToken(launch.token).balanceOf(actor(who));
        if (held < 1e18) return;
        _sell(actor(who), launchId, launch, bound(amount, 1e18, held));
    }

    function roundTrip(uint256 who, uint256 which, uint256 gross) external {
        (uint256 launchId, LaunchConfig memory launch) = _pick(which);
        if (launchId == 0 || launch.finalized) return;
        gross = bound(gross, 1e13, 0.3 ether);
        ReferenceCurve.Purchase memory expected = ReferenceCurve.purchase(launch, gross);
        _buy(actor(who), launchId, gross, expected);
        _count(launchId, launch, expected);
        launch = hook.getLaunchState(launchId);
        if (launch.finalized) return;
        if (_sell(actor(who), launchId, launch, expected.tokensOut) >= expected.cost) roundTripPaid = true;
    }

    function updateSplit(uint256 which, uint16 split) external {
        (uint256 launchId, LaunchConfig memory launch) = _pick(which);
        if (launchId == 0) return;
        uint16 newBps = uint16(bound(split, 0, 10_000));
        _divideByTheSplitBefore(launchId, launch, abi.encodeCall(hook.updateCreatorFeeSplit, (launchId, newBps)));
    }

    function withdraw(uint256 who) external {
        address account = who % (ACTORS + 1) == ACTORS ? protocol : actor(who % (ACTORS + 1));
        uint256 amount = hook.withdrawableFees(account);
        if (amount == 0) return;
        uint256 balance = account.balance;
        vm.prank(account);
        hook.withdrawFees();
        assertEq(account.balance - balance, amount);
        assertEq(earned[account], amount);
        earned[account] = 0;
        moneyOut += amount;
    }

    function buyBack(uint256 which) external {
        (uint256 launchId, LaunchConfig memory launch) = _pick(which);
        if (launchId == 0 || hook.accumulatedBuyback(launchId) < 1e15) return;
        uint256 available = hook.accumulatedBuyback(launchId);
        assertEq(available, aside[launchId]);
        uint256 supply = IToken(launch.token).totalSupply();
        hook.executeAccumulatedBuyback(launchId);
        uint256 spent = available - hook.accumulatedBuyback(launchId);
        aside[launchId] -= spent;
        burned[launchId] += supply - IToken(launch.token).totalSupply();
        if (launch.finalized) {
            moneyOut += spent;
            return;
        }
        uint256 needed = launch.targetRaise - launch.netContributions;
        assertEq(spent, available < needed ? available : needed);
        contributionsOf[launchId] += spent;
        soldOf[launchId] =
            ReferenceCurve.largest(launch.targetRaise, launch.gainBps, launch.saleSupply, contributionsOf[launchId]);
        if (soldOf[launchId] == launch.saleSupply) _graduated(launchId, launch);
    }

    function tradeInPool(uint256 which, uint256 amount, bool buysToken) external {
        (uint256 launchId, LaunchConfig memory launch) = _pick(which);
        if (launchId == 0 || !launch.finalized) return;
        bool tokenIsFirst = launch.token < weth;
        PoolKey memory key = PoolKey(
            Currency.wrap(tokenIsFirst ? launch.token : weth),
            Currency.wrap(tokenIsFirst ? weth : launch.token),
            1_000,
            60,
            IHooks(address(hook))
        );
        amount = bound(amount, 1e12, 0.5 ether);
        if (buysToken) {
            IWrappedNative(weth).deposit{value: amount}();
            IToken(weth).transfer(address(trader), amount);
            trader.swap(key, !tokenIsFirst, amount);
        } else {
            uint256 held = IToken(launch.token).balanceOf(address(trader));
            if (held > 1e18) trader.swap(key, tokenIsFirst, held / 2);
        }
    }

    function collectPoolFees(uint256 which) external {
        (uint256 launchId, LaunchConfig memory launch) = _pick(which);
        if (launchId == 0 || !launch.finalized) return;
        _divideByTheSplitBefore(launchId, launch, abi.encodeCall(hook.collectPoolFees, (launchId)));
    }

    /// @dev Carries out a call of the creator, and divides what it takes from the pool by the split of before.
    function _divideByTheSplitBefore(uint256 launchId, LaunchConfig memory launch, bytes memory data) private {
        uint256 wrapped = IToken(weth).balanceOf(manager);
        uint256 supply = IToken(launch.token).totalSupply();
        vm.prank(launch.creator);
        (bool success,) = address(hook).call(data);
        assertTrue(success);
        uint256 quote = wrapped - IToken(weth).balanceOf(manager);
        uint256 share = quote * launch.creatorFeeSplitBps / 10_000;
        earned[launch.creator] += share;
        aside[launchId] += quote - share;
        moneyIn += quote;
        burned[launchId] += supply - IToken(launch.token).totalSupply();
    }

    /// @notice Tokens of a launch that can be found somewhere.
    function tokensHeld(uint256 launchId) external view returns (uint256 total) {
        IToken token = IToken(hook.getLaunchState(launchId).token);
        total = token.balanceOf(address(hook)) + token.balanceOf(manager) + token.balanceOf(address(trader));
        for (uint256 i = 0; i < ACTORS; ++i) {
            total += token.balanceOf(actor(i));
        }
    }

    /// @notice Tokens of a launch that there must be.
    function tokensExpected(uint256 launchId) external view returns (uint256) {
        return 1e27 - burned[launchId];
    }

    receive() external payable {}

    function _pick(uint256 which) private view returns (uint256 launchId, LaunchConfig memory launch) {
        uint256 count = hook.launchCount();
        if (count == 0) return (0, launch);
        launchId = 1 + which % count;
        launch = hook.getLaunchState(launchId);
    }

    function _buy(address who, uint256 launchId, uint256 gross, ReferenceCurve.Purchase memory expected) private {
        CaptchaAuth memory none;
        vm.deal(who, gross);
        vm.prank(who);
        assertEq(hook.buy{value: gross}(launchId, expected.tokensOut, none), expected.tokensOut);
        assertEq(who.balance, expected.refund);
    }

    function _sell(address who, uint256 launchId, LaunchConfig memory launch, uint256 amount)
        private
        returns (uint256 payout)
    {
        CaptchaAuth memory none;
        vm.startPrank(who);
        IToken(launch.token).approve(address(hook), amount);
        payout = hook.sell(launchId, uint128(amount), 0, none);
        vm.stopPrank();
        uint256 gross = ReferenceCurve.saleGross(launch, amount);
        (uint256 forProtocol, uint256 forCreator, uint256 forBuyback) =
            ReferenceCurve.fees(gross, launch.creatorFeeSplitBps);
        earned[protocol] += forProtocol;
        earned[launch.creator] += forCreator;
        aside[launchId] += forBuyback;
        assertEq(payout, gross - forProtocol - forCreator - forBuyback);
        moneyOut += payout;
        soldOf[launchId] -= amount;
        contributionsOf[launchId] -= gross;
    }

    function _count(uint256 launchId, LaunchConfig memory launch, ReferenceCurve.Purchase memory bought) private {
        moneyIn += bought.cost;
        earned[protocol] += bought.protocolFee;
        earned[launch.creator] += bought.creatorFee;
        aside[launchId] += bought.buybackFee;
        soldOf[launchId] = bought.soldAfter;
        contributionsOf[launchId] = bought.contributionsAfter;
        if (bought.soldAfter == launch.saleSupply) _graduated(launchId, launch);
    }

    /// @dev What rounding left over at graduation is burned on the token side and earned by the protocol on the other.
    function _graduated(uint256 launchId, LaunchConfig memory launch) private {
        uint256 dust = hook.withdrawableFees(protocol) - earned[protocol];
        assertLe(dust, 10_000);
        earned[protocol] += dust;
        moneyOut += launch.targetRaise - dust;
        uint256 gone = 1e27 - IToken(launch.token).totalSupply();
        assertLe(gone - burned[launchId], 1e14);
        burned[launchId] = gone;
    }
}
