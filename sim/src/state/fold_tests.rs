//! The fold over scripted markets: what each event does to the rows, and that the order of the chains does not matter.
use super::State;
use super::books::MANY;
use super::figure::Figure;
use super::script::{ETHER, HOOK, Plan, Script, pool_of};
use super::token::{DAY, Pool, Token};

use crate::event::{EventKind, Side};
use crate::store::Fact;
use alloy::primitives::{Address, U256};
use slipway_contracts::ChainId;

const NOW: u64 = 1_800_000_000;

fn alice() -> Address {
    Address::repeat_byte(0xa1)
}

fn progress_of(token: &Token) -> u128 {
    token.progress().units()
}

#[test]
fn launch_starts_at_opening_price() {
    let mut script = Script::default();
    let number = script.launch(Plan::numbered(1, NOW));
    let state = script.state();
    let token = state.token(script.launches[number].plan.token).unwrap();
    assert_eq!(U256::from(token.market_cap), script.launches[number].curve.market_cap_down(0));
    assert_eq!((progress_of(token), token.trade_count(), token.is_graduated()), (0, 0, false));
    assert_eq!(state.spread(token).count, 0, "the hook is no holder");
    assert_eq!(token.birth, script.birth(number));
}

#[test]
fn every_change_gives_another_version() {
    let mut script = Script::default();
    script.launch(Plan::numbered(1, NOW));
    let (state, other) = (script.state(), script.state());
    assert_ne!(state.version(), other.version());
    let mut changed = state.clone();
    assert_eq!(changed.version(), state.version());
    changed.apply_fact(&Fact::TokenDisabled { token: alice(), disabled: true });
    let disabled = changed.version();
    changed.apply_all([]);
    assert!(![state.version(), other.version(), disabled].contains(&changed.version()));
    assert!(![state.version(), other.version()].contains(&disabled));
}

#[test]
fn contributions_follow_buys_sells_and_buybacks() {
    let mut script = Script::default();
    let number = script.launch(Plan::numbered(1, NOW));
    script.buy(number, alice(), ETHER / 3, NOW);
    let held = script.launches[number].position.sold;
    script.sell(number, alice(), held / 7, NOW + 5);
    let before = script.launches[number].position;
    let curve = script.launches[number].curve;
    let bought = curve.buy_net(before, ETHER / 100);
    script.push(
        ChainId::PRIMARY.0,
        NOW + 9,
        HOOK,
        EventKind::BuybackExecuted {
            launch_id: 1,
            quote_amount: U256::from(bought.net),
            tokens_burned: U256::from(bought.tokens_out),
            from_pool: false,
        },
    );
    let state = script.state();
    let token = state.token(script.launches[number].plan.token).unwrap();
    let after = bought.position_after;
    assert_eq!(token.progress(), Figure::of_ratio(after.contributions, 2 * ETHER));
    assert_eq!(U256::from(token.price), curve.price_down(after.sold));
    assert_eq!(token.trade_count(), 2, "a buyback is nobody's trade");
    assert_eq!(state.balance(token, alice()), held - held / 7);
}

#[test]
fn pool_sets_the_price_after_graduation() {
    for number in [1, 2] {
        let mut script = Script::default();
        let launch = script.launch(Plan::numbered(number, NOW));
        script.buy(launch, alice(), 3 * ETHER, NOW + 1);
        let curve_price =
            script.launches[launch].curve.price_down(script.launches[launch].curve.sale_supply());
        let token_address = script.launches[launch].plan.token;
        let state = script.state();
        let token = state.token(token_address).unwrap();
        assert_eq!((token.pool, progress_of(token)), (Some(Pool::Managed(pool_of(token_address))), ETHER));
        assert_eq!(U256::from(token.price), curve_price);
        assert_eq!(state.spread(token).count, 1, "hook and pool manager are no holders");

        script.swap(launch, Side::Buy, ETHER / 10, 40_000_000_000, NOW + 2);
        script.swap(launch, Side::Sell, ETHER / 20, 36_000_000_000, NOW + 3);
        let state = script.state();
        let token = state.token(token_address).unwrap();
        assert!(token.price.abs_diff(36_000_000_000) < 1_000_000, "{}", token.price);
        assert!(token.market_cap / 1_000_000_000 - token.price <= 1);
        let window = token.trades.within(NOW + 3, DAY);
        assert_eq!((window.buys, window.sells), (2, 1));
        assert_eq!(
            window.volume - ETHER / 10 - ETHER / 20,
            token.trades.within(NOW + 1, DAY).volume - ETHER * 3 / 20
        );
    }
}

