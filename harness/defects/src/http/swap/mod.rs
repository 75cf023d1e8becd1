//! Defects of the swap service.
mod lists;
mod quotes;

use hyper::StatusCode;
use serde_json::json;

use super::exchange::remove;
use super::mutation::Mutation::{InformedRequest, InformedResponse, Request, Response};
use super::mutation::Need::WrappedNative;
use super::mutation::{MutationRow, row};

const QUOTE: &str = "/api/quote";
const PAIRS: &str = "/api/pairs";
const TOKENS: &str = "/api/tokens";

#[rustfmt::skip]
pub(in crate::http) const ROWS: &[MutationRow] = &[
    row!(Swap, "swap-missing-token-guessed", &["QUOTE-REQ"], "a missing tokenIn or tokenOut is taken for the native coin or a token of the exchange", InformedRequest(QUOTE, WrappedNative, quotes::missing_token_guessed)),
    row!(Swap, "swap-both-amounts-taken", &["QUOTE-ONE-AMOUNT"], "amountOut is passed over when amount is sent too", Request(QUOTE, |request| request.drop_beside("amount", "amountOut"))),
    row!(Swap, "swap-no-amount-guessed", &["QUOTE-ONE-AMOUNT"], "without any amount a quote for a million units is given", Request(QUOTE, |request| if !request.has("amount") && !request.has("amountOut") { request.set("amount", "1000000") })),
    row!(Swap, "swap-slippage-unchecked", &["QUOTE-SLIP"], "a slippage that is no number from 0 to 10000 is passed over", Request(QUOTE, quotes::slippage_unchecked)),
    row!(Swap, "swap-slippage-edge-refused", &["QUOTE-SLIP"], "a slippage of exactly 10000 is refused", Request(QUOTE, |request| request.replace("slippage", "10000", "10001"))),
    row!(Swap, "swap-slippage-fraction-dropped", &["QUOTE-READING"], "a slippage with a decimal point is passed over", Request(QUOTE, |request| request.query.retain(|(name, value)| name != "slippage" || !value.contains('.')))),
    row!(Swap, "swap-fee-as-number", &["QUOTE-SHAPE", "FIG-RATES"], "lpFee is a number instead of text", Response(QUOTE, quotes::fee_as_number)),
    row!(Swap, "swap-slippage-always-told", &["SVC-CHOSEN"], "metadata contains a slippage of 0 where none was asked for", Response(QUOTE, quotes::slippage_always_shown)),
    row!(Swap, "swap-output-one-more", &["QUOTE-EXACT-IN", "QUOTE-EXACT-OUT", "QUOTE-ROUTE"], "an exact input promises one unit more than the router pays", Response(QUOTE, quotes::output_one_more)),
    row!(Swap, "swap-input-one-less", &["QUOTE-EXACT-OUT"], "an exact output costs one unit less than the router takes", Response(QUOTE, |request, response| quotes::change_input(request, response, |amount| amount.saturating_sub(1)))),
    row!(Swap, "swap-fee-on-transfer-promised", &["QUOTE-EXACT-IN"], "a token that keeps a part of transfers is quoted as if it kept nothing", InformedResponse(QUOTE, WrappedNative, quotes::fee_on_transfer_promised)),
    row!(Swap, "swap-input-one-more", &["QUOTE-EXACT-OUT"], "an exact output costs one unit more than is needed", Response(QUOTE, |request, response| quotes::change_input(request, response, |amount| amount + 1))),
    row!(Swap, "swap-longer-routes-pay-less", &["QUOTE-ROUTE", "QUOTE-EXACT-IN", "QUOTE-EXACT-OUT"], "a route of several pairs promises one unit less than it pays", Response(QUOTE, quotes::longer_routes_pay_less)),
    row!(Swap, "swap-minimum-rounded-up", &["FIG-RATES"], "minimumAmountOut is one unit above what slippage allows", Response(QUOTE, quotes::minimum_rounded_up)),
    row!(Swap, "swap-minimum-always", &["QUOTE-MIN-OUT"], "minimumAmountOut appears without slippage", Response(QUOTE, quotes::minimum_always)),
    row!(Swap, "swap-maximum-missing", &["QUOTE-MAX-IN"], "an exact output has no maximumAmountIn", Response(QUOTE, quotes::maximum_missing)),
    row!(Swap, "swap-maximum-without-slippage", &["QUOTE-MAX-IN"], "maximumAmountIn leaves the slippage out", Response(QUOTE, quotes::maximum_without_slippage)),
    row!(Swap, "swap-path-without-middle", &["QUOTE-ROUTE", "QUOTE-EXACT-IN", "QUOTE-RATES"], "the path names the first and last token of a longer route only", Response(QUOTE, quotes::path_without_middle)),
    row!(Swap, "swap-path-reversed", &["QUOTE-ROUTE", "QUOTE-EXACT-IN"], "the path runs from the last token to the first", Response(QUOTE, quotes::path_reversed)),
    row!(Swap, "swap-rates-exchanged", &["FIG-RATES"], "executionRate and spotRate change places", Response(QUOTE, quotes::rates_exchanged)),
    row!(Swap, "swap-impact-in-percent", &["QUOTE-RATES"], "priceImpact is a percentage", Response(QUOTE, quotes::impact_in_percent)),
    row!(Swap, "swap-impact-falls", &["QUOTE-RATES"], "priceImpact is smaller for longer amounts", Response(QUOTE, quotes::impact_falls)),
    row!(Swap, "swap-fee-of-one-hop", &["FIG-RATES"], "lpFee leaves out every pair after the first", Response(QUOTE, quotes::fee_of_one_hop)),
    row!(Swap, "swap-wrap-costs", &["QUOTE-WRAP"], "wrapping the native coin costs a fee", Response(QUOTE, quotes::wrap_costs)),
    row!(Swap, "swap-native-unknown", &["QUOTE-NATIVE", "QUOTE-ROUTE"], "the zero address as tokenOut of an exact input is a token without pairs", InformedRequest(QUOTE, WrappedNative, quotes::native_unknown)),
    row!(Swap, "swap-build-without-user", &["QUOTE-BUILD"], "buildTx without userAddress is passed over", Request(QUOTE, |request| if !request.has("userAddress") { request.drop("buildTx"); })),
    row!(Swap, "swap-build-without-value", &["QUOTE-BUILD", "QUOTE-CALL"], "the transaction takes no native coin along", Response(QUOTE, quotes::build_without_value)),
    row!(Swap, "swap-build-unbound", &["QUOTE-BUILD", "QUOTE-CALL"], "the transaction of an exact input takes any output", Response(QUOTE, quotes::build_unbound)),
    row!(Swap, "swap-build-unbound-tokens", &["QUOTE-CALL"], "the transaction that sells a token takes any output", Response(QUOTE, quotes::build_unbound_tokens)),
    row!(Swap, "swap-build-recipient", &["QUOTE-BUILD", "QUOTE-CALL"], "the call pays a stranger", Response(QUOTE, quotes::build_for_a_stranger)),
    row!(Swap, "swap-build-path", &["QUOTE-BUILD", "QUOTE-CALL"], "the call ends in another token than the quote", Response(QUOTE, quotes::build_another_path)),
    row!(Swap, "swap-build-deadline", &["QUOTE-DEADLINE"], "the call never expires", Response(QUOTE, quotes::build_without_deadline)),
    row!(Swap, "swap-build-refused-silently", &["QUOTE-REASON"], "a transaction that would fail is refused without the reason", Response(QUOTE, |request, response| if quotes::failed(response) && request.has("buildTx") { remove(&mut response.body, "details") })),
    row!(Swap, "swap-build-refused-as-bad-input", &["QUOTE-BUILD"], "a transaction that would fail is 400", Response(QUOTE, |request, response| if quotes::failed(response) && request.has("buildTx") { response.status = StatusCode::BAD_REQUEST; response.body["status"] = json!(400); })),
    row!(Swap, "swap-no-route-as-empty", &["QUOTE-NO-ROUTE"], "where there is no route the quote of an exact input is 200 with an amount of 0", Response(QUOTE, |request, response| if quotes::failed(response) && request.has("amount") && !request.has("buildTx") { response.succeed(json!({ "amountIn": "0", "amountOut": "0", "path": [] })) })),
    row!(Swap, "swap-no-route-as-missing", &["QUOTE-NO-ROUTE"], "where there is no route the status for an exact input is 404", Response(QUOTE, |request, response| if quotes::failed(response) && request.has("amount") && !request.has("buildTx") { response.status = StatusCode::NOT_FOUND; response.body["status"] = json!(404); })),
    row!(Swap, "swap-pairs-incomplete", &["PAIRS"], "the latest pair is not listed", Response(PAIRS, lists::latest_missing)),
    row!(Swap, "swap-pairs-reserves-exchanged", &["PAIRS"], "the reserves of a pair change places", Response(PAIRS, lists::reserves_exchanged)),
    row!(Swap, "swap-tokens-incomplete", &["SWAP-TOKENS"], "the latest token is not listed", Response(TOKENS, lists::latest_missing)),
    row!(Swap, "swap-tokens-all-18", &["SWAP-TOKENS"], "every token is said to have 18 decimals", Response(TOKENS, |_, response| response.body.as_array_mut().into_iter().flatten().for_each(|token| token["decimals"] = json!(18)))),
];
