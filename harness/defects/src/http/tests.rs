//! Every mutation changes an exchange that shows its defect, and no exchange on another path.
use std::collections::BTreeSet;

use bytes::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Request, Response, StatusCode};
use serde_json::{Value, json};

use super::consistent;
use super::exchange::{ProxiedResponse, RequestParts};
use super::mutation::{Facts, Mutation, Row};
use super::selection::rows;
use crate::Layer;

mod variants;

const TOKEN: &str = "0x00000000000000000000000000000000000000Aa";
const OTHER: &str = "0x00000000000000000000000000000000000000bb";
const NATIVE: &str = "0x0000000000000000000000000000000000000000";
const WRAPPED: &str = "0x4200000000000000000000000000000000000006";
/// 2026-03-04T12:00:00Z
const NOW: u64 = 1_772_625_600;

/// A request and the response of a sound service to it.
struct Sample {
    method: &'static str,
    target: String,
    headers: Vec<(&'static str, &'static str)>,
    body: Bytes,
    status: u16,
    response_headers: Vec<(&'static str, &'static str)>,
    response: Value,
}

fn get(target: impl Into<String>, status: u16, response: Value) -> Sample {
    let target = target.into();
    let (headers, response_headers) = (Vec::new(), Vec::new());
    Sample { method: "GET", target, headers, body: Bytes::new(), status, response_headers, response }
}

fn post(target: &str, body: &Value, status: u16, response: Value) -> Sample {
    Sample { method: "POST", body: body.to_string().into(), ..get(target, status, response) }
}

fn form(part: &str, length: usize, status: u16, response: Value) -> Sample {
    let body = format!("{part}{}", "x".repeat(length)).into();
    Sample { method: "POST", body, ..get("/api/upload", status, response) }
}

impl Sample {
    fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((name, value));
        self
    }

    fn answering(mut self, name: &'static str, value: &'static str) -> Self {
        self.response_headers.push((name, value));
        self
    }

    fn request(&self) -> RequestParts {
        let mut request = Request::builder().method(self.method).uri(&self.target);
        for (name, value) in &self.headers {
            request = request.header(*name, *value);
        }
        RequestParts::new(request.body(()).unwrap().into_parts().0, self.body.clone())
    }

    fn response(&self) -> ProxiedResponse {
        let mut response = Response::new(());
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap();
        for (name, value) in &self.response_headers {
            response.headers_mut().append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        ProxiedResponse::new(response.into_parts().0, self.response.to_string().into())
    }
}

fn refusal(status: u16, message: &str) -> Value {
    json!({ "error": message, "status": status })
}

fn token(address: &str, market_cap: f64, created: &str) -> Value {
    json!({
        "address": address, "name": "Meadow", "ticker": "MDW", "description": "green", "owner": OTHER,
        "market_cap": market_cap, "funding_progress": 50.125, "total_holders": 3, "created_at": created,
        "version": "v2", "messenger": null, "microblog": "https://a.invalid/", "website": null, "launch_id": 7,
        "quote_asset": OTHER, "is_graduated": false, "target_raise": "3000000000000000000",
        "volume_24h": 1, "price_change_24h": 2, "txns_24h_buys": 3, "txns_24h_sells": 4,
    })
}

fn page() -> Value {
    let created = ["12:00:00", "11:00:00", "10:00:00", "09:00:00"];
    let caps = [9.123_456_7, 10.5, 2.25, 1.0];
    let tokens: Vec<Value> = (0..4)
        .map(|place| {
            let address = if place == 1 { OTHER } else { TOKEN };
            token(address, caps[place], &format!("2026-03-04T{}Z", created[place]))
        })
        .collect();
    json!({ "tokens": tokens, "page": 1, "totalCount": 44, "totalPages": 3, "nextOffset": null,
        "pagination": { "page": 1, "limit": 20, "total": 44, "totalPages": 3 } })
}

