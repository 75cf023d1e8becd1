//! The laws of the curves natively: each holds for the platform's mathematics and fails on one mutation of it. They have the names of the
//! laws on chain.
use std::collections::BTreeSet;
use std::path::Path;

use alloy::primitives::{U256, U512};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use slipway_contracts::compile::Law;
use slipway_math::curve::{Curve, MAX_GAIN_BPS, Position};
use slipway_math::exponential;

const ETHER: u128 = 1_000_000_000_000_000_000;
const TRIALS: usize = 2_000;

/// A purchase on either curve.
struct Bought {
    tokens: u128,
    cost: u128,
    refund: u128,
    kept: u128,
    after: Position,
}

/// A sale on either curve.
struct Returned {
    gross: u128,
    payout: u128,
    kept: u128,
    after: Position,
}

/// One curve as its laws see it: a mutation replaces one of the functions.
struct Calculation {
    target: u128,
    supply: u128,
    liquidity: u128,
    set_case: Box<dyn Fn(u128) -> Position>,
    buy: Box<dyn Fn(Position, u128) -> Bought>,
    sell: Box<dyn Fn(Position, u128) -> Returned>,
    price: Box<dyn Fn(u128) -> U256>,
    opening: Box<dyn Fn(bool) -> U256>,
}

type Source = fn(&mut ChaCha8Rng) -> Calculation;
type Rule = fn(&Calculation, &mut ChaCha8Rng) -> bool;
type Mutation = fn(Calculation) -> Calculation;

fn launch(random: &mut ChaCha8Rng) -> Calculation {
    let gain = [0, 1, MAX_GAIN_BPS, random.random_range(0..=MAX_GAIN_BPS)][random.random_range(0..4)];
    let curve = Curve::new(random.random_range(ETHER..=5 * ETHER), gain).unwrap();
    let split = random.random_range(0..=10_000);
    Calculation {
        target: curve.target_raise(),
        supply: curve.sale_supply(),
        liquidity: curve.liquidity_supply(),
        set_case: Box::new(move |sold| Position { sold, contributions: curve.cost_up(sold) }),
        buy: Box::new(move |position, gross| {
            let bought = curve.buy(position, gross, split);
            Bought {
                tokens: bought.tokens_out,
                cost: bought.cost,
                refund: bought.refund,
                kept: bought.fees.total(),
                after: bought.position_after,
            }
        }),
        sell: Box::new(move |position, tokens| {
            let sold = curve.sell(position, tokens, split).unwrap();
            Returned {
                gross: sold.gross,
                payout: sold.payout,
                kept: sold.fees.total(),
                after: sold.position_after,
            }
        }),
        price: Box::new(move |sold| curve.market_cap_down(sold)),
        opening: Box::new(move |token_is_first| curve.pool_sqrt_price_x96_down(token_is_first)),
    }
}

fn v1(_: &mut ChaCha8Rng) -> Calculation {
    Calculation {
        target: exponential::TARGET,
        supply: exponential::SALE_SUPPLY,
        liquidity: exponential::LIQUIDITY_SUPPLY,
        set_case: Box::new(|sold| Position { sold, contributions: exponential::cost_up(sold) }),
        buy: Box::new(|position, gross| {
            let bought = exponential::buy(position, gross);
            Bought {
                tokens: bought.tokens_out,
                cost: bought.cost,
                refund: bought.refund,
                kept: bought.fee,
                after: bought.position_after,
            }
        }),
        sell: Box::new(|position, tokens| {
            let sold = exponential::sell(position, tokens).unwrap();
            Returned { gross: sold.gross, payout: sold.payout, kept: sold.fee, after: sold.position_after }
        }),
        price: Box::new(exponential::market_cap_down),
        // A pair has no price of its own: it opens at the ratio of its deposits.
        opening: Box::new(|_| exponential::price_down(exponential::SALE_SUPPLY)),
    }
}

fn somewhere(of: &Calculation, random: &mut ChaCha8Rng) -> Position {
    (of.set_case)(random.random_range(0..of.supply - ETHER))
}

fn price_is_monotone(of: &Calculation, random: &mut ChaCha8Rng) -> bool {
    let sold = [random.random_range(0..=of.supply), random.random_range(0..=of.supply)];
    let [less, more] = if sold[0] <= sold[1] { sold } else { [sold[1], sold[0]] };
    (of.price)(less) <= (of.price)(more)
}

