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
async fn a_browser_launches_the_token_that_it_previews() {
    let Some((site, browser)) = opened(&["--clock", "fixed"]).await else { return };
    browser.open_live(&site.page("/create")).await;
    let warned = |text: &str| {
        format!("(document.querySelector('#quote .warning')?.textContent.includes('{text}') ?? false)")
    };
    let unsent = "document.getElementById('quote').dataset.call === undefined";
    assert_eq!(browser.text("#quote").await, "Still to fill in: name, ticker, description, image.");
    for (name, text) in [
        ("name", "Previewed"),
        ("ticker", "PRV"),
        ("description", "A token of a form"),
        ("imageUrl", "https://images.slipway.dev/a.png"),
        ("website", "https://slipway.dev"),
        ("curveGainMultiplier", "21"),
        ("creatorFeeSplitBps", "2500"),
        ("referralCode", "code-1"),
    ] {
        browser.fill(&format!("#order [name={name}]"), text).await;
    }
    // The preview follows the fields: a quarter of the variable percent, and the whole curve from the contract's formula.
    browser.until("document.querySelector('#creator').textContent === '0.25 %'").await;
    browser.until("document.querySelector('#sale').textContent === '65.62 %'").await;
    // What is out of bounds is refused before the click, by the name of its field, and the curve is not drawn.
    browser.fill("#order [name=targetRaiseEth]", "6").await;
    browser.until(&format!("{} && {unsent}", warned("Target raise must be"))).await;
    browser.until("document.querySelector('#preview svg') === null").await;
    browser.fill("#order [name=targetRaiseEth]", "2").await;
    browser.fill("#order [name=prebuyEth]", "3").await;
    browser.until(&format!("{} && {unsent}", warned("Buy at once must be at most the target raise"))).await;
    browser.fill("#order [name=prebuyEth]", "0.5").await;
    browser.until("document.querySelector('#pays data')?.value === '500000000000000000'").await;
    // What the contract refuses is named before the click too.
    site.order_by("PUT", "/_sim/creation-paused?chainId=57073", &json!({})).await;
    browser.fill("#order [name=ticker]", "PREV").await;
    browser.until(&format!("{} && {unsent}", warned("CreationIsPaused"))).await;
    site.order_by("DELETE", "/_sim/creation-paused?chainId=57073", &json!({})).await;
    browser.fill("#order [name=ticker]", "PRV").await;
    browser.until("document.getElementById('quote').dataset.call !== undefined").await;
    let previewed = browser.value("document.querySelector('#preview #sold').value").await;
    sent(&browser).await;
    browser.until("document.querySelectorAll('#outcome a').length === 2").await;
    browser.click("#outcome a:last-of-type").await;
    browser.until("location.pathname.startsWith('/trade/') && document.querySelector('h1') !== null").await;
    assert!(browser.text("h1").await.contains("Previewed"));
    // The chain has the token as it was typed, at the point of the curve that was previewed.
    let address = browser.value("location.pathname.split('/')[2]").await;
    let record = site.get(&format!("/api/token?address={}", address.as_str().unwrap())).await.json().unwrap();
    for (name, value) in [
        ("ticker", json!("PRV")),
        ("description", json!("A token of a form")),
        ("image_url", json!("https://images.slipway.dev/a.png")),
        ("website", json!("https://slipway.dev")),
        ("target_raise", json!("2000000000000000000")),
        ("gain_bps", json!(200_000)),
        ("creator_fee_split_bps", json!(2_500)),
        ("owner", site.ready["accounts"][0]["address"].clone()),
    ] {
        assert_eq!(record[name], value, "{name}");
    }
    let owner = site.ready["accounts"][0]["address"].as_str().unwrap();
    let data = format!("0x70a08231{:0>64}", owner.trim_start_matches("0x"));
    let held = site.rpc("eth_call", json!([{ "to": address, "data": data }, "latest"])).await;
    let held: U256 = held.as_str().unwrap().parse().unwrap();
    assert_eq!(previewed, held.to_string());
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
