//! Measures the first paint of each page in the pinned Chromium: `cargo bench --locked --bench first_paint`. Each load is a first visit,
//! without the browser's cache; the pages take turns.
#![expect(clippy::print_stdout, reason = "the figures are what this program is for")]
#![expect(clippy::unwrap_used, reason = "a measurement that cannot be made ends the program")]
#[path = "../tests/it/browser/devtools.rs"]
mod devtools;
#[expect(dead_code, reason = "the tests ask more of it")]
#[path = "../tests/it/browser/driver.rs"]
mod driver;
#[expect(dead_code, reason = "the tests ask more of it")]
#[path = "../tests/it/program.rs"]
mod program;
#[expect(dead_code, reason = "the tests ask more of it")]
#[path = "../tests/it/site.rs"]
mod site;

use serde_json::json;
use slipway_contracts::toolchain::{TestBrowser, ToolchainOptions};

use crate::driver::Browser;
use crate::site::Site;

const LOADS: usize = 11;
const PAINT: &str = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";

#[tokio::main]
async fn main() {
    let chromium = TestBrowser::pinned(&ToolchainOptions::from_environment()).await.unwrap();
    let site = Site::start(&["--clock", "fixed"]);
    let browser = Browser::start(&chromium).await;
    browser.devtools("Network.enable", json!({})).await;
    browser.devtools("Network.setCacheDisabled", json!({ "cacheDisabled": true })).await;
    browser.open(&site.page("/")).await;
    let king = browser.king().await;
    let trade = json!({ "token": king.rsplit('/').next(), "side": "buy", "amount": "0.01" });
    let bought = site.order("/_sim/trades", &trade).await;
    let pages = [
        ("tokens", site.page("/")),
        ("trade", site.page(&king)),
        ("transaction", site.page(&format!("/tx/{}", bought["transactionHash"].as_str().unwrap()))),
        ("auction", site.page("/auction")),
        ("exchange", site.page("/exchange")),
        ("console", site.console()),
    ];
    let mut paints = pages.each_ref().map(|_| Vec::new());
    for _ in 0..LOADS {
        for ((_, url), paints) in pages.iter().zip(&mut paints) {
            browser.open(url).await;
            browser.until(&format!("{PAINT} !== undefined")).await;
            paints.push(browser.value(PAINT).await.as_f64().unwrap());
        }
    }
    println!("first contentful paint of {LOADS} loads, ms\n\n| page | median | slowest |\n|---|---|---|");
    for ((page, _), mut paints) in pages.iter().zip(paints) {
        paints.sort_by(f64::total_cmp);
        println!("| {page} | {:.0} | {:.0} |", paints[LOADS / 2], paints[LOADS - 1]);
    }
    browser.end().await;
    site.end();
}
