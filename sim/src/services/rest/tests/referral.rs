//! The referral endpoints and the leaderboard, asked in process.
use slipway_contracts::ChainId;
use std::sync::Arc;

use alloy::primitives::Address;
use alloy::signers::SignerSync;
use alloy::signers::local::PrivateKeySigner;
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use super::{Answer, NOW, cause_of_last, get, keys, platform, post, send};
use crate::api::{Api, access};
use crate::event::EventKind;
use crate::state::script::{ETHER, HOOK, Plan, Script};

fn wallet(number: u8) -> Address {
    Address::repeat_byte(number)
}

/// Wallet 1 launches by the address of wallet 9, wallet 2 trades by it, both lately and long ago, and fills the curve.
async fn market() -> Arc<Api> {
    let mut script = Script::default();
    let launch = script.launch(Plan { creator: wallet(1), ..Plan::numbered(1, NOW - 40 * 86_400) });
    let refer = |script: &mut Script, trader, at| {
        let kind = EventKind::Referral { launch_id: 1, trader, referral_code: wallet(9).to_string() };
        script.push(ChainId::PRIMARY.0, at, HOOK, kind);
    };
    refer(&mut script, wallet(1), NOW - 40 * 86_400);
    let mut first = 0;
    let last = script.events.len();
    one_transaction(&mut script, first..last, 1);
    for (number, (gross, age)) in
        (2..).zip([(ETHER / 8, 8 * 86_400), (ETHER / 4, 2 * 86_400), (3 * ETHER, 60)])
    {
        first = script.events.len();
        script.buy(launch, wallet(2), gross, NOW - age);
        refer(&mut script, wallet(2), NOW - age);
        let last = script.events.len();
        one_transaction(&mut script, first..last, number);
    }
    platform(&script).await
}

fn one_transaction(script: &mut Script, range: std::ops::Range<usize>, number: u8) {
    for event in &mut script.events[range] {
        event.transaction = alloy::primitives::B256::repeat_byte(number);
    }
}

async fn get_as(api: &Arc<Api>, target: &str, authorization: &str) -> Answer {
    let request = Request::get(target).header("authorization", authorization);
    send(api, request.body(Body::empty()).unwrap()).await
}

async fn bearer(api: &Arc<Api>, wallet: Address) -> String {
    format!("Bearer {}", access::issue(api, wallet).await.unwrap())
}

async fn register(api: &Arc<Api>, code: &str, wallet: Address) -> Answer {
    let body = json!({ "referral_code": code, "wallet_address": wallet });
    post(api, "/api/referral/register", "application/json", body.to_string()).await
}

