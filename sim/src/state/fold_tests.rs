//! The fold over scripted markets: the effect of each event on the rows, and independence from the order of the chains.
use super::script::{ETHER, HOOK, Plan, Script};
use super::token::{DAY, Pool, Token};
use super::{Ground, State};

use crate::api::tokens::view::TokenView;
use crate::event::{EventKind, Side};
use alloy::primitives::{Address, B256, U256};
use slipway_contracts::ChainId;
use slipway_contracts::deploy::QuoteAsset;

const NOW: u64 = 1_800_000_000;

fn alice() -> Address {
    Address::repeat_byte(0xa1)
}

/// A buyback moves the price but does not count as a trade, on the curve and in the pool.
#[test]
fn buybacks_are_excluded_from_volume_and_trades() {
    for number in [1, 2] {
        let mut script = Script::default();
        let launch = script.launch(Plan::numbered(number, NOW));
        let address = script.launches[launch].plan.token;
        script.buy(launch, alice(), 3 * ETHER, NOW + 1);
        script.swap(launch, Side::Sell, ETHER / 20, 36_000_000_000, NOW + 2);
        let before = script.state();
        let before = before.token(address).unwrap();
        script.buy_back_from_pool(launch, ETHER / 10, 40_000_000_000, NOW + 50);
        let state = script.state();
        let token = state.token(address).unwrap();
        assert!(token.price.abs_diff(40_000_000_000) < 1_000_000, "{}", token.price);
        assert!(token.market_cap > before.market_cap);
        assert_eq!(token.trade_count(), before.trade_count());
        assert_eq!(token.trades.last_at(), Some(NOW + 2));
        let (window, same) = (token.trades.within(NOW + 60, DAY), before.trades.within(NOW + 60, DAY));
        assert_eq!((window.volume, window.buys, window.sells), (same.volume, same.buys, same.sells));
        assert_eq!(token.trades.within(NOW + 60, 20).count(), 0);
    }
}

#[test]
fn chains_fold_independently() {
    let mut script = Script::default();
    for number in 0..8_u8 {
        let plan = Plan::numbered(number, NOW + u64::from(number) / 3);
        let chain_id = if number % 2 == 0 { ChainId::PRIMARY.0 } else { ChainId::SECOND.0 };
        let launch = script.launch(Plan { chain_id, ..plan });
        script.buy(launch, alice(), ETHER * u128::from(number + 1) / 3, NOW + 10);
    }
    let mut one_after_the_other = script.clone();
    one_after_the_other.events.sort_by_key(|event| event.chain_id);
    let seen = |script: &Script| -> Vec<_> {
        let state = script.state();
        let row = |token: &Token| (token.birth, token.launch.token, token.market_cap, token.trade_count());
        let mut rows: Vec<_> = state.tokens().map(row).collect();
        rows.sort_unstable();
        rows
    };
    assert_eq!(seen(&script), seen(&one_after_the_other));
}

#[test]
fn equal_addresses_on_two_chains_are_two_tokens() {
    let mut script = Script::default();
    script.launch(Plan { chain_id: ChainId::SECOND.0, ..Plan::numbered(1, NOW + 5) });
    let second = script.launch(Plan::numbered(1, NOW));
    let state = script.state();
    let address = script.launches[second].plan.token;
    assert_eq!(state.tokens().count(), 2);
    assert_eq!(state.token(address).unwrap().birth.chain_id, ChainId::PRIMARY.0);
    assert_eq!(state.token_on(ChainId::SECOND.0, address).unwrap().birth.chain_id, ChainId::SECOND.0);
}

/// A copy shares unchanged parts; events folded into either do not affect the other.
#[test]
fn copies_are_independent_and_share_unchanged_tokens() {
    let mut script = Script::default();
    let launches = [1, 2].map(|number| script.launch(Plan::numbered(number, NOW)));
    let mut state = script.state();
    let copy = state.clone();
    let known = script.events.len();
    script.buy(launches[0], alice(), ETHER / 3, NOW + 1);
    script.events[known..].iter().for_each(|event| state.apply(event));
    let trades = |state: &State| state.tokens().map(Token::trade_count).collect::<Vec<_>>();
    assert_eq!((trades(&copy), trades(&state)), (vec![0, 0], vec![1, 0]));
    let [bought, other] = launches.map(|launch| script.launches[launch].plan.token);
    let is_shared = |address| std::ptr::eq(copy.token(address).unwrap(), state.token(address).unwrap());
    assert_eq!([bought, other].map(is_shared), [false, true]);
    assert_eq!(copy.balance(copy.token(bought).unwrap(), alice()), 0);
    assert!(state.balance(state.token(bought).unwrap(), alice()) > 0);
}

