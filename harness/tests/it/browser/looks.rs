//! The look and text of the pages: hostile names, accessibility, a phone's width, dark and light, and the pictures of the README.
//!
//! `SLIPWAY_PICTURES=1` writes the pictures to `docs/pictures`.
use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use slipway_scenarios::client::http::Http;
use slipway_scenarios::client::message::Request;
use url::Url;

use super::driver::{Browser, Key, axe};
use super::{Site, ended, opened};

/// Maximum bytes of the first page with everything that it loads, uncompressed.
const FIRST_PAGE: usize = 120_000;

const HOSTILE: [&str; 20] = [
    "<script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "\"><svg onload=window.pwned=1>",
    "' onmouseover='window.pwned=1",
    "</title><script>window.pwned=1</script>",
    "</textarea><script>window.pwned=1</script>",
    "<iframe srcdoc='<script>parent.pwned=1</script>'>",
    "javascript:window.pwned=1",
    "<a href=javascript:window.pwned=1>x</a>",
    "<style>*{display:none}</style>",
    "<base href=https://1.1.1.1/>",
    "<meta http-equiv=refresh content='0;url=https://1.1.1.1'>",
    "<!--",
    "]]>",
    "{{constructor.constructor('window.pwned=1')()}}",
    "${window.pwned=1}",
    "&lt;script&gt;window.pwned=1&lt;/script&gt;",
    "\u{202e}desrever",
    "\u{0}\u{1}\u{7f}control",
    "<template><script>window.pwned=1</script></template>",
];

#[tokio::test]
async fn hostile_names_stay_text() {
    let Some((site, browser)) = opened(&[]).await else { return };
    let mut launched = Vec::new();
    for name in HOSTILE {
        launched.push((name, site.launch(name, "1", "0.01").await));
    }
    browser.open_live(&site.page("/?sortBy=newest")).await;
    for (name, token) in &launched {
        let link = format!(
            "[...document.querySelectorAll('#tokens a')].find((link) => link.href.includes({}))?.querySelector('bdi').textContent",
            json!(token)
        );
        assert_eq!(shown(&browser.value(&link).await), shown(&json!(name)));
    }
    for (name, token) in &launched {
        browser.open_live(&site.page(&format!("/trade/{token}"))).await;
        assert_eq!(
            shown(&browser.value("document.querySelector('h1 bdi').textContent").await),
            shown(&json!(name))
        );
        assert_eq!(browser.value("typeof window.pwned").await, "undefined", "{name}");
        // A form shows the values in its page's address.
        let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("name", name).finish();
        browser.open_live(&site.page(&format!("/create?{query}&description={query}"))).await;
        let typed = browser.value("document.querySelector('#order [name=name]').value").await;
        assert_eq!(shown(&typed), shown(&json!(name)));
        assert_eq!(browser.value("typeof window.pwned").await, "undefined", "{name}");
    }
    // The page of their creator lists them all.
    let creator = site.ready["accounts"][0]["address"].as_str().unwrap();
    browser.open_live(&site.page(&format!("/account/{creator}"))).await;
    assert_eq!(browser.value("document.querySelectorAll('#launched tbody tr').length").await, 10);
    assert_eq!(browser.value("typeof window.pwned").await, "undefined");
    ended(site, browser).await;
}

/// A name without what stands in place of control characters, which HTML forbids.
fn shown(name: &Value) -> String {
    name.as_str().unwrap_or_default().replace(|letter: char| letter.is_control() || letter == '\u{fffd}', "")
}

