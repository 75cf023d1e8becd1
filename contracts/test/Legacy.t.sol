// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {IWrappedNative} from "../sol/interfaces/IWrappedNative.sol";
import {ITokenFactory} from "../sol/legacy/ITokenFactory.sol";
import {Artifacts} from "./support/Artifacts.sol";
import {IToken, LaunchFixture} from "./support/LaunchFixture.sol";

/// @title V1 tokens
contract LegacyTest is LaunchFixture {
    uint256 private constant SALE = 8e26;

    ITokenFactory private factory;
    address private token;

    function setUp() public override {
        super.setUp();
        bytes memory code = Artifacts.creationCode("TokenFactory");
        address pairs = Artifacts.deployPairFactory(owner);
        factory = ITokenFactory(Artifacts.create(abi.encodePacked(code, abi.encode(pairs, weth, owner, protocol))));
        vm.prank(creator);
        token = factory.createToken("Old Boat", "OLD", "The first boat", "https://images.example/old.png");
    }

    function _buyOld(address trader, uint256 value) private returns (uint256) {
        vm.prank(trader);
        return factory.buy{value: value}(token, 0);
    }

    function _sellOld(address trader, uint256 amount) private returns (uint256 payout) {
        vm.startPrank(trader);
        IToken(token).approve(address(factory), amount);
        payout = factory.sell(token, amount, 0);
        vm.stopPrank();
    }

    function _checkSolvent() private view {
        ITokenFactory.TokenState memory state = factory.getTokenState(token);
        uint256 owed = factory.withdrawableFees() + (state.graduated ? 0 : state.contributions);
        assertEq(address(factory).balance, owed);
    }

    function test_creationIsKnownAndCanBeClosed() public {
        ITokenFactory.TokenState memory state = factory.getTokenState(token);
        assertEq(state.creator, creator);
        assertEq(state.createdAt, block.timestamp);
        assertEq(factory.launchIdOf(token), 1);
        assertEq(factory.launchIdOf(weth), 0);
        assertEq(factory.tokenCount(), 1);
        assertEq(factory.tokens(0), token);
        assertEq(IToken(token).totalSupply(), TOTAL_SUPPLY);
        assertEq(IToken(token).balanceOf(address(factory)), TOTAL_SUPPLY);
        vm.expectRevert(ITokenFactory.NotOwner.selector);
        factory.closeCreation();
        vm.prank(owner);
        factory.closeCreation();
        vm.expectRevert(ITokenFactory.CreationClosed.selector);
        factory.createToken("Late", "LATE", "", "");
        _buyOld(alice, 1 ether);
    }

    function test_refusals() public {
        vm.expectRevert(ITokenFactory.UnknownToken.selector);
        factory.buy{value: 1 ether}(weth, 0);
        vm.expectRevert(ITokenFactory.UnknownToken.selector);
        factory.getTokenState(weth);
        vm.expectRevert(ITokenFactory.BelowMinimumBuy.selector);
        factory.buy{value: 1e13 - 1}(token, 0);
        vm.expectRevert(ITokenFactory.BelowMinimumSell.selector);
        factory.sell(token, 1e18 - 1, 0);
        vm.expectRevert(ITokenFactory.SellExceedsSold.selector);
        factory.sell(token, 1e18, 0);
        vm.expectRevert(ITokenFactory.NothingToWithdraw.selector);
        factory.withdrawFees();
        (uint256 tokensOut,,) = factory.previewBuy(token, 1 ether);
        vm.expectRevert(ITokenFactory.SlippageExceeded.selector);
        factory.buy{value: 1 ether}(token, tokensOut + 1);
        _buyOld(alice, 1 ether);
        (uint256 payout,) = factory.previewSell(token, tokensOut);
        vm.startPrank(alice);
        IToken(token).approve(address(factory), tokensOut);
        vm.expectRevert(ITokenFactory.SlippageExceeded.selector);
        factory.sell(token, tokensOut, payout + 1);
        factory.sell(token, tokensOut, payout);
        vm.stopPrank();
        vm.expectRevert(ITokenFactory.TransferFailed.selector);
        factory.buy{value: 5 ether}(token, 0);
    }

    function test_startAndEndPrice() public {
        // a = 3/2e8 · e^-u = 3/2e8 · (1 - u/4), in wei for a whole token.
        assertEq(factory.priceOf(token), 297_411_019);
        uint256 balance = alice.balance;
        assertEq(_buyOld(alice, 10 ether), SALE);
        // The least gross of which three ether are left: three and three nineteenths.
        assertEq(balance - alice.balance, 3 ether + (3 ether - 1) / uint256(19));
        assertApproxEqAbs(factory.priceOf(token), 15e9, 1);
    }

    function test_graduatesIntoAPairWhoseLiquidityIsNobodys() public {
        ITokenFactory.TokenState memory state = factory.getTokenState(token);
        IToken pair = IToken(state.pair);
        vm.expectEmit(address(factory));
        emit ITokenFactory.TokenGraduated(token, state.pair, 3 ether, 2e26);
        _buyOld(alice, 10 ether);
        assertTrue(factory.getTokenState(token).graduated);
        assertEq(IToken(token).balanceOf(state.pair), 2e26);
        assertEq(IToken(weth).balanceOf(state.pair), 3 ether);
        assertEq(pair.totalSupply(), pair.balanceOf(0x000000000000000000000000000000000000dEaD) + 1_000);
        _checkSolvent();
        vm.expectRevert(ITokenFactory.AlreadyGraduated.selector);
        factory.buy{value: 1 ether}(token, 0);
        vm.expectRevert(ITokenFactory.AlreadyGraduated.selector);
        factory.sell(token, 1e18, 0);
        vm.expectRevert(ITokenFactory.AlreadyGraduated.selector);
        factory.previewBuy(token, 1 ether);
        vm.prank(alice);
        IToken(token).transfer(state.pair, 1);
    }

    function test_theTokenRefusesWhatItsHolderCannotPay() public {
        vm.expectRevert(bytes4(keccak256("InsufficientBalance()")));
        vm.prank(alice);
        IToken(token).transfer(bob, 1);
        vm.expectRevert(bytes4(keccak256("InsufficientAllowance()")));
        IToken(token).transferFrom(address(factory), bob, 1);
        vm.expectRevert(bytes4(keccak256("ReceiverInvalid()")));
        vm.prank(address(factory));
        IToken(token).transfer(address(0), 1);
    }

    function test_pairIsClosedBeforeGraduation() public {
        _buyOld(alice, 1 ether);
        address pair = factory.getTokenState(token).pair;
        vm.expectRevert(bytes4(keccak256("PairClosed()")));
        vm.prank(alice);
        IToken(token).transfer(pair, 1);
        vm.expectRevert(bytes4(keccak256("NotFactory()")));
        (bool success,) = token.call(abi.encodeWithSignature("graduate()"));
        assertTrue(success);
    }

    /// @dev Neither wrapped nor bare ether sent to the pair, nor ether forced into the factory, moves the first price.
    function testFuzz_whatIsSentToThePairBeforehandDoesNotMoveItsFirstPrice(uint256 gift) public {
        gift = bound(gift, 1, 1_000 ether);
        address pair = factory.getTokenState(token).pair;
        vm.deal(address(this), gift);
        IWrappedNative(weth).deposit{value: gift}();
        IToken(weth).transfer(pair, gift);
        vm.deal(pair, 1 ether);
        vm.deal(address(factory), 1 ether);
        _refuseAtThePair(abi.encodeWithSignature("sync()"));
        _refuseAtThePair(abi.encodeWithSignature("skim(address)", address(this)));
        _refuseAtThePair(abi.encodeWithSignature("mint(address)", address(this)));

        _buyOld(alice, 10 ether);
        (uint256 first, uint256 second) = token < weth ? (uint256(2e26), uint256(3 ether)) : (uint256(3 ether), uint256(2e26));
        (, bytes memory reserves) = pair.staticcall(abi.encodeWithSignature("getReserves()"));
        (uint256 reserve0, uint256 reserve1) = abi.decode(reserves, (uint256, uint256));
        assertEq(reserve0, first);
        assertEq(reserve1, second);
        assertEq(IToken(token).balanceOf(pair), 2e26);
        assertEq(IToken(weth).balanceOf(pair), 3 ether);
        assertEq(IToken(weth).balanceOf(protocol), gift);
        assertEq(
            IToken(pair).totalSupply(), IToken(pair).balanceOf(0x000000000000000000000000000000000000dEaD) + 1_000
        );
        (bool success,) = pair.call(abi.encodeWithSignature("sync()"));
        assertTrue(success);
    }

    function _refuseAtThePair(bytes memory data) private {
        (bool success, bytes memory reason) = factory.getTokenState(token).pair.call(data);
        assertFalse(success);
        assertEq(bytes4(reason), bytes4(keccak256("PairClosed()")));
    }

    function testFuzz_tradesAreSolventAndNoRoundTripPays(uint256 first, uint256 second, uint256 part) public {
        _buyOld(alice, bound(first, 1e13, 1.5 ether));
        uint256 balance = bob.balance;
        uint256 gross = bound(second, 1e13, 1.5 ether);
        (uint256 tokensOut, uint256 cost, uint256 refund) = factory.previewBuy(token, gross);
        assertEq(_buyOld(bob, gross), tokensOut);
        assertEq(balance - bob.balance, cost);
        assertEq(gross - cost, refund);
        _checkSolvent();
        part = bound(part, 1e18, tokensOut);
        (uint256 payout,) = factory.previewSell(token, part);
        assertEq(_sellOld(bob, part), payout);
        if (tokensOut - part >= 1e18) _sellOld(bob, tokensOut - part);
        assertLt(bob.balance, balance);
        _checkSolvent();
    }

    function testFuzz_purchaseIsTheLargestTheNetPaysFor(uint256 gross) public {
        gross = bound(gross, 1e13, 3 ether);
        uint256 sold = _buyOld(alice, gross);
        uint256 net = gross - gross / 20;
        assertEq(factory.getTokenState(token).contributions, net);
        // Selling everything back is worth what it cost, within the rounding of one wei.
        (uint256 payout, uint256 fee) = factory.previewSell(token, sold);
        assertEq(payout + fee, net);
        // The cost grows with the tokens as the exponential does: 3 (e^(u x / S) - 1) / (e^u - 1).
        assertApproxEqRel(_cost(sold), net, 1e6);
    }

    function test_previewAnswersAtTheEdgeOfItsType() public view {
        (uint256 tokensOut, uint256 cost, uint256 refund) = factory.previewBuy(token, type(uint256).max);
        assertEq(tokensOut, SALE);
        assertEq(refund, type(uint256).max - cost);
    }

    function test_feesGoToTheirRecipient() public {
        _buyOld(alice, 1 ether);
        assertEq(factory.withdrawableFees(), 0.05 ether);
        factory.withdrawFees();
        assertEq(protocol.balance, 0.05 ether);
        _checkSolvent();
    }

    /// @dev The cost by another route: e^y as the 64th power of a short series, with 18 digits and then some.
    function _cost(uint256 sold) private pure returns (uint256) {
        uint256 one = 1e27;
        uint256 y = 3_920690394872886343560891352 * sold / SALE;
        return 3 ether * (_power(y) - one) / (_power(3_920690394872886343560891352) - one);
    }

    function _power(uint256 y) private pure returns (uint256 result) {
        uint256 one = 1e27;
        uint256 small = y / 64;
        result = one + small + small * small / (2 * one) + small * small / one * small / (6 * one);
        uint256 term = small * small / one * small / one;
        for (uint256 i = 4; i < 16; ++i) {
            uint256 factorial = 1;
            for (uint256 j = 2; j <= i; ++j) {
                factorial *= j;
            }
            term = term * small / one;
            result += term / factorial;
        }
        for (uint256 i = 0; i < 6; ++i) {
            result = result * result / one;
        }
    }
}
