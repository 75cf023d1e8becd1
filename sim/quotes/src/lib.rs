//! The interface for the npm package: JavaScript writes the numbers of a question into `words`, makes the call, and reads the answer there.
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use alloy_primitives::U256;
use slipway_math::curve::{Curve, Position};
use slipway_math::exchange::amount_out_down;
use slipway_math::exponential;
use slipway_math::fees::Fees;
use slipway_math::pool::Pool;

/// Numbers of a question or an answer, each in two words, the lower first. The caller writes them between calls, so they are atomic.
static WORDS: [AtomicU64; 2 * MOST] = [const { AtomicU64::new(0) }; 2 * MOST];
const MOST: usize = 8;

/// The address of the numbers.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "the caller knows it by this name")]
pub extern "C" fn words() -> *const AtomicU64 {
    WORDS.as_ptr()
}

/// Answers a question of a kind, numbered as in `index.js`. Returns false if the numbers describe a state that no contract can have.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "the caller knows it by this name")]
pub extern "C" fn quote(kind: u32) -> bool {
    let answered = match kind {
        0 => buy(),
        1 => sell(),
        2 => cost(),
        3 => buy_of_v1(),
        4 => sell_of_v1(),
        5 => pair(),
        _ => pool(),
    };
    answered.is_some()
}

fn number(place: usize) -> u128 {
    let word = |place: usize| u128::from(WORDS[place].load(Relaxed));
    word(2 * place) | (word(2 * place + 1) << 64)
}

fn answer<const N: usize>(numbers: [u128; N]) -> Option<()> {
    for (words, number) in WORDS.chunks_exact(2).zip(numbers) {
        #[expect(clippy::cast_possible_truncation, reason = "the lower half is meant")]
        words[0].store(number as u64, Relaxed);
        words[1].store((number >> 64) as u64, Relaxed);
    }
    Some(())
}

/// The curve and the position on it: target raise, gain, tokens sold, wei held.
fn launch() -> Option<(Curve, Position)> {
    let curve = Curve::new(number(0), u32::try_from(number(1)).ok()?).ok()?;
    let position = Position { sold: number(2), contributions: number(3) };
    let is_possible = position.sold <= curve.sale_supply()
        && (curve.cost_up(position.sold)..=curve.target_raise()).contains(&position.contributions);
    is_possible.then_some((curve, position))
}

/// Reads the amount and the creator's share of the variable fee after the launch.
fn buy() -> Option<()> {
    let (curve, position) = launch()?;
    let buy = curve.buy(position, number(4), u16::try_from(number(5)).ok()?);
    let Fees { protocol, creator, buyback } = buy.fees;
    let Position { sold, contributions } = buy.position_after;
    answer([buy.tokens_out, buy.cost, buy.refund, protocol, creator, buyback, sold, contributions])
}

/// A sale of more than was sold pays nothing.
fn sell() -> Option<()> {
    let (curve, position) = launch()?;
    let split = u16::try_from(number(5)).ok()?;
    let Ok(sell) = curve.sell(position, number(4), split) else {
        return answer([0, 0, 0, 0, position.sold, position.contributions]);
    };
    let Fees { protocol, creator, buyback } = sell.fees;
    let Position { sold, contributions } = sell.position_after;
    answer([sell.payout, protocol, creator, buyback, sold, contributions])
}

fn cost() -> Option<()> {
    let (curve, position) = launch()?;
    answer([curve.cost_of_up(position, number(4))])
}

/// Tokens sold and wei held on the V1 curve.
fn token_of_v1() -> Option<Position> {
    let position = Position { sold: number(0), contributions: number(1) };
    let is_possible = position.sold <= exponential::SALE_SUPPLY
        && (exponential::cost_up(position.sold)..=exponential::TARGET).contains(&position.contributions);
    is_possible.then_some(position)
}

fn buy_of_v1() -> Option<()> {
    let buy = exponential::buy(token_of_v1()?, number(2));
    let Position { sold, contributions } = buy.position_after;
    answer([buy.tokens_out, buy.cost, buy.refund, buy.fee, sold, contributions])
}

fn sell_of_v1() -> Option<()> {
    let position = token_of_v1()?;
    let Ok(sell) = exponential::sell(position, number(2)) else {
        return answer([0, 0, position.sold, position.contributions]);
    };
    let Position { sold, contributions } = sell.position_after;
    answer([sell.payout, sell.fee, sold, contributions])
}

/// If the router reverts, the output is zero.
fn pair() -> Option<()> {
    answer([amount_out_down(number(2), number(0), number(1)).unwrap_or(0)])
}

/// The square root price, the liquidity, the amount, and 1 if currency 0 is paid. If the pool cannot trade, the output is zero.
fn pool() -> Option<()> {
    let (price, liquidity) = (number(0), number(1));
    if price == 0 || price >> 127 != 0 || liquidity == 0 {
        return None;
    }
    let pool = Pool { sqrt_price_x96: U256::from(price), liquidity };
    answer([pool.amount_out_down(number(3) == 1, number(2)).unwrap_or(0)])
}