fn list_samples() -> Vec<Sample> {
    let list = |query: &str| get(format!("/api/tokens{query}"), 200, page());
    let empty = json!({ "tokens": [], "totalCount": 0, "totalPages": 1 });
    vec![
        list(""),
        list("?page=2"),
        list("?extra=1"),
        list("?search=MEADOW"),
        list("?search=green&status=live"),
        list(&format!("?search={TOKEN}&status=live")),
        list("?status=live,funding"),
        list("?sortBy=oldest"),
        list("?sortBy=newest"),
        list("?sortBy=mcap-high"),
        list("?sortBy=mcap-low"),
        list("?sortBy=trending&timeframe=1h"),
        list("?socials=microblog,website"),
        list("?fundingMax=50.125"),
        list("?marketCapMin=2.25"),
        list("?marketCapMin=0&marketCapMax=9"),
        list("?txCountMin=0&txCountMax=0"),
        list("?txCountMin=1"),
        list("?createdTo=2027-01-14T12:00:00Z"),
        get("/api/tokens?page=9", 200, empty.clone()),
        get("/api/tokens?page=0", 400, refusal(400, "page must be at least 1")),
        get("/api/tokens?fundingMin=1&fundingMax=0", 400, refusal(400, "fundingMin is above fundingMax")),
        get("/api/tokens?createdTo=soon", 400, refusal(400, "createdTo must be an ISO date")),
        list("").with("authorization", "junk"),
        Sample {
            method: "DELETE",
            ..get("/api/tokens", 405, refusal(405, "this path does not take that method"))
        }
        .answering("allow", "GET, HEAD, OPTIONS")
        .answering("access-control-allow-origin", "*"),
        Sample { method: "OPTIONS", ..get("/api/tokens", 204, Value::Null) }
            .answering("access-control-allow-methods", "GET"),
        get("/api/tokens/by-owner", 400, refusal(400, "owner is required")),
        get(format!("/api/tokens/by-owner?owner={OTHER}"), 200, page()),
        get(format!("/api/tokens/by-owner?owner={OTHER}&limit=101"), 400, refusal(400, "limit")),
        get(format!("/api/tokens/by-owner?owner={OTHER}&sort=volume_24h_desc"), 200, page()),
        get(
            format!("/api/tokens/by-owner?owner={NATIVE}"),
            200,
            json!({ "tokens": [], "pagination": { "total": 0 } }),
        ),
        get("/api/tokens/recent-v2", 400, refusal(400, "chainId is required")),
        get("/api/tokens/recent-v2?chainId=1", 400, refusal(400, "chainId")),
        get("/api/tokens/recent-v2?chainId=57073", 200, page()),
        get("/api/tokens/recent-v2?chainId=4663", 200, page()),
        get("/api/tokens/recent-v2?chainId=57073&limit=51", 400, refusal(400, "limit")),
        get("/api/tokens/recent-v2?chainId=57073&offset=2", 200, page()),
    ]
}

fn batch_samples() -> Vec<Sample> {
    let batch = |body: Value, status, response| post("/api/tokens/batch", &body, status, response);
    let found = || json!({ "tokens": page()["tokens"], "notFound": [OTHER, "junk"], "errors": [] });
    let metrics = || {
        let token = json!({ "address": TOKEN, "name": "Meadow", "messenger": null });
        json!({ "tokens": [token], "notFound": [], "errors": [] })
    };
    vec![
        batch(json!({ "addresses": vec![TOKEN; 11] }), 200, found()),
        batch(json!({ "addresses": vec!["0x"; 51] }), 400, refusal(400, "at most 50")),
        batch(json!({ "addresses": [TOKEN, "junk"], "extra": 1 }), 200, found()),
        batch(json!({ "addresses": vec![TOKEN; 50] }), 200, found()),
        batch(json!({}), 400, refusal(400, "addresses is required")),
        batch(json!({ "addresses": [TOKEN], "includeMetrics": false }), 200, metrics()),
        batch(
            json!({ "addresses": [TOKEN], "includeHolders": false, "includeSocials": false }),
            200,
            metrics(),
        ),
        batch(json!({ "addresses": [] }), 415, refusal(415, "must be JSON"))
            .with("content-type", "text/plain"),
        get(format!("/api/tokens/batch?addresses={TOKEN}"), 200, found()),
    ]
}

