// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {ILaunchErrors} from "../interfaces/ILaunchErrors.sol";
import {CreateLaunchParams} from "../types/LaunchTypes.sol";

/// @title Bounds of what a creator may choose
/// @notice Text is measured in bytes; the bounds leave room for four-byte characters.
library LaunchLimits {
    /// @notice Smallest target raise.
    uint256 internal constant MIN_RAISE = 1 ether;
    /// @notice Largest target raise.
    uint256 internal constant MAX_RAISE = 5 ether;
    /// @notice Largest gain: the last token costs 21 times the first.
    uint256 internal constant MAX_GAIN_BPS = 200_000;
    /// @notice The whole variable fee.
    uint256 internal constant MAX_SPLIT_BPS = 10_000;
    /// @notice Longest name.
    uint256 internal constant MAX_NAME_BYTES = 192;
    /// @notice Longest ticker.
    uint256 internal constant MAX_TICKER_BYTES = 48;
    /// @notice Longest description.
    uint256 internal constant MAX_DESCRIPTION_BYTES = 2_000;
    /// @notice Longest address of an image or a site.
    uint256 internal constant MAX_URL_BYTES = 2_000;
    /// @notice Longest referral code.
    uint256 internal constant MAX_REFERRAL_BYTES = 64;

    /// @notice Refuses choices out of bounds, each by its own error.
    function requireWithin(CreateLaunchParams calldata params) internal view {
        if (params.targetRaise < MIN_RAISE || params.targetRaise > MAX_RAISE) revert ILaunchErrors.RaiseOutOfRange();
        if (params.gainBps > MAX_GAIN_BPS) revert ILaunchErrors.GainTooHigh();
        requireSplit(params.creatorFeeSplitBps);
        if (params.startTime != 0 && params.startTime < block.timestamp) revert ILaunchErrors.LaunchInPast();
        _requireAntiSnipe(params.antiSnipeDuration);
        _requireTexts(params);
    }

    /// @notice Refuses a creator's share above the whole.
    function requireSplit(uint256 splitBps) internal pure {
        if (splitBps > MAX_SPLIT_BPS) revert ILaunchErrors.SplitOutOfRange();
    }

    /// @notice Refuses a referral code that is too long.
    function requireReferral(string calldata code) internal pure {
        if (bytes(code).length > MAX_REFERRAL_BYTES) revert ILaunchErrors.ReferralTooLong();
    }

    function _requireAntiSnipe(uint256 duration) private pure {
        if (duration != 0 && duration != 20 && duration != 40 && duration != 60) {
            revert ILaunchErrors.AntiSnipeDurationInvalid();
        }
    }

    function _requireTexts(CreateLaunchParams calldata params) private pure {
        uint256 name = bytes(params.name).length;
        if (name == 0 || name > MAX_NAME_BYTES) revert ILaunchErrors.NameLengthOutOfRange();
        uint256 ticker = bytes(params.ticker).length;
        if (ticker == 0 || ticker > MAX_TICKER_BYTES) revert ILaunchErrors.TickerLengthOutOfRange();
        if (bytes(params.description).length > MAX_DESCRIPTION_BYTES) {
            revert ILaunchErrors.DescriptionLengthOutOfRange();
        }
        _requireUrl(params.imageUrl);
        _requireUrl(params.messenger);
        _requireUrl(params.microblog);
        _requireUrl(params.website);
    }

    function _requireUrl(string calldata url) private pure {
        if (bytes(url).length > MAX_URL_BYTES) revert ILaunchErrors.UrlTooLong();
    }
}