fn no_round_trip_pays(of: &Calculation, random: &mut ChaCha8Rng) -> bool {
    let bought = (of.buy)(somewhere(of, random), random.random_range(ETHER / 100_000..ETHER));
    (of.sell)(bought.after, bought.tokens).gross <= bought.cost - bought.kept
}

/// Gross amounts in whole hundreds, whose fees need no rounding.
fn parts_are_the_whole(of: &Calculation, random: &mut ChaCha8Rng) -> bool {
    let position = somewhere(of, random);
    let parts = [0, 1].map(|_| 100 * random.random_range(1..ETHER / 300));
    let first = (of.buy)(position, parts[0]);
    let second = (of.buy)(first.after, parts[1]);
    let whole = (of.buy)(position, parts[0] + parts[1]);
    whole.refund > 0 || second.refund > 0 || first.tokens + second.tokens == whole.tokens
}

fn trades(of: &Calculation, random: &mut ChaCha8Rng, mut each: impl FnMut(&Position, [u128; 3], bool, u128)) {
    let mut position = Position::default();
    while position.contributions < of.target {
        let (after, money, tokens, buys) = if position.sold < ETHER || random.random_range(0..3) > 0 {
            let bought = (of.buy)(position, random.random_range(ETHER / 1_000..ETHER / 2));
            (bought.after, [bought.cost, 0, bought.kept], bought.tokens, true)
        } else {
            let tokens = random.random_range(0..=position.sold);
            let sold = (of.sell)(position, tokens);
            (sold.after, [0, sold.payout, sold.kept], tokens, false)
        };
        position = after;
        each(&position, money, buys, tokens);
    }
}

fn every_wei_is_somewhere(of: &Calculation, random: &mut ChaCha8Rng) -> bool {
    let (mut came, mut left, mut holds) = (0, 0, true);
    trades(of, random, |position, [paid, payout, kept], _, _| {
        came += paid;
        left += payout + kept;
        holds &= came == left + position.contributions;
    });
    holds
}

fn every_token_is_somewhere(of: &Calculation, random: &mut ChaCha8Rng) -> bool {
    let (mut outside, mut holds) = (0_u128, true);
    trades(of, random, |position, _, buys, tokens| {
        outside = if buys { outside + tokens } else { outside.saturating_sub(tokens) };
        holds &= outside == position.sold;
    });
    holds
}

fn target_is_exact(of: &Calculation, random: &mut ChaCha8Rng) -> bool {
    let position = somewhere(of, random);
    let gross = 2 * of.target + random.random_range(0..of.target);
    let filled = (of.buy)(position, gross);
    let exact = filled.cost - filled.kept == of.target - position.contributions
        && filled.cost + filled.refund == gross;
    exact
        && (1..=200.min(filled.cost))
            .all(|less| (of.buy)(position, filled.cost - less).after.contributions < of.target)
}

fn pool_opens_at_the_end(of: &Calculation, _: &mut ChaCha8Rng) -> bool {
    [true, false].into_iter().all(|token_is_first| {
        let (first, second) =
            if token_is_first { (of.liquidity, of.target) } else { (of.target, of.liquidity) };
        let ratio = (U512::from(second) << 192) / U512::from(first);
        let price = U512::from((of.opening)(token_is_first));
        let (below, above) = (price - U512::ONE, price + U512::from(2));
        below * below <= ratio && above * above > ratio
    })
}

fn pair_opens_at_the_end(of: &Calculation, _: &mut ChaCha8Rng) -> bool {
    let ratio = U256::from(of.target) * U256::from(ETHER) / U256::from(of.liquidity);
    (of.opening)(true).abs_diff(ratio) <= U256::ONE
}

fn complete_is_closed(of: &Calculation, random: &mut ChaCha8Rng) -> bool {
    let gross = random.random_range(1..ETHER);
    let bought = (of.buy)((of.set_case)(of.supply), gross);
    (bought.tokens, bought.cost, bought.refund) == (0, 0, gross)
}

fn price_counts_what_is_left(of: Calculation) -> Calculation {
    let (price, supply) = (of.price, of.supply);
    Calculation { price: Box::new(move |sold| price(supply - sold)), ..of }
}

fn sale_rounds_up(of: Calculation) -> Calculation {
    let sell = of.sell;
    let rounded = move |position: Position, tokens| {
        let sold = sell(position, tokens);
        Returned { gross: sold.gross + 1, payout: sold.payout + 1, ..sold }
    };
    Calculation { sell: Box::new(rounded), ..of }
}

