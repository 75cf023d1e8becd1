//! Quotes every kind of case exactly: slipway quotes bench curve -- quoter (or inverse, v1, swap, route, pool)
use std::error::Error;
use std::io::{BufRead as _, Write as _};

use alloy::primitives::U512;
use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// V1: e^u, u and ln 2 with 96 fractional bits.
const EXP_U: u128 = 3_995_892_421_215_877_370_415_635_626_208;
const U: u128 = 310_629_095_773_104_257_463_905_116_714;
const LN_2: u128 = 54_916_777_467_707_473_351_141_471_128;

fn int(value: impl TryInto<u128, Error: std::fmt::Debug>) -> U512 {
    U512::from(value.try_into().expect("small numbers are not negative"))
}

fn ten_to(power: u64) -> U512 {
    int(10_u128).pow(int(power))
}

fn amount(case: &Value, name: &str) -> Outcome<U512> {
    Ok(case[name].as_str().ok_or("an amount is text")?.parse()?)
}

/// The amount after two fees of 1 %, each rounded down.
fn net(gross: U512) -> U512 {
    gross - gross / int(100_u128) * int(2_u128)
}

fn least_gross(wanted: U512) -> U512 {
    // At each multiple of 100, one more unit of gross gives one less of net, so the search starts below.
    let mut gross = (wanted * int(100_u128) / int(98_u128)).saturating_sub(int(3_u128));
    while net(gross) < wanted {
        gross += U512::ONE;
    }
    gross
}

/// The curve of a launch.
struct Curve {
    raised: U512,
    gain: U512,
    supply: U512,
    divisor: U512,
}

impl Curve {
    fn of(case: &Value) -> Outcome<Self> {
        let gain = int(case["gainBps"].as_u64().ok_or("no gain")?);
        let supply =
            ten_to(27) * int(2_u128) * (int(10_000_u128) + gain) / (int(40_000_u128) + gain * int(3_u128));
        let divisor = supply * supply * (int(20_000_u128) + gain);
        Ok(Self { raised: amount(case, "targetRaise")?, gain, supply, divisor })
    }

    fn cost_up(&self, sold: U512) -> U512 {
        let weight = self.raised * sold * (int(20_000_u128) * self.supply + self.gain * sold);
        weight.div_ceil(self.divisor)
    }

    fn sold_down(&self, contributions: U512) -> U512 {
        if contributions >= self.raised {
            return self.supply;
        }
        let weight = contributions * self.divisor / self.raised;
        let offset = int(10_000_u128) * self.supply;
        if self.gain.is_zero() {
            return weight / (offset * int(2_u128));
        }
        ((self.gain * weight + offset * offset).root(2) - offset) / self.gain
    }
}

fn curve(case: &Value, sold: U512, held: U512, paid: U512) -> Outcome<Value> {
    let launch = Curve::of(case)?;
    if case["operation"] == "sell" {
        return Ok(json!({ "amountOut": net(held - launch.cost_up(sold - paid)).to_string() }));
    }
    let missing = launch.raised - held;
    let (bought, cost) = if net(paid) >= missing {
        (launch.supply - sold, least_gross(missing))
    } else {
        (launch.sold_down(held + net(paid)) - sold, paid)
    };
    Ok(purchase(bought, cost, paid))
}

fn purchase(bought: U512, cost: U512, paid: U512) -> Value {
    json!({ "amountOut": bought.to_string(), "cost": cost.to_string(), "refund": (paid - cost).to_string() })
}

fn first_version_cost_up(sold: U512, supply: U512, target: U512) -> U512 {
    let one: U512 = U512::ONE << 96;
    let (twos, rest) = (int(U) * sold / supply).div_rem(int(LN_2));
    let (mut sum, mut term, mut place) = (one, one, U512::ZERO);
    while !term.is_zero() {
        place += U512::ONE;
        term = ((term * rest) >> 96) / place;
        sum += term;
    }
    (target * ((sum << twos) - one)).div_ceil(int(EXP_U) - one)
}

fn first_version(case: &Value, sold: U512, held: U512, paid: U512) -> Value {
    let (supply, target) = (int(8_u128) * ten_to(26), int(3_u128) * ten_to(18));
    let cost_up = |sold| first_version_cost_up(sold, supply, target);
    if case["operation"] == "sell" {
        let gross = held.saturating_sub(cost_up(sold - paid));
        return json!({ "amountOut": (gross - gross / int(20_u128)).to_string() });
    }
    let missing = target - held;
    let (mut cost, mut fee) = (paid, paid / int(20_u128));
    if paid - fee >= missing {
        fee = missing.saturating_sub(U512::ONE) / int(19_u128);
        cost = missing + fee;
    }
    let budget = held + cost - fee;
    let (mut low, mut high) = (if budget >= target { supply } else { sold }, supply);
    while low < high {
        let middle = (low + high + U512::ONE) >> 1;
        if cost_up(middle) <= budget {
            low = middle;
        } else {
            high = middle - U512::ONE;
        }
    }
    purchase(low - sold, cost, paid)
}

