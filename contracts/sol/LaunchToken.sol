// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

/// @title The token of a launch
/// @notice ERC-20 with a fixed supply that can only shrink. Nobody has any power over it.
contract LaunchToken {
    /// @notice The sender holds less than the amount.
    error InsufficientBalance();
    /// @notice The spender may spend less than the amount.
    error InsufficientAllowance();
    /// @notice Tokens cannot be sent to the zero address; they can be burned.
    error ReceiverInvalid();

    /// @notice Tokens moved; the zero address stands for mint and burn.
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
    uint8 public constant decimals = 18;

    /// @notice Name given at launch.
    string public name;

    /// @notice Ticker given at launch.
    string public symbol;

    /// @notice Units that exist.
    uint256 public totalSupply;

    /// @dev Units an account holds.
    mapping(address account => uint256 units) private _balances;

    /// @notice Units a spender may still move for an owner; the largest value never shrinks.
    mapping(address owner => mapping(address spender => uint256 units)) public allowance;

    /// @notice Mints the whole supply to the deployer.
    /// @param name_ Token name.
    /// @param symbol_ Token symbol.
    /// @param supply Units to mint.
    constructor(string memory name_, string memory symbol_, uint256 supply) {
        name = name_;
        symbol = symbol_;
        totalSupply = supply;
        _balances[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
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

    /// @notice Destroys the caller's tokens.
    /// @param amount Units.
    function burn(uint256 amount) external {
        uint256 held = _balances[msg.sender];
        if (held < amount) revert InsufficientBalance();
        _balances[msg.sender] = held - amount;
        totalSupply -= amount;
        emit Transfer(msg.sender, address(0), amount);
    }

    /// @notice Units an account holds.
    /// @param account The account.
    /// @return units How many.
    function balanceOf(address account) public view virtual returns (uint256 units) {
        return _balances[account];
    }

    function _move(address from, address to, uint256 amount) internal virtual {
        if (to == address(0)) revert ReceiverInvalid();
        uint256 held = _balances[from];
        if (held < amount) revert InsufficientBalance();
        _balances[from] = held - amount;
        _balances[to] += amount;
        emit Transfer(from, to, amount);
    }
}
