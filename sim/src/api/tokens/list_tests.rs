//! Edge cases of orders, filters and pages.
use alloy::primitives::Address;
use jiff::SignedDuration;
use slipway_contracts::ChainId;

use super::{Column, ListQuery, Sort, Timeframe, beginning, list, ranked};
use crate::api::decimal::Decimal;
use crate::api::tokens::filter::{Filter, Range};
use crate::state::State;
use crate::state::figure::Change;
use crate::state::script::{ETHER, Plan, Script};

const NOW: u64 = 1_800_000_000;

/// Tokens 0 and 1 are created in the same second on two chains, tokens 2 to 4 later. Token 2 is graduated; token 3 was traded two days ago.
fn market() -> Script {
    let mut script = Script::default();
    for (number, age) in (0_u8..).zip([500_000, 500_000, 400_000, 300_000, 200_000]) {
        let mut plan = Plan::numbered(number, NOW - age);
        plan.chain_id = if number == 0 { ChainId::PRIMARY.0 } else { ChainId::SECOND.0 };
        script.launch(plan);
    }
    let trader = Address::repeat_byte(0xe0);
    script.buy(2, trader, 4 * ETHER, NOW - 100);
    script.buy(3, trader, ETHER / 2, NOW - 2 * 86_400);
    script.buy(1, trader, ETHER / 100, NOW - 50);
    script.buy(0, trader, ETHER / 100, NOW - 40);
    script.sell(0, trader, ETHER, NOW - 30);
    script
}

fn shown(state: &State, sort: Sort, timeframe: Timeframe, filter: Filter) -> Vec<u8> {
    let page = list(state, NOW, &ListQuery { page: 1, filter, sort, timeframe });
    assert_eq!(page.total, page.tokens.len() as u64);
    page.tokens.iter().map(|token| token.launch.token[19]).collect()
}

fn kept(filter: Filter) -> Vec<u8> {
    shown(&market().state(), Sort::Oldest, Timeframe::Day, filter)
}

fn range(least: Option<&str>, most: Option<&str>) -> Range<Decimal> {
    let [least, most] = [least, most].map(|bound| bound.map(|text| Decimal::parse(text).unwrap()));
    Range::new(least, most).unwrap()
}

#[test]
fn orders_are_total_and_ties_fall_by_birth() {
    let state = market().state();
    let all = |sort| shown(&state, sort, Timeframe::Day, Filter::default());
    // Tokens of the same second are ordered by chain: the second chain has the lower id.
    const { assert!(ChainId::SECOND.0 < ChainId::PRIMARY.0) };
    assert_eq!(all(Sort::Oldest), [1, 0, 2, 3, 4]);
    assert_eq!(all(Sort::Newest), [4, 3, 2, 0, 1]);
    let mut by_market_cap = all(Sort::MarketCapHigh);
    assert_eq!(by_market_cap, [2, 3, 1, 0, 4], "token 1 was bought as token 0 was, which then sold");
    by_market_cap.reverse();
    assert_eq!(all(Sort::MarketCapLow), by_market_cap);
    // By trades, then by volume, then newest first: token 3 was traded outside the window, token 4 never.
    assert_eq!(all(Sort::Trending), [0, 2, 1, 4, 3]);
    assert_eq!(shown(&state, Sort::Trending, Timeframe::FiveMinutes, Filter::default()), [0, 2, 1, 4, 3]);
    let mut untraded = Script::default();
    for number in 0..3 {
        untraded.launch(Plan::numbered(number, NOW - u64::from(number / 2)));
    }
    let state = untraded.state();
    let all = |sort| shown(&state, sort, Timeframe::Hour, Filter::default());
    assert_eq!([all(Sort::Trending), all(Sort::MarketCapHigh)], [[1, 0, 2], [1, 0, 2]]);
    assert_eq!(all(Sort::MarketCapLow), [2, 0, 1]);
}

