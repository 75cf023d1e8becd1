//! A swap and a bid made in a browser, and the reasons why a page refuses to send.
use alloy::primitives::U256;
use serde_json::{Value, json};

use super::driver::{Browser, Key};
use super::{Site, ended, opened};

/// The required texts of a launch.
const TEXTS: [(&str, &str); 3] =
    [("name", "Previewed"), ("ticker", "PRV"), ("description", "A token of a form")];

/// Whether the page's form refuses to send.
const UNSENT: &str = "document.getElementById('quote').dataset.call === undefined";

/// Whether the button that sends is disabled.
const DISABLED: &str = "document.querySelector('#order [type=submit]').disabled";

/// Whether a field of the page's form has a warning with this text.
fn wrong(field: &str, text: &str) -> String {
    format!("(document.getElementById('wrong-{field}').textContent.includes('{text}'))")
}

/// Whether the page's form has a warning with this text.
fn warned(text: &str) -> String {
    format!("(document.querySelector('#quote .warning')?.textContent.includes('{text}') ?? false)")
}

async fn filled(browser: &Browser, fields: &[(&str, &str)]) {
    for (name, text) in fields {
        browser.fill(&format!("#order [name={name}]"), text).await;
    }
}

/// The record of the launched token, after following the link of the outcome to its page.
async fn launched(site: &Site, browser: &Browser) -> Value {
    browser.until("document.querySelectorAll('#outcome a').length === 2").await;
    browser.click("#outcome a:last-of-type").await;
    browser.until("location.pathname.startsWith('/trade/') && document.querySelector('h1') !== null").await;
    assert!(browser.text("h1").await.contains("Previewed"));
    let address = browser.value("location.pathname.split('/')[2]").await;
    let chain = browser.value("new URLSearchParams(location.search).get('chainId')").await;
    let [address, chain] = [&address, &chain].map(|value| value.as_str().unwrap());
    let path = format!("/api/token?address={address}&chainId={chain}");
    site.get(&path).await.json().unwrap()
}

/// Sends the page's form by keyboard, waits until it is done, and answers what the page says was done.
pub(super) async fn sent(browser: &Browser) -> String {
    browser.until("document.getElementById('quote').dataset.call !== undefined").await;
    browser.value("document.querySelector('#order [type=submit]').focus()").await;
    browser.press(Key::Enter).await;
    browser.until("document.getElementById('outcome').textContent !== ''").await;
    let outcome = browser.text("#outcome").await;
    assert!(!outcome.starts_with("Not done"), "{outcome}");
    outcome
}

/// An account's balance of a token; chain and account are given by their places in the ready line.
async fn held(site: &Site, chain: usize, account: usize, token: &str) -> U256 {
    let account = site.ready["accounts"][account]["address"].as_str().unwrap();
    let data = format!("0x70a08231{:0>64}", account.trim_start_matches("0x"));
    let answer = site.call(chain, "eth_call", json!([{ "to": token, "data": data }, "latest"])).await;
    answer["result"].as_str().unwrap().parse().unwrap()
}

/// The first account's balance of a token of the exchange.
async fn balance(site: &Site, token: &str) -> U256 {
    held(site, 0, 0, token).await
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
    // An amount above the account's balance is refused before the click, and the balance is shown.
    browser.fill("input[name=amount]", "20000").await;
    browser.until("/only$/.test(document.querySelector('#quote .warning')?.textContent ?? '')").await;
    assert_eq!(browser.value("document.getElementById('quote').dataset.call ?? null").await, json!(null));
    browser.fill("input[name=amount]", "0.01").await;
    browser.until("document.getElementById('quote').dataset.call !== undefined").await;
    assert!(browser.value("document.querySelectorAll('#quote .route li').length").await.as_u64() > Some(1));
    let least = browser.value("document.querySelector('#least data').value").await;
    let least = U256::from_str_radix(least.as_str().unwrap(), 10).unwrap();
    let outcome = sent(&browser).await;
    assert!(outcome.starts_with("Swapped 0.01 ETH for "), "{outcome}");
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
    // The page of the traded pair shows the swap.
    browser
        .open_live(browser.value("document.querySelector('#pairs th a').href").await.as_str().unwrap())
        .await;
    browser.until("document.querySelector('#reserves data') !== null").await;
    ended(site, browser).await;
}