fn hop(paid: U512, pair: &Value) -> Outcome<U512> {
    let after_fee = paid * int(997_u128);
    let whole = amount(pair, "reserveIn")? * int(1_000_u128) + after_fee;
    Ok(after_fee * amount(pair, "reserveOut")? / whole)
}

/// Pools of graduated launches: 2^128 / 1.0001^(2^n / 2), as in Uniswap's `TickMath`.
const FACTORS: [u128; 20] = [
    0xfffcb933bd6fad37aa2d162d1a594001,
    0xfff97272373d413259a46990580e213a,
    0xfff2e50f5f656932ef12357cf3c7fdcc,
    0xffe5caca7e10e4e61c3624eaa0941cd0,
    0xffcb9843d60f6159c9db58835c926644,
    0xff973b41fa98c081472e6896dfb254c0,
    0xff2ea16466c96a3843ec78b326b52861,
    0xfe5dee046a99a2a811c461f1969c3053,
    0xfcbe86c7900a88aedcffc83b479aa3a4,
    0xf987a7253ac413176f2b074cf7815e54,
    0xf3392b0822b70005940c7a398e4b70f3,
    0xe7159475a2c29b7443b29c7fa6e889d9,
    0xd097f3bdfd2022b8845ad8f792aa5825,
    0xa9f746462d870fdf8a65dc1f90e061e5,
    0x70d869a156d2a1b890bb3df62baf32f7,
    0x31be135f97d08fd981231505542fcfa6,
    0x9aa508b5b7a84e1c677de54f3e99bc9,
    0x5d6af8dedb81196699c329225ee604,
    0x2216e584f5fa1ea926041bedfe98,
    0x48a170391f7dc42444e8fa2,
];

fn sqrt_price_at(tick: i32) -> U512 {
    let chosen = FACTORS.iter().enumerate().filter(|(bit, _)| (tick.unsigned_abs() >> bit) & 1 == 1);
    let falling = chosen.fold(U512::ONE << 128, |price: U512, (_, factor)| (price * int(*factor)) >> 128);
    let price: U512 = if tick > 0 { ((U512::ONE << 256) - U512::ONE) / falling } else { falling };
    price.div_ceil(U512::ONE << 32)
}

/// The prices at which a swap is rounded: ends of words of the tick bitmap, 256 ticks at a spacing of 60.
fn ends(price: U512, falls: bool) -> Vec<U512> {
    let words = (-57..58).map(|word| 15_360 * word);
    if falls {
        words.rev().map(sqrt_price_at).filter(|end| *end <= price).collect()
    } else {
        words.map(|tick| sqrt_price_at(tick - 60)).filter(|end| *end > price).collect()
    }
}

fn pool(case: &Value) -> Outcome<Value> {
    let falls = case["zeroForOne"].as_bool().ok_or("no direction")?;
    let (liquidity, mut left) = (amount(case, "liquidity")?, amount(case, "amountIn")?);
    let scaled: U512 = liquidity << 96;
    let (mut price, mut out) = (amount(case, "sqrtPriceX96")?, U512::ZERO);
    for end in ends(price, falls) {
        let trading = left * int(999_000_u128) / int(1_000_000_u128);
        let needed = if falls {
            (scaled * (price - end)).div_ceil(price).div_ceil(end)
        } else {
            (liquidity * (end - price)).div_ceil(U512::ONE << 96)
        };
        let moved = if trading >= needed {
            end
        } else if falls {
            (scaled * price).div_ceil(scaled + trading * price)
        } else {
            price + (trading << 96) / liquidity
        };
        out += if falls {
            (liquidity * (price - moved)) >> 96
        } else {
            scaled * (moved - price) / moved / price
        };
        if trading < needed {
            break;
        }
        left -= needed + (needed * int(1_000_u128)).div_ceil(int(999_000_u128));
        price = moved;
    }
    Ok(json!({ "amountOut": out.to_string() }))
}

fn quote(case: &Value) -> Outcome<Value> {
    if case["liquidity"].is_string() {
        return pool(case);
    }
    if let Some(hops) = case["hops"].as_array() {
        let out = hops.iter().try_fold(amount(case, "amountIn")?, hop)?;
        return Ok(json!({ "amountOut": out.to_string() }));
    }
    if case["reserveIn"].is_string() {
        return Ok(json!({ "amountOut": hop(amount(case, "amountIn")?, case)?.to_string() }));
    }
    let (sold, held) = (amount(case, "sold")?, amount(case, "netContributions")?);
    if case["targetRaise"].is_null() {
        return Ok(first_version(case, sold, held, amount(case, "amountIn")?));
    }
    if case["operation"].is_string() {
        return curve(case, sold, held, amount(case, "amountIn")?);
    }
    let cost = least_gross(Curve::of(case)?.cost_up(sold + amount(case, "amountOut")?) - held);
    Ok(json!({ "cost": cost.to_string() }))
}

fn main() -> Outcome<()> {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        writeln!(output, "{}", quote(&serde_json::from_str(&line?)?)?)?;
        output.flush()?;
    }
    Ok(())
}
