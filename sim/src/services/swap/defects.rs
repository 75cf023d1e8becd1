//! Seeded defects of the swap service: each rewrites the request before the handler or the answer after it, and only here.
use std::sync::Arc;

use alloy::hex;
use alloy::sol_types::SolCall;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::uri::PathAndQuery;
use axum::http::{StatusCode, Uri};
use axum::middleware::Next;
use axum::response::Response;
use serde_json::{Value, json};
use slipway_contracts::bindings::IUniswapV2Router02 as Exchange;
use url::form_urlencoded;

use crate::api::Api;
use crate::defect::{Defect, Defects, Layer};

/// The native coin as a query writes it.
const NATIVE: &str = "0x0000000000000000000000000000000000000000";
/// A token that no exchange has.
const NOBODY: &str = "0x000000000000000000000000000000000000dead";
const TEN_THOUSAND: u128 = 10_000;
/// Digits of a word of calldata.
const WORD: usize = 64;

const fn defect(id: &'static str, clauses: &'static [&'static str], summary: &'static str) -> Defect {
    Defect { id, layer: Layer::Swap, summary, clauses }
}

/// The table.
pub(crate) const DEFECTS: &[Defect] = &[
    defect(
        "swap-missing-token-guessed",
        &["QUOTE-REQ"],
        "a missing tokenIn or tokenOut is taken for the native coin or a token of the exchange",
    ),
    defect(
        "swap-both-amounts-taken",
        &["QUOTE-ONE-AMOUNT"],
        "amountOut is passed over when amount is sent too",
    ),
    defect(
        "swap-no-amount-guessed",
        &["QUOTE-ONE-AMOUNT"],
        "without any amount a quote for a million units is given",
    ),
    defect(
        "swap-slippage-unchecked",
        &["QUOTE-SLIP"],
        "a slippage that is no number from 0 to 10000 is passed over",
    ),
    defect("swap-slippage-edge-refused", &["QUOTE-SLIP"], "a slippage of exactly 10000 is refused"),
    defect("swap-fee-as-number", &["QUOTE-SHAPE", "QUOTE-RATES"], "lpFee is a number instead of text"),
    defect(
        "swap-slippage-always-told",
        &["QUOTE-SHAPE"],
        "metadata names a slippage of 0 where none was asked for",
    ),
    defect(
        "swap-output-one-more",
        &["QUOTE-EXACT-IN", "QUOTE-EXACT-OUT", "QUOTE-ROUTE"],
        "an exact input promises one unit more than the router pays",
    ),
    defect(
        "swap-input-one-less",
        &["QUOTE-EXACT-OUT"],
        "an exact output costs one unit less than the router takes",
    ),
    defect(
        "swap-fee-on-transfer-promised",
        &["QUOTE-EXACT-IN"],
        "a token that keeps a part of transfers is quoted as if it kept nothing",
    ),
    defect("swap-input-one-more", &["QUOTE-EXACT-OUT"], "an exact output costs one unit more than is needed"),
    defect(
        "swap-longer-routes-pay-less",
        &["QUOTE-ROUTE", "QUOTE-EXACT-IN", "QUOTE-EXACT-OUT"],
        "a route of several pairs promises one unit less than it pays",
    ),
    defect(
        "swap-minimum-rounded-up",
        &["QUOTE-MIN-OUT"],
        "minimumAmountOut is one unit above what slippage allows",
    ),
    defect("swap-minimum-always", &["QUOTE-MIN-OUT"], "minimumAmountOut appears without slippage"),
    defect("swap-maximum-missing", &["QUOTE-MAX-IN"], "an exact output has no maximumAmountIn"),
    defect("swap-maximum-without-slippage", &["QUOTE-MAX-IN"], "maximumAmountIn leaves the slippage out"),
    defect(
        "swap-path-without-middle",
        &["QUOTE-ROUTE", "QUOTE-EXACT-IN", "QUOTE-RATES"],
        "the path names the first and last token of a longer route only",
    ),
    defect(
        "swap-path-reversed",
        &["QUOTE-ROUTE", "QUOTE-EXACT-IN"],
        "the path runs from the last token to the first",
    ),
    defect("swap-rates-exchanged", &["QUOTE-RATES"], "executionRate and spotRate change places"),
    defect("swap-impact-in-percent", &["QUOTE-RATES"], "priceImpact is a percentage"),
    defect("swap-impact-falls", &["QUOTE-RATES"], "priceImpact is smaller for longer amounts"),
    defect("swap-fee-of-one-hop", &["QUOTE-RATES"], "lpFee leaves out every pair after the first"),
    defect("swap-wrap-costs", &["QUOTE-WRAP"], "wrapping the native coin costs a fee"),
    defect(
        "swap-native-unknown",
        &["QUOTE-NATIVE", "QUOTE-ROUTE"],
        "the zero address as tokenOut of an exact input is a token without pairs",
    ),
    defect("swap-build-without-user", &["QUOTE-BUILD"], "buildTx without userAddress is passed over"),
    defect("swap-build-without-value", &["QUOTE-BUILD"], "the transaction takes no native coin along"),
    defect("swap-build-unbound", &["QUOTE-BUILD"], "the transaction of an exact input takes any output"),
    defect(
        "swap-build-refused-silently",
        &["QUOTE-BUILD"],
        "a transaction that would fail is refused without the reason",
    ),
    defect(
        "swap-no-route-as-empty",
        &["QUOTE-NO-ROUTE"],
        "where there is no route the quote of an exact input is 200 with an amount of 0",
    ),
    defect(
        "swap-no-route-as-missing",
        &["QUOTE-NO-ROUTE"],
        "where there is no route the status for an exact input is 404",
    ),
    defect("swap-pairs-incomplete", &["PAIRS"], "the latest pair is not listed"),
    defect("swap-pairs-reserves-exchanged", &["PAIRS"], "the reserves of a pair change places"),
    defect("swap-tokens-incomplete", &["SWAP-TOKENS"], "the latest token is not listed"),
    defect("swap-tokens-all-18", &["SWAP-TOKENS"], "every token is said to have 18 decimals"),
];

/// What the defects are applied with.
#[derive(Clone)]
pub(super) struct Seeds {
    pub(super) api: Arc<Api>,
    /// The wrapped form of the native coin, as a query writes it.
    pub(super) wrapped: Arc<str>,
}

/// Applies the selected defects; passes everything through while none is on.
pub(super) async fn apply(State(seeds): State<Seeds>, mut request: Request, next: Next) -> Response {
    if seeds.api.defects().is_off() {
        return next.run(request).await;
    }
    let defects = seeds.api.defects().load();
    let sent = Sent::of(request.uri(), &seeds.wrapped);
    if let Some(uri) = sent.rewritten(&defects) {
        *request.uri_mut() = uri;
    }
    let response = next.run(request).await;
    sent.answer(&defects, response).await
}

/// What the client sent.
struct Sent<'seeds> {
    wrapped: &'seeds str,
    path: String,
    query: Vec<(String, String)>,
}

