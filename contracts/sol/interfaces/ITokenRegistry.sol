// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

/// @title What can say whether a token was launched here
/// @notice Launch hooks and the factory of the first version both can.
interface ITokenRegistry {
    /// @notice The launch that sells a token.
    /// @param token The token.
    /// @return launchId Its launch; zero when there is none.
    function launchIdOf(address token) external view returns (uint256 launchId);
}
