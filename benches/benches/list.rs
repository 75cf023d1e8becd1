//! How long a page of the list takes over markets of a thousand and a hundred thousand tokens. Before it is measured, each query
//! is answered by a plain walk over all tokens as well, and both answers must be equal.
use std::collections::BTreeMap;
use std::hint::black_box;

use alloy::primitives::Address;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use slipway_benches::timing::median;
use slipway_benches::tokens::{market, now, queries};
use slipway_sim::api::tokens::list::{ListQuery, PAGE_SIZE, Sort, list};
use slipway_sim::state::State;

const SIZES: [u32; 2] = [1_000, 100_000];

/// The answer by walking every token: the addresses of the first page and the total.
fn naive_page(state: &State, query: &ListQuery) -> (Vec<Address>, u64) {
    let filter = &query.filter;
    let (classes, bounds) = (filter.classes(), filter.bounds().expect("the bounds hold something"));
    let text = filter.search.as_deref().map(str::to_lowercase);
    let mut kept: Vec<_> = (0..state.count())
        .filter(|index| {
            let (token, standing) = (state.at(*index), state.standing(*index));
            let texts = &token.launch.metadata;
            let words = [
                texts.name.to_lowercase(),
                texts.ticker.to_lowercase(),
                texts.description.to_lowercase(),
                token.launch.creator.to_string().to_lowercase(),
                token.launch.token.to_string().to_lowercase(),
            ];
            let mentioned = text.as_ref().is_none_or(|text| words.iter().any(|word| word.contains(text)));
            classes.hold(standing.class) && bounds.hold(standing) && mentioned
        })
        .collect();
    kept.sort_by_key(|index| {
        let standing = state.standing(*index);
        let by_cap = matches!(query.sort, Sort::MarketCapHigh | Sort::MarketCapLow);
        (by_cap.then_some(standing.market_cap), standing.birth)
    });
    if matches!(query.sort, Sort::Newest | Sort::MarketCapHigh) {
        kept.reverse();
    }
    let size = usize::try_from(PAGE_SIZE).expect("a page is small");
    let shown = kept.iter().take(size).map(|index| state.at(*index).launch.token);
    (shown.collect(), kept.len() as u64)
}

#[expect(clippy::print_stdout, reason = "the table is what this program is run for")]
fn table(times: &BTreeMap<&'static str, Vec<u128>>) {
    println!("\nns an answer, each equal to a walk over all tokens before it was measured");
    for (name, times) in times {
        let [small, large] = times[..] else { panic!("a time for each size") };
        println!("{name:<32}1k {small:>9}  100k {large:>9}");
    }
}

fn pages(criterion: &mut Criterion) {
    let mut times: BTreeMap<&'static str, Vec<u128>> = BTreeMap::new();
    for size in SIZES {
        let state = market(size);
        let now = now(size);
        for (name, query) in queries() {
            let page = list(&state, now, &query);
            let shown: Vec<_> = page.tokens.iter().map(|token| token.launch.token).collect();
            assert_eq!((shown, page.total), naive_page(&state, &query), "{name} of {size}");
            let timed = median(|| {
                black_box(list(black_box(&state), now, black_box(&query)));
            });
            times.entry(name).or_default().push(timed);
            criterion.benchmark_group(name).bench_with_input(
                BenchmarkId::from_parameter(size),
                &size,
                |bencher, _| {
                    bencher.iter(|| list(black_box(&state), now, black_box(&query)));
                },
            );
        }
    }
    table(&times);
}

criterion_group!(benches, pages);
criterion_main!(benches);
