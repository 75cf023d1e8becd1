// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {IHooks} from "@uniswap/v4-core/src/interfaces/IHooks.sol";
import {IPoolManager} from "@uniswap/v4-core/src/interfaces/IPoolManager.sol";
import {BalanceDelta} from "@uniswap/v4-core/src/types/BalanceDelta.sol";
import {Currency} from "@uniswap/v4-core/src/types/Currency.sol";
import {PoolKey} from "@uniswap/v4-core/src/types/PoolKey.sol";
import {ModifyLiquidityParams, SwapParams} from "@uniswap/v4-core/src/types/PoolOperation.sol";

import {IWrappedNative} from "./interfaces/IWrappedNative.sol";
import {QuoteLedger} from "./QuoteLedger.sol";
import {LaunchToken} from "./LaunchToken.sol";
import {Curve} from "./libraries/Curve.sol";
import {PoolSeed} from "./libraries/PoolSeed.sol";

/// @title Keeper of graduated pools
/// @notice Opens a launch's pool, collects the fees of the hook's position and buys back from the pool. Liquidity is
///         only ever added, in full, at the opening: no code path passes a negative change of liquidity.
abstract contract PoolKeeper is QuoteLedger {
    /// @dev What the hook does while the pool manager is unlocked.
    enum Action {
        Seed,
        Collect,
        BuyBack
    }

    /// @dev Lowest and highest price limit a swap may name.
    uint160 private constant SWAP_LIMIT_DOWN = 4295128740;
    uint160 private constant SWAP_LIMIT_UP = 1461446703485210103287273052203988822378723970341;

    /// @dev Closes a curve that has met its target and opens its pool at the price of the target against what is left
    ///      of the supply. What rounding leaves over is burned on the token side and owed to the protocol on the other.
    function _graduate(uint256 launchId, Launch storage launch) internal {
        PoolKey memory key = _poolKey(launch.token);
        bytes32 poolId = bytes32(keccak256(abi.encode(key)));
        launch.finalized = true;
        launch.poolId = poolId;

        uint256 quote = launch.targetRaise;
        uint256 tokens = Curve.TOTAL_SUPPLY - launch.saleSupply;
        (uint256 amount0, uint256 amount1) = _tokenIsFirst(key, launch.token) ? (tokens, quote) : (quote, tokens);
        uint160 sqrtPrice = PoolSeed.sqrtPriceDown(amount0, amount1);
        IPoolManager(_poolManager).initialize(key, sqrtPrice);
        (uint256 quoteSeeded, uint256 tokensSeeded) =
            _unlock(Action.Seed, launch.token, PoolSeed.liquidityDown(sqrtPrice, amount0, amount1));

        _accrueFees(launchId, _protocolFeeRecipient, quote - quoteSeeded);
        LaunchToken(launch.token).burn(tokens - tokensSeeded);
        emit LaunchFinalized(launchId, poolId, quoteSeeded, tokensSeeded);
    }

    /// @dev Collects the fees of the hook's position.
    function _collectFees(address token) internal returns (uint256 quote, uint256 tokens) {
        return _unlock(Action.Collect, token, 0);
    }

    /// @dev Swaps quote units for tokens in the pool.
    function _swapForTokens(address token, uint256 quote) internal returns (uint256 spent, uint256 bought) {
        return _unlock(Action.BuyBack, token, quote);
    }

    /// @dev Carries out one action; the pool manager calls back in between.
    function _onUnlock(bytes calldata data) internal returns (bytes memory) {
        if (msg.sender != _poolManager) revert NotPoolManager();
        (Action action, address token, uint256 amount) = abi.decode(data, (Action, address, uint256));
        PoolKey memory key = _poolKey(token);
        bool tokenIsFirst = _tokenIsFirst(key, token);
        BalanceDelta delta = action == Action.BuyBack ? _swap(key, !tokenIsFirst, amount) : _changePosition(key, amount);
        uint256 amount0 = _resolve(Currency.unwrap(key.currency0), delta.amount0());
        uint256 amount1 = _resolve(Currency.unwrap(key.currency1), delta.amount1());
        return tokenIsFirst ? abi.encode(amount1, amount0) : abi.encode(amount0, amount1);
    }

    function _unlock(Action action, address token, uint256 amount) private returns (uint256 quote, uint256 tokens) {
        bytes memory answer = IPoolManager(_poolManager).unlock(abi.encode(action, token, amount));
        return abi.decode(answer, (uint256, uint256));
    }

    /// @dev Adds liquidity to the hook's position; adding none collects its fees.
    function _changePosition(PoolKey memory key, uint256 liquidity) private returns (BalanceDelta delta) {
        (delta,) = IPoolManager(_poolManager)
            .modifyLiquidity(
                key,
                ModifyLiquidityParams({
                tickLower: PoolSeed.LOWEST_TICK,
                tickUpper: PoolSeed.HIGHEST_TICK,
                liquidityDelta: int256(liquidity),
                salt: 0
            }),
                ""
            );
    }

    function _swap(PoolKey memory key, bool zeroForOne, uint256 amountIn) private returns (BalanceDelta) {
        return IPoolManager(_poolManager)
            .swap(
                key,
                SwapParams({
                zeroForOne: zeroForOne,
                amountSpecified: -int256(amountIn),
                sqrtPriceLimitX96: zeroForOne ? SWAP_LIMIT_DOWN : SWAP_LIMIT_UP
            }),
                ""
            );
    }

    /// @dev Pays what the hook owes the pool manager, or takes what it is owed. Answers the amount without its sign.
    function _resolve(address currency, int128 delta) private returns (uint256 amount) {
        IPoolManager manager = IPoolManager(_poolManager);
        bool wraps = _quoteIsNative() && currency == _weth;
        if (delta < 0) {
            amount = uint256(-int256(delta));
            if (wraps) IWrappedNative(currency).deposit{value: amount}();
            manager.sync(Currency.wrap(currency));
            _callToken(currency, abi.encodeWithSignature("transfer(address,uint256)", address(manager), amount));
            manager.settle();
        } else if (delta > 0) {
            amount = uint256(int256(delta));
            manager.take(Currency.wrap(currency), address(this), amount);
            if (wraps) IWrappedNative(currency).withdraw(amount);
        }
    }

    /// @dev The pool of a token: against the quote asset, or its wrapped form, in order of address.
    function _poolKey(address token) private view returns (PoolKey memory) {
        address quote = _quoteIsNative() ? _weth : _quoteAsset;
        (address first, address second) = token < quote ? (token, quote) : (quote, token);
        return PoolKey({
            currency0: Currency.wrap(first),
            currency1: Currency.wrap(second),
            fee: PoolSeed.FEE,
            tickSpacing: PoolSeed.TICK_SPACING,
            hooks: IHooks(address(this))
        });
    }

    function _tokenIsFirst(PoolKey memory key, address token) private pure returns (bool) {
        return Currency.unwrap(key.currency0) == token;
    }
}
