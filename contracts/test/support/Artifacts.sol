// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

import {Vm} from "forge-std/Vm.sol";

/// @title Bytecode under test
/// @notice Our contracts come from the build of this run, or from a folder of artifacts named by SLIPWAY_ARTIFACTS: so the
///         same tests judge a changed artifact without a new build. The published contracts come from their packages.
library Artifacts {
    Vm private constant VM = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @notice Creation code of one of our contracts.
    function creationCode(string memory name) internal returns (bytes memory) {
        string memory folder = VM.envOr("SLIPWAY_ARTIFACTS", string(""));
        if (bytes(folder).length != 0) {
            string memory path = string.concat(folder, "/", name, ".json");
            if (VM.isFile(path)) return VM.parseJsonBytes(VM.readFile(path), ".bytecode");
        }
        return VM.getCode(string.concat(name, ".sol:", name));
    }

    /// @notice Deploys one of our contracts that takes no arguments.
    function deploy(string memory name) internal returns (address) {
        return create(creationCode(name));
    }

    /// @notice Deploys the published v4 pool manager.
    function deployPoolManager(address owner) internal returns (address) {
        bytes memory code = VM.getCode("node_modules/@uniswap/v4-core/out/PoolManager.sol/PoolManager.json");
        return create(abi.encodePacked(code, abi.encode(owner)));
    }

    /// @notice Deploys the published wrapped native asset.
    function deployWrappedNative() internal returns (address) {
        string memory json = VM.readFile("node_modules/@uniswap/v2-periphery/build/WETH9.json");
        return create(VM.parseBytes(string.concat("0x", VM.parseJsonString(json, ".bytecode"))));
    }

    /// @notice Deploys the published factory of constant-product pairs.
    function deployPairFactory(address owner) internal returns (address) {
        string memory json = VM.readFile("node_modules/@uniswap/v2-core/build/UniswapV2Factory.json");
        bytes memory code = VM.parseBytes(string.concat("0x", VM.parseJsonString(json, ".bytecode")));
        return create(abi.encodePacked(code, abi.encode(owner)));
    }

    /// @notice Runs creation code as a deployment at a chosen address.
    function deployAt(address where, bytes memory initCode) internal returns (bool success, bytes memory answer) {
        VM.etch(where, initCode);
        (success, answer) = where.call("");
        if (success) VM.etch(where, answer);
    }

    /// @notice Runs creation code.
    function create(bytes memory initCode) internal returns (address created) {
        assembly ("memory-safe") {
            created := create(0, add(initCode, 0x20), mload(initCode))
        }
        require(created != address(0), "deployment failed");
    }
}
