//! The contracts beside the launch hook: the token factory of the first version, the auction of the daily token, and tokens
//! that stand for stocks. Leaves out what only a constructor takes.

#![expect(
    clippy::too_many_arguments,
    reason = "the generated functions have the arguments of the calls they encode"
)]

use alloy::sol;

sol! {
    /// What the factory of the first version knows about a token.
    #[derive(Debug, PartialEq, Eq)]
    struct TokenState {
        address creator;
        uint64 createdAt;
        bool graduated;
        address pair;
        uint128 sold;
        uint128 contributions;
    }

    /// A won epoch of the auction: its bid gave the next epoch to `token`.
    #[derive(Debug, PartialEq, Eq)]
    struct Win {
        address token;
        uint64 time;
        address bidder;
        uint256 amount;
        uint256 startBid;
    }

    /// State of the auction at one second.
    #[derive(Debug, PartialEq, Eq)]
    struct BidData {
        uint256 currentBid;
        uint256 startBid;
        uint256 lastBidAmount;
        uint256 lastBidTime;
        address nextBoostedToken;
        address currentBoostedToken;
        address lastBoostedToken;
        bool isEpochTaken;
    }

    /// The token factory of the first version: its creation is closed, its trades and reads are not.
    #[sol(rpc)]
    #[derive(Debug, PartialEq, Eq)]
    interface ITokenFactory {
        event TokenCreated(address indexed token, address indexed creator, address pair, string name, string symbol, string description, string imageUrl);
        event TokenTraded(address indexed token, address indexed trader, uint8 tradeType, uint256 ethAmount, uint256 tokenAmount, uint256 fee, uint256 refund, uint256 priceAfter, uint256 marketCap);
        event TokenGraduated(address indexed token, address pair, uint256 ethSeeded, uint256 tokensSeeded);
        event FeesWithdrawn(address indexed recipient, uint256 amount);
        event CreationClosedForGood();

        error CreationClosed();
        error NotOwner();
        error UnknownToken();
        error AlreadyGraduated();
        error BelowMinimumBuy();
        error BelowMinimumSell();
        error SellExceedsSold();
        error SlippageExceeded();
        error NothingToWithdraw();
        error TransferFailed();
        error Reentered();
        error QuotientOverflow();

        function createToken(string calldata name, string calldata symbol, string calldata description, string calldata imageUrl) external returns (address token);
        function closeCreation() external;
        function buy(address token, uint256 minTokensOut) external payable returns (uint256 tokensOut);
        function sell(address token, uint256 tokenAmount, uint256 minEthOut) external returns (uint256 payout);
        function withdrawFees() external;

        function withdrawableFees() external view returns (uint256);
        function creationClosed() external view returns (bool);
        function tokens(uint256 index) external view returns (address token);
        function tokenCount() external view returns (uint256);
        function launchIdOf(address token) external view returns (uint256 launchId);
        function getTokenState(address token) external view returns (TokenState memory state);
        function previewBuy(address token, uint256 ethIn) external view returns (uint256 tokensOut, uint256 cost, uint256 refund);
        function previewSell(address token, uint256 tokenAmount) external view returns (uint256 payout, uint256 fee);
        function priceOf(address token) external view returns (uint256 price);
    }

    /// The auction of the daily featured token.
    #[sol(rpc)]
    #[derive(Debug, PartialEq, Eq)]
    interface IEmperorAuction {
        event BidWon(uint256 indexed epoch, address indexed token, address indexed bidder, uint256 amount, uint256 startBid);
        event ProceedsWithdrawn(address indexed beneficiary, uint256 amount);

        error EpochTaken();
        error BidTooLow();
        error UnknownToken();
        error NothingToWithdraw();
        error TransferFailed();

        function bid(address token) external payable;
        function withdrawProceeds() external;

        function proceeds() external view returns (uint256);
        function bidData() external view returns (BidData memory data);
        function winOf(uint256 epoch) external view returns (Win memory win);
        function emperorOf(uint256 epoch) external view returns (address token);
        function currentEpoch() external view returns (uint256);
        function isEpochTaken() external view returns (bool);
        function startBid() external view returns (uint256);
        function currentBid() external view returns (uint256);
        function isKnown(address token) external view returns (bool known);
    }

    /// A token whose issuer extends its supply.
    #[sol(rpc)]
    #[derive(Debug, PartialEq, Eq)]
    interface IMintableToken {
        function mint(address to, uint256 amount) external;
        function issuer() external view returns (address);
    }
}