fn token_samples() -> Vec<Sample> {
    let mut v1 = token(TOKEN, 9.123_456_7, "2026-03-03T12:00:00Z");
    v1["version"] = "v1".into();
    vec![
        get(format!("/api/token?address={TOKEN}"), 200, token(TOKEN, 9.123_456_7, "2026-03-04T11:59:59Z")),
        get(
            format!("/api/token?address={}", TOKEN.to_uppercase()),
            200,
            token(TOKEN, 1.0, "2026-03-03T12:00:00Z"),
        ),
        get(format!("/api/token?address={OTHER}"), 200, v1),
        get(format!("/api/token?address={NATIVE}"), 404, refusal(404, "no token has this address")),
        get("/api/token?address=0x12", 400, refusal(400, "address must be an address")),
    ]
}

fn featured_samples() -> Vec<Sample> {
    let mut king = token(TOKEN, 1.0, "2026-03-03T12:00:00Z");
    for field in ["volume_1h", "price_change_1h", "txns_1h_buys", "txns_1h_sells"] {
        king[field] = json!(1);
    }
    let mut emperor = king.clone();
    emperor["bidData"] = json!({
        "lastBid": { "amount": "0.5" }, "lastBidAmount": "500000000000000000", "currentBid": "1000",
        "isEpochTaken": true, "nextBoostedToken": TOKEN, "lastBoostedToken": OTHER,
    });
    let asset = json!({ "address": TOKEN, "hook": OTHER, "decimals": 6 });
    let deployment = |version: &str, hook: &str, asset: Value| json!({ "version": version, "hook": hook, "quoteAsset": asset });
    let capabilities = json!({
        "flags": { "create": false },
        "activeCreationDeployment": { "hook": OTHER, "status": "paused", "runtimeHash": "0x01",
            "v4": { "permit2": OTHER, "quoter": OTHER, "universalRouter": TOKEN } },
        "v4": { "permit2": OTHER },
        "tradeableDeployments": [
            deployment("v2", OTHER, Value::Null), deployment("v2", TOKEN, json!(TOKEN)), deployment("v1", NATIVE, Value::Null),
        ],
    });
    vec![
        get("/api/eoti", 200, king.clone()),
        get("/api/eoti?includeBidData=true", 200, emperor),
        get("/api/koti", 200, king),
        get("/api/koti", 404, refusal(404, "there is no King")),
        get("/api/stocks/quote-assets?chainId=1", 400, refusal(400, "chainId")),
        get("/api/stocks/quote-assets?chainId=4663", 200, json!({ "quoteAssets": [asset] })),
        get("/api/capabilities", 400, refusal(400, "chainId is required")),
        get("/api/capabilities?chainId=1", 400, refusal(400, "chainId")),
        get("/api/capabilities?chainId=57073", 200, capabilities)
            .answering("cache-control", "private, no-store"),
    ]
}

fn chat_samples() -> Vec<Sample> {
    let said = json!([{ "id": "1", "message": " hello ", "created_at": "2026-03-04T12:00:00Z" }]);
    let speak = |body: Value, status, response| post("/api/chat", &body, status, response);
    let message = |text: String| json!({ "tokenAddress": TOKEN, "message": text, "signature": "0x12" });
    let hello = || message("hello".into());
    vec![
        get("/api/chat", 400, refusal(400, "tokenAddress is required")),
        get(format!("/api/chat?tokenAddress={TOKEN}"), 200, said.clone()),
        get(format!("/api/chat?tokenAddress={TOKEN}&offset=2"), 200, said.clone()),
        get(format!("/api/chat?tokenAddress={TOKEN}&limit=many"), 400, refusal(400, "limit")),
        speak(json!({ "tokenAddress": TOKEN, "message": 7 }), 400, refusal(400, "message must be text")),
        speak(message("é".repeat(300)), 200, said[0].clone()),
        speak(message("a".repeat(501)), 400, refusal(400, "message must be at most 500 characters")),
        speak(hello(), 403, refusal(403, "the signature is not the sender's")),
        speak(json!({ "message": "hello", "senderAddress": OTHER }), 403, refusal(403, "no")),
        speak(hello(), 403, json!({ "error": "captcha", "details": "timeout-or-duplicate", "status": 403 })),
        speak(hello(), 401, refusal(401, "an operator key is required")),
        speak(hello(), 401, refusal(401, "an operator key is required")).with("authorization", "Bearer key"),
        get(format!("/api/chat?tokenAddress={OTHER}"), 200, said.clone()),
        speak(hello(), 429, json!({ "error": "limit", "retryAfter": 3, "status": 429 }))
            .answering("x-ratelimit-reset", "1772625660"),
    ]
}

