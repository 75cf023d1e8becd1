//! A swap and a bid made by a browser, and why a page sends nothing.
use alloy::primitives::U256;
use serde_json::json;

use super::driver::{Browser, Key};
use super::{Site, ended, opened};

/// Sends the form of the page by the keyboard, and waits until it is done.
async fn sent(browser: &Browser) {
    browser.until("document.getElementById('quote').dataset.call !== undefined").await;
    browser.value("document.querySelector('#order [type=submit]').focus()").await;
    browser.press(Key::Enter).await;
    browser.until("/^(Done|Not done)/.test(document.getElementById('outcome').textContent)").await;
    assert!(browser.text("#outcome").await.starts_with("Done"), "{}", browser.text("#outcome").await);
}

/// What the first account has of a token of the exchange.
async fn balance(site: &Site, token: &str) -> U256 {
    let account = site.ready["accounts"][0]["address"].as_str().unwrap();
    let data = format!("0x70a08231{:0>64}", account.trim_start_matches("0x"));
    let answer = site.call(0, "eth_call", json!([{ "to": token, "data": data }, "latest"])).await;
    answer["result"].as_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_browser_swaps_there_and_back() {
    let Some((site, browser)) = opened(&[]).await else { return };
    browser.open_live(&site.page("/exchange")).await;
    let side = |name: &str| format!("document.querySelector('select[name={name}]').value");
    let token = browser.value(&side("tokenOut")).await.as_str().unwrap().to_owned();
    let ether = browser.value(&side("tokenIn")).await;
    assert_eq!(ether, "0x0000000000000000000000000000000000000000");
    assert_ne!(ether, token, "the two sides differ at first");
    let before = balance(&site, &token).await;
    // More than the account has is refused before the click, with the amount that it has.
    browser.fill("input[name=amount]", "20000").await;
    browser.until("/only$/.test(document.querySelector('#quote .warning')?.textContent ?? '')").await;
    assert_eq!(browser.value("document.getElementById('quote').dataset.call ?? null").await, json!(null));
    browser.fill("input[name=amount]", "0.01").await;
    browser.until("document.getElementById('quote').dataset.call !== undefined").await;
    assert!(browser.value("document.querySelectorAll('#quote .route li').length").await.as_u64() > Some(1));
    let least = browser.value("document.querySelector('#least data').value").await;
    let least = U256::from_str_radix(least.as_str().unwrap(), 10).unwrap();
    sent(&browser).await;
    let bought = balance(&site, &token).await - before;
    assert!(bought >= least && !least.is_zero(), "{bought} {least}");
    // Back again: the router is approved first.
    browser.open_live(browser.value("document.getElementById('turn').href").await.as_str().unwrap()).await;
    assert_eq!(browser.value(&side("tokenIn")).await, token);
    assert_eq!(browser.value(&side("tokenOut")).await, ether);
    browser.fill("input[name=amount]", "1").await;
    browser.until("document.getElementById('quote').dataset.name === 'Approval'").await;
    sent(&browser).await;
    assert_eq!(browser.value("document.querySelectorAll('#steps .done').length").await, 2);
    assert!(balance(&site, &token).await < before + bought);
    // The page of the pair that was traded shows the swap.
    browser
        .open_live(browser.value("document.querySelector('#pairs th a').href").await.as_str().unwrap())
        .await;
    browser.until("document.querySelector('#reserves data') !== null").await;
    ended(site, browser).await;
}

#[tokio::test]
async fn a_browser_bids_for_the_next_day() {
    let Some((site, browser)) = opened(&["--clock", "fixed"]).await else { return };
    // A day that nobody has won yet.
    site.order("/_sim/clock/advance", &json!({ "seconds": 86_400 })).await;
    let token = site.launch("Crowned", "1", "0.01").await;
    browser.open_live(&site.page("/auction")).await;
    let bid = |data: &str| format!("document.querySelectorAll('#emperors {data}').length");
    let before = browser.value(&bid("tbody tr")).await.as_u64().unwrap();
    // A token that no contract of the platform has launched is refused by the contract's error.
    browser.fill("input[name=token]", "0x00000000000000000000000000000000000000aa").await;
    browser.until("document.querySelector('#quote .warning')?.textContent.includes('UnknownToken')").await;
    browser.fill("input[name=token]", &token).await;
    sent(&browser).await;
    browser.until(&format!("{} === {}", bid("tbody tr"), before + 1)).await;
    assert!(browser.text("#emperors tbody tr").await.contains("Crowned"));
    // The day is won: another bid is refused before the click.
    browser.until("document.querySelector('#quote .warning')?.textContent.includes('EpochTaken')").await;
    ended(site, browser).await;
}

#[tokio::test]
async fn points_and_referrals_have_pages() {
    let Some((site, browser)) = opened(&[]).await else { return };
    let answer = site.get("/api/leaderboard?limit=100").await.json().unwrap();
    let rows = answer["leaderboard"].as_array().unwrap();
    assert!(!rows.is_empty());
    browser.open_live(&site.page("/leaderboard")).await;
    assert_eq!(browser.value("document.querySelectorAll('#leaders tbody tr').length").await, rows.len());
    browser.click("#leaders tbody a").await;
    browser.until("document.querySelector('#referral a') !== null").await;
    browser.click("#referral a").await;
    browser.until("document.getElementById('code') !== null").await;
    let address = rows[0]["address"].as_str().unwrap();
    let stats = site.get(&format!("/api/referral/stats?address={address}")).await.json().unwrap();
    let code = browser.value("document.querySelector('#code button').title").await;
    assert_eq!(code, stats["referral_code"]);
    browser.open_live(&site.page(&format!("/referral?address={address}&period=24h"))).await;
    assert_eq!(browser.value("document.querySelector('#periods [aria-current]').textContent").await, "24 h");
    ended(site, browser).await;
}
