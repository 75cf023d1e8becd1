// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {IWrappedNative} from "../interfaces/IWrappedNative.sol";
import {ITokenRegistry} from "../interfaces/ITokenRegistry.sol";
import {ExponentialCurve} from "../libraries/ExponentialCurve.sol";
import {IPair, IPairFactory} from "./ILegacyPair.sol";
import {ITokenFactory} from "./ITokenFactory.sol";
import {LegacyToken} from "./LegacyToken.sol";

/// @title Token factory of the first version
/// @notice Sells tokens on an exponential curve and, once it has raised its target, moves them to a pair whose liquidity
///         belongs to nobody. The creation of tokens can be closed for good; reads and trades stay.
contract TokenFactory is ITokenFactory {
    /// @notice Share of a trade that is taken as fee, in basis points.
    uint256 public constant FEE_BPS = 500;
    /// @notice Smallest gross purchase, in wei.
    uint256 public constant MIN_BUY = 1e13;
    /// @notice Smallest sale, in token units.
    uint256 public constant MIN_SELL = 1e18;

    /// @dev Who receives the liquidity of the pairs: an address that nobody has the key of.
    address private constant NOBODY = 0x000000000000000000000000000000000000dEaD;

    /// @notice Factory of pairs.
    IPairFactory public immutable pairs;
    /// @notice Wrapped native asset.
    address public immutable weth;
    /// @notice Account that may close creation.
    address public immutable owner;
    /// @notice Account that earns the fees.
    address public immutable feeRecipient;

    /// @notice Whether creation is closed.
    bool public creationClosed;
    /// @inheritdoc ITokenFactory
    uint256 public withdrawableFees;
    /// @inheritdoc ITokenFactory
    address[] public tokens;

    /// @dev What is known about each token.
    mapping(address token => TokenState state) private _states;

    /// @inheritdoc ITokenRegistry
    mapping(address token => uint256 launchId) public launchIdOf;

    /// @dev Transient slot of the lock.
    bytes32 private constant LOCK = keccak256("slipway.factory.lock");

    /// @dev Refuses calls that come in while a locked call is being carried out.
    modifier locked() {
        bytes32 slot = LOCK;
        uint256 held;
        assembly ("memory-safe") {
            held := tload(slot)
        }
        if (held != 0) revert Reentered();
        assembly ("memory-safe") {
            tstore(slot, 1)
        }
        _;
        assembly ("memory-safe") {
            tstore(slot, 0)
        }
    }

    /// @notice Binds the factory to its surroundings.
    /// @param pairs_ Factory of pairs.
    /// @param weth_ Wrapped native asset.
    /// @param owner_ Account that may close creation.
    /// @param feeRecipient_ Account that earns the fees.
    constructor(IPairFactory pairs_, address weth_, address owner_, address feeRecipient_) {
        pairs = pairs_;
        weth = weth_;
        owner = owner_;
        feeRecipient = feeRecipient_;
    }

    /// @inheritdoc ITokenFactory
    function createToken(
        string calldata name,
        string calldata symbol,
        string calldata description,
        string calldata imageUrl
    ) external locked returns (address token) {
        if (creationClosed) revert CreationClosed();
        LegacyToken created = new LegacyToken(name, symbol, ExponentialCurve.TOTAL_SUPPLY, pairs, weth);
        token = address(created);
        TokenState storage state = _states[token];
        state.creator = msg.sender;
        state.createdAt = uint64(block.timestamp);
        state.pair = created.pair();
        tokens.push(token);
        launchIdOf[token] = tokens.length;
        emit TokenCreated(token, msg.sender, state.pair, name, symbol, description, imageUrl);
    }

    /// @inheritdoc ITokenFactory
    function closeCreation() external {
        if (msg.sender != owner) revert NotOwner();
        creationClosed = true;
        emit CreationClosedForGood();
    }

    /// @inheritdoc ITokenFactory
    function buy(address token, uint256 minTokensOut) external payable locked returns (uint256 tokensOut) {
        TokenState storage state = _open(token);
        if (msg.value < MIN_BUY) revert BelowMinimumBuy();
        uint256 cost;
        uint256 fee;
        (tokensOut, cost, fee) = _purchase(state, msg.value);
        if (tokensOut < minTokensOut) revert SlippageExceeded();

        // Bounded by the sale supply and by the target, both below 128 bits.
        state.sold += uint128(tokensOut);
        state.contributions += uint128(cost - fee);
        withdrawableFees += fee;
        _tell(token, 0, cost, tokensOut, fee, state.sold);
        LegacyToken(token).transfer(msg.sender, tokensOut);
        if (state.sold == ExponentialCurve.SALE_SUPPLY) _graduate(token, state);
        _pay(msg.sender, msg.value - cost);
    }

    /// @inheritdoc ITokenFactory
    function sell(address token, uint256 tokenAmount, uint256 minEthOut) external locked returns (uint256 payout) {
        TokenState storage state = _open(token);
        if (tokenAmount < MIN_SELL) revert BelowMinimumSell();
        (uint256 gross, uint256 fee) = _sale(state, tokenAmount);
        payout = gross - fee;
        if (payout < minEthOut) revert SlippageExceeded();

        // Bounded by what the curve has sold and by what it has received.
        state.sold -= uint128(tokenAmount);
        state.contributions -= uint128(gross);
        withdrawableFees += fee;
        _tell(token, 1, gross, tokenAmount, fee, state.sold);
        LegacyToken(token).transferFrom(msg.sender, address(this), tokenAmount);
        _pay(msg.sender, payout);
    }

    /// @inheritdoc ITokenFactory
    function withdrawFees() external locked {
        uint256 amount = withdrawableFees;
        if (amount == 0) revert NothingToWithdraw();
        withdrawableFees = 0;
        emit FeesWithdrawn(feeRecipient, amount);
        _pay(feeRecipient, amount);
    }

    /// @inheritdoc ITokenFactory
    function tokenCount() external view returns (uint256) {
        return tokens.length;
    }

    /// @inheritdoc ITokenFactory
    function getTokenState(address token) external view returns (TokenState memory state) {
        return _known(token);
    }

    /// @inheritdoc ITokenFactory
    function previewBuy(address token, uint256 ethIn)
        external
        view
        returns (uint256 tokensOut, uint256 cost, uint256 refund)
    {
        (tokensOut, cost,) = _purchase(_open(token), ethIn);
        refund = ethIn - cost;
    }

    /// @inheritdoc ITokenFactory
    function previewSell(address token, uint256 tokenAmount) external view returns (uint256 payout, uint256 fee) {
        uint256 gross;
        (gross, fee) = _sale(_open(token), tokenAmount);
        payout = gross - fee;
    }

    /// @inheritdoc ITokenFactory
    function priceOf(address token) external view returns (uint256 price) {
        return ExponentialCurve.priceDown(_known(token).sold);
    }

    function _purchase(TokenState storage state, uint256 gross)
        private
        view
        returns (uint256 tokensOut, uint256 cost, uint256 fee)
    {
        uint256 needed = ExponentialCurve.TARGET - state.contributions;
        cost = gross;
        // Twice the target is enough whatever the fee is, and a product with much more would not fit a word.
        bool plenty = gross >= 2 * ExponentialCurve.TARGET;
        if (!plenty) fee = gross * FEE_BPS / 10_000;
        if (plenty || gross - fee >= needed) {
            // Of a gross of 20·q + r, with r below 20, the fee takes q: the least gross that leaves `needed`, which is
            // never zero on an open curve, pays one for every nineteen before the last.
            cost = needed + (needed - 1) / 19;
            fee = cost - needed;
        }
        uint256 budget = state.contributions + cost - fee;
        tokensOut = ExponentialCurve.soldDown(state.sold, budget) - state.sold;
    }

    function _sale(TokenState storage state, uint256 amount) private view returns (uint256 gross, uint256 fee) {
        if (amount > state.sold) revert SellExceedsSold();
        gross = state.contributions - ExponentialCurve.costUp(state.sold - amount);
        fee = gross * FEE_BPS / 10_000;
    }

    function _graduate(address token, TokenState storage state) private {
        state.graduated = true;
        LegacyToken(token).graduate();
        // What the pair was sent before is no part of its first price.
        if (LegacyToken(weth).balanceOf(state.pair) != 0) IPair(state.pair).skim(feeRecipient);
        LegacyToken(token).transfer(state.pair, ExponentialCurve.LIQUIDITY_SUPPLY);
        IWrappedNative(weth).deposit{value: ExponentialCurve.TARGET}();
        LegacyToken(weth).transfer(state.pair, ExponentialCurve.TARGET);
        IPair(state.pair).mint(NOBODY);
        emit TokenGraduated(token, state.pair, ExponentialCurve.TARGET, ExponentialCurve.LIQUIDITY_SUPPLY);
    }

    function _tell(address token, uint8 tradeType, uint256 ethAmount, uint256 tokenAmount, uint256 fee, uint256 sold)
        private
    {
        uint256 refund = tradeType == 0 ? msg.value - ethAmount : 0;
        emit TokenTraded(
            token,
            msg.sender,
            tradeType,
            ethAmount,
            tokenAmount,
            fee,
            refund,
            ExponentialCurve.priceDown(sold),
            ExponentialCurve.marketCapDown(sold)
        );
    }

    function _known(address token) private view returns (TokenState storage state) {
        state = _states[token];
        if (state.pair == address(0)) revert UnknownToken();
    }

    function _open(address token) private view returns (TokenState storage state) {
        state = _known(token);
        if (state.graduated) revert AlreadyGraduated();
    }

    function _pay(address to, uint256 amount) private {
        if (amount == 0) return;
        (bool success,) = to.call{value: amount}("");
        if (!success) revert TransferFailed();
    }
}
