//! Acts of `GET /api/quote`.
use std::time::Instant;

use alloy::hex;
use alloy::sol_types::SolCall;
use serde_json::{Value, json};
use slipway_contracts::bindings::IUniswapV2Router02 as Router;

use crate::http::act::{Act, Context, Need, act};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::json::exchange;

pub(super) const ACTS: &[Act] = &[
    act!(Before missing_token_guessed, Need::Exchange),
    act!(Before slippage_unchecked),
    act!(Before slippage_fraction_dropped),
    act!(Before native_unknown, Need::Exchange),
    act!(After fee_as_number),
    act!(After slippage_always_shown),
    act!(After output_one_more),
    act!(After input_one_less),
    act!(After input_one_more),
    act!(After fee_on_transfer_promised, Need::Exchange),
    act!(After longer_routes_pay_less),
    act!(After minimum_always),
    act!(After path_without_middle),
    act!(After path_reversed),
    act!(After rates_exchanged),
    act!(After impact_in_percent),
    act!(After impact_falls),
    act!(After fee_of_one_hop),
    act!(After fee_of_output),
    act!(Before wrapped_as_native, Need::Exchange),
    act!(After anything_quoted),
    act!(After wrap_costs),
    act!(After build_unbound),
    act!(After build_unbound_tokens),
    act!(After build_for_a_stranger),
    act!(After build_another_path),
    act!(After build_without_deadline),
    act!(After quotes_kept),
];

/// The native coin as a query writes it.
const NATIVE: &str = "0x0000000000000000000000000000000000000000";
/// A token that no exchange has.
const NOBODY: &str = "0x000000000000000000000000000000000000dead";
const TEN_THOUSAND: u128 = 10_000;
/// Hexadecimal digits in a word of calldata.
const WORD: usize = 64;
/// Where the arguments begin in the text of a call.
const SELECTOR: usize = 10;

/// A missing side becomes the native coin, or its wrapped form if the other side is native.
fn missing_token_guessed(context: &Context<'_>, request: &mut RequestParts) {
    for name in ["tokenIn", "tokenOut"] {
        if request.get(name).is_none_or(str::is_empty) {
            let native_taken =
                request.query.iter().any(|(key, value)| key.starts_with("token") && value == NATIVE);
            request.set(name, if native_taken { context.facts.wrapped_native.as_str() } else { NATIVE });
        }
    }
}

fn slippage_unchecked(_: &Context<'_>, request: &mut RequestParts) {
    request.query.retain(|(name, value)| {
        name != "slippage" || value.parse().is_ok_and(|bps: u128| bps <= TEN_THOUSAND)
    });
}

fn slippage_fraction_dropped(_: &Context<'_>, request: &mut RequestParts) {
    request.query.retain(|(name, value)| name != "slippage" || !value.contains('.'));
}

/// A quote that names neither the wrapped coin nor a transaction sells for a token that does not exist.
fn native_unknown(context: &Context<'_>, request: &mut RequestParts) {
    let names_wrapped =
        request.query.iter().any(|(_, value)| value.eq_ignore_ascii_case(&context.facts.wrapped_native));
    if request.has("amount") && !names_wrapped && !request.has("buildTx") {
        request.change("tokenOut", |text| if text == NATIVE { NOBODY } else { text }.to_owned());
    }
}

fn fee_as_number(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(quote) = routed(response) {
        quote["lpFee"] = json!(units(&quote["lpFee"]) as f64);
    }
}

fn slippage_always_shown(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(quote) = quote(response)
        && quote["metadata"].get("slippageBps").is_none()
    {
        quote["metadata"]["slippageBps"] = json!(0);
    }
}

fn output_one_more(context: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(quote) = routed(response)
        && context.sent.has("amount")
        && !context.sent.has("buildTx")
    {
        let amount = units(&quote["amountOut"]) + 1;
        quote["amountOut"] = text(amount);
        if quote.get("minimumAmountOut").is_some() {
            quote["minimumAmountOut"] = text(amount * (TEN_THOUSAND - slippage(quote)) / TEN_THOUSAND);
        }
    }
}

fn input_one_less(context: &Context<'_>, response: &mut ProxiedResponse) {
    change_input(context, response, |amount| amount.saturating_sub(1));
}

fn input_one_more(context: &Context<'_>, response: &mut ProxiedResponse) {
    change_input(context, response, |amount| amount + 1);
}

