// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {ILaunchErrors} from "./interfaces/ILaunchErrors.sol";
import {ILaunchEvents} from "./interfaces/ILaunchEvents.sol";

/// @title Storage of a launch hook
/// @notice The only place where state variables are declared. The hook and the module whose code it runs both inherit
///         it and add none, so that both see the same slots. The lock lives in transient storage.
abstract contract LaunchStorage is ILaunchErrors, ILaunchEvents {
    /// @dev A launch. What a trade writes shares a slot; what is fixed at creation shares the others.
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

    /// @dev Set by the constructor and never changed: slots 0 to 4.
    address internal _poolManager;
    address internal _weth;
    address internal _quoteAsset;
    address internal _captchaSigner;
    address internal _protocolFeeRecipient;

    /// @dev Shares slot 4.
    bool internal _creationPaused;

    /// @dev Slots 5 to 9.
    uint256 internal _launchCount;
    mapping(uint256 launchId => Launch launch) internal _launches;
    mapping(address token => uint256 launchId) internal _launchIdOf;
    mapping(address account => uint256 amount) internal _withdrawableFees;
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
