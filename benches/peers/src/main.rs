//! The native quote of one pair compared with the libraries that others would use: the same trades, in one run, in interleaved rounds.
//! Prints figures only after all outputs have been found equal. Excludes routes, which no two libraries search alike.
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use alloy::primitives::{Address, U256};
use uniswap_v2_sdk::prelude::Pair;
use uniswap_v2_sdk::prelude::sdk_core::prelude::{BigInt, CurrencyAmount, FractionBase, ToBig, Token};

// The platform's mathematics, compiled from its sources: the code measured here is the code used there.
#[path = "../../../sim/math/src/exchange/pair.rs"]
#[expect(dead_code, reason = "routes need the rest")]
mod pair;
#[path = "../../../sim/math/src/wide.rs"]
#[expect(dead_code, reason = "the curve needs the rest")]
mod wide;

const TRADES: usize = 1_024;
const ROUNDS: usize = 41;
/// Minimum length of a round, in seconds: by then the data of the previous measurement has left the caches.
const ROUND: f64 = 0.001;
const COIN: u128 = 1_000_000_000_000_000_000;

/// An amount and both reserves of the pair.
type Trade = (u128, u128, u128);
type Failure = Box<dyn std::error::Error>;

/// Pseudo-random numbers that are the same in every run.
struct TradeRng(u64);

impl TradeRng {
    fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn between(&mut self, least: u128, most: u128) -> u128 {
        let wide = (u128::from(self.word()) << 64) | u128::from(self.word());
        least + wide % (most - least + 1)
    }

    fn any_size(&mut self) -> u128 {
        let bits = self.between(1, 112);
        self.between(1, (1 << bits) - 1)
    }
}

/// At most a thousandth of a pair: a coin with 18 decimals against a token whose unit is `other`.
fn usual(draw: &mut TradeRng, other: u128) -> Trade {
    let coins = draw.between(100 * COIN, 5_000 * COIN);
    let price = draw.between(2_900, 3_100);
    (
        draw.between(COIN / 1_000, COIN),
        coins,
        coins / COIN * price * other + draw.between(0, other),
    )
}

/// A trade of any size that a pair can hold and that buys something.
fn any_size(draw: &mut TradeRng) -> Trade {
    loop {
        let trade = (draw.any_size(), draw.any_size(), draw.any_size());
        if ours(&trade) > 0 {
            return trade;
        }
    }
}

fn ours((amount, near, far): &Trade) -> u128 {
    pair::amount_out_down(*amount, *near, *far).unwrap_or(0)
}

/// A library with the trades in its own types.
trait Side {
    fn name(&self) -> String;
    fn outputs(&mut self) -> Result<Vec<U256>, Failure>;
    /// Nanoseconds per quote, over all trades at least once.
    fn round(&mut self) -> Result<f64, Failure>;
}

/// A library called in this process; its outputs are converted to numbers outside the measurement.
struct Called<I, F, N> {
    name: &'static str,
    inputs: Vec<I>,
    quote: F,
    number: N,
}

impl<I, O, F: Fn(&I) -> O, N: Fn(O) -> U256> Side for Called<I, F, N> {
    fn name(&self) -> String {
        self.name.into()
    }

    fn outputs(&mut self) -> Result<Vec<U256>, Failure> {
        let outputs = self.inputs.iter().map(|input| (self.number)((self.quote)(input)));
        Ok(outputs.collect())
    }

    fn round(&mut self) -> Result<f64, Failure> {
        let (begun, mut quotes) = (Instant::now(), 0.0);
        while begun.elapsed().as_secs_f64() < ROUND {
            for input in &self.inputs {
                black_box((self.quote)(black_box(input)));
            }
            quotes += self.inputs.len() as f64;
        }
        Ok(begun.elapsed().as_secs_f64() * 1e9 / quotes)
    }
}

/// The library of the web, in a separate process that measures its own time.
struct Web {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Web {
    fn start(trades: &[Trade]) -> Result<Self, Failure> {
        let mut child = Command::new("node")
            .arg("sdk.cjs")
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut stdin = child.stdin.take().ok_or("a child without input")?;
        let stdout = BufReader::new(child.stdout.take().ok_or("a child without output")?);
        for (amount, near, far) in trades {
            writeln!(stdin, "{amount} {near} {far}")?;
        }
        Ok(Self { child, stdin, stdout })
    }

