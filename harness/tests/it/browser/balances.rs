//! The balances of an account, as the page's script reads them from the node: exact, current, and never those of another account.
use std::time::Duration;

use alloy::primitives::{Address, U256};
use alloy::providers::Provider as _;
use serde_json::json;
use slipway_contracts::bindings::IERC20;
use slipway_scenarios::client::http::Http;
use slipway_scenarios::client::message::Request;
use url::Url;

use super::driver::Browser;
use super::trading::trade;
use super::{Site, ended, opened};

/// Time in which the script would have read again.
const WHILE: Duration = Duration::from_millis(300);
const ASK: &str = "document.dispatchEvent(new Event('refreshed'))";
const IS_TOLD: &str = "document.querySelector('#balances data') !== null";

fn account(site: &Site, place: usize) -> Address {
    site.ready["accounts"][place]["address"].as_str().unwrap().parse().unwrap()
}

async fn choose(browser: &Browser, account: Address) {
    browser.set("#order select[name=account]", &account.to_checksum(None)).await;
    browser
        .run("document.querySelector('#order select').dispatchEvent(new Event('input', { bubbles: true }))")
        .await;
}

/// Waits until the page shows these units of the native coin.
async fn shows(browser: &Browser, wei: u64) {
    browser.until(&format!("document.querySelector('#balances data')?.value === '{wei}'")).await;
}

/// Waits until the page shows the node's current values.
async fn agrees(browser: &Browser, site: &Site, token: Address, account: Address) {
    let provider = site.provider();
    let wei = provider.get_balance(account).await.unwrap();
    let units = IERC20::new(token, &provider).balanceOf(account).call().await.unwrap();
    let shown = "[...document.querySelectorAll('#balances data')].map((one) => one.value).join()";
    browser.until(&format!("{shown} === '{wei},{units}'")).await;
}

/// The element in which the console, rendered by the server, shows an amount of the native coin.
async fn printed(site: &Site, wei: U256) -> String {
    let console = Request::get(&Url::parse(&site.console()).unwrap(), "/", &[("tab", "accounts")]);
    let page = Http::new().unwrap().send_once(console).await.unwrap();
    let page = String::from_utf8(page.body.into()).unwrap();
    let begin = format!("<data value=\"{wei}\"");
    let (_, rest) = page.split_once(&begin).expect("the console shows the balance");
    format!("{begin}{}</data>", rest.split_once("</data>").unwrap().0)
}

#[tokio::test]
async fn balances_are_written_as_the_server_writes_amounts() {
    let Some((site, browser)) = opened(&[]).await else { return };
    let token = site.launch("Written", "1", "0.05").await;
    let account = account(&site, 0);
    let whole = U256::from(10).pow(U256::from(18));
    let held = format!(
        "[...document.querySelectorAll('#holders tbody tr')].find((row) => \
         row.querySelector('.copy').title === '{account}').querySelector('data').outerHTML"
    );
    for wei in [
        U256::ZERO,
        U256::ONE,
        U256::from(636_713_936_u64),
        U256::from(99_999_499_999_999_u64),
        U256::from(99_999_500_000_000_u64),
        whole - U256::ONE,
        whole,
        whole / U256::from(2) * U256::from(1_999),
        U256::from(9_998_690_299_u64) * U256::from(1_000_000_000_000_u64),
        whole * U256::from(10).pow(U256::from(15)) - U256::ONE,
        whole * U256::from(10).pow(U256::from(15)),
        U256::from(1_500_000_000_000_000_000_u64),
        whole * U256::from(1_234_567_890_u64) + U256::from(10),
        U256::MAX,
    ] {
        site.rpc("anvil_setBalance", json!([account, wei])).await;
        browser.open_live(&site.page(&format!("/trade/{token}"))).await;
        browser.until(IS_TOLD).await;
        let sentence = browser.value("document.getElementById('balances').innerHTML").await;
        let (coins, tokens) = (printed(&site, wei).await, browser.value(&held).await);
        let tokens = tokens.as_str().unwrap();
        assert_eq!(sentence, format!("The account has {coins} <bdi>ETH</bdi> and {tokens} <bdi>TST</bdi>."));
    }
    // Assets with other decimals, as the exchange has them.
    browser.open_live(&site.page("/exchange")).await;
    let amounts = "[...document.querySelectorAll('#pairs td data')].map((one) => [one.value, \
                   one.nextElementSibling.textContent, one.textContent])";
    let amounts = browser.value(amounts).await;
    browser.open_live(&site.page(&format!("/trade/{token}"))).await;
    let mut others = 0;
    for amount in amounts.as_array().unwrap() {
        let [units, symbol, text] = [0, 1, 2].map(|place| amount[place].as_str().unwrap());
        let decimals = match symbol {
            "HNOTE" | "ISL2" => 6,
            "GRAN" => 8,
            _ => 18,
        };
        others += usize::from(decimals != 18);
        assert_eq!(browser.value(&format!("slipway.short({units}n, {decimals})")).await, text, "{symbol}");
    }
    assert!(others > 3, "{amounts}");
    ended(site, browser).await;
}

