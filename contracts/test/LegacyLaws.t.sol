// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {ITokenFactory} from "../sol/legacy/ITokenFactory.sol";
import {Artifacts} from "./support/Artifacts.sol";
import {IToken, LaunchFixture} from "./support/LaunchFixture.sol";
import {LegacyLawHandler} from "./support/LegacyLawHandler.sol";

/// @title The laws of the first version's curve, by the names that `docs/laws.md` gives them
/// @dev Its purchases search the curve and are forty times as dear as those of the launch curve.
/// forge-config: default.invariant.runs = 6
contract LegacyLaws is LaunchFixture {
    ITokenFactory private factory;
    LegacyLawHandler private handler;

    function setUp() public override {
        super.setUp();
        bytes memory arguments = abi.encode(Artifacts.deployPairFactory(owner), weth, owner, protocol);
        factory = ITokenFactory(Artifacts.create(abi.encodePacked(Artifacts.creationCode("TokenFactory"), arguments)));
        for (uint256 i = 0; i < 3; ++i) {
            factory.createToken("N", "T", "", "");
        }
        handler = new LegacyLawHandler(factory, weth);
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

    function invariant_solvency() public view {
        uint256 owed = factory.withdrawableFees();
        for (uint256 i = 0; i < factory.tokenCount(); ++i) {
            ITokenFactory.TokenState memory state = factory.getTokenState(factory.tokens(i));
            if (!state.graduated) owed += state.contributions;
        }
        assertEq(address(factory).balance, owed);
        assertEq(address(factory).balance, handler.moneyIn() - handler.moneyOut());
    }

    function invariant_tokenConservation() public view {
        for (uint256 i = 0; i < factory.tokenCount(); ++i) {
            IToken token = IToken(factory.tokens(i));
            ITokenFactory.TokenState memory state = factory.getTokenState(address(token));
            uint256 found = token.balanceOf(address(factory));
            assertEq(found, state.graduated ? 0 : TOTAL_SUPPLY - state.sold);
            found += token.balanceOf(state.pair);
            for (uint256 who = 0; who < handler.ACTORS(); ++who) {
                found += token.balanceOf(handler.actor(who));
            }
            assertEq(found, TOTAL_SUPPLY);
        }
    }

    function invariant_exactTarget() public view {
        assertFalse(handler.targetInexact());
    }

    function invariant_pairOpensAtEndPrice() public view {
        assertFalse(handler.pairPriceOff());
    }

    function invariant_closedAfterBonding() public view {
        assertFalse(handler.openAfterwards());
    }

    function invariant_validCallsSucceed() public view {
        assertFalse(handler.refused());
    }
}
