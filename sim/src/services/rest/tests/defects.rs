//! Every seeded defect shows in some answer, and nothing of it stays when it is off.
use slipway_contracts::ChainId;
use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::Address;
use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use super::{NOW, get, market, platform, send};
use crate::api::{Api, access, referral};
use crate::defect::Defects;
use crate::event::EventKind;
use crate::services::rest::defects::DEFECTS;
use crate::state::script::{ETHER, HOOK, Plan, Script};
use crate::store::Fact;

/// Refers the member.
const REFERRER: Address = Address::repeat_byte(0x91);
const MEMBER: Address = Address::repeat_byte(0x92);

/// Beginnings of the ids of defects that this market cannot show: what is posted has tests of its own, and the auction, the King,
/// quote assets and the first version stand only on a whole platform, where the harness drills them.
const SHOWN_ELSEWHERE: [&str; 11] = [
    "chat-",
    "up-",
    "eoti-",
    "koti-",
    "stocks-",
    "cap-first-version-",
    "cap-stock-",
    "recent-quote-asset-",
    "list-trending-first-version-",
    "list-txcount-first-version-",
    "token-first-version-",
];

/// Requests that between them show every defect.
fn probes(script: &Script, shown: &Value, bearer: &str) -> Vec<Request<Body>> {
    let token = script.launches[7].plan.token;
    let owner = script.launches[0].plan.creator;
    let (progress, market_cap) = (&shown["funding_progress"], &shown["market_cap"]);
    let gets = [
        "/api/tokens".to_owned(),
        "/api/tokens?page=2".into(),
        "/api/tokens?page=9".into(),
        "/api/tokens?page=0".into(),
        "/api/tokens?extra=1".into(),
        "/api/tokens?search=TOKEN".into(),
        "/api/tokens?search=number&status=live".into(),
        "/api/tokens?status=live,funding".into(),
        "/api/tokens?sortBy=oldest".into(),
        "/api/tokens?sortBy=mcap-high".into(),
        "/api/tokens?sortBy=trending&timeframe=1h".into(),
        "/api/tokens?socials=microblog,website".into(),
        format!("/api/tokens?fundingMax={progress}"),
        format!("/api/tokens?marketCapMin={market_cap}"),
        format!("/api/tokens?marketCapMin=0&marketCapMax={market_cap}"),
        "/api/tokens?txCountMin=0&txCountMax=0".into(),
        "/api/tokens?createdTo=2027-01-14T12:00:00Z".into(),
        "/api/tokens?createdTo=soon".into(),
        "/api/tokens?fundingMin=1&fundingMax=0".into(),
        "/api/tokens/by-owner".into(),
        format!("/api/tokens/by-owner?owner={owner}"),
        format!("/api/tokens/by-owner?owner={owner}&limit=101"),
        format!("/api/tokens/by-owner?owner={owner}&sort=volume_24h_desc"),
        format!("/api/tokens/by-owner?owner={}", Address::ZERO),
        format!("/api/tokens/batch?addresses={token}"),
        "/api/tokens/recent-v2".into(),
        "/api/tokens/recent-v2?chainId=1".into(),
        "/api/tokens/recent-v2?chainId=57073".into(),
        "/api/tokens/recent-v2?chainId=57073&limit=51".into(),
        "/api/tokens/recent-v2?chainId=57073&offset=2".into(),
        "/api/tokens/recent-v2?chainId=57073&limit=50".into(),
        format!("/api/token?address={token}"),
        format!("/api/token?address={}", format!("{token:#x}").to_uppercase()),
        format!("/api/token?address={}", script.launches.last().unwrap().plan.token),
        format!("/api/token?address={}", Address::ZERO),
        "/api/token?address=0x12".into(),
        "/api/capabilities".into(),
        "/api/capabilities?chainId=1".into(),
        "/api/capabilities?chainId=57073".into(),
    ];
    let mut seen = Vec::new();
    for target in gets {
        let request = Request::get(target).header("authorization", "junk");
        seen.push(request.body(Body::empty()).unwrap());
    }
    for method in [Method::DELETE, Method::OPTIONS] {
        let request =
            Request::builder().method(method).uri("/api/tokens").header("origin", "https://app.invalid");
        let request = request.header("access-control-request-method", "GET");
        seen.push(request.header("access-control-request-headers", "x-one").body(Body::empty()).unwrap());
    }
    let many: Vec<_> = script.launches.iter().map(|launch| launch.plan.token.to_string()).collect();
    let bodies = [
        ("application/json", json!({ "addresses": many })),
        ("text/plain", json!({ "addresses": [] })),
        ("application/json", json!({ "addresses": vec!["0x"; 51] })),
        ("application/json", json!({ "addresses": [token, "junk"], "extra": 1 })),
        ("application/json", json!({ "addresses": [token], "includeMetrics": false })),
        (
            "application/json",
            json!({ "addresses": [token], "includeHolders": false, "includeSocials": false }),
        ),
    ];
    for (content_type, body) in bodies {
        let request = Request::post("/api/tokens/batch").header("content-type", content_type);
        seen.push(request.body(Body::from(body.to_string())).unwrap());
    }
    seen.extend(referral_probes(bearer));
    seen
}

