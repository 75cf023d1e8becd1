// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {LaunchConfig} from "../sol/types/LaunchTypes.sol";
import {LaunchFixture} from "./support/LaunchFixture.sol";
import {LaunchHandler} from "./support/LaunchHandler.sol";

/// @title Laws that hold after any sequence of calls
contract LaunchInvariants is LaunchFixture {
    LaunchHandler private handler;

    function setUp() public override {
        super.setUp();
        handler = new LaunchHandler(hook, manager, weth, protocol);
        vm.deal(address(handler), 1_000_000 ether);
        handler.createLaunch(0, 2 ether, 50_000, 5_000, 0);
        targetContract(address(handler));
    }

    /// @dev Solvency: the hook holds exactly what it owes, and what it owes is what went in and did not come out.
    function invariant_holdsWhatItOwes() public view {
        assertEq(address(hook).balance, _owedWith(handler));
        assertEq(address(hook).balance, handler.moneyIn() - handler.moneyOut());
    }

    /// @dev Every curve is where the reference says, and its contributions are the cost of what it has sold.
    function invariant_followsTheReference() public view {
        for (uint256 launchId = 1; launchId <= hook.launchCount(); ++launchId) {
            LaunchConfig memory launch = hook.getLaunchState(launchId);
            assertEq(launch.sold, handler.soldOf(launchId));
            assertEq(launch.netContributions, handler.contributionsOf(launchId));
            assertEq(launch.finalized, launch.sold == launch.saleSupply);
        }
    }

    /// @dev Tokens are neither made nor lost: what is not burned lies with the hook, the pool or somebody.
    function invariant_conservesTokens() public view {
        for (uint256 launchId = 1; launchId <= hook.launchCount(); ++launchId) {
            assertEq(handler.tokensHeld(launchId), handler.tokensExpected(launchId));
        }
    }

    /// @dev Nobody came out of a round trip with more than went in.
    function invariant_noRoundTripPaid() public view {
        assertFalse(handler.roundTripPaid());
    }
}
