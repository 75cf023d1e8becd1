// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

/// @title Interface of the auction of the daily featured token
interface IEmperorAuction {
    /// @notice The epoch has been won already.
    error EpochTaken();
    /// @notice The bid is below the price.
    error BidTooLow();
    /// @notice The token was not launched on this platform.
    error UnknownToken();
    /// @notice There are no proceeds to hand over.
    error NothingToWithdraw();
    /// @notice A payment was refused by its receiver.
    error TransferFailed();

    /// @notice A bid won the epoch after `epoch` for a token.
    /// @param epoch Epoch of the bid.
    /// @param token Token that the next epoch belongs to.
    /// @param bidder Account that bid.
    /// @param amount Price paid, in wei.
    /// @param startBid Price at which the epoch had begun, in wei.
    event BidWon(
        uint256 indexed epoch, address indexed token, address indexed bidder, uint256 amount, uint256 startBid
    );

    /// @notice Proceeds were handed over.
    /// @param beneficiary Account that receives them.
    /// @param amount Wei.
    event ProceedsWithdrawn(address indexed beneficiary, uint256 amount);

    /// @notice A won epoch.
    /// @param token Token that the next epoch belongs to.
    /// @param time Unix time of the bid.
    /// @param bidder Account that bid.
    /// @param amount Price paid.
    /// @param startBid Price at which the epoch had begun.
    struct Win {
        address token;
        uint64 time;
        address bidder;
        uint256 amount;
        uint256 startBid;
    }

    /// @notice State of the auction at the current second.
    /// @param currentBid The winning bid once there is one, else the price now.
    /// @param startBid Price at which the epoch began.
    /// @param lastBidAmount Amount of the latest winning bid; zero when there was none.
    /// @param lastBidTime Unix time of the latest winning bid.
    /// @param nextBoostedToken Tomorrow's token.
    /// @param currentBoostedToken Today's token.
    /// @param lastBoostedToken Yesterday's token.
    /// @param isEpochTaken Whether the epoch has been won.
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

    /// @notice Wins the next epoch for a token at the price of this second; what is above the price comes back.
    /// @param token The token.
    function bid(address token) external payable;

    /// @notice Hands the proceeds to the beneficiary; anyone may call it.
    function withdrawProceeds() external;

    /// @notice Proceeds not yet handed over.
    function proceeds() external view returns (uint256);

    /// @notice The whole state at the current second.
    /// @return data The state.
    function bidData() external view returns (BidData memory data);

    /// @notice How an epoch was won; empty when it was not.
    /// @param epoch The epoch.
    /// @return win The win.
    function winOf(uint256 epoch) external view returns (Win memory win);

    /// @notice The token that an epoch belongs to, won in the epoch before.
    /// @param epoch The epoch.
    /// @return token Its token; the zero address when nobody won it.
    function emperorOf(uint256 epoch) external view returns (address token);

    /// @notice The epoch of the current second: days since the first of January 1970.
    function currentEpoch() external view returns (uint256);

    /// @notice Whether the current epoch has been won.
    function isEpochTaken() external view returns (bool);

    /// @notice The price at which the current epoch began: twice the last winning bid of an earlier epoch, and at least ten
    ///         floors.
    function startBid() external view returns (uint256);

    /// @notice The winning bid once the epoch is won, else the price of this second.
    function currentBid() external view returns (uint256);

    /// @notice Whether a token was launched on this platform.
    /// @param token The token.
    /// @return known Whether it was.
    function isKnown(address token) external view returns (bool known);
}
