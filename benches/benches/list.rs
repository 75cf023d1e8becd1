//! How long a page of the list takes on markets of a thousand and a hundred thousand tokens, for every kind of query.
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use slipway_benches::tokens::{market, now, queries};
use slipway_sim::api::tokens::list::list;

const SIZES: [u32; 2] = [1_000, 100_000];

fn pages(criterion: &mut Criterion) {
    for size in SIZES {
        let state = market(size);
        for (name, query) in queries() {
            criterion.benchmark_group(name).bench_function(BenchmarkId::from_parameter(size), |bencher| {
                bencher.iter(|| list(black_box(&state), now(size), black_box(&query)));
            });
        }
    }
}

criterion_group!(benches, pages);
criterion_main!(benches);
