// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

/// @title The calls this project makes on the factory of the constant-product exchange
interface IPairFactory {
    /// @notice Creates the pair of two tokens.
    /// @param tokenA One token.
    /// @param tokenB The other.
    /// @return pair The new pair.
    function createPair(address tokenA, address tokenB) external returns (address pair);

    /// @notice The pair of two tokens; the zero address when there is none.
    /// @param tokenA One token.
    /// @param tokenB The other.
    /// @return pair Their pair.
    function getPair(address tokenA, address tokenB) external view returns (address pair);
}

/// @title The calls this project makes on a pair
interface IPair {
    /// @notice Turns what was sent to the pair into liquidity of `to`.
    /// @param to Who receives the liquidity.
    /// @return liquidity How much of it.
    function mint(address to) external returns (uint256 liquidity);

    /// @notice Sends away what the pair holds beyond its reserves.
    /// @param to Who receives it.
    function skim(address to) external;
}
