// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {ILaunchErrors} from "../interfaces/ILaunchErrors.sol";
import {Curve} from "./Curve.sol";
import {Fees} from "./Fees.sol";

/// @title What a trade on the curve comes to
/// @notice Pure; the trading module and the viewer both go through here, so a preview is the trade.
library Quotes {
    /// @notice A purchase.
    /// @param tokensOut Token units bought.
    /// @param cost Gross quote units taken.
    /// @param refund Gross quote units given back.
    /// @param soldAfter Token units sold afterwards.
    /// @param reachesTarget Whether it ends the curve.
    /// @param fees How the cost divides; its net is what the curve receives.
    struct Purchase {
        uint256 tokensOut;
        uint256 cost;
        uint256 refund;
        uint256 soldAfter;
        bool reachesTarget;
        Fees.Division fees;
    }

    /// @notice A purchase for at most `gross` quote units.
    function purchase(
        Curve.Shape memory shape,
        uint256 sold,
        uint256 netContributions,
        uint256 gross,
        uint256 creatorSplitBps
    ) internal pure returns (Purchase memory result) {
        uint256 needed = shape.targetRaise - netContributions;
        result.cost = gross;
        // Twice the target is enough whatever the fees are, and a product with much more would not fit a word.
        bool plenty = gross >= 2 * shape.targetRaise;
        if (!plenty) result.fees = Fees.divide(gross, creatorSplitBps);
        if (plenty || result.fees.net >= needed) {
            result.reachesTarget = true;
            result.cost = Fees.grossForNet(needed);
            result.fees = Fees.divide(result.cost, creatorSplitBps);
        }
        result.refund = gross - result.cost;
        result.soldAfter = Curve.soldDown(shape, netContributions + result.fees.net);
        result.tokensOut = result.soldAfter - sold;
    }

    /// @notice The gross value of `amount` tokens given back to the curve.
    function saleGross(Curve.Shape memory shape, uint256 sold, uint256 netContributions, uint256 amount)
        internal
        pure
        returns (uint256)
    {
        if (amount > sold) revert ILaunchErrors.SellExceedsSold();
        return netContributions - Curve.costUp(shape, sold - amount);
    }
}
