// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {ILaunchErrors} from "../sol/interfaces/ILaunchErrors.sol";
import {ILaunchHook} from "../sol/interfaces/ILaunchHook.sol";
import {ILaunchViewer} from "../sol/interfaces/ILaunchViewer.sol";
import {CaptchaAuth, HookSetup} from "../sol/types/LaunchTypes.sol";
import {Artifacts} from "./support/Artifacts.sol";
import {IToken, LaunchFixture} from "./support/LaunchFixture.sol";

/// @title A trader whose wallet calls back, or refuses money
contract CallingBack {
    ILaunchHook private immutable hook;
    bytes private again;
    bytes4 public answer;
    bool private refuses;

    constructor(ILaunchHook hook_) {
        hook = hook_;
    }

    /// @notice The call to try when money arrives.
    function arm(bytes calldata data) external {
        again = data;
    }

    /// @notice Refuses money from now on.
    function refuse() external {
        refuses = true;
    }

    /// @notice Does something at some contract.
    function act(address target, uint256 value, bytes calldata data) external {
        (bool success, bytes memory reason) = target.call{value: value}(data);
        if (success) return;
        assembly ("memory-safe") {
            revert(add(reason, 0x20), mload(reason))
        }
    }

    receive() external payable {
        require(!refuses, "no thanks");
        if (again.length == 0) return;
        (bool success, bytes memory reason) = address(hook).call(again);
        answer = success ? bytes4(0xffffffff) : bytes4(reason);
    }
}

