// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

/// @title A token whose issuer extends its supply
/// @notice ERC-20 of any precision: what the exchange trades, and what stands for a stock.
contract MintableToken {
    /// @notice The caller is not the issuer.
    error NotIssuer();
    /// @notice The sender holds less than the amount.
    error InsufficientBalance();
    /// @notice The spender may spend less than the amount.
    error InsufficientAllowance();
    /// @notice Tokens cannot be sent to the zero address.
    error ReceiverInvalid();

    /// @notice Tokens moved; the zero address stands for mint.
    /// @param from Holder until now.
    /// @param to Holder from now on.
    /// @param amount Units.
    event Transfer(address indexed from, address indexed to, uint256 amount);

    /// @notice An owner set what a spender may spend.
    /// @param owner The owner.
    /// @param spender The spender.
    /// @param amount Units the spender may move.
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    /// @notice Digits after the point of a whole token.
    uint8 public immutable decimals;

    /// @notice Account that may extend the supply.
    address public immutable issuer;

    /// @notice Name of the token.
    string public name;

    /// @notice Symbol of the token.
    string public symbol;

    /// @notice Units that exist.
    uint256 public totalSupply;

    /// @notice Units an account holds.
    mapping(address account => uint256 units) public balanceOf;

    /// @notice Units a spender may still move for an owner; the largest value never shrinks.
    mapping(address owner => mapping(address spender => uint256 units)) public allowance;

    /// @notice Starts without supply.
    /// @param name_ Name of the token.
    /// @param symbol_ Symbol of the token.
    /// @param decimals_ Digits after the point of a whole token.
    /// @param issuer_ Account that may extend the supply.
    constructor(string memory name_, string memory symbol_, uint8 decimals_, address issuer_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
        issuer = issuer_;
    }

    /// @notice Issues new units.
    /// @param to Who receives them.
    /// @param amount Units.
    function mint(address to, uint256 amount) external {
        if (msg.sender != issuer) revert NotIssuer();
        if (to == address(0)) revert ReceiverInvalid();
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    /// @notice Sets what a spender may move for the caller.
    /// @param spender The spender.
    /// @param amount Units.
    /// @return success Always true.
    function approve(address spender, uint256 amount) external returns (bool success) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    /// @notice Moves the caller's tokens.
    /// @param to The receiver.
    /// @param amount Units.
    /// @return success Always true.
    function transfer(address to, uint256 amount) external returns (bool success) {
        _move(msg.sender, to, amount);
        return true;
    }

    /// @notice Moves an owner's tokens within the caller's allowance.
    /// @param from The owner.
    /// @param to The receiver.
    /// @param amount Units.
    /// @return success Always true.
    function transferFrom(address from, address to, uint256 amount) external returns (bool success) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) {
            if (allowed < amount) revert InsufficientAllowance();
            allowance[from][msg.sender] = allowed - amount;
        }
        _move(from, to, amount);
        return true;
    }

    function _move(address from, address to, uint256 amount) private {
        if (to == address(0)) revert ReceiverInvalid();
        uint256 held = balanceOf[from];
        if (held < amount) revert InsufficientBalance();
        balanceOf[from] = held - amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }
}
