// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {PoolKey} from "@uniswap/v4-core/src/types/PoolKey.sol";

import {ILaunchHook} from "./interfaces/ILaunchHook.sol";
import {ILaunchTrading} from "./interfaces/ILaunchTrading.sol";
import {ILaunchViewer} from "./interfaces/ILaunchViewer.sol";
import {ISaleSplitCalculator} from "./interfaces/ISaleSplitCalculator.sol";
import {LaunchStorage} from "./LaunchStorage.sol";
import {LaunchToken} from "./LaunchToken.sol";
import {LaunchViewer} from "./LaunchViewer.sol";
import {TradingModule} from "./TradingModule.sol";
import {CaptchaDigest} from "./libraries/CaptchaDigest.sol";
import {Curve} from "./libraries/Curve.sol";
import {LaunchLimits} from "./libraries/LaunchLimits.sol";
import {CaptchaAuth, CreateLaunchParams, HookSetup, LaunchConfig} from "./types/LaunchTypes.sol";

/// @title Launch hook
/// @notice Creates launches, keeps their state and money, and is the hook of the pools they graduate into. Its address
///         carries the permission bit of `beforeInitialize` and no other: swaps in its pools never call it.
/// @dev Trades run the trading module's code in this contract's storage. The owner may pause creation; nobody can change
///      anything else about a hook once it is deployed.
contract LaunchHook is LaunchStorage, ILaunchHook {
    /// @dev The address bits in which v4 looks for permissions, and the one that stands for `beforeInitialize`.
    uint160 private constant PERMISSION_BITS = 0x3fff;
    uint160 private constant BEFORE_INITIALIZE_BIT = 0x2000;
    /// @dev The decimals of every quote asset: minima, raises and prices are stated in units of 1e-18.
    uint256 private constant QUOTE_DECIMALS = 18;

    /// @inheritdoc ILaunchHook
    address public immutable tradingModule;
    /// @inheritdoc ILaunchHook
    address public immutable viewer;
    /// @inheritdoc ILaunchHook
    address public immutable splitCalculator;
    /// @inheritdoc ILaunchHook
    address public immutable owner;

    /// @notice Binds the hook to its surroundings and deploys its viewer. An ERC-20 quote asset must have 18 decimals.
    /// @param setup The surroundings.
    constructor(HookSetup memory setup) {
        if (uint160(address(this)) & PERMISSION_BITS != BEFORE_INITIALIZE_BIT) revert HookAddressInvalid();
        if (
            setup.poolManager.code.length == 0 || setup.tradingModule.code.length == 0
                || setup.splitCalculator.code.length == 0 || setup.weth.code.length == 0
                || (setup.quoteAsset != address(0) && setup.quoteAsset.code.length == 0)
                || setup.captchaSigner == address(0) || setup.owner == address(0)
                || setup.protocolFeeRecipient == address(0)
        ) revert SetupIncomplete();
        if (setup.quoteAsset != address(0)) _requireQuoteDecimals(setup.quoteAsset);
        _poolManager = setup.poolManager;
        _weth = setup.weth;
        _quoteAsset = setup.quoteAsset;
        _captchaSigner = setup.captchaSigner;
        _protocolFeeRecipient = setup.protocolFeeRecipient;
        tradingModule = setup.tradingModule;
        viewer = address(new LaunchViewer());
        splitCalculator = setup.splitCalculator;
        owner = setup.owner;
    }

    /// @notice Takes native value from the wrapped asset only, when the hook unwraps it.
    receive() external payable {
        if (msg.sender != _weth) revert ValueNotAccepted();
    }

    /// @inheritdoc ILaunchHook
    function createLaunch(CreateLaunchParams calldata params) external payable locked returns (uint256 launchId) {
        return _createWithValue(params);
    }

    /// @inheritdoc ILaunchHook
    function createLaunchWithReferral(CreateLaunchParams calldata params, string calldata referralCode)
        external
        payable
        locked
        returns (uint256 launchId)
    {
        launchId = _createWithValue(params);
        _refer(launchId, referralCode);
    }

    /// @inheritdoc ILaunchHook
    function createLaunchWithQuote(
        CreateLaunchParams calldata params,
        uint256 prebuyAmount,
        string calldata referralCode
    ) external locked returns (uint256 launchId) {
        if (_quoteAsset == address(0)) revert QuoteIsNative();
        launchId = _create(params, prebuyAmount);
        _refer(launchId, referralCode);
    }

    /// @inheritdoc ILaunchTrading
    function buy(uint256, uint256, CaptchaAuth calldata) external payable returns (uint256) {
        _delegate();
    }

    /// @inheritdoc ILaunchTrading
    function buyWithReferral(uint256, uint256, CaptchaAuth calldata, string calldata)
        external
        payable
        returns (uint256)
    {
        _delegate();
    }

    /// @inheritdoc ILaunchTrading
    function buyWithQuote(uint256, uint256, uint256, CaptchaAuth calldata, string calldata) external returns (uint256) {
        _delegate();
    }

    /// @inheritdoc ILaunchTrading
    function sell(uint256, uint128, uint256, CaptchaAuth calldata) external returns (uint256) {
        _delegate();
    }

    /// @inheritdoc ILaunchTrading
    function sellWithReferral(uint256, uint128, uint256, CaptchaAuth calldata, string calldata)
        external
        returns (uint256)
    {
        _delegate();
    }

    /// @inheritdoc ILaunchTrading
    function updateCreatorFeeSplit(uint256, uint16) external {
        _delegate();
    }

    /// @inheritdoc ILaunchTrading
    function withdrawFees() external {
        _delegate();
    }

    /// @inheritdoc ILaunchTrading
    function executeAccumulatedBuyback(uint256) external {
        _delegate();
    }

    /// @inheritdoc ILaunchTrading
    function collectPoolFees(uint256) external {
        _delegate();
    }

    /// @inheritdoc ILaunchTrading
    function unlockCallback(bytes calldata) external returns (bytes memory) {
        _delegate();
    }

    /// @inheritdoc ILaunchHook
    /// @dev The pool manager does not ask a hook about what the hook does itself, so whoever is asked about is a stranger.
    function beforeInitialize(address, PoolKey calldata, uint160) external pure returns (bytes4) {
        revert InitializeForbidden();
    }

    /// @inheritdoc ILaunchHook
    function setCreationPaused(bool paused) external {
        if (msg.sender != owner) revert NotOwner();
        _creationPaused = paused;
        emit CreationPaused(paused);
    }

    /// @inheritdoc ILaunchHook
    function getLaunchState(uint256 launchId) external view returns (LaunchConfig memory state) {
        Launch storage launch = _known(launchId);
        state.creator = launch.creator;
        state.token = launch.token;
        state.quoteAsset = _quoteAsset;
        state.saleSupply = launch.saleSupply;
        state.liquiditySupply = uint128(Curve.TOTAL_SUPPLY - launch.saleSupply);
        state.sold = launch.sold;
        state.targetRaise = launch.targetRaise;
        state.netContributions = launch.netContributions;
        state.gainBps = launch.gainBps;
        state.creatorFeeSplitBps = launch.creatorFeeSplitBps;
        state.antiSnipeDuration = launch.antiSnipeDuration;
        state.launchTime = launch.launchTime;
        state.finalized = launch.finalized;
        state.poolId = launch.poolId;
    }

    /// @inheritdoc ILaunchHook
    function withdrawableFees(address account) external view returns (uint256 amount) {
        return _withdrawableFees[account];
    }

    /// @inheritdoc ILaunchHook
    function accumulatedBuyback(uint256 launchId) external view returns (uint256 amount) {
        return _known(launchId).accumulatedBuyback;
    }

    /// @inheritdoc ILaunchHook
    function launchCount() external view returns (uint256) {
        return _launchCount;
    }

    /// @inheritdoc ILaunchHook
    function launchIdOf(address token) external view returns (uint256 launchId) {
        return _launchIdOf[token];
    }

    /// @inheritdoc ILaunchHook
    function poolManager() external view returns (address) {
        return _poolManager;
    }

    /// @inheritdoc ILaunchHook
    function weth() external view returns (address) {
        return _weth;
    }

    /// @inheritdoc ILaunchHook
    function quoteAsset() external view returns (address) {
        return _quoteAsset;
    }

    /// @inheritdoc ILaunchHook
    function captchaSigner() external view returns (address) {
        return _captchaSigner;
    }

    /// @inheritdoc ILaunchHook
    function protocolFeeRecipient() external view returns (address) {
        return _protocolFeeRecipient;
    }

    /// @inheritdoc ILaunchHook
    function creationPaused() external view returns (bool) {
        return _creationPaused;
    }

    /// @inheritdoc ILaunchHook
    function captchaNonceUsed(bytes32 nonce) external view returns (bool) {
        return _captchaNonceUsed[nonce];
    }

    /// @inheritdoc ILaunchHook
    function captchaDigest(address trader, uint256 launchId, uint64 deadline, bytes32 nonce)
        external
        view
        returns (bytes32 digest)
    {
        return CaptchaDigest.digest(trader, launchId, deadline, nonce);
    }

    /// @inheritdoc ILaunchHook
    function previewBuy(uint256 launchId, uint256 ethIn)
        external
        view
        returns (uint256 tokensOut, uint256 cost, uint256 refund, uint256 tokensRemaining)
    {
        return ILaunchViewer(viewer).previewBuy(launchId, ethIn);
    }

    /// @inheritdoc ILaunchHook
    function previewSell(uint256 launchId, uint128 tokenAmount)
        external
        view
        returns (uint256 netPayout, uint256 protocolFee, uint256 creatorFee, uint256 buybackFee)
    {
        return ILaunchViewer(viewer).previewSell(launchId, tokenAmount);
    }

    /// @dev Refuses an asset that does not answer 18 to `decimals()`.
    function _requireQuoteDecimals(address asset) private view {
        (bool success, bytes memory answer) = asset.staticcall(abi.encodeWithSignature("decimals()"));
        if (!success || answer.length != 32 || abi.decode(answer, (uint256)) != QUOTE_DECIMALS) {
            revert QuoteDecimalsInvalid();
        }
    }

    function _createWithValue(CreateLaunchParams calldata params) private returns (uint256) {
        if (msg.value != 0 && _quoteAsset != address(0)) revert ValueNotAccepted();
        return _create(params, msg.value);
    }

    /// @dev Deploys the token, divides its supply, stores the launch, tells about it and buys its first tokens.
    function _create(CreateLaunchParams calldata params, uint256 prebuyAmount) private returns (uint256 launchId) {
        if (_creationPaused) revert CreationIsPaused();
        LaunchLimits.requireWithin(params);
        launchId = ++_launchCount;
        address token = address(new LaunchToken(params.name, params.ticker, Curve.TOTAL_SUPPLY));
        (uint128 saleSupply,,,,) =
            ISaleSplitCalculator(splitCalculator).previewSaleSplit(params.targetRaise, params.gainBps);
        _store(launchId, token, saleSupply, params);
        _announce(launchId, _launches[launchId], params);
        if (prebuyAmount != 0) _prebuy(launchId, prebuyAmount);
    }

    function _store(uint256 launchId, address token, uint128 saleSupply, CreateLaunchParams calldata params) private {
        _launchIdOf[token] = launchId;
        Launch storage launch = _launches[launchId];
        launch.creator = msg.sender;
        launch.targetRaise = params.targetRaise;
        launch.token = token;
        launch.launchTime = params.startTime == 0 ? uint64(block.timestamp) : params.startTime;
        launch.gainBps = params.gainBps;
        launch.saleSupply = saleSupply;
        launch.antiSnipeDuration = params.antiSnipeDuration;
        launch.creatorFeeSplitBps = params.creatorFeeSplitBps;
    }

    function _announce(uint256 launchId, Launch storage launch, CreateLaunchParams calldata params) private {
        emit LaunchCreated(launchId, launch.creator, launch.token, launch.targetRaise);
        emit LaunchMetadata(
            launchId,
            params.name,
            params.ticker,
            params.description,
            params.imageUrl,
            params.messenger,
            params.microblog,
            params.website
        );
        emit LaunchConfigured(
            launchId,
            _quoteAsset,
            launch.saleSupply,
            uint128(Curve.TOTAL_SUPPLY - launch.saleSupply),
            launch.gainBps,
            launch.creatorFeeSplitBps,
            launch.antiSnipeDuration,
            launch.launchTime
        );
    }

    function _prebuy(uint256 launchId, uint256 amount) private {
        (bool success, bytes memory answer) =
            tradingModule.delegatecall(abi.encodeCall(TradingModule.prebuy, (launchId, amount)));
        if (success) return;
        assembly ("memory-safe") {
            revert(add(answer, 0x20), mload(answer))
        }
    }

    function _refer(uint256 launchId, string calldata code) private {
        LaunchLimits.requireReferral(code);
        if (bytes(code).length != 0) emit Referral(launchId, msg.sender, code);
    }

    /// @dev Runs the same call in the module's code and this contract's storage, and ends the call with its answer.
    function _delegate() private {
        address module = tradingModule;
        assembly ("memory-safe") {
            let data := mload(0x40)
            calldatacopy(data, 0, calldatasize())
            let success := delegatecall(gas(), module, data, calldatasize(), 0, 0)
            returndatacopy(data, 0, returndatasize())
            if iszero(success) { revert(data, returndatasize()) }
            return(data, returndatasize())
        }
    }
}