impl<'seeds> Sent<'seeds> {
    fn of(uri: &Uri, wrapped: &'seeds str) -> Self {
        let query = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
        Self { wrapped, path: uri.path().to_owned(), query }
    }

    fn has(&self, name: &str) -> bool {
        self.query.iter().any(|(key, _)| key == name)
    }

    /// The request as the defects of the quote make it; none when it stays as it was sent.
    fn rewritten(&self, defects: &Defects) -> Option<Uri> {
        let mut query = self.query.clone();
        for id in defects.ids().filter(|_| self.path == "/api/quote") {
            self.rewrite(id, &mut query);
        }
        if query == self.query {
            return None;
        }
        let text = form_urlencoded::Serializer::new(String::new()).extend_pairs(&query).finish();
        PathAndQuery::try_from(format!("{}?{text}", self.path)).ok().map(Uri::from)
    }

    fn rewrite(&self, id: &str, query: &mut Vec<(String, String)>) {
        match id {
            "swap-missing-token-guessed" => self.guess_tokens(query),
            "swap-both-amounts-taken" if self.has("amount") => query.retain(|(name, _)| name != "amountOut"),
            "swap-no-amount-guessed" if !self.has("amount") && !self.has("amountOut") => {
                query.push(("amount".into(), "1000000".into()));
            }
            "swap-slippage-unchecked" => {
                query.retain(|(name, value)| {
                    name != "slippage" || value.parse().is_ok_and(|bps: u128| bps <= TEN_THOUSAND)
                });
            }
            "swap-slippage-edge-refused" => replace(query, "slippage", "10000", "10001"),
            "swap-native-unknown" if self.has("amount") && !self.names_wrapped() && !self.has("buildTx") => {
                replace(query, "tokenOut", NATIVE, NOBODY);
            }
            "swap-build-without-user" if !self.has("userAddress") => {
                query.retain(|(name, _)| name != "buildTx");
            }
            _ => {}
        }
    }

    fn names_wrapped(&self) -> bool {
        self.query.iter().any(|(_, value)| value.eq_ignore_ascii_case(self.wrapped))
    }

