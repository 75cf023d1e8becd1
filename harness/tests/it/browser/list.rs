//! The list of tokens: for every filter and order of its form the page shows the list endpoint's answer.
use serde_json::{Value, json};

use super::driver::Browser;
use super::{Site, ended, opened};

/// Fields of the form that are set together, with their values.
const ASKED: [&[(&str, &str)]; 14] = [
    &[("sortBy", "newest")],
    &[("sortBy", "oldest")],
    &[("sortBy", "mcap-high")],
    &[("sortBy", "mcap-low")],
    &[("sortBy", "trending"), ("timeframe", "24h")],
    &[("sortBy", "trending"), ("timeframe", "6h")],
    &[("sortBy", "trending"), ("timeframe", "1h")],
    &[("sortBy", "trending"), ("timeframe", "5m")],
    &[("status", "funding"), ("socials", "website")],
    &[("status", "live"), ("sortBy", "oldest"), ("socials", "messenger,microblog,website")],
    &[("fundingMin", "0.1"), ("fundingMax", "0.9"), ("status", "funding")],
    &[("marketCapMin", "1"), ("marketCapMax", "4")],
    &[("txCountMin", "3"), ("txCountMax", "20"), ("socials", "messenger")],
    &[
        ("createdFrom", "2026-03-03T12:00:00Z"),
        ("createdTo", "2026-03-03T12:30:00Z"),
        ("socials", "microblog"),
    ],
];

/// The tokens that the page shows, in its order.
const SHOWN: &str = "[...document.querySelectorAll('#tokens tbody th a')].map((link) => \
                     new URL(link.href).pathname.split('/')[2].toLowerCase())";

/// The list endpoint's answer to a query: its tokens, and their number on all pages.
async fn listed(site: &Site, fields: &[(&str, &str)]) -> (Vec<String>, u64) {
    let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    let answer = site.get(&format!("/api/tokens?{query}")).await.json().unwrap();
    let tokens = answer["tokens"].as_array().unwrap().iter();
    let addresses = tokens.map(|token| token["address"].as_str().unwrap().to_lowercase()).collect();
    (addresses, answer["totalCount"].as_u64().unwrap())
}

/// The page's default order: trending tokens first, unlike the endpoint.
const TRENDING: &[(&str, &str)] = &[("sortBy", "trending")];
/// The filter applies as soon as a field changes.
const CHANGED: &str =
    "document.querySelector('form.filters').dispatchEvent(new Event('input', { bubbles: true }))";

/// Waits until the page shows these tokens and this total.
async fn shows(browser: &Browser, (addresses, total): &(Vec<String>, u64)) {
    let rows = format!("JSON.stringify({SHOWN}) === {}", json!(json!(addresses).to_string()));
    let count = format!("document.querySelector('#tokens p').textContent === '{total} tokens'");
    browser.until(&format!("{rows} && {count}")).await;
}

#[tokio::test]
async fn the_list_is_filtered_and_ordered_as_the_service_does_it() {
    let Some((site, browser)) = opened(&["--clock", "fixed"]).await else { return };
    browser.open_live(&site.page("/")).await;
    let everything = listed(&site, TRENDING).await;
    shows(&browser, &everything).await;
    let mut answers = vec![everything.clone()];
    for fields in ASKED {
        browser.value("document.querySelector('form.filters').reset()").await;
        for (name, value) in fields {
            browser.set(&format!("form.filters [name={name}]"), value).await;
        }
        browser.value(CHANGED).await;
        let is_ordered = fields.iter().any(|(name, _)| *name == "sortBy");
        let answer = listed(&site, &[fields, if is_ordered { &[] } else { TRENDING }].concat()).await;
        assert!(answer.1 > 0, "nothing to show for {fields:?}");
        shows(&browser, &answer).await;
        answers.push(answer);
    }
    // Each query has a different answer; the first is repeated by the order of a day.
    for (place, answer) in answers.iter().enumerate().skip(1) {
        assert!(!answers[1..place].contains(answer), "{:?} shows nothing of its own", ASKED[place - 1]);
    }
    browser.value("document.querySelector('form.filters').reset()").await;
    search(&browser, &site, &everything.0[3]).await;
    columns(&browser, &site).await;
    pages(&browser, &site).await;
    ended(site, browser).await;
}