#[tokio::test]
async fn pages_are_accessible_small_and_fit_every_screen() {
    let Some((site, browser)) = opened(&["--clock", "fixed"]).await else { return };
    let axe = axe().await;
    let token = site.launch("Accessible", "1", "0.2").await;
    site.order("/_sim/trades", &json!({ "token": token, "side": "buy", "amount": "0.3" })).await;
    let sold = site.order("/_sim/trades", &json!({ "token": token, "side": "sell", "amount": "5000" })).await;
    // The King has a history to show.
    browser.open(&site.page("/")).await;
    let king = browser.king().await;
    let transaction = format!("/tx/{}", sold["transactionHash"].as_str().unwrap());
    let pages = [
        ("tokens", site.page("/?sortBy=mcap-high")),
        ("trade", site.page(&format!("{king}?side=buy&amount=0.02"))),
        ("transaction", site.page(&transaction)),
        (
            "account",
            site.page(&format!("/account/{}", site.ready["accounts"][0]["address"].as_str().unwrap())),
        ),
        ("block", site.page(&format!("/block/{}", block_of(&site, &sold["transactionHash"]).await))),
        ("blocks", site.page("/block/1")),
        ("auction", site.page("/auction")),
        ("exchange", site.page("/exchange")),
        ("create", site.page(FILLED)),
        ("leaderboard", site.page("/leaderboard")),
        ("referral", site.page("/referral")),
        ("console", site.console()),
    ];
    let writes_pictures = std::env::var_os("SLIPWAY_PICTURES").is_some();
    for (name, url) in &pages {
        for (width, height, scheme) in
            [(1_280, 860, "light"), (1_024, 700, "dark"), (360, 800, "light"), (360, 800, "dark")]
        {
            browser.screen(width, height, scheme).await;
            browser.open_live(url).await;
            browser.accessible(&axe).await;
            fits(&browser, &format!("{name} at {width}")).await;
            if writes_pictures && (width < 600) == (scheme == "dark") {
                picture(&browser, &format!("{name}-{scheme}")).await;
            }
        }
        weighed(&browser, &site, url).await;
    }
    for (service, name) in [("rest", "REST"), ("swap", "Swap"), ("control", "Control")] {
        let url = site.page(&format!("/docs/api?service={service}"));
        for (width, scheme) in [(1_280, "light"), (360, "dark")] {
            browser.screen(width, 800, scheme).await;
            browser.open(&url).await;
            browser.accessible(&axe).await;
            fits(&browser, &format!("reference of {service} at {width}")).await;
            assert_eq!(browser.text("nav.tabs [aria-current]").await, name);
        }
        weighed(&browser, &site, &url).await;
    }
    for tab in ["time", "market", "faults", "accounts", "state"] {
        for (width, scheme) in [(1_280, "light"), (360, "dark")] {
            browser.screen(width, 800, scheme).await;
            browser.open_live(&format!("{}?tab={tab}", site.console())).await;
            browser.accessible(&axe).await;
            fits(&browser, &format!("{tab} at {width}")).await;
        }
    }
    // Every parameter of the exchange's quote affects its route.
    browser.screen(1_000, 700, "light").await;
    browser.open_live(&site.page("/exchange")).await;
    browser.value("document.querySelector('select[name=tokenOut]').selectedIndex = 3").await;
    browser.fill("input[name=amount]", "0.5").await;
    browser.until("document.querySelectorAll('#quote .route li').length > 1").await;
    keyboard(&browser, &site).await;
    copies(&browser, &site).await;
    ended(site, browser).await;
}