#[tokio::test]
async fn a_browser_bids_for_the_next_day() {
    let Some((site, browser)) = opened(&["--clock", "fixed"]).await else { return };
    // A day without a winner yet.
    site.order("/_sim/clock/advance", &json!({ "seconds": 86_400 })).await;
    let token = site.launch("Crowned", "1", "0.01").await;
    browser.open_live(&site.page("/auction")).await;
    let bid = |data: &str| format!("document.querySelectorAll('#emperors {data}').length");
    let before = browser.value(&bid("tbody tr")).await.as_u64().unwrap();
    // A token that no contract of the platform launched is refused with the contract's error.
    browser.fill("input[name=token]", "0x00000000000000000000000000000000000000aa").await;
    browser.until("document.querySelector('#quote .warning')?.textContent.includes('UnknownToken')").await;
    browser.fill("input[name=token]", &token).await;
    let outcome = sent(&browser).await;
    assert!(outcome.starts_with("Bid for Crowned: "), "{outcome}");
    browser.until(&format!("{} === {}", bid("tbody tr"), before + 1)).await;
    assert!(browser.text("#emperors tbody tr").await.contains("Crowned"));
    // The day is won, and no bid can be sent: the form says by which token, and not that the contract refuses.
    browser.until("document.getElementById('won')?.textContent === 'Tomorrow is won by Crowned.'").await;
    browser
        .until(&format!("document.querySelector('#quote .warning') === null && {UNSENT} && {DISABLED}"))
        .await;
    ended(site, browser).await;
}

#[tokio::test]
async fn a_browser_launches_the_token_that_it_previews() {
    let Some((site, browser)) = opened(&["--clock", "fixed"]).await else { return };
    browser.open_live(&site.page("/create")).await;
    assert_eq!(browser.text("#quote").await, "Still to fill in: name, ticker, description.");
    filled(&browser, &TEXTS).await;
    let choices = [
        ("imageUrl", "https://images.slipway.dev/a.png"),
        ("website", "https://slipway.dev"),
        ("curveGainMultiplier", "21"),
        ("creatorFeeSplitBps", "2500"),
        ("referralCode", "code-1"),
    ];
    filled(&browser, &choices).await;
    // The preview follows the fields: a quarter of the variable percent, and the whole curve from the contract's formula.
    browser.until("document.querySelector('#creator').textContent === '0.25 %'").await;
    browser.until("document.querySelector('#sale').textContent === '65.62 %'").await;
    // A value out of bounds is refused before the click with the name of its field, and the curve is not drawn.
    browser.fill("#order [name=targetRaiseEth]", "6").await;
    browser
        .until(&format!(
            "{} && {UNSENT} && {DISABLED}",
            wrong("targetRaiseEth", "must be a number from 1 to 5")
        ))
        .await;
    browser.until("document.querySelector('#preview svg') === null").await;
    // The error moves no field of its row out of line.
    let top =
        |name: &str| format!("document.querySelector('#order [name={name}]').getBoundingClientRect().top");
    browser.until(&format!("{} === {}", top("targetRaiseEth"), top("prebuyEth"))).await;
    browser.fill("#order [name=targetRaiseEth]", "2").await;
    browser.fill("#order [name=prebuyEth]", "3").await;
    browser.until(&format!("{} && {UNSENT}", wrong("prebuyEth", "must be at most the target raise"))).await;
    assert_eq!(browser.text("#wrong-targetRaiseEth").await, "");
    browser.fill("#order [name=prebuyEth]", "0.5").await;
    browser.until("document.querySelector('#pays data')?.value === '500000000000000000'").await;
    // A refusal by the contract is also shown before the click.
    site.order_by("PUT", "/_sim/creation-paused?chainId=57073", &json!({})).await;
    browser.fill("#order [name=ticker]", "PREV").await;
    browser.until(&format!("{} && {UNSENT}", warned("CreationIsPaused"))).await;
    site.order_by("DELETE", "/_sim/creation-paused?chainId=57073", &json!({})).await;
    browser.fill("#order [name=ticker]", "PRV").await;
    browser.until("document.getElementById('quote').dataset.call !== undefined").await;
    let previewed = browser.value("document.querySelector('#preview #sold').value").await;
    let outcome = sent(&browser).await;
    assert!(outcome.starts_with("Launched Previewed (PRV): "), "{outcome}");
    // The chain has the token as typed, at the previewed point of the curve.
    let record = launched(&site, &browser).await;
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
    let bought = held(&site, 0, 0, record["address"].as_str().unwrap()).await;
    assert_eq!(previewed, bought.to_string());
    ended(site, browser).await;
}

