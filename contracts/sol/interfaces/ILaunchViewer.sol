// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {ISaleSplitCalculator} from "./ISaleSplitCalculator.sol";

/// @title Interface of the view module
/// @notice Previews of trades, for the launches of one hook and for curves given by their figures.
interface ILaunchViewer is ISaleSplitCalculator {
    /// @notice The hook whose launches are previewed.
    function hook() external view returns (address);

    /// @notice What a purchase would give now. All amounts are gross.
    /// @param launchId The launch.
    /// @param ethIn Quote units offered.
    /// @return tokensOut Token units bought.
    /// @return cost Quote units taken.
    /// @return refund Quote units given back.
    /// @return tokensRemaining Token units left on the curve afterwards.
    function previewBuy(uint256 launchId, uint256 ethIn)
        external
        view
        returns (uint256 tokensOut, uint256 cost, uint256 refund, uint256 tokensRemaining);

    /// @notice What a sale would pay now.
    /// @param launchId The launch.
    /// @param tokenAmount Token units to sell.
    /// @return netPayout Quote units paid to the seller.
    /// @return protocolFee Quote units for the protocol.
    /// @return creatorFee Quote units for the creator.
    /// @return buybackFee Quote units set aside for buying back.
    function previewSell(uint256 launchId, uint128 tokenAmount)
        external
        view
        returns (uint256 netPayout, uint256 protocolFee, uint256 creatorFee, uint256 buybackFee);

    /// @notice What a purchase gives on a curve whose contributions are exactly the cost of what it has sold.
    ///         All amounts are net of fees.
    /// @param saleSupply Token units that the curve sells.
    /// @param targetRaise Net contributions at its end.
    /// @param gainBps Its gain.
    /// @param sold Token units sold so far.
    /// @param remaining Token units still for sale.
    /// @param ethIn Net quote units offered.
    /// @return tokensOut Token units bought.
    /// @return cost Net quote units taken.
    /// @return refund Net quote units given back.
    /// @return tokensRemaining Token units left afterwards.
    function previewBuyLocal(
        uint128 saleSupply,
        uint96 targetRaise,
        uint32 gainBps,
        uint128 sold,
        uint128 remaining,
        uint256 ethIn
    ) external pure returns (uint256 tokensOut, uint256 cost, uint256 refund, uint256 tokensRemaining);

    /// @notice What a sale pays on a curve given by its figures.
    /// @param saleSupply Token units that the curve sells.
    /// @param targetRaise Net contributions at its end.
    /// @param gainBps Its gain.
    /// @param sold Token units sold so far.
    /// @param tokenAmount Token units to sell.
    /// @param netContributions Quote units that back the tokens sold.
    /// @param creatorFeeSplitBps The creator's share of the variable fee.
    /// @param protocolFeeBps The protocol fee.
    /// @param variableFeeBps The variable fee.
    /// @param bpsDenominator What the shares are counted in.
    /// @return netPayout Quote units paid to the seller.
    /// @return protocolFee Quote units for the protocol.
    /// @return creatorFee Quote units for the creator.
    /// @return buybackFee Quote units set aside for buying back.
    function previewSellLocal(
        uint128 saleSupply,
        uint96 targetRaise,
        uint32 gainBps,
        uint128 sold,
        uint128 tokenAmount,
        uint128 netContributions,
        uint16 creatorFeeSplitBps,
        uint16 protocolFeeBps,
        uint16 variableFeeBps,
        uint16 bpsDenominator
    ) external pure returns (uint256 netPayout, uint256 protocolFee, uint256 creatorFee, uint256 buybackFee);
}
