//! The console: each action takes effect, and the page shows the equivalent call.
use std::collections::BTreeSet;
use std::process::Command;

use serde_json::{Value, json};
use slipway_test_support::{Tool, need};

use super::driver::{Browser, REBOUND};
use super::{Site, ended, opened};

/// The clock's number on the page.
const NOW: &str = "Number(document.getElementById('clock').textContent.match(/\\((\\d+)\\)/)[1])";

async fn tab(browser: &Browser, site: &Site, name: &str) {
    browser.open_live(&format!("{}?tab={name}", site.console())).await;
    browser
        .until(&format!("document.querySelector('nav.tabs [aria-current]').textContent === '{name}'"))
        .await;
}

async fn answered(browser: &Browser, text: &str) {
    browser.until(&format!("document.getElementById('answer').textContent.includes({})", json!(text))).await;
}

#[tokio::test]
async fn each_tab_of_the_console_steers() {
    let options = ["--clock", "fixed", "--defect", "list-count-everything"];
    let Some((site, browser)) = opened(&options).await else { return };
    tab(&browser, &site, "time").await;
    let before = browser.value(NOW).await.as_u64().unwrap();
    browser.fill("form[data-path='/_sim/clock/advance'] input", "86400").await;
    browser.click("form[data-path='/_sim/clock/advance'] button").await;
    browser.until(&format!("{NOW} === {}", before + 86_400)).await;
    let expected = format!(
        "curl -s -X POST -H 'content-type: application/json' -d '{{\"seconds\":86400}}' '{}_sim/clock/advance'",
        site.console()
    );
    assert_eq!(browser.text("#call").await, expected);
    browser.click("button[data-path='/_sim/clock/advance']").await;
    browser.until(&format!("{NOW} === {}", before + 86_460)).await;

    // A checkpoint with a name, a token that fields then suggest, and the way back.
    tab(&browser, &site, "state").await;
    browser.fill("form[data-path='/_sim/checkpoints'] input", "before").await;
    browser.click("form[data-path='/_sim/checkpoints'] button").await;
    browser.until("document.getElementById('checkpoints').textContent.includes('before')").await;
    tab(&browser, &site, "market").await;
    browser.fill("form[data-path='/_sim/launches'] input[name=prebuy]", "0.1").await;
    browser.click("form[data-path='/_sim/launches'] button").await;
    answered(&browser, "\"token\"").await;
    let token =
        browser.value("JSON.parse(document.getElementById('answer').textContent.slice(4)).token").await;
    let token = token.as_str().unwrap();
    let proposed = format!("document.querySelector('#tokens option[value=\"{token}\"]')?.textContent");
    browser.until(&format!("{proposed} === 'Console token (CON), chain 57073'")).await;
    browser.fill("form[data-path='/_sim/tokens/{token}/graduate'] input[name=token]", token).await;
    browser.click("form[data-path='/_sim/tokens/{token}/graduate'] button").await;
    browser.until("document.getElementById('call').textContent.includes('/graduate')").await;
    browser.until("document.getElementById('answer').textContent.startsWith('200')").await;
    tab(&browser, &site, "state").await;
    browser.click("#checkpoints button").await;
    answered(&browser, "200 {\"id\":1}").await;
    // Its notice moves the content below.
    browser.until("document.body.textContent.includes('The platform returned to a checkpoint')").await;
    browser.click("#checkpoints button[data-method=DELETE]").await;
    browser.until("document.getElementById('checkpoints').textContent.includes('No checkpoints yet')").await;

    // Coins for anybody.
    tab(&browser, &site, "accounts").await;
    let stranger = "0x00000000000000000000000000000000000000F1";
    browser.fill("form[data-path='/_sim/faucet'] input[name=address]", stranger).await;
    browser.fill("form[data-path='/_sim/faucet'] input[name=amount]", "2.5").await;
    browser.click("form[data-path='/_sim/faucet'] button").await;
    answered(&browser, "transactionHash").await;
    let balance = site.call(0, "eth_getBalance", json!([stranger, "latest"])).await;
    assert_eq!(balance["result"], "0x22b1c8c1227a0000");
    faults(&browser, &site).await;
    ended(site, browser).await;
}

