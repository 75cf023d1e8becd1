//! Markets of tokens, the queries of their list, and trades to fold.
use std::collections::BTreeMap;
use std::sync::Arc;

use alloy::primitives::{Address, B256, U256};
use slipway_contracts::ChainId;
use slipway_sim::api::decimal::Decimal;
use slipway_sim::api::tokens::filter::{Filter, Range, Socials, Statuses};
use slipway_sim::api::tokens::list::{ListQuery, Sort, Timeframe};
use slipway_sim::event::{Event, EventKind, Metadata, Side};
use slipway_sim::state::State;

const GENESIS_TIME: u64 = 1_700_000_000;
const ETHER: u128 = 1_000_000_000_000_000_000;
const HOOK: Address = Address::repeat_byte(0x11);

fn address(number: u32, salt: u8) -> Address {
    Address::from_word(alloy::primitives::keccak256([&number.to_be_bytes()[..], &[salt]].concat()))
}

/// A log of the hook in the block with this number.
fn event(number: u32, log_index: u64, kind: EventKind) -> Event {
    Event {
        chain_id: ChainId::PRIMARY.0,
        block: u64::from(number),
        timestamp: now(number),
        transaction: B256::from(U256::from(number)),
        log_index,
        emitter: HOOK,
        kind,
    }
}

/// A purchase by the trader with this number, at a price and of an amount derived from it.
fn purchase(launch_id: u64, number: u32) -> EventKind {
    let mixed = u128::from(number).wrapping_mul(2_654_435_761) % 1_000_003;
    EventKind::Trade {
        launch_id,
        trader: address(number % 1_009, 3),
        side: Side::Buy,
        price_after: U256::from(mixed),
        market_cap: U256::from(mixed * 1_000_000_000_000),
        quote_amount: U256::from(ETHER / 1_000_000 * (mixed + 1)),
        token_amount: U256::from(ETHER),
        fee: U256::ZERO,
        refund: U256::ZERO,
    }
}

/// The time of the block with this number; for the size of a market, the time at which its list is read.
#[must_use]
pub fn now(number: u32) -> u64 {
    GENESIS_TIME + u64::from(number) * 10
}

/// Trades in the blocks after a market, over all of its launches in turn.
#[must_use]
pub fn trades(size: u32, count: u32) -> Vec<Event> {
    let trade = |number| event(number, 1, purchase(u64::from(number % size) + 1, number));
    (size..size + count).map(trade).collect()
}

/// A market of launches, each with a trade, every seventh graduated, every third with a website.
#[must_use]
pub fn market(size: u32) -> State {
    let mut events = Vec::new();
    for number in 0..size {
        let launch_id = u64::from(number) + 1;
        let mut log_index = 0;
        let mut tell = |kind| {
            log_index += 1;
            events.push(event(number, log_index, kind));
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
            metadata: Arc::new(Metadata {
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
        tell(purchase(launch_id, number));
        if number % 7 == 0 {
            tell(EventKind::LaunchFinalized {
                launch_id,
                pool_id: address(number, 4).into_word(),
                quote_seeded: U256::ZERO,
                tokens_seeded: U256::ZERO,
            });
        }
    }
    let mut state = State::new(BTreeMap::new());
    events.iter().for_each(|event| state.apply(event));
    state
}

/// Queries of every kind, each with a label.
#[must_use]
pub fn queries() -> Vec<(&'static str, ListQuery)> {
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
        ("search for a phrase of all", query(Sort::Newest, searched("as many words"))),
        ("search for two letters", query(Sort::Newest, searched("77"))),
        ("search for an address", query(Sort::Newest, searched("0xab"))),
    ]
}

fn range(least: &str, most: &str) -> Range<Decimal> {
    let bound = |text: &str| Decimal::parse(text).ok();
    Range::new(bound(least), bound(most)).expect("the bounds are in order")
}
