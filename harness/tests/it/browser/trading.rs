//! Opening a token launched with the tool server, trading it from its page to graduation and beyond, and a page's behaviour during a
//! reorganisation or a lost connection.
use alloy::primitives::utils::{format_units, parse_ether};
use alloy::primitives::{Address, U256};
use alloy::signers::SignerSync as _;
use alloy::signers::local::PrivateKeySigner;
use serde_json::{Value, json};
use slipway_scenarios::client::http::Http;
use slipway_scenarios::client::message::Request;

use super::driver::{Browser, Key};
use super::{Site, ended, opened};
use crate::mcp::{call, greeted};

/// Whether the form is sending a trade.
const BUSY: &str = "document.getElementById('send').disabled";

/// Launches with the tool server, like an agent; returns the result.
async fn launched(site: &Site) -> Value {
    let key = site.ready["accounts"][1]["privateKey"].as_str().unwrap();
    let variables = [
        ("SERVICE_MCP_ENABLE_WRITES", "true"),
        ("SERVICE_MCP_PRIVATE_KEY", key),
        ("SERVICE_MCP_RPC_URL", site.primary_rpc()),
        ("SERVICE_BASE_URL", site.text("baseUrl")),
    ];
    let mut stdio = greeted(&["mcp"], &variables).await;
    let arguments = json!({
        "name": "Opened", "ticker": "OPN", "description": "Opened in a browser.", "imageUrl": "https://1.1.1.1/a.png",
        "website": "https://1.1.1.1/?a=1&b=2", "targetRaiseEth": 1, "prebuyEth": 0.05, "confirm": "YES",
    });
    call(&mut stdio, "launch_token", arguments).await["structuredContent"].take()
}

/// The exact units that an element of the page shows.
async fn units(browser: &Browser, selector: &str) -> U256 {
    let value = browser.value(&format!("document.querySelector({}).value", json!(selector))).await;
    U256::from_str_radix(value.as_str().unwrap(), 10).unwrap()
}

/// Asserts that the page shows the values of the chain and the REST service, to the unit.
async fn agrees(browser: &Browser, site: &Site, token: Address) {
    let hook = site.hook();
    let launch = hook.launchIdOf(token).call().await.unwrap();
    let state = hook.getLaunchState(launch).call().await.unwrap();
    assert_eq!(units(browser, "#sold").await, U256::from(state.sold));
    assert_eq!(units(browser, "#raised data").await, U256::from(state.netContributions));
    let record = site.get(&format!("/api/token?address={token}")).await.json().unwrap();
    for (selector, name) in [("#price data", "price_eth"), ("#market-cap data", "market_cap")] {
        assert_eq!(served(units(browser, selector).await), record[name], "{name}");
    }
    assert_eq!(browser.text("#trade-count").await, record["txns_total"].to_string());
    let holders = browser.text("#holders p").await;
    assert!(holders.starts_with(&format!("{} accounts", record["total_holders"])), "{holders} {record}");
}

/// An amount of 18 decimals as the REST service sends it: fifteen digits, rounded down.
fn served(units: U256) -> Value {
    let cut = U256::from(10).pow(U256::from(units.to_string().len().saturating_sub(15)));
    let decimal = format_units(units / cut * cut, 18).unwrap();
    let number: f64 = decimal.parse().unwrap();
    if number.fract() == 0.0 {
        decimal.split('.').next().unwrap().parse::<u64>().map(Value::from).unwrap()
    } else {
        number.into()
    }
}

/// The contract's own preview of a purchase.
async fn previewed(site: &Site, token: Address, amount: U256) -> U256 {
    let hook = site.hook();
    let launch = hook.launchIdOf(token).call().await.unwrap();
    hook.previewBuy(launch, amount).call().await.unwrap().tokensOut
}

