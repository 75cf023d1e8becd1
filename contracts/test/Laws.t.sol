// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {LaunchConfig} from "../sol/types/LaunchTypes.sol";
import {IToken, LaunchFixture} from "./support/LaunchFixture.sol";
import {LawHandler} from "./support/LawHandler.sol";

/// @title The laws of the curve, by the names that `docs/laws.md` gives them
contract LaunchLaws is LaunchFixture {
    LawHandler private handler;

    function setUp() public override {
        super.setUp();
        handler = new LawHandler(hook, manager, weth);
        handler.createLaunch(0, 2 ether, 50_000, 5_000);
        handler.createLaunch(1, 1 ether, 200_000, 0);
        targetContract(address(handler));
    }

    function invariant_priceMonotone() public view {
        assertFalse(handler.priceFell());
    }

    function invariant_noProfitableRoundTrip() public view {
        assertFalse(handler.roundTripPaid());
    }

    function invariant_pathIndependence() public view {
        assertFalse(handler.partsDiffer());
    }

    /// @dev Balance is contributions, fees and buybacks, exactly, and what came in less what left.
    function invariant_solvency() public view {
        uint256 owed = hook.withdrawableFees(protocol);
        for (uint256 i = 0; i < handler.ACTORS(); ++i) {
            owed += hook.withdrawableFees(handler.actor(i));
        }
        for (uint256 launchId = 1; launchId <= hook.launchCount(); ++launchId) {
            LaunchConfig memory launch = hook.getLaunchState(launchId);
            owed += hook.accumulatedBuyback(launchId);
            if (!launch.finalized) owed += launch.netContributions;
        }
        assertEq(address(hook).balance, owed);
        assertEq(address(hook).balance, handler.moneyIn() - handler.moneyOut());
    }

    /// @dev The hook holds what it has not sold, and everything that exists lies with somebody known.
    function invariant_tokenConservation() public view {
        for (uint256 launchId = 1; launchId <= hook.launchCount(); ++launchId) {
            LaunchConfig memory launch = hook.getLaunchState(launchId);
            IToken token = IToken(launch.token);
            uint256 atHook = token.balanceOf(address(hook));
            assertEq(atHook, launch.finalized ? 0 : TOTAL_SUPPLY - launch.sold);
            uint256 found = atHook + token.balanceOf(manager);
            for (uint256 i = 0; i < handler.ACTORS(); ++i) {
                found += token.balanceOf(handler.actor(i));
            }
            assertEq(found, token.totalSupply());
        }
    }

    function invariant_exactTarget() public view {
        assertFalse(handler.targetInexact());
    }

    function invariant_poolOpensAtEndPrice() public view {
        assertFalse(handler.poolPriceOff());
    }

    function invariant_closedAfterBonding() public view {
        assertFalse(handler.openAfterwards());
    }

    /// @dev Not a law of the curve, but what keeps the laws from holding by refusing everything.
    function invariant_validCallsSucceed() public view {
        assertFalse(handler.refused());
    }
}