    /// A missing side becomes the native coin, or its wrapped form beside the native coin.
    fn guess_tokens(&self, query: &mut Vec<(String, String)>) {
        for name in ["tokenIn", "tokenOut"] {
            if !query.iter().any(|(key, value)| key == name && !value.is_empty()) {
                let native_taken =
                    query.iter().any(|(key, value)| key.starts_with("token") && value == NATIVE);
                query.retain(|(key, _)| key != name);
                query.push((name.into(), if native_taken { self.wrapped } else { NATIVE }.into()));
            }
        }
    }

    async fn answer(&self, defects: &Defects, response: Response) -> Response {
        let (mut parts, body) = response.into_parts();
        let Ok(bytes) = to_bytes(body, usize::MAX).await else {
            return Response::from_parts(parts, Body::empty());
        };
        let Ok(mut body) = serde_json::from_slice::<Value>(&bytes) else {
            return Response::from_parts(parts, bytes.into());
        };
        for id in defects.ids() {
            match self.path.as_str() {
                "/api/quote" if parts.status == StatusCode::OK => self.spoil_quote(id, &mut body),
                "/api/quote" if parts.status == StatusCode::INTERNAL_SERVER_ERROR => {
                    self.spoil_refusal(id, &mut parts.status, &mut body);
                }
                "/api/pairs" => spoil_pairs(id, &mut body),
                "/api/tokens" => spoil_tokens(id, &mut body),
                _ => {}
            }
        }
        Response::from_parts(parts, body.to_string().into())
    }

    fn spoil_refusal(&self, id: &str, status: &mut StatusCode, body: &mut Value) {
        let said = |part: &str| body["details"].as_str().is_some_and(|text| text.contains(part));
        match id {
            "swap-fee-on-transfer-promised" if said("fee on transfer") && self.has("amount") => {
                *status = StatusCode::OK;
                *body = self.promise();
            }
            "swap-build-refused-silently" if self.has("buildTx") => remove(body, "details"),
            "swap-no-route-as-empty" if self.has("amount") && !self.has("buildTx") => {
                *status = StatusCode::OK;
                *body = json!({ "amountIn": "0", "amountOut": "0", "path": [] });
            }
            "swap-no-route-as-missing" if self.has("amount") && !self.has("buildTx") => {
                *status = StatusCode::NOT_FOUND;
                body["status"] = json!(404);
            }
            _ => {}
        }
    }

    /// As much out as goes in, along a path that is made up.
    fn promise(&self) -> Value {
        let told = |name: &str| {
            let found = self.query.iter().find(|(key, _)| key == name);
            found.map_or("", |(_, value)| value)
        };
        let token = |name| {
            if told(name) == NATIVE { self.wrapped } else { told(name) }
        };
        let path = [token("tokenIn"), token("tokenOut")];
        json!({ "amountIn": told("amount"), "amountOut": told("amount"), "path": path })
    }

    fn spoil_quote(&self, id: &str, quote: &mut Value) {
        let wraps = quote["executionRate"] == "1";
        let slippage = quote["metadata"]["slippageBps"].as_u64().map_or(0, u128::from);
        match id {
            "swap-slippage-always-told" if quote["metadata"].get("slippageBps").is_none() => {
                quote["metadata"]["slippageBps"] = json!(0);
            }
            "swap-output-one-more" if self.has("amount") && !self.has("buildTx") && !wraps => {
                let amount = units(&quote["amountOut"]) + 1;
                quote["amountOut"] = text(amount);
                if quote.get("minimumAmountOut").is_some() {
                    quote["minimumAmountOut"] = text(amount * (TEN_THOUSAND - slippage) / TEN_THOUSAND);
                }
            }
            "swap-input-one-less" if self.has("amountOut") && !self.has("buildTx") && !wraps => {
                let amount = units(&quote["amountIn"]).saturating_sub(1);
                quote["amountIn"] = text(amount);
                quote["maximumAmountIn"] = text((amount * (TEN_THOUSAND + slippage)).div_ceil(TEN_THOUSAND));
            }
            "swap-input-one-more" if self.has("amountOut") && !self.has("buildTx") && !wraps => {
                let amount = units(&quote["amountIn"]) + 1;
                quote["amountIn"] = text(amount);
                quote["maximumAmountIn"] = text((amount * (TEN_THOUSAND + slippage)).div_ceil(TEN_THOUSAND));
            }
            "swap-minimum-rounded-up" if quote.get("minimumAmountOut").is_some() => {
                quote["minimumAmountOut"] = text(units(&quote["minimumAmountOut"]) + 1);
            }
            "swap-minimum-always" if self.has("amount") && quote.get("minimumAmountOut").is_none() => {
                quote["minimumAmountOut"] = quote["amountOut"].clone();
            }
            "swap-maximum-missing" if !self.has("buildTx") => remove(quote, "maximumAmountIn"),
            "swap-maximum-without-slippage" if self.has("amountOut") => {
                quote["maximumAmountIn"] = quote["amountIn"].clone();
            }
            "swap-wrap-costs" if wraps => {
                quote["lpFee"] = text(units(&quote["amountIn"]).div_ceil(1_000));
            }
            "swap-build-unbound" if quote.get("transaction").is_some() => {
                unbind(&mut quote["transaction"]["data"]);
            }
            "swap-build-without-value" if quote.get("transaction").is_some() => {
                quote["transaction"]["value"] = text(0);
            }
            _ if !wraps => spoil_route(id, quote),
            _ => {}
        }
    }
}

