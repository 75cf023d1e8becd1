//! A front end on another port and a wallet, without any option: a Vite page with viem and wagmi, and the platform's own pages.
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use slipway_test_support::{Tool, need, node_path};

use super::driver::Browser;
use super::sending::sent;
use super::trading::trade;
use super::{Site, ended, opened};
use crate::clients::tools::npm_folder;

/// Adds a wallet of one of the accounts to every page that the browser opens from now on.
async fn with_wallet(browser: &Browser, account: &Value) {
    let script = include_str!("../../frontend/wallet.js").replace("ACCOUNT", &account.to_string());
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script })).await;
}

/// The server of a front end, ended with its handle.
struct FrontEnd(Child, String);

impl FrontEnd {
    fn serve(site: &Site) -> Self {
        let mut command = Command::new("node");
        command.arg("serve.mjs").current_dir(npm_folder("tests/frontend")).env("PATH", node_path());
        command.env("SLIPWAY_READY", site.ready.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        assert!(url.starts_with("http://localhost:"), "{url}");
        Self(child, url.trim().to_owned())
    }
}

impl Drop for FrontEnd {
    fn drop(&mut self) {
        // It may have ended already.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// The wallet methods that a page has called.
async fn asked(browser: &Browser) -> Vec<String> {
    serde_json::from_value(browser.value("window.askedOfTheWallet").await).unwrap()
}

#[tokio::test]
async fn a_vite_page_of_viem_and_wagmi_trades_without_an_option() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let Some((site, browser)) = opened(&[]).await else { return };
    let owner = &site.ready["accounts"][5]["address"];
    with_wallet(&browser, owner).await;
    let token = site.launch("Fronted", "1", "0.05").await;
    let front_end = FrontEnd::serve(&site);
    browser.open(&format!("{}?token={token}", front_end.1)).await;
    browser.until("document.getElementById('result').textContent !== ''").await;
    let result: Value = serde_json::from_str(&browser.text("#result").await).unwrap();
    let expected = json!({
        "name": "Fronted", "swap": 200, "signed": true, "blocks": true, "owner": owner, "status": "success", "bought": true,
        "symbol": result["symbol"], "paid": true,
    });
    assert_eq!(result, expected);
    assert!(asked(&browser).await.contains(&"wallet_addEthereumChain".to_owned()));
    drop(front_end);
    ended(site, browser).await;
}

#[tokio::test]
async fn a_wallet_learns_the_chain_and_trades_from_a_page() {
    let Some((site, browser)) = opened(&[]).await else { return };
    let account = site.ready["accounts"][6]["address"].as_str().unwrap();
    with_wallet(&browser, &json!(account)).await;
    let token = site.launch("Connected", "1", "0.05").await;
    browser.open_live(&site.page(&format!("/trade/{token}"))).await;
    browser.click("#wallets button:nth-child(2)").await;
    browser.until("document.getElementById('wallet').textContent === 'Scripted knows chain 57073.'").await;
    browser.click("#wallets button").await;
    browser.until("document.getElementById('wallet').textContent.startsWith('Scripted trades with ')").await;
    browser.until(&format!("document.getElementById('quote').dataset.account === '{account}'")).await;
    trade(&browser, "0.01").await;
    let buyer = "document.querySelector('#trades tbody button.copy').title";
    browser.until(&format!("{buyer} === '{account}'")).await;
    assert!(asked(&browser).await.contains(&"eth_sendTransaction".to_owned()));
    // A reopened page stays connected until the user chooses a funded account again.
    let url = browser.value("location.href").await;
    browser.open_live(url.as_str().unwrap()).await;
    browser.until("document.getElementById('wallet').textContent.startsWith('Scripted trades with ')").await;
    browser.click("#wallet button").await;
    let first = &site.ready["accounts"][0]["address"];
    browser.until(&format!("document.getElementById('quote').dataset.account === {first}")).await;
    trade(&browser, "0.01").await;
    browser.until(&format!("{buyer} === {first}")).await;
    ended(site, browser).await;
}

#[tokio::test]
async fn a_wallet_launches_a_token() {
    let Some((site, browser)) = opened(&[]).await else { return };
    let account = &site.ready["accounts"][6]["address"];
    with_wallet(&browser, account).await;
    // The wallet learns the other chain, and approves the quote asset before the launch.
    let query = "chainId=4663&quote=QUAY&name=Signed&ticker=SGN&description=d&imageUrl=https%3A%2F%2Fhost.net&prebuyEth=0.25";
    browser.open_live(&site.page(&format!("/create?{query}"))).await;
    browser.click("#wallets button").await;
    browser.until(&format!("document.getElementById('quote').dataset.account === {account}")).await;
    sent(&browser).await;
    assert_eq!(browser.value("document.querySelectorAll('#steps .done').length").await, 2);
    let asked = asked(&browser).await;
    let count = |method: &str| asked.iter().filter(|known| *known == method).count();
    assert_eq!((count("wallet_addEthereumChain"), count("eth_sendTransaction")), (1, 2));
    browser.until("document.querySelectorAll('#outcome a').length === 2").await;
    browser.click("#outcome a:last-of-type").await;
    browser.until("location.pathname.startsWith('/trade/') && document.querySelector('h1') !== null").await;
    let address = browser.value("location.pathname.split('/')[2]").await;
    let path = format!("/api/token?address={}&chainId=4663", address.as_str().unwrap());
    let record = site.get(&path).await.json().unwrap();
    assert_eq!((&record["owner"], &record["name"]), (account, &json!("Signed")));
    assert_eq!(record["quote_asset_symbol"], "QUAY");
    ended(site, browser).await;
}
