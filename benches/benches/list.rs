//! How long a page of the list takes over markets of a thousand, ten thousand and a hundred thousand tokens. Before it is
//! measured, each query is answered by a plain walk over all tokens as well, and both answers must be equal. A table at the
//! end says how much longer the largest market takes than the smallest, and of a search its time for each token.
use slipway_contracts::ChainId;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use alloy::primitives::{Address, B256, U256};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use slipway_sim::api::tokens::filter::{Filter, Range, Socials, Statuses};
use slipway_sim::api::tokens::list::{ListQuery, PAGE_SIZE, Sort, Timeframe, list};
use slipway_sim::event::{Event, EventKind, Metadata, Side};
use slipway_sim::state::State;

const SIZES: [u32; 3] = [1_000, 10_000, 100_000];
const GENESIS_TIME: u64 = 1_700_000_000;
const ETHER: u128 = 1_000_000_000_000_000_000;
const HOOK: Address = Address::repeat_byte(0x11);

fn address(number: u32, salt: u8) -> Address {
    Address::from_word(alloy::primitives::keccak256([&number.to_be_bytes()[..], &[salt]].concat()))
}

/// A market of launches, each with a trade, every seventh graduated, every third with a website.
fn market(size: u32) -> State {
    let mut state = State::new(BTreeMap::new());
    for number in 0..size {
        let launch_id = u64::from(number) + 1;
        let mut log_index = 0;
        let mut tell = |kind| {
            log_index += 1;
            state.apply(&Event {
                chain_id: ChainId::PRIMARY.0,
                block: u64::from(number),
                timestamp: GENESIS_TIME + u64::from(number) * 10,
                transaction: B256::from(U256::from(number)),
                log_index,
                emitter: HOOK,
                kind,
            });
        };
        tell(EventKind::LaunchCreated {
            launch_id,
            creator: address(number % 997, 1),
            token: address(number, 2),
            target_raise: 2 * ETHER,
        });
        let website = if number % 3 == 0 { "https://site.invalid/" } else { "" };
        tell(EventKind::LaunchMetadata {
            launch_id,
            metadata: Box::new(Metadata {
                name: format!("Launch of the {number}th morning"),
                ticker: format!("L{number}"),
                description: format!("What number {number} is about, in as many words as people use."),
                website: website.to_owned(),
                ..Metadata::default()
            }),
        });
        tell(EventKind::LaunchConfigured {
            launch_id,
            quote_asset: Address::ZERO,
            sale_supply: 0,
            liquidity_supply: 0,
            gain_bps: 50_000,
            creator_fee_split_bps: 5_000,
            anti_snipe_duration: 0,
            launch_time: GENESIS_TIME,
        });
        let mixed = u128::from(number).wrapping_mul(2_654_435_761) % 1_000_003;
        tell(EventKind::Trade {
            launch_id,
            trader: address(number % 1_009, 3),
            side: Side::Buy,
            price_after: U256::from(mixed),
            market_cap: U256::from(mixed * 1_000_000_000_000),
            quote_amount: U256::from(ETHER / 1_000_000 * (mixed + 1)),
            token_amount: U256::from(ETHER),
            fee: U256::ZERO,
            refund: U256::ZERO,
        });
        if number % 7 == 0 {
            tell(EventKind::LaunchFinalized {
                launch_id,
                pool_id: address(number, 4).into_word(),
                quote_seeded: U256::ZERO,
                tokens_seeded: U256::ZERO,
            });
        }
    }
    state
}

fn queries() -> Vec<(&'static str, ListQuery)> {
    let query = |sort, filter| ListQuery { page: 1, filter, sort, timeframe: Timeframe::Day };
    let all = Filter::default;
    let live = Filter { status: Statuses { live: true, funding: false }, ..all() };
    let website = Filter { socials: Socials { website: true, ..Socials::default() }, ..all() };
    let capped = Filter { market_cap: range("0.2", "0.3"), ..all() };
    let funded = Filter { funding: range("0.25", "0.5"), ..all() };
    let searched = |text: &str| Filter { search: Some(text.to_owned()), ..all() };
    vec![
        ("newest", query(Sort::Newest, all())),
        ("newest live", query(Sort::Newest, live.clone())),
        ("mcap-high live", query(Sort::MarketCapHigh, live)),
        ("oldest with website", query(Sort::Oldest, website)),
        ("mcap-low in a range of it", query(Sort::MarketCapLow, capped.clone())),
        ("newest in a range of mcap", query(Sort::Newest, capped)),
        ("mcap-high in a range of funding", query(Sort::MarketCapHigh, funded)),
        ("search for one", query(Sort::Newest, searched("the 777th"))),
        ("search for all", query(Sort::MarketCapHigh, searched("MORNING"))),
        ("search for an address", query(Sort::Newest, searched("0xab"))),
    ]
}

fn range(least: &str, most: &str) -> Range<slipway_sim::api::decimal::Decimal> {
    let bound = |text: &str| slipway_sim::api::decimal::Decimal::parse(text).ok();
    Range::new(bound(least), bound(most)).expect("the bounds are in order")
}

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

/// The time of one answer, nanoseconds: the median of up to a hundred and one, of fewer where they take long.
fn median(answer: impl Fn()) -> u128 {
    const ENOUGH: Duration = Duration::from_millis(300);
    let begun = Instant::now();
    let mut times = Vec::new();
    while times.len() < 5 || (times.len() < 101 && begun.elapsed() < ENOUGH) {
        let one = Instant::now();
        answer();
        times.push(one.elapsed().as_nanos());
    }
    times.sort_unstable();
    times[times.len() / 2]
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
        println!("{name:<32}1k {small:>9}  10k {middle:>9}  100k {large:>9}  100k/1k {ratio:>7}");
        if name.starts_with("search") {
            let tokens = u128::from(SIZES[SIZES.len() - 1]);
            println!("{:<32}{} ns a token of 100k", "", quotient(large, tokens));
        }
    }
}

fn pages(criterion: &mut Criterion) {
    let mut times: BTreeMap<&'static str, Vec<u128>> = BTreeMap::new();
    for size in SIZES {
        let state = market(size);
        let now = GENESIS_TIME + u64::from(size) * 10;
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
