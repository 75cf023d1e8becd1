// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {ILaunchErrors} from "../sol/interfaces/ILaunchErrors.sol";
import {ILaunchEvents} from "../sol/interfaces/ILaunchEvents.sol";
import {CreateLaunchParams, LaunchConfig} from "../sol/types/LaunchTypes.sol";
import {IToken, LaunchFixture} from "./support/LaunchFixture.sol";
import {ReferenceCurve} from "./support/ReferenceCurve.sol";

/// @title Creating launches: what is stored and told, and what is refused
contract CreationTest is LaunchFixture {
    function _refuse(CreateLaunchParams memory params, bytes4 reason) private {
        vm.expectRevert(reason);
        hook.createLaunch(params);
    }

    function _text(uint256 length) private pure returns (string memory) {
        return string(new bytes(length));
    }

    function test_storesEveryChoice() public {
        CreateLaunchParams memory params = _params();
        params.creatorFeeSplitBps = 1_234;
        params.gainBps = 77_777;
        params.targetRaise = 3 ether + 7;
        params.antiSnipeDuration = 40;
        params.startTime = uint64(block.timestamp + 500);
        (uint256 launchId, IToken token) = _launch(params, 0);
        LaunchConfig memory launch = _state(launchId);
        assertEq(launchId, 1);
        assertEq(hook.launchCount(), 1);
        assertEq(hook.launchIdOf(address(token)), 1);
        assertEq(launch.creator, creator);
        assertEq(launch.quoteAsset, address(0));
        assertEq(launch.saleSupply, ReferenceCurve.saleSupply(77_777));
        assertEq(launch.liquiditySupply, TOTAL_SUPPLY - launch.saleSupply);
        assertEq(launch.sold, 0);
        assertEq(launch.targetRaise, 3 ether + 7);
        assertEq(launch.netContributions, 0);
        assertEq(launch.gainBps, 77_777);
        assertEq(launch.creatorFeeSplitBps, 1_234);
        assertEq(launch.antiSnipeDuration, 40);
        assertEq(launch.launchTime, params.startTime);
        assertFalse(launch.finalized);
        assertEq(launch.poolId, bytes32(0));
    }

    function test_deploysTheToken() public {
        (, IToken token) = _launch();
        assertEq(token.name(), "Paper Boat");
        assertEq(token.symbol(), "BOAT");
        assertEq(token.decimals(), 18);
        assertEq(token.totalSupply(), TOTAL_SUPPLY);
        assertEq(token.balanceOf(address(hook)), TOTAL_SUPPLY);
    }

    function test_startTimeZeroMeansNow() public {
        (uint256 launchId,) = _launch();
        assertEq(_state(launchId).launchTime, block.timestamp);
    }

    function test_tellsInOrder() public {
        CreateLaunchParams memory params = _params();
        address token = vm.computeCreateAddress(address(hook), vm.getNonce(address(hook)));
        uint128 sale = uint128(ReferenceCurve.saleSupply(params.gainBps));
        vm.expectEmit(address(hook));
        emit ILaunchEvents.LaunchCreated(1, creator, token, params.targetRaise);
        vm.expectEmit(address(hook));
        emit ILaunchEvents.LaunchMetadata(
            1,
            params.name,
            params.ticker,
            params.description,
            params.imageUrl,
            params.messenger,
            params.microblog,
            params.website
        );
        vm.expectEmit(address(hook));
        emit ILaunchEvents.LaunchConfigured(
            1,
            address(0),
            sale,
            uint128(TOTAL_SUPPLY) - sale,
            params.gainBps,
            params.creatorFeeSplitBps,
            params.antiSnipeDuration,
            uint64(block.timestamp)
        );
        vm.expectEmit(true, true, false, false, address(hook));
        emit ILaunchEvents.Trade(1, creator, 0, _noPrice(), _noAmounts(), 0);
        vm.expectEmit(address(hook));
        emit ILaunchEvents.Referral(1, creator, "REF-1");
        vm.prank(creator);
        hook.createLaunchWithReferral{value: 0.1 ether}(params, "REF-1");
    }

    function test_emptyReferralTellsNothing() public {
        vm.recordLogs();
        hook.createLaunchWithReferral(_params(), "");
        assertEq(_countLogs(ILaunchEvents.Referral.selector), 0);
    }

    function test_prebuyBuysForTheCreatorBeforeTheStartAndWithoutCaptcha() public {
        CreateLaunchParams memory params = _params();
        params.antiSnipeDuration = 60;
        params.startTime = uint64(block.timestamp + 1 days);
        (uint256 launchId, IToken token) = _launch(params, 1 ether);
        LaunchConfig memory launch = _state(launchId);
        uint256 expected = ReferenceCurve.largest(launch.targetRaise, launch.gainBps, launch.saleSupply, 0.98 ether);
        assertEq(token.balanceOf(creator), expected);
        assertEq(launch.sold, expected);
        assertEq(launch.netContributions, 0.98 ether);
        assertEq(hook.withdrawableFees(protocol), 0.01 ether);
        assertEq(hook.withdrawableFees(creator), 0.005 ether);
        assertEq(hook.accumulatedBuyback(launchId), 0.005 ether);
    }

    function test_prebuyOfTheWholeTargetIsTaken() public {
        (uint256 launchId,) = _launch(_params(), 2 ether);
        assertFalse(_state(launchId).finalized);
        assertEq(_state(launchId).netContributions, 1.96 ether);
    }

    function test_refusesPrebuyOverTheTarget() public {
        vm.expectRevert(ILaunchErrors.PrebuyExceedsRaise.selector);
        hook.createLaunch{value: 2 ether + 1}(_params());
    }

    function test_refusesPrebuyBelowTheMinimum() public {
        vm.expectRevert(ILaunchErrors.BelowMinimumBuy.selector);
        hook.createLaunch{value: 1e13 - 1}(_params());
        hook.createLaunch{value: 1e13}(_params());
    }

    function test_raiseBounds() public {
        CreateLaunchParams memory params = _params();
        params.targetRaise = 1 ether - 1;
        _refuse(params, ILaunchErrors.RaiseOutOfRange.selector);
        params.targetRaise = 1 ether;
        hook.createLaunch(params);
        params.targetRaise = 5 ether;
        hook.createLaunch(params);
        params.targetRaise = 5 ether + 1;
        _refuse(params, ILaunchErrors.RaiseOutOfRange.selector);
    }

    function test_gainBound() public {
        CreateLaunchParams memory params = _params();
        params.gainBps = 0;
        hook.createLaunch(params);
        params.gainBps = 200_000;
        hook.createLaunch(params);
        params.gainBps = 200_001;
        _refuse(params, ILaunchErrors.GainTooHigh.selector);
    }

    function test_splitBound() public {
        CreateLaunchParams memory params = _params();
        params.creatorFeeSplitBps = 10_000;
        hook.createLaunch(params);
        params.creatorFeeSplitBps = 10_001;
        _refuse(params, ILaunchErrors.SplitOutOfRange.selector);
    }

    function test_startBound() public {
        CreateLaunchParams memory params = _params();
        params.startTime = uint64(block.timestamp);
        hook.createLaunch(params);
        params.startTime = uint64(block.timestamp - 1);
        _refuse(params, ILaunchErrors.LaunchInPast.selector);
    }

    function test_antiSnipeValues() public {
        CreateLaunchParams memory params = _params();
        for (uint32 duration = 0; duration <= 80; ++duration) {
            params.antiSnipeDuration = duration;
            if (duration <= 60 && duration % 20 == 0) hook.createLaunch(params);
            else _refuse(params, ILaunchErrors.AntiSnipeDurationInvalid.selector);
        }
    }

    function test_textBounds() public {
        CreateLaunchParams memory params = _params();
        params.name = "";
        _refuse(params, ILaunchErrors.NameLengthOutOfRange.selector);
        params.name = _text(193);
        _refuse(params, ILaunchErrors.NameLengthOutOfRange.selector);
        params.name = _text(192);
        params.ticker = "";
        _refuse(params, ILaunchErrors.TickerLengthOutOfRange.selector);
        params.ticker = _text(49);
        _refuse(params, ILaunchErrors.TickerLengthOutOfRange.selector);
        params.ticker = _text(48);
        params.description = _text(2_001);
        _refuse(params, ILaunchErrors.DescriptionLengthOutOfRange.selector);
        params.description = _text(2_000);
        hook.createLaunch(params);
    }

    function test_urlBounds() public {
        for (uint256 field = 0; field < 4; ++field) {
            CreateLaunchParams memory params = _params();
            _setUrl(params, field, _text(2_000));
            hook.createLaunch(params);
            _setUrl(params, field, _text(2_001));
            _refuse(params, ILaunchErrors.UrlTooLong.selector);
        }
    }

    function test_referralBound() public {
        hook.createLaunchWithReferral(_params(), _text(64));
        vm.expectRevert(ILaunchErrors.ReferralTooLong.selector);
        hook.createLaunchWithReferral(_params(), _text(65));
    }

    function test_pausing() public {
        vm.expectRevert(ILaunchErrors.NotOwner.selector);
        hook.setCreationPaused(true);
        (uint256 launchId,) = _launch();

        vm.expectEmit(address(hook));
        emit ILaunchEvents.CreationPaused(true);
        vm.prank(owner);
        hook.setCreationPaused(true);
        assertTrue(hook.creationPaused());
        _refuse(_params(), ILaunchErrors.CreationIsPaused.selector);
        _buy(alice, launchId, 0.1 ether);

        vm.prank(owner);
        hook.setCreationPaused(false);
        _launch();
    }

    function test_unknownLaunch() public {
        vm.expectRevert(ILaunchErrors.UnknownLaunch.selector);
        hook.getLaunchState(0);
        vm.expectRevert(ILaunchErrors.UnknownLaunch.selector);
        hook.accumulatedBuyback(1);
        vm.expectRevert(ILaunchErrors.UnknownLaunch.selector);
        hook.previewBuy(1, 1 ether);
        vm.expectRevert(ILaunchErrors.UnknownLaunch.selector);
        hook.buy{value: 1 ether}(1, 0, _noAuth());
        vm.expectRevert(ILaunchErrors.UnknownLaunch.selector);
        hook.updateCreatorFeeSplit(1, 0);
        vm.expectRevert(ILaunchErrors.UnknownLaunch.selector);
        hook.executeAccumulatedBuyback(1);
        vm.expectRevert(ILaunchErrors.UnknownLaunch.selector);
        hook.collectPoolFees(1);
    }

    function _setUrl(CreateLaunchParams memory params, uint256 field, string memory text) private pure {
        if (field == 0) params.imageUrl = text;
        else if (field == 1) params.messenger = text;
        else if (field == 2) params.microblog = text;
        else params.website = text;
    }
}
