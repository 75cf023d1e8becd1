//! The ABI of the contracts as clients of the chain use it, deliberately written a second time: a renamed field or a changed signature
//! shows up here and nowhere else.

#![expect(
    clippy::too_many_arguments,
    reason = "the generated functions have the arguments of the calls they encode"
)]

use alloy::sol;

sol! {
    #[derive(Debug, Default, PartialEq, Eq)]
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

    #[derive(Debug, Default, PartialEq, Eq)]
    struct CaptchaAuth {
        uint64 deadline;
        bytes32 nonce;
        bytes signature;
    }

    #[derive(Debug, Default, PartialEq, Eq)]
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

    #[derive(Debug, PartialEq, Eq)]
    struct TradePrice {
        uint256 priceAfter;
        uint256 marketCap;
    }

    #[derive(Debug, PartialEq, Eq)]
    struct TradeAmounts {
        uint256 ethAmount;
        uint256 tokenAmount;
        uint256 fee;
    }

    #[derive(Debug, PartialEq, Eq)]
    interface LaunchHook {
        event LaunchCreated(uint256 indexed launchId, address indexed creator, address token, uint96 targetRaise);
        #[derive(Default)]
        event LaunchMetadata(uint256 indexed launchId, string name, string ticker, string description, string imageUrl, string messenger, string microblog, string website);
        event Trade(uint256 indexed launchId, address indexed trader, uint8 tradeType, TradePrice price, TradeAmounts amounts, uint256 refund);
        event Referral(uint256 indexed launchId, address indexed trader, string referralCode);
        event LaunchFinalized(uint256 indexed launchId, bytes32 poolId, uint256 ethSeeded, uint256 tokensSeeded);
        event FeesAccrued(uint256 indexed launchId, address indexed account, uint256 amount);
        event BuybackExecuted(uint256 indexed launchId, address indexed caller, uint256 quoteAmount, uint256 tokensBurned, bool fromPool);

        error CaptchaRequired();
        error CaptchaNonceUsed();
        error RaiseOutOfRange();
        error GainTooHigh();
        error SplitOutOfRange();
        error LaunchInPast();
        error AlreadyFinalized();
        error ValueNotAccepted();
        error NotStarted();

        function createLaunch(CreateLaunchParams calldata params) external payable returns (uint256 launchId);
        function createLaunchWithReferral(CreateLaunchParams calldata params, string calldata referralCode) external payable returns (uint256 launchId);
        function buy(uint256 launchId, uint256 minTokensOut, CaptchaAuth calldata auth) external payable returns (uint256 tokensOut);
        function buyWithReferral(uint256 launchId, uint256 minTokensOut, CaptchaAuth calldata auth, string calldata referralCode) external payable returns (uint256 tokensOut);
        function sell(uint256 launchId, uint128 tokenAmount, uint256 minEthOut, CaptchaAuth calldata auth) external returns (uint256 payout);
        function sellWithReferral(uint256 launchId, uint128 tokenAmount, uint256 minEthOut, CaptchaAuth calldata auth, string calldata referralCode) external returns (uint256 payout);
        function createLaunchWithQuote(CreateLaunchParams calldata params, uint256 prebuyAmount, string calldata referralCode) external returns (uint256 launchId);
        function buyWithQuote(uint256 launchId, uint256 quoteAmount, uint256 minTokensOut, CaptchaAuth calldata auth, string calldata referralCode) external returns (uint256 tokensOut);
        function quoteAsset() external view returns (address);
        function withdrawFees() external;
        function executeAccumulatedBuyback(uint256 launchId) external;
        function getLaunchState(uint256 launchId) external view returns (LaunchConfig memory state);
        function withdrawableFees(address account) external view returns (uint256 amount);
        function accumulatedBuyback(uint256 launchId) external view returns (uint256 amount);
        function launchCount() external view returns (uint256);
        function viewer() external view returns (address);
        function poolManager() external view returns (address);
        function weth() external view returns (address);
        function protocolFeeRecipient() external view returns (address);
        function previewBuy(uint256 launchId, uint256 ethIn) external view returns (uint256 tokensOut, uint256 cost, uint256 refund, uint256 tokensRemaining);
        function previewSell(uint256 launchId, uint128 tokenAmount) external view returns (uint256 netPayout, uint256 protocolFee, uint256 creatorFee, uint256 buybackFee);
    }

    interface LaunchViewer {
        function previewBuyLocal(uint128 saleSupply, uint96 targetRaise, uint32 gainBps, uint128 sold, uint128 remaining, uint256 ethIn) external pure returns (uint256 tokensOut, uint256 cost, uint256 refund, uint256 tokensRemaining);
        function previewSellLocal(uint128 saleSupply, uint96 targetRaise, uint32 gainBps, uint128 sold, uint128 tokenAmount, uint128 netContributions, uint16 creatorFeeSplitBps, uint16 protocolFeeBps, uint16 variableFeeBps, uint16 bpsDenominator) external pure returns (uint256 netPayout, uint256 protocolFee, uint256 creatorFee, uint256 buybackFee);
        function previewSaleSplit(uint96 targetRaise, uint32 gainBps) external pure returns (uint128 saleSupply, uint128 liquiditySupply, uint256 salePortionBps, uint256 marginalPrice, uint256 poolPrice);
    }

    interface Token {
        event Transfer(address indexed from, address indexed to, uint256 amount);

        function name() external view returns (string memory);
        function symbol() external view returns (string memory);
        function decimals() external view returns (uint8);
        function totalSupply() external view returns (uint256);
        function balanceOf(address account) external view returns (uint256);
        function approve(address spender, uint256 amount) external returns (bool);
        function transfer(address to, uint256 amount) external returns (bool);
    }

    #[derive(Debug, Default, PartialEq, Eq)]
    struct PoolKey {
        address currency0;
        address currency1;
        uint24 fee;
        int24 tickSpacing;
        address hooks;
    }

    #[derive(Debug, PartialEq, Eq)]
    struct ExactInputSingle {
        PoolKey poolKey;
        bool zeroForOne;
        uint128 amountIn;
        uint128 amountOutMinimum;
        bytes hookData;
    }

    #[derive(Debug, Default, PartialEq, Eq)]
    struct QuoteExactSingleParams {
        PoolKey poolKey;
        bool zeroForOne;
        uint128 exactAmount;
        bytes hookData;
    }

    #[derive(Debug, Default, PartialEq, Eq)]
    interface Pools {
        event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee);
        event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick);

        function initialize(PoolKey memory key, uint160 sqrtPriceX96) external returns (int24 tick);
        function getSlot0(bytes32 poolId) external view returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee);
        function quoteExactInputSingle(QuoteExactSingleParams memory params) external returns (uint256 amountOut, uint256 gasEstimate);
        function execute(bytes calldata commands, bytes[] calldata inputs, uint256 deadline) external payable;
    }

    interface Parts {
        function poolManager() external view returns (address);
        function permit2() external view returns (address);
        function pairs() external view returns (address);
        function nextTokenId() external view returns (uint256);
        function extsload(bytes32 slot) external view returns (bytes32);
    }

    interface Permits {
        function approve(address token, address spender, uint160 amount, uint48 expiration) external;
        function allowance(address user, address token, address spender) external view returns (uint160 amount, uint48 expiration, uint48 nonce);
    }

    #[derive(Debug, PartialEq, Eq)]
    struct AuctionState {
        uint256 currentBid;
        uint256 startBid;
        uint256 lastBidAmount;
        uint256 lastBidTime;
        address nextBoostedToken;
        address currentBoostedToken;
        address lastBoostedToken;
        bool isEpochTaken;
    }

    #[derive(Debug, PartialEq, Eq)]
    interface EmperorAuction {
        #[derive(Default)]
        event BidWon(uint256 indexed epoch, address indexed token, address indexed bidder, uint256 amount, uint256 startBid);

        error EpochTaken();
        error BidTooLow();
        error UnknownToken();

        function bid(address token) external payable;
        function bidData() external view returns (AuctionState memory data);
    }

    #[derive(Debug, PartialEq, Eq)]
    struct V1State {
        address creator;
        uint64 createdAt;
        bool graduated;
        address pair;
        uint128 sold;
        uint128 contributions;
    }

    #[derive(Debug, PartialEq, Eq)]
    interface TokenFactory {
        event TokenCreated(address indexed token, address indexed creator, address pair, string name, string symbol, string description, string imageUrl);
        event TokenGraduated(address indexed token, address pair, uint256 ethSeeded, uint256 tokensSeeded);
        event TokenTraded(address indexed token, address indexed trader, uint8 tradeType, uint256 ethAmount, uint256 tokenAmount, uint256 fee, uint256 refund, uint256 priceAfter, uint256 marketCap);

        error CreationClosed();
        error AlreadyGraduated();

        function createToken(string calldata name, string calldata symbol, string calldata description, string calldata imageUrl) external returns (address token);
        function buy(address token, uint256 minTokensOut) external payable returns (uint256 tokensOut);
        function sell(address token, uint256 tokenAmount, uint256 minEthOut) external returns (uint256 payout);
        function tokens(uint256 index) external view returns (address token);
        function tokenCount() external view returns (uint256);
        function getTokenState(address token) external view returns (V1State memory state);
        function previewBuy(address token, uint256 ethIn) external view returns (uint256 tokensOut, uint256 cost, uint256 refund);
        function previewSell(address token, uint256 tokenAmount) external view returns (uint256 payout, uint256 fee);
        function priceOf(address token) external view returns (uint256 price);
    }

    interface Exchange {
        event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to);
        event Sync(uint112 reserve0, uint112 reserve1);

        function factory() external view returns (address);
        function WETH() external view returns (address);
        function allPairsLength() external view returns (uint256);
        function allPairs(uint256 index) external view returns (address);
        function token0() external view returns (address);
        function token1() external view returns (address);
        function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast);
        function swapExactETHForTokens(uint256 amountOutMin, address[] calldata path, address to, uint256 deadline) external payable returns (uint256[] memory amounts);
        function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] calldata path, address to, uint256 deadline) external returns (uint256[] memory amounts);
        function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] calldata path, address to, uint256 deadline) external returns (uint256[] memory amounts);
        function swapETHForExactTokens(uint256 amountOut, address[] calldata path, address to, uint256 deadline) external payable returns (uint256[] memory amounts);
        function swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] calldata path, address to, uint256 deadline) external returns (uint256[] memory amounts);
        function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] calldata path, address to, uint256 deadline) external returns (uint256[] memory amounts);
        function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] calldata path, address to, uint256 deadline) external payable;
        function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] calldata path, address to, uint256 deadline) external;
        function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] calldata path, address to, uint256 deadline) external;
    }
}
