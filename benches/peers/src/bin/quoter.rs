//! The peers as quoters: `slipway quotes bench KIND -- quoter NAME` reads cases on standard input and measures the answers.
use std::io::{BufRead, Write, stdin, stdout};

use alloy::primitives::{Address, U256};
use serde_json::Value;
use uniswap_v2_sdk::prelude::Pair;
use uniswap_v2_sdk::prelude::sdk_core::prelude::{CurrencyAmount, FractionBase, ToBig, Token};

type Failure = Box<dyn std::error::Error>;
/// The output for an input and the pair's reserves of both tokens.
type Quote = fn(U256, U256, U256) -> Result<U256, Failure>;

/// The library's formula on the integers that the crates use.
fn formula(amount: U256, near: U256, far: U256) -> Result<U256, Failure> {
    let trading = amount * U256::from(997);
    Ok(trading * far / (near * U256::from(1_000) + trading))
}

/// uniswap-v2-sdk, the crate.
fn ported(amount: U256, near: U256, far: U256) -> Result<U256, Failure> {
    let token = |last| Token::new(1, Address::with_last_byte(last), 18, None, None, 0, 0);
    let units = |last, units: U256| CurrencyAmount::from_raw_amount(token(last), units.to_big_int());
    let pair = Pair::new(units(1, near)?, units(2, far)?)?;
    match pair.get_output_amount(&units(1, amount)?, false) {
        Ok((output, _)) => Ok(U256::from_str_radix(&output.quotient().to_string(), 10)?),
        // The library rejects inputs that buy nothing.
        Err(_) => Ok(U256::ZERO),
    }
}

#[cfg(feature = "heavy")]
fn amms(amount: U256, near: U256, far: U256) -> Result<U256, Failure> {
    let pool = amms::amms::uniswap_v2::UniswapV2Pool::new(Address::ZERO, 300);
    Ok(pool.get_amount_out(amount, near, far))
}

#[cfg(feature = "heavy")]
fn evm_dex_pool(amount: U256, near: U256, far: U256) -> Result<U256, Failure> {
    use evm_dex_pool::PoolInterface;
    use evm_dex_pool::v2::{UniswapV2Pool, V2PoolType};

    let (one, other) = (Address::with_last_byte(1), Address::with_last_byte(2));
    let (kind, fee) = (V2PoolType::UniswapV2, U256::from(3_000));
    let pool = UniswapV2Pool::new(kind, Address::ZERO, one, other, 18, 18, near, far, fee);
    Ok(pool.calculate_output(&one, amount)?)
}

const PEERS: &[(&str, Quote)] = &[
    ("formula", formula),
    ("uniswap-v2-sdk", ported),
    #[cfg(feature = "heavy")]
    ("amms", amms),
    #[cfg(feature = "heavy")]
    ("evm-dex-pool", evm_dex_pool),
];

fn main() -> Result<(), Failure> {
    let asked = std::env::args().nth(1).unwrap_or_default();
    let found = PEERS.iter().find(|(name, _)| *name == asked);
    let known = || PEERS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let (_, quote) = found.ok_or_else(|| format!("name one of {}", known()))?;
    let mut output = stdout().lock();
    for line in stdin().lock().lines() {
        let case: Value = serde_json::from_str(&line?)?;
        let units = |name: &str| -> Result<U256, Failure> {
            Ok(U256::from_str_radix(case[name].as_str().ok_or("an amount is no text")?, 10)?)
        };
        writeln!(output, "{}", quote(units("amountIn")?, units("reserveIn")?, units("reserveOut")?)?)?;
        output.flush()?;
    }
    Ok(())
}