fn upload_samples() -> Vec<Sample> {
    let taken = || json!({ "url": "http://images.invalid/cdn/a.png", "socialHumanProof": null });
    let limited = |limit| {
        form("name=\"walletAddress\"", 9, 429, refusal(429, "limit")).answering("x-ratelimit-limit", limit)
    };
    vec![
        form("", 9, 400, refusal(400, "walletAddress is required")),
        form("name=\"walletAddress\"; filename=\"a.png\"", 9, 400, refusal(400, "file is not an image")),
        form("name=\"walletAddress\"", (5 << 20) + 1, 400, refusal(400, "file is too large")),
        form("name=\"walletAddress\"", 5_000_001, 200, taken())
            .with("host", "127.0.0.1:1")
            .answering("x-service-image-storage", "local"),
        form("name=\"walletAddress\"", 9, 403, refusal(403, "the captcha is used up")),
        limited("3"),
        limited("30"),
        limited("100"),
        get("/cdn/a.png", 200, Value::Null).answering("cache-control", "public"),
    ]
}

fn referral_samples() -> Vec<Sample> {
    let code = json!({ "code": "REF-AAAAAAAA", "created_at": "2026-03-01T00:00:00Z" });
    let stats = json!({ "referral_code": "REF-AAAAAAAA", "stats": { "total_referrals": 0, "total_points_earned": 7.0, "points_from_trading": 3.0,
        "points_from_token_creation": 2.0, "points_from_milestones": 2.0 } });
    let trade = |time: &str| json!({ "type": "trade", "referral_address": OTHER, "points_earned": 1.5, "timestamp": time });
    let active = json!({ "recent_activity": [trade("2026-03-03T12:30:00Z"), trade("2026-02-25T12:30:00Z"), trade("2026-02-02T12:30:00Z")],
        "stats": { "total_points_earned": 4.5, "points_from_trading": 4.5 }, "top_referrals": [] });
    let row = json!({ "rank": 1, "address": TOKEN, "points": 6.0, "trading_points": 1.0, "creation_points": 2.0,
        "referral_points": 3.0, "volume_eth": 2.5 });
    let limited = |target: &str| get(target, 429, refusal(429, "limit")).answering("retry-after", "3");
    let register = |status, message| {
        post("/api/referral/register", &json!({ "wallet_address": TOKEN }), status, refusal(status, message))
    };
    vec![
        get("/api/referral/code", 401, refusal(401, "no")).with("authorization", "Bearer nobody's"),
        get("/api/referral/code", 401, refusal(401, "an Authorization header is required")),
        get("/api/referral/code", 200, code),
        limited("/api/referral/code"),
        get("/api/referral/stats", 401, refusal(401, "an Authorization header is required")),
        get(format!("/api/referral/stats?address={TOKEN}"), 200, stats),
        get(format!("/api/referral/stats?address={TOKEN}&period=1h"), 400, refusal(400, "period")),
        get(format!("/api/referral/stats?address={TOKEN}&period=24h"), 200, active.clone()),
        get(format!("/api/referral/stats?address={TOKEN}&period=7d"), 200, active.clone()),
        get(format!("/api/referral/stats?address={TOKEN}&period=30d"), 200, active),
        limited("/api/referral/stats"),
        limited("/api/referral/leaderboard"),
        get("/api/referral/leaderboard?period=24h", 200, json!({ "leaderboard": [row] })),
        get("/api/referral/leaderboard?period=7d", 200, json!({ "leaderboard": [row] })),
        get("/api/referral/leaderboard?period=30d", 200, json!({ "leaderboard": [row] })),
        get("/api/referral/leaderboard?limit=101", 400, refusal(400, "limit")),
        get("/api/leaderboard", 200, json!({ "leaderboard": [row] })),
        get("/api/leaderboard?limit=101", 400, refusal(400, "limit")),
        register(400, "a wallet cannot be its own referrer"),
        register(409, "registered already"),
        limited("/api/referral/register"),
    ]
}

