// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {IPoolManager} from "@uniswap/v4-core/src/interfaces/IPoolManager.sol";
import {StateLibrary} from "@uniswap/v4-core/src/libraries/StateLibrary.sol";
import {PoolId} from "@uniswap/v4-core/src/types/PoolId.sol";

import {ILaunchErrors} from "../sol/interfaces/ILaunchErrors.sol";
import {ILaunchEvents} from "../sol/interfaces/ILaunchEvents.sol";
import {CreateLaunchParams, LaunchConfig} from "../sol/types/LaunchTypes.sol";
import {Artifacts} from "./support/Artifacts.sol";
import {IToken, LaunchFixture} from "./support/LaunchFixture.sol";
import {ReferenceCurve} from "./support/ReferenceCurve.sol";

/// @notice What tests call on a tokenized stock.
interface IStock is IToken {
    function mint(address to, uint256 amount) external;
    function issuer() external view returns (address);
}

/// @title A hook whose launches are sold for a tokenized stock
contract QuoteAssetTest is LaunchFixture {
    address private constant STOCK_HOOK = address(uint160(0x5119000000000000000000000000000000002000));

    IStock private stock;

    function setUp() public override {
        super.setUp();
        bytes memory code = Artifacts.creationCode("MintableToken");
        stock = IStock(
            Artifacts.create(abi.encodePacked(code, abi.encode("Paper Mill", "MILL", uint8(18), address(this))))
        );
        hook = _deployHook(STOCK_HOOK, address(stock));
        address[3] memory traders = [creator, alice, bob];
        for (uint256 i = 0; i < traders.length; ++i) {
            stock.mint(traders[i], 100 ether);
            vm.prank(traders[i]);
            stock.approve(address(hook), type(uint256).max);
        }
    }

    function _create(uint256 prebuy) private returns (uint256 launchId, IToken token) {
        vm.prank(creator);
        launchId = hook.createLaunchWithQuote(_params(), prebuy, "REF-7");
        token = IToken(_state(launchId).token);
    }

    function _buyFor(address trader, uint256 launchId, uint256 amount) private returns (uint256) {
        vm.prank(trader);
        return hook.buyWithQuote(launchId, amount, 0, _noAuth(), "");
    }

    function test_aLaunchNamesItsQuoteAsset() public {
        vm.expectEmit(true, true, false, false, address(hook));
        emit ILaunchEvents.Trade(1, creator, 0, _noPrice(), _noAmounts(), 0);
        vm.expectEmit(address(hook));
        emit ILaunchEvents.Referral(1, creator, "REF-7");
        (uint256 launchId,) = _create(1 ether);
        assertEq(hook.quoteAsset(), address(stock));
        assertEq(_state(launchId).quoteAsset, address(stock));
        assertEq(stock.balanceOf(address(hook)), 1 ether);
        assertEq(_owed(), 1 ether);
        // Without a purchase the ordinary entries create launches too.
        hook.createLaunch(_params());
        hook.createLaunchWithReferral(_params(), "REF-7");
    }

    function test_nativeValueIsRefused() public {
        (uint256 launchId,) = _create(0);
        vm.expectRevert(ILaunchErrors.ValueNotAccepted.selector);
        hook.createLaunch{value: 1 ether}(_params());
        vm.expectRevert(ILaunchErrors.ValueNotAccepted.selector);
        hook.createLaunchWithReferral{value: 1 ether}(_params(), "");
        vm.expectRevert(ILaunchErrors.ValueNotAccepted.selector);
        hook.buy{value: 1 ether}(launchId, 0, _noAuth());
        vm.expectRevert(ILaunchErrors.ValueNotAccepted.selector);
        hook.buyWithReferral{value: 1 ether}(launchId, 0, _noAuth(), "");
    }

    function test_boundsAreThoseOfTheNativeHook() public {
        (uint256 launchId,) = _create(0);
        vm.expectRevert(ILaunchErrors.BelowMinimumBuy.selector);
        _buyFor(alice, launchId, 1e13 - 1);
        vm.expectRevert(ILaunchErrors.PrebuyExceedsRaise.selector);
        vm.prank(creator);
        hook.createLaunchWithQuote(_params(), 2 ether + 1, "");
        CreateLaunchParams memory params = _params();
        params.targetRaise = 6 ether;
        vm.expectRevert(ILaunchErrors.RaiseOutOfRange.selector);
        hook.createLaunchWithQuote(params, 0, "");
    }

    function test_withoutAllowanceOrBalanceNothingMoves() public {
        (uint256 launchId,) = _create(0);
        address pauper = makeAddr("pauper");
        vm.expectRevert(ILaunchErrors.TransferFailed.selector);
        _buyFor(pauper, launchId, 1 ether);
        vm.prank(pauper);
        stock.approve(address(hook), type(uint256).max);
        vm.expectRevert(ILaunchErrors.TransferFailed.selector);
        _buyFor(pauper, launchId, 1 ether);
    }

    function test_tradesMoveTheStock() public {
        (uint256 launchId, IToken token) = _create(0);
        ReferenceCurve.Purchase memory expected = ReferenceCurve.purchase(_state(launchId), 1 ether);
        assertEq(_buyFor(alice, launchId, 1 ether), expected.tokensOut);
        assertEq(stock.balanceOf(alice), 99 ether);
        uint256 gross = ReferenceCurve.saleGross(_state(launchId), expected.tokensOut / 2);
        assertEq(_sell(alice, launchId, expected.tokensOut / 2), gross - 2 * (gross / 100));
        assertEq(stock.balanceOf(address(hook)), _owed());
        assertEq(token.balanceOf(alice), expected.tokensOut - expected.tokensOut / 2);
        assertEq(address(hook).balance, 0);

        uint256 earned = hook.withdrawableFees(creator);
        vm.prank(creator);
        hook.withdrawFees();
        assertEq(stock.balanceOf(creator), 100 ether + earned);
        hook.executeAccumulatedBuyback(launchId);
        assertEq(stock.balanceOf(address(hook)), _owed());
    }

    function test_graduatesAgainstTheStock() public {
        (uint256 launchId, IToken token) = _create(0);
        ReferenceCurve.Purchase memory expected = ReferenceCurve.purchase(_state(launchId), 50 ether);
        _buyFor(bob, launchId, 50 ether);
        assertEq(stock.balanceOf(bob), 100 ether - expected.cost);
        LaunchConfig memory launch = _state(launchId);
        assertTrue(launch.finalized);
        (uint160 price,,,) = StateLibrary.getSlot0(IPoolManager(manager), PoolId.wrap(launch.poolId));
        assertGt(price, 0);
        assertApproxEqAbs(stock.balanceOf(manager), launch.targetRaise, 10_000);
        assertEq(stock.balanceOf(address(hook)), _owed());
        assertEq(token.balanceOf(address(hook)), 0);

        hook.executeAccumulatedBuyback(launchId);
        hook.collectPoolFees(launchId);
        assertEq(stock.balanceOf(address(hook)), _owed());
        vm.expectRevert(ILaunchErrors.AlreadyFinalized.selector);
        _buyFor(alice, launchId, 1 ether);
    }

    function test_theStockRefusesWhatItsHolderCannotPay() public {
        vm.prank(alice);
        stock.approve(bob, 1);
        vm.expectRevert(bytes4(keccak256("InsufficientAllowance()")));
        vm.prank(bob);
        stock.transferFrom(alice, bob, 2);
        vm.expectRevert(bytes4(keccak256("InsufficientBalance()")));
        vm.prank(alice);
        stock.transfer(bob, 100 ether + 1);
    }

    function test_onlyTheIssuerIssues() public {
        assertEq(stock.issuer(), address(this));
        vm.expectRevert(bytes4(keccak256("NotIssuer()")));
        vm.prank(alice);
        stock.mint(alice, 1);
        vm.expectRevert(bytes4(keccak256("ReceiverInvalid()")));
        stock.mint(address(0), 1);
        assertEq(stock.totalSupply(), 300 ether);
    }
}
