// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

/// @notice What a creator chooses for a launch. The order of the members is part of the ABI that clients encode.
/// @param name Token name, in UTF-8.
/// @param ticker Token symbol, in UTF-8.
/// @param description Free text, only emitted.
/// @param imageUrl Logo address, only emitted.
/// @param messenger Messaging-channel address, only emitted.
/// @param microblog Microblog address, only emitted.
/// @param website Site address, only emitted.
/// @param creatorFeeSplitBps Share of the variable fee that the creator earns, in basis points.
/// @param gainBps End price over start price, minus one, in basis points.
/// @param targetRaise Net contributions at which the launch graduates, in units of the quote asset.
/// @param antiSnipeDuration Seconds after the start during which trades need a captcha authorisation.
/// @param startTime Unix time at which trading opens; zero means at once.
struct CreateLaunchParams {
    string name;
    string ticker;
    string description;
    string imageUrl;
    string messenger;
    string microblog;
    string website;
    uint16 creatorFeeSplitBps;
    uint32 gainBps;
    uint96 targetRaise;
    uint32 antiSnipeDuration;
    uint64 startTime;
}

/// @notice A permission to trade inside the anti-snipe window, signed by the captcha signer.
/// @param deadline Last Unix second at which the permission holds.
/// @param nonce Value that makes the permission usable once.
/// @param signature Signature over the typed data, as r, s, v.
struct CaptchaAuth {
    uint64 deadline;
    bytes32 nonce;
    bytes signature;
}

/// @notice Everything the chain knows about a launch.
/// @param creator Account that created the launch and earns the creator fee.
/// @param token Token that is sold.
/// @param quoteAsset Asset it is sold for; the zero address is the native asset.
/// @param saleSupply Token units that the curve sells.
/// @param liquiditySupply Token units that seed the pool.
/// @param sold Token units the curve has sold and not taken back.
/// @param targetRaise Net contributions at which the launch graduates.
/// @param netContributions Quote units that back the tokens sold.
/// @param gainBps End price over start price, minus one, in basis points.
/// @param creatorFeeSplitBps The creator's share of the variable fee, in basis points.
/// @param antiSnipeDuration Length of the anti-snipe window in seconds.
/// @param launchTime Unix time at which trading opens.
/// @param finalized Whether the launch has graduated into its pool.
/// @param poolId Identity of the pool; zero before graduation.
struct LaunchConfig {
    address creator;
    address token;
    address quoteAsset;
    uint128 saleSupply;
    uint128 liquiditySupply;
    uint128 sold;
    uint96 targetRaise;
    uint128 netContributions;
    uint32 gainBps;
    uint16 creatorFeeSplitBps;
    uint32 antiSnipeDuration;
    uint64 launchTime;
    bool finalized;
    bytes32 poolId;
}

/// @notice Prices right after a trade.
/// @param priceAfter Quote units for one whole token, rounded down.
/// @param marketCap Quote units for the whole supply at that price, rounded down.
struct TradePrice {
    uint256 priceAfter;
    uint256 marketCap;
}

/// @notice Amounts that a trade moved.
/// @param ethAmount Gross quote units: what a buyer paid after the refund, or what a seller's tokens were worth before fees.
/// @param tokenAmount Token units bought or sold.
/// @param fee Quote units taken as protocol fee and variable fee together.
struct TradeAmounts {
    uint256 ethAmount;
    uint256 tokenAmount;
    uint256 fee;
}

/// @notice Where a hook finds its surroundings; the only argument of its constructor.
/// @param poolManager The v4 pool manager that holds graduated pools.
/// @param weth Wrapped native asset, the quote side of the pools of a native hook.
/// @param quoteAsset Asset that launches are sold for: an ERC-20 token of 18 decimals, or the zero address for the native asset.
/// @param tradingModule Code that the hook runs for trades.
/// @param splitCalculator Contract that divides the supply between sale and pool.
/// @param captchaSigner Account whose signatures open the anti-snipe window.
/// @param owner Account that may pause the creation of launches, and nothing else.
/// @param protocolFeeRecipient Account that earns the protocol fee.
struct HookSetup {
    address poolManager;
    address weth;
    address quoteAsset;
    address tradingModule;
    address splitCalculator;
    address captchaSigner;
    address owner;
    address protocolFeeRecipient;
}
