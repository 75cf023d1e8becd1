// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {TradeAmounts, TradePrice} from "../types/LaunchTypes.sol";

/// @title Events of the launch contracts
/// @notice All of them are emitted from the hook's address.
interface ILaunchEvents {
    /// @notice A launch exists and its token is deployed.
    event LaunchCreated(uint256 indexed launchId, address indexed creator, address token, uint96 targetRaise);

    /// @notice The texts of a launch, which are kept nowhere else on the chain.
    event LaunchMetadata(
        uint256 indexed launchId,
        string name,
        string ticker,
        string description,
        string imageUrl,
        string messenger,
        string microblog,
        string website
    );

    /// @notice The figures of a launch; follows its texts.
    event LaunchConfigured(
        uint256 indexed launchId,
        address quoteAsset,
        uint128 saleSupply,
        uint128 liquiditySupply,
        uint32 gainBps,
        uint16 creatorFeeSplitBps,
        uint32 antiSnipeDuration,
        uint64 launchTime
    );

    /// @notice A trade on the curve. `tradeType` is 0 for a purchase and 1 for a sale.
    event Trade(
        uint256 indexed launchId,
        address indexed trader,
        uint8 tradeType,
        TradePrice price,
        TradeAmounts amounts,
        uint256 refund
    );

    /// @notice A launch or a trade named a referral code.
    event Referral(uint256 indexed launchId, address indexed trader, string referralCode);

    /// @notice A launch reached its target and its pool is open.
    event LaunchFinalized(uint256 indexed launchId, bytes32 poolId, uint256 ethSeeded, uint256 tokensSeeded);

    /// @notice An account earned fees from a launch.
    event FeesAccrued(uint256 indexed launchId, address indexed account, uint256 amount);

    /// @notice An account took out everything it had earned.
    event FeesWithdrawn(address indexed account, uint256 amount);

    /// @notice A creator changed the share of the variable fee.
    event CreatorFeeSplitUpdated(uint256 indexed launchId, uint16 previousBps, uint16 newBps);

    /// @notice Quote units were set aside for buying back the token.
    event BuybackAccrued(uint256 indexed launchId, uint256 amount);

    /// @notice Quote units set aside were spent and the tokens bought with them burned.
    event BuybackExecuted(
        uint256 indexed launchId, address indexed caller, uint256 quoteAmount, uint256 tokensBurned, bool fromPool
    );

    /// @notice The fees of the hook's pool position were collected and divided.
    event PoolFeesCollected(
        uint256 indexed launchId, uint256 creatorAmount, uint256 buybackAmount, uint256 tokensBurned
    );

    /// @notice The creation of launches was paused or resumed.
    event CreationPaused(bool paused);
}
