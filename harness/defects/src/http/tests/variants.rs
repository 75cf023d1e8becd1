//! Every legal variant of an HTTP service changes an exchange.
use serde_json::json;

use super::*;
use crate::variants::{self, has_no_control_plane};

/// Exchanges that only variants change.
fn variant_samples() -> Vec<Sample> {
    let activity =
        |kind: &str| json!({ "type": kind, "points_earned": 5, "timestamp": "2026-03-04T12:00:00Z" });
    let call = format!("0x38ed1739{}{}", format!("{:064x}", 160).repeat(5), "2".repeat(192));
    let transaction = json!({ "data": call, "gas": "21000", "gasPrice": "1", "value": "0" });
    let quote = json!({ "metadata": { "slippageBps": 10 }, "lpFee": "60000", "transaction": transaction });
    let deployment = json!({ "hook": OTHER, "runtimeHash": "0x01", "startBlock": 3, "v4": { "permit2": OTHER }, "extra": 1 });
    let limited = get("/api/token", 429, json!({ "error": "limit", "retryAfter": 3, "status": 429 }));
    vec![
        limited.answering("x-ratelimit-limit", "30").answering("x-request-id", "1").answering("date", "now"),
        get("/api/koti", 404, refusal(404, "none")).answering("content-type", "application/json"),
        get("/cdn/a.png", 200, Value::Null).answering("cache-control", "public"),
        get("/api/token?address=0xab", 200, token(OTHER, 1.0, "2026-03-04T12:00:00Z"))
            .with("authorization", "junk"),
        get("/api/token?unknown=1", 200, json!({})),
        get("/api/tokens/recent-v2?offset=x", 400, refusal(400, "offset")),
        get("/api/tokens?marketCapMin=1&fundingMin=0.5&txCountMin=1&sortBy=trending&page=x", 200, page()),
        get("/api/tokens?page=9", 200, json!({ "tokens": [], "totalCount": 0, "totalPages": 0 })),
        get(
            "/api/tokens/by-owner?page=9",
            200,
            json!({ "tokens": [], "pagination": { "total": 0, "totalPages": 0 } }),
        ),
        get(
            "/api/capabilities?chainId=57073",
            200,
            json!({
                "flags": { "create": true, "read": true }, "activeCreationDeployment": deployment, "tradeableDeployments": [],
            }),
        ),
        get(
            "/api/referral/stats",
            200,
            json!({ "recent_activity": [activity("milestone"), activity("token_creation")] }),
        ),
        get("/api/tokens", 200, json!({ "tokens": [{ "price_eth": 0.123_456_789_012_345 }] })),
        get(
            "/api/quote",
            200,
            json!({ "executionRate": "14001459512345", "spotRate": "14048243412345", "priceImpact": 0.003_330_232_906 }),
        ),
        get("/api/upload", 200, json!({ "socialHumanProof": "a" }))
            .answering("x-service-image-storage", "local"),
        post("/api/chat", &json!({ "message": "\u{1f600}".repeat(300) }), 200, json!({ "id": "7" })),
        post("/api/referral/register", &json!({}), 200, json!({ "message": "registered" })),
        post("/api/referral/register", &json!({}), 409, refusal(409, "again")),
        get("/api/pairs", 200, json!([{ "pair_address": OTHER, "apr": 1.5 }])),
        get("/api/quote?buildTx=true", 200, quote),
        get("/api/quote?slippage=10.5", 400, refusal(400, "slippage")),
        get("/api/tokens/by-owner?limit=101", 400, refusal(400, "limit")),
        post("/api/chat", &json!({ "senderAddress": OTHER }), 401, refusal(401, "no"))
            .with("authorization", "Bearer key"),
    ]
}

/// Every variant of an HTTP service changes an exchange of a sound one, but for being late.
#[test]
fn every_variant_changes_a_sample() {
    let services = [Layer::Rest, Layer::Swap].map(|layer| (layer, samples(layer)));
    let more = variant_samples();
    let unseen = variants::rows().filter(|row| {
        let of = services.iter().filter(|(layer, _)| row.variant.layers.contains(layer));
        let mut samples = of.flat_map(|(_, samples)| samples).chain(&more);
        !samples.any(|sample| row.mutation.changes(&sample.request(), &sample.response()))
    });
    let unseen =
        unseen.filter(|row| row.variant.layers != [Layer::Node] && !has_no_control_plane(&row.variant));
    let unseen: Vec<&str> = unseen.map(|row| row.variant.id).collect();
    assert!(unseen.is_empty(), "{unseen:?}");
}
