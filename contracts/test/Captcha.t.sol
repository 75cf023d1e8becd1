// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {ILaunchErrors} from "../sol/interfaces/ILaunchErrors.sol";
import {CaptchaAuth, CreateLaunchParams} from "../sol/types/LaunchTypes.sol";
import {IToken, LaunchFixture} from "./support/LaunchFixture.sol";

/// @title The anti-snipe window
contract CaptchaTest is LaunchFixture {
    uint256 private launchId;
    uint64 private start;

    function setUp() public override {
        super.setUp();
        CreateLaunchParams memory params = _params();
        params.antiSnipeDuration = 40;
        params.startTime = uint64(block.timestamp + 10);
        start = params.startTime;
        (launchId,) = _launch(params, 0.1 ether);
        vm.warp(start);
    }

    function _refuse(CaptchaAuth memory auth, bytes4 reason) private {
        vm.expectRevert(reason);
        vm.prank(alice);
        hook.buy{value: 0.1 ether}(launchId, 0, auth);
    }

    function _take(CaptchaAuth memory auth) private {
        vm.prank(alice);
        hook.buy{value: 0.1 ether}(launchId, 0, auth);
    }

    function _spend(uint256 value, bytes32 nonce) private {
        CaptchaAuth memory auth = _good(nonce);
        vm.prank(alice);
        hook.buy{value: value}(launchId, 0, auth);
    }

    function _good(bytes32 nonce) private view returns (CaptchaAuth memory) {
        return _auth(alice, launchId, uint64(block.timestamp), nonce);
    }

    function test_windowEdges() public {
        _refuse(_noAuth(), ILaunchErrors.CaptchaRequired.selector);
        vm.warp(start + 40);
        _refuse(_noAuth(), ILaunchErrors.CaptchaRequired.selector);
        _take(_good("last second"));
        vm.warp(start + 41);
        _take(_noAuth());
    }

    function test_noWindowNeedsNoCaptcha() public {
        (uint256 open,) = _launch();
        _buy(alice, open, 0.1 ether);
    }

    function test_salesNeedItToo() public {
        _take(_good("buy"));
        IToken token = IToken(_state(launchId).token);
        vm.prank(alice);
        token.approve(address(hook), 5e18);
        vm.expectRevert(ILaunchErrors.CaptchaRequired.selector);
        vm.prank(alice);
        hook.sell(launchId, 1e18, 0, _noAuth());
        CaptchaAuth memory auth = _good("sell");
        vm.prank(alice);
        hook.sell(launchId, 1e18, 0, auth);
        auth = _good("sell again");
        vm.prank(alice);
        hook.sellWithReferral(launchId, 1e18, 0, auth, "REF-4");
    }

    function test_everyTradingEntryIsGuarded() public {
        vm.expectRevert(ILaunchErrors.CaptchaRequired.selector);
        hook.buyWithReferral{value: 1 ether}(launchId, 0, _noAuth(), "REF-5");
        vm.expectRevert(ILaunchErrors.CaptchaRequired.selector);
        hook.sellWithReferral(launchId, 1e18, 0, _noAuth(), "REF-5");
    }

    /// @dev Inside the window nobody moves the price without an authorisation, also not by a buyback.
    function test_buybacksWaitForTheWindow() public {
        _spend(1 ether, "much");
        uint256 aside = hook.accumulatedBuyback(launchId);
        assertGe(aside, 0.001 ether);
        uint256 sold = _state(launchId).sold;
        vm.warp(start + 40);
        vm.expectRevert(ILaunchErrors.AntiSnipeWindowOpen.selector);
        hook.executeAccumulatedBuyback(launchId);
        assertEq(hook.accumulatedBuyback(launchId), aside);
        assertEq(_state(launchId).sold, sold);
        vm.warp(start + 41);
        hook.executeAccumulatedBuyback(launchId);
        assertEq(hook.accumulatedBuyback(launchId), 0);
    }

    /// @dev The pool of a launch that graduates inside its window is open to everybody, and no authorisation guards a
    ///      trade around a buyback there.
    function test_buybacksFromThePoolWaitForTheWindowToo() public {
        _spend(6 ether, "all");
        assertTrue(_state(launchId).finalized);
        vm.warp(start + 40);
        vm.expectRevert(ILaunchErrors.AntiSnipeWindowOpen.selector);
        hook.executeAccumulatedBuyback(launchId);
        vm.warp(start + 41);
        hook.executeAccumulatedBuyback(launchId);
        assertEq(hook.accumulatedBuyback(launchId), 0);
    }

    function test_onceOnly() public {
        CaptchaAuth memory auth = _good("once");
        assertFalse(hook.captchaNonceUsed("once"));
        _take(auth);
        assertTrue(hook.captchaNonceUsed("once"));
        _refuse(auth, ILaunchErrors.CaptchaNonceUsed.selector);
    }

    function test_deadline() public {
        CaptchaAuth memory auth = _auth(alice, launchId, start + 5, "deadline");
        vm.warp(start + 6);
        _refuse(auth, ILaunchErrors.CaptchaExpired.selector);
        vm.warp(start + 5);
        _take(auth);
    }

    function test_boundToTraderLaunchDeadlineAndNonce() public {
        CaptchaAuth memory auth = _auth(bob, launchId, start + 5, "bound");
        _refuse(auth, ILaunchErrors.CaptchaRequired.selector);
        auth = _auth(alice, launchId + 1, start + 5, "bound");
        _refuse(auth, ILaunchErrors.CaptchaRequired.selector);
        auth = _auth(alice, launchId, start + 5, "bound");
        auth.deadline += 1;
        _refuse(auth, ILaunchErrors.CaptchaRequired.selector);
        auth.deadline -= 1;
        auth.nonce = "other";
        _refuse(auth, ILaunchErrors.CaptchaRequired.selector);
        auth.nonce = "bound";
        _take(auth);
    }

    function test_boundToHookAndChain() public {
        CaptchaAuth memory auth = _good("chain");
        vm.chainId(4663);
        _refuse(auth, ILaunchErrors.CaptchaRequired.selector);
    }

    function test_malformedSignatures() public {
        CaptchaAuth memory auth = _good("malformed");
        bytes memory signature = auth.signature;
        auth.signature = abi.encodePacked(signature, uint8(0));
        _refuse(auth, ILaunchErrors.CaptchaRequired.selector);
        auth.signature = hex"00";
        _refuse(auth, ILaunchErrors.CaptchaRequired.selector);
        // A signature that recovers to nobody.
        auth.signature = new bytes(65);
        _refuse(auth, ILaunchErrors.CaptchaRequired.selector);
        // The other of the two equivalent signatures.
        (bytes32 r, bytes32 s) = _parts(signature);
        uint256 order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
        auth.signature = abi.encodePacked(r, order - uint256(s), uint8(signature[64]) == 27 ? uint8(28) : uint8(27));
        _refuse(auth, ILaunchErrors.CaptchaRequired.selector);
        auth.signature = signature;
        _take(auth);
    }

    function test_digestIsTypedData() public view {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("LaunchHook"),
                keccak256("1"),
                block.chainid,
                address(hook)
            )
        );
        bytes32 content = keccak256(
            abi.encode(
                keccak256("Captcha(address trader,uint256 launchId,uint64 deadline,bytes32 nonce)"),
                alice,
                uint256(7),
                uint64(8),
                bytes32("nine")
            )
        );
        assertEq(hook.captchaDigest(alice, 7, 8, "nine"), keccak256(abi.encodePacked(hex"1901", domain, content)));
    }

    function _parts(bytes memory signature) private pure returns (bytes32 r, bytes32 s) {
        assembly ("memory-safe") {
            r := mload(add(signature, 0x20))
            s := mload(add(signature, 0x40))
        }
    }
}
