//! The search against an enumeration of every simple route, on graphs small enough to enumerate.
use std::cmp::Ordering;

use proptest::prelude::*;

use super::super::graph::Reserves;
use super::super::quote::RATE_SCALE;
use super::*;

const TOKENS: u8 = 6;

fn token(index: u8) -> Address {
    Address::repeat_byte(index + 1)
}

/// A graph with the given reserves: one entry for each pair of tokens in order, `None` for a missing pair.
fn graph_of(pairs: &[Option<(u128, u128)>]) -> Graph {
    let mut graph = Graph::default();
    let all = (0..TOKENS).flat_map(|low| (low + 1..TOKENS).map(move |high| (low, high)));
    for ((low, high), reserves) in all.zip(pairs) {
        if let Some((reserve0, reserve1)) = *reserves {
            let address = Address::left_padding_from(&[low, high]);
            graph.add_pair(address, token(low), token(high)).expect("pairs are distinct");
            graph.set_reserves(address, Reserves { reserve0, reserve1 }).expect("a known pair");
        }
    }
    graph
}

fn any_graph(reserve: impl Strategy<Value = u128> + Clone + 'static) -> impl Strategy<Value = Graph> {
    let pair = prop::option::weighted(0.6, (reserve.clone(), reserve));
    prop::collection::vec(pair, 15).prop_map(|pairs| graph_of(&pairs))
}

fn wide_reserve() -> impl Strategy<Value = u128> + Clone {
    prop_oneof![1 => Just(0), 20 => (1..=MAX_RESERVE, 0_u32..112).prop_map(|(value, shift)| value >> shift)]
}

/// Every route of at most three pairs without a repeated token.
fn every_path(from: u8, to: u8) -> Vec<Vec<u8>> {
    let mut paths = vec![vec![from, to]];
    for first in (0..TOKENS).filter(|first| *first != from && *first != to) {
        paths.push(vec![from, first, to]);
        for second in (0..TOKENS).filter(|second| ![from, to, first].contains(second)) {
            paths.push(vec![from, first, second, to]);
        }
    }
    paths
}

fn held(graph: &Graph, from: u8, to: u8) -> Option<(u128, u128)> {
    let reserves = graph.pair_of(token(from), token(to))?.reserves;
    Some(if from < to {
        (reserves.reserve0, reserves.reserve1)
    } else {
        (reserves.reserve1, reserves.reserve0)
    })
}

fn forward(graph: &Graph, path: &[u8], amount: u128) -> Option<u128> {
    path.windows(2).try_fold(amount, |amount, hop| {
        let (near, far) = held(graph, hop[0], hop[1])?;
        amount_out_down(amount, near, far).filter(|out| *out > 0 && near + amount <= MAX_RESERVE)
    })
}

fn backward(graph: &Graph, path: &[u8], amount: u128) -> Option<u128> {
    path.windows(2).rev().try_fold(amount, |amount, hop| {
        let (near, far) = held(graph, hop[0], hop[1])?;
        least_amount_in_up(amount, near, far).filter(|input| near + input <= MAX_RESERVE)
    })
}

fn addresses(path: &[u8]) -> Vec<Address> {
    path.iter().map(|index| token(*index)).collect()
}

type Route = (u128, Vec<Address>);

/// The route with the largest output by enumeration, and its output.
fn exhaustive_in(graph: &Graph, from: u8, to: u8, amount: u128) -> Option<Route> {
    let paths = every_path(from, to).into_iter();
    let routes = paths.filter_map(|path| Some((forward(graph, &path, amount)?, path)));
    let best = routes.min_by(|(left, left_path), (right, right_path)| {
        right.cmp(left).then(by_path(left_path, right_path))
    });
    best.map(|(out, path)| (out, addresses(&path)))
}

/// The route with the least input by enumeration, and its input.
fn exhaustive_out(graph: &Graph, from: u8, to: u8, amount: u128) -> Option<Route> {
    let paths = every_path(from, to).into_iter();
    let routes = paths.filter_map(|path| Some((backward(graph, &path, amount)?, path)));
    let best = routes.min_by(|(left, left_path), (right, right_path)| {
        left.cmp(right).then(by_path(left_path, right_path))
    });
    best.map(|(input, path)| (input, addresses(&path)))
}

fn by_path(left: &[u8], right: &[u8]) -> Ordering {
    left.len().cmp(&right.len()).then(left.cmp(right))
}

fn found_in(graph: &Graph, from: u8, to: u8, amount: u128) -> Option<Route> {
    let quote = graph.best_exact_in(token(from), token(to), amount).ok()?;
    Some((quote.amount_out(), quote.path().to_vec()))
}

