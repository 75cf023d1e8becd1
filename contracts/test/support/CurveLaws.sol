// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {IToken, LaunchFixture} from "./LaunchFixture.sol";
import {LawWatch} from "./LawWatch.sol";

/// @title The laws that both curves obey, by the names that `docs/reference/laws.md` gives them
abstract contract CurveLaws is LaunchFixture {
    /// @dev The handler that watched.
    function _watch() internal view virtual returns (LawWatch);

    function invariant_priceMonotone() public view {
        assertFalse(_watch().priceFell());
    }

    function invariant_noProfitableRoundTrip() public view {
        assertFalse(_watch().roundTripPaid());
    }

    function invariant_pathIndependence() public view {
        assertFalse(_watch().partsDiffer());
    }

    function invariant_exactTarget() public view {
        assertFalse(_watch().targetInexact());
    }

    function invariant_closedAfterBonding() public view {
        assertFalse(_watch().openAfterwards());
    }

    /// @dev Not a law of the curve, but what keeps the laws from holding by refusing everything.
    function invariant_validCallsSucceed() public view {
        assertFalse(_watch().refused());
    }

    /// @dev A venue holds what it owes, exactly, and what came in less what left.
    function _assertSolvent(address venue, uint256 owed) internal view {
        assertEq(venue.balance, owed);
        assertEq(venue.balance, _watch().moneyIn() - _watch().moneyOut());
    }

    /// @dev A venue holds what it has not sold, and everything that exists lies with somebody known.
    function _assertConserved(IToken token, address venue, uint256 unsold, address pool) internal view {
        assertEq(token.balanceOf(venue), unsold);
        uint256 found = unsold + token.balanceOf(pool);
        for (uint256 i = 0; i < _watch().ACTORS(); ++i) {
            found += token.balanceOf(_watch().actor(i));
        }
        assertEq(found, token.totalSupply());
    }
}
