//! Nothing on a page moves while it follows the platform.
use serde_json::{Value, json};

use super::driver::PAINTED;
use super::{ended, opened};

/// Records the elements that move in every page, and how often a page is reloaded. Text after a number moves when the number's width
/// changes.
const WATCH: &str = "window.moved = []; window.readings = 0; \
    addEventListener('refreshed', () => { readings += 1; }, true); \
    window.shifts = new PerformanceObserver((list) => { for (const { sources } of list.getEntries()) \
    for (const { node } of sources) if (node?.outerHTML) moved.push(node.outerHTML.slice(0, 200)); }); \
    shifts.observe({ type: 'layout-shift', buffered: true })";

#[tokio::test]
async fn nothing_moves_while_a_page_is_live() {
    let Some((site, browser)) = opened(&["--clock", "fixed"]).await else { return };
    browser.open(&site.page("/")).await;
    let king = browser.king().await;
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WATCH })).await;
    let pages = [
        // A trade changes a token's place among trending ones.
        ("tokens", site.page("/?sortBy=oldest")),
        ("trade", site.page(&king)),
        ("auction", site.page("/auction")),
        ("exchange", site.page("/exchange")),
        ("console", site.console()),
    ];
    let trade = json!({ "token": king.rsplit('/').next(), "side": "buy", "amount": "0.001" });
    for (width, height) in [(1_280, 860), (390, 844)] {
        browser.screen(width, height, "light").await;
        for (page, url) in &pages {
            browser.open_live(url).await;
            browser.until("document.getElementById('balances')?.textContent.includes('has ') ?? true").await;
            // Movements before the page was complete do not count.
            browser.value(PAINTED).await;
            browser.run("shifts.takeRecords(); moved.length = 0; readings = 0").await;
            site.order("/_sim/trades", &trade).await;
            site.order("/_sim/clock/advance", &json!({ "seconds": 60 })).await;
            let now = site.now().await;
            let shown = "Date.parse(document.querySelector('#standing time').getAttribute('datetime'))";
            browser.until(&format!("{shown} === {} && readings > 0", now * 1_000)).await;
            browser.value(PAINTED).await;
            let moved: Value = browser.value("moved").await;
            assert_eq!(moved, json!([]), "{page} at {width}");
        }
    }
    // The control: content inserted above the rest moves it.
    browser.run("document.querySelector('main').prepend(Object.assign(document.createElement('p'), { textContent: 'new' }))").await;
    browser.until("moved.length > 0").await;
    ended(site, browser).await;
}
