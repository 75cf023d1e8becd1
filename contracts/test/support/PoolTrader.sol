// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {IPoolManager} from "@uniswap/v4-core/src/interfaces/IPoolManager.sol";
import {IUnlockCallback} from "@uniswap/v4-core/src/interfaces/callback/IUnlockCallback.sol";
import {BalanceDelta} from "@uniswap/v4-core/src/types/BalanceDelta.sol";
import {Currency} from "@uniswap/v4-core/src/types/Currency.sol";
import {PoolKey} from "@uniswap/v4-core/src/types/PoolKey.sol";
import {ModifyLiquidityParams, SwapParams} from "@uniswap/v4-core/src/types/PoolOperation.sol";

import {IToken} from "./LaunchFixture.sol";

/// @title A stranger at the pool manager
/// @notice Swaps what it holds, and tries to take liquidity that is not its own.
contract PoolTrader is IUnlockCallback {
    IPoolManager private immutable manager;

    constructor(address manager_) {
        manager = IPoolManager(manager_);
    }

    /// @notice Swaps an exact input.
    function swap(PoolKey memory key, bool zeroForOne, uint256 amountIn) external {
        manager.unlock(abi.encode(key, zeroForOne, -int256(amountIn), int256(0)));
    }

    /// @notice Changes liquidity of the full range in its own name.
    function changeLiquidity(PoolKey memory key, int256 change) external {
        manager.unlock(abi.encode(key, false, int256(0), change));
    }

    /// @inheritdoc IUnlockCallback
    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (PoolKey memory key, bool zeroForOne, int256 amount, int256 change) =
            abi.decode(data, (PoolKey, bool, int256, int256));
        BalanceDelta delta;
        if (amount != 0) {
            uint160 limit = zeroForOne ? 4295128740 : 1461446703485210103287273052203988822378723970341;
            delta = manager.swap(key, SwapParams(zeroForOne, amount, limit), "");
        } else {
            (delta,) = manager.modifyLiquidity(key, ModifyLiquidityParams(-887_220, 887_220, change, 0), "");
        }
        _resolve(key.currency0, delta.amount0());
        _resolve(key.currency1, delta.amount1());
        return "";
    }

    function _resolve(Currency currency, int128 delta) private {
        if (delta < 0) {
            manager.sync(currency);
            IToken(Currency.unwrap(currency)).transfer(address(manager), uint256(-int256(delta)));
            manager.settle();
        } else if (delta > 0) {
            manager.take(currency, address(this), uint256(int256(delta)));
        }
    }
}
