// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {Test} from "forge-std/Test.sol";

import {IToken} from "./LaunchFixture.sol";

/// @title Who acts at random, and what moved
abstract contract Actors is Test {
    uint256 public constant ACTORS = 3;

    /// @notice Wei that came into the contract under test, and left it again.
    uint256 public moneyIn;
    uint256 public moneyOut;

    function actor(uint256 index) public pure returns (address) {
        return address(uint160(0xac7000 + index % ACTORS));
    }
}

/// @title What the handlers of both curves keep
/// @notice Knows no formula: ghost totals of what moved, and which law was broken. Calls may fail, so that a defect is seen
///         by the law it breaks and not by a revert on the way.
abstract contract LawWatch is Actors {
    /// @notice Broken laws.
    bool public priceFell;
    bool public roundTripPaid;
    bool public partsDiffer;
    bool public targetInexact;
    bool public openingOff;
    bool public openAfterwards;
    /// @notice A call that had to succeed did not.
    bool public refused;

    /// @dev What was told last of each launch or token; zero where that is not known.
    mapping(uint256 what => uint256) internal lastCap;
    mapping(uint256 what => bool) internal opened;

    /// @dev What is left of a gross purchase.
    function _net(uint256 gross) internal pure virtual returns (uint256);

    /// @dev Whether a purchase that filled a curve paid anything but the least that leaves what was needed.
    function _watchTarget(uint256 spent, uint256 needed, uint256 steps) internal {
        if (_net(spent) != needed) targetInexact = true;
        for (uint256 less = 1; less <= steps && less <= spent; ++less) {
            if (_net(spent - less) >= needed) targetInexact = true;
        }
    }

    /// @dev A purchase may not lower the price and a sale may not raise it.
    function _watchCap(uint256 what, uint256 cap, bool bought) internal {
        uint256 last = lastCap[what];
        if (last != 0 && (bought ? cap < last : cap > last)) priceFell = true;
        lastCap[what] = cap;
    }

    /// @dev Buys with fresh wei; answers what the buyer is poorer by.
    function _pay(address venue, address who, uint256 gross, bytes memory data)
        internal
        returns (bool success, uint256 spent)
    {
        vm.deal(who, gross);
        uint256 balance = venue.balance;
        vm.recordLogs();
        vm.prank(who);
        (success,) = venue.call{value: gross}(data);
        if (success) {
            spent = gross - who.balance;
            moneyIn += spent;
            moneyOut += balance + spent - venue.balance;
        } else {
            refused = true;
        }
    }

    /// @dev Sells tokens that the venue is allowed to take.
    function _give(address venue, address who, address token, uint256 amount, bytes memory data)
        internal
        returns (bool success)
    {
        uint256 balance = who.balance;
        vm.startPrank(who);
        IToken(token).approve(venue, amount);
        vm.recordLogs();
        (success,) = venue.call(data);
        vm.stopPrank();
        if (success) moneyOut += who.balance - balance;
        else refused = true;
    }

    /// @dev A call that takes `amount` out of the venue.
    function _withdraw(address venue, address who, uint256 amount, bytes memory data) internal {
        vm.prank(who);
        (bool success,) = venue.call(data);
        if (success) moneyOut += amount;
        else refused = true;
    }

    /// @dev A closed curve refuses a call by the one error that says so.
    function _expectClosed(address venue, uint256 who, uint256 value, bytes memory data, bytes4 error) internal {
        vm.deal(actor(who), 2 ether);
        vm.prank(actor(who));
        (bool success, bytes memory reason) = venue.call{value: value}(data);
        if (success || bytes4(reason) != error) openAfterwards = true;
    }
}
