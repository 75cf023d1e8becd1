// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {PoolKey} from "@uniswap/v4-core/src/types/PoolKey.sol";

import {CreateLaunchParams, LaunchConfig} from "../types/LaunchTypes.sol";
import {ILaunchErrors} from "./ILaunchErrors.sol";
import {ILaunchEvents} from "./ILaunchEvents.sol";
import {ILaunchTrading} from "./ILaunchTrading.sol";

/// @title Interface of a launch hook
/// @notice Creates launches, trades them on their curves and keeps their pools after graduation.
interface ILaunchHook is ILaunchTrading, ILaunchErrors, ILaunchEvents {
    /// @notice Creates a launch; native value buys its first tokens for the creator.
    /// @param params The creator's choices.
    /// @return launchId Id of the new launch; ids start at one.
    function createLaunch(CreateLaunchParams calldata params) external payable returns (uint256 launchId);

    /// @notice Creates a launch like `createLaunch` and names a referral code.
    /// @param params The creator's choices.
    /// @param referralCode Code to emit; nothing is emitted when it is empty.
    /// @return launchId Id of the new launch.
    function createLaunchWithReferral(CreateLaunchParams calldata params, string calldata referralCode)
        external
        payable
        returns (uint256 launchId);

    /// @notice Creates a launch on a hook whose quote asset is an ERC-20 token.
    /// @param params The creator's choices.
    /// @param prebuyAmount Gross quote units for the creator's first purchase; zero for none.
    /// @param referralCode Code to emit; nothing is emitted when it is empty.
    /// @return launchId Id of the new launch.
    function createLaunchWithQuote(
        CreateLaunchParams calldata params,
        uint256 prebuyAmount,
        string calldata referralCode
    ) external returns (uint256 launchId);

    /// @notice Refuses every pool that somebody else tries to open with this hook.
    /// @param sender Account that called the pool manager.
    /// @param key The pool.
    /// @param sqrtPriceX96 Its opening price.
    /// @return selector Never returned.
    function beforeInitialize(address sender, PoolKey calldata key, uint160 sqrtPriceX96)
        external
        returns (bytes4 selector);

    /// @notice Pauses or resumes the creation of launches.
    /// @param paused Whether creation is to be refused.
    function setCreationPaused(bool paused) external;

    /// @notice Everything known about a launch.
    /// @param launchId The launch.
    /// @return state Its state.
    function getLaunchState(uint256 launchId) external view returns (LaunchConfig memory state);

    /// @notice Quote units that an account may withdraw.
    /// @param account The account.
    /// @return amount Quote units.
    function withdrawableFees(address account) external view returns (uint256 amount);

    /// @notice Quote units set aside for buying back a launch's token.
    /// @param launchId The launch.
    /// @return amount Quote units.
    function accumulatedBuyback(uint256 launchId) external view returns (uint256 amount);

    /// @notice How many launches exist; also the id of the newest.
    function launchCount() external view returns (uint256);

    /// @notice The launch that sells a token.
    /// @param token The token.
    /// @return launchId Its launch; zero when this hook has none.
    function launchIdOf(address token) external view returns (uint256 launchId);

    /// @notice Contract that answers previews.
    function viewer() external view returns (address);

    /// @notice Code that the hook runs for trades.
    function tradingModule() external view returns (address);

    /// @notice Contract that divides the supply between sale and pool.
    function splitCalculator() external view returns (address);

    /// @notice The v4 pool manager that holds graduated pools.
    function poolManager() external view returns (address);

    /// @notice Wrapped native asset.
    function weth() external view returns (address);

    /// @notice Asset that launches are sold for; the zero address is the native asset.
    function quoteAsset() external view returns (address);

    /// @notice Account whose signatures open the anti-snipe window.
    function captchaSigner() external view returns (address);

    /// @notice Account that may pause creation.
    function owner() external view returns (address);

    /// @notice Account that earns the protocol fee.
    function protocolFeeRecipient() external view returns (address);

    /// @notice Whether creation is paused.
    function creationPaused() external view returns (bool);

    /// @notice Whether a captcha authorisation has been used.
    /// @param nonce Its nonce.
    function captchaNonceUsed(bytes32 nonce) external view returns (bool);

    /// @notice What the captcha signer signs.
    /// @param trader Account that may trade.
    /// @param launchId The launch.
    /// @param deadline Last Unix second at which the permission holds.
    /// @param nonce Value that makes it usable once.
    /// @return digest EIP-712 digest for this hook on this chain.
    function captchaDigest(address trader, uint256 launchId, uint64 deadline, bytes32 nonce)
        external
        view
        returns (bytes32 digest);

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
}