fn found_out(graph: &Graph, from: u8, to: u8, amount: u128) -> Option<Route> {
    let quote = graph.best_exact_out(token(from), token(to), amount).ok()?;
    Some((quote.amount_in(), quote.path().to_vec()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn exact_in_is_the_best_of_all_routes(
        graph in prop_oneof![any_graph(wide_reserve()), any_graph(1..40_u128)], amount in wide_reserve(), small in 1..60_u128,
    ) {
        for amount in [amount, small] {
            prop_assert_eq!(found_in(&graph, 0, 1, amount), exhaustive_in(&graph, 0, 1, amount));
        }
    }

    #[test]
    fn exact_out_is_the_cheapest_of_all_routes(
        graph in prop_oneof![any_graph(wide_reserve()), any_graph(1..40_u128)], amount in wide_reserve(), small in 1..40_u128,
    ) {
        for amount in [amount, small] {
            prop_assert_eq!(found_out(&graph, 0, 1, amount), exhaustive_out(&graph, 0, 1, amount));
        }
    }

    #[test]
    fn rates_follow_their_laws(graph in any_graph(wide_reserve()), amounts in prop::array::uniform2(wide_reserve())) {
        let quotes = amounts.map(|amount| graph.best_exact_in(token(0), token(1), amount).ok());
        for quote in quotes.into_iter().flatten() {
            prop_assert!(quote.execution_rate_down(18, 6) <= quote.spot_rate_down(18, 6));
            prop_assert!(quote.lp_fee_down() <= quote.amount_in());
            prop_assert_eq!(quote.amounts().len(), quote.path().len());
        }
        if let [Some(first), Some(second)] = quotes && first.path() == second.path() && first.amount_in() <= second.amount_in() {
            prop_assert!(first.amount_out() <= second.amount_out());
        }
    }

    #[test]
    fn exact_output_input_buys_the_output(graph in any_graph(wide_reserve()), amount in wide_reserve()) {
        if let Ok(quote) = graph.best_exact_out(token(0), token(1), amount) {
            prop_assert_eq!(quote.amount_out(), amount);
            prop_assert!(quote.router_charge_up().is_none_or(|charge| charge >= quote.amount_in()));
            for (tokens, amounts) in quote.path().windows(2).zip(quote.amounts().windows(2)) {
                let (near, far) = held(&graph, tokens[0][0] - 1, tokens[1][0] - 1).expect("pairs of the graph");
                prop_assert!(amount_out_down(amounts[0], near, far) >= Some(amounts[1]));
            }
        }
    }
}

/// The router sends each pair the quoted amount. An input for an exact output passes on all that it buys.
#[test]
fn least_input_of_an_output_may_overflow_the_next_pair_by_itself() {
    let mut pairs = [None; 6];
    pairs[1] = Some((1, MAX_RESERVE));
    pairs[5] = Some((MAX_RESERVE, MAX_RESERVE - 10));
    let graph = graph_of(&pairs);
    let quote = graph.best_exact_out(token(0), token(1), 1).unwrap();
    assert_eq!((quote.path(), quote.amounts()), (&[token(0), token(2), token(1)][..], &[1, 2, 1][..]));
    let (token_in, token_out) = (token(0), token(1));
    let refused = RouteError::InsufficientLiquidity { token_in, token_out };
    assert_eq!(graph.best_exact_in(token_in, token_out, 1), Err(refused));
}

/// Trades along a path and updates the reserves; `None` if a pair cannot trade the amount.
fn trade(held: &mut [(u128, u128)], amount: u128) -> Option<u128> {
    let mut amount = amount;
    for (near, far) in held {
        let out = amount_out_down(amount, *near, *far).filter(|out| *out > 0)?;
        *near += amount;
        *far -= out;
        amount = out;
    }
    Some(amount)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn splitting_a_trade_never_pays_more(
        held in prop::collection::vec((1..MAX_RESERVE / 4, 1..MAX_RESERVE / 4, 0_u32..100), 1..=MAX_HOPS),
        (first, second, shift) in (1..MAX_RESERVE / 8, 1..MAX_RESERVE / 8, 0_u32..100),
    ) {
        let held: Vec<(u128, u128)> =
            held.into_iter().map(|(near, far, shift)| ((near >> shift).max(1), (far >> shift).max(1))).collect();
        let (first, second) = ((first >> shift).max(1), (second >> shift).max(1));
        let at_once = trade(&mut held.clone(), first + second).unwrap_or(0);
        let mut after = held;
        let parts = trade(&mut after, first).unwrap_or(0) + trade(&mut after, second).unwrap_or(0);
        prop_assert!(parts <= at_once, "{parts} and {at_once}");
    }

    #[test]
    fn no_way_there_and_back_pays(
        held in prop::collection::vec((1..MAX_RESERVE / 4, 1..MAX_RESERVE / 4, 0_u32..100), 1..=MAX_HOPS),
        (amount, shift) in (1..MAX_RESERVE / 8, 0_u32..100),
    ) {
        let mut held: Vec<(u128, u128)> =
            held.into_iter().map(|(near, far, shift)| ((near >> shift).max(1), (far >> shift).max(1))).collect();
        let amount = (amount >> shift).max(1);
        if let Some(there) = trade(&mut held, amount) {
            let mut back: Vec<(u128, u128)> = held.into_iter().rev().map(|(near, far)| (far, near)).collect();
            prop_assert!(trade(&mut back, there).is_none_or(|back| back < amount));
        }
    }
}

#[test]
fn ties_prefer_fewer_pairs_then_first_path() {
    // Pairs with equal reserves: 0-2-1 and 0-3-1 yield the same.
    let mut pairs = [None; 15];
    for pair in [1, 2, 5, 6] {
        pairs[pair] = Some((1_000_000, 1_000_000));
    }
    let quote = graph_of(&pairs).best_exact_in(token(0), token(1), 1_000).expect("two routes serve it");
    assert_eq!(quote.path(), addresses(&[0, 2, 1]));
    // A direct pair with exactly the same output wins because it is shorter.
    let amount_out = quote.amount_out();
    let reserve_out = (1..).find(|reserve| amount_out_down(1_000, 1_000_000, *reserve) == Some(amount_out));
    pairs[0] = Some((1_000_000, reserve_out.expect("outputs grow in steps of at most one")));
    let direct = graph_of(&pairs).best_exact_in(token(0), token(1), 1_000).expect("three routes serve it");
    assert_eq!((direct.path(), direct.amount_out()), (&addresses(&[0, 1])[..], amount_out));
}

#[test]
fn impact_grows_with_size() {
    let mut pairs = [None; 15];
    pairs[0] = Some((MAX_RESERVE / 4, MAX_RESERVE / 1_000));
    let graph = graph_of(&pairs);
    // Below that, rounding to an output unit outweighs the effect of the size on the price.
    let sizes = (62..111).map(|bits| 1_u128 << bits);
    let impacts: Vec<u64> = sizes
        .filter_map(|size| graph.best_exact_in(token(0), token(1), size).ok())
        .map(|quote| quote.price_impact_down())
        .collect();
    assert!(impacts.len() > 40 && impacts.is_sorted(), "{impacts:?}");
    // A trade too small to move the price still pays the fee, and no trade loses everything.
    assert!(impacts[0] / (RATE_SCALE / 1_000) == 3 && impacts.last() < Some(&RATE_SCALE));
}

#[test]
fn every_refusal_has_its_reason() {
    let mut pairs = [None; 15];
    pairs[0] = Some((1_000, 0));
    pairs[14] = Some((1_000, 1_000));
    let mut graph = graph_of(&pairs);
    let (token_in, token_out) = (token(0), token(1));
    let stranger = Address::ZERO;
    assert_eq!(graph.best_exact_in(token_in, token_in, 1), Err(RouteError::SameToken { token: token_in }));
    assert_eq!(graph.best_exact_in(token_in, stranger, 1), Err(RouteError::UnknownToken { token: stranger }));
    assert_eq!(
        graph.best_exact_out(token_in, token_out, 1),
        Err(RouteError::InsufficientLiquidity { token_in, token_out })
    );
    // Two empty pairs connect the tokens just as one does.
    let mut by_two = [None; 15];
    (by_two[1], by_two[5]) = (Some((0, 0)), Some((0, 0)));
    assert_eq!(
        graph_of(&by_two).best_exact_in(token_in, token_out, 1),
        Err(RouteError::InsufficientLiquidity { token_in, token_out })
    );
    let token_out = token(5);
    assert_eq!(graph.best_exact_in(token_in, token_out, 1), Err(RouteError::NoRoute { token_in, token_out }));
    graph.refuse_token(token_out, Unquotable::FeeOnTransfer);
    assert_eq!(
        graph.best_exact_out(token(4), token_out, 1),
        Err(RouteError::FeeOnTransfer { token: token_out })
    );
}

#[test]
fn fee_on_transfer_tokens_are_not_intermediate() {
    let mut pairs = [None; 15];
    pairs[1] = Some((1_000_000, 1_000_000));
    pairs[5] = Some((1_000_000, 1_000_000));
    let mut graph = graph_of(&pairs);
    assert!(graph.best_exact_in(token(0), token(1), 1_000).is_ok());
    graph.refuse_token(token(2), Unquotable::FeeOnTransfer);
    let (token_in, token_out) = (token(0), token(1));
    assert_eq!(
        graph.best_exact_in(token_in, token_out, 1_000),
        Err(RouteError::NoRoute { token_in, token_out })
    );
}
