// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {CaptchaAuth} from "../types/LaunchTypes.sol";

/// @title Trading entries of a hook
/// @notice The hook declares them and the trading module carries them out in the hook's storage.
interface ILaunchTrading {
    /// @notice Buys tokens from the curve with the native value of the call.
    /// @dev A purchase that reaches the target opens the pool in the same call and refunds what it did not need.
    /// @param launchId The launch.
    /// @param minTokensOut Fewest token units the caller accepts.
    /// @param auth Captcha authorisation; read only inside the anti-snipe window.
    /// @return tokensOut Token units bought.
    function buy(uint256 launchId, uint256 minTokensOut, CaptchaAuth calldata auth)
        external
        payable
        returns (uint256 tokensOut);

    /// @notice Buys like `buy` and names a referral code.
    /// @param launchId The launch.
    /// @param minTokensOut Fewest token units the caller accepts.
    /// @param auth Captcha authorisation; read only inside the anti-snipe window.
    /// @param referralCode Code to emit; nothing is emitted when it is empty.
    /// @return tokensOut Token units bought.
    function buyWithReferral(
        uint256 launchId,
        uint256 minTokensOut,
        CaptchaAuth calldata auth,
        string calldata referralCode
    ) external payable returns (uint256 tokensOut);

    /// @notice Buys on a hook whose quote asset is an ERC-20 token; needs an allowance to the hook.
    /// @param launchId The launch.
    /// @param quoteAmount Gross quote units to spend at most; what is not needed is not taken.
    /// @param minTokensOut Fewest token units the caller accepts.
    /// @param auth Captcha authorisation; read only inside the anti-snipe window.
    /// @param referralCode Code to emit; nothing is emitted when it is empty.
    /// @return tokensOut Token units bought.
    function buyWithQuote(
        uint256 launchId,
        uint256 quoteAmount,
        uint256 minTokensOut,
        CaptchaAuth calldata auth,
        string calldata referralCode
    ) external returns (uint256 tokensOut);

    /// @notice Sells tokens to the curve; needs an allowance of the token to the hook.
    /// @param launchId The launch.
    /// @param tokenAmount Token units to sell.
    /// @param minEthOut Fewest quote units, after fees, that the caller accepts.
    /// @param auth Captcha authorisation; read only inside the anti-snipe window.
    /// @return payout Quote units paid to the caller.
    function sell(uint256 launchId, uint128 tokenAmount, uint256 minEthOut, CaptchaAuth calldata auth)
        external
        returns (uint256 payout);

    /// @notice Sells like `sell` and names a referral code.
    /// @param launchId The launch.
    /// @param tokenAmount Token units to sell.
    /// @param minEthOut Fewest quote units, after fees, that the caller accepts.
    /// @param auth Captcha authorisation; read only inside the anti-snipe window.
    /// @param referralCode Code to emit; nothing is emitted when it is empty.
    /// @return payout Quote units paid to the caller.
    function sellWithReferral(
        uint256 launchId,
        uint128 tokenAmount,
        uint256 minEthOut,
        CaptchaAuth calldata auth,
        string calldata referralCode
    ) external returns (uint256 payout);

    /// @notice Changes the creator's share of the variable fee, for later trades.
    /// @dev Collects the pool's fees first: what accrued under the previous share is divided by it.
    /// @param launchId The launch.
    /// @param newBps New share in basis points.
    function updateCreatorFeeSplit(uint256 launchId, uint16 newBps) external;

    /// @notice Pays the caller all fees it has earned on this hook.
    function withdrawFees() external;

    /// @notice Spends the quote units set aside for a launch on its token and burns what they buy.
    /// @dev Anyone may call it once the anti-snipe window has closed: inside it, only authorised trades move the price, so
    ///      nobody can trade around a buyback. On the curve it pays no fee; after graduation it swaps in the pool.
    /// @param launchId The launch.
    function executeAccumulatedBuyback(uint256 launchId) external;

    /// @notice Collects the fees of the hook's pool position; the token side is burned and the quote side divided.
    /// @dev Anyone may call it.
    /// @param launchId The launch.
    function collectPoolFees(uint256 launchId) external;

    /// @notice Entry of the pool manager while the hook holds its lock.
    /// @param data What the hook handed to `unlock`.
    /// @return result What `unlock` gives back to the hook.
    function unlockCallback(bytes calldata data) external returns (bytes memory result);
}