/// The pair may hold more than the curve deposits, and its price follows its reserves from the graduation on.
#[test]
fn token_of_the_first_version_graduates_at_the_price_of_its_pair() {
    const FACTORY: Address = Address::repeat_byte(0xfa);
    let (token, pair, chain_id) =
        (Address::repeat_byte(0xff), Address::repeat_byte(0xfb), ChainId::PRIMARY.0);
    let mut script = Script::default();
    let metadata = std::sync::Arc::default();
    let created = EventKind::TokenCreated { launch_id: 1, creator: alice(), token, pair, metadata };
    script.push(chain_id, NOW, FACTORY, created);
    // A donation before the graduation does not change the price yet.
    let held = |quote, tokens| EventKind::Sync { reserve0: quote, reserve1: tokens };
    script.push(chain_id, NOW + 1, pair, held(ETHER, 0));
    let opening = script.state().token(token).unwrap().price;
    script.push(chain_id, NOW + 2, pair, held(6 * ETHER, 2_000 * ETHER));
    assert_eq!(script.state().token(token).unwrap().price, opening);
    let graduated = EventKind::TokenGraduated {
        launch_id: 1,
        pair,
        quote_seeded: U256::from(5 * ETHER),
        tokens_seeded: U256::from(2_000 * ETHER),
    };
    script.push(chain_id, NOW + 2, FACTORY, graduated);
    let state = script.state();
    let shown = state.token(token).unwrap();
    assert_eq!((shown.pool, shown.price), (Some(Pool::Pair(pair)), 6 * ETHER / 2_000));
}

#[test]
fn figures_of_stock_launches_are_in_ether_at_the_price_of_the_pool() {
    let (stock, pool) = (Address::repeat_byte(0x57), B256::repeat_byte(0x58));
    let asset = QuoteAsset {
        address: stock,
        symbol: "STK".to_owned(),
        name: "Stock".to_owned(),
        decimals: 18,
        hook: HOOK,
        price_pool: pool,
        price: ETHER / 100,
    };
    let ground = Ground { quote_assets: vec![asset], ..Ground::default() };
    let mut script = Script::default();
    let number = script.launch(Plan { chain_id: ChainId::SECOND.0, ..Plan::numbered(1, NOW) });
    script.buy(number, alice(), ETHER / 3, NOW);
    for event in &mut script.events {
        if let EventKind::LaunchConfigured { quote_asset, .. } = &mut event.kind {
            *quote_asset = stock;
        }
    }
    let mut state = State::new([(ChainId::SECOND.0, ground)].into());
    script.events.iter().for_each(|event| state.apply(event));
    let token = script.launches[number].plan.token;
    let shown = |state: &State| {
        let view = TokenView::at(state, state.token(token).unwrap(), NOW);
        let pairs = [
            (view.price, view.price_in_asset),
            (view.market_cap, view.market_cap_in_asset),
            (view.day.volume, view.day.volume_in_asset),
        ];
        (view.day.price_change, pairs)
    };
    let (change, pairs) = shown(&state);
    for (ether, shares) in pairs {
        assert!(ether.units() > 0);
        assert!(shares.units().abs_diff(ether.units() * 100) < 100 + shares.units() / 10_u128.pow(14));
    }
    // One ether buys 25 shares from now on.
    let sqrt_price_x96 = U256::from(5) << 96;
    let swap = EventKind::PoolSwap { pool_id: pool, sender: alice(), amount0: 0, amount1: 0, sqrt_price_x96 };
    script.push(ChainId::SECOND.0, NOW + 1, Address::ZERO, swap);
    state.apply(script.events.last().unwrap());
    let (after, dearer) = shown(&state);
    assert_eq!(after, change);
    for ((ether, shares), (cheaper, same)) in dearer.into_iter().zip(pairs) {
        assert_eq!(shares, same);
        assert!(ether.units().abs_diff(cheaper.units() * 4) < 10 + ether.units() / 10_u128.pow(13));
    }
}