#[test]
fn columns_order_by_what_they_show() {
    let state = market().state();
    let all = |sort| shown(&state, sort, Timeframe::Day, Filter::default());
    for (column, highest) in [
        // Only token 2 graduated; token 3 was bought for half an ether, token 0 less than token 1.
        (Column::Raised, [2, 3, 1, 0, 4]),
        (Column::Price, [2, 3, 1, 0, 4]),
        (Column::Gain, [2, 3, 1, 0, 4]),
        // Token 3 was bought before the last day.
        (Column::Change, [2, 1, 0, 4, 3]),
        (Column::Volume, [2, 0, 1, 4, 3]),
        (Column::Trades, [0, 2, 1, 4, 3]),
        (Column::Holders, [3, 2, 0, 1, 4]),
    ] {
        let mut expected = highest.to_vec();
        assert_eq!(all(Sort::High(column)), expected, "{column:?}");
        expected.reverse();
        assert_eq!(all(Sort::Low(column)), expected, "{column:?}");
    }
    let mut named = all(Sort::Low(Column::Name));
    named.reverse();
    assert_eq!(all(Sort::High(Column::Name)), named);
    let names = ["", "Zebra", "a", "aB", "ab c", "b", "Österreich"];
    let mut sorted = names;
    sorted.sort_by_key(|name| beginning(name));
    assert_eq!(sorted, ["", "a", "aB", "ab c", "b", "Zebra", "Österreich"]);
    let changes = [(100, 0), (100, 99), (100, 100), (100, 101), (1, u128::MAX)];
    let ranks = changes.map(|(before, after)| ranked(Change::between(before, after)));
    assert!(ranks.is_sorted() && ranks[0] < ranks[1] && ranks[3] < ranks[4], "{ranks:?}");
}

#[test]
fn bounds_are_inclusive_and_exact() {
    let state = market().state();
    let cap = |number: u8| {
        let token = state.tokens().find(|token| token.launch.token[19] == number).unwrap();
        token.market_cap_shown().units()
    };
    let text = |units: u128| format!("{}.{:018}", units / ETHER, units % ETHER);
    let capped = |least: Option<&str>, most: Option<&str>| {
        kept(Filter { market_cap: range(least, most), ..Filter::default() })
    };
    let (exact, below, above) = (text(cap(3)), text(cap(3) - 1), text(cap(3) + 1));
    assert_eq!(capped(Some(&exact), Some(&exact)), [3]);
    assert_eq!(capped(Some(&below), Some(&above)), [3]);
    assert_eq!(capped(Some(&above), None), [2]);
    assert_eq!(capped(None, Some(&below)), [1, 0, 4]);
    // Closer to the figure than its last digit: rounding either bound would keep it.
    let (just_above, just_below) =
        (format!("{exact}000000000000000001"), format!("{below}999999999999999999"));
    assert_eq!(capped(Some(&just_above), None), [2]);
    assert_eq!(capped(None, Some(&just_below)), [1, 0, 4]);
    assert_eq!(capped(Some(&just_below), Some(&just_above)), [3]);
    // Larger than any figure.
    assert_eq!(capped(Some("1e39"), None), [0; 0]);
    assert_eq!(capped(None, Some("1e39")), [1, 0, 2, 3, 4]);
}

#[test]
fn progress_trades_and_times_are_bounded() {
    let funded = |least, most| kept(Filter { funding: range(least, most), ..Filter::default() });
    assert_eq!(funded(Some("1"), None), [2]);
    assert_eq!(funded(None, Some("0")), [4]);
    assert_eq!(funded(None, Some("0.999999999999999999")), [1, 0, 3, 4]);
    let traded = |least, most| kept(Filter { trades: Range::new(least, most).unwrap(), ..Filter::default() });
    assert_eq!(traded(Some(2), Some(2)), [0]);
    assert_eq!(traded(None, Some(0)), [4]);
    assert_eq!(traded(Some(1), None), [1, 0, 2, 3]);
    let created =
        |least, most| kept(Filter { created: Range::new(least, most).unwrap(), ..Filter::default() });
    let at = |seconds: u64| SignedDuration::from_secs(seconds.try_into().unwrap());
    let nanosecond = SignedDuration::from_nanos(1);
    let born = at(NOW - 400_000);
    assert_eq!(created(Some(born), Some(born)), [2]);
    assert_eq!(created(Some(born + nanosecond), None), [3, 4]);
    assert_eq!(created(None, Some(born - nanosecond)), [1, 0]);
    let before_1970 = SignedDuration::from_secs(-1);
    assert_eq!(created(None, Some(before_1970)), [0; 0]);
    assert_eq!(created(Some(before_1970), None), [1, 0, 2, 3, 4]);
}
