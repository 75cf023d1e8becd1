// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {ILaunchErrors} from "./interfaces/ILaunchErrors.sol";
import {ILaunchHook} from "./interfaces/ILaunchHook.sol";
import {ILaunchViewer} from "./interfaces/ILaunchViewer.sol";
import {ISaleSplitCalculator} from "./interfaces/ISaleSplitCalculator.sol";
import {Curve} from "./libraries/Curve.sol";
import {Fees} from "./libraries/Fees.sol";
import {Quotes} from "./libraries/Quotes.sol";
import {SaleSplit} from "./libraries/SaleSplit.sol";
import {LaunchConfig} from "./types/LaunchTypes.sol";

/// @title View module of a launch hook
/// @notice Answers previews by the same formulas as the trading module. It can change nothing.
contract LaunchViewer is ILaunchViewer {
    /// @inheritdoc ILaunchViewer
    address public immutable hook;

    /// @notice Binds the viewer to the hook that deploys it.
    constructor() {
        hook = msg.sender;
    }

    /// @inheritdoc ILaunchViewer
    function previewBuy(uint256 launchId, uint256 ethIn)
        external
        view
        returns (uint256 tokensOut, uint256 cost, uint256 refund, uint256 tokensRemaining)
    {
        (LaunchConfig memory launch, Curve.Shape memory shape) = _openLaunch(launchId);
        Quotes.Purchase memory purchase =
            Quotes.purchase(shape, launch.sold, launch.netContributions, ethIn, launch.creatorFeeSplitBps);
        return (purchase.tokensOut, purchase.cost, purchase.refund, launch.saleSupply - purchase.soldAfter);
    }

    /// @inheritdoc ILaunchViewer
    function previewSell(uint256 launchId, uint128 tokenAmount)
        external
        view
        returns (uint256 netPayout, uint256 protocolFee, uint256 creatorFee, uint256 buybackFee)
    {
        (LaunchConfig memory launch, Curve.Shape memory shape) = _openLaunch(launchId);
        uint256 gross = Quotes.saleGross(shape, launch.sold, launch.netContributions, tokenAmount);
        Fees.Division memory fees = Fees.divide(gross, launch.creatorFeeSplitBps);
        return (fees.net, fees.protocol, fees.creator, fees.buyback);
    }

    /// @inheritdoc ILaunchViewer
    function previewBuyLocal(
        uint128 saleSupply,
        uint96 targetRaise,
        uint32 gainBps,
        uint128 sold,
        uint128 remaining,
        uint256 ethIn
    ) external pure returns (uint256 tokensOut, uint256 cost, uint256 refund, uint256 tokensRemaining) {
        Curve.Shape memory shape = _shape(saleSupply, targetRaise, gainBps);
        uint256 lastSold = uint256(sold) + remaining;
        if (lastSold > saleSupply) revert ILaunchErrors.CurveInvalid();

        uint256 contributions = Curve.costUp(shape, sold);
        uint256 costOfAll = Curve.costUp(shape, lastSold) - contributions;
        if (ethIn >= costOfAll) return (remaining, costOfAll, ethIn - costOfAll, 0);
        tokensOut = Curve.soldDown(shape, contributions + ethIn) - sold;
        return (tokensOut, ethIn, 0, remaining - tokensOut);
    }

    /// @inheritdoc ILaunchViewer
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
    ) external pure returns (uint256 netPayout, uint256 protocolFee, uint256 creatorFee, uint256 buybackFee) {
        Curve.Shape memory shape = _shape(saleSupply, targetRaise, gainBps);
        if (sold > saleSupply || netContributions < Curve.costUp(shape, sold)) revert ILaunchErrors.CurveInvalid();
        Fees.requireValid(creatorFeeSplitBps, protocolFeeBps, variableFeeBps, bpsDenominator);
        uint256 gross = Quotes.saleGross(shape, sold, netContributions, tokenAmount);
        Fees.Division memory fees =
            Fees.divideBy(gross, creatorFeeSplitBps, protocolFeeBps, variableFeeBps, bpsDenominator);
        return (fees.net, fees.protocol, fees.creator, fees.buyback);
    }

    /// @inheritdoc ISaleSplitCalculator
    function previewSaleSplit(uint96 targetRaise, uint32 gainBps)
        external
        pure
        returns (
            uint128 saleSupply,
            uint128 liquiditySupply,
            uint256 salePortionBps,
            uint256 marginalPrice,
            uint256 poolPrice
        )
    {
        return SaleSplit.preview(targetRaise, gainBps);
    }

    function _openLaunch(uint256 launchId) private view returns (LaunchConfig memory launch, Curve.Shape memory shape) {
        launch = ILaunchHook(hook).getLaunchState(launchId);
        if (launch.finalized) revert ILaunchErrors.AlreadyFinalized();
        shape = Curve.Shape({targetRaise: launch.targetRaise, gainBps: launch.gainBps, saleSupply: launch.saleSupply});
    }

    function _shape(uint256 saleSupply, uint256 targetRaise, uint256 gainBps)
        private
        pure
        returns (Curve.Shape memory shape)
    {
        shape = Curve.Shape({targetRaise: targetRaise, gainBps: gainBps, saleSupply: saleSupply});
        Curve.requireValid(shape);
    }
}
