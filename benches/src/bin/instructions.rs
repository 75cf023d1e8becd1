//! The benchmarks whose instructions are counted: `instructions NAME` runs one, without a name it lists them. valgrind counts only
//! [`counted`]; the input of a benchmark is made before it and dropped after it. `benches/tests/instructions.rs` starts this program and
//! judges the counts.
use std::error::Error;
use std::hint::black_box;
use std::io::{Write as _, stdout};

use alloy::primitives::Address;
use slipway_benches::curve::{Question, questions, v1_buy, v1_questions};
use slipway_benches::exchange::{Trade, asked, exchange, typical_trades};
use slipway_benches::tokens::{market, now, queries, trades};
use slipway_math::exchange::{Graph, amount_out_down, least_amount_in_up};
use slipway_math_proofs::v1_cases::V1Case;
use slipway_sim::api::tokens::list::{ListQuery, list};
use slipway_sim::event::Event;
use slipway_sim::state::State;

const QUESTIONS: usize = 200;
/// Repetitions of the questions on the curve. The planted benchmark repeats them once more: five percent.
const ROUNDS: usize = 20;
/// A question on the curve of V1 is a search in ninety steps.
const V1_QUESTIONS: usize = 20;
const TRADES: usize = 1_024;
const PAIRS: usize = 1_000;
const SEARCHES: usize = 64;
const AMOUNT: u128 = 1 << 58;
const TOKENS: u32 = 300;
const FOLDED: u32 = 300;

/// A name, and a function that makes the input and runs the benchmark.
type Benchmark = (&'static str, fn());

const BENCHMARKS: [Benchmark; 9] = [
    ("curve_quote", || drop(counted(curve_quote, questions(QUESTIONS)))),
    ("curve_quote_planted", || drop(counted(curve_quote_planted, questions(QUESTIONS)))),
    ("curve_inverse", || drop(counted(curve_inverse, questions(QUESTIONS)))),
    ("v1_quote", || drop(counted(v1_quote, v1_questions(V1_QUESTIONS)))),
    ("pair_quote", || drop(counted(pair_quote, typical_trades(TRADES)))),
    ("pair_inverse", || drop(counted(pair_inverse, typical_trades(TRADES)))),
    ("route_search", || drop(counted(route_search, searches()))),
    ("list_page", || drop(counted(list_page, (market(TOKENS), queries())))),
    ("trade_fold", || drop(counted(trade_fold, (market(TOKENS), trades(TOKENS, FOLDED))))),
];

fn main() -> Result<(), Box<dyn Error>> {
    let Some(name) = std::env::args().nth(1) else {
        let names = BENCHMARKS.map(|(name, _)| name).join("\n");
        return Ok(writeln!(stdout(), "{names}")?);
    };
    let found = BENCHMARKS.iter().find(|(known, _)| *known == name);
    let (_, run) = found.ok_or_else(|| format!("there is no benchmark {name}"))?;
    run();
    Ok(())
}

/// The function that valgrind looks for by its name.
#[inline(never)]
fn counted<T>(work: fn(T) -> T, input: T) -> T {
    black_box(work(input))
}

fn ask_rounds(questions: &[Question], rounds: usize) {
    for _ in 0..rounds {
        for question in questions {
            black_box(black_box(question).buy());
        }
    }
}

fn curve_quote(questions: Vec<Question>) -> Vec<Question> {
    ask_rounds(&questions, ROUNDS);
    questions
}

fn curve_quote_planted(questions: Vec<Question>) -> Vec<Question> {
    ask_rounds(&questions, ROUNDS + 1);
    questions
}

fn curve_inverse(questions: Vec<Question>) -> Vec<Question> {
    for question in &questions {
        black_box(black_box(question).inverse());
    }
    questions
}

fn v1_quote(questions: Vec<V1Case>) -> Vec<V1Case> {
    for question in &questions {
        black_box(v1_buy(black_box(question)));
    }
    questions
}

fn pair_quote(trades: Vec<Trade>) -> Vec<Trade> {
    for (amount, near, far) in &trades {
        black_box(amount_out_down(black_box(*amount), *near, *far));
    }
    trades
}

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

fn route_search((graph, asked): (Graph, Vec<(Address, Address)>)) -> (Graph, Vec<(Address, Address)>) {
    for (from, to) in &asked {
        black_box(graph.best_exact_in(*from, *to, black_box(AMOUNT))).ok();
        black_box(graph.best_exact_out(*from, *to, black_box(AMOUNT))).ok();
    }
    (graph, asked)
}

fn list_page(
    (state, queries): (State, Vec<(&'static str, ListQuery)>),
) -> (State, Vec<(&'static str, ListQuery)>) {
    for (_, query) in &queries {
        black_box(list(&state, now(TOKENS), black_box(query)));
    }
    (state, queries)
}

fn trade_fold((mut state, trades): (State, Vec<Event>)) -> (State, Vec<Event>) {
    for trade in &trades {
        state.apply(black_box(trade));
    }
    (state, trades)
}