/// Measures the open page as on a first visit: everything that it loads, headers and bodies uncompressed, comes from its own origin and is
/// small. Requests to a node do not count.
async fn weighed(browser: &Browser, site: &Site, url: &str) {
    let loaded = "performance.getEntriesByType('resource').map((entry) => entry.name)";
    let loaded = browser.value(loaded).await;
    let loaded = loaded.as_array().unwrap().iter().map(|name| Url::parse(name.as_str().unwrap()).unwrap());
    let page = Url::parse(url).unwrap();
    let icon = page.join("/assets/icon.svg").unwrap();
    let nodes: Vec<Url> = site.ready["chains"]
        .as_array()
        .unwrap()
        .iter()
        .map(|chain| Url::parse(chain["rpcUrl"].as_str().unwrap()).unwrap())
        .collect();
    // A page that is reloaded because of an event counts once.
    let urls: BTreeSet<Url> = loaded
        .filter(|url| url.path() != "/live" && !nodes.contains(url))
        .chain([page.clone(), icon])
        .collect();
    let mut bytes = 0;
    for url in urls {
        assert_eq!(url.origin(), page.origin(), "a request leaves the platform: {url}");
        let answer = Http::new()
            .unwrap()
            .send_once(Request { url: url.clone(), ..Request::get(&url, "", &[]) })
            .await
            .unwrap();
        assert!(answer.code() == 200 && !answer.headers.contains_key("content-encoding"), "{url}");
        let head: usize =
            answer.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
        bytes += head + answer.body.len();
    }
    assert!(bytes <= FIRST_PAGE, "{url}: {bytes}");
}

#[tokio::test]
async fn pages_are_laid_out_for_every_width() {
    let Some((site, browser)) = opened(&["--clock", "fixed"]).await else { return };
    browser.open(&site.page("/")).await;
    let king = browser.king().await;
    let token = king.rsplit('/').next().unwrap();
    let record = site.get(&format!("/api/token?address={token}")).await.json().unwrap();
    let text = |name: &str| record[name].as_str().unwrap();
    let block = format!("/block/{}?chainId={}", record["block_number"], record["chain_id"]);
    let others = [
        format!("/tx/{}", text("transaction_hash")),
        format!("/account/{}", text("owner")),
        block,
        FILLED.to_owned(),
        "/auction".to_owned(),
        "/exchange?amount=0.5".to_owned(),
        "/leaderboard".to_owned(),
        format!("/referral?address={}", text("owner")),
    ];
    let long = long_sale(&site).await;
    for (width, height) in [(390, 844), (768, 1_024), (1_280, 900), (1_920, 1_080)] {
        browser.screen(width, height, "light").await;
        browser.open_live(&site.page(&format!("/tx/{long}"))).await;
        browser
            .run("document.querySelectorAll('.calls details').forEach((call) => { call.open = true; })")
            .await;
        fits(&browser, &format!("a long sale at {width}")).await;
        for path in &others {
            browser.open_live(&site.page(path)).await;
            fits(&browser, &format!("{path} at {width}")).await;
        }
        browser.open_live(&site.page("/")).await;
        fits(&browser, &format!("tokens at {width}")).await;
        let rows = "[...document.querySelectorAll('#tokens tbody tr')].map((row) => row.getBoundingClientRect().height)";
        let heights: Vec<f64> = serde_json::from_value(browser.value(rows).await).unwrap();
        assert_eq!(heights.len(), 20);
        let is_phone = width < 600;
        let arrow =
            "parseFloat(getComputedStyle(document.querySelector('[aria-sort] a'), '::after').right) >= 0";
        assert!(is_phone || browser.value(arrow).await == true, "the arrow leaves its column at {width}");
        assert!(!is_phone || heights.iter().sum::<f64>() <= 1_400.0, "tokens at {width}: {heights:?}");
        // Each row shows its token's chain and kind.
        let marks = browser.value("document.querySelector('#tokens tbody .marks').textContent").await;
        assert!(marks.as_str().unwrap().contains("V"), "{marks}");
        browser.open_live(&site.page(&format!("{king}?side=buy&amount=0.02"))).await;
        browser.until("document.querySelector('#balances data') !== null").await;
        fits(&browser, &format!("trade at {width}")).await;
        // Price and form are within the first screen, above the bar of a phone.
        let bottom = browser
            .value(
                "Math.min(innerHeight, ...[...document.querySelectorAll('.deal')].map((bar) => \
                 bar.getBoundingClientRect()).filter(({ height }) => height > 0).map(({ top }) => top)) - \
                 document.getElementById('send').getBoundingClientRect().bottom",
            )
            .await;
        assert!(bottom.as_f64().unwrap() >= 0.0, "the form ends {bottom} before the screen at {width}");
        let bar =
            browser.value("getComputedStyle(document.querySelector('.deal')).position === 'fixed'").await;
        assert_eq!(bar, is_phone, "{width}");
        let size = "parseFloat(getComputedStyle(document.querySelector('#price')).fontSize)";
        let largest = format!(
            "{size} >= Math.max(...[...document.querySelectorAll('main h1, main dd')].map((one) => parseFloat(getComputedStyle(one).fontSize)))"
        );
        assert_eq!(browser.value(&largest).await, true, "the price is the largest at {width}");
    }
    // Links and search share a line, or not, at every width; the head of a page of an error has no state.
    for width in (940..=1_060).step_by(20) {
        browser.screen(width, 700, "light").await;
        browser.open_live(&site.page("/auction")).await;
        fits(&browser, &format!("auction at {width}")).await;
        browser.run("document.querySelector('header .state').replaceChildren()").await;
        fits(&browser, &format!("a page without state at {width}")).await;
    }
    // The bar leads to the field from the end of the page, and covers nothing of the form while this is on the screen.
    browser.screen(390, 844, "light").await;
    browser.open_live(&site.page(&king)).await;
    browser.until("getComputedStyle(document.querySelector('.deal')).display === 'none'").await;
    browser.run("scrollTo(0, document.body.scrollHeight)").await;
    browser.until("getComputedStyle(document.querySelector('.deal')).display === 'grid'").await;
    browser.click(".deal .sell").await;
    browser
        .until("document.activeElement.name === 'amount' && document.querySelector('[value=sell]').checked")
        .await;
    ended(site, browser).await;
}