/// Posts a message as the second account.
async fn say(site: &Site, token: Address, message: &str) {
    let captcha = site.order("/_sim/captchas", &json!({})).await["token"].as_str().unwrap().to_owned();
    let signer: PrivateKeySigner = site.ready["accounts"][1]["privateKey"].as_str().unwrap().parse().unwrap();
    let lower = token.to_string().to_lowercase();
    let signed = format!("Launch platform chat\nToken: {lower}\nCaptcha: {captcha}\nMessage: {message}");
    let signature = signer.sign_message_sync(signed.as_bytes()).unwrap().to_string();
    let body = json!({ "token": captcha, "tokenAddress": token, "message": message, "signature": signature });
    let origin = site.origin("baseUrl");
    let mut request = Request::post_json(&origin, "/api/chat", &body);
    request.headers.push(("x-operator-key".to_owned(), site.text("operatorKey").to_owned()));
    let answer = Http::new().unwrap().send_once(request).await.unwrap();
    assert_eq!(answer.code(), 200, "{}", answer.excerpt());
}

/// Trades from the page, and waits until the page shows the trade.
pub(super) async fn trade(browser: &Browser, amount: &str) {
    browser.value("document.getElementById('outcome').textContent = ''").await;
    let before = browser.text("#trade-count").await;
    browser.fill("#order input[name=amount]", amount).await;
    browser.until("document.getElementById('quote').dataset.calls !== undefined").await;
    // Without a pointer: Enter in the field sends the form, unless the button is disabled.
    assert_eq!(browser.value(BUSY).await, false);
    browser.press(Key::Enter).await;
    browser
        .until(&format!(
            "/^(Traded|Bought|Sold|Not traded|Nothing)/.test(document.getElementById('outcome').textContent) && !{BUSY}"
        ))
        .await;
    let outcome = browser.text("#outcome").await;
    assert!(!outcome.starts_with('N'), "{outcome}");
    // The next quote is for another amount.
    assert_eq!(browser.value("document.querySelector('#order input[name=amount]').value").await, "");
    browser.until(&format!("document.getElementById('trade-count').textContent !== '{before}'")).await;
}

