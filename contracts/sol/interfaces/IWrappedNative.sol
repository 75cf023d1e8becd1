// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

/// @title The two calls this project makes on the wrapped native asset
interface IWrappedNative {
    /// @notice Wraps the value of the call.
    function deposit() external payable;

    /// @notice Unwraps to the caller.
    /// @param amount Units to unwrap.
    function withdraw(uint256 amount) external;
}
