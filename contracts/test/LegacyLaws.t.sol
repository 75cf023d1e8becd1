// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {ITokenFactory} from "../sol/legacy/ITokenFactory.sol";
import {Artifacts} from "./support/Artifacts.sol";
import {CurveLaws} from "./support/CurveLaws.sol";
import {IToken} from "./support/LaunchFixture.sol";
import {LawWatch} from "./support/LawWatch.sol";
import {LegacyLawHandler} from "./support/LegacyLawHandler.sol";

/// @title The laws of the V1 curve
/// @dev Its purchases search the curve and are forty times as dear as those of the launch curve.
/// forge-config: default.invariant.runs = 6
contract LegacyLaws is CurveLaws {
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

    function _watch() internal view override returns (LawWatch) {
        return handler;
    }

    function invariant_solvency() public view {
        uint256 owed = factory.withdrawableFees();
        for (uint256 i = 0; i < factory.tokenCount(); ++i) {
            ITokenFactory.TokenState memory state = factory.getTokenState(factory.tokens(i));
            if (!state.graduated) owed += state.contributions;
        }
        _assertSolvent(address(factory), owed);
    }

    function invariant_tokenConservation() public view {
        for (uint256 i = 0; i < factory.tokenCount(); ++i) {
            address token = factory.tokens(i);
            ITokenFactory.TokenState memory state = factory.getTokenState(token);
            assertEq(IToken(token).totalSupply(), TOTAL_SUPPLY);
            uint256 unsold = state.graduated ? 0 : TOTAL_SUPPLY - state.sold;
            _assertConserved(IToken(token), address(factory), unsold, state.pair);
        }
    }

    function invariant_pairOpensAtEndPrice() public view {
        assertFalse(handler.openingOff());
    }
}
