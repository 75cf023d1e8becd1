// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

/// @title Typed data of a captcha authorisation
/// @notice EIP-712, in the domain of the contract whose code or storage it runs in.
library CaptchaDigest {
    bytes32 private constant DOMAIN_TYPE =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant CAPTCHA_TYPE =
        keccak256("Captcha(address trader,uint256 launchId,uint64 deadline,bytes32 nonce)");
    bytes32 private constant NAME = keccak256("LaunchHook");
    bytes32 private constant VERSION = keccak256("1");

    /// @dev Half the order of the curve: the larger of the two equivalent signatures is refused.
    uint256 private constant HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    /// @notice What the captcha signer signs.
    function digest(address trader, uint256 launchId, uint64 deadline, bytes32 nonce) internal view returns (bytes32) {
        bytes32 domain = keccak256(abi.encode(DOMAIN_TYPE, NAME, VERSION, block.chainid, address(this)));
        bytes32 content = keccak256(abi.encode(CAPTCHA_TYPE, trader, launchId, deadline, nonce));
        return keccak256(abi.encodePacked(hex"1901", domain, content));
    }

    /// @notice Who signed a digest; the zero address when the signature is malformed.
    function signerOf(bytes32 digest_, bytes calldata signature) internal pure returns (address) {
        if (signature.length != 65) return address(0);
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        if (uint256(s) > HALF_ORDER) return address(0);
        return ecrecover(digest_, uint8(signature[64]), r, s);
    }
}
