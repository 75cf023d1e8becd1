// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {IEmperorAuction} from "../sol/interfaces/IEmperorAuction.sol";
import {ITokenRegistry} from "../sol/interfaces/ITokenRegistry.sol";
import {Artifacts} from "./support/Artifacts.sol";
import {IToken, LaunchFixture} from "./support/LaunchFixture.sol";

/// @title The auction of the daily featured token
contract EmperorTest is LaunchFixture {
    uint256 private constant FLOOR = 0.001 ether;

    IEmperorAuction private auction;
    address private token;
    address private other;
    uint256 private midnight;

    function setUp() public override {
        super.setUp();
        ITokenRegistry[] memory registries = new ITokenRegistry[](1);
        registries[0] = ITokenRegistry(address(hook));
        bytes memory code = Artifacts.creationCode("EmperorAuction");
        auction = IEmperorAuction(Artifacts.create(abi.encodePacked(code, abi.encode(registries, protocol))));
        IToken launched;
        (, launched) = _launch();
        token = address(launched);
        (, launched) = _launch();
        other = address(launched);
        midnight = (block.timestamp / 1 days + 1) * 1 days;
        vm.warp(midnight);
    }

    function _bid(address bidder, address forToken, uint256 value) private {
        vm.prank(bidder);
        auction.bid{value: value}(forToken);
    }

    function test_beginsAtTenFloorsAndFallsToOne() public {
        assertEq(auction.startBid(), 10 * FLOOR);
        assertEq(auction.currentBid(), 10 * FLOOR);
        vm.warp(midnight + 12 hours);
        assertEq(auction.currentBid(), 5.5 * 0.001 ether);
        vm.warp(midnight + 1 days - 1);
        assertGt(auction.currentBid(), FLOOR);
        assertApproxEqAbs(auction.currentBid(), FLOOR, 0.0000002 ether);
        vm.warp(midnight + 1 days);
        assertEq(auction.currentBid(), 10 * FLOOR);
    }

    function testFuzz_priceFallsInAStraightLine(uint256 passed) public {
        passed = bound(passed, 0, 1 days - 1);
        vm.warp(midnight + passed);
        // The price rounded up: no less than the line, and less than a wei above it.
        uint256 scaled = auction.currentBid() * 1 days;
        uint256 line = 10 * FLOOR * 1 days - 9 * FLOOR * passed;
        assertGe(scaled, line);
        assertLt(scaled, line + 1 days);
    }

    function test_firstBidAtThePriceWinsAndTheRestComesBack() public {
        vm.warp(midnight + 6 hours);
        uint256 price = auction.currentBid();
        uint256 balance = alice.balance;
        vm.expectEmit(address(auction));
        emit IEmperorAuction.BidWon(midnight / 1 days, token, alice, price, 10 * FLOOR);
        _bid(alice, token, 1 ether);
        assertEq(balance - alice.balance, price);
        assertEq(address(auction).balance, price);
        assertTrue(auction.isEpochTaken());
        assertEq(auction.currentBid(), price);
        assertEq(auction.startBid(), 10 * FLOOR);
        vm.warp(midnight + 7 hours);
        assertEq(auction.currentBid(), price);
        vm.expectRevert(IEmperorAuction.EpochTaken.selector);
        _bid(bob, other, 1 ether);
    }

    function test_refusals() public {
        uint256 price = auction.currentBid();
        vm.expectRevert(IEmperorAuction.BidTooLow.selector);
        _bid(alice, token, price - 1);
        vm.expectRevert(IEmperorAuction.UnknownToken.selector);
        _bid(alice, weth, price);
        vm.expectRevert(IEmperorAuction.UnknownToken.selector);
        _bid(alice, address(0), price);
        _bid(alice, token, price);
    }

    function test_aWinMovesThroughTheEpochs() public {
        _bid(alice, token, 1 ether);
        _expect(token, address(0), address(0), true);
        vm.warp(midnight + 1 days);
        _expect(address(0), token, address(0), false);
        assertEq(auction.emperorOf(auction.currentEpoch()), token);
        _bid(bob, other, 1 ether);
        _expect(other, token, address(0), true);
        vm.warp(midnight + 2 days);
        _expect(address(0), other, token, false);
        vm.warp(midnight + 3 days);
        _expect(address(0), address(0), other, false);
        vm.warp(midnight + 4 days);
        _expect(address(0), address(0), address(0), false);
    }

    function test_theNextEpochBeginsAtTwiceTheLastWin() public {
        _bid(alice, token, 1 ether);
        vm.warp(midnight + 1 days);
        assertEq(auction.startBid(), 20 * FLOOR);
        vm.warp(midnight + 1 days + 12 hours);
        _bid(bob, token, 1 ether);
        assertEq(auction.bidData().lastBidAmount, 10.5 * 0.001 ether);
        assertEq(auction.bidData().lastBidTime, block.timestamp);
        assertEq(auction.startBid(), 20 * FLOOR);
        // An epoch without a bid does not change where the next one begins.
        vm.warp(midnight + 3 days);
        assertEq(auction.startBid(), 21 * FLOOR);
        vm.warp(midnight + 4 days - 1);
        _bid(bob, token, 1 ether);
        vm.warp(midnight + 4 days);
        assertEq(auction.startBid(), 10 * FLOOR);
    }

    function test_proceedsGoToTheBeneficiary() public {
        vm.expectRevert(IEmperorAuction.NothingToWithdraw.selector);
        auction.withdrawProceeds();
        _bid(alice, token, 10 * FLOOR);
        assertEq(auction.proceeds(), 10 * FLOOR);
        auction.withdrawProceeds();
        assertEq(protocol.balance, 10 * FLOOR);
        assertEq(auction.proceeds(), 0);
    }

    function test_bidderThatRefusesItsRefund() public {
        vm.deal(address(this), 1 ether);
        vm.expectRevert(IEmperorAuction.TransferFailed.selector);
        auction.bid{value: 1 ether}(token);
    }

    function _expect(address next, address current, address last, bool taken) private view {
        IEmperorAuction.BidData memory data = auction.bidData();
        assertEq(data.nextBoostedToken, next);
        assertEq(data.currentBoostedToken, current);
        assertEq(data.lastBoostedToken, last);
        assertEq(data.isEpochTaken, taken);
        assertEq(data.currentBid, auction.currentBid());
        assertEq(data.startBid, auction.startBid());
    }
}
