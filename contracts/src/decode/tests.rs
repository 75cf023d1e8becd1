//! Errors, calls and events of every source, as encoded by other programs.
use alloy::primitives::{Address, Bytes, I256, LogData, U256, aliases::I24, hex, keccak256};
use alloy::sol;
use alloy::sol_types::{SolCall, SolError, SolEvent, SolValue as _};

use super::{ARGUMENT, DeclaredError, Named, call, declared_errors, error, error_text, event};
use crate::bindings::{IERC20, ILaunchHook, IPoolManager, IUniswapV2Router02, IUniversalRouter};

sol! {
    error WrappedError(address target, bytes4 selector, bytes reason, bytes details);
    error HookCallFailed();
    error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed);
    error ExecutionFailed(uint256 commandIndex, bytes message);
    error V4TooLittleReceived(uint256 minAmountOutReceived, uint256 amountReceived);
    error AllowanceExpired(uint256 deadline);
    error Unheard(uint256 of);
}

/// The text of `Error(string)`: selector 08c379a0 of the Solidity documentation.
fn reason(text: &str) -> Vec<u8> {
    [&hex!("08c379a0")[..], &(text,).abi_encode_params()].concat()
}

#[test]
fn errors_are_named_with_their_arguments() {
    let account = Address::repeat_byte(0xab);
    let short = ERC20InsufficientBalance { sender: account, balance: U256::ONE, needed: U256::from(5) };
    let short = short.abi_encode();
    let wrapped = WrappedError {
        target: account,
        selector: hex!("a9059cbb").into(),
        reason: short.clone().into(),
        details: HookCallFailed {}.abi_encode().into(),
    };
    let little = V4TooLittleReceived { minAmountOutReceived: U256::from(9), amountReceived: U256::from(8) };
    let failed = ExecutionFailed { commandIndex: U256::from(1), message: little.abi_encode().into() };
    let balance = format!("ERC20InsufficientBalance(sender: {account}, balance: 1, needed: 5)");
    for (data, said) in [
        (hex!("05232efc").to_vec(), "RaiseOutOfRange()".to_owned()),
        (ILaunchHook::SlippageExceeded {}.abi_encode(), "SlippageExceeded()".to_owned()),
        (reason("UniswapV2Router: EXPIRED"), "Error(reason: UniswapV2Router: EXPIRED)".to_owned()),
        (
            [&hex!("4e487b71")[..], &U256::from(0x11).abi_encode()].concat(),
            "Panic(code: 0x11 (arithmetic underflow or overflow))".to_owned(),
        ),
        (short, balance.clone()),
        (
            wrapped.abi_encode(),
            format!("WrappedError(target: {account}, selector: 0xa9059cbb (transfer), reason: {balance}, details: HookCallFailed())"),
        ),
        (
            failed.abi_encode(),
            "ExecutionFailed(commandIndex: 1, message: V4TooLittleReceived(minAmountOutReceived: 9, amountReceived: 8))".to_owned(),
        ),
        (AllowanceExpired { deadline: U256::from(7) }.abi_encode(), "AllowanceExpired(deadline: 7)".to_owned()),
    ] {
        assert_eq!(error(&data).unwrap().to_string(), said);
        assert_eq!(error_text(&data), said);
    }
}

#[test]
fn what_is_not_known_stays_as_it_is_and_has_a_bound() {
    for data in
        [&[][..], &[1, 2, 3], &[0, 0, 0, 0], &Unheard { of: U256::ONE }.abi_encode(), &hex!("08c379a0")]
    {
        assert_eq!(error(data), None);
    }
    assert_eq!(error_text(&[]), "no reason");
    assert_eq!(error_text(&[1, 2, 3, 4]), "custom error 0x01020304");
    // An error with fewer arguments than it declares is at least named.
    assert_eq!(error(&ERC20InsufficientBalance::SELECTOR).unwrap().to_string(), "ERC20InsufficientBalance()");
    let long = error(&reason(&"é".repeat(100_000))).unwrap();
    assert_eq!(long.arguments[0].value.chars().count(), ARGUMENT + 1);
    // An error within an error within an error, and so on.
    let mut data = HookCallFailed {}.abi_encode();
    for _ in 0..50 {
        data = ExecutionFailed { commandIndex: U256::ZERO, message: data.into() }.abi_encode();
    }
    assert!(error_text(&data).starts_with("ExecutionFailed(commandIndex: 0, message: ExecutionFailed("));
}

