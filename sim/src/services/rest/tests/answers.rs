//! Shapes, refusals and headers of each endpoint over a small market.
use slipway_contracts::ChainId;
use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::Address;
use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use super::{NOW, ask, batch, cause_of_last, get, keys, market, post, send};
use crate::event::EventKind;
use crate::fact::Fact;
use crate::state::script::HOOK;
use crate::store::RateLimit;

const LIST_FIELDS: &str = "address created_at owner name ticker description image_url market_cap funding_progress \
                           price_eth volume_24h price_change_24h total_holders";
const OWNER_FIELDS: &str = "address created_at owner name ticker description image_url market_cap funding_progress \
                            volume_24h total_holders is_graduated";
const BATCH_FIELDS: &str = "address created_at owner name ticker description image_url market_cap funding_progress \
                            price_eth is_graduated";
const METRICS: &str = "volume_24h price_change_24h txns_24h_buys txns_24h_sells";
const HOLDERS: &str = "total_holders top_10_percentage dev_holding_percentage";
const SOCIALS: &str = "messenger microblog website";

fn words(texts: &[&'static str]) -> BTreeSet<&'static str> {
    texts.iter().flat_map(|text| text.split_whitespace()).collect()
}

#[tokio::test]
async fn every_answer_carries_exactly_its_fields() {
    let (script, api) = market().await;
    let owner = script.launches[0].plan.creator;
    let token = script.launches[3].plan.token;
    let list = get(&api, "/api/tokens").await.json();
    assert_eq!(keys(&list), words(&["tokens totalCount totalPages"]));
    assert_eq!(keys(&list["tokens"][0]), words(&[LIST_FIELDS]));
    let owned = get(&api, &format!("/api/tokens/by-owner?owner={owner}")).await.json();
    assert_eq!(keys(&owned), words(&["tokens pagination"]));
    assert_eq!(owned["pagination"], json!({ "page": 1, "limit": 20, "total": 45, "totalPages": 3 }));
    assert_eq!(keys(&owned["tokens"][0]), words(&[OWNER_FIELDS]));
    for flags in 0..8_u8 {
        let on = |bit: u8| flags & bit != 0;
        let body = json!({ "addresses": [token], "includeMetrics": on(1), "includeHolders": on(2), "includeSocials": on(4) });
        let answer = batch(&api, body).await.json();
        let mut expected = words(&[BATCH_FIELDS]);
        for (bit, fields) in [(1, METRICS), (2, HOLDERS), (4, SOCIALS)] {
            expected.extend(words(&[if on(bit) { fields } else { "" }]));
        }
        assert_eq!(keys(&answer["tokens"][0]), expected, "{flags:03b}");
    }
    let record = get(&api, &format!("/api/token?address={token}")).await.json();
    let launch = "volume_1h price_change_1h txns_1h_buys txns_1h_sells txns_total version chain_id hook_address launch_id \
                  target_raise gain_bps creator_fee_split_bps anti_snipe_seconds start_time transaction_hash \
                  block_number pool quote_asset quote_asset_symbol quote_asset_name quote_asset_decimals \
                  quote_asset_price_eth price_in_asset market_cap_in_asset volume_24h_in_asset volume_1h_in_asset";
    assert_eq!(
        keys(&record),
        words(&[LIST_FIELDS, OWNER_FIELDS, BATCH_FIELDS, METRICS, HOLDERS, SOCIALS, launch])
    );
    let recent = get(&api, "/api/tokens/recent-v2?chainId=4663&limit=50").await.json();
    assert_eq!(keys(&recent), words(&["chainId tokens nextOffset"]));
    let row = recent["tokens"].as_array().unwrap().iter().find(|row| row["address"] == record["address"]);
    assert_eq!(row, Some(&record));
    assert_eq!((&record["website"], &record["messenger"]), (&json!("https://site.invalid/"), &Value::Null));
    assert_eq!(record["target_raise"], "2000000000000000000");
}

#[tokio::test]
async fn epoch_without_winner_still_reports_the_auction() {
    let (_, api) = market().await;
    let plain = get(&api, "/api/eoti").await;
    assert_eq!((plain.status, plain.json().get("bidData")), (404, None));
    let answer = get(&api, "/api/eoti?includeBidData=true").await;
    let body = answer.json();
    assert_eq!((answer.status, cause_of_last(&api)), (404, Some("eoti-none")));
    assert_eq!((&body["error"], &body["status"]), (&plain.json()["error"], &json!(404)));
    assert!(body["bidData"]["currentBid"].is_string(), "{body}");
}

#[tokio::test]
async fn equivalent_spellings_are_read_alike() {
    let (script, api) = market().await;
    let owner = script.launches[0].plan.creator;
    for (spelling, plain) in [
        ("/api/tokens?page=&search=&status=&sortBy=&createdTo=", "/api/tokens"),
        ("/api/tokens?page=1.0", "/api/tokens?page=1"),
        ("/api/tokens?status=live,", "/api/tokens?status=live"),
        ("/api/tokens?status=%20funding%20,,live", "/api/tokens?status=live,funding"),
        ("/api/tokens?socials=,", "/api/tokens"),
        ("/api/tokens?createdTo=9999-12-31", "/api/tokens"),
        ("/api/tokens?createdFrom=1970-01-01t00:00:00z", "/api/tokens"),
        ("/api/tokens?search=%00", "/api/tokens?search=no-token-has-this"),
        ("/api/tokens/recent-v2?chainId=57073&limit=50.0", "/api/tokens/recent-v2?chainId=57073&limit=50"),
    ] {
        assert_eq!(get(&api, spelling).await.json(), get(&api, plain).await.json(), "{spelling}");
    }
    let by_owner = |flag: &str| format!("/api/tokens/by-owner?owner={owner}&includeInactive={flag}");
    for (spelling, plain) in
        [("TRUE", "true"), ("1", "true"), ("False", "false"), ("0", "false"), ("", "false")]
    {
        let read = get(&api, &by_owner(spelling)).await.json();
        assert_eq!(read, get(&api, &by_owner(plain)).await.json(), "{spelling}");
    }
}

#[tokio::test]
async fn bad_input_names_the_field_and_journals_the_rule() {
    let (script, api) = market().await;
    let token = script.launches[0].plan.token;
    let list = [
        ("page=0", "list-page"),
        ("page=-1", "list-page"),
        ("page=1.5", "list-page"),
        ("page=99999999999999999999999", "list-page"),
        ("page=1&page=2", "query-repeated"),
        ("status=open", "list-status"),
        ("status=live,dead", "list-status"),
        ("status=LIVE", "list-status"),
        ("sortBy=best", "list-sort"),
        ("timeframe=2h", "list-timeframe"),
        ("socials=fax", "list-socials"),
        ("fundingMin=1.1", "list-funding"),
        ("fundingMax=-0.1", "list-funding"),
        ("fundingMin=NaN", "list-funding"),
        ("marketCapMin=-1", "list-market-cap"),
        ("marketCapMax=1e400", "list-market-cap"),
        ("txCountMin=1.5", "list-tx-count"),
        ("txCountMax=x", "list-tx-count"),
        ("createdFrom=2026-02-30", "list-created"),
        ("createdTo=soon", "list-created"),
        ("fundingMin=0.6&fundingMax=0.5", "list-range"),
        ("txCountMin=2&txCountMax=1", "list-range"),
        ("marketCapMin=0.1000000000000000000000001&marketCapMax=0.1", "list-range"),
        ("createdFrom=2026-01-02&createdTo=2026-01-01", "list-range"),
        ("createdTo=10000-01-01", "list-created"),
        ("search=%ff", "query-encoding"),
        ("search=%g0", "query-encoding"),
    ];
    let owner = format!("owner={token}");
    let others = [
        ("/api/tokens/by-owner".to_owned(), "owner-owner"),
        ("/api/tokens/by-owner?owner=0x12".to_owned(), "owner-owner"),
        (format!("/api/tokens/by-owner?{owner}&limit=101"), "owner-limit"),
        (format!("/api/tokens/by-owner?{owner}&limit=0"), "owner-limit"),
        (format!("/api/tokens/by-owner?{owner}&page=0"), "owner-page"),
        (format!("/api/tokens/by-owner?{owner}&sort=price"), "owner-sort"),
        (format!("/api/tokens/by-owner?{owner}&includeInactive=yes"), "owner-inactive"),
        ("/api/tokens/batch".to_owned(), "batch-addresses"),
        (format!("/api/tokens/batch?addresses={}", vec!["x"; 51].join(",")), "batch-max"),
        ("/api/tokens/recent-v2".to_owned(), "recent-chain"),
        ("/api/tokens/recent-v2?chainId=1".to_owned(), "recent-chain"),
        ("/api/tokens/recent-v2?chainId=4663&limit=51".to_owned(), "recent-limit"),
        ("/api/tokens/recent-v2?chainId=4663&limit=0".to_owned(), "recent-limit"),
        ("/api/tokens/recent-v2?chainId=4663&offset=-1".to_owned(), "recent-offset"),
        ("/api/token".to_owned(), "token-address"),
        (format!("/api/token?address={token}0"), "token-address"),
        ("/api/capabilities".to_owned(), "capabilities-chain"),
        ("/api/capabilities?chainId=x".to_owned(), "capabilities-chain"),
    ];
    let list = list.map(|(query, cause)| (format!("/api/tokens?{query}"), cause));
    for (target, cause) in list.into_iter().chain(others) {
        let answer = get(&api, &target).await;
        let body = answer.json();
        assert_eq!((answer.status, cause_of_last(&api)), (400, Some(cause)), "{target}: {body}");
        assert_eq!(
            (&body["status"], answer.header("content-type")),
            (&json!(400), "application/json"),
            "{target}"
        );
        assert!(body["error"].is_string() && !body.to_string().contains("list-"), "{target}: {body}");
    }
    let long = get(&api, &format!("/api/tokens?search={}", "a".repeat(20_000))).await;
    assert_eq!((long.status, cause_of_last(&api)), (414, Some("url-length")));
    let unknown = get(&api, &format!("/api/token?address={}", Address::repeat_byte(9))).await;
    assert_eq!((unknown.status, cause_of_last(&api)), (404, Some("token-unknown")));
}

#[tokio::test]
async fn a_batch_reads_its_body_strictly() {
    let (script, api) = market().await;
    let token = script.launches[0].plan.token;
    let json_type = "application/json";
    let addresses = |count: usize| json!({ "addresses": vec![token.to_string(); count] }).to_string();
    let cases = [
        (json_type, "{".to_owned(), 400, Some("body-json")),
        (json_type, "[]".to_owned(), 400, Some("body-json")),
        (json_type, String::new(), 400, Some("body-json")),
        (json_type, "{}".to_owned(), 400, Some("batch-addresses")),
        (json_type, r#"{"addresses":"0x"}"#.to_owned(), 400, Some("batch-addresses")),
        (json_type, r#"{"addresses":[1]}"#.to_owned(), 400, Some("batch-addresses")),
        (json_type, r#"{"addresses":[],"includeHolders":"no"}"#.to_owned(), 400, Some("batch-include")),
        (json_type, addresses(51), 400, Some("batch-max")),
        (json_type, addresses(50), 200, None),
        (json_type, r#"{"addresses":[]}"#.to_owned(), 200, None),
        ("application/json; charset=utf-8", addresses(1), 200, None),
        ("text/plain", addresses(1), 415, Some("body-content-type")),
        (json_type, format!("{{\"x\":\"{}\"}}", "y".repeat(70_000)), 413, Some("body-size")),
        (json_type, "[".repeat(60_000), 400, Some("body-json")),
    ];
    for (content_type, body, status, cause) in cases {
        let answer = post(&api, "/api/tokens/batch", content_type, body.clone()).await;
        let excerpt: String = body.chars().take(80).collect();
        assert_eq!((answer.status, cause_of_last(&api)), (status, cause), "{excerpt}");
    }
}

#[tokio::test]
async fn batch_deduplicates_addresses() {
    let (script, api) = market().await;
    let token = |number: usize| script.launches[number].plan.token;
    let upper = format!("{:#x}", token(1)).to_uppercase();
    let unknown = "0x00000000000000000000000000000000000000aB";
    let sent =
        [&upper, &token(2).to_string(), &format!("{:#x}", token(1)), unknown, "junk", "junk", "", "0x"];
    let answer = batch(&api, json!({ "addresses": sent })).await.json();
    let found: Vec<_> =
        answer["tokens"].as_array().unwrap().iter().map(|token| token["address"].clone()).collect();
    assert_eq!(found, [json!(token(1).to_string()), json!(token(2).to_string())]);
    assert_eq!((&answer["notFound"], &answer["errors"]), (&json!([unknown, "junk", "", "0x"]), &json!([])));
    let listed = format!("{upper},{},{unknown},junk", token(2));
    let by_get = get(&api, &format!("/api/tokens/batch?addresses={listed}")).await.json();
    assert_eq!(by_get["tokens"], answer["tokens"]);
}

#[tokio::test]
async fn recent_launches_are_newest_first() {
    let (script, api) = market().await;
    let mut seen = Vec::new();
    let mut offset = json!(0);
    while !offset.is_null() {
        let body =
            get(&api, &format!("/api/tokens/recent-v2?chainId=57073&limit=7&offset={offset}")).await.json();
        seen.extend(
            body["tokens"].as_array().unwrap().iter().map(|token| token["launch_id"].as_u64().unwrap()),
        );
        offset = body["nextOffset"].clone();
    }
    let mut expected: Vec<_> = (0..45).filter(|number| number % 3 != 0).collect();
    expected.sort_by_key(|&number| std::cmp::Reverse(script.birth(number)));
    assert_eq!(seen, expected.iter().map(|&number| script.launches[number].launch_id).collect::<Vec<_>>());
}

#[tokio::test]
async fn disabled_token_is_unlisted_but_readable() {
    let (script, api) = market().await;
    let token = script.launches[4].plan.token;
    api.state.write().unwrap().apply_fact(&Fact::TokenDisabled { token, disabled: true });
    let total = |body: Value, path: &str| body.pointer(path).unwrap().clone();
    let owner = script.launches[4].plan.creator;
    let by_owner = format!("/api/tokens/by-owner?owner={owner}");
    assert_eq!(total(get(&api, "/api/tokens").await.json(), "/totalCount"), 44);
    assert_eq!(total(get(&api, &by_owner).await.json(), "/pagination/total"), 44);
    let all = get(&api, &format!("{by_owner}&includeInactive=true")).await.json();
    assert_eq!(total(all, "/pagination/total"), 45);
    let recent = get(&api, "/api/tokens/recent-v2?chainId=57073&limit=50").await.json();
    assert_eq!(recent["tokens"].as_array().unwrap().len(), 29);
    assert_eq!(get(&api, &format!("/api/token?address={token}")).await.status, 200);
}

#[tokio::test]
async fn capabilities_follow_a_pause() {
    let (mut script, api) = market().await;
    let answer = get(&api, "/api/capabilities?chainId=57073").await;
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let body = answer.json();
    assert_eq!(
        keys(&body),
        words(&[
            "chainId releaseCommit capabilityRevision flags activeCreationDeployment tradeableDeployments emperorAuction"
        ])
    );
    assert_eq!(
        (&body["flags"]["create"], &body["activeCreationDeployment"]["status"]),
        (&json!(true), &json!("active"))
    );
    script.push(ChainId::PRIMARY.0, NOW, HOOK, EventKind::CreationPaused { paused: true });
    api.state.write().unwrap().apply(script.events.last().unwrap());
    let body = get(&api, "/api/capabilities?chainId=57073").await.json();
    assert_eq!(
        (&body["flags"]["create"], &body["activeCreationDeployment"]["status"]),
        (&json!(false), &json!("paused"))
    );
    let other = get(&api, "/api/capabilities?chainId=4663").await.json();
    assert_eq!(other["flags"]["create"], true);
}

#[tokio::test]
async fn methods_paths_and_origins_follow_http() {
    let (_, api) = market().await;
    let wrong = ask(&api, Method::DELETE, "/api/tokens").await;
    assert_eq!((wrong.status, wrong.header("allow")), (405, "GET, HEAD, OPTIONS"));
    assert_eq!((wrong.json()["status"].clone(), cause_of_last(&api)), (json!(405), Some("method")));
    let lost = get(&api, "/api/tokens/").await;
    assert_eq!((lost.status, lost.json()["status"].clone()), (404, json!(404)));
    let options = ask(&api, Method::OPTIONS, "/api/tokens/batch").await;
    assert_eq!((options.status, options.header("allow")), (204, "GET, HEAD, POST, OPTIONS"));
    let head = ask(&api, Method::HEAD, "/api/tokens").await;
    assert_eq!((head.status, head.bytes.len(), head.header("content-type")), (200, 0, "application/json"));

    let preflight = Request::options("/api/tokens/batch")
        .header("origin", "https://app.invalid")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type");
    let preflight = send(&api, preflight.body(Body::empty()).unwrap()).await;
    assert_eq!(preflight.status, 204);
    assert_eq!(preflight.header("access-control-allow-methods"), "GET, HEAD, POST, OPTIONS");
    assert_eq!(preflight.header("access-control-allow-headers"), "content-type");
    assert_eq!(preflight.header("access-control-allow-origin"), "*");

    let request =
        Request::get("/api/tokens?extra=1").header("authorization", "junk").header("x-request-id", "abc-1");
    let answer = send(&api, request.header("accept-encoding", "gzip").body(Body::empty()).unwrap()).await;
    assert_eq!((answer.status, answer.header("content-encoding")), (200, "gzip"));
    assert_eq!((answer.header("x-request-id"), answer.header("x-ratelimit-limit")), ("abc-1", ""));
    assert!(api.journal.after(0).0.last().unwrap().request_id == *"abc-1");
}

#[tokio::test]
async fn standard_limit_counts_per_address() {
    let (_, mut api) = market().await;
    Arc::get_mut(&mut api).unwrap().standard_limit =
        Some(RateLimit { name: "standard-limit", limit: 2, span: 60 });
    for (status, remaining) in [(200, "1"), (404, "0"), (429, "0")] {
        let target = if status == 404 {
            format!("/api/token?address={}", Address::ZERO)
        } else {
            "/api/tokens".to_owned()
        };
        let answer = get(&api, &target).await;
        assert_eq!((answer.status, answer.header("x-ratelimit-remaining")), (status, remaining));
        assert_eq!(answer.header("x-ratelimit-reset"), (NOW + 60).to_string());
    }
    let refused = get(&api, "/api/tokens").await;
    assert_eq!((refused.header("retry-after"), &refused.json()["retryAfter"]), ("60", &json!(60)));
    assert_eq!(cause_of_last(&api), Some("standard-limit"));
    let head = Request::head("/api/tokens").body(Body::empty()).unwrap();
    assert_eq!(send(&api, head).await.status, 429);
    let preflight = Request::options("/api/tokens").body(Body::empty()).unwrap();
    assert_ne!(send(&api, preflight).await.status, 429);
}

#[tokio::test]
async fn operations_with_a_limit_of_their_own_have_no_other() {
    let (_, mut api) = market().await;
    Arc::get_mut(&mut api).unwrap().standard_limit =
        Some(RateLimit { name: "standard-limit", limit: 1, span: 60 });
    // A refusal counts like any other answer.
    for (status, limit) in [(404, "1"), (429, "1")] {
        let answer = get(&api, "/api/chat?tokenAddress=0x0000000000000000000000000000000000000001").await;
        assert_eq!((answer.status, answer.header("x-ratelimit-limit")), (status, limit));
    }
    let board = get(&api, "/api/referral/leaderboard").await;
    assert_eq!((board.status, board.header("x-ratelimit-limit")), (200, "30"));
    let written = post(&api, "/api/chat", "application/json", "{}").await;
    assert_ne!(written.status, 429);
}

#[tokio::test]
async fn displayed_figure_is_an_inclusive_bound() {
    let (_, api) = market().await;
    let page = get(&api, "/api/tokens?sortBy=mcap-high").await.json();
    for token in page["tokens"].as_array().unwrap() {
        for (field, name) in [("market_cap", "marketCap"), ("funding_progress", "funding")] {
            let shown = token[field].as_f64().unwrap();
            for text in [shown.to_string(), format!("{shown:e}"), token[field].to_string()] {
                let target = format!("/api/tokens?{name}Min={text}&{name}Max={text}");
                let body = get(&api, &target).await.json();
                let found = body["tokens"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .any(|other| other["address"] == token["address"]);
                assert!(found, "{target}");
            }
        }
    }
}

#[tokio::test]
async fn list_is_paginated() {
    let (script, api) = market().await;
    let mut seen = Vec::new();
    for page in 1..=3 {
        let answer = get(&api, &format!("/api/tokens?page={page}")).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
        let body = answer.json();
        assert_eq!((&body["totalCount"], &body["totalPages"]), (&45.into(), &3.into()));
        for token in body["tokens"].as_array().unwrap() {
            seen.push(token["address"].as_str().unwrap().to_owned());
        }
    }
    let mut expected: Vec<_> = (0..45).collect();
    expected.sort_by_key(|&number| std::cmp::Reverse(script.birth(number)));
    let expected: Vec<_> =
        expected.iter().map(|&number| script.launches[number].plan.token.to_string()).collect();
    assert_eq!(seen, expected);
    let past = get(&api, "/api/tokens?page=9007199254740991").await.json();
    assert_eq!(past["tokens"], Value::Array(Vec::new()));
}
