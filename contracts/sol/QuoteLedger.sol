// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {LaunchStorage} from "./LaunchStorage.sol";
import {LaunchToken} from "./LaunchToken.sol";

/// @title Payments in the quote asset, and what the hook owes
/// @notice What the hook holds is, at every step, the contributions of open launches, the fees not yet withdrawn and
///         the buybacks not yet carried out.
abstract contract QuoteLedger is LaunchStorage {
    /// @dev Whether launches are sold for the native asset.
    function _quoteIsNative() internal view returns (bool) {
        return _quoteAsset == address(0);
    }

    /// @dev Credits an account. Zero is not worth an event.
    function _accrueFees(uint256 launchId, address account, uint256 amount) internal {
        if (amount == 0) return;
        _withdrawableFees[account] += amount;
        emit FeesAccrued(launchId, account, amount);
    }

    /// @dev Sets quote units aside for buying back.
    function _accrueBuyback(uint256 launchId, uint256 amount) internal {
        if (amount == 0) return;
        _launches[launchId].accumulatedBuyback += amount;
        emit BuybackAccrued(launchId, amount);
    }

    /// @dev Pays an account in the quote asset.
    function _pay(address to, uint256 amount) internal {
        if (amount == 0) return;
        if (_quoteIsNative()) {
            (bool success,) = to.call{value: amount}("");
            if (!success) revert TransferFailed();
        } else {
            _callToken(_quoteAsset, abi.encodeWithSignature("transfer(address,uint256)", to, amount));
        }
    }

    /// @dev Takes quote units from an account that allowed it; only for an ERC-20 quote asset. An asset that keeps a part
    ///      for itself is refused: the curve has been credited with the whole amount.
    function _collect(address from, uint256 amount) internal {
        uint256 held = LaunchToken(_quoteAsset).balanceOf(address(this));
        _callToken(
            _quoteAsset, abi.encodeWithSignature("transferFrom(address,address,uint256)", from, address(this), amount)
        );
        if (LaunchToken(_quoteAsset).balanceOf(address(this)) != held + amount) revert TransferFailed();
    }

    /// @dev Calls a token that answers true or, as some do, nothing.
    function _callToken(address token, bytes memory data) internal {
        (bool success, bytes memory answer) = token.call(data);
        if (!success) revert TransferFailed();
        if (answer.length == 0) return;
        if (answer.length < 32 || abi.decode(answer, (uint256)) != 1) revert TransferFailed();
    }
}
