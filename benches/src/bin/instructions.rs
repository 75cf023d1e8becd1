//! What the instruction counts are of. Each function is counted from its first instruction to its last; what it works on is made before
//! and dropped after. `benches/tests/instructions.rs` starts this program and judges the counts.
#![expect(
    missing_docs,
    unused_qualifications,
    reason = "what the macros make of a benchmark has no documentation and names its types in full"
)]
use std::hint::black_box;

use alloy::primitives::Address;
use gungraun::{LibraryBenchmarkConfig, library_benchmark, library_benchmark_group, main};
use slipway_benches::curve::{Question, questions, v1_buy, v1_questions};
use slipway_benches::exchange::{Trade, asked, exchange, typical_trades};
use slipway_benches::tokens::{market, now, queries, trades};
use slipway_math::exchange::{Graph, amount_out_down, least_amount_in_up};
use slipway_math_proofs::v1_cases::V1Case;
use slipway_sim::api::tokens::list::{ListQuery, list};
use slipway_sim::event::Event;
use slipway_sim::state::State;

const QUESTIONS: usize = 200;
/// How often the questions on the curve are asked. The planted count asks them once more: five percent.
const ROUNDS: usize = 20;
/// A question on the curve of V1 is a search in ninety steps.
const V1_QUESTIONS: usize = 20;
const TRADES: usize = 1_024;
const PAIRS: usize = 1_000;
const SEARCHES: usize = 64;
const AMOUNT: u128 = 1 << 58;
const TOKENS: u32 = 300;
const FOLDED: u32 = 300;

/// The C library copies memory in the one way that every processor knows, so that counts are the same on all of them.
const COPIES: &str =
    "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX2,-AVX2_Usable,-AVX,-ERMS,-FSRM,-SSSE3,-SSE4_2,-BMI2";

fn ask_rounds(questions: &[Question], rounds: usize) {
    for _ in 0..rounds {
        for question in questions {
            black_box(black_box(question).buy());
        }
    }
}

#[library_benchmark(setup = questions)]
#[bench::questions(QUESTIONS)]
fn curve_quote(questions: Vec<Question>) -> Vec<Question> {
    ask_rounds(&questions, ROUNDS);
    questions
}

#[library_benchmark(setup = questions)]
#[bench::questions(QUESTIONS)]
fn curve_quote_planted(questions: Vec<Question>) -> Vec<Question> {
    ask_rounds(&questions, ROUNDS + 1);
    questions
}

#[library_benchmark(setup = questions)]
#[bench::questions(QUESTIONS)]
fn curve_inverse(questions: Vec<Question>) -> Vec<Question> {
    for question in &questions {
        black_box(black_box(question).inverse());
    }
    questions
}

#[library_benchmark(setup = v1_questions)]
#[bench::questions(V1_QUESTIONS)]
fn v1_quote(questions: Vec<V1Case>) -> Vec<V1Case> {
    for question in &questions {
        black_box(v1_buy(black_box(question)));
    }
    questions
}

#[library_benchmark(setup = typical_trades)]
#[bench::trades(TRADES)]
fn pair_quote(trades: Vec<Trade>) -> Vec<Trade> {
    for (amount, near, far) in &trades {
        black_box(amount_out_down(black_box(*amount), *near, *far));
    }
    trades
}

#[library_benchmark(setup = typical_trades)]
#[bench::trades(TRADES)]
fn pair_inverse(trades: Vec<Trade>) -> Vec<Trade> {
    for (amount, near, far) in &trades {
        black_box(least_amount_in_up(black_box(*amount).min(far / 2), *near, *far));
    }
    trades
}

fn searches() -> (Graph, Vec<(Address, Address)>) {
    let graph = exchange(PAIRS);
    let asked = asked(&graph, SEARCHES);
    (graph, asked)
}

#[library_benchmark(setup = searches)]
#[bench::searches()]
fn route_search((graph, asked): (Graph, Vec<(Address, Address)>)) -> (Graph, Vec<(Address, Address)>) {
    for (from, to) in &asked {
        black_box(graph.best_exact_in(*from, *to, black_box(AMOUNT))).ok();
        black_box(graph.best_exact_out(*from, *to, black_box(AMOUNT))).ok();
    }
    (graph, asked)
}

fn lists() -> (State, Vec<(&'static str, ListQuery)>) {
    (market(TOKENS), queries())
}

#[library_benchmark(setup = lists)]
#[bench::lists()]
fn list_page(
    (state, queries): (State, Vec<(&'static str, ListQuery)>),
) -> (State, Vec<(&'static str, ListQuery)>) {
    for (_, query) in &queries {
        black_box(list(&state, now(TOKENS), black_box(query)));
    }
    (state, queries)
}

fn unfolded() -> (State, Vec<Event>) {
    (market(TOKENS), trades(TOKENS, FOLDED))
}

#[library_benchmark(setup = unfolded)]
#[bench::unfolded()]
fn trade_fold((mut state, trades): (State, Vec<Event>)) -> (State, Vec<Event>) {
    for trade in &trades {
        state.apply(black_box(trade));
    }
    (state, trades)
}

library_benchmark_group!(
    name = counted,
    benchmarks = [
        curve_quote,
        curve_quote_planted,
        curve_inverse,
        v1_quote,
        pair_quote,
        pair_inverse,
        route_search,
        list_page,
        trade_fold
    ]
);

main!(
    config = LibraryBenchmarkConfig::default().env("GLIBC_TUNABLES", COPIES),
    library_benchmark_groups = counted
);
