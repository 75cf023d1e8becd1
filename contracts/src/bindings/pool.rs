//! The pool manager, its periphery and the universal router, as published. Only the calls that this project makes.

#![expect(
    clippy::too_many_arguments,
    reason = "the generated functions have the arguments of the calls they encode"
)]

use alloy::sol;

sol! {
    /// The key of a pool: the hash of these fields is the pool's id.
    #[derive(Debug, PartialEq, Eq)]
    struct PoolKey {
        address currency0;
        address currency1;
        uint24 fee;
        int24 tickSpacing;
        address hooks;
    }

    /// The singleton that holds every pool.
    #[sol(rpc, abi)]
    #[derive(Debug, PartialEq, Eq)]
    interface IPoolManager {
        event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick);
        event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt);
        event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee);

        function initialize(PoolKey memory key, uint160 sqrtPriceX96) external returns (int24 tick);
        function owner() external view returns (address);
    }

    /// Reads of a pool's state.
    #[sol(rpc, abi)]
    #[derive(Debug, PartialEq, Eq)]
    interface IStateView {
        function poolManager() external view returns (address);
        function getSlot0(bytes32 poolId) external view returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee);
        function getLiquidity(bytes32 poolId) external view returns (uint128 liquidity);
        function getFeeGrowthGlobals(bytes32 poolId) external view returns (uint256 feeGrowthGlobal0, uint256 feeGrowthGlobal1);
    }

    /// Quotes a swap by trying it and reverting.
    #[sol(rpc, abi)]
    #[derive(Debug, PartialEq, Eq)]
    interface IV4Quoter {
        struct QuoteExactSingleParams {
            PoolKey poolKey;
            bool zeroForOne;
            uint128 exactAmount;
            bytes hookData;
        }

        function quoteExactInputSingle(QuoteExactSingleParams memory params) external returns (uint256 amountOut, uint256 gasEstimate);
        function quoteExactOutputSingle(QuoteExactSingleParams memory params) external returns (uint256 amountIn, uint256 gasEstimate);
    }

    /// Positions as tokens.
    #[sol(rpc, abi)]
    #[derive(Debug, PartialEq, Eq)]
    interface IPositionManager {
        function poolManager() external view returns (address);
        function permit2() external view returns (address);
    }

    /// Executes commands on pools of every version.
    #[sol(rpc, abi)]
    #[derive(Debug, PartialEq, Eq)]
    interface IUniversalRouter {
        /// One swap in one pool with a given input.
        struct ExactInputSingleParams {
            PoolKey poolKey;
            bool zeroForOne;
            uint128 amountIn;
            uint128 amountOutMinimum;
            bytes hookData;
        }

        function execute(bytes calldata commands, bytes[] calldata inputs, uint256 deadline) external payable;
    }

    /// The allowance half of Permit2.
    #[sol(rpc, abi)]
    #[derive(Debug, PartialEq, Eq)]
    interface IAllowanceTransfer {
        struct PermitDetails {
            address token;
            uint160 amount;
            uint48 expiration;
            uint48 nonce;
        }

        struct PermitSingle {
            PermitDetails details;
            address spender;
            uint256 sigDeadline;
        }

        function DOMAIN_SEPARATOR() external view returns (bytes32);
        function allowance(address user, address token, address spender) external view returns (uint160 amount, uint48 expiration, uint48 nonce);
        function approve(address token, address spender, uint160 amount, uint48 expiration) external;
    }
}