#[tokio::test]
async fn rows_of_the_timeline_are_whole_on_a_phone() {
    let Some((site, browser)) = opened(&["--clock", "fixed"]).await else { return };
    let token = site.launch("Rows", "1", "0.05").await;
    site.order("/_sim/trades", &json!({ "token": token, "side": "sell", "amount": "5" })).await;
    // A call that reverts, with an error that the contract names.
    let from = &site.ready["accounts"][0]["address"];
    let call = json!({ "from": from, "to": site.ready["chains"][0]["hook"], "data": "0x12345678", "gas": "0x30d40" });
    site.call(0, "eth_sendTransaction", json!([call])).await;
    site.get("/api/token?address=7").await;
    browser.screen(390, 844, "light").await;
    browser.open_live(&site.console()).await;
    let row = |text: &str| {
        format!(
            "[...document.querySelectorAll('#journal tbody tr')].find((row) => row.textContent.includes('{text}'))"
        )
    };
    // What is in a row is within it, and the last line of it is not empty.
    for text in ["5 TST → ", "REVERTED", "/_sim/trades", "/api/token?address=7"] {
        browser.until(&format!("{} !== undefined", row(text))).await;
        let rest = format!(
            "(() => {{ const row = {}; const range = document.createRange(); range.selectNodeContents(row); \
             return row.getBoundingClientRect().bottom - range.getBoundingClientRect().bottom; }})()",
            row(text)
        );
        let rest = browser.value(&rest).await.as_f64().unwrap();
        assert!((0.0..20.0).contains(&rest), "{text}: {rest} px between the text and the end of its row");
    }
    ended(site, browser).await;
}

/// What only a script does is not offered where there is none (Media Queries 5, section 8.1: `scripting`).
#[tokio::test]
async fn a_page_without_a_script_shows_no_sign_of_one() {
    let Some((site, browser)) = opened(&[]).await else { return };
    let shown = "[...document.querySelectorAll('#connection, .copy:empty')].filter((sign) => sign.offsetWidth > 0).length";
    let page = site.page("/leaderboard");
    browser.open_live(&page).await;
    assert!(browser.value(shown).await.as_u64() > Some(1));
    browser.devtools("Emulation.setScriptExecutionDisabled", json!({ "value": true })).await;
    browser.open(&page).await;
    assert_eq!(browser.value(shown).await, 0);
    ended(site, browser).await;
}

