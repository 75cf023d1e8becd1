// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {LaunchConfig} from "../sol/types/LaunchTypes.sol";
import {CurveLaws} from "./support/CurveLaws.sol";
import {IToken} from "./support/LaunchFixture.sol";
import {LawHandler} from "./support/LawHandler.sol";
import {LawWatch} from "./support/LawWatch.sol";

/// @title The laws of the launch curve
contract LaunchLaws is CurveLaws {
    LawHandler private handler;

    function setUp() public override {
        super.setUp();
        handler = new LawHandler(hook, manager, weth);
        handler.createLaunch(0, 2 ether, 50_000, 5_000);
        handler.createLaunch(1, 1 ether, 200_000, 0);
        targetContract(address(handler));
    }

    function _watch() internal view override returns (LawWatch) {
        return handler;
    }

    function invariant_solvency() public view {
        _assertSolvent(address(hook), _owedWith(handler));
    }

    function invariant_tokenConservation() public view {
        for (uint256 launchId = 1; launchId <= hook.launchCount(); ++launchId) {
            LaunchConfig memory launch = hook.getLaunchState(launchId);
            uint256 unsold = launch.finalized ? 0 : TOTAL_SUPPLY - launch.sold;
            _assertConserved(IToken(launch.token), address(hook), unsold, manager);
        }
    }

    function invariant_poolOpensAtEndPrice() public view {
        assertFalse(handler.openingOff());
    }
}