/// A fault, and a switch of the proxies in front of the platform.
async fn faults(browser: &Browser, site: &Site) {
    tab(browser, site, "faults").await;
    browser.click("form[data-path='/_sim/faults/{fault}'] button").await;
    browser.until("document.getElementById('faults').textContent.includes('/api/tokens')").await;
    browser.until("document.getElementById('faults').textContent.includes('not yet')").await;
    assert_eq!(site.get("/api/tokens").await.code(), 429);
    browser.until("document.getElementById('faults').textContent.includes('1 of 1')").await;
    browser.click("#faults button").await;
    browser.until("document.getElementById('faults').textContent === 'None.'").await;
    browser.click("button[data-path='/_sim/faults/slow']").await;
    browser.until("document.getElementById('faults').textContent.includes('2000 ms late')").await;
    let switch = "#panels input[data-path$='/list-count-everything']";
    browser.until(&format!("document.querySelector(\"{switch}\")?.checked === true")).await;
    browser.click(switch).await;
    answered(browser, "\"on\":false").await;
}

/// The rows of the timeline as text.
async fn rows(browser: &Browser) -> Vec<String> {
    let rows = "[...document.querySelectorAll('#journal tbody tr')].map((row) => row.textContent)";
    let rows = browser.value(rows).await;
    rows.as_array().unwrap().iter().map(|row| row.as_str().unwrap().to_owned()).collect()
}

/// The targets of an element's links.
async fn hrefs(browser: &Browser, selector: &str) -> Vec<String> {
    let hrefs = format!("[...document.querySelectorAll('{selector} a')].map((link) => link.href)");
    serde_json::from_value(browser.value(&hrefs).await).unwrap()
}

#[tokio::test]
async fn what_the_console_names_leads_to_its_page() {
    let public = "https://launch.example";
    for options in [&["--clock", "fixed"][..], &["--clock", "fixed", "--public-url", public]] {
        let Some((site, browser)) = opened(options).await else { return };
        let origin = if options.len() == 2 { site.page("") } else { public.to_owned() };
        let token = site.launch("Linked", "1", "0.1").await;
        let trade = json!({ "token": token, "side": "buy", "amount": "0.01" });
        let bought = site.order("/_sim/trades", &trade).await;
        let account = site.ready["accounts"][0]["address"].as_str().unwrap();
        browser.open_live(&format!("{}?show=transactions", site.console())).await;
        let row = "document.querySelector('#journal tbody tr').textContent";
        browser.until(&format!("{row}.includes(' buy ')")).await;
        let expected = [
            format!("{origin}/block/{}?chainId=57073", bought["block"]),
            format!("{origin}/account/{account}"),
            format!("{origin}/trade/{token}?chainId=57073"),
            format!("{origin}/tx/{}", bought["transactionHash"].as_str().unwrap()),
        ];
        assert_eq!(hrefs(&browser, "#journal tbody tr:first-child").await, expected);
        let head = hrefs(&browser, "#standing").await;
        assert!(head.len() == 2 && head.iter().all(|href| href.starts_with(&format!("{origin}/block/"))));
        // An opened row leads to the request and the response.
        browser.open_live(&format!("{}?show=orders&path=trades", site.console())).await;
        browser.click("#journal tbody a").await;
        browser.until("document.querySelectorAll('#journal pre').length === 2").await;
        let within = hrefs(&browser, "#journal pre").await;
        for text in [token.as_str(), bought["transactionHash"].as_str().unwrap()] {
            assert!(within.contains(&format!("{origin}/search?q={text}")), "{within:?}");
        }
        tab(&browser, &site, "accounts").await;
        assert_eq!(hrefs(&browser, "#accounts").await[0], format!("{origin}/account/{account}"));
        ended(site, browser).await;
    }
}