fn change_input(context: &Context<'_>, response: &mut ProxiedResponse, change: fn(u128) -> u128) {
    if let Some(quote) = routed(response)
        && context.sent.has("amountOut")
        && !context.sent.has("buildTx")
    {
        let amount = change(units(&quote["amountIn"]));
        quote["amountIn"] = text(amount);
        let most = (amount * (TEN_THOUSAND + slippage(quote))).div_ceil(TEN_THOUSAND);
        quote["maximumAmountIn"] = text(most);
    }
}

fn minimum_always(context: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(quote) = quote(response)
        && context.sent.has("amount")
        && quote.get("minimumAmountOut").is_none()
    {
        quote["minimumAmountOut"] = quote["amountOut"].clone();
    }
}

fn wrap_costs(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(quote) = quote(response)
        && wraps(quote)
    {
        quote["lpFee"] = text(units(&quote["amountIn"]).div_ceil(1_000));
    }
}

/// A request gets the quote that it got at first.
fn quotes_kept(context: &Context<'_>, response: &mut ProxiedResponse) {
    let answers = &mut context.memory.lock().answers;
    if response.is_ok() {
        let kept = answers.entry(context.sent.target().to_owned());
        response.body = kept.or_insert_with(|| (Instant::now(), response.clone())).1.body.clone();
    }
}

/// Sets the least output of an exact-input call to zero.
fn build_unbound(_: &Context<'_>, response: &mut ProxiedResponse) {
    change_call(response, |call| {
        if let Some(bound) = least_output(call) {
            replace_word(call, bound, "");
        }
    });
}

/// Sets the least output of an exact-input call to zero, only when a token is sold.
fn build_unbound_tokens(_: &Context<'_>, response: &mut ProxiedResponse) {
    change_call(response, |call| {
        if let Some(bound) = least_output(call).filter(|bound| *bound > 0) {
            replace_word(call, bound, "");
        }
    });
}

fn build_for_a_stranger(_: &Context<'_>, response: &mut ProxiedResponse) {
    change_call(response, |call| {
        if let Some(amounts) = amounts(call) {
            replace_word(call, amounts + 1, "dead");
        }
    });
}

/// Replaces the last token of the path by the first.
fn build_another_path(_: &Context<'_>, response: &mut ProxiedResponse) {
    change_call(response, |call| {
        if let Some(amounts) = amounts(call) {
            let start = SELECTOR + (amounts + 4) * WORD;
            if let Some(first) = call.get(start..start + WORD).map(str::to_owned) {
                call.replace_range(call.len() - WORD.., &first);
            }
        }
    });
}

fn build_without_deadline(_: &Context<'_>, response: &mut ProxiedResponse) {
    change_call(response, |call| {
        if let Some(amounts) = amounts(call) {
            replace_word(call, amounts + 2, &"f".repeat(WORD));
        }
    });
}

/// Changes the calldata that a quote has built.
fn change_call(response: &mut ProxiedResponse, change: fn(&mut String)) {
    if let Some(Value::String(call)) =
        quote(response).and_then(|quote| quote.pointer_mut("/transaction/data"))
    {
        change(call);
    }
}

/// The number of amounts in a call of the router; the path, the recipient and the deadline follow.
fn amounts(call: &str) -> Option<usize> {
    let selector = call.get(2..SELECTOR)?;
    let is = |known: [u8; 4]| hex::encode(known) == selector;
    if is(Router::swapExactETHForTokensCall::SELECTOR) || is(Router::swapETHForExactTokensCall::SELECTOR) {
        return Some(1);
    }
    let known = [
        Router::swapExactTokensForETHCall::SELECTOR,
        Router::swapExactTokensForTokensCall::SELECTOR,
        Router::swapTokensForExactETHCall::SELECTOR,
        Router::swapTokensForExactTokensCall::SELECTOR,
    ];
    known.into_iter().any(is).then_some(2)
}

/// The index of the word with the least output, in a call with an exact input.
fn least_output(call: &str) -> Option<usize> {
    let selector = call.get(2..SELECTOR)?;
    let exact_input = [
        Router::swapExactETHForTokensCall::SELECTOR,
        Router::swapExactTokensForETHCall::SELECTOR,
        Router::swapExactTokensForTokensCall::SELECTOR,
    ];
    let exact = exact_input.into_iter().any(|known| hex::encode(known) == selector);
    amounts(call).filter(|_| exact).map(|amounts| amounts - 1)
}

