// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {ILaunchErrors} from "../interfaces/ILaunchErrors.sol";

/// @title Trading fees
/// @notice Both fees are shares of the gross amount, each rounded down on its own.
library Fees {
    /// @notice What shares are counted in.
    uint256 internal constant BPS = 10_000;

    /// @notice The protocol's share of a trade.
    uint256 internal constant PROTOCOL_BPS = 100;

    /// @notice The share of a trade that creator and buyback divide.
    uint256 internal constant VARIABLE_BPS = 100;

    /// @notice A gross amount, divided.
    /// @param protocol Quote units for the protocol.
    /// @param creator Quote units for the creator.
    /// @param buyback Quote units set aside for buying back.
    /// @param net What is left.
    struct Division {
        uint256 protocol;
        uint256 creator;
        uint256 buyback;
        uint256 net;
    }

    /// @notice Divides the gross amount of a trade.
    function divide(uint256 gross, uint256 creatorSplitBps) internal pure returns (Division memory division) {
        return divideBy(gross, creatorSplitBps, PROTOCOL_BPS, VARIABLE_BPS, BPS);
    }

    /// @notice Refuses rates that are no parts of a whole.
    function requireValid(uint256 creatorSplitBps, uint256 protocolBps, uint256 variableBps, uint256 denominator)
        internal
        pure
    {
        if (denominator == 0 || protocolBps + variableBps > denominator || creatorSplitBps > denominator) {
            revert ILaunchErrors.FeeRatesInvalid();
        }
    }

    /// @notice Divides a gross amount by given rates.
    function divideBy(
        uint256 gross,
        uint256 creatorSplitBps,
        uint256 protocolBps,
        uint256 variableBps,
        uint256 denominator
    ) internal pure returns (Division memory division) {
        uint256 variableFee = gross * variableBps / denominator;
        division.protocol = gross * protocolBps / denominator;
        division.creator = variableFee * creatorSplitBps / denominator;
        division.buyback = variableFee - division.creator;
        division.net = gross - division.protocol - variableFee;
    }

    /// @notice Everything that was taken from the gross amount.
    function total(Division memory division) internal pure returns (uint256) {
        return division.protocol + division.creator + division.buyback;
    }

    /// @notice The least gross amount of which at least `net` is left after fees.
    /// @dev Of a gross of 100·q + r, with r below 100, each of the two fees takes q and 98·q + r is left. The least
    ///      gross has the least q whose best remainder, 98·q + 99, is enough; then exactly `net` is left.
    function grossForNet(uint256 net) internal pure returns (uint256) {
        uint256 fee = net < 100 ? 0 : (net - 2) / 98;
        return net + 2 * fee;
    }
}
