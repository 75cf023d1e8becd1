// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {ITokenRegistry} from "../interfaces/ITokenRegistry.sol";

/// @title Interface of the token factory of the first version
interface ITokenFactory is ITokenRegistry {
    /// @notice Creation is closed.
    error CreationClosed();
    /// @notice The caller does not own the factory.
    error NotOwner();
    /// @notice The factory did not create this token.
    error UnknownToken();
    /// @notice The token has graduated; its curve is closed.
    error AlreadyGraduated();
    /// @notice The value is below the smallest purchase.
    error BelowMinimumBuy();
    /// @notice The amount is below the smallest sale.
    error BelowMinimumSell();
    /// @notice The amount is larger than everything the curve has sold.
    error SellExceedsSold();
    /// @notice The trade would give less than the caller accepts.
    error SlippageExceeded();
    /// @notice There are no fees to hand over.
    error NothingToWithdraw();
    /// @notice A payment was refused by its receiver.
    error TransferFailed();
    /// @notice A call came in while another one was being carried out.
    error Reentered();

    /// @notice A token exists.
    /// @param token The token.
    /// @param creator Account that created it.
    /// @param pair Its pair, still closed.
    /// @param name Token name.
    /// @param symbol Token symbol.
    /// @param description Free text.
    /// @param imageUrl Logo address.
    event TokenCreated(
        address indexed token,
        address indexed creator,
        address pair,
        string name,
        string symbol,
        string description,
        string imageUrl
    );

    /// @notice A trade on the curve. `tradeType` is 0 for a purchase and 1 for a sale.
    /// @param token The token.
    /// @param trader Account that traded.
    /// @param tradeType 0 for a purchase, 1 for a sale.
    /// @param ethAmount Gross wei: what a buyer paid after the refund, or what a sale was worth before the fee.
    /// @param tokenAmount Token units.
    /// @param fee Wei taken as fee.
    /// @param refund Wei given back to a buyer who reached the target.
    /// @param priceAfter Wei for a whole token afterwards, rounded down.
    /// @param marketCap Wei for the whole supply afterwards, rounded down.
    event TokenTraded(
        address indexed token,
        address indexed trader,
        uint8 tradeType,
        uint256 ethAmount,
        uint256 tokenAmount,
        uint256 fee,
        uint256 refund,
        uint256 priceAfter,
        uint256 marketCap
    );

    /// @notice A token reached its target and trades in its pair.
    /// @param token The token.
    /// @param pair Its pair.
    /// @param ethSeeded Wei that went into the pair.
    /// @param tokensSeeded Token units that went into the pair.
    event TokenGraduated(address indexed token, address pair, uint256 ethSeeded, uint256 tokensSeeded);

    /// @notice Fees were handed over.
    /// @param recipient Account that receives them.
    /// @param amount Wei.
    event FeesWithdrawn(address indexed recipient, uint256 amount);

    /// @notice Creation was closed.
    event CreationClosedForGood();

    /// @notice What the factory knows about a token.
    /// @param creator Account that created it.
    /// @param createdAt Unix time of its creation.
    /// @param graduated Whether it has graduated.
    /// @param pair Its pair.
    /// @param sold Token units the curve has sold and not taken back.
    /// @param contributions Wei that back them.
    struct TokenState {
        address creator;
        uint64 createdAt;
        bool graduated;
        address pair;
        uint128 sold;
        uint128 contributions;
    }

    /// @notice Creates a token.
    /// @param name Token name.
    /// @param symbol Token symbol.
    /// @param description Free text, only emitted.
    /// @param imageUrl Logo address, only emitted.
    /// @return token The token.
    function createToken(
        string calldata name,
        string calldata symbol,
        string calldata description,
        string calldata imageUrl
    ) external returns (address token);

    /// @notice Closes creation for good.
    function closeCreation() external;

    /// @notice Buys tokens with the value of the call; a purchase that reaches the target opens the pair and refunds.
    /// @param token The token.
    /// @param minTokensOut Fewest token units the caller accepts.
    /// @return tokensOut Token units bought.
    function buy(address token, uint256 minTokensOut) external payable returns (uint256 tokensOut);

    /// @notice Sells tokens; needs an allowance of the token to the factory.
    /// @param token The token.
    /// @param tokenAmount Token units to sell.
    /// @param minEthOut Least wei, after the fee, that the caller accepts.
    /// @return payout Wei paid to the caller.
    function sell(address token, uint256 tokenAmount, uint256 minEthOut) external returns (uint256 payout);

    /// @notice Hands all fees to their recipient; anyone may call it.
    function withdrawFees() external;

    /// @notice Fees not yet handed over.
    function withdrawableFees() external view returns (uint256);

    /// @notice A token by its place in the order of creation.
    /// @param index Its place, from zero.
    /// @return token The token.
    function tokens(uint256 index) external view returns (address token);

    /// @notice How many tokens exist.
    function tokenCount() external view returns (uint256);

    /// @notice Everything known about a token.
    /// @param token The token.
    /// @return state Its state.
    function getTokenState(address token) external view returns (TokenState memory state);

    /// @notice What a purchase would give now.
    /// @param token The token.
    /// @param ethIn Wei offered.
    /// @return tokensOut Token units bought.
    /// @return cost Wei taken.
    /// @return refund Wei given back.
    function previewBuy(address token, uint256 ethIn)
        external
        view
        returns (uint256 tokensOut, uint256 cost, uint256 refund);

    /// @notice What a sale would pay now.
    /// @param token The token.
    /// @param tokenAmount Token units to sell.
    /// @return payout Wei paid to the seller.
    /// @return fee Wei taken as fee.
    function previewSell(address token, uint256 tokenAmount) external view returns (uint256 payout, uint256 fee);

    /// @notice Price of a whole token on the curve, in wei, rounded down.
    /// @param token The token.
    /// @return price The price; after graduation, the one at which the pair opened.
    function priceOf(address token) external view returns (uint256 price);
}