fn purchase_drops_digits(of: Calculation) -> Calculation {
    let buy = of.buy;
    let dropped = move |position, gross| {
        let bought = buy(position, gross);
        let tokens = bought.tokens / 1_000_000 * 1_000_000;
        Bought { tokens, ..bought }
    };
    Calculation { buy: Box::new(dropped), ..of }
}

fn fee_rounds_up(of: Calculation) -> Calculation {
    let sell = of.sell;
    let rounded = move |position, tokens| {
        let sold = sell(position, tokens);
        Returned { kept: sold.kept + 1, ..sold }
    };
    Calculation { sell: Box::new(rounded), ..of }
}

fn purchase_keeps_a_unit(of: Calculation) -> Calculation {
    let buy = of.buy;
    let short = move |position, gross| {
        let bought = buy(position, gross);
        Bought { tokens: bought.tokens.saturating_sub(1), ..bought }
    };
    Calculation { buy: Box::new(short), ..of }
}

fn target_overcharges(of: Calculation) -> Calculation {
    let buy = of.buy;
    let dear = move |position, gross| {
        let bought = buy(position, gross);
        let more = u128::from(bought.refund > 0);
        Bought { cost: bought.cost + more, kept: bought.kept + more, refund: bought.refund - more, ..bought }
    };
    Calculation { buy: Box::new(dear), ..of }
}

fn opens_two_units_off(of: Calculation) -> Calculation {
    let opening = of.opening;
    Calculation { opening: Box::new(move |first| opening(first) + U256::from(2)), ..of }
}

fn stays_open(of: Calculation) -> Calculation {
    let (buy, target) = (of.buy, of.target);
    let open = move |position: Position, gross| {
        let bought = buy(position, gross);
        if position.contributions < target {
            return bought;
        }
        Bought { cost: gross, refund: 0, ..bought }
    };
    Calculation { buy: Box::new(open), ..of }
}

/// Each law of a curve with the mutation it must catch; both curves have the same laws except for the opening price of the pool or pair.
fn laws() -> Vec<(String, Source, Rule, Mutation)> {
    let common: [(&str, Rule, Mutation); 7] = [
        ("price-monotone", price_is_monotone, price_counts_what_is_left),
        ("no-profitable-round-trip", no_round_trip_pays, sale_rounds_up),
        ("path-independence", parts_are_the_whole, purchase_drops_digits),
        ("solvency", every_wei_is_somewhere, fee_rounds_up),
        ("token-conservation", every_token_is_somewhere, purchase_keeps_a_unit),
        ("exact-target", target_is_exact, target_overcharges),
        ("closed-after-bonding", complete_is_closed, stays_open),
    ];
    let mut all = Vec::new();
    for (name, law, mutation) in common {
        all.push((name.to_owned(), launch as Source, law, mutation));
        all.push((format!("v1-{name}"), v1, law, mutation));
    }
    all.push(("pool-opens-at-end-price".to_owned(), launch, pool_opens_at_the_end, opens_two_units_off));
    all.push(("v1-pair-opens-at-end-price".to_owned(), v1, pair_opens_at_the_end, opens_two_units_off));
    all
}

fn holds(curve: Source, law: Rule, change: Mutation, trials: usize) -> bool {
    let mut random = ChaCha8Rng::seed_from_u64(0x1a3);
    (0..trials).all(|_| {
        let of = change(curve(&mut random));
        law(&of, &mut random)
    })
}

#[test]
fn native_laws_hold_and_catch_mutations() {
    for (name, curve, law, mutation) in laws() {
        let trials = if name.starts_with("v1-") { TRIALS / 10 } else { TRIALS };
        assert!(holds(curve, law, |of| of, trials), "{name} does not hold");
        assert!(!holds(curve, law, mutation, trials), "{name} does not notice its mutation");
    }
}

/// The laws checked here are those of the chain, and their documentation page lists each with its statement.
#[test]
fn law_lists_agree() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/reference/laws.md")).unwrap();
    let listed = Law::listed(&root.join("contracts")).unwrap();
    for law in &listed {
        let row = page.lines().find(|line| line.contains(&format!("| `{}` |", law.id)));
        assert!(
            row.is_some_and(|row| row.contains(&law.statement)),
            "docs/reference/laws.md lacks {}",
            law.id
        );
    }
    let native: BTreeSet<String> = laws().into_iter().map(|(name, ..)| name).collect();
    assert_eq!(native, listed.into_iter().map(|law| law.id).collect());
}
