// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {ILaunchErrors} from "./interfaces/ILaunchErrors.sol";
import {ILaunchEvents} from "./interfaces/ILaunchEvents.sol";

/// @title Storage of a launch hook
/// @notice The only place where state variables are declared. The hook and the module whose code it runs both inherit
///         it and add none, so that both see the same slots. The lock lives in transient storage.
abstract contract LaunchStorage is ILaunchErrors, ILaunchEvents {
    /// @dev A launch, in six slots. A trade writes the third (`sold`, `netContributions`) and the last, and reads the first
    ///      four; all but `finalized` and the split is fixed at creation there.
    /// @param creator Slot 0, bytes 0 to 19.
    /// @param targetRaise Slot 0, bytes 20 to 31.
    /// @param token Slot 1, bytes 0 to 19.
    /// @param launchTime Slot 1, bytes 20 to 27.
    /// @param gainBps Slot 1, bytes 28 to 31.
    /// @param sold Slot 2, bytes 0 to 15.
    /// @param netContributions Slot 2, bytes 16 to 31.
    /// @param saleSupply Slot 3, bytes 0 to 15.
    /// @param antiSnipeDuration Slot 3, bytes 16 to 19.
    /// @param creatorFeeSplitBps Slot 3, bytes 20 and 21.
    /// @param finalized Slot 3, byte 22.
    /// @param poolId Slot 4; written once, at graduation.
    /// @param accumulatedBuyback Slot 5.
    struct Launch {
        address creator;
        uint96 targetRaise;
        address token;
        uint64 launchTime;
        uint32 gainBps;
        uint128 sold;
        uint128 netContributions;
        uint128 saleSupply;
        uint32 antiSnipeDuration;
        uint16 creatorFeeSplitBps;
        bool finalized;
        bytes32 poolId;
        uint256 accumulatedBuyback;
    }

    /// @dev Slot 0; like the next four, set by the constructor and never changed. They are in storage, not in code,
    ///      because the module reads them too.
    address internal _poolManager;
    /// @dev Slot 1.
    address internal _weth;
    /// @dev Slot 2.
    address internal _quoteAsset;
    /// @dev Slot 3.
    address internal _captchaSigner;
    /// @dev Slot 4, bytes 0 to 19.
    address internal _protocolFeeRecipient;
    /// @dev Slot 4, byte 20.
    bool internal _creationPaused;
    /// @dev Slot 5.
    uint256 internal _launchCount;
    /// @dev Slot 6.
    mapping(uint256 launchId => Launch launch) internal _launches;
    /// @dev Slot 7.
    mapping(address token => uint256 launchId) internal _launchIdOf;
    /// @dev Slot 8.
    mapping(address account => uint256 amount) internal _withdrawableFees;
    /// @dev Slot 9.
    mapping(bytes32 nonce => bool used) internal _captchaNonceUsed;

    /// @dev Transient slot of the lock: the hash of "slipway.launch.lock".
    bytes32 private constant LOCK = keccak256("slipway.launch.lock");

    /// @dev Refuses calls that come in while a locked call is being carried out.
    modifier locked() {
        bytes32 slot = LOCK;
        uint256 held;
        assembly ("memory-safe") {
            held := tload(slot)
        }
        if (held != 0) revert Reentered();
        assembly ("memory-safe") {
            tstore(slot, 1)
        }
        _;
        assembly ("memory-safe") {
            tstore(slot, 0)
        }
    }

    /// @dev The launch with an id that must exist.
    function _known(uint256 launchId) internal view returns (Launch storage launch) {
        launch = _launches[launchId];
        if (launch.token == address(0)) revert UnknownLaunch();
    }
}
