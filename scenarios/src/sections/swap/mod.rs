//! The swap service: quotes, routes, built transactions, lists.
mod laws;
mod listings;
mod market;
mod quotes;
mod routes;
mod transactions;

pub(crate) use market::decimal_text;

use crate::check::{Check, Lane, Need};

const READING: &[Need] = &[Need::Swap, Need::PrimaryChain];
const TRADING: &[Need] = &[Need::Swap, Need::PrimaryChain, Need::Accounts];

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "swap-quote-tokens-required",
        clauses: &["QUOTE-REQ"],
        summary: "both tokens are required and must be addresses",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(quotes::tokens_are_required(world)),
    },
    Check {
        id: "swap-quote-one-amount",
        clauses: &["QUOTE-ONE-AMOUNT"],
        summary: "exactly one of both amounts is sent, as a whole number",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(quotes::exactly_one_amount(world)),
    },
    Check {
        id: "swap-quote-slippage",
        clauses: &["QUOTE-SLIP"],
        summary: "whole basis points from 0 to 10000 are taken and nothing else",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(quotes::slippage_is_bounded(world)),
    },
    Check {
        id: "swap-quote-shape",
        clauses: &["QUOTE-SHAPE"],
        summary: "a quote has every field with its type",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(quotes::quote_has_its_shape(world)),
    },
    Check {
        id: "swap-quote-exact-in",
        clauses: &["QUOTE-EXACT-IN"],
        summary: "the router pays to the unit what was quoted, really traded",
        lane: Lane::Exclusive,
        needs: TRADING,
        run: |world| Box::pin(routes::router_pays_what_was_quoted(world)),
    },
    Check {
        id: "swap-quote-exact-out",
        clauses: &["QUOTE-EXACT-OUT"],
        summary: "the quoted input is the least that buys the output over all routes",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(routes::exact_output_takes_the_least(world)),
    },
    Check {
        id: "swap-quote-minimum-out",
        clauses: &["QUOTE-MIN-OUT"],
        summary: "the least output is there with slippage on exact input only, right to the unit",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(quotes::least_output_is_exact(world)),
    },
    Check {
        id: "swap-quote-maximum-in",
        clauses: &["QUOTE-MAX-IN"],
        summary: "the most input is there on exact output only, right to the unit",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(quotes::most_input_is_exact(world)),
    },
    Check {
        id: "swap-quote-route",
        clauses: &["QUOTE-ROUTE"],
        summary: "the quoted output is that of the best route and the path pays it",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(routes::route_is_best(world)),
    },
    Check {
        id: "swap-quote-rates",
        clauses: &["QUOTE-RATES"],
        summary: "rates, impact and fee follow their laws as trades grow",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(quotes::rates_follow_their_laws(world)),
    },
    Check {
        id: "swap-quote-wrap",
        clauses: &["QUOTE-WRAP"],
        summary: "wrapping and unwrapping is one to one without fee or transaction",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(quotes::wrapping_is_one_to_one(world)),
    },
    Check {
        id: "swap-quote-native",
        clauses: &["QUOTE-NATIVE"],
        summary: "the zero address means the native asset on either side",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(quotes::zero_address_is_native(world)),
    },
    Check {
        id: "swap-quote-build",
        clauses: &["QUOTE-BUILD"],
        summary: "a built transaction needs a user and, sent, moves what was quoted, for each of the router's six kinds",
        lane: Lane::Exclusive,
        needs: TRADING,
        run: |world| Box::pin(transactions::built_transactions_pay(world)),
    },
    Check {
        id: "swap-quote-build-refused",
        clauses: &["QUOTE-BUILD"],
        summary: "a transaction that the user cannot pay or has not allowed is refused with the reason",
        lane: Lane::Exclusive,
        needs: TRADING,
        run: |world| Box::pin(transactions::what_would_fail_is_refused(world)),
    },
    Check {
        id: "swap-quote-build-bounds",
        clauses: &["QUOTE-BUILD"],
        summary: "when the price moves first, a built transaction keeps its bound or moves nothing",
        lane: Lane::Exclusive,
        needs: TRADING,
        run: |world| Box::pin(transactions::bounds_are_never_broken(world)),
    },
    Check {
        id: "swap-law-impact-grows",
        clauses: &["QUOTE-RATES"],
        summary: "along one route the price impact never falls as the trade grows",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(laws::impact_grows_with_size(world)),
    },
    Check {
        id: "swap-law-dual",
        clauses: &["QUOTE-EXACT-OUT"],
        summary: "what an exact output costs buys it as an exact input, and one unit less does not",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(laws::input_and_output_are_dual(world)),
    },
    Check {
        id: "swap-law-no-splitting",
        clauses: &["QUOTE-ROUTE"],
        summary: "quotes of the parts of a route pay no more than the one quote",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(laws::splitting_gains_nothing(world)),
    },
    Check {
        id: "swap-quote-fee-on-transfer",
        clauses: &["QUOTE-EXACT-IN"],
        summary: "of a token that keeps a part of transfers nothing is promised that the router does not pay",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(laws::kept_parts_are_never_promised(world)),
    },
    Check {
        id: "swap-quote-no-route",
        clauses: &["QUOTE-NO-ROUTE"],
        summary: "no route or no liquidity is an error with a body",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(quotes::without_a_route_there_is_an_error(world)),
    },
    Check {
        id: "swap-pairs",
        clauses: &["PAIRS"],
        summary: "the list of pairs is the factory's, with its reserves",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(listings::pairs_are_those_of_the_factory(world)),
    },
    Check {
        id: "swap-tokens",
        clauses: &["SWAP-TOKENS"],
        summary: "the list of tokens is that of the pairs",
        lane: Lane::Read,
        needs: READING,
        run: |world| Box::pin(listings::tokens_are_those_with_a_pair(world)),
    },
];