#[tokio::test]
async fn stats_hold_what_the_period_holds() {
    let api = market().await;
    let of = async |period: &str| {
        get(&api, &format!("/api/referral/stats?address={}&period={period}", wallet(9))).await.json()
    };
    let filled = 2.0 * 1.0 / 0.98 - 0.375;
    for (period, trading, creation, milestones, active) in [
        ("24h", filled * 10.0, 0.0, 50.0, 2),
        ("7d", (filled + 0.25) * 10.0, 0.0, 50.0, 2),
        ("30d", (filled + 0.375) * 10.0, 0.0, 50.0, 2),
        ("all", (filled + 0.375) * 10.0, 10.0, 50.0, 2),
    ] {
        let body = of(period).await;
        let stats = &body["stats"];
        let near = |field: &str, expected: f64| (stats[field].as_f64().unwrap() - expected).abs() < 1e-9;
        assert!(near("points_from_trading", trading), "{period}: {body}");
        assert!(near("points_from_token_creation", creation), "{period}: {body}");
        assert!(near("points_from_milestones", milestones), "{period}: {body}");
        assert!(near("total_points_earned", trading + creation + milestones), "{period}: {body}");
        assert_eq!((&stats["total_referrals"], &stats["active_referrals"]), (&json!(2), &json!(active)));
    }
    let all = of("all").await;
    assert_eq!(keys(&all), ["recent_activity", "referral_code", "stats", "top_referrals"].into());
    let kinds: Vec<_> =
        all["recent_activity"].as_array().unwrap().iter().map(|one| one["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["milestone", "trade", "trade", "trade", "token_creation"]);
    assert_eq!(all["top_referrals"][0]["address"], wallet(1).to_string());
    assert_eq!(all["top_referrals"][1]["joined_at"], "2027-01-07T08:00:00Z");
    assert_eq!(all["referral_code"], wallet(9).to_string(), "an address until there is a code");
    let nobody = get(&api, &format!("/api/referral/stats?address={}", wallet(7))).await.json();
    assert_eq!(nobody["stats"]["total_points_earned"], 0);
    assert_eq!(nobody["recent_activity"], json!([]));
}

#[tokio::test]
async fn wallet_is_proven_by_token_or_signature() {
    let api = market().await;
    let token = bearer(&api, wallet(9)).await;
    let first = get_as(&api, "/api/referral/code", &token).await;
    assert_eq!(first.status, 200);
    let code = first.json()["code"].as_str().unwrap().to_owned();
    let shown = get_as(&api, "/api/referral/stats", &token).await;
    assert_eq!(
        (shown.json()["referral_code"].as_str(), shown.header("cache-control")),
        (Some(&*code), "private, no-store")
    );
    let signer = PrivateKeySigner::from_slice(&[7; 32]).unwrap();
    let text = format!("Launch platform access\nAddress: {:#x}\nIssued-At: {NOW}", signer.address());
    let signature = signer.sign_message_sync(text.as_bytes()).unwrap();
    let signed = format!("Wallet {:#x}:{NOW}:{signature}", signer.address());
    assert_eq!(get_as(&api, "/api/referral/code", &signed).await.status, 200);
    for (header, cause) in
        [("Bearer x", "access-bearer"), ("Wallet x", "access-wallet-form"), ("junk", "access-scheme")]
    {
        for path in ["/api/referral/code", "/api/referral/stats", "/api/referral/stats?period=24h"] {
            let refused = get_as(&api, path, header).await;
            assert_eq!((refused.status, cause_of_last(&api)), (401, Some(cause)), "{path} {header}");
            assert_eq!(refused.header("www-authenticate"), "Bearer, Wallet");
        }
    }
    assert_eq!(
        (get(&api, "/api/referral/code").await.status, cause_of_last(&api)),
        (401, Some("access-missing"))
    );
    let target = format!("/api/referral/stats?address={}", wallet(9));
    assert_eq!(get_as(&api, &target, "junk").await.json()["referral_code"], code);
}

#[tokio::test]
async fn registrations_are_refused_by_name() {
    let api = market().await;
    let token = bearer(&api, wallet(9)).await;
    let code = get_as(&api, "/api/referral/code", &token).await.json()["code"].as_str().unwrap().to_owned();
    let made = register(&api, &code, wallet(5)).await.json();
    assert_eq!((&made["success"], &made["referrer"]), (&json!(true), &json!(wallet(9))));
    let cases: [(Value, u16, &str); 7] = [
        (json!({ "wallet_address": wallet(6) }), 400, "referral-code"),
        (json!({ "referral_code": code }), 400, "referral-wallet"),
        (json!({ "referral_code": 7, "wallet_address": wallet(6) }), 400, "referral-code"),
        (json!({ "referral_code": code, "wallet_address": "0x12" }), 400, "referral-wallet"),
        (
            json!({ "referral_code": "REF-NOBODYXX", "wallet_address": wallet(6) }),
            404,
            "referral-code-unknown",
        ),
        (json!({ "referral_code": code, "wallet_address": wallet(9) }), 400, "referral-self"),
        (json!({ "referral_code": wallet(8), "wallet_address": wallet(5) }), 409, "referral-registered"),
    ];
    for (body, status, cause) in cases {
        api.clock.show(api.clock.now() + 60);
        let refused = post(&api, "/api/referral/register", "application/json", body.to_string()).await;
        assert_eq!((refused.status, cause_of_last(&api)), (status, Some(cause)), "{body}");
        assert_eq!(refused.header("x-ratelimit-limit"), "5");
    }
}

#[tokio::test]
async fn limits_are_exact_per_key() {
    let api = market().await;
    let (one, two) = (bearer(&api, wallet(1)).await, bearer(&api, wallet(2)).await);
    for left in (0..10).rev() {
        let answer = get_as(&api, "/api/referral/code", &one).await;
        assert_eq!((answer.status, answer.header("x-ratelimit-remaining")), (200, &*left.to_string()));
    }
    let refused = get_as(&api, "/api/referral/code", &one).await;
    assert_eq!((refused.status, cause_of_last(&api)), (429, Some("referral-code-rate")));
    assert_eq!((refused.header("retry-after"), &refused.json()["retryAfter"]), ("60", &json!(60)));
    assert_eq!(get_as(&api, "/api/referral/code", &two).await.status, 200);
    api.clock.show(NOW + 59);
    assert_eq!(get_as(&api, "/api/referral/code", &one).await.status, 429);
    api.clock.show(NOW + 60);
    assert_eq!(get_as(&api, "/api/referral/code", &one).await.status, 200);
    for (target, limit) in
        [("/api/referral/leaderboard", 30), (&*format!("/api/referral/stats?address={}", wallet(1)), 30)]
    {
        for _ in 0..limit {
            assert_eq!(get(&api, target).await.status, 200);
        }
        assert_eq!(get(&api, target).await.status, 429, "{target}");
    }
    assert_eq!(
        get_as(&api, "/api/referral/stats", &one).await.status,
        200,
        "a wallet has a window of its own"
    );
    for number in 0..5 {
        assert_eq!(register(&api, "REF-NOBODYXX", wallet(number)).await.status, 404);
    }
    assert_eq!(register(&api, "REF-NOBODYXX", wallet(7)).await.status, 429);
}

#[tokio::test]
async fn the_boards_are_ranked_and_bounded() {
    let api = market().await;
    let board = get(&api, "/api/leaderboard").await.json();
    let rows = board["leaderboard"].as_array().unwrap();
    let seen: Vec<_> = rows
        .iter()
        .map(|row| (row["rank"].as_u64().unwrap(), row["address"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(seen, [(1, wallet(2).to_string()), (2, wallet(1).to_string()), (3, wallet(9).to_string())]);
    assert_eq!(rows[1]["creation_points"], 100);
    assert_eq!(rows[2]["referral_points"], rows[2]["points"]);
    assert_eq!(board["updated_at"], "2027-01-15T08:00:00Z");
    let one = get(&api, "/api/leaderboard?limit=1").await.json();
    assert_eq!(one["leaderboard"].as_array().unwrap().len(), 1);
    let referrers = get(&api, "/api/referral/leaderboard?period=24h&limit=100").await.json();
    assert_eq!(referrers["leaderboard"][0]["address"], wallet(9).to_string());
    assert_eq!(referrers["leaderboard"][0]["total_referrals"], 2);
    for (target, cause) in [
        ("/api/leaderboard?limit=0", "leaderboard-limit"),
        ("/api/leaderboard?limit=101", "leaderboard-limit"),
        ("/api/referral/leaderboard?limit=101", "referral-limit"),
        ("/api/referral/leaderboard?limit=ten", "referral-limit"),
        ("/api/referral/leaderboard?period=1h", "referral-period"),
        ("/api/referral/stats?address=0x1", "referral-address"),
    ] {
        assert_eq!((get(&api, target).await.status, cause_of_last(&api)), (400, Some(cause)), "{target}");
    }
}
