// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {Test} from "forge-std/Test.sol";

import {ILaunchErrors} from "../sol/interfaces/ILaunchErrors.sol";
import {ILaunchEvents} from "../sol/interfaces/ILaunchEvents.sol";
import {ILaunchHook} from "../sol/interfaces/ILaunchHook.sol";
import {ILaunchTrading} from "../sol/interfaces/ILaunchTrading.sol";
import {ILaunchViewer} from "../sol/interfaces/ILaunchViewer.sol";
import {ISaleSplitCalculator} from "../sol/interfaces/ISaleSplitCalculator.sol";

/// @title Selectors and topics that clients rely on
contract AbiTest is Test {
    function test_selectors() public pure {
        assertEq(ILaunchHook.createLaunch.selector, bytes4(0x8dbbea4d));
        assertEq(ILaunchHook.createLaunchWithReferral.selector, bytes4(0x2e9fb454));
        assertEq(ILaunchTrading.updateCreatorFeeSplit.selector, bytes4(0x40c8aa3d));
        assertEq(ILaunchTrading.withdrawFees.selector, bytes4(0x476343ee));
        assertEq(ILaunchTrading.executeAccumulatedBuyback.selector, bytes4(0x827f1c10));
        assertEq(ILaunchHook.getLaunchState.selector, bytes4(0xf92d05cd));
        assertEq(ILaunchHook.withdrawableFees.selector, bytes4(0xfd874995));
        assertEq(ILaunchHook.accumulatedBuyback.selector, bytes4(0x1f4efc39));
        assertEq(ILaunchHook.viewer.selector, bytes4(0xf30878c1));
        assertEq(ILaunchHook.tradingModule.selector, bytes4(0x637e8ab4));
        assertEq(ILaunchHook.previewBuy.selector, bytes4(0xb20d0ece));
        assertEq(ILaunchHook.previewSell.selector, bytes4(0x616f3f22));
        assertEq(ILaunchViewer.previewBuy.selector, bytes4(0xb20d0ece));
        assertEq(ILaunchViewer.previewSell.selector, bytes4(0x616f3f22));
        assertEq(ILaunchViewer.previewBuyLocal.selector, bytes4(0xbb43523e));
        assertEq(ILaunchViewer.previewSellLocal.selector, bytes4(0xb3b13593));
        assertEq(ISaleSplitCalculator.previewSaleSplit.selector, bytes4(0xf267f959));
        assertEq(ILaunchErrors.CaptchaRequired.selector, bytes4(0xd36d42c7));
    }

    function test_topics() public pure {
        assertEq(
            ILaunchEvents.LaunchCreated.selector, 0x9d3b921bcb0eb03c555acd3968d3b3424efbad89ba35d7ad446cf59deb21d5f7
        );
        assertEq(
            ILaunchEvents.LaunchMetadata.selector, 0xb8d0bebe0e358eae23ed5f98164441fbcebf8633fe5443703bde57afd23f69cd
        );
        assertEq(ILaunchEvents.Trade.selector, 0x61ab18b5181aca8cde53038ebbb8e53710124d8ec33fabd6868730d011561643);
        assertEq(ILaunchEvents.Referral.selector, 0x796dfbc4bdc1de15340f520a4b17fb287a10b2f6c50e702ee8dc9fa2c714dfc5);
        assertEq(
            ILaunchEvents.LaunchFinalized.selector, 0x40e86f43c64a7ad3634ed32d4aa688b0843106625abeaf8251b09088380e9736
        );
    }
}
