// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {TradeAmounts, TradePrice} from "../types/LaunchTypes.sol";

/// @title Events of the launch contracts
/// @notice All of them are emitted from the hook's address.
interface ILaunchEvents {
    /// @notice A launch exists and its token is deployed.
    /// @param launchId The launch.
    /// @param creator Account that created it.
    /// @param token Its token.
    /// @param targetRaise Net contributions at which it graduates, in quote units.
    event LaunchCreated(uint256 indexed launchId, address indexed creator, address token, uint96 targetRaise);

    /// @notice The texts of a launch, which are kept nowhere else on the chain.
    /// @param launchId The launch.
    /// @param name Token name.
    /// @param ticker Token symbol.
    /// @param description Free text.
    /// @param imageUrl Logo address.
    /// @param messenger Messaging-channel address.
    /// @param microblog Microblog address.
    /// @param website Site address.
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
    /// @param launchId The launch.
    /// @param quoteAsset Asset it is sold for; the zero address is the native asset.
    /// @param saleSupply Token units that the curve sells.
    /// @param liquiditySupply Token units that seed the pool.
    /// @param gainBps End price over start price, minus one, in basis points.
    /// @param creatorFeeSplitBps The creator's share of the variable fee, in basis points.
    /// @param antiSnipeDuration Length of the anti-snipe window in seconds.
    /// @param launchTime Unix time at which trading opens.
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
    /// @param launchId The launch.
    /// @param trader Account that traded.
    /// @param tradeType 0 for a purchase, 1 for a sale.
    /// @param price Prices right after the trade.
    /// @param amounts Amounts that the trade moved.
    /// @param refund Quote units given back to a buyer who reached the target.
    event Trade(
        uint256 indexed launchId,
        address indexed trader,
        uint8 tradeType,
        TradePrice price,
        TradeAmounts amounts,
        uint256 refund
    );

    /// @notice A launch or a trade named a referral code.
    /// @param launchId The launch.
    /// @param trader Account that launched or traded.
    /// @param referralCode The code, as it was given.
    event Referral(uint256 indexed launchId, address indexed trader, string referralCode);

    /// @notice A launch reached its target and its pool is open.
    /// @param launchId The launch.
    /// @param poolId Identity of the pool.
    /// @param ethSeeded Quote units that went into the pool.
    /// @param tokensSeeded Token units that went into the pool.
    event LaunchFinalized(uint256 indexed launchId, bytes32 poolId, uint256 ethSeeded, uint256 tokensSeeded);

    /// @notice An account earned fees from a launch.
    /// @param launchId The launch.
    /// @param account Account that earned them.
    /// @param amount Quote units.
    event FeesAccrued(uint256 indexed launchId, address indexed account, uint256 amount);

    /// @notice An account took out everything it had earned.
    /// @param account Account that took them.
    /// @param amount Quote units.
    event FeesWithdrawn(address indexed account, uint256 amount);

    /// @notice A creator changed the share of the variable fee.
    /// @param launchId The launch.
    /// @param previousBps Share until now, in basis points.
    /// @param newBps Share from now on, in basis points.
    event CreatorFeeSplitUpdated(uint256 indexed launchId, uint16 previousBps, uint16 newBps);

    /// @notice Quote units were set aside for buying back the token.
    /// @param launchId The launch.
    /// @param amount Quote units.
    event BuybackAccrued(uint256 indexed launchId, uint256 amount);

    /// @notice Quote units set aside were spent and the tokens bought with them burned.
    /// @param launchId The launch.
    /// @param caller Account that asked for it.
    /// @param quoteAmount Quote units spent.
    /// @param tokensBurned Token units bought and burned.
    /// @param fromPool Whether they came from the pool and not from the curve.
    event BuybackExecuted(
        uint256 indexed launchId, address indexed caller, uint256 quoteAmount, uint256 tokensBurned, bool fromPool
    );

    /// @notice The fees of the hook's pool position were collected and divided.
    /// @param launchId The launch.
    /// @param creatorAmount Quote units credited to the creator.
    /// @param buybackAmount Quote units set aside for buying back.
    /// @param tokensBurned Token units burned.
    event PoolFeesCollected(
        uint256 indexed launchId, uint256 creatorAmount, uint256 buybackAmount, uint256 tokensBurned
    );

    /// @notice The creation of launches was paused or resumed.
    /// @param paused Whether creation is refused from now on.
    event CreationPaused(bool paused);
}