#[tokio::test]
async fn a_browser_launches_a_token_for_a_quote_asset() {
    let Some((site, browser)) = opened(&[]).await else { return };
    // The first chain has no such asset, so its form offers no choice; a link to one says so.
    browser.open_live(&site.page("/create")).await;
    assert_eq!(browser.value("document.querySelector('#order [name=quote]')").await, Value::Null);
    let refused = site.get("/create?quote=NRTH").await;
    assert_eq!(refused.code(), 400);
    let said = String::from_utf8_lossy(&refused.body);
    assert!(said.contains("quote must be a quote asset of chain 57073"), "{said}");
    browser.open_live(&site.page("/create?chainId=4663")).await;
    filled(&browser, &TEXTS).await;
    assert_eq!(browser.text("#bounds-prebuyEth").await, "Prebuy, ETH, at most the raise");
    let quote = "const choice = document.querySelector('#order [name=quote]'); choice.value = 'ORCH'; \
                 choice.dispatchEvent(new Event('input', { bubbles: true }))";
    browser.run(quote).await;
    // Bounds, curve and fees are in the asset.
    browser
        .until(
            "document.getElementById('bounds-prebuyEth').textContent === 'Prebuy, ORCH, at most the raise'",
        )
        .await;
    for place in ["#cap", "#earns"] {
        assert!(browser.text(place).await.ends_with(" ORCH"), "{}", browser.text(place).await);
    }
    // A refusal by the asset's contract is shown before an approval is sent.
    let assets = site.get("/api/stocks/quote-assets?chainId=4663").await.json().unwrap();
    assert_eq!(assets["quoteAssets"][1]["symbol"], "ORCH");
    let hook = assets["quoteAssets"][1]["hook"].as_str().unwrap();
    let paused = format!("/_sim/creation-paused?chainId=4663&hook={hook}");
    site.order_by("PUT", &paused, &json!({})).await;
    filled(&browser, &[("prebuyEth", "0.4")]).await;
    browser.until(&format!("{} && {UNSENT}", warned("CreationIsPaused"))).await;
    site.order_by("DELETE", &paused, &json!({})).await;
    filled(&browser, &[("targetRaiseEth", "2"), ("prebuyEth", "0.5")]).await;
    browser.until("document.querySelector('#pays data')?.value === '500000000000000000'").await;
    assert!(browser.text("#pays").await.ends_with(" ORCH"));
    browser.until("document.getElementById('quote').dataset.name === 'Approval'").await;
    let previewed = browser.value("document.querySelector('#preview #sold').value").await;
    sent(&browser).await;
    assert_eq!(browser.value("document.querySelectorAll('#steps .done').length").await, 2);
    let record = launched(&site, &browser).await;
    for (name, value) in [
        ("chain_id", json!(4663)),
        ("quote_asset_symbol", json!("ORCH")),
        ("target_raise", json!("2000000000000000000")),
        ("owner", site.ready["accounts"][0]["address"].clone()),
    ] {
        assert_eq!(record[name], value, "{name}");
    }
    let bought = held(&site, 1, 0, record["address"].as_str().unwrap()).await;
    assert_eq!(previewed, bought.to_string());
    // An account without enough of the asset is warned before the click.
    let asset = record["quote_asset"].as_str().unwrap();
    let rest = held(&site, 1, 0, asset).await;
    let data = format!("0xa9059cbb{:0>64}{rest:064x}", "dead");
    let from = &site.ready["accounts"][0]["address"];
    site.call(1, "eth_sendTransaction", json!([{ "from": from, "to": asset, "data": data }])).await;
    let query =
        "chainId=4663&quote=ORCH&name=A&ticker=T&description=d&imageUrl=https%3A%2F%2Fhost.net&prebuyEth=0.5";
    browser.open_live(&site.page(&format!("/create?{query}"))).await;
    browser.until(&format!("{} && {UNSENT}", warned("the account has 0 ORCH only"))).await;
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
