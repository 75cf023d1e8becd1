// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {IEmperorAuction} from "./interfaces/IEmperorAuction.sol";
import {ITokenRegistry} from "./interfaces/ITokenRegistry.sol";

/// @title Auction of the daily featured token
/// @notice Epochs are days that begin at midnight UTC. In every epoch one bid can win the next epoch for a token. The
///         price falls in a straight line over the epoch; the first bid that meets it wins at the price of that second.
contract EmperorAuction is IEmperorAuction {
    /// @notice Length of an epoch in seconds.
    uint256 public constant EPOCH_SECONDS = 1 days;

    /// @notice Price that no epoch falls below.
    uint256 public constant FLOOR = 0.001 ether;

    /// @notice Account that receives the proceeds.
    address public immutable beneficiary;

    /// @inheritdoc IEmperorAuction
    uint256 public proceeds;

    /// @notice The epoch that was won last; read together with `winOf`.
    uint256 public lastWonEpoch;

    ITokenRegistry[] private _registries;
    mapping(uint256 epoch => Win win) private _wins;

    /// @notice Opens the auction.
    /// @param registries Contracts whose tokens may be featured.
    /// @param beneficiary_ Account that receives the proceeds.
    constructor(ITokenRegistry[] memory registries, address beneficiary_) {
        _registries = registries;
        beneficiary = beneficiary_;
    }

    /// @inheritdoc IEmperorAuction
    function bid(address token) external payable {
        uint256 epoch = currentEpoch();
        Win storage win = _wins[epoch];
        if (win.token != address(0)) revert EpochTaken();
        if (!isKnown(token)) revert UnknownToken();
        uint256 opening = startBid();
        uint256 price = _priceUp(opening);
        if (msg.value < price) revert BidTooLow();

        win.token = token;
        win.time = uint64(block.timestamp);
        win.bidder = msg.sender;
        win.amount = price;
        win.startBid = opening;
        lastWonEpoch = epoch;
        proceeds += price;
        emit BidWon(epoch, token, msg.sender, price, opening);
        _pay(msg.sender, msg.value - price);
    }

    /// @inheritdoc IEmperorAuction
    function withdrawProceeds() external {
        uint256 amount = proceeds;
        if (amount == 0) revert NothingToWithdraw();
        proceeds = 0;
        emit ProceedsWithdrawn(beneficiary, amount);
        _pay(beneficiary, amount);
    }

    /// @inheritdoc IEmperorAuction
    function bidData() external view returns (BidData memory data) {
        uint256 epoch = currentEpoch();
        Win storage last = _wins[lastWonEpoch];
        data.currentBid = currentBid();
        data.startBid = startBid();
        data.lastBidAmount = last.amount;
        data.lastBidTime = last.time;
        data.nextBoostedToken = _wins[epoch].token;
        data.currentBoostedToken = _wins[epoch - 1].token;
        data.lastBoostedToken = _wins[epoch - 2].token;
        data.isEpochTaken = isEpochTaken();
    }

    /// @inheritdoc IEmperorAuction
    function winOf(uint256 epoch) external view returns (Win memory win) {
        return _wins[epoch];
    }

    /// @inheritdoc IEmperorAuction
    function emperorOf(uint256 epoch) external view returns (address token) {
        return _wins[epoch - 1].token;
    }

    /// @inheritdoc IEmperorAuction
    function currentEpoch() public view returns (uint256) {
        return block.timestamp / EPOCH_SECONDS;
    }

    /// @inheritdoc IEmperorAuction
    function isEpochTaken() public view returns (bool) {
        return _wins[currentEpoch()].token != address(0);
    }

    /// @inheritdoc IEmperorAuction
    function startBid() public view returns (uint256) {
        Win storage win = _wins[currentEpoch()];
        if (win.token != address(0)) return win.startBid;
        uint256 opening = 2 * _wins[lastWonEpoch].amount;
        return opening < 10 * FLOOR ? 10 * FLOOR : opening;
    }

    /// @inheritdoc IEmperorAuction
    function currentBid() public view returns (uint256) {
        Win storage win = _wins[currentEpoch()];
        return win.token != address(0) ? win.amount : _priceUp(startBid());
    }

    /// @inheritdoc IEmperorAuction
    function isKnown(address token) public view returns (bool known) {
        for (uint256 i = 0; i < _registries.length; ++i) {
            if (_registries[i].launchIdOf(token) != 0) return true;
        }
        return false;
    }

    /// @dev The price of this second, rounded up: it has fallen by the share of the epoch that has passed.
    function _priceUp(uint256 opening) private view returns (uint256) {
        uint256 passed = block.timestamp % EPOCH_SECONDS;
        return opening - (opening - FLOOR) * passed / EPOCH_SECONDS;
    }

    function _pay(address to, uint256 amount) private {
        if (amount == 0) return;
        (bool success,) = to.call{value: amount}("");
        if (!success) revert TransferFailed();
    }
}
