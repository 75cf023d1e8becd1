// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {ILaunchTrading} from "./interfaces/ILaunchTrading.sol";
import {LaunchToken} from "./LaunchToken.sol";
import {PoolKeeper} from "./PoolKeeper.sol";
import {CaptchaDigest} from "./libraries/CaptchaDigest.sol";
import {Curve} from "./libraries/Curve.sol";
import {Fees} from "./libraries/Fees.sol";
import {LaunchLimits} from "./libraries/LaunchLimits.sol";
import {Quotes} from "./libraries/Quotes.sol";
import {CaptchaAuth, TradeAmounts, TradePrice} from "./types/LaunchTypes.sol";

/// @title Trading module of launch hooks
/// @notice Code that a hook runs in its own storage. Called directly it knows no launch and refuses everything.
contract TradingModule is PoolKeeper, ILaunchTrading {
    /// @notice Smallest gross purchase, in quote units.
    uint256 public constant MIN_BUY = 1e13;

    /// @notice Smallest sale, in token units.
    uint256 public constant MIN_SELL = 1e18;

    /// @notice Smallest buyback worth carrying out, in quote units.
    uint256 public constant MIN_BUYBACK = 1e15;

    uint8 private constant TYPE_BUY = 0;
    uint8 private constant TYPE_SELL = 1;

    /// @inheritdoc ILaunchTrading
    function buy(uint256 launchId, uint256 minTokensOut, CaptchaAuth calldata auth)
        external
        payable
        locked
        returns (uint256 tokensOut)
    {
        return _buyWithValue(launchId, minTokensOut, auth);
    }

    /// @inheritdoc ILaunchTrading
    function buyWithReferral(
        uint256 launchId,
        uint256 minTokensOut,
        CaptchaAuth calldata auth,
        string calldata referralCode
    ) external payable locked returns (uint256 tokensOut) {
        tokensOut = _buyWithValue(launchId, minTokensOut, auth);
        _refer(launchId, referralCode);
    }

    /// @inheritdoc ILaunchTrading
    function buyWithQuote(
        uint256 launchId,
        uint256 quoteAmount,
        uint256 minTokensOut,
        CaptchaAuth calldata auth,
        string calldata referralCode
    ) external locked returns (uint256 tokensOut) {
        if (_quoteIsNative()) revert QuoteIsNative();
        tokensOut = _buy(launchId, quoteAmount, minTokensOut, auth);
        _refer(launchId, referralCode);
    }

    /// @inheritdoc ILaunchTrading
    function sell(uint256 launchId, uint128 tokenAmount, uint256 minEthOut, CaptchaAuth calldata auth)
        external
        locked
        returns (uint256 payout)
    {
        return _sell(launchId, tokenAmount, minEthOut, auth);
    }

    /// @inheritdoc ILaunchTrading
    function sellWithReferral(
        uint256 launchId,
        uint128 tokenAmount,
        uint256 minEthOut,
        CaptchaAuth calldata auth,
        string calldata referralCode
    ) external locked returns (uint256 payout) {
        payout = _sell(launchId, tokenAmount, minEthOut, auth);
        _refer(launchId, referralCode);
    }

    /// @notice The creator's first purchase. A hook runs it while it creates the launch and does not expose it.
    /// @dev Needs no captcha authorisation and does not wait for the start.
    /// @param launchId The launch.
    /// @param gross Gross quote units to spend.
    function prebuy(uint256 launchId, uint256 gross) external payable {
        Launch storage launch = _known(launchId);
        if (gross > launch.targetRaise) revert PrebuyExceedsRaise();
        _purchase(launchId, launch, gross, 0);
    }

    /// @inheritdoc ILaunchTrading
    function updateCreatorFeeSplit(uint256 launchId, uint16 newBps) external locked {
        Launch storage launch = _known(launchId);
        if (msg.sender != launch.creator) revert NotCreator();
        LaunchLimits.requireSplit(newBps);
        if (launch.finalized) _dividePoolFees(launchId, launch);
        emit CreatorFeeSplitUpdated(launchId, launch.creatorFeeSplitBps, newBps);
        launch.creatorFeeSplitBps = newBps;
    }

    /// @inheritdoc ILaunchTrading
    function withdrawFees() external locked {
        uint256 amount = _withdrawableFees[msg.sender];
        if (amount == 0) revert NothingToWithdraw();
        _withdrawableFees[msg.sender] = 0;
        emit FeesWithdrawn(msg.sender, amount);
        _pay(msg.sender, amount);
    }

    /// @inheritdoc ILaunchTrading
    function executeAccumulatedBuyback(uint256 launchId) external locked {
        Launch storage launch = _known(launchId);
        uint256 available = launch.accumulatedBuyback;
        if (available < MIN_BUYBACK) revert BuybackTooSmall();
        if (block.timestamp < launch.launchTime) revert NotStarted();
        if (_inWindow(launch)) revert AntiSnipeWindowOpen();
        if (launch.finalized) {
            _buyBackFromPool(launchId, launch, available);
        } else {
            _buyBackFromCurve(launchId, launch, available);
        }
    }

    /// @inheritdoc ILaunchTrading
    function collectPoolFees(uint256 launchId) external locked {
        Launch storage launch = _known(launchId);
        if (!launch.finalized) revert NotFinalized();
        _dividePoolFees(launchId, launch);
    }

    /// @inheritdoc ILaunchTrading
    function unlockCallback(bytes calldata data) external returns (bytes memory result) {
        return _onUnlock(data);
    }

    function _buyWithValue(uint256 launchId, uint256 minTokensOut, CaptchaAuth calldata auth)
        private
        returns (uint256)
    {
        if (!_quoteIsNative()) revert ValueNotAccepted();
        return _buy(launchId, msg.value, minTokensOut, auth);
    }

    function _buy(uint256 launchId, uint256 gross, uint256 minTokensOut, CaptchaAuth calldata auth)
        private
        returns (uint256)
    {
        Launch storage launch = _open(launchId);
        _authorize(launchId, launch, auth);
        return _purchase(launchId, launch, gross, minTokensOut);
    }

    /// @dev Buys for the caller. The refund leaves last.
    function _purchase(uint256 launchId, Launch storage launch, uint256 gross, uint256 minTokensOut)
        private
        returns (uint256)
    {
        if (gross < MIN_BUY) revert BelowMinimumBuy();
        Curve.Shape memory shape = _shape(launch);
        Quotes.Purchase memory bought =
            Quotes.purchase(shape, launch.sold, launch.netContributions, gross, launch.creatorFeeSplitBps);
        if (bought.tokensOut < minTokensOut) revert SlippageExceeded();

        // Bounded by the sale supply and by the target raise, both below 128 bits.
        launch.sold = uint128(bought.soldAfter);
        launch.netContributions += uint128(bought.fees.net);
        _accrue(launchId, launch, bought.fees);
        TradeAmounts memory amounts =
            TradeAmounts({ethAmount: bought.cost, tokenAmount: bought.tokensOut, fee: Fees.total(bought.fees)});
        emit Trade(launchId, msg.sender, TYPE_BUY, _priceAt(shape, bought.soldAfter), amounts, bought.refund);

        if (!_quoteIsNative()) _collect(msg.sender, bought.cost);
        LaunchToken(launch.token).transfer(msg.sender, bought.tokensOut);
        if (bought.reachesTarget) _graduate(launchId, launch);
        if (_quoteIsNative()) _pay(msg.sender, bought.refund);
        return bought.tokensOut;
    }

    function _sell(uint256 launchId, uint256 amount, uint256 minOut, CaptchaAuth calldata auth)
        private
        returns (uint256)
    {
        Launch storage launch = _open(launchId);
        _authorize(launchId, launch, auth);
        if (amount < MIN_SELL) revert BelowMinimumSell();
        Curve.Shape memory shape = _shape(launch);
        uint256 gross = Quotes.saleGross(shape, launch.sold, launch.netContributions, amount);
        Fees.Division memory fees = Fees.divide(gross, launch.creatorFeeSplitBps);
        if (fees.net < minOut) revert SlippageExceeded();

        // Bounded by what the curve has sold and by what it has received.
        uint256 soldAfter = launch.sold - amount;
        launch.sold = uint128(soldAfter);
        launch.netContributions -= uint128(gross);
        _accrue(launchId, launch, fees);
        TradeAmounts memory amounts = TradeAmounts({ethAmount: gross, tokenAmount: amount, fee: Fees.total(fees)});
        emit Trade(launchId, msg.sender, TYPE_SELL, _priceAt(shape, soldAfter), amounts, 0);

        LaunchToken(launch.token).transferFrom(msg.sender, address(this), amount);
        _pay(msg.sender, fees.net);
        return fees.net;
    }

    /// @dev Spends at most what the curve still needs, without fee; the rest stays set aside.
    function _buyBackFromCurve(uint256 launchId, Launch storage launch, uint256 available) private {
        uint256 needed = launch.targetRaise - launch.netContributions;
        uint256 spent = available < needed ? available : needed;
        uint256 contributions = launch.netContributions + spent;
        uint256 soldAfter = Curve.soldDown(_shape(launch), contributions);
        uint256 bought = soldAfter - launch.sold;

        launch.accumulatedBuyback = available - spent;
        launch.sold = uint128(soldAfter);
        launch.netContributions = uint128(contributions);
        LaunchToken(launch.token).burn(bought);
        emit BuybackExecuted(launchId, msg.sender, spent, bought, false);
        if (spent == needed) _graduate(launchId, launch);
    }

    function _buyBackFromPool(uint256 launchId, Launch storage launch, uint256 available) private {
        launch.accumulatedBuyback = 0;
        (uint256 spent, uint256 bought) = _swapForTokens(launch.token, available);
        launch.accumulatedBuyback = available - spent;
        LaunchToken(launch.token).burn(bought);
        emit BuybackExecuted(launchId, msg.sender, spent, bought, true);
    }

    /// @dev Collects what the pool has earned and divides it by the split in force.
    function _dividePoolFees(uint256 launchId, Launch storage launch) private {
        (uint256 quote, uint256 tokens) = _collectFees(launch.token);
        uint256 creatorAmount = quote * launch.creatorFeeSplitBps / Fees.BPS;
        _accrueFees(launchId, launch.creator, creatorAmount);
        _accrueBuyback(launchId, quote - creatorAmount);
        LaunchToken(launch.token).burn(tokens);
        emit PoolFeesCollected(launchId, creatorAmount, quote - creatorAmount, tokens);
    }

    function _accrue(uint256 launchId, Launch storage launch, Fees.Division memory fees) private {
        _accrueFees(launchId, _protocolFeeRecipient, fees.protocol);
        _accrueFees(launchId, launch.creator, fees.creator);
        _accrueBuyback(launchId, fees.buyback);
    }

    /// @dev A launch whose curve is open for trading.
    function _open(uint256 launchId) private view returns (Launch storage launch) {
        launch = _known(launchId);
        if (launch.finalized) revert AlreadyFinalized();
        if (block.timestamp < launch.launchTime) revert NotStarted();
    }

    /// @dev Whether the anti-snipe window is open; its last second belongs to it.
    function _inWindow(Launch storage launch) private view returns (bool) {
        uint256 duration = launch.antiSnipeDuration;
        return duration != 0 && block.timestamp <= launch.launchTime + duration;
    }

    /// @dev Uses up one authorisation inside the anti-snipe window.
    function _authorize(uint256 launchId, Launch storage launch, CaptchaAuth calldata auth) private {
        if (!_inWindow(launch)) return;
        if (auth.signature.length == 0) revert CaptchaRequired();
        bytes32 digest = CaptchaDigest.digest(msg.sender, launchId, auth.deadline, auth.nonce);
        if (CaptchaDigest.signerOf(digest, auth.signature) != _captchaSigner) revert CaptchaRequired();
        if (block.timestamp > auth.deadline) revert CaptchaExpired();
        if (_captchaNonceUsed[auth.nonce]) revert CaptchaNonceUsed();
        _captchaNonceUsed[auth.nonce] = true;
    }

    function _refer(uint256 launchId, string calldata code) private {
        LaunchLimits.requireReferral(code);
        if (bytes(code).length != 0) emit Referral(launchId, msg.sender, code);
    }

    function _shape(Launch storage launch) private view returns (Curve.Shape memory) {
        return Curve.Shape({targetRaise: launch.targetRaise, gainBps: launch.gainBps, saleSupply: launch.saleSupply});
    }

    function _priceAt(Curve.Shape memory shape, uint256 sold) private pure returns (TradePrice memory) {
        return TradePrice({priceAfter: Curve.priceDown(shape, sold), marketCap: Curve.marketCapDown(shape, sold)});
    }
}