#[tokio::test]
async fn the_timeline_has_a_kind_for_everything_and_hides_its_own_pages() {
    let Some((site, browser)) = opened(&["--clock", "fixed", "--standard-limit", "5"]).await else { return };
    browser.open_live(&site.page("/")).await;
    site.order("/_sim/checkpoints", &json!({})).await;
    site.launch("Told", "1", "0.1").await;
    site.order("/_sim/clock/advance", &json!({ "seconds": 1 })).await;
    let fault = json!({ "path": "/api/tokens", "effect": { "delayMilliseconds": 1 } });
    site.order_by("PUT", "/_sim/faults/slow", &fault).await;
    // An exhausted limit, with its cause.
    let mut statuses = Vec::new();
    for _ in 0..6 {
        statuses.push(site.get("/api/koti").await.code());
    }
    assert_eq!(statuses.last(), Some(&429));
    browser.open_live(&site.console()).await;
    let cause = "[...document.querySelectorAll('#journal tbody tr')].some((row) => \
                 row.textContent.includes('429') && row.querySelector('.cause').textContent === 'standard-limit')";
    browser.until(cause).await;
    let is_own = |row: &String| row.contains("/assets/") || row.contains("/live");
    assert!(!rows(&browser).await.iter().any(is_own));
    for (show, text) in [
        ("clock", "POST /_sim/clock/advance"),
        ("clock", "clock +1 s → "),
        ("checkpoints", "POST /_sim/checkpoints"),
        ("checkpoints", "checkpoint 1 taken"),
        ("faults", "PUT /_sim/faults/slow"),
        ("requests", "GET /api/koti"),
        ("transactions", " createLaunch 0x"),
        ("pages", "GET /assets/style.css"),
    ] {
        browser.click(&format!("#journal nav a[href*='show={show}']")).await;
        browser
            .until(&format!("document.querySelector('#journal [aria-current]').textContent === '{show}'"))
            .await;
        browser
            .until(&format!(
                "document.querySelector('#journal tbody')?.textContent.includes({})",
                json!(text)
            ))
            .await;
        let rows = rows(&browser).await;
        assert_eq!(rows.iter().any(|row| row.contains("/_sim/clock")), show == "clock", "{rows:?}");
        assert_eq!(rows.iter().any(is_own), show == "pages", "{rows:?}");
    }
    ended(site, browser).await;
}

