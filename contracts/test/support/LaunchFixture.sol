// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {IHooks} from "@uniswap/v4-core/src/interfaces/IHooks.sol";
import {Currency} from "@uniswap/v4-core/src/types/Currency.sol";
import {PoolKey} from "@uniswap/v4-core/src/types/PoolKey.sol";
import {Test} from "forge-std/Test.sol";
import {Vm} from "forge-std/Vm.sol";

import {ILaunchHook} from "../../sol/interfaces/ILaunchHook.sol";
import {ILaunchViewer} from "../../sol/interfaces/ILaunchViewer.sol";
import {
    CaptchaAuth,
    CreateLaunchParams,
    HookSetup,
    LaunchConfig,
    TradeAmounts,
    TradePrice
} from "../../sol/types/LaunchTypes.sol";
import {Artifacts} from "./Artifacts.sol";
import {Actors} from "./LawWatch.sol";

/// @notice What tests call on tokens.
interface IToken {
    function approve(address spender, uint256 amount) external returns (bool);
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function burn(uint256 amount) external;
    function balanceOf(address account) external view returns (uint256);
    function allowance(address owner, address spender) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function name() external view returns (string memory);
    function symbol() external view returns (string memory);
    function decimals() external view returns (uint8);
}

/// @title A hook with everything around it
abstract contract LaunchFixture is Test {
    uint256 internal constant TOTAL_SUPPLY = 1e27;
    uint256 internal constant SIGNER_KEY = 0xca97c4a;
    address internal constant HOOK = address(uint160(0x5117000000000000000000000000000000002000));

    address internal protocol = makeAddr("protocol");
    address internal owner = makeAddr("owner");
    address internal creator = makeAddr("creator");
    address internal alice = makeAddr("alice");
    address internal bob = makeAddr("bob");

    ILaunchHook internal hook;
    ILaunchViewer internal viewer;
    address internal module;
    address internal calculator;
    address internal manager;
    address internal weth;

    function setUp() public virtual {
        vm.warp(1_790_000_000);
        manager = Artifacts.deployPoolManager(address(this));
        weth = _deployWrappedNative();
        calculator = Artifacts.deploy("SaleSplitCalculator");
        module = Artifacts.deploy("TradingModule");
        hook = _deployHook(HOOK, address(0));
        viewer = ILaunchViewer(hook.viewer());
        vm.deal(creator, 1_000 ether);
        vm.deal(alice, 1_000 ether);
        vm.deal(bob, 1_000 ether);
    }

    /// @dev Where the wrapped asset lies decides on which side of a pool the tokens are.
    function _deployWrappedNative() internal virtual returns (address) {
        return Artifacts.deployWrappedNative();
    }

    function _moveCode(address from, address to) internal returns (address) {
        vm.etch(to, from.code);
        return to;
    }

    function _setup(address quoteAsset) internal returns (HookSetup memory) {
        return HookSetup({
            poolManager: manager,
            weth: weth,
            quoteAsset: quoteAsset,
            tradingModule: module,
            splitCalculator: calculator,
            captchaSigner: vm.addr(SIGNER_KEY),
            owner: owner,
            protocolFeeRecipient: protocol
        });
    }

    function _deployHook(address where, address quoteAsset) internal returns (ILaunchHook) {
        bytes memory code = Artifacts.creationCode("LaunchHook");
        (bool success,) = Artifacts.deployAt(where, abi.encodePacked(code, abi.encode(_setup(quoteAsset))));
        require(success, "hook deployment failed");
        return ILaunchHook(payable(where));
    }

    function _params() internal pure returns (CreateLaunchParams memory) {
        return CreateLaunchParams({
            name: "Paper Boat",
            ticker: "BOAT",
            description: "A boat made of paper",
            imageUrl: "https://images.example/boat.png",
            messenger: "",
            microblog: "",
            website: "https://boat.example",
            creatorFeeSplitBps: 5_000,
            gainBps: 50_000,
            targetRaise: 2 ether,
            antiSnipeDuration: 0,
            startTime: 0
        });
    }

    function _noAuth() internal pure returns (CaptchaAuth memory auth) {}

    function _auth(address trader, uint256 launchId, uint64 deadline, bytes32 nonce)
        internal
        view
        returns (CaptchaAuth memory)
    {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(SIGNER_KEY, hook.captchaDigest(trader, launchId, deadline, nonce));
        return CaptchaAuth({deadline: deadline, nonce: nonce, signature: abi.encodePacked(r, s, v)});
    }

    function _launch() internal returns (uint256 launchId, IToken token) {
        return _launch(_params(), 0);
    }

    function _launch(CreateLaunchParams memory params, uint256 prebuy)
        internal
        returns (uint256 launchId, IToken token)
    {
        vm.prank(creator);
        launchId = hook.createLaunch{value: prebuy}(params);
        token = IToken(hook.getLaunchState(launchId).token);
    }

    function _buy(address trader, uint256 launchId, uint256 value) internal returns (uint256) {
        vm.prank(trader);
        return hook.buy{value: value}(launchId, 0, _noAuth());
    }

    function _sell(address trader, uint256 launchId, uint256 amount) internal returns (uint256) {
        IToken token = IToken(hook.getLaunchState(launchId).token);
        vm.startPrank(trader);
        token.approve(address(hook), amount);
        uint256 payout = hook.sell(launchId, uint128(amount), 0, _noAuth());
        vm.stopPrank();
        return payout;
    }

    function _state(uint256 launchId) internal view returns (LaunchConfig memory) {
        return hook.getLaunchState(launchId);
    }

    function _noPrice() internal pure returns (TradePrice memory price) {}

    function _noAmounts() internal pure returns (TradeAmounts memory amounts) {}

    /// @dev How many of the logs recorded since last asked have a topic.
    function _countLogs(bytes32 topic) internal returns (uint256 count) {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].topics[0] == topic) ++count;
        }
    }

    function _key(address token) internal view returns (PoolKey memory) {
        (address first, address second) = token < weth ? (token, weth) : (weth, token);
        return PoolKey(Currency.wrap(first), Currency.wrap(second), 1_000, 60, IHooks(address(hook)));
    }

    /// @dev A launch that has graduated.
    function _graduated(CreateLaunchParams memory params) internal returns (uint256 launchId, IToken token) {
        (launchId, token) = _launch(params, 0);
        _buy(alice, launchId, 6 ether);
    }

    /// @dev What the hook owes, with creator and protocol as the only earners of fees.
    function _owed() internal view returns (uint256) {
        return hook.withdrawableFees(protocol) + hook.withdrawableFees(creator) + _owedOnLaunches();
    }

    /// @dev What the hook owes, with protocol and actors as the only earners of fees.
    function _owedWith(Actors actors) internal view returns (uint256 total) {
        total = hook.withdrawableFees(protocol) + _owedOnLaunches();
        for (uint256 i = 0; i < actors.ACTORS(); ++i) {
            total += hook.withdrawableFees(actors.actor(i));
        }
    }

    /// @dev Contributions of open launches, and buybacks of all.
    function _owedOnLaunches() private view returns (uint256 total) {
        for (uint256 launchId = 1; launchId <= hook.launchCount(); ++launchId) {
            LaunchConfig memory launch = hook.getLaunchState(launchId);
            total += hook.accumulatedBuyback(launchId);
            if (!launch.finalized) total += launch.netContributions;
        }
    }
}
