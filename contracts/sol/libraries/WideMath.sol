// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

/// @title Products wider than a word
/// @notice Exact `a * b / d` with a 512-bit product, and the exact integer square root.
library WideMath {
    /// @notice The quotient does not fit a word, or the divisor is zero.
    error QuotientOverflow();

    /// @notice `a * b / d`, rounded down.
    function mulDivDown(uint256 a, uint256 b, uint256 d) internal pure returns (uint256 quotient) {
        unchecked {
            (uint256 high, uint256 low) = _product(a, b);
            if (d <= high) revert QuotientOverflow();
            if (high == 0) return low / d;

            // Take the remainder away, so that what is left divides exactly.
            uint256 remainder = mulmod(a, b, d);
            if (remainder > low) high -= 1;
            low -= remainder;

            // An exact division may drop the factors of two of the divisor from both sides.
            uint256 twos = d & (~d + 1);
            d /= twos;
            low = (low / twos) | (high * ((~twos + 1) / twos + 1));
            // What is left of the divisor is odd and has an inverse modulo 2^256. The start is right in
            // four bits and every step doubles that, so six steps are enough.
            uint256 inverse = (3 * d) ^ 2;
            for (uint256 step = 0; step < 6; ++step) {
                inverse *= 2 - d * inverse;
            }
            return low * inverse;
        }
    }

    /// @notice `a * b / d`, rounded up.
    function mulDivUp(uint256 a, uint256 b, uint256 d) internal pure returns (uint256 quotient) {
        quotient = mulDivDown(a, b, d);
        if (mulmod(a, b, d) != 0) quotient += 1;
    }

    /// @notice The largest integer whose square is at most `value`.
    function sqrtDown(uint256 value) internal pure returns (uint256 root) {
        if (value == 0) return 0;
        unchecked {
            // A power of two that is not below the root: Newton's steps then only fall, and end on it.
            root = 1 << ((_bitLength(value) + 1) / 2);
            while (true) {
                uint256 next = (root + value / root) >> 1;
                if (next >= root) return root;
                root = next;
            }
        }
    }

    /// @dev The full product. The remainder modulo 2^256 - 1 is the sum of both words modulo the same, which gives the
    ///      upper word once the lower one is known.
    function _product(uint256 a, uint256 b) private pure returns (uint256 high, uint256 low) {
        unchecked {
            uint256 folded = mulmod(a, b, type(uint256).max);
            low = a * b;
            high = folded - low;
            if (folded < low) high -= 1;
        }
    }

    /// @dev How many bits it takes to write `value`.
    function _bitLength(uint256 value) private pure returns (uint256 bits) {
        unchecked {
            for (uint256 width = 128; width != 0; width >>= 1) {
                if (value >> width != 0) {
                    value >>= width;
                    bits += width;
                }
            }
            bits += value;
        }
    }
}