#[test]
fn calls_are_named_with_the_fields_of_their_structs() {
    let account = Address::repeat_byte(0xab);
    let transfer = IERC20::transferCall { to: account, amount: U256::from(5) };
    assert_eq!(
        call(&transfer.abi_encode()).unwrap().to_string(),
        format!("transfer(to: {account}, amount: 5)")
    );
    let buy =
        ILaunchHook::buyCall { launchId: U256::from(7), minTokensOut: U256::ZERO, auth: Default::default() };
    let buy = call(&buy.abi_encode()).unwrap();
    let names: Vec<&str> = buy.arguments.iter().map(|argument| argument.name.as_str()).collect();
    assert_eq!(
        (buy.name.as_str(), &names[..]),
        ("buy", &["launchId", "minTokensOut", "auth.deadline", "auth.nonce", "auth.signature"][..])
    );
    let amounts = IUniswapV2Router02::getAmountsOutCall { amountIn: U256::ONE, path: vec![account] };
    assert_eq!(call(&amounts.abi_encode()).unwrap().arguments[1].value, format!("[{account}]"));
    assert_eq!(call(&[1, 2, 3, 4]), None);
    assert_eq!(call(&[]), None);
}

#[test]
fn arguments_that_decode_to_far_more_than_their_data_are_left_out() {
    let execute = IUniversalRouter::executeCall {
        commands: vec![0; 40].into(),
        inputs: vec![vec![7; 3_200].into(); 40],
        deadline: U256::from(7),
    };
    let arguments = call(&execute.abi_encode()).unwrap().arguments;
    let values: Vec<&str> = arguments.iter().map(|argument| argument.name.as_str()).collect();
    assert_eq!(values, ["commands", "inputs", "deadline"]);
    // 10,000 inputs that are one text of 100 KB.
    let head = [0x60, 0x80, 7, 0, 10_000].into_iter().chain(std::iter::repeat_n(320_000, 10_000));
    let mut aliased = IUniversalRouter::executeCall::SELECTOR.to_vec();
    aliased.extend(head.chain([100_000]).flat_map(|word: u64| U256::from(word).to_be_bytes::<32>()));
    aliased.extend([0; 100_000]);
    assert_eq!(call(&aliased), Some(Named { name: "execute".to_owned(), arguments: Vec::new() }));
}

fn described(log: &impl SolEvent) -> (String, Vec<(String, String)>) {
    let event = event(&log.encode_log_data()).unwrap();
    (event.name, event.arguments.into_iter().map(|argument| (argument.name, argument.value)).collect())
}

#[test]
fn events_are_told_with_every_field_in_order() {
    let account = Address::repeat_byte(0xab);
    let moved = IERC20::Transfer { from: Address::ZERO, to: account, amount: U256::MAX };
    let (name, fields) = described(&moved);
    assert_eq!(name, "Transfer");
    assert_eq!(fields[1].1, account.to_checksum(None));
    assert_eq!(fields[2].1, U256::MAX.to_string());
    let accrued = ILaunchHook::BuybackAccrued { launchId: U256::from(7), amount: U256::from(5) };
    let (name, fields) = described(&accrued);
    assert_eq!(name, "BuybackAccrued");
    assert_eq!(fields, [("launchId".to_owned(), "7".to_owned()), ("amount".to_owned(), "5".to_owned())]);
    let less = IPoolManager::ModifyLiquidity {
        id: U256::ONE.into(),
        sender: account,
        tickLower: I24::MINUS_ONE,
        tickUpper: I24::ONE,
        liquidityDelta: I256::MINUS_ONE,
        salt: U256::ZERO.into(),
    };
    let (_, fields) = described(&less);
    let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["id", "sender", "tickLower", "tickUpper", "liquidityDelta", "salt"]);
    assert_eq!((fields[2].1.as_str(), fields[4].1.as_str()), ("-1", "-1"));
    assert_eq!(fields[0].1, format!("0x{:064x}", 1));
}

#[test]
fn other_logs_are_not_guessed() {
    assert_eq!(event(&LogData::empty()), None);
    let topics = vec![U256::from(9).into()];
    assert_eq!(event(&LogData::new_unchecked(topics, Bytes::new())), None);
}

#[test]
fn every_error_of_our_contracts_has_a_meaning() {
    let own: Vec<&DeclaredError> =
        declared_errors().iter().filter(|error| !error.contracts.is_empty()).collect();
    assert!(own.len() > 40, "{}", own.len());
    for error in own {
        let ends = error.meanings.iter().all(|meaning| meaning.ends_with('.'));
        assert!(!error.meanings.is_empty() && ends, "{error:?}");
    }
    let known = |name: &str| {
        let found: Vec<_> = declared_errors().iter().filter(|error| error.name() == name).collect();
        assert_eq!(found.len(), 1, "{name}");
        found[0].clone()
    };
    let raise = known("RaiseOutOfRange");
    assert_eq!(raise.signature, "RaiseOutOfRange()");
    assert_eq!(raise.selector[..], keccak256("RaiseOutOfRange()")[..4]);
    assert_eq!(raise.meanings, ["The target raise is outside its bounds."]);
    assert!(raise.contracts.contains(&"LaunchHook") && !raise.contracts.contains(&"EmperorAuction"));
    // Two contracts declare it, each with its own words.
    assert_eq!(known("NothingToWithdraw").meanings.len(), 3);
    assert_eq!(known("AllowanceExpired").contracts, [""; 0]);
}