/// Typing alone searches.
async fn search(browser: &Browser, site: &Site, address: &str) {
    browser.fill("form.filters [name=search]", address).await;
    shows(browser, &listed(site, &[("search", address)]).await).await;
    assert_eq!(browser.value(&format!("{SHOWN}.length")).await, 1);
    // A search without results offers a way out.
    browser.fill("form.filters [name=search]", "no such token anywhere").await;
    browser.until("document.querySelector('#tokens .empty') !== null").await;
    assert_eq!(browser.text("#tokens .empty p").await, "No token matches all of this.");
    browser.click("#tokens .empty a").await;
    browser.until("document.getElementById('connection')?.textContent === 'live'").await;
    shows(browser, &listed(site, TRENDING).await).await;
    assert_eq!(browser.value("document.querySelector('[name=search]').value").await, "");
}

/// The value that a column shows in each row, for comparison.
const VALUES: &str = "[...document.querySelectorAll('#tokens tbody tr')].map((row) => { \
                      const cell = row.children[place]; const value = cell.querySelector('data, progress')?.value; \
                      return value === undefined ? cell.querySelector('time').dateTime : Number(value); })";

/// A click on a column sorts by it, and a second one reverses the order.
async fn columns(browser: &Browser, site: &Site) {
    for (text, order, direction) in [
        ("Market cap", "mcap-high", "descending"),
        ("Market cap", "mcap-low", "ascending"),
        ("Trades", "trending", "descending"),
        ("Created", "newest", "descending"),
        ("Created", "oldest", "ascending"),
    ] {
        sorted(browser, text, direction).await;
        shows(browser, &listed(site, &[("sortBy", order)]).await).await;
        assert_eq!(browser.value("document.querySelector('[name=sortBy]').value").await, order);
    }
    let columns = browser.value("document.querySelectorAll('#tokens thead th').length").await;
    assert_eq!(browser.value("document.querySelectorAll('#tokens thead a').length").await, columns);
    for (text, place) in
        [("Price", 2), ("24 h", 3), ("Raised", 5), ("Volume", 6), ("Trades", 7), ("Holders", 8)]
    {
        for direction in ["descending", "ascending"] {
            sorted(browser, text, direction).await;
            let values = browser.value(&format!("((place) => {VALUES})({place})")).await;
            let values: Vec<f64> = serde_json::from_value(values).unwrap();
            assert_eq!(values.len(), 20);
            let is_sorted = if direction == "ascending" {
                values.is_sorted()
            } else {
                values.is_sorted_by(|first, second| first >= second)
            };
            assert!(is_sorted && (values[19] - values[0]).abs() > 0.0, "{text} {direction}: {values:?}");
        }
    }
}

/// Clicks on a column until its order has this direction.
async fn sorted(browser: &Browser, text: &str, direction: &str) {
    let link = format!(
        "[...document.querySelectorAll('#tokens thead a')].find((one) => one.textContent.startsWith('{text}'))"
    );
    if browser.value(&format!("{link}.closest('th').ariaSort")).await != direction {
        browser.value(&format!("{link}.click()")).await;
    }
    browser
        .until(&format!(
            "document.readyState === 'complete' && {link}?.closest('th').ariaSort === '{direction}'"
        ))
        .await;
}

async fn pages(browser: &Browser, site: &Site) {
    browser.open_live(&site.page("/?sortBy=oldest")).await;
    let mut seen: Vec<Value> = Vec::new();
    let mut page = 1;
    loop {
        let number = page.to_string();
        let answer = listed(site, &[("sortBy", "oldest"), ("page", &number)]).await;
        shows(browser, &answer).await;
        seen.extend(browser.value(SHOWN).await.as_array().unwrap().iter().cloned());
        if browser.value("document.querySelector('nav.paging a[rel=next]') === null").await == true {
            assert_eq!(seen.len() as u64, answer.1);
            break;
        }
        page += 1;
        browser.click("nav.paging a[rel=next]").await;
        browser.until("document.getElementById('connection')?.textContent === 'live'").await;
    }
    browser.click("nav.paging a[rel=prev]").await;
    shows(browser, &listed(site, &[("sortBy", "oldest"), ("page", &(page - 1).to_string())]).await).await;
}