/// Requests of the referral programme, each limit passed by one.
fn referral_probes(bearer: &str) -> Vec<Request<Body>> {
    let [owner, member] = [REFERRER, MEMBER].map(|wallet| wallet.to_string());
    let read = |target: &str, header: Option<&str>| {
        let mut request = Request::get(target);
        if let Some(header) = header {
            request = request.header("authorization", header);
        }
        request.body(Body::empty()).unwrap()
    };
    let mut seen = vec![
        read("/api/referral/code", Some("Bearer nobody's")),
        read("/api/referral/stats", None),
        read(&format!("/api/referral/stats?address={owner}"), None),
        read(&format!("/api/referral/stats?address={member}"), None),
        read("/api/referral/stats?address=0x0000000000000000000000000000000000000000&period=1h", None),
        read("/api/referral/leaderboard?period=24h", None),
        read("/api/referral/leaderboard?limit=101", None),
        read("/api/leaderboard", None),
        read("/api/leaderboard?limit=101", None),
    ];
    for body in [
        json!({ "referral_code": owner, "wallet_address": owner }),
        json!({ "referral_code": owner, "wallet_address": member }),
    ] {
        seen.extend((0..3).map(|_| {
            let request = Request::post("/api/referral/register").header("content-type", "application/json");
            request.body(Body::from(body.to_string())).unwrap()
        }));
    }
    seen.extend((0..11).map(|_| read("/api/referral/code", Some(bearer))));
    seen.extend((0..31).map(|_| read("/api/referral/stats", Some(bearer))));
    seen.extend((0..30).map(|_| read("/api/referral/leaderboard", None)));
    seen
}

/// Whole answers in order, up to the first that differs from what is expected.
pub(super) async fn answers(
    api: &Arc<Api>,
    savepoint: i64,
    requests: Vec<Request<Body>>,
    expected: &[String],
) -> Vec<String> {
    let mut answers = Vec::new();
    // What the limits have counted is forgotten, so that every run begins alike.
    api.store.rollback_to(savepoint, NOW).await.unwrap();
    for (index, mut request) in requests.into_iter().enumerate() {
        request.headers_mut().insert("x-request-id", "probe".parse().unwrap());
        let answer = send(api, request).await;
        let body = String::from_utf8_lossy(&answer.bytes).into_owned();
        answers.push(format!("{} {:?} {body}", answer.status, answer.headers));
        if expected.get(index).is_some_and(|expected| *expected != answers[index]) {
            break;
        }
    }
    answers
}

#[tokio::test]
async fn every_defect_shows_and_none_stays() {
    let (mut script, _) = market().await;
    let launch = script.launch(Plan { creator: MEMBER, ..Plan::numbered(201, NOW - 150_000) });
    script.buy(launch, MEMBER, ETHER / 3, NOW - 120_000);
    script.buy(launch, MEMBER, 3 * ETHER, NOW - 500);
    script.launch(Plan::numbered(200, NOW - 5));
    script.push(ChainId::PRIMARY.0, NOW, HOOK, EventKind::CreationPaused { paused: true });
    let api = platform(&script).await;
    let token = script.launches[1].plan.token;
    api.state.write().unwrap().apply_fact(&Fact::TokenDisabled { token, disabled: true });
    let shown = get(&api, "/api/tokens").await.json()["tokens"][2].clone();
    let bearer = format!("Bearer {}", access::issue(&api, REFERRER).await.unwrap());
    referral::code(&api, REFERRER).await.unwrap();
    api.state.write().unwrap().apply_fact(&Fact::Referred {
        wallet: MEMBER,
        referrer: REFERRER,
        at: NOW - 200_000,
    });
    api.clock.show(NOW + 9);
    let savepoint = api.store.savepoint().await.unwrap();
    let probed = || probes(&script, &shown, &bearer);
    let sound = answers(&api, savepoint, probed(), &[]).await;
    let elsewhere = |id: &str| SHOWN_ELSEWHERE.iter().any(|prefix| id.starts_with(prefix));
    for defect in DEFECTS.iter().filter(|defect| !elsewhere(defect.id)) {
        api.defects.turn(defect.id, true).unwrap();
        let seen = answers(&api, savepoint, probed(), &sound).await;
        assert!(seen != sound, "{} changes nothing", defect.id);
        api.defects.clear();
    }
    assert!(answers(&api, savepoint, probed(), &sound).await == sound, "a defect stays");
}

#[test]
fn defects_have_ids_of_their_own_and_clauses() {
    let ids: BTreeSet<_> = DEFECTS.iter().map(|defect| defect.id).collect();
    assert_eq!(ids.len(), DEFECTS.len());
    assert!(DEFECTS.iter().all(|defect| !defect.clauses.is_empty() && !defect.summary.is_empty()));
    assert!(Defects::select(ids).is_ok());
}
