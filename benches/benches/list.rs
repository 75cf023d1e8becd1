//! How long a page of the list takes over markets of a thousand, a hundred thousand and a million tokens. Before it is
//! measured, each query is answered by a plain walk over all tokens as well, and both answers must be equal. A table at the
//! end says how much longer the largest market takes than the smallest, and of a search its time for each token.
use std::collections::BTreeMap;
use std::hint::black_box;

use alloy::primitives::Address;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use slipway_benches::chart::Chart;
use slipway_benches::timing::median;
use slipway_benches::tokens::{market, now, queries};
use slipway_sim::api::tokens::list::{ListQuery, PAGE_SIZE, Sort, list};
use slipway_sim::state::State;

const SIZES: [u32; 3] = [1_000, 100_000, 1_000_000];

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

/// A quotient with two places behind the point, rounded down.
fn quotient(dividend: u128, divisor: u128) -> String {
    let hundredths = dividend * 100 / divisor.max(1);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

#[expect(clippy::print_stdout, reason = "the table is what this program is run for")]
fn table(times: &BTreeMap<&'static str, Vec<u128>>) {
    println!("\nns an answer, each equal to a walk over all tokens before it was measured");
    for (name, times) in times {
        let [small, middle, large] = times[..] else { panic!("a time for each size") };
        let ratio = quotient(large, small);
        println!("{name:<32}1k {small:>9}  100k {middle:>9}  1M {large:>9}  1M/1k {ratio:>7}");
        if name.starts_with("search") {
            let tokens = u128::from(SIZES[SIZES.len() - 1]);
            println!("{:<32}{} ns a token of 1M", "", quotient(large, tokens));
        }
    }
}

/// The time in which the descriptions, which a search for a phrase of all of them reads, are read once.
fn read_descriptions(state: &State) -> u128 {
    let texts: String = state.by_age().map(|token| token.launch.metadata.description.as_str()).collect();
    median(|| assert!(!black_box(texts.as_bytes()).contains(&0xff), "it begins no letter"))
}

fn pages(criterion: &mut Criterion) {
    let mut times: BTreeMap<&'static str, Vec<u128>> = BTreeMap::new();
    for size in SIZES {
        let state = market(size);
        let now = now(size);
        times.entry("search: descriptions read once").or_default().push(read_descriptions(&state));
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
    let lines = |search: bool| -> Vec<(&str, Vec<(f64, f64)>)> {
        let sizes = || SIZES.iter().copied().map(f64::from);
        let shown = times.iter().filter(|(name, _)| name.starts_with("search") == search);
        shown
            .map(|(name, times)| (*name, sizes().zip(times.iter().map(|time| *time as f64)).collect()))
            .collect()
    };
    let chart = |name, title| Chart { name, title, unit: "ns an answer" };
    chart("list-pages", "A page of the list").lines("tokens", &lines(false));
    chart("list-searches", "A search of the list").lines("tokens", &lines(true));
}

criterion_group!(benches, pages);
criterion_main!(benches);
