//! The pages by keyboard alone and on narrow screens, as at a high zoom: what has the focus is in sight, and names are whole.
use serde_json::{Value, json};

use super::driver::{Browser, Key};
use super::{ended, opened};

#[tokio::test]
async fn the_focus_is_in_sight_and_names_are_whole() {
    let Some((site, browser)) = opened(&["--clock", "fixed"]).await else { return };
    let order = json!({ "name": "Narrow", "ticker": "NRW", "targetRaise": "1", "prebuy": "0.1" });
    let launched = site.order("/_sim/launches", &order).await;
    for (width, url) in [(360, site.page("/")), (800, format!("{}?tab=market", site.console()))] {
        browser.screen(width, 700, "light").await;
        browser.open_live(&url).await;
        in_sight(&browser, &url).await;
    }
    browser.screen(360, 700, "light").await;
    let transaction = format!("/tx/{}", launched["transactionHash"].as_str().unwrap());
    for path in [&transaction, "/docs/api?service=rest"] {
        browser.open(&site.page(path)).await;
        browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })").await;
        let broken = "[...document.querySelectorAll('main :is(dt, #events th)')].filter((one) => [...one.childNodes].some((node) => { \
            const range = new Range(); range.selectNodeContents(node); \
            return new Set([...range.getClientRects()].map((line) => Math.round(line.top))).size > 1; })).map((one) => one.textContent)";
        assert_eq!(browser.value(broken).await, json!([]), "{path}");
        let wide = "[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth + 1).length";
        assert_eq!(browser.value(wide).await, 0, "{path}");
        assert!(browser.value("document.querySelectorAll('dt').length").await.as_u64() > Some(20), "{path}");
    }
    ended(site, browser).await;
}

/// WCAG 2.2, 2.4.7 and 2.4.11: what has the focus is on the screen, and nothing that stays in its place there covers it.
async fn in_sight(browser: &Browser, page: &str) {
    let (mut passed, mut missed) = (0, Vec::new());
    loop {
        browser.press(Key::Tab).await;
        let seen = "(() => { const one = document.activeElement; if (one === document.body) return null; \
            const { left, right, top, bottom } = one.getBoundingClientRect(); \
            const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2); \
            const own = one.closest('label') ?? one; \
            const fixed = over && [...document.querySelectorAll('#last, .deal')].some((it) => it.contains(over)); \
            return over && (own.contains(over) || !fixed) ? true : one.outerHTML.slice(0, 100); })()";
        match browser.value(seen).await {
            Value::Null => break,
            Value::Bool(true) => {}
            other => missed.push(other),
        }
        passed += 1;
        assert!(passed < 200, "{page}: the focus goes round");
    }
    assert_eq!(missed, Vec::<Value>::new(), "{page}");
    assert!(passed > 20, "{page}: {passed}");
}