/// A buyback moves the price and counts as no trade, on the curve and in the pool.
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
        assert_eq!(state.traded_after(NOW + 2).count(), 0);
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
        state.by_age().map(row).chain(state.by_market_cap().map(row)).collect()
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
    assert_eq!(state.count(), 2);
    assert_eq!(state.token(address).unwrap().birth.chain_id, ChainId::PRIMARY.0);
    assert_eq!(state.token_on(ChainId::SECOND.0, address).unwrap().birth.chain_id, ChainId::SECOND.0);
}

/// Everything that can be asked of a state.
fn told(state: &State) -> Vec<String> {
    let mut told = Vec::new();
    for token in state.by_age() {
        let mut holders: Vec<_> = state.largest_holders(token).collect();
        holders.sort_unstable();
        let curve = (token.curve().copied(), token.opening_price(), token.contributions(), token.sold());
        let window = token.trades.within(NOW + 900, 300);
        let place = (token.birth, token.launch.clone(), token.pool, token.creator_fee_split_bps);
        let row = (place, token.price, token.market_cap, token.trade_count(), window, state.spread(token));
        told.push(format!("{row:?} {curve:?} {holders:?}"));
        let launch = &token.launch;
        told.push(format!("{}", state.ledger().buyback(token.birth.chain_id, launch.hook, launch.launch_id)));
    }
    let orders = state.orders();
    told.push(format!("{:?}", orders.birth.iter(orders.birth.all()).collect::<Vec<_>>()));
    told.push(format!("{:?}", orders.trades.iter(orders.trades.all()).collect::<Vec<_>>()));
    for order in [&orders.market_cap, &orders.progress] {
        told.push(format!("{:?}", order.iter(order.all()).collect::<Vec<_>>()));
    }
    told.push(format!("{:?}", state.traded_after(NOW + 200).collect::<Vec<_>>()));
    for wallet in state.referrals().ranking() {
        told.push(format!("{wallet} {:?}", state.referrals().score(wallet)));
    }
    for chain_id in [ChainId::PRIMARY.0, ChainId::SECOND.0] {
        let mut owed: Vec<_> = state.ledger().owed(chain_id, HOOK).collect();
        owed.sort_unstable();
        told.push(format!("{owed:?}"));
    }
    for text in ["token 3", "tk1", "the launch", "7", "0x30", "c0c", ""] {
        told.push(format!("{:?}", state.search(text).iter().collect::<Vec<_>>()));
    }
    told
}

/// Events that are folded at once, on threads of their own, leave what those do that are folded in chunks or one by one.
#[test]
fn folding_at_once_changes_no_order() {
    let mut script = Script::default();
    for number in 0..40_u8 {
        let chain_id = if number % 3 == 0 { ChainId::SECOND.0 } else { ChainId::PRIMARY.0 };
        script.launch(Plan { chain_id, ..Plan::numbered(number, NOW + u64::from(number) / 3) });
    }
    for step in 0..4_500_usize {
        let (number, at) = (step * 7 % 37, NOW + 100 + step as u64);
        let trader = Address::with_last_byte(u8::try_from(step % 23 + 1).unwrap());
        if script.launches[number].finalized {
            let chain_id = script.launches[number].plan.chain_id;
            let (launch_id, amount) = (script.launches[number].launch_id, U256::from(step));
            for kind in [
                EventKind::FeesAccrued { launch_id, account: trader, amount },
                EventKind::BuybackAccrued { launch_id, amount },
            ] {
                script.push(chain_id, at, HOOK, kind);
            }
        } else {
            script.buy(number, trader, ETHER / 40 * (step as u128 % 9 + 1), at);
        }
    }
    assert!(script.events.len() > 2 * MANY, "{} events", script.events.len());
    let one_by_one = told(&script.state());
    assert!(one_by_one.len() > 100, "{}", one_by_one.len());
    for chunk in [script.events.len(), MANY + 1, 64] {
        let mut state = Script::empty_state();
        script.events.chunks(chunk).for_each(|events| state.apply_all(events));
        assert_eq!(told(&state), one_by_one, "in chunks of {chunk}");
    }
}

/// The pair may hold more than the curve gives it, and trades at what it holds from the graduation on.
#[test]
fn token_of_the_first_version_graduates_at_the_price_of_its_pair() {
    const FACTORY: Address = Address::repeat_byte(0xfa);
    let (token, pair, chain_id) =
        (Address::repeat_byte(0xff), Address::repeat_byte(0xfb), ChainId::PRIMARY.0);
    let mut script = Script::default();
    let metadata = std::sync::Arc::default();
    let created = EventKind::TokenCreated { launch_id: 1, creator: alice(), token, pair, metadata };
    script.push(chain_id, NOW, FACTORY, created);
    // A donation before the graduation moves nothing yet.
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