#[tokio::test]
async fn the_search_of_every_page_finds() {
    let Some((site, browser)) = opened(&[]).await else { return };
    let token = site.launch("Findable", "1", "0.05").await;
    let bought =
        site.order("/_sim/trades", &json!({ "token": token, "side": "buy", "amount": "0.01" })).await;
    let hash = bought["transactionHash"].as_str().unwrap();
    let block = block_of(&site, &bought["transactionHash"]).await;
    let account = site.ready["accounts"][1]["address"].as_str().unwrap();
    for (text, path) in [
        (token.as_str(), format!("/trade/{token}")),
        (hash, format!("/tx/{hash}")),
        (account, format!("/account/{account}")),
        (&block, format!("/block/{block}")),
        ("#1", "/block/1".to_owned()),
        ("Findable", "/".to_owned()),
    ] {
        browser.open_live(&site.page("/auction")).await;
        browser.fill("header [name=q]", text).await;
        browser.press(Key::Enter).await;
        browser.until(&format!("location.pathname.toLowerCase() === '{}'", path.to_lowercase())).await;
    }
    browser.until("document.querySelectorAll('#tokens tbody tr').length === 1").await;
    // From a transaction to its block, to the account that sent it, and to that account's activity.
    browser.open_live(&site.page(&format!("/tx/{hash}"))).await;
    browser.click("#transaction #block a").await;
    browser.until(&format!("document.querySelector('#hash button')?.title === '{block}'")).await;
    assert!(browser.text(&format!("tr[data-transaction='{hash}']")).await.contains("buy"));
    browser.click(&format!("tr[data-transaction='{hash}'] .address a")).await;
    browser.until("location.pathname.startsWith('/account/')").await;
    browser
        .until(&format!("document.querySelector('#latest tr[data-transaction=\"{hash}\"]') !== null"))
        .await;
    assert!(browser.text("#holdings").await.contains("Findable"));
    // A block number that both chains have leads to a choice.
    browser.open_live(&site.page("/block/1")).await;
    assert_eq!(browser.value("document.querySelectorAll('#blocks tbody tr').length").await, 2);
    browser.click("#blocks tbody a").await;
    browser.until("document.querySelector('#block #hash') !== null").await;
    ended(site, browser).await;
}

/// The hash of a sale whose amount has as many digits as an amount can have.
async fn long_sale(site: &Site) -> String {
    let launch = json!({ "name": "Long", "ticker": "NEWBNEWBNEWB", "targetRaise": "1", "prebuy": "0.3" });
    let token = site.order("/_sim/launches", &launch).await["token"].clone();
    let sale = json!({ "token": token, "side": "sell", "amount": "113909630.764751827551273725" });
    site.order("/_sim/trades", &sale).await["transactionHash"].as_str().unwrap().to_owned()
}

/// The hash of the block of a transaction of the primary chain.
async fn block_of(site: &Site, transaction: &Value) -> String {
    let receipt = site.rpc("eth_getTransactionReceipt", json!([transaction])).await;
    receipt["blockHash"].as_str().unwrap().to_owned()
}

