// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {Test} from "forge-std/Test.sol";
import {Vm} from "forge-std/Vm.sol";

import {ITokenFactory} from "../../sol/legacy/ITokenFactory.sol";
import {IToken} from "./LaunchFixture.sol";

/// @title Random use of the factory of the first version that only watches
/// @notice Like the handler of the launch hook: it knows no formula of the curve and notes when a law was broken.
contract LegacyLawHandler is Test {
    uint256 public constant ACTORS = 3;

    ITokenFactory private immutable factory;
    address private immutable weth;

    /// @notice Wei that came into the factory, and left it again.
    uint256 public moneyIn;
    uint256 public moneyOut;
    /// @notice Broken laws.
    bool public priceFell;
    bool public roundTripPaid;
    bool public partsDiffer;
    bool public targetInexact;
    bool public pairPriceOff;
    bool public openAfterwards;
    /// @notice A call that had to succeed did not.
    bool public refused;

    mapping(address token => uint256) private lastCap;
    mapping(address token => bool) private opened;

    constructor(ITokenFactory factory_, address weth_) {
        (factory, weth) = (factory_, weth_);
    }

    function actor(uint256 index) public pure returns (address) {
        return address(uint160(0xac7000 + index % ACTORS));
    }

    function buy(uint256 who, uint256 which, uint256 gross) external {
        (address token, ITokenFactory.TokenState memory state) = _pick(which);
        if (!state.graduated) _buy(actor(who), token, bound(gross, 1e13, 1.2 ether));
    }

    function sell(uint256 who, uint256 which, uint256 amount) external {
        (address token, ITokenFactory.TokenState memory state) = _pick(which);
        uint256 held = IToken(token).balanceOf(actor(who));
        if (!state.graduated && held >= 1e18) _sell(actor(who), token, bound(amount, 1e18, held));
    }

    function roundTrip(uint256 who, uint256 which, uint256 gross) external {
        (address token, ITokenFactory.TokenState memory state) = _pick(which);
        if (state.graduated) return;
        gross = bound(gross, 1e13, 0.3 ether);
        uint256 held = IToken(token).balanceOf(actor(who));
        _buy(actor(who), token, gross);
        if (factory.getTokenState(token).graduated) return;
        uint256 bought = IToken(token).balanceOf(actor(who)) - held;
        if (_sell(actor(who), token, bought) > _net(gross)) roundTripPaid = true;
    }

    function buyInParts(uint256 who, uint256 which, uint256 first, uint256 second) external {
        (address token, ITokenFactory.TokenState memory state) = _pick(which);
        first = bound(first, 1e12, 1e16) * 20;
        second = bound(second, 1e12, 1e16) * 20;
        if (state.graduated || _net(first + second) >= 3 ether - state.contributions) return;
        (uint256 together,,) = factory.previewBuy(token, first + second);
        uint256 held = IToken(token).balanceOf(actor(who));
        _buy(actor(who), token, first);
        _buy(actor(who), token, second);
        if (IToken(token).balanceOf(actor(who)) - held != together) partsDiffer = true;
    }

    function fillUp(uint256 who, uint256 which, uint256 extra) external {
        (address token, ITokenFactory.TokenState memory state) = _pick(which);
        if (state.graduated || extra % 3 != 0) return;
        uint256 needed = 3 ether - state.contributions;
        uint256 gross = needed + needed / 18 + 40 + extra % 1 ether;
        if (gross < 1e13) gross = 1e13;
        uint256 spent = _buy(actor(who), token, gross);
        if (_net(spent) != needed) targetInexact = true;
        for (uint256 less = 1; less <= 40 && less <= spent; ++less) {
            if (_net(spent - less) >= needed) targetInexact = true;
        }
    }

    function withdraw() external {
        uint256 amount = factory.withdrawableFees();
        if (amount == 0) return;
        try factory.withdrawFees() {
            moneyOut += amount;
        } catch {
            refused = true;
        }
    }

    function tryAfterwards(uint256 who, uint256 which) external {
        (address token, ITokenFactory.TokenState memory state) = _pick(which);
        if (!state.graduated) return;
        vm.deal(actor(who), 2 ether);
        _expectClosed(who, 1 ether, abi.encodeCall(factory.buy, (token, 0)));
        _expectClosed(who, 0, abi.encodeCall(factory.sell, (token, 1e18, 0)));
        _expectClosed(who, 0, abi.encodeCall(factory.previewBuy, (token, 1 ether)));
        _expectClosed(who, 0, abi.encodeCall(factory.previewSell, (token, 1e18)));
    }

    function _expectClosed(uint256 who, uint256 value, bytes memory data) private {
        vm.prank(actor(who));
        (bool success, bytes memory reason) = address(factory).call{value: value}(data);
        if (success || bytes4(reason) != ITokenFactory.AlreadyGraduated.selector) openAfterwards = true;
    }

    function _pick(uint256 which) private view returns (address token, ITokenFactory.TokenState memory state) {
        token = factory.tokens(which % factory.tokenCount());
        state = factory.getTokenState(token);
    }

    function _net(uint256 gross) private pure returns (uint256) {
        return gross - gross / 20;
    }

    function _buy(address who, address token, uint256 gross) private returns (uint256 spent) {
        vm.deal(who, gross);
        uint256 balance = address(factory).balance;
        vm.recordLogs();
        vm.prank(who);
        try factory.buy{value: gross}(token, 0) {
            spent = gross - who.balance;
            moneyIn += spent;
            moneyOut += balance + spent - address(factory).balance;
            _watchPrice(token, true);
        } catch {
            refused = true;
        }
        _watchOpening(token);
    }

    function _sell(address who, address token, uint256 amount) private returns (uint256 gross) {
        uint256 balance = who.balance;
        vm.startPrank(who);
        IToken(token).approve(address(factory), amount);
        vm.recordLogs();
        try factory.sell(token, amount, 0) {
            moneyOut += who.balance - balance;
            gross = _watchPrice(token, false);
        } catch {
            refused = true;
        }
        vm.stopPrank();
    }

    function _watchPrice(address token, bool bought) private returns (uint256 gross) {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].topics[0] != ITokenFactory.TokenTraded.selector) continue;
            uint256 cap;
            (, gross,,,,, cap) =
                abi.decode(logs[i].data, (uint8, uint256, uint256, uint256, uint256, uint256, uint256));
            uint256 last = lastCap[token];
            if (last != 0 && (bought ? cap < last : cap > last)) priceFell = true;
            lastCap[token] = cap;
        }
    }

    /// @dev Once, when a token has just graduated: the pair holds the target against a quarter of what was sold, and the
    ///      curve's last price is that ratio within the wei that it is rounded to.
    function _watchOpening(address token) private {
        ITokenFactory.TokenState memory state = factory.getTokenState(token);
        if (!state.graduated || opened[token]) return;
        opened[token] = true;
        uint256 quote = IToken(weth).balanceOf(state.pair);
        uint256 ratio = quote * 1e18 / IToken(token).balanceOf(state.pair);
        uint256 end = factory.priceOf(token);
        if (quote != 3 ether || ratio > end + 1 || end > ratio + 1) pairPriceOff = true;
    }
}
