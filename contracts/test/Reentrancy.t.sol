// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {IPoolManager} from "@uniswap/v4-core/src/interfaces/IPoolManager.sol";
import {Currency} from "@uniswap/v4-core/src/types/Currency.sol";

import {IEmperorAuction} from "../sol/interfaces/IEmperorAuction.sol";
import {ILaunchErrors} from "../sol/interfaces/ILaunchErrors.sol";
import {ILaunchHook} from "../sol/interfaces/ILaunchHook.sol";
import {ITokenRegistry} from "../sol/interfaces/ITokenRegistry.sol";
import {ITokenFactory} from "../sol/legacy/ITokenFactory.sol";
import {CaptchaAuth} from "../sol/types/LaunchTypes.sol";
import {Artifacts} from "./support/Artifacts.sol";
import {IToken, LaunchFixture} from "./support/LaunchFixture.sol";

/// @title A quote asset that does more than it is asked for
/// @notice It calls its target back whenever it moves, keeps a part of what it moves, or answers what it likes.
contract HostileQuote {
    enum Answer {
        True,
        Nothing,
        False,
        Two,
        Short
    }

    uint8 public constant decimals = 18;
    mapping(address account => uint256 units) public balanceOf;
    uint256 public kept;
    address public target;
    bytes public again;
    bytes4 public told;
    Answer public answer;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function keep(uint256 part) external {
        kept = part;
    }

    function reply(Answer answer_) external {
        answer = answer_;
    }

    function arm(address target_, bytes calldata data) external {
        (target, again, told) = (target_, data, 0);
    }

    function transfer(address to, uint256 amount) external {
        _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external {
        _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) private {
        balanceOf[from] -= amount;
        balanceOf[to] += amount - kept;
        if (again.length != 0) {
            (bool success, bytes memory reason) = target.call(again);
            told = success ? bytes4(0xffffffff) : bytes4(reason);
        }
        uint256 word = answer == Answer.True ? 1 : answer == Answer.Two ? 2 : 0;
        uint256 length = answer == Answer.Nothing ? 0 : answer == Answer.Short ? 31 : 32;
        assembly ("memory-safe") {
            mstore(0, word)
            return(0, length)
        }
    }
}

/// @title A wallet that calls some contract back when money arrives
contract Caller {
    address private target;
    bytes private again;
    bytes4 public told;

    function arm(address target_, bytes calldata data) external {
        (target, again) = (target_, data);
    }

    function act(address where, uint256 value, bytes calldata data) external {
        (bool success,) = where.call{value: value}(data);
        require(success, "refused");
    }

    receive() external payable {
        if (again.length == 0) return;
        (bool success, bytes memory reason) = target.call(again);
        told = success ? bytes4(0xffffffff) : bytes4(reason);
    }
}

/// @title A router that holds the pool manager's lock while it calls the hook
contract LockHolder {
    IPoolManager private immutable manager;
    address private immutable hook;
    bytes private inner;
    uint256 private value;
    bool public done;
    bytes4 public told;

    constructor(address manager_, address hook_) {
        manager = IPoolManager(manager_);
        hook = hook_;
    }

    function run(uint256 value_, bytes calldata data) external {
        (value, inner) = (value_, data);
        manager.unlock("");
    }

    function unlockCallback(bytes calldata) external returns (bytes memory) {
        manager.sync(Currency.wrap(address(0)));
        bytes memory reason;
        (done, reason) = hook.call{value: value}(inner);
        told = done ? bytes4(0) : bytes4(reason);
        return "";
    }

    receive() external payable {}
}

/// @title Whoever is called while a call is being carried out, calls back
contract ReentrancyTest is LaunchFixture {
    address private constant QUOTE_HOOK = address(uint160(0x511A000000000000000000000000000000002000));

    HostileQuote private quote;

    function _quoteHook() private returns (uint256 launchId) {
        quote = new HostileQuote();
        hook = _deployHook(QUOTE_HOOK, address(quote));
        quote.mint(alice, 100 ether);
        vm.prank(creator);
        launchId = hook.createLaunchWithQuote(_params(), 0, "");
    }

    function _pay(uint256 launchId, uint256 amount) private {
        vm.prank(alice);
        hook.buyWithQuote(launchId, amount, 0, _noAuth(), "");
    }

    /// @dev Every entry that is locked, as the quote asset would call it.
    function _entries(uint256 launchId) private view returns (bytes[] memory calls) {
        CaptchaAuth memory none = _noAuth();
        calls = new bytes[](8);
        calls[0] = abi.encodeCall(hook.buyWithQuote, (launchId, 1 ether, 0, none, ""));
        calls[1] = abi.encodeCall(hook.sell, (launchId, 1e18, 0, none));
        calls[2] = abi.encodeCall(hook.sellWithReferral, (launchId, 1e18, 0, none, ""));
        calls[3] = abi.encodeCall(hook.withdrawFees, ());
        calls[4] = abi.encodeCall(hook.executeAccumulatedBuyback, (launchId));
        calls[5] = abi.encodeCall(hook.collectPoolFees, (launchId));
        calls[6] = abi.encodeCall(hook.updateCreatorFeeSplit, (launchId, 1));
        calls[7] = abi.encodeCall(hook.createLaunchWithQuote, (_params(), 0, ""));
    }

    function _checkSolvent() private view {
        assertEq(quote.balanceOf(address(hook)), _owed());
    }

    function test_theQuoteAssetReentersNothingWhileItIsCollectedOrPaid() public {
        uint256 launchId = _quoteHook();
        _pay(launchId, 0.5 ether);
        bytes[] memory calls = _entries(launchId);
        for (uint256 i = 0; i < calls.length; ++i) {
            quote.arm(address(hook), calls[i]);
            _pay(launchId, 0.01 ether);
            assertEq(quote.told(), ILaunchErrors.Reentered.selector);
            quote.arm(address(hook), calls[i]);
            _sell(alice, launchId, 1e18);
            assertEq(quote.told(), ILaunchErrors.Reentered.selector);
            _checkSolvent();
        }
        quote.arm(address(hook), calls[0]);
        vm.prank(creator);
        hook.withdrawFees();
        assertEq(quote.told(), ILaunchErrors.Reentered.selector);
        _checkSolvent();
    }

    function test_theQuoteAssetReentersNothingWhileThePoolIsSeeded() public {
        uint256 launchId = _quoteHook();
        bytes[] memory calls = _entries(launchId);
        uint256 snapshot = vm.snapshotState();
        for (uint256 i = 0; i < calls.length; ++i) {
            quote.arm(address(hook), calls[i]);
            _pay(launchId, 3 ether);
            assertTrue(_state(launchId).finalized);
            assertEq(quote.told(), ILaunchErrors.Reentered.selector);
            _checkSolvent();
            vm.revertToState(snapshot);
        }
    }

    function test_anAssetThatKeepsAPartIsRefused() public {
        uint256 launchId = _quoteHook();
        quote.keep(1);
        vm.expectRevert(ILaunchErrors.TransferFailed.selector);
        _pay(launchId, 1 ether);
        quote.keep(0);
        _pay(launchId, 1 ether);
        _checkSolvent();
    }

    function test_anAssetMustAnswerTrueOrNothing() public {
        uint256 launchId = _quoteHook();
        HostileQuote.Answer[3] memory refused =
            [HostileQuote.Answer.False, HostileQuote.Answer.Two, HostileQuote.Answer.Short];
        for (uint256 i = 0; i < refused.length; ++i) {
            quote.reply(refused[i]);
            vm.expectRevert(ILaunchErrors.TransferFailed.selector);
            _pay(launchId, 1 ether);
        }
        quote.reply(HostileQuote.Answer.Nothing);
        _pay(launchId, 0.1 ether);
        quote.reply(HostileQuote.Answer.True);
        _pay(launchId, 0.1 ether);
        _checkSolvent();
    }

    function test_aRouterThatHoldsTheLockGraduatesNothingAndStealsNothing() public {
        (uint256 launchId,) = _launch();
        LockHolder router = new LockHolder(manager, address(hook));
        vm.deal(address(router), 20 ether);
        bytes4 locked = bytes4(keccak256("AlreadyUnlocked()"));
        bytes memory buys = abi.encodeCall(hook.buy, (launchId, 0, _noAuth()));
        router.run(1 ether, buys);
        assertTrue(router.done());
        router.run(5 ether, buys);
        assertEq(router.told(), locked);
        assertFalse(_state(launchId).finalized);
        router.run(0, abi.encodeCall(hook.unlockCallback, (abi.encode(uint8(1), address(this), uint256(0)))));
        assertEq(router.told(), ILaunchErrors.NotPoolManager.selector);

        (uint256 graduated,) = _graduated(_params());
        router.run(0, abi.encodeCall(hook.collectPoolFees, (graduated)));
        assertEq(router.told(), locked);
        router.run(0, abi.encodeCall(hook.executeAccumulatedBuyback, (graduated)));
        assertEq(router.told(), locked);
        assertEq(address(hook).balance, _owed());
    }

    function test_theFactoryOfTheFirstVersionIsNotReentered() public {
        bytes memory arguments = abi.encode(Artifacts.deployPairFactory(owner), weth, owner, protocol);
        ITokenFactory factory =
            ITokenFactory(Artifacts.create(abi.encodePacked(Artifacts.creationCode("TokenFactory"), arguments)));
        address token = factory.createToken("Old", "OLD", "", "");
        Caller wallet = new Caller();
        vm.deal(address(wallet), 20 ether);
        wallet.act(address(factory), 1 ether, abi.encodeCall(factory.buy, (token, 0)));
        wallet.act(token, 0, abi.encodeCall(IToken.approve, (address(factory), type(uint256).max)));
        bytes[4] memory calls = [
            abi.encodeCall(factory.buy, (token, 0)),
            abi.encodeCall(factory.sell, (token, 1e18, 0)),
            abi.encodeCall(factory.withdrawFees, ()),
            abi.encodeCall(factory.createToken, ("A", "A", "", ""))
        ];
        for (uint256 i = 0; i < calls.length; ++i) {
            wallet.arm(address(factory), calls[i]);
            wallet.act(address(factory), 0, abi.encodeCall(factory.sell, (token, 1e18, 0)));
            assertEq(wallet.told(), ITokenFactory.Reentered.selector);
        }
        // The refund of the purchase that graduates comes last, too.
        wallet.act(address(factory), 10 ether, abi.encodeCall(factory.buy, (token, 0)));
        assertEq(wallet.told(), ITokenFactory.Reentered.selector);
        assertEq(address(factory).balance, factory.withdrawableFees());
    }

    function test_aBidderThatBidsAgainFromItsRefundFindsTheEpochTaken() public {
        (, IToken token) = _launch();
        ITokenRegistry[] memory registries = new ITokenRegistry[](1);
        registries[0] = ITokenRegistry(address(hook));
        bytes memory code = Artifacts.creationCode("EmperorAuction");
        IEmperorAuction auction =
            IEmperorAuction(Artifacts.create(abi.encodePacked(code, abi.encode(registries, protocol))));
        Caller wallet = new Caller();
        vm.deal(address(wallet), 2 ether);
        wallet.arm(address(auction), abi.encodeCall(auction.bid, (address(token))));
        wallet.act(address(auction), 1 ether, abi.encodeCall(auction.bid, (address(token))));
        assertEq(wallet.told(), IEmperorAuction.EpochTaken.selector);
        assertEq(address(auction).balance, auction.proceeds());
    }
}
