//! Our own contracts as their clients see them. Leaves out what only their owner calls at deployment.

#![expect(
    clippy::too_many_arguments,
    reason = "the generated functions have the arguments of the calls they encode"
)]

use alloy::sol;

sol! {
    /// What a creator chooses when a token is launched.
    #[derive(Debug, PartialEq, Eq)]
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

    /// Proof of a solved captcha, signed by the platform; empty outside the protected time.
    #[derive(Debug, Default, PartialEq, Eq)]
    struct CaptchaAuth {
        uint64 deadline;
        bytes32 nonce;
        bytes signature;
    }

    /// The state of a launch.
    #[derive(Debug, PartialEq, Eq)]
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

    /// Price after a trade: wei of quote per whole token, and for the whole supply, both rounded down.
    #[derive(Debug, PartialEq, Eq)]
    struct TradePrice {
        uint256 priceAfter;
        uint256 marketCap;
    }

    /// Amounts of a trade: gross quote (a buy's cost after its refund), tokens, and the two fees together.
    #[derive(Debug, PartialEq, Eq)]
    struct TradeAmounts {
        uint256 ethAmount;
        uint256 tokenAmount;
        uint256 fee;
    }

    /// The launch hook: creation, trading along the curve, graduation, fees.
    #[sol(rpc)]
    #[derive(Debug, PartialEq, Eq)]
    interface ILaunchHook {
        event LaunchCreated(uint256 indexed launchId, address indexed creator, address token, uint96 targetRaise);
        event LaunchMetadata(uint256 indexed launchId, string name, string ticker, string description, string imageUrl, string messenger, string microblog, string website);
        event Trade(uint256 indexed launchId, address indexed trader, uint8 tradeType, TradePrice price, TradeAmounts amounts, uint256 refund);
        event Referral(uint256 indexed launchId, address indexed trader, string referralCode);
        event LaunchFinalized(uint256 indexed launchId, bytes32 poolId, uint256 ethSeeded, uint256 tokensSeeded);

        event LaunchConfigured(uint256 indexed launchId, address quoteAsset, uint128 saleSupply, uint128 liquiditySupply, uint32 gainBps, uint16 creatorFeeSplitBps, uint32 antiSnipeDuration, uint64 launchTime);
        event FeesAccrued(uint256 indexed launchId, address indexed account, uint256 amount);
        event FeesWithdrawn(address indexed account, uint256 amount);
        event CreatorFeeSplitUpdated(uint256 indexed launchId, uint16 previousBps, uint16 newBps);
        event BuybackAccrued(uint256 indexed launchId, uint256 amount);
        event BuybackExecuted(uint256 indexed launchId, address indexed caller, uint256 quoteAmount, uint256 tokensBurned, bool fromPool);
        event PoolFeesCollected(uint256 indexed launchId, uint256 creatorAmount, uint256 buybackAmount, uint256 tokensBurned);
        event CreationPaused(bool paused);

        error CaptchaRequired();
        error RaiseOutOfRange();
        error GainTooHigh();
        error SplitOutOfRange();
        error LaunchInPast();

        error AlreadyFinalized();
        error AntiSnipeDurationInvalid();
        error BelowMinimumBuy();
        error BelowMinimumSell();
        error BuybackTooSmall();
        error CaptchaExpired();
        error CaptchaNonceUsed();
        error CreationIsPaused();
        error CurveInvalid();
        error DescriptionLengthOutOfRange();
        error FeeRatesInvalid();
        error HookAddressInvalid();
        error InitializeForbidden();
        error NameLengthOutOfRange();
        error NotCreator();
        error NotFinalized();
        error NotOwner();
        error NotPoolManager();
        error NotStarted();
        error NothingToWithdraw();
        error PrebuyExceedsRaise();
        error QuoteIsNative();
        error Reentered();
        error ReferralTooLong();
        error SellExceedsSold();
        error SetupIncomplete();
        error SlippageExceeded();
        error TickerLengthOutOfRange();
        error TransferFailed();
        error UnknownLaunch();
        error UrlTooLong();
        error ValueNotAccepted();

        function createLaunch(CreateLaunchParams calldata params) external payable returns (uint256 launchId);
        function createLaunchWithReferral(CreateLaunchParams calldata params, string calldata referralCode) external payable returns (uint256 launchId);
        function buy(uint256 launchId, uint256 minTokensOut, CaptchaAuth calldata auth) external payable returns (uint256 tokensOut);
        function buyWithReferral(uint256 launchId, uint256 minTokensOut, CaptchaAuth calldata auth, string calldata referralCode) external payable returns (uint256 tokensOut);
        function sell(uint256 launchId, uint128 tokenAmount, uint256 minEthOut, CaptchaAuth calldata auth) external returns (uint256 payout);
        function sellWithReferral(uint256 launchId, uint128 tokenAmount, uint256 minEthOut, CaptchaAuth calldata auth, string calldata referralCode) external returns (uint256 payout);
        function createLaunchWithQuote(CreateLaunchParams calldata params, uint256 prebuyAmount, string calldata referralCode) external returns (uint256 launchId);
        function buyWithQuote(uint256 launchId, uint256 quoteAmount, uint256 minTokensOut, CaptchaAuth calldata auth, string calldata referralCode) external returns (uint256 tokensOut);
        function updateCreatorFeeSplit(uint256 launchId, uint16 newSplitBps) external;
        function withdrawFees() external;
        function executeAccumulatedBuyback(uint256 launchId) external;
        function collectPoolFees(uint256 launchId) external;
        function setCreationPaused(bool paused) external;

        function getLaunchState(uint256 launchId) external view returns (LaunchConfig memory);
        function withdrawableFees(address account) external view returns (uint256);
        function accumulatedBuyback(uint256 launchId) external view returns (uint256);
        function launchCount() external view returns (uint256);
        function launchIdOf(address token) external view returns (uint256);
        function viewer() external view returns (address);
        function tradingModule() external view returns (address);
        function splitCalculator() external view returns (address);
        function poolManager() external view returns (address);
        function weth() external view returns (address);
        function quoteAsset() external view returns (address);
        function captchaSigner() external view returns (address);
        function owner() external view returns (address);
        function protocolFeeRecipient() external view returns (address);
        function creationPaused() external view returns (bool);
        function captchaNonceUsed(bytes32 nonce) external view returns (bool);
        function captchaDigest(address trader, uint256 launchId, uint64 deadline, bytes32 nonce) external view returns (bytes32);
        function previewBuy(uint256 launchId, uint256 ethIn) external view returns (uint256 tokensOut, uint256 cost, uint256 refund, uint256 tokensRemaining);
        function previewSell(uint256 launchId, uint128 tokenAmount) external view returns (uint256 netPayout, uint256 protocolFee, uint256 creatorFee, uint256 buybackFee);
    }

    /// Previews beside the hook: of a launch, and pure ones of given numbers.
    #[sol(rpc)]
    #[derive(Debug, PartialEq, Eq)]
    interface ILaunchViewer {
        function previewBuy(uint256 launchId, uint256 ethIn) external view returns (uint256 tokensOut, uint256 cost, uint256 refund, uint256 tokensRemaining);
        function previewSell(uint256 launchId, uint128 tokenAmount) external view returns (uint256 netPayout, uint256 protocolFee, uint256 creatorFee, uint256 buybackFee);
        function previewBuyLocal(uint128 saleSupply, uint96 targetRaise, uint32 gainBps, uint128 sold, uint128 remaining, uint256 ethIn) external pure returns (uint256 tokensOut, uint256 cost, uint256 refund, uint256 tokensRemaining);
        function previewSellLocal(uint128 saleSupply, uint96 targetRaise, uint32 gainBps, uint128 sold, uint128 tokenAmount, uint128 netContributions, uint16 creatorFeeSplitBps, uint16 protocolFeeBps, uint16 variableFeeBps, uint16 bpsDenominator) external pure returns (uint256 netPayout, uint256 protocolFee, uint256 creatorFee, uint256 buybackFee);
        function previewSaleSplit(uint96 targetRaise, uint32 gainBps) external pure returns (uint256 saleSupply, uint256 liquiditySupply, uint256 salePortionBps, uint256 marginalPrice, uint256 poolPrice);
    }

    /// How a supply is split between the sale and the pool.
    #[sol(rpc)]
    #[derive(Debug, PartialEq, Eq)]
    interface ISaleSplitCalculator {
        function previewSaleSplit(uint96 targetRaise, uint32 gainBps) external pure returns (uint256 saleSupply, uint256 liquiditySupply, uint256 salePortionBps, uint256 marginalPrice, uint256 poolPrice);
    }

    /// A launched token.
    #[sol(rpc)]
    #[derive(Debug, PartialEq, Eq)]
    interface ILaunchToken {
        event Transfer(address indexed from, address indexed to, uint256 amount);
        event Approval(address indexed owner, address indexed spender, uint256 amount);

        function name() external view returns (string memory);
        function symbol() external view returns (string memory);
        function decimals() external view returns (uint8);
        function totalSupply() external view returns (uint256);
        function balanceOf(address account) external view returns (uint256);
        function allowance(address owner, address spender) external view returns (uint256);
        function approve(address spender, uint256 amount) external returns (bool);
        function transfer(address to, uint256 amount) external returns (bool);
        function transferFrom(address from, address to, uint256 amount) external returns (bool);
    }
}