#[tokio::test]
async fn a_row_opens_to_its_exchange_and_becomes_a_command_a_fault_and_an_archive() {
    let Some((site, browser)) = opened(&["--clock", "fixed"]).await else { return };
    assert_eq!(site.get("/api/tokens?page=nonsense").await.code(), 400);
    assert_eq!(site.get("/api/koti").await.code(), 200);
    let token = site.launch("Opened", "1", "0.1").await;
    site.order("/_sim/trades", &json!({ "token": token, "side": "buy", "amount": "0.01" })).await;
    browser.open_live(&site.console()).await;

    // Only rows that the filter accepts.
    browser.fill("input[name=status]", "4xx").await;
    browser.until("document.querySelectorAll('#journal tbody tr').length === 1").await;
    assert!(rows(&browser).await[0].contains("page=nonsense"));
    browser.fill("input[name=status]", "").await;
    browser.fill("input[name=path]", "/api/KOTI").await;
    browser.until("document.querySelectorAll('#journal tbody tr').length === 1").await;
    browser.fill("input[name=path]", "page=nonsense").await;
    browser.until("document.querySelector('#journal td a')?.textContent.includes('page=nonsense')").await;
    browser.fill("input[name=client]", "no such client").await;
    browser.until("document.querySelectorAll('#journal tbody tr').length === 0").await;
    browser.fill("input[name=client]", "").await;
    browser.until("document.querySelector('#journal td a')?.textContent.includes('page=nonsense')").await;

    // Open, with request, response and cause; it stays open when the page is reloaded.
    browser.click("#journal td a").await;
    browser.until("document.querySelector('.opened pre') !== null").await;
    let shown = browser.text(".opened").await;
    for part in ["GET /api/tokens?page=nonsense", "400", "\"status\": 400", "list-page", "host: 127.0.0.1"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    site.get("/api/koti").await;
    browser.until("document.querySelector('#journal p').textContent.match(/^[3-9] /) !== null").await;
    assert_eq!(browser.value("document.querySelectorAll('.opened').length").await, 1);
    let line = browser.value("document.querySelector('.opened button.copy').title").await;
    if need(&[Tool::Curl]).is_some() {
        let again = shell(line.as_str().unwrap());
        assert!(again.starts_with("HTTP/1.1 400 ") && again.contains("\"error\":"), "{again}");
        // Its row, above the open one.
        browser.until("document.querySelectorAll('#journal tbody tr').length === 3").await;
    }

    // The same requests as an archive.
    let archive = "fetch('/timeline.har' + location.search).then((response) => response.json())";
    let archive = browser.value(archive).await;
    let entries = archive["log"]["entries"].as_array().unwrap();
    assert!(archive["log"]["version"] == "1.2" && entries.iter().all(|entry| entry["_cause"] == "list-page"));
    let entry = &entries[0];
    assert_eq!(entry["request"]["url"], site.page("/api/tokens?page=nonsense"));
    assert_eq!(entry["request"]["queryString"], json!([{ "name": "page", "value": "nonsense" }]));
    assert_eq!(entry["response"]["statusText"], "Bad Request");
    assert!(entry["response"]["content"]["text"].as_str().unwrap().contains("\"status\":400"));

    // A fault that affects the next request.
    browser.click(".opened a[href*='tab=faults']").await;
    browser.until("document.querySelector('input[name=path]').value === '/api/tokens'").await;
    browser.click("form[data-path='/_sim/faults/{fault}'] button").await;
    browser.until("document.getElementById('faults').textContent.includes('not yet')").await;
    assert_eq!(site.get("/api/tokens").await.code(), 429);

    // An order makes calls to the nodes; they are shown decoded.
    browser.open_live(&format!("{}?path=/_sim/trades", site.console())).await;
    browser.click("#journal td a").await;
    browser.until("document.querySelector('.opened .calls') !== null").await;
    let calls = browser.text(".opened .calls").await;
    assert!(calls.contains("57073 eth_call previewBuy("), "{calls}");
    ended(site, browser).await;
}

fn shell(line: &str) -> String {
    let output = Command::new("sh").args(["-c", line]).output().unwrap();
    assert!(output.status.success(), "{line}: {}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// A button with the fields of its form, on a tab.
struct Action<'a> {
    tab: &'a str,
    method: &'a str,
    path: &'a str,
    fields: Vec<(&'a str, String)>,
    /// Members of the answer that differ with every call.
    fresh: &'a [&'a str],
}

fn action<'a>(
    tab: &'a str,
    method: &'a str,
    path: &'a str,
    fields: &[(&'a str, &str)],
    fresh: &'a [&'a str],
) -> Action<'a> {
    let fields = fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Action { tab, method, path, fields, fresh }
}

fn actions<'a>(token: &str, account: &str, now: u64, file: &str) -> Vec<Action<'a>> {
    let disabled = "/_sim/tokens/{token}/disabled";
    let paused = "/_sim/creation-paused?chainId={chainId}";
    vec![
        action("time", "POST", "/_sim/clock/advance", &[("seconds", "60")], &[]),
        action("time", "POST", "/_sim/clock/set", &[("timestamp", &(now + 7_200).to_string())], &[]),
        action("state", "POST", "/_sim/checkpoints", &[("name", "it's one")], &["id"]),
        action(
            "market",
            "POST",
            "/_sim/launches",
            &[("name", "It's \"new\""), ("antiSnipeDuration", "60"), ("account", account)],
            &[],
        ),
        action(
            "market",
            "POST",
            "/_sim/trades",
            &[("token", token), ("side", "sell"), ("amount", "5"), ("chainId", "57073")],
            &[],
        ),
        action(
            "market",
            "POST",
            "/_sim/tokens/{token}/graduate",
            &[("token", token), ("account", account)],
            &[],
        ),
        action("accounts", "POST", "/_sim/captchas", &[("ttlSeconds", "60")], &["token"]),
        action(
            "accounts",
            "POST",
            "/_sim/captcha-auths",
            &[("trader", account), ("launchId", "1")],
            &["nonce", "signature"],
        ),
        action(
            "accounts",
            "POST",
            "/_sim/faucet",
            &[("address", account), ("amount", "0.5"), ("account", account)],
            &[],
        ),
        action("accounts", "POST", "/_sim/bearers", &[("address", account)], &["token"]),
        action("market", "PUT", disabled, &[("token", token)], &[]),
        action("market", "DELETE", disabled, &[("token", token)], &[]),
        action("market", "PUT", paused, &[("chainId", "4663")], &[]),
        action("market", "DELETE", paused, &[("chainId", "4663")], &[]),
        action(
            "faults",
            "PUT",
            "/_sim/faults/{fault}",
            &[("fault", "a b/c"), ("effect.status", ""), ("effect.cut", "true")],
            &[],
        ),
        action("state", "POST", "/_sim/export", &[("file", file)], &["bytes"]),
    ]
}

/// Presses a button until the page makes its call: a simultaneous update may move the button from under the pointer.
async fn press(browser: &Browser, button: &str) {
    for _ in 0..5 {
        browser.value("(document.getElementById('call').textContent = '')").await;
        browser.click(button).await;
        if !browser.text("#call").await.is_empty() {
            return;
        }
    }
    panic!("{button} makes no call");
}

/// The last call as shown, and its answer.
async fn last(browser: &Browser) -> (String, String) {
    browser.until("document.getElementById('answer').textContent !== '…'").await;
    (browser.text("#call").await, browser.text("#answer").await)
}

/// An answer without the members that differ with every call, which must be present.
fn lasting(text: &str, fresh: &[&str]) -> Value {
    let mut answer: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    for name in fresh {
        assert!(answer.as_object_mut().unwrap().remove(*name).is_some(), "{text} has no {name}");
    }
    answer
}

#[tokio::test]
async fn the_line_of_every_button_does_the_same_in_a_shell() {
    let Some(()) = need(&[Tool::Curl]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.slipway");
    // Equal orders give equal blocks.
    let folder_of_exports = folder.path().to_str().unwrap();
    let options = ["--clock", "fixed", "--no-trailing-blocks", "--export", folder_of_exports];
    let Some((site, browser)) = opened(&options).await else { return };
    let token = site.launch("Steered", "1", "0.1").await;
    let now = site.now().await;
    let account = site.ready["accounts"][0]["address"].as_str().unwrap();
    let (mut tried, mut offered, mut shown) = (BTreeSet::new(), BTreeSet::new(), "");
    for Action { tab, method, path, fields, fresh } in actions(&token, account, now, "state.slipway") {
        tried.insert(format!("{method} {path}"));
        let before = site.checkpoint().await;
        if shown != tab {
            self::tab(&browser, &site, tab).await;
            let forms = "[...document.querySelectorAll('form button[data-method]')].map((button) => \
                         `${button.dataset.method} ${button.form.dataset.path}`)";
            let forms = browser.value(forms).await;
            offered.extend(forms.as_array().unwrap().iter().map(|form| form.as_str().unwrap().to_owned()));
            shown = tab;
        }
        let form = format!("form[data-path='{path}']");
        for (name, value) in &fields {
            browser.set(&format!("{form} [name='{name}']"), value).await;
        }
        press(&browser, &format!("{form} button[data-method={method}]")).await;
        let (line, answer) = last(&browser).await;
        let answer = answer.strip_prefix("200 ").unwrap_or_else(|| panic!("{line}: {answer}"));
        site.order(&format!("/_sim/checkpoints/{before}/revert"), &json!({})).await;
        let again = shell(&line);
        assert_eq!(lasting(answer, fresh), lasting(&again, fresh), "{line}");
    }
    assert!(std::fs::read(&file).unwrap().starts_with(b"{\"format\":\"slipway-export\""));

    // The buttons of the items that the page lists.
    for (tab, button, answer) in [
        ("state", "#checkpoints button[aria-label=\"Return to checkpoint 1\"]", "200 {\"id\":1}"),
        ("faults", "#faults button[aria-label=\"Remove fault again\"]", "200 {"),
    ] {
        self::tab(&browser, &site, tab).await;
        site.order_by("PUT", "/_sim/faults/again", &json!({ "path": "/", "effect": { "status": 503 } }))
            .await;
        browser.until(&format!("document.querySelector('{button}') !== null")).await;
        press(&browser, button).await;
        let (line, said) = last(&browser).await;
        assert!(said.starts_with(answer), "{line}: {said}");
        site.order_by("PUT", "/_sim/faults/again", &json!({ "path": "/", "effect": { "status": 503 } }))
            .await;
        assert_eq!(format!("200 {}", shell(&line)), said, "{line}");
    }
    // No form was left out.
    assert_eq!(offered, tried);
    ended(site, browser).await;
}

#[tokio::test]
async fn foreign_pages_and_names_do_not_steer() {
    let Some((site, browser)) = opened(&["--clock", "fixed"]).await else { return };
    let console = site.console();
    let now = site.now().await;
    // A name made to resolve to this machine.
    browser.open(&console.replace("127.0.0.1", REBOUND)).await;
    assert!(browser.text("body").await.contains("loopback address or localhost only"));
    // A page of another origin: with a script that reads nothing, and with a form.
    browser.open("data:text/html,<title>elsewhere</title><form method=post enctype=text/plain><button>go</button></form>").await;
    let advance = format!("{console}_sim/clock/advance");
    let script = format!(
        "fetch({}, {{ method: 'POST', mode: 'no-cors', body: '{{\"seconds\":60}}' }}).then(() => 'sent', String)",
        json!(advance)
    );
    browser.value(&script).await;
    browser.value(&format!("(document.forms[0].action = {})", json!(advance))).await;
    browser.click("button").await;
    browser.until("document.body.innerText.includes('no requests from web pages of other origins')").await;
    // The console's own page without its token.
    browser.open_live(&console).await;
    let script = "fetch('/_sim/clock/advance', { method: 'POST', body: '{\"seconds\":60}' })\
                  .then((response) => response.status)";
    assert_eq!(browser.value(script).await, 403);
    assert_eq!(site.now().await, now);
    browser.forget_errors().await;
    ended(site, browser).await;
}