/// Changing the chart's range changes the chart and keeps the form's values; the pointer shows a sample.
async fn chart(browser: &Browser) {
    browser.click("#ranges a[href*='candle=5m']").await;
    browser.until("document.querySelector('#ranges [aria-current]').textContent === '5 m'").await;
    browser.click("#ranges a[href*='scale=log']").await;
    browser.until("document.getElementById('candles').dataset.log !== undefined").await;
    let asked = "new URLSearchParams(location.search)";
    assert_eq!(browser.value(&format!("{asked}.get('side')")).await, "sell");
    browser.fill("#order input[name=amount]", "7").await;
    browser.until(&format!("{asked}.get('amount') === '7' && {asked}.get('candle') === '5m' && {asked}.get('scale') === 'log'")).await;
    // A page that is still reloading could move the chart from under the pointer.
    browser.value("slipway.refresh().then(() => true)").await;
    let last = "(({ right, top, height }) => [right - 5, top + height / 3])(document.querySelector('#drawing svg').getBoundingClientRect())";
    browser
        .run("document.getElementById('drawing').scrollIntoView({ block: 'center', behavior: 'instant' })")
        .await;
    browser.point_at(last).await;
    browser.until("!document.getElementById('hover').hidden").await;
    let shown = browser.text("#hover").await;
    for part in ["Open 0.0", "High 0.0", "Low 0.0", "Close 0.0", "Bought ", "Sold ", " ETH"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(browser.text("#level").await.starts_with("0.0"), "{}", browser.text("#level").await);
    // Both sides have traded in the last candle.
    for side in ["bought", "sold"] {
        let drawn = format!("document.querySelector('.candles .{side}').getAttribute('d')");
        assert_ne!(browser.value(&drawn).await, "", "{side}: {shown}");
    }
}

/// The page's form posts a message of the account; a refusal by the platform is shown.
async fn chat(browser: &Browser, site: &Site) {
    browser.fill("#say input", "Größe 😀 & <i>").await;
    browser.press(Key::Enter).await;
    browser.until("document.querySelector('#chat li bdi').textContent === 'Größe 😀 & <i>'").await;
    browser.until("document.getElementById('said').textContent === 'Sent.'").await;
    let first = &site.ready["accounts"][0]["address"];
    assert_eq!(browser.value("document.querySelector('#chat li button.copy').title").await, *first);
    assert_eq!(browser.value("document.querySelector('#say input').value").await, "");
    browser.fill("#say input", &"x".repeat(501)).await;
    browser.press(Key::Enter).await;
    browser
        .until("document.getElementById('said').textContent.startsWith('Not sent: message must be')")
        .await;
    browser.forget_errors().await;
}

/// The curve shows the share of the tokens and of the raise, and its line does not run through the label of the point.
async fn curve(browser: &Browser, site: &Site, token: Address) {
    let hook = site.hook();
    let launch = hook.launchIdOf(token).call().await.unwrap();
    let sold = U256::from(hook.getLaunchState(launch).call().await.unwrap().sold);
    let terms = browser.text("#curve dl").await;
    let supply = "document.querySelector('#sold').parentElement.querySelectorAll('data')[1].value";
    let supply = browser.value(supply).await.as_str().unwrap().parse::<U256>().unwrap();
    let hundredths = (sold * U256::from(10_000) / supply).to::<u64>();
    let share = format!(", {}.{:02} %", hundredths / 100, hundredths % 100);
    assert!(terms.contains(&share), "{share}: {terms}");
    let raised = browser.text("#figures .raised").await;
    assert!(browser.text("#raised-part").await.ends_with(raised.trim()), "{raised}");
    // The bar of a holder is the share of the supply.
    let bars = "[...document.querySelectorAll('#holders tbody tr')].every((row) => \
                parseFloat(row.children[2].textContent) === Math.floor(row.querySelector('progress').value * 10000) / 100)";
    assert_eq!(browser.value(bars).await, true);
    let crossed = "(() => { const svg = document.querySelector('#curve svg'); \
        const line = svg.querySelector('path:not([class])'); \
        const { x, y, width, height } = svg.querySelector('text.now').getBBox(); \
        return [...Array(500).keys()].map((part) => line.getPointAtLength(line.getTotalLength() * part / 499)) \
        .some((at) => at.x > x && at.x < x + width && at.y > y && at.y < y + height); })()";
    assert_eq!(browser.value(crossed).await, false);
}

/// The page shows the pool's reserves: both sides are worth the same at the price, up to rounding.
async fn pool(browser: &Browser) {
    browser.until("document.getElementById('liquidity') !== null").await;
    let [quote, tokens] =
        [units(browser, "#reserve-quote data").await, units(browser, "#reserve-token data").await];
    let price = units(browser, "#price data").await;
    assert!(!quote.is_zero() && !tokens.is_zero());
    let whole = U256::from(10).pow(U256::from(18));
    assert_eq!(units(browser, "#liquidity data").await, quote + tokens * price / whole);
    // Both sides of a full range are worth the same, up to rounding and the platform's price.
    let worth = tokens * price / whole;
    assert!(quote.abs_diff(worth) <= quote / U256::from(1_000), "{quote} {worth}");
}

#[tokio::test]
async fn a_trade_that_the_account_cannot_pay_is_refused_before_the_click() {
    let Some((site, browser)) = opened(&[]).await else { return };
    let token = site.launch("Short", "1", "0.05").await;
    browser.open_live(&site.page(&format!("/trade/{token}"))).await;
    assert_eq!(browser.text("#send").await, "Buy TST");
    browser.until("document.querySelector('#balances data') !== null").await;
    browser.fill("#order input[name=amount]", "20000").await;
    browser.until("document.getElementById('short').textContent.startsWith('The account has only ')").await;
    assert_eq!(browser.value(BUSY).await, true);
    // A button fills in part of the target, and the send button describes the trade.
    browser.click("#order [data-amount='0.05']").await;
    browser.until("document.getElementById('gets') !== null").await;
    browser.until(&format!("!({BUSY})")).await;
    let words = browser.text("#send").await;
    assert!(words.starts_with("Buy ") && words.ends_with(" M TST for 0.05 ETH"), "{words}");
    assert_eq!(browser.text("#short").await, "");
    trade(&browser, "0.05").await;
    // Everything except coins for gas; then a sale of all tokens.
    browser.click("#order [data-part='100']").await;
    let offer = "(document.getElementById('quote').dataset.offer ?? '')";
    let kept = "10n ** 16n";
    browser
        .until(&format!(
            "BigInt({offer}) > 10n ** 18n && BigInt({offer}) + {kept} === BigInt(document.querySelector('#balances data').value)"
        ))
        .await;
    browser.click("#order input[value=sell]").await;
    browser.until("document.getElementById('quote').dataset.paid === '1'").await;
    assert_eq!(
        browser.value("getComputedStyle(document.querySelector('.field .buys')).display").await,
        "none"
    );
    browser.click("#order [data-part='100']").await;
    browser.until(&format!("{offer} === document.querySelectorAll('#balances data')[1].value")).await;
    browser.until(&format!("!({BUSY})")).await;
    // Slippage changes the least amount received.
    let least = units(&browser, "#least data").await;
    browser.set("#order select[name=slippage]", "1000").await;
    browser
        .run("document.querySelector('#order').dispatchEvent(new Event('input', { bubbles: true }))")
        .await;
    browser.until("document.querySelector('#quote').textContent.includes('10 % slippage')").await;
    let gets = units(&browser, "#gets data").await;
    assert_eq!(units(&browser, "#least data").await, gets - gets / U256::from(10));
    assert!(units(&browser, "#least data").await < least);
    ended(site, browser).await;
}

#[tokio::test]
async fn a_launch_is_opened_traded_and_graduated_in_a_browser() {
    let Some((site, browser)) = opened(&[]).await else { return };
    let result = launched(&site).await;
    // The tool server gets its receipt from the node; the platform indexes the block later.
    site.indexed().await;
    let token: Address = result["tokenAddress"].as_str().unwrap().parse().unwrap();
    browser.open_live(result["tradeUrl"].as_str().unwrap()).await;
    assert_eq!(browser.text("h1").await, "Opened (OPN)");
    agrees(&browser, &site, token).await;
    // The trade gives what the preview quotes.
    browser.fill("#order input[name=amount]", "0.1").await;
    browser.until("document.getElementById('gets') !== null").await;
    let quoted = units(&browser, "#gets data").await;
    assert_eq!(quoted, previewed(&site, token, parse_ether("0.1").unwrap()).await);
    assert_eq!(browser.text("ul.links a").await, "https://1.1.1.1/?a=1&b=2");
    // The quote with its price impact, in words and on the curve.
    assert!(browser.text("#impact").await.ends_with(" %"), "{}", browser.text("#impact").await);
    assert!(browser.text("#moved").await.starts_with("This trade moves the price from "));
    browser.until("document.querySelector('#curve circle.after') !== null").await;
    trade(&browser, "0.1").await;
    browser.until("document.querySelectorAll('#steps li.done').length === 3").await;
    let steps = browser.text("#steps").await;
    assert!(steps.contains("The trade is in block ") && steps.contains("Listed under Trades"), "{steps}");
    agrees(&browser, &site, token).await;
    // What the mined trade brought stands below the form, and no quote for another one.
    let bought = "document.querySelector('#trades tbody tr td:nth-child(4) data').textContent";
    let outcome = browser.value("document.getElementById('outcome').textContent").await;
    let bought = browser.value(bought).await;
    let said = format!("Bought {} OPN for 0.1 ETH: 0x", bought.as_str().unwrap());
    assert!(outcome.as_str().unwrap().starts_with(&said), "{outcome} {said}");
    assert_eq!(browser.value("document.getElementById('gets')").await, Value::Null);
    curve(&browser, &site, token).await;
    assert_eq!(units(&browser, "#trades tbody tr td:nth-child(4) data").await, quoted);
    browser.click("#order input[value=sell]").await;
    trade(&browser, "1000").await;
    agrees(&browser, &site, token).await;
    chart(&browser).await;
    say(&site, token, "<b>hello</b>").await;
    browser.until("document.querySelector('#chat li bdi')?.textContent === '<b>hello</b>'").await;
    chat(&browser, &site).await;
    browser.click("#order input[value=buy]").await;
    trade(&browser, "2").await;
    browser.until("document.getElementById('graduated') !== null").await;
    let record = site.get(&format!("/api/token?address={token}")).await.json().unwrap();
    assert_eq!(record["is_graduated"], true);
    assert!(browser.text("#curve").await.contains(record["pool"].as_str().unwrap()));
    pool(&browser).await;
    // In the pool, again in both directions.
    trade(&browser, "0.01").await;
    browser.click("#order input[value=sell]").await;
    trade(&browser, "500").await;
    browser.open_live(result["explorerUrl"].as_str().unwrap()).await;
    assert_eq!(browser.text("#result").await, "succeeded");
    let events = browser.text("#events").await;
    assert!(events.contains("LaunchCreated") && events.contains("Opened in a browser."), "{events}");
    ended(site, browser).await;
}

#[tokio::test]
async fn a_page_follows_a_reorganisation_and_a_lost_connection() {
    // The block to remove is the one with the trade.
    let Some((site, browser)) = opened(&["--no-trailing-blocks"]).await else { return };
    let token = site.launch("Followed", "1", "0.05").await;
    browser.open_live(&site.page(&format!("/trade/{token}"))).await;
    let rows = "document.querySelectorAll('#trades tbody tr').length";
    assert_eq!(browser.value(rows).await, 1);
    let buy = json!({ "token": token, "side": "buy", "amount": "0.02" });
    site.order("/_sim/trades", &buy).await;
    browser.until(&format!("{rows} === 2")).await;
    site.rpc("anvil_reorg", json!([1, []])).await;
    browser.until("document.getElementById('standing').textContent.includes('was reorganised')").await;
    browser.until(&format!("{rows} === 1")).await;
    // A broken connection is restored, and events of the meantime appear once.
    let network = |offline: bool| json!({ "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
    browser.devtools("Network.enable", json!({})).await;
    browser.devtools("Network.emulateNetworkConditions", network(true)).await;
    site.order("/_sim/trades", &buy).await;
    site.order("/_sim/trades", &buy).await;
    browser.until("document.getElementById('connection').textContent.startsWith('connection lost')").await;
    browser.devtools("Network.emulateNetworkConditions", network(false)).await;
    browser.until("document.getElementById('connection').textContent === 'live'").await;
    browser.until(&format!("{rows} === 3")).await;
    let once = "new Set([...document.querySelectorAll('#trades tbody tr')].map((row) => row.dataset.transaction)).size";
    assert_eq!(browser.value(once).await, 3);
    browser.forget_errors().await;
    ended(site, browser).await;
}

#[tokio::test]
async fn a_page_follows_a_jump_of_the_clock() {
    let Some((site, browser)) = opened(&["--clock", "fixed"]).await else { return };
    let launch = json!({ "name": "Protected", "ticker": "PRT", "targetRaise": "1", "antiSnipeDuration": 60 });
    let token = site.order("/_sim/launches", &launch).await["token"].as_str().unwrap().to_owned();
    browser.open_live(&site.page(&format!("/trade/{token}"))).await;
    let warned = "document.querySelector('#figures .warning') !== null";
    assert_eq!(browser.value(warned).await, true);
    // While the launch is protected, a purchase needs an authorisation such as the console mints.
    browser.fill("#order input[name=amount]", "0.05").await;
    browser
        .until(
            "document.querySelector('#quote .warning') !== null || document.getElementById('gets') !== null",
        )
        .await;
    let id = site.hook().launchIdOf(token.parse().unwrap()).call().await.unwrap();
    let trader = site.ready["accounts"][0]["address"].clone();
    let order = json!({ "chainId": 57073, "trader": trader, "launchId": id.to::<u64>() });
    let auth = site.order("/_sim/captcha-auths", &order).await.to_string();
    browser.click("#order summary").await;
    browser.fill("#order textarea", &auth).await;
    trade(&browser, "0.05").await;
    let volume = "#volume data";
    let record = site.get(&format!("/api/token?address={token}")).await.json().unwrap();
    let traded = units(&browser, volume).await;
    assert!(!traded.is_zero());
    assert_eq!(served(traded), record["volume_24h"]);

    let now = site.now().await;
    let jumped =
        site.order("/_sim/clock/advance", &json!({ "seconds": 90_000 })).await["now"].as_u64().unwrap();
    assert_eq!(jumped, now + 90_000);
    let shown = format!(
        "Date.parse(document.querySelector('#standing time').getAttribute('datetime')) === {}",
        jumped * 1_000
    );
    browser.until(&shown).await;
    browser.until(&format!("!({warned})")).await;
    assert_eq!(units(&browser, volume).await, U256::ZERO);
    // The chart reaches the present, with hourly candles.
    let last = browser
        .value("Number(document.getElementById('candles').dataset.candles.split(';')[0].split(' ').at(-1))")
        .await;
    assert_eq!(last, jumped - jumped % 3_600);
    browser.fill("#order textarea", "").await;
    trade(&browser, "0.05").await;
    ended(site, browser).await;
}
