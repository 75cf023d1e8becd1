// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {CaptchaAuth, CreateLaunchParams, LaunchConfig} from "../sol/types/LaunchTypes.sol";
import {IToken, LaunchFixture} from "./support/LaunchFixture.sol";

/// @title Where the hook keeps what it knows, read slot by slot
/// @notice The module writes these slots by its own code, so that this also holds the layouts of both together.
contract StorageTest is LaunchFixture {
    function _slot(uint256 slot) private view returns (uint256) {
        return uint256(vm.load(address(hook), bytes32(slot)));
    }

    function _at(bytes32 key, uint256 mapping_) private pure returns (uint256) {
        return uint256(keccak256(abi.encode(key, mapping_)));
    }

    function test_surroundingsLieInTheFirstSlots() public {
        vm.prank(owner);
        hook.setCreationPaused(true);
        assertEq(_slot(0), uint160(manager));
        assertEq(_slot(1), uint160(weth));
        assertEq(_slot(2), 0);
        assertEq(_slot(3), uint160(vm.addr(SIGNER_KEY)));
        assertEq(_slot(4), uint160(protocol) | (1 << 160));
    }

    function test_aLaunchLiesInSixSlots() public {
        CreateLaunchParams memory params = _params();
        params.antiSnipeDuration = 40;
        (uint256 launchId, IToken token) = _launch(params, 0.5 ether);
        CaptchaAuth memory auth = _auth(alice, launchId, uint64(block.timestamp), "nonce");
        vm.prank(alice);
        hook.buy{value: 0.5 ether}(launchId, 0, auth);
        LaunchConfig memory launch = _state(launchId);
        uint256 first = _at(bytes32(launchId), 6);
        assertEq(_slot(first), uint160(creator) | (uint256(launch.targetRaise) << 160));
        assertEq(
            _slot(first + 1),
            uint160(address(token)) | (uint256(launch.launchTime) << 160) | (uint256(launch.gainBps) << 224)
        );
        assertEq(_slot(first + 2), launch.sold | (uint256(launch.netContributions) << 128));
        assertEq(_slot(first + 3), launch.saleSupply | (uint256(40) << 128) | (uint256(5_000) << 160));
        assertEq(_slot(first + 4), 0);
        assertEq(_slot(first + 5), hook.accumulatedBuyback(launchId));
        assertGt(_slot(first + 5), 0);

        assertEq(_slot(5), 1);
        assertEq(_slot(_at(bytes32(uint256(uint160(address(token)))), 7)), launchId);
        assertEq(_slot(_at(bytes32(uint256(uint160(protocol))), 8)), hook.withdrawableFees(protocol));
        assertEq(_slot(_at("nonce", 9)), 1);

        skip(41);
        _buy(alice, launchId, 5 ether);
        assertEq(_slot(first + 3) >> 176, 1);
        assertEq(bytes32(_slot(first + 4)), _state(launchId).poolId);
    }

    /// @dev A trade inside an open curve writes two words of a launch, two balances of fees and two of tokens.
    function test_aTradeWritesTwoWordsOfItsLaunch() public {
        (uint256 launchId,) = _launch(_params(), 0.1 ether);
        uint256 first = _at(bytes32(launchId), 6);
        vm.record();
        _buy(alice, launchId, 0.1 ether);
        (, bytes32[] memory written) = vm.accesses(address(hook));
        uint256 ofLaunch;
        for (uint256 i = 0; i < written.length; ++i) {
            uint256 slot = uint256(written[i]);
            if (slot == first + 2 || slot == first + 5) ++ofLaunch;
            else assertFalse(slot >= first && slot < first + 6);
        }
        // Sold and contributions share a word that is written once for each of the two.
        assertLe(ofLaunch, 3);
        assertGe(ofLaunch, 2);
    }
}
