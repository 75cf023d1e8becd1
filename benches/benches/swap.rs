//! Quotes of the exchange in process: one hop compared with the library's formula in 256 bits, and routes as the pairs grow.
//! Leaves out HTTP, which `quote_load` measures.
use std::hint::black_box;

use alloy::primitives::U256;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use slipway_benches::exchange::{Trade, asked, exchange, token, trades_of_any_size, typical_trades};
use slipway_math::exchange::{amount_out_down, least_amount_in_up};

const TRADES: usize = 1_024;

/// The library's formula, unchanged.
fn library_formula(amount_in: U256, reserve_in: U256, reserve_out: U256) -> U256 {
    let trading = amount_in * U256::from(997);
    trading * reserve_out / (reserve_in * U256::from(1_000) + trading)
}

fn wide((amount, near, far): &Trade) -> (U256, U256, U256) {
    (U256::from(*amount), U256::from(*near), U256::from(*far))
}

fn one_hop(criterion: &mut Criterion) {
    for (name, trades) in [("usual", typical_trades(TRADES)), ("any size", trades_of_any_size(TRADES))] {
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

fn growth(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("best route");
    for pairs in [10, 1_000, 10_000] {
        let graph = exchange(pairs);
        let asked = asked(&graph, 64);
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