#[tokio::test]
async fn balances_follow_trades_the_chain_and_the_account() {
    let Some((site, browser)) = opened(&[]).await else { return };
    let token = site.launch("Followed", "1", "0.05").await;
    let (page, held) = (site.page(&format!("/trade/{token}")), token.parse().unwrap());
    let (first, second) = (account(&site, 0), account(&site, 1));
    browser.open_live(&page).await;
    agrees(&browser, &site, held, first).await;
    site.order("/_sim/trades", &json!({ "token": token, "side": "buy", "amount": "0.02" })).await;
    agrees(&browser, &site, held, first).await;
    site.rpc("anvil_reorg", json!([1, []])).await;
    agrees(&browser, &site, held, first).await;
    choose(&browser, second).await;
    agrees(&browser, &site, held, second).await;
    // After its own trade the script reads again without an event.
    browser.run("addEventListener('refreshed', (event) => event.stopImmediatePropagation(), true)").await;
    trade(&browser, "0.03").await;
    agrees(&browser, &site, held, second).await;
    ended(site, browser).await;
}

#[tokio::test]
async fn an_older_answer_never_takes_the_place_of_a_newer_one() {
    // A block that arrives meanwhile would make the page read again.
    let Some((site, browser)) = opened(&["--no-trailing-blocks"]).await else { return };
    let token = site.launch("Ordered", "1", "0.05").await;
    let (first, second) = (account(&site, 0), account(&site, 1));
    let give = async |account: Address, wei: u64| {
        site.rpc("anvil_setBalance", json!([account, U256::from(wei)])).await;
    };
    give(first, 111).await;
    give(second, 222).await;
    browser.open_live(&site.page(&format!("/trade/{token}"))).await;
    shows(&browser, 111).await;
    // Answers of the node are held until the test releases them.
    browser.run("const { node } = document.getElementById('quote').dataset, real = window.fetch; window.held = []; \
         window.fetch = async (url, options) => { \
           const answer = await real(url, options); \
           if (url === node) await new Promise((done) => held.push(done)); \
           return answer; \
         };",
    )
    .await;
    let comes = async || browser.until("held.length === 2").await;
    let let_go = async || browser.run("held.splice(0).forEach((done) => done());").await;
    let none_more = async |count: u64| {
        tokio::time::sleep(WHILE).await;
        assert_eq!(browser.value("held.length").await, count);
    };
    give(first, 333).await;
    browser.run(ASK).await;
    comes().await;
    give(first, 444).await;
    browser.run(&format!("{ASK}; {ASK};")).await;
    none_more(2).await;
    let_go().await;
    comes().await;
    shows(&browser, 333).await;
    let_go().await;
    shows(&browser, 444).await;
    none_more(0).await;
    // An answer for one account must not appear as that of another.
    browser.run(ASK).await;
    comes().await;
    choose(&browser, second).await;
    browser.until(&format!("document.getElementById('quote').dataset.account === '{second}'")).await;
    assert_eq!(browser.value(IS_TOLD).await, false, "{}", browser.text("#balances").await);
    browser
        .run(
            "const balances = document.getElementById('balances'); window.seen = []; \
         new MutationObserver(() => seen.push(balances.textContent)).observe(balances, { childList: true });",
        )
        .await;
    let_go().await;
    comes().await;
    let_go().await;
    shows(&browser, 222).await;
    let seen = browser.value("seen").await.to_string();
    assert!(seen.contains("₁₅222 ETH") && !seen.contains("₁₅444"), "{seen}");
    ended(site, browser).await;
}

#[tokio::test]
async fn a_node_that_tells_nothing_is_named() {
    let Some((site, browser)) = opened(&[]).await else { return };
    let token = site.launch("Silent", "1", "0.05").await;
    browser.open_live(&site.page(&format!("/trade/{token}"))).await;
    browser.until(IS_TOLD).await;
    let says = async |text: &str| {
        let said = format!("document.getElementById('balances').textContent.startsWith({})", json!(text));
        browser.until(&said).await;
    };
    // The node does not answer: old values are not shown as current, and the script retries by itself.
    browser.run(&format!(
            "const {{ node }} = document.getElementById('quote').dataset; window.real = window.fetch; window.asked = 0; \
             window.fetch = (url, options) => url !== node ? real(url, options) : new Promise((_, fail) => {{ \
             asked += 1; options.signal.addEventListener('abort', () => fail(options.signal.reason)); }}); {ASK};"
        ),
    )
    .await;
    says("The node has not answered yet what the account has.").await;
    browser.until("asked > 2").await;
    assert_eq!(browser.text("#balances").await, "The node has not answered yet what the account has.");
    browser.run("window.fetch = real;").await;
    browser.until(IS_TOLD).await;
    // The node cannot be reached.
    browser.devtools("Network.enable", json!({})).await;
    let node = Url::parse(site.primary_rpc()).unwrap();
    let blocked = json!({ "urls": [format!("*:{}/*", node.port().unwrap())] });
    browser.devtools("Network.setBlockedURLs", blocked).await;
    browser.run(ASK).await;
    says("The balances of the account are not known: the node does not answer.").await;
    browser.devtools("Network.setBlockedURLs", json!({ "urls": [] })).await;
    browser.until(IS_TOLD).await;
    // The node does not know the token. A page that is renewed meanwhile reads the known token again.
    let unknown = Address::repeat_byte(7);
    browser
        .until(&format!(
            "(() => {{ const quote = document.getElementById('quote').dataset; const before = quote.balances; \
             quote.balances = before.replace(/{token}/i, '{unknown}'); if (before !== quote.balances) {ASK}; \
             return document.getElementById('balances').textContent.startsWith({}); }})()",
            json!("The balances of the account are not known: ")
        ))
        .await;
    browser.forget_errors().await;
    ended(site, browser).await;
}
