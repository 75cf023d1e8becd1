//! The HTML report in a real browser: a file that needs no network, shows a target's texts as text, and is accessible.
use serde_json::json;
use slipway_test_support::need_browser;

use super::Site;
use super::driver::{Browser, Key, axe};
use crate::program::expect_code;

/// Ends a script and starts an image, on a page that does not escape it.
const HOSTILE: &str = "</script><img src=x onerror=window.pwned=1>";

#[tokio::test]
async fn html_report_reads_everywhere_and_needs_no_network() {
    let Some(chromium) = need_browser().await else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    // Times lack their zone, so that a failure shows the newest tokens with the hostile name.
    let site = Site::start(&["--clock", "fixed", "--defect", "svc-time-without-zone"]);
    site.launch(HOSTILE, "1", "0.01").await;
    let page = file.to_str().unwrap();
    let url = site.page("");
    let selected = ["--only", "LIST-*", "--only", "SVC-TIME-ZONE", "--strict"];
    expect_code(&[&["check", "--base-url", &url, "--html", page], &selected[..]].concat(), 1);
    site.end();
    let browser = Browser::start(&chromium).await;
    let axe = axe().await;
    let address = format!("file://{page}");
    for (width, height, scheme) in [(1_000, 700, "light"), (390, 800, "dark"), (390, 800, "light")] {
        browser.screen(width, height, scheme).await;
        browser.open(&address).await;
        browser.value("document.querySelectorAll('details').forEach((one) => { one.open = true; })").await;
        browser.accessible(&axe).await;
        let body = "getComputedStyle(document.body).backgroundColor";
        let dark = browser
            .value(&format!("{body}.match(/\\d+/g).slice(0, 3).every((part) => Number(part) < 80)"))
            .await;
        assert_eq!(dark, json!(scheme == "dark"), "{}", browser.value(body).await);
        assert_eq!(
            browser.value("performance.getEntriesByType('resource').map((one) => one.name)").await,
            json!([])
        );
    }
    let shown = format!("document.body.textContent.includes({})", json!(HOSTILE));
    assert_eq!(browser.value(&shown).await, json!(true));
    assert_eq!(browser.value("[typeof window.pwned, document.images.length]").await, json!(["undefined", 0]));
    leads(&browser, &address).await;
    keyboard(&browser, &address).await;
    browser.end().await;
}

/// Failures come first and are open; squares and addresses lead to their clauses, wherever these are.
async fn leads(browser: &Browser, address: &str) {
    browser.screen(1_000, 700, "light").await;
    browser.open(address).await;
    let first =
        "[document.querySelector('main > *').className, document.querySelector('main h2').textContent]";
    assert_eq!(browser.value(first).await, json!(["group", "Failed"]));
    let seen = "(() => { const { top, bottom } = document.querySelector(':target')?.getBoundingClientRect() ?? {}; \
                return bottom > 0 && top < innerHeight; })()";
    browser.until("document.querySelector('#SVC-TIME-ZONE .actual mark') !== null").await;
    assert_eq!(browser.value("document.querySelectorAll('.strip a').length").await, 331);
    // A passed clause is in a closed section until its square is clicked.
    let passed = "document.querySelector('.strip a.passed').hash.slice(1)";
    let clause = browser.value(passed).await.as_str().unwrap().to_owned();
    let shown = format!("document.getElementById({}).checkVisibility()", json!(clause));
    assert_eq!(browser.value(&shown).await, false);
    browser.click(".strip a.passed").await;
    browser.until(&shown).await;
    browser.until(seen).await;
    browser.open("about:blank").await;
    browser.open(&format!("{address}#{clause}")).await;
    browser.until(&shown).await;
    browser.until(seen).await;
    // The excerpt has the judged member in view.
    let member = "[...document.querySelectorAll('.exchange[open] pre')].some((pre) => { \
                  const found = pre.querySelector('.judged'); \
                  return found && found.offsetTop >= pre.scrollTop && found.offsetTop < pre.scrollTop + pre.clientHeight; })";
    browser.until(member).await;
}

/// The report can be searched, filtered and opened without a pointer.
async fn keyboard(browser: &Browser, address: &str) {
    browser.open(address).await;
    let visible = async || {
        let shown = "[...document.querySelectorAll('.check:not([hidden])')].map((check) => check.id)";
        browser.value(shown).await.as_array().unwrap().len()
    };
    let all = visible().await;
    // The links of the header come before it.
    let mut steps = 0;
    while browser.value("document.activeElement.id").await != "search" {
        browser.press(Key::Tab).await;
        steps += 1;
        assert!(steps < 12, "the search is not reached");
    }
    browser.insert("list-totals").await;
    browser.until("document.querySelectorAll('.check:not([hidden])').length === 1").await;
    browser.press(Key::Tab).await;
    assert_eq!(browser.value("document.activeElement.name").await, "verdict");
    browser.press(Key::Space).await;
    browser.until("document.activeElement.checked === false").await;
    browser.open(address).await;
    assert_eq!(visible().await, all);
    // Everything that opens can be reached and opened with keys.
    let closed = "document.activeElement.matches('summary') && !document.activeElement.parentElement.open";
    let mut steps = 0;
    while browser.value(closed).await != json!(true) {
        browser.press(Key::Tab).await;
        steps += 1;
        assert!(steps < 200, "no closed part was reached");
    }
    browser.press(Key::Enter).await;
    browser.until("document.activeElement.parentElement.open").await;
}
