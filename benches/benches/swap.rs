//! Quotes of the exchange in process: one hop beside the library's formula in 256 bits, and routes as the pairs grow.
//! Leaves out HTTP, which `quote_load` measures.
use std::hint::black_box;

use alloy::primitives::{Address, U256, keccak256};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use slipway_sim::math::exchange::{Graph, MAX_RESERVE, Reserves, amount_out_down, least_amount_in_up};

const TRADES: usize = 1_024;

/// An amount and what the pair holds on both sides.
type Trade = (u128, u128, u128);

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u128 {
        self.0 += 1;
        let word = keccak256(self.0.to_be_bytes());
        u128::from_be_bytes(word[..16].try_into().expect("a word has 32 bytes"))
    }

    fn between(&mut self, least: u128, most: u128) -> u128 {
        least + self.next() % (most - least + 1)
    }

    fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.next() % length as u128).expect("below the length")
    }

    fn any_size(&mut self) -> u128 {
        let shift = self.next() % 112;
        ((self.next() & MAX_RESERVE) >> shift).max(1)
    }
}

/// Trades of a coin with 18 decimals against a stable token with 6: a thousandth of the pair at most.
fn typical_trades() -> Vec<Trade> {
    let mut random = Random(1);
    let coin = 10_u128.pow(18);
    let trade = |_| {
        let coins = random.between(100, 5_000) * coin + random.between(0, coin);
        let dollars = coins / coin * 3_000_000_000 + random.between(0, 1_000_000);
        (random.between(coin / 1_000, coin), coins, dollars)
    };
    (0..TRADES).map(trade).collect()
}

/// Trades of every size that a pair can hold.
fn trades_of_any_size() -> Vec<Trade> {
    let mut random = Random(2);
    (0..TRADES).map(|_| (random.any_size(), random.any_size(), random.any_size())).collect()
}

/// The library's formula as it stands.
fn library_formula(amount_in: U256, reserve_in: U256, reserve_out: U256) -> U256 {
    let trading = amount_in * U256::from(997);
    trading * reserve_out / (reserve_in * U256::from(1_000) + trading)
}

fn wide((amount, near, far): &Trade) -> (U256, U256, U256) {
    (U256::from(*amount), U256::from(*near), U256::from(*far))
}

fn one_hop(criterion: &mut Criterion) {
    for (name, trades) in [("usual", typical_trades()), ("any size", trades_of_any_size())] {
        let wide: Vec<(U256, U256, U256)> = trades.iter().map(wide).collect();
        for ((amount, near, far), (amount256, near256, far256)) in trades.iter().zip(&wide) {
            let ours = amount_out_down(*amount, *near, *far).expect("inside the range of a pair");
            assert_eq!(U256::from(ours), library_formula(*amount256, *near256, *far256), "0 apart");
        }
        let mut group = criterion.benchmark_group(format!("one hop, {name}"));
        group.throughput(Throughput::Elements(TRADES as u64));
        group.bench_function("exact input", |bencher| {
            bencher.iter(|| {
                for (amount, near, far) in &trades {
                    black_box(amount_out_down(black_box(*amount), *near, *far));
                }
            });
        });
        group.bench_function("exact output", |bencher| {
            bencher.iter(|| {
                for (amount, near, far) in &trades {
                    black_box(least_amount_in_up(black_box(*amount).min(far / 2), *near, *far));
                }
            });
        });
        group.bench_function("the library's formula in 256 bits", |bencher| {
            bencher.iter(|| {
                for (amount, near, far) in &wide {
                    black_box(library_formula(black_box(*amount), *near, *far));
                }
            });
        });
        group.finish();
    }
}

fn token(number: usize) -> Address {
    Address::from_word(keccak256(number.to_be_bytes()))
}

/// An exchange as exchanges grow: a few tokens that everybody pairs with, many with one pair, some with several.
fn exchange(pairs: usize) -> Graph {
    const HUBS: usize = 4;
    let mut random = Random(3);
    let mut graph = Graph::default();
    let (mut made, mut tokens) = (0, HUBS);
    while made < pairs {
        let (one, other) = match random.index(10) {
            _ if made < HUBS - 1 => (made, made + 1),
            0..6 => {
                tokens += 1;
                (tokens - 1, random.index(HUBS))
            }
            6..9 => (random.index(tokens), random.index(HUBS)),
            _ => (random.index(tokens), random.index(tokens)),
        };
        let (token0, token1) = (token(one).min(token(other)), token(one).max(token(other)));
        let pair = Address::from_word(keccak256(((one << 32) | other).to_be_bytes()));
        if one == other || graph.add_pair(pair, token0, token1).is_err() {
            continue;
        }
        let reserves = Reserves {
            reserve0: random.between(1 << 60, 1 << 80),
            reserve1: random.between(1 << 60, 1 << 80),
        };
        graph.set_reserves(pair, reserves).expect("the pair was made");
        made += 1;
    }
    graph
}

fn growth(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("best route");
    for pairs in [10, 1_000, 10_000] {
        let graph = exchange(pairs);
        let tokens: Vec<Address> = graph.tokens().collect();
        let mut random = Random(4);
        let asked: Vec<(Address, Address)> = (0..64)
            .map(|_| (tokens[random.index(tokens.len())], tokens[random.index(tokens.len())]))
            .collect();
        let amount = 1 << 58;
        let mut turn = asked.iter().cycle();
        group.bench_function(BenchmarkId::new("exact input, any two tokens", pairs), |bencher| {
            bencher.iter(|| {
                let (from, to) = turn.next().expect("a cycle has no end");
                black_box(graph.best_exact_in(*from, *to, black_box(amount))).ok()
            });
        });
        group.bench_function(BenchmarkId::new("exact output, any two tokens", pairs), |bencher| {
            bencher.iter(|| {
                let (from, to) = turn.next().expect("a cycle has no end");
                black_box(graph.best_exact_out(*from, *to, black_box(amount))).ok()
            });
        });
        group.bench_function(BenchmarkId::new("exact input, between the hubs", pairs), |bencher| {
            bencher.iter(|| black_box(graph.best_exact_in(token(0), token(1), black_box(amount))).ok());
        });
        group.bench_function(BenchmarkId::new("a copy for readers", pairs), |bencher| {
            bencher.iter(|| black_box(graph.clone()));
        });
    }
    group.finish();
}

criterion_group!(benches, one_hop, growth);
criterion_main!(benches);