    fn ask(&mut self, what: &str) -> Result<String, Failure> {
        writeln!(self.stdin, "{what}")?;
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Side for Web {
    fn name(&self) -> String {
        "@uniswap/v2-sdk 4.21.4 (npm)".into()
    }

    fn outputs(&mut self) -> Result<Vec<U256>, Failure> {
        let line = self.ask("outputs")?;
        line.split(' ')
            .map(|text| Ok(U256::from(text.parse::<u128>()?)))
            .collect()
    }

    fn round(&mut self) -> Result<f64, Failure> {
        Ok(self.ask("round")?.parse()?)
    }
}

fn wide_trade((amount, near, far): &Trade) -> (U256, U256, U256) {
    (U256::from(*amount), U256::from(*near), U256::from(*far))
}

/// The library's formula, unchanged, on the integers that the crates below use.
#[inline(never)]
fn formula((amount, near, far): &(U256, U256, U256)) -> U256 {
    let trading = *amount * U256::from(997);
    trading * *far / (*near * U256::from(1_000) + trading)
}

fn sides(trades: &[Trade]) -> Result<Vec<Box<dyn Side>>, Failure> {
    let sides: Vec<Box<dyn Side>> = vec![
        Box::new(Called {
            name: "native",
            inputs: trades.to_vec(),
            quote: ours,
            number: U256::from,
        }),
        Box::new(Called {
            name: "the formula, ruint 256 bits",
            inputs: trades.iter().map(wide_trade).collect(),
            quote: formula,
            number: |output| output,
        }),
        Box::new(Web::start(trades)?),
        ported(trades)?,
    ];
    #[cfg(feature = "heavy")]
    let sides = sides.into_iter().chain(heavy(trades)).collect();
    Ok(sides)
}

/// The library of the web in Rust.
fn ported(trades: &[Trade]) -> Result<Box<dyn Side>, Failure> {
    let token = |last| Token::new(1, Address::with_last_byte(last), 18, None, None, 0, 0);
    let (near_token, far_token) = (token(1), token(2));
    let inputs = trades.iter().map(wide_trade).map(|(amount, near, far)| {
        let near = CurrencyAmount::from_raw_amount(near_token.clone(), near.to_big_int())?;
        let far = CurrencyAmount::from_raw_amount(far_token.clone(), far.to_big_int())?;
        let amount = CurrencyAmount::from_raw_amount(near_token.clone(), amount.to_big_int())?;
        Ok((amount, Pair::new(near, far)?))
    });
    Ok(Box::new(Called {
        name: "uniswap-v2-sdk 2.0 (crate)",
        inputs: inputs.collect::<Result<Vec<_>, Failure>>()?,
        quote: |(amount, pair): &(CurrencyAmount<Token>, Pair)| pair.get_output_amount(amount, false),
        number: ported_output,
    }))
}

/// Pools of libraries that follow whole chains.
#[cfg(feature = "heavy")]
fn heavy(trades: &[Trade]) -> [Box<dyn Side>; 2] {
    use amms::amms::uniswap_v2::UniswapV2Pool as AmmsPool;
    use evm_dex_pool::PoolInterface;
    use evm_dex_pool::v2::{UniswapV2Pool as DexPool, V2PoolType};

    let (one, other) = (Address::with_last_byte(1), Address::with_last_byte(2));
    let pool = AmmsPool::new(Address::ZERO, 300);
    let dex = trades.iter().map(wide_trade).map(|(amount, near, far)| {
        let fee = U256::from(3_000);
        let kind = V2PoolType::UniswapV2;
        let pool = DexPool::new(kind, Address::ZERO, one, other, 18, 18, near, far, fee);
        (amount, pool)
    });
    [
        Box::new(Called {
            name: "amms 0.7.4",
            inputs: trades.iter().map(wide_trade).collect(),
            quote: move |(amount, near, far): &(U256, U256, U256)| pool.get_amount_out(*amount, *near, *far),
            number: |output| output,
        }),
        Box::new(Called {
            name: "evm-dex-pool 1.9",
            inputs: dex.collect(),
            quote: move |(amount, pool): &(U256, DexPool)| pool.calculate_output(&one, *amount),
            number: Result::unwrap_or_default,
        }),
    ]
}

/// The output of a trade; zero where the library rejects it.
fn ported_output<E>(output: Result<(CurrencyAmount<Token>, Pair), E>) -> U256 {
    let number = |value: BigInt| U256::from_str_radix(&value.to_string(), 10);
    let output = output.ok().and_then(|(output, _)| number(output.quotient()).ok());
    output.unwrap_or_default()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Result<(), Failure> {
    let mut draw = TradeRng(88_172_645_463_325_252);
    let kinds: [(&str, Vec<Trade>); 3] = [
        (
            "18 against 6 decimals",
            (0..TRADES).map(|_| usual(&mut draw, 1_000_000)).collect(),
        ),
        (
            "18 against 18 decimals",
            (0..TRADES).map(|_| usual(&mut draw, COIN)).collect(),
        ),
        ("any size", (0..TRADES).map(|_| any_size(&mut draw)).collect()),
    ];
    for (kind, trades) in kinds {
        let mut sides = sides(&trades)?;
        let expected = sides[0].outputs()?;
        for side in &mut sides {
            if side.outputs()? != expected {
                return Err(format!("{} quotes something else", side.name()).into());
            }
        }
        let mut rounds = vec![Vec::new(); sides.len()];
        for _ in 0..ROUNDS {
            for (side, rounds) in sides.iter_mut().zip(&mut rounds) {
                rounds.push(side.round()?);
            }
        }
        println!(
            "{kind}: {TRADES} quotes of {} libraries, 0 units apart; medians of {ROUNDS} interleaved rounds",
            sides.len()
        );
        let medians: Vec<f64> = rounds.into_iter().map(median).collect();
        for (side, nanoseconds) in sides.iter().zip(&medians) {
            println!(
                "{:28} {nanoseconds:9.1} ns a quote  {:7.1} of the native",
                side.name(),
                nanoseconds / medians[0]
            );
        }
    }
    Ok(())
}