/// @title What strangers, receivers and deployments might try
contract SafetyTest is LaunchFixture {
    uint256 private launchId;
    IToken private token;
    CallingBack private wallet;

    function setUp() public override {
        super.setUp();
        (launchId, token) = _launch();
        wallet = new CallingBack(hook);
        vm.deal(address(wallet), 100 ether);
    }

    function _act(uint256 value, bytes memory data) private {
        wallet.act(address(hook), value, data);
    }

    function _buyCall() private view returns (bytes memory) {
        return abi.encodeCall(hook.buy, (launchId, 0, _noAuth()));
    }

    /// @dev Every entry that moves something, called again while money is on its way out.
    function _attempts() private view returns (bytes[] memory calls) {
        CaptchaAuth memory none = _noAuth();
        calls = new bytes[](11);
        calls[0] = _buyCall();
        calls[1] = abi.encodeCall(hook.sell, (launchId, 1e18, 0, none));
        calls[2] = abi.encodeCall(hook.buyWithReferral, (launchId, 0, none, "R"));
        calls[3] = abi.encodeCall(hook.sellWithReferral, (launchId, 1e18, 0, none, "R"));
        calls[4] = abi.encodeCall(hook.withdrawFees, ());
        calls[5] = abi.encodeCall(hook.executeAccumulatedBuyback, (launchId));
        calls[6] = abi.encodeCall(hook.collectPoolFees, (launchId));
        calls[7] = abi.encodeCall(hook.updateCreatorFeeSplit, (launchId, 1));
        calls[8] = abi.encodeCall(hook.createLaunch, (_params()));
        calls[9] = abi.encodeCall(hook.createLaunchWithReferral, (_params(), "R"));
        calls[10] = abi.encodeCall(hook.createLaunchWithQuote, (_params(), 0, "R"));
    }

    function test_noEntryIsReenteredFromAPayout() public {
        bytes[] memory calls = _attempts();
        _act(1 ether, _buyCall());
        uint128 part = uint128(token.balanceOf(address(wallet)) / 20);
        wallet.act(address(token), 0, abi.encodeCall(token.approve, (address(hook), type(uint256).max)));
        for (uint256 i = 0; i < calls.length; ++i) {
            wallet.arm(calls[i]);
            _act(0, abi.encodeCall(hook.sell, (launchId, part, 0, _noAuth())));
            assertEq(wallet.answer(), ILaunchErrors.Reentered.selector);
        }
    }

    function test_noEntryIsReenteredFromARefund() public {
        wallet.arm(_buyCall());
        _act(5 ether, _buyCall());
        assertEq(wallet.answer(), ILaunchErrors.Reentered.selector);
        assertEq(address(hook).balance, _owed());
    }

    function test_receiverThatRefusesMoney() public {
        wallet.refuse();
        vm.expectRevert(ILaunchErrors.TransferFailed.selector);
        _act(5 ether, _buyCall());
        _act(1 ether, _buyCall());
        uint128 held = uint128(token.balanceOf(address(wallet)));
        wallet.act(address(token), 0, abi.encodeCall(token.approve, (address(hook), held)));
        vm.expectRevert(ILaunchErrors.TransferFailed.selector);
        _act(0, abi.encodeCall(hook.sell, (launchId, held, 0, _noAuth())));
    }

    function test_creatorThatRefusesMoneyKeepsItsFees() public {
        _act(1 ether, abi.encodeCall(hook.createLaunch, (_params())));
        wallet.refuse();
        vm.expectRevert(ILaunchErrors.TransferFailed.selector);
        _act(0, abi.encodeCall(hook.withdrawFees, ()));
        assertEq(hook.withdrawableFees(address(wallet)), 0.005 ether);
    }

    function test_moneyFromStrangersIsRefused() public {
        vm.expectRevert(ILaunchErrors.ValueNotAccepted.selector);
        _act(1 ether, "");
        vm.expectRevert();
        _act(1 ether, abi.encodeCall(hook.withdrawFees, ()));
        vm.expectRevert();
        _act(1 ether, abi.encodeCall(hook.sell, (launchId, 1e18, 0, _noAuth())));
    }

    function test_quoteEntriesNeedAQuoteToken() public {
        vm.expectRevert(ILaunchErrors.QuoteIsNative.selector);
        hook.buyWithQuote(launchId, 1 ether, 0, _noAuth(), "");
        vm.expectRevert(ILaunchErrors.QuoteIsNative.selector);
        hook.createLaunchWithQuote(_params(), 0, "");
    }

    function test_theModuleAloneDoesNothing() public {
        ILaunchHook alone = ILaunchHook(module);
        vm.expectRevert(ILaunchErrors.UnknownLaunch.selector);
        alone.buy{value: 1 ether}(launchId, 0, _noAuth());
        vm.expectRevert(ILaunchErrors.UnknownLaunch.selector);
        alone.sell(launchId, 1e18, 0, _noAuth());
        vm.expectRevert(ILaunchErrors.NothingToWithdraw.selector);
        alone.withdrawFees();
        vm.expectRevert(ILaunchErrors.NotPoolManager.selector);
        alone.unlockCallback("");
    }

    function test_prebuyIsNotAnEntryOfTheHook() public {
        (bool success,) = address(hook).call(abi.encodeWithSignature("prebuy(uint256,uint256)", launchId, 1e15));
        assertFalse(success);
    }

    /// @dev No call binds a viewer: each hook deploys its own, so that nobody can bind it first.
    function test_aHookDeploysItsOwnViewer() public {
        assertEq(viewer.hook(), address(hook));
        vm.prank(alice);
        (bool success,) = address(viewer).call(abi.encodeWithSignature("attach()"));
        assertFalse(success);
        ILaunchHook other = _deployHook(address(uint160(0x5118000000000000000000000000000000002000)), address(0));
        assertNotEq(other.viewer(), hook.viewer());
        assertEq(ILaunchViewer(other.viewer()).hook(), address(other));
    }

    function test_curvesWithoutMeaningAreRefused() public {
        vm.expectRevert(ILaunchErrors.CurveInvalid.selector);
        viewer.previewBuyLocal(0, 1 ether, 0, 0, 0, 1);
        vm.expectRevert(ILaunchErrors.CurveInvalid.selector);
        viewer.previewBuyLocal(1e27 + 1, 1 ether, 0, 0, 0, 1);
        vm.expectRevert(ILaunchErrors.CurveInvalid.selector);
        viewer.previewBuyLocal(1e26, 0, 0, 0, 0, 1);
        vm.expectRevert(ILaunchErrors.CurveInvalid.selector);
        viewer.previewBuyLocal(1e26, 1 ether, 0, 1, 1e26, 1);
        vm.expectRevert(ILaunchErrors.SellExceedsSold.selector);
        viewer.previewSellLocal(1e26, 1 ether, 0, 1, 2, 1, 0, 100, 100, 10_000);
        vm.expectRevert(ILaunchErrors.SellExceedsSold.selector);
        hook.previewSell(launchId, 1);
        // More sold than there is, and contributions below the cost of what is sold.
        vm.expectRevert(ILaunchErrors.CurveInvalid.selector);
        viewer.previewSellLocal(1e26, 1 ether, 0, 1e26 + 1, 1, 1 ether, 0, 100, 100, 10_000);
        vm.expectRevert(ILaunchErrors.CurveInvalid.selector);
        viewer.previewSellLocal(1e26, 1 ether, 0, 1e26, 1, 1 ether - 1, 0, 100, 100, 10_000);
    }

    function test_feeRatesWithoutMeaningAreRefused() public {
        uint16[4][3] memory rates =
            [[uint16(0), 100, 100, 0], [uint16(0), 5_001, 5_000, 10_000], [uint16(10_001), 100, 100, 10_000]];
        for (uint256 i = 0; i < rates.length; ++i) {
            uint16[4] memory rate = rates[i];
            vm.expectRevert(ILaunchErrors.FeeRatesInvalid.selector);
            viewer.previewSellLocal(1e26, 1 ether, 0, 2, 1, 1, rate[0], rate[1], rate[2], rate[3]);
        }
    }

    function test_previewsAnswerAtTheEdgesOfTheirTypes() public view {
        (uint256 tokensOut, uint256 cost, uint256 refund, uint256 left) =
            hook.previewBuy(launchId, type(uint256).max);
        assertEq(tokensOut, _state(launchId).saleSupply);
        assertEq(refund, type(uint256).max - cost);
        assertEq(left, 0);
        (tokensOut,,,) = hook.previewBuy(launchId, 0);
        assertEq(tokensOut, 0);
        (, cost, refund,) = viewer.previewBuyLocal(1, type(uint96).max, type(uint32).max, 0, 1, type(uint256).max);
        assertEq(cost, type(uint96).max);
        (uint256 payout,,,) = viewer.previewSellLocal(
            1e27, type(uint96).max, type(uint32).max, 1e27, 1e27, type(uint128).max, 65_535, 0, 65_535, 65_535
        );
        assertEq(payout, 0);
    }

    function test_hookKnowsItsSurroundings() public view {
        assertEq(hook.poolManager(), manager);
        assertEq(hook.weth(), weth);
        assertEq(hook.quoteAsset(), address(0));
        assertEq(hook.tradingModule(), module);
        assertEq(hook.splitCalculator(), calculator);
        assertEq(hook.captchaSigner(), vm.addr(SIGNER_KEY));
        assertEq(hook.owner(), owner);
        assertEq(hook.protocolFeeRecipient(), protocol);
    }

    function _refuseDeployment(address where, HookSetup memory setup, bytes4 reason) private {
        bytes memory code = abi.encodePacked(Artifacts.creationCode("LaunchHook"), abi.encode(setup));
        (bool success, bytes memory answer) = Artifacts.deployAt(where, code);
        assertFalse(success);
        assertEq(bytes4(answer), reason);
    }

    function test_deploymentNeedsThePermissionBitAlone() public {
        _refuseDeployment(address(0x51170000), _setup(address(0)), ILaunchErrors.HookAddressInvalid.selector);
        _refuseDeployment(address(0x51173000), _setup(address(0)), ILaunchErrors.HookAddressInvalid.selector);
        _refuseDeployment(address(0x51172001), _setup(address(0)), ILaunchErrors.HookAddressInvalid.selector);
    }

    function test_deploymentNeedsEverything() public {
        address where = address(uint160(0x5118000000000000000000000000000000002000));
        for (uint256 missing = 0; missing < 8; ++missing) {
            HookSetup memory setup = _setup(address(0));
            if (missing == 0) setup.poolManager = address(0);
            if (missing == 1) setup.weth = address(0);
            if (missing == 2) setup.tradingModule = address(0);
            if (missing == 3) setup.splitCalculator = address(0);
            if (missing == 4) setup.captchaSigner = address(0);
            if (missing == 5) setup.owner = address(0);
            if (missing == 6) setup.protocolFeeRecipient = address(0);
            if (missing == 7) setup.quoteAsset = makeAddr("no code");
            _refuseDeployment(where, setup, ILaunchErrors.SetupIncomplete.selector);
        }
    }

    function test_deploymentNeedsAQuoteAssetOf18Decimals() public {
        address where = address(uint160(0x5118000000000000000000000000000000002000));
        for (uint8 decimals = 0; decimals <= 36; ++decimals) {
            address asset = Artifacts.create(
                abi.encodePacked(
                    Artifacts.creationCode("MintableToken"), abi.encode("Paper Mill", "MILL", decimals, address(this))
                )
            );
            if (decimals == 18) {
                assertEq(_deployHook(where, asset).quoteAsset(), asset);
            } else {
                _refuseDeployment(where, _setup(asset), ILaunchErrors.QuoteDecimalsInvalid.selector);
            }
        }
        // Code that has no decimals, or answers more than one word.
        _refuseDeployment(where, _setup(manager), ILaunchErrors.QuoteDecimalsInvalid.selector);
        vm.mockCall(weth, abi.encodeWithSignature("decimals()"), abi.encode(18, 0));
        _refuseDeployment(where, _setup(weth), ILaunchErrors.QuoteDecimalsInvalid.selector);
    }

    function test_codeFitsTheLimit() public view {
        assertLt(address(hook).code.length, 24_576);
        assertLt(module.code.length, 24_576);
        assertLt(address(viewer).code.length, 24_576);
    }
}