/// Lets an exact input's call take any output.
fn unbind(data: &mut Value) {
    let Some(call) = data.as_str() else { return };
    let place = match call.get(2..10) {
        Some(selector) if selector == hex::encode(Exchange::swapExactETHForTokensCall::SELECTOR) => 10,
        Some(selector)
            if [
                Exchange::swapExactTokensForETHCall::SELECTOR,
                Exchange::swapExactTokensForTokensCall::SELECTOR,
            ]
            .map(hex::encode)
            .contains(&selector.to_owned()) =>
        {
            10 + WORD
        }
        _ => return,
    };
    let mut unbound = call.to_owned();
    if unbound.len() >= place + WORD {
        unbound.replace_range(place..place + WORD, &"0".repeat(WORD));
        *data = unbound.into();
    }
}

/// Defects of the route and its rates; wrapping has neither.
fn spoil_route(id: &str, quote: &mut Value) {
    match id {
        "swap-path-without-middle" if quote.get("maximumAmountIn").is_none() => {
            if let Some(path) = quote["path"].as_array_mut()
                && path.len() > 2
            {
                path.drain(1..path.len() - 1);
            }
        }
        "swap-path-reversed" if quote.get("maximumAmountIn").is_none() => {
            if let Some(path) = quote["path"].as_array_mut() {
                path.reverse();
            }
        }
        "swap-longer-routes-pay-less"
            if quote.get("maximumAmountIn").is_none()
                && quote.get("minimumAmountOut").is_none()
                && quote.get("transaction").is_none()
                && quote["path"].as_array().is_some_and(|path| path.len() > 2) =>
        {
            quote["amountOut"] = text(units(&quote["amountOut"]).saturating_sub(1));
        }
        "swap-impact-falls" => {
            let digits = quote["amountIn"].as_str().map_or(1, str::len);
            quote["priceImpact"] = json!(1.0 / (digits + 1) as f64);
        }
        "swap-rates-exchanged" => {
            let execution = quote["executionRate"].take();
            quote["executionRate"] = quote["spotRate"].take();
            quote["spotRate"] = execution;
        }
        "swap-impact-in-percent" => {
            quote["priceImpact"] = json!(quote["priceImpact"].as_f64().unwrap_or_default() * 100.0);
        }
        "swap-fee-as-number" => quote["lpFee"] = json!(units(&quote["lpFee"]) as f64),
        "swap-fee-of-one-hop" => quote["lpFee"] = text(units(&quote["amountIn"]) * 3 / 1_000),
        _ => {}
    }
}

fn spoil_pairs(id: &str, body: &mut Value) {
    let Some(pairs) = body.as_array_mut() else { return };
    match id {
        "swap-pairs-incomplete" => _ = pairs.pop(),
        "swap-pairs-reserves-exchanged" => {
            for pair in pairs {
                let first = pair["reserve0"].take();
                pair["reserve0"] = pair["reserve1"].take();
                pair["reserve1"] = first;
            }
        }
        _ => {}
    }
}

fn spoil_tokens(id: &str, body: &mut Value) {
    let Some(tokens) = body.as_array_mut() else { return };
    match id {
        "swap-tokens-incomplete" => _ = tokens.pop(),
        "swap-tokens-all-18" => tokens.iter_mut().for_each(|token| token["decimals"] = json!(18)),
        _ => {}
    }
}

fn replace(query: &mut [(String, String)], name: &str, from: &str, to: &str) {
    for (key, value) in query {
        if key == name && value == from {
            to.clone_into(value);
        }
    }
}

fn remove(object: &mut Value, field: &str) {
    if let Some(object) = object.as_object_mut() {
        object.shift_remove(field);
    }
}

fn units(value: &Value) -> u128 {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_default()
}

fn text(units: u128) -> Value {
    units.to_string().into()
}