fn swap_samples() -> Vec<Sample> {
    let quote = |rest: &str, status, response| {
        get(format!("/api/quote?tokenIn={NATIVE}&tokenOut={TOKEN}{rest}"), status, response)
    };
    let routed = |more: Value| {
        let mut body = json!({
            "amountIn": "1000000", "amountOut": "2000", "executionRate": "20", "spotRate": "21", "lpFee": "6000",
            "priceImpact": 0.01, "path": [WRAPPED, OTHER, TOKEN], "metadata": {},
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let minimum = json!({ "minimumAmountOut": "1998", "metadata": { "slippageBps": 10 } });
    let maximum = json!({ "maximumAmountIn": "1001000", "metadata": { "slippageBps": 10 } });
    // A call of the router: words before the path, and a path of two tokens.
    let call = |selector: &str, words: usize| {
        let path = format!("{:064x}{}{}", 2, "2".repeat(64), "3".repeat(64));
        let data = format!("0x{selector}{}{path}", "1".repeat(64 * words));
        json!({ "transaction": { "value": "1000000", "data": data } })
    };
    // swapExactETHForTokens and swapExactTokensForTokens.
    let (of_native, of_token) = (call("7ff36ab5", 4), call("38ed1739", 5));
    let failed = |details: &str| json!({ "error": "no quote", "details": details, "status": 500 });
    vec![
        get(format!("/api/quote?tokenIn={NATIVE}&amount=1000"), 400, refusal(400, "tokenOut is required")),
        quote("", 400, refusal(400, "amount is required")),
        quote("&amount=1&amountOut=1", 400, refusal(400, "one of amount and amountOut")),
        quote("&amount=1000000", 200, routed(json!({}))),
        quote("&amount=1000000&slippage=10", 200, routed(minimum)),
        quote("&amount=1000000&slippage=10000", 200, routed(json!({}))),
        quote("&amount=1000000&slippage=0.5", 400, refusal(400, "slippage")),
        quote("&amount=1000000&slippage=10001", 400, refusal(400, "slippage")),
        quote("&amountOut=2000&slippage=10", 200, routed(maximum)),
        quote("&amount=1000000&buildTx=true", 400, refusal(400, "userAddress is required")),
        quote("&amount=1000000&buildTx=true&userAddress=x", 200, routed(of_native)),
        quote("&amount=1000000&buildTx=true&userAddress=x", 200, routed(of_token)),
        quote("&amount=1000000&buildTx=true&userAddress=x", 500, failed("the call would fail")),
        quote("&amount=1000000", 500, failed("no route")),
        quote("&amount=1000000", 500, failed("the token takes a fee on transfer")),
        get(
            format!("/api/quote?tokenIn={NATIVE}&tokenOut={WRAPPED}&amount=1000"),
            200,
            json!({ "amountIn": "1000", "amountOut": "1000", "executionRate": "1", "spotRate": "1", "lpFee": "0" }),
        ),
        get(format!("/api/quote?tokenIn={TOKEN}&tokenOut={NATIVE}&amount=1000"), 200, routed(json!({}))),
        get("/api/pairs", 200, json!([{ "reserve0": "1", "reserve1": "2" }])),
        get("/api/tokens", 200, json!([{ "decimals": 6 }])),
    ]
}

fn lie_samples(bodies: Vec<(&str, Value)>) -> Vec<Sample> {
    bodies.into_iter().map(|(path, body)| get(path, 200, body)).collect()
}

fn samples(layer: Layer) -> Vec<Sample> {
    match layer {
        Layer::Rest => [
            list_samples(),
            batch_samples(),
            token_samples(),
            featured_samples(),
            chat_samples(),
            upload_samples(),
            referral_samples(),
            lie_samples(consistent::samples::rest()),
        ]
        .into_iter()
        .flatten()
        .collect(),
        Layer::Swap => swap_samples().into_iter().chain(lie_samples(consistent::samples::swap())).collect(),
        Layer::Node => vec![post(
            "/",
            &json!({ "jsonrpc": "2.0", "id": 3, "method": "eth_chainId" }),
            200,
            json!({ "jsonrpc": "2.0", "id": 3, "result": "0xdef1" }),
        )],
        Layer::Chain | Layer::ToolServer => Vec::new(),
    }
}

/// What the service receives and the client after it, in a comparable form.
fn seen(request: &RequestParts, response: ProxiedResponse) -> String {
    let sent = request.request();
    let shown = format!("{} {:?} {}", sent.uri(), sent.headers(), request.body);
    format!("{shown} -> {} {:?} {}", response.status, response.headers, response.body)
}

fn mutated(row: &Row, sample: &Sample) -> String {
    let facts =
        Facts { now: NOW, v1_tokens: BTreeSet::from([TOKEN.to_owned()]), wrapped_native: WRAPPED.to_owned() };
    let (sent, mut request, mut response) = (sample.request(), sample.request(), sample.response());
    match row.mutation {
        Mutation::Request(_, change) => change(&mut request),
        Mutation::InformedRequest(_, _, change) => change(&facts, &mut request),
        Mutation::Exchange(_, before, after) | Mutation::Lie(before, after) => {
            before(&mut request);
            after(&sent, &mut response);
        }
        Mutation::InformedExchange(_, _, before, after) => {
            before(&mut request);
            after(&facts, &sent, &mut response);
        }
        Mutation::Response(_, change) | Mutation::Anywhere(change) => change(&sent, &mut response),
        Mutation::InformedResponse(_, _, change) => change(&facts, &sent, &mut response),
        Mutation::Comparison(_, other, change) => {
            if other(&sent).is_some() {
                let mut other = sample.response();
                if other.body.is_object() {
                    other.body["totalCount"] = json!(1_000);
                    other.body["bidData"] = json!({ "lastBoostedToken": OTHER });
                }
                change(&mut response, &other);
            }
        }
        Mutation::Instead(_) | Mutation::Delay(_) => panic!("a defect changes what the service answers"),
    }
    seen(&request, response)
}

#[test]
fn every_mutation_changes_a_sample_of_its_path_and_no_other() {
    for layer in [Layer::Node, Layer::Rest, Layer::Swap] {
        let samples = samples(layer);
        for row in rows(layer) {
            let id = row.defect.id;
            let (concerned, others): (Vec<&Sample>, Vec<&Sample>) =
                samples.iter().partition(|sample| row.mutation.concerns(sample.request().path.as_str()));
            let changed =
                |sample: &&Sample| mutated(row, sample) != seen(&sample.request(), sample.response());
            let changes = concerned.iter().filter(|sample| changed(sample)).count();
            assert!(changes > 0, "{id} changes none of its samples");
            assert!(
                matches!(row.mutation, Mutation::Anywhere(_) | Mutation::Lie(..))
                    || others.len() < samples.len(),
                "{id} has no sample"
            );
        }
    }
}

#[test]
fn other_chain_id_leaves_every_other_call_alone() {
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_blockNumber" });
    let sample = post("/", &call, 200, json!({ "jsonrpc": "2.0", "id": 1, "result": "0x10" }));
    let row = rows(Layer::Node).next().unwrap();
    assert_eq!(mutated(row, &sample), seen(&sample.request(), sample.response()));
}
