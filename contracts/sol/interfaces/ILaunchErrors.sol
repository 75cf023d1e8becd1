// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

/// @title Refusals of the launch contracts
/// @notice One error per reason for which a call is refused.
interface ILaunchErrors {
    /// @notice The anti-snipe window is open and the call carries no valid captcha authorisation.
    error CaptchaRequired();
    /// @notice The captcha authorisation has passed its deadline.
    error CaptchaExpired();
    /// @notice The captcha authorisation has been used before.
    error CaptchaNonceUsed();
    /// @notice The target raise is outside its bounds.
    error RaiseOutOfRange();
    /// @notice The gain is above its bound.
    error GainTooHigh();
    /// @notice The creator's fee split is above 10,000 basis points.
    error SplitOutOfRange();
    /// @notice The start time is before the current block.
    error LaunchInPast();
    /// @notice The anti-snipe duration is none of the values on offer.
    error AntiSnipeDurationInvalid();
    /// @notice The name is empty or too long.
    error NameLengthOutOfRange();
    /// @notice The ticker is empty or too long.
    error TickerLengthOutOfRange();
    /// @notice The description is too long.
    error DescriptionLengthOutOfRange();
    /// @notice One of the addresses of image, messenger, microblog and website is too long.
    error UrlTooLong();
    /// @notice The referral code is too long.
    error ReferralTooLong();
    /// @notice The creator's first purchase is larger than the target raise.
    error PrebuyExceedsRaise();
    /// @notice The creation of launches is paused.
    error CreationIsPaused();
    /// @notice There is no launch with this id.
    error UnknownLaunch();
    /// @notice The launch has graduated; its curve is closed.
    error AlreadyFinalized();
    /// @notice The launch has not graduated; it has no pool yet.
    error NotFinalized();
    /// @notice Trading has not opened yet.
    error NotStarted();
    /// @notice The trade would give less than the caller accepts.
    error SlippageExceeded();
    /// @notice The value is below the smallest purchase.
    error BelowMinimumBuy();
    /// @notice The amount is below the smallest sale.
    error BelowMinimumSell();
    /// @notice The amount is larger than everything the curve has sold.
    error SellExceedsSold();
    /// @notice The caller did not create this launch.
    error NotCreator();
    /// @notice The caller does not own the hook.
    error NotOwner();
    /// @notice The caller has no fees to withdraw.
    error NothingToWithdraw();
    /// @notice Buybacks wait until the anti-snipe window has closed.
    error AntiSnipeWindowOpen();
    /// @notice The accumulated buyback is below its threshold.
    error BuybackTooSmall();
    /// @notice Only the hook opens pools that carry its address.
    error InitializeForbidden();
    /// @notice Only the pool manager calls this entry.
    error NotPoolManager();
    /// @notice A call came in while another one was being carried out.
    error Reentered();
    /// @notice A transfer of the quote asset or of the token was refused, or moved another amount than it was asked for.
    error TransferFailed();
    /// @notice Native value came with a call, or from a sender, that does not take it.
    error ValueNotAccepted();
    /// @notice The entry exists only on hooks whose quote asset is an ERC-20 token.
    error QuoteIsNative();
    /// @notice The hook's address does not carry exactly the permission it needs.
    error HookAddressInvalid();
    /// @notice An address that the hook depends on is missing.
    error SetupIncomplete();
    /// @notice The quote asset states no decimals, or others than 18.
    error QuoteDecimalsInvalid();
    /// @notice The figures describe no curve, or no place that a launch can reach on it.
    error CurveInvalid();
    /// @notice The fee rates are no parts of their whole.
    error FeeRatesInvalid();
}
