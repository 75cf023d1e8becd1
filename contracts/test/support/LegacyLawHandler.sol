// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {Vm} from "forge-std/Vm.sol";

import {ITokenFactory} from "../../sol/legacy/ITokenFactory.sol";
import {IToken} from "./LaunchFixture.sol";
import {LawWatch} from "./LawWatch.sol";

/// @title Random use of the V1 factory that only watches
contract LegacyLawHandler is LawWatch {
    ITokenFactory private immutable factory;
    address private immutable weth;

    constructor(ITokenFactory factory_, address weth_) {
        (factory, weth) = (factory_, weth_);
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
        _watchTarget(spent, needed, 40);
    }

    function withdraw() external {
        uint256 amount = factory.withdrawableFees();
        if (amount == 0) return;
        _withdraw(address(factory), address(this), amount, abi.encodeCall(factory.withdrawFees, ()));
    }

    function tryAfterwards(uint256 who, uint256 which) external {
        (address token, ITokenFactory.TokenState memory state) = _pick(which);
        if (!state.graduated) return;
        _expectClosed(who, 1 ether, abi.encodeCall(factory.buy, (token, 0)));
        _expectClosed(who, 0, abi.encodeCall(factory.sell, (token, 1e18, 0)));
        _expectClosed(who, 0, abi.encodeCall(factory.previewBuy, (token, 1 ether)));
        _expectClosed(who, 0, abi.encodeCall(factory.previewSell, (token, 1e18)));
    }

    function _expectClosed(uint256 who, uint256 value, bytes memory data) private {
        _expectClosed(address(factory), who, value, data, ITokenFactory.AlreadyGraduated.selector);
    }

    function _pick(uint256 which) private view returns (address token, ITokenFactory.TokenState memory state) {
        token = factory.tokens(which % factory.tokenCount());
        state = factory.getTokenState(token);
    }

    function _net(uint256 gross) internal pure override returns (uint256) {
        return gross - gross / 20;
    }

    function _buy(address who, address token, uint256 gross) private returns (uint256 spent) {
        bool success;
        (success, spent) = _pay(address(factory), who, gross, abi.encodeCall(factory.buy, (token, 0)));
        if (success) _watchPrice(token, true);
        _watchOpening(token);
    }

    function _sell(address who, address token, uint256 amount) private returns (uint256 gross) {
        bytes memory data = abi.encodeCall(factory.sell, (token, amount, 0));
        if (_give(address(factory), who, token, amount, data)) gross = _watchPrice(token, false);
    }

    function _watchPrice(address token, bool bought) private returns (uint256 gross) {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].topics[0] != ITokenFactory.TokenTraded.selector) continue;
            uint256 cap;
            (, gross,,,,, cap) =
                abi.decode(logs[i].data, (uint8, uint256, uint256, uint256, uint256, uint256, uint256));
            _watchCap(uint160(token), cap, bought);
        }
    }

    /// @dev Once, when a token has just graduated: the pair holds the target against a quarter of what was sold, and the
    ///      curve's last price is that ratio within the wei that it is rounded to.
    function _watchOpening(address token) private {
        ITokenFactory.TokenState memory state = factory.getTokenState(token);
        if (!state.graduated || opened[uint160(token)]) return;
        opened[uint160(token)] = true;
        uint256 quote = IToken(weth).balanceOf(state.pair);
        uint256 ratio = quote * 1e18 / IToken(token).balanceOf(state.pair);
        uint256 end = factory.priceOf(token);
        if (quote != 3 ether || ratio > end + 1 || end > ratio + 1) openingOff = true;
    }
}
