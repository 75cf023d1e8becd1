// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {LaunchToken} from "../LaunchToken.sol";
import {IPairFactory} from "./ILegacyPair.sol";

/// @title A token of the first version
/// @notice Before it graduates it can neither be sent to its pair nor counted by it, so that the pair's reserves stay empty
///         and nobody sets its price beforehand.
contract LegacyToken is LaunchToken {
    /// @notice The pair is closed until graduation.
    error PairClosed();
    /// @notice The caller is not the factory.
    error NotFactory();

    /// @notice The factory that deployed the token.
    address public immutable factory;

    /// @notice The token's pair against the wrapped native asset.
    address public immutable pair;

    /// @notice Whether the token has graduated.
    bool public graduated;

    /// @notice Mints the supply to the deploying factory and makes sure that the pair exists.
    /// @param name_ Token name.
    /// @param symbol_ Token symbol.
    /// @param supply Units to mint.
    /// @param pairs Factory of pairs.
    /// @param weth Wrapped native asset.
    constructor(string memory name_, string memory symbol_, uint256 supply, IPairFactory pairs, address weth)
        LaunchToken(name_, symbol_, supply)
    {
        factory = msg.sender;
        address existing = pairs.getPair(address(this), weth);
        pair = existing == address(0) ? pairs.createPair(address(this), weth) : existing;
    }

    /// @notice Opens the pair.
    function graduate() external {
        if (msg.sender != factory) revert NotFactory();
        graduated = true;
    }

    /// @inheritdoc LaunchToken
    /// @dev A pair reads its balances of both tokens whenever it takes in, syncs or skims what it was sent.
    function balanceOf(address account) public view override returns (uint256 units) {
        if (msg.sender == pair && !graduated) revert PairClosed();
        return super.balanceOf(account);
    }

    /// @inheritdoc LaunchToken
    function _move(address from, address to, uint256 amount) internal override {
        if (to == pair && !graduated) revert PairClosed();
        super._move(from, to, amount);
    }
}