/// No table is wider than its container, and no text is cut off, neither by the edge of the page nor by its own element.
async fn fits(browser: &Browser, page: &str) {
    let wide = "[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth + 1)\
                .map((one) => one.ariaLabel)";
    assert_eq!(browser.value(wide).await, json!([]), "{page}");
    let cut = "[...document.querySelectorAll('main :is(td, th, dd, dt, p, h1, h2, a, data, time, button, label)')]\
               .filter((one) => { const { left, right, width } = one.getBoundingClientRect(); \
               return width > 1 && left > -1000 && (left < -1 || right > innerWidth + 1 || \
               (getComputedStyle(one).overflowX !== 'visible' && one.scrollWidth > one.clientWidth + 1)); })\
               .map((one) => one.outerHTML.slice(0, 200))";
    assert_eq!(browser.value(cut).await, json!([]), "{page}");
    // The label of a cell is part of it, and a label that is too long runs into the next one.
    let run = "[...document.querySelectorAll('main td[data-label]')].filter((one) => one.clientWidth > 1 && \
               one.scrollWidth > one.clientWidth + 1).map((one) => one.outerHTML.slice(0, 200))";
    assert_eq!(browser.value(run).await, json!([]), "{page}");
    browser.until("document.documentElement.scrollWidth <= innerWidth").await;
    // A field has the room for what it says of itself.
    let hints = "[...document.querySelectorAll('input[placeholder]')].filter((one) => { const { value, placeholder } = one; \
                 one.value = placeholder; const cut = one.clientWidth > 1 && one.scrollWidth > one.clientWidth; \
                 one.value = value; return cut; }).map((one) => one.placeholder)";
    assert_eq!(browser.value(hints).await, json!([]), "{page}");
    // Every link of the head is in sight.
    let hidden = "[...document.querySelectorAll('header nav a')].filter((one) => { \
                  const { left, right } = one.getBoundingClientRect(); return left < -1 || right > innerWidth + 1; })\
                  .map((one) => one.textContent)";
    assert_eq!(browser.value(hidden).await, json!([]), "{page}");
}

/// A page can be used without a pointer: the content and the filter can be reached, and the focused element is outlined.
async fn keyboard(browser: &Browser, site: &Site) {
    browser.open_live(&site.page("/")).await;
    browser.press(Key::Tab).await;
    assert_eq!(browser.value("document.activeElement.className").await, "skip");
    browser.press(Key::Enter).await;
    browser.until("document.activeElement.id === 'content'").await;
    // The King and the Emperor come first in the tab order.
    let mut passed = 0;
    while browser.value("document.activeElement.name ?? ''").await != "search" {
        browser.press(Key::Tab).await;
        assert_eq!(browser.value("getComputedStyle(document.activeElement).outlineStyle").await, "solid");
        passed += 1;
        assert!(passed <= 3);
    }
    browser.insert("Accessible").await;
    browser.press(Key::Enter).await;
    browser.until("document.querySelectorAll('#tokens tbody tr').length === 1").await;
    assert_eq!(browser.value("document.activeElement.name").await, "search");
    browser.click("#tokens tbody th a").await;
    browser.until("document.getElementById('connection')?.textContent === 'live'").await;
}

/// A click on a number or an address copies it in full.
async fn copies(browser: &Browser, site: &Site) {
    let origin = site.page("");
    let granted =
        json!({ "origin": origin, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
    browser.devtools("Browser.grantPermissions", granted).await;
    for (selector, is_by_key) in [("#price data", false), (".title .copy", false), ("#trades .copy", true)] {
        let whole = browser.value(&format!("document.querySelector('{selector}').title")).await;
        if is_by_key {
            browser.value(&format!("document.querySelector('{selector}').focus()")).await;
            browser.press(Key::Enter).await;
        } else {
            browser.click(selector).await;
        }
        browser
            .until(&format!("document.getElementById('copied').textContent === 'Copied ' + {whole}"))
            .await;
        assert_eq!(browser.value("navigator.clipboard.readText()").await, whole);
    }
}

/// A valid launch.
const FILLED: &str = "/create?name=A&ticker=T&description=d&imageUrl=https%3A%2F%2Fhost.net&prebuyEth=0.5";

/// The pictures in the README.
const SHOWN: [&str; 5] = ["tokens-light", "trade-light", "trade-dark", "exchange-light", "console-light"];

/// Writes the picture if the README shows it.
async fn picture(browser: &Browser, name: &str) {
    if SHOWN.contains(&name) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pictures");
        browser.picture(&folder.join(format!("{name}.png"))).await;
    }
}