/// Replaces a word of a call by these digits, padded with leading zeros.
fn replace_word(call: &mut String, index: usize, digits: &str) {
    let start = SELECTOR + index * WORD;
    if call.len() >= start + WORD {
        call.replace_range(start..start + WORD, &format!("{digits:0>WORD$}"));
    }
}

fn path_without_middle(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(path) = path_of_input(response)
        && path.len() > 2
    {
        path.drain(1..path.len() - 1);
    }
}

fn path_reversed(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(path) = path_of_input(response) {
        path.reverse();
    }
}

/// The path of a routed exact input.
fn path_of_input(response: &mut ProxiedResponse) -> Option<&mut Vec<Value>> {
    let quote = routed(response).filter(|quote| quote.get("maximumAmountIn").is_none())?;
    quote["path"].as_array_mut()
}

fn longer_routes_pay_less(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(quote) = routed(response)
        && ["maximumAmountIn", "minimumAmountOut", "transaction"]
            .iter()
            .all(|name| quote.get(*name).is_none())
        && quote["path"].as_array().is_some_and(|path| path.len() > 2)
    {
        quote["amountOut"] = text(units(&quote["amountOut"]).saturating_sub(1));
    }
}

fn impact_falls(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(quote) = routed(response) {
        let digits = quote["amountIn"].as_str().map_or(1, str::len);
        quote["priceImpact"] = json!(1.0 / (digits + 1) as f64);
    }
}

fn rates_exchanged(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(quote) = routed(response) {
        exchange(quote, "executionRate", "spotRate");
    }
}

fn impact_in_percent(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(quote) = routed(response) {
        quote["priceImpact"] = json!(quote["priceImpact"].as_f64().unwrap_or_default() * 100.0);
    }
}

fn fee_of_one_hop(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(quote) = routed(response) {
        quote["lpFee"] = text(units(&quote["amountIn"]) * 3 / 1_000);
    }
}

fn fee_of_output(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(quote) = routed(response) {
        quote["lpFee"] = text(units(&quote["amountOut"]) * 3 / 1_000);
    }
}

/// Sells the native coin instead of the wrapped one.
fn wrapped_as_native(context: &Context<'_>, request: &mut RequestParts) {
    let wrapped = &context.facts.wrapped_native;
    request.change("tokenIn", |text| {
        if text.eq_ignore_ascii_case(wrapped) { NATIVE.to_owned() } else { text.to_owned() }
    });
}

/// Quotes an output equal to the input.
fn anything_quoted(context: &Context<'_>, response: &mut ProxiedResponse) {
    let text = |name| context.sent.get(name).unwrap_or_default();
    let path = [text("tokenIn"), text("tokenOut")];
    let amount = text("amount");
    response.succeed(json!({ "amountIn": amount, "amountOut": amount, "path": path }));
}

/// Quotes a fee-on-transfer token of the exchange as if it charged nothing: the output equals the input, along an invented path.
fn fee_on_transfer_promised(context: &Context<'_>, response: &mut ProxiedResponse) {
    let token = |name| match context.sent.get(name).unwrap_or_default() {
        NATIVE => context.facts.wrapped_native.clone(),
        address => address.to_owned(),
    };
    let path = [token("tokenIn"), token("tokenOut")];
    let facts = &context.facts;
    if path.iter().all(|token| *token == facts.wrapped_native || facts.listed.contains(&token.to_lowercase()))
    {
        let amount = context.sent.get("amount").unwrap_or_default();
        response.succeed(json!({ "amountIn": amount, "amountOut": amount, "path": path }));
    }
}

fn quote(response: &mut ProxiedResponse) -> Option<&mut Value> {
    (response.is_ok() && response.body.is_object()).then_some(&mut response.body)
}

/// A quote along a route; wrapping has neither route nor rates.
fn routed(response: &mut ProxiedResponse) -> Option<&mut Value> {
    quote(response).filter(|quote| !wraps(quote))
}

fn wraps(quote: &Value) -> bool {
    quote["executionRate"] == "1"
}

/// The slippage that a quote names, basis points.
fn slippage(quote: &Value) -> u128 {
    quote["metadata"]["slippageBps"].as_u64().map_or(0, u128::from)
}

fn units(value: &Value) -> u128 {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_default()
}

fn text(units: u128) -> Value {
    units.to_string().into()
}
