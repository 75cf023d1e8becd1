//! The console: each action takes effect, and is shown as the call that does the same.
use std::collections::BTreeSet;
use std::process::Command;

use serde_json::{Value, json};
use slipway_test_support::{Tool, need};

use super::driver::{Browser, REBOUND};
use super::{ended, opened};

#[tokio::test]
async fn the_console_steers_and_finds_the_cause_of_a_refusal() {
    let options = ["--clock", "fixed", "--standard-limit", "5", "--defect", "list-count-everything"];
    let Some((site, browser)) = opened(&options).await else { return };
    browser.open_live(&site.console()).await;
    let now = "Number(document.getElementById('clock').textContent.match(/\\((\\d+)\\)/)[1])";
    let before = browser.value(now).await.as_u64().unwrap();
    browser.fill("form[data-path='/_sim/clock/advance'] input", "86400").await;
    browser.click("form[data-path='/_sim/clock/advance'] button").await;
    browser.until(&format!("{now} === {}", before + 86_400)).await;
    let call = browser.text("#call").await;
    let expected = format!(
        "curl -s -X POST -H 'content-type: application/json' -d '{{\"seconds\":86400}}' '{}_sim/clock/advance'",
        site.console()
    );
    assert_eq!(call, expected);

    // A limit that was used up, with its cause.
    let mut statuses = Vec::new();
    for _ in 0..6 {
        statuses.push(site.get("/api/koti").await.code());
    }
    assert_eq!(statuses.last(), Some(&429));
    let cause = "[...document.querySelectorAll('#journal tbody tr')].some((row) => \
                 row.textContent.includes('429') && row.querySelector('.cause').textContent === 'standard-limit')";
    browser.until(cause).await;

    // A checkpoint with a name, and back.
    browser.fill("form[data-path='/_sim/checkpoints'] input", "before").await;
    browser.click("form[data-path='/_sim/checkpoints'] button").await;
    browser.until("document.getElementById('checkpoints').textContent.includes('before')").await;
    browser.fill("form[data-path='/_sim/launches'] input[name=prebuy]", "0.1").await;
    browser.click("form[data-path='/_sim/launches'] button").await;
    browser.until("document.getElementById('answer').textContent.includes('\"token\"')").await;
    let token =
        browser.value("JSON.parse(document.getElementById('answer').textContent.slice(4)).token").await;
    let token = token.as_str().unwrap();
    browser.fill("form[data-path='/_sim/tokens/{token}/graduate'] input[name=token]", token).await;
    browser.click("form[data-path='/_sim/tokens/{token}/graduate'] button").await;
    browser
        .until(
            "document.getElementById('call').textContent.includes('/graduate') && \
                   document.getElementById('answer').textContent.startsWith('200')",
        )
        .await;
    browser.click("#checkpoints button").await;
    browser.until("document.getElementById('answer').textContent.startsWith('200 {\"id\":1}')").await;

    // A fault, and a switch of the proxies in front of the platform.
    browser.click("form[data-path='/_sim/faults/{fault}'] button").await;
    browser.until("document.getElementById('faults').textContent.includes('/api/tokens')").await;
    browser.until("document.getElementById('faults').textContent.includes('not yet')").await;
    assert_eq!(site.get("/api/tokens").await.code(), 429);
    browser.until("document.getElementById('faults').textContent.includes('1 of 1')").await;
    browser.click("#faults button").await;
    browser.until("document.getElementById('faults').textContent === 'None.'").await;
    let switch = "#panels input[data-path$='/list-count-everything']";
    assert_eq!(browser.value(&format!("document.querySelector(\"{switch}\").checked")).await, true);
    browser.click(switch).await;
    browser.until("document.getElementById('answer').textContent.includes('\"on\":false')").await;
    presets_and_timeline(&browser).await;
    ended(site, browser).await;
}

/// Buttons that need no field, and what the timeline shows of these actions.
async fn presets_and_timeline(browser: &Browser) {
    browser.click("button[data-path='/_sim/faults/slow']").await;
    browser.until("document.getElementById('faults').textContent.includes('2000 ms late')").await;
    browser.click("button[data-path='/_sim/clock/advance']").await;
    browser.until("document.getElementById('call').textContent.includes('{\"seconds\":60}')").await;
    browser.until("document.getElementById('answer').textContent.startsWith('200')").await;
    for (show, text) in [
        ("clock", "POST /_sim/clock/advance"),
        ("checkpoints", "POST /_sim/checkpoints/1/revert"),
        ("faults", "PUT /_sim/faults/slow"),
        ("orders", "POST /_sim/launches"),
        ("requests", "GET /api/koti"),
        ("transactions", "purchase"),
    ] {
        browser.click(&format!("#journal nav a[href*='show={show}']")).await;
        browser
            .until(&format!("document.querySelector('#journal [aria-current]').textContent === '{show}'"))
            .await;
        let rows = browser
            .value("[...document.querySelectorAll('#journal tbody tr')].map((row) => row.textContent)")
            .await;
        let rows = rows.as_array().unwrap();
        assert!(rows.iter().any(|row| row.as_str().unwrap().contains(text)), "{show}: {rows:?}");
        let is_clock = |row: &Value| row.as_str().unwrap().contains("/_sim/clock");
        assert_eq!(rows.iter().any(is_clock), show == "clock", "{rows:?}");
    }
}

fn shell(line: &str) -> String {
    let output = Command::new("sh").args(["-c", line]).output().unwrap();
    assert!(output.status.success(), "{line}: {}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// A button with the fields of its form.
struct Action<'a> {
    method: &'a str,
    path: &'a str,
    fields: Vec<(&'a str, String)>,
    /// Members of the answer that are new with every call.
    fresh: &'a [&'a str],
}

fn action<'a>(
    method: &'a str,
    path: &'a str,
    fields: &[(&'a str, &str)],
    fresh: &'a [&'a str],
) -> Action<'a> {
    let fields = fields.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Action { method, path, fields, fresh }
}

fn actions<'a>(token: &str, account: &str, now: u64, file: &str) -> Vec<Action<'a>> {
    let disabled = "/_sim/tokens/{token}/disabled";
    let paused = "/_sim/creation-paused?chainId={chainId}";
    vec![
        action("POST", "/_sim/clock/advance", &[("seconds", "60")], &[]),
        action("POST", "/_sim/clock/set", &[("timestamp", &(now + 7_200).to_string())], &[]),
        action("POST", "/_sim/checkpoints", &[("name", "it's one")], &["id"]),
        action(
            "POST",
            "/_sim/launches",
            &[("name", "It's \"new\""), ("antiSnipeDuration", "60"), ("account", account)],
            &[],
        ),
        action(
            "POST",
            "/_sim/trades",
            &[("token", token), ("side", "sell"), ("amount", "5"), ("chainId", "57073")],
            &[],
        ),
        action("POST", "/_sim/tokens/{token}/graduate", &[("token", token), ("account", account)], &[]),
        action("POST", "/_sim/captchas", &[("ttlSeconds", "60")], &["token"]),
        action(
            "POST",
            "/_sim/captcha-auths",
            &[("trader", account), ("launchId", "1")],
            &["nonce", "signature"],
        ),
        action("POST", "/_sim/bearers", &[("address", account)], &["token"]),
        action("PUT", disabled, &[("token", token)], &[]),
        action("DELETE", disabled, &[("token", token)], &[]),
        action("PUT", paused, &[("chainId", "4663")], &[]),
        action("DELETE", paused, &[("chainId", "4663")], &[]),
        action(
            "PUT",
            "/_sim/faults/{fault}",
            &[("fault", "a b/c"), ("effect.status", ""), ("effect.cut", "true")],
            &[],
        ),
        action("POST", "/_sim/export", &[("file", file)], &["bytes"]),
    ]
}

/// Presses a button until the page makes its call: a change that is displayed just then may move the button from under the pointer.
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

/// The last call as it is shown, and its answer.
async fn last(browser: &Browser) -> (String, String) {
    browser.until("document.getElementById('answer').textContent !== '…'").await;
    (browser.text("#call").await, browser.text("#answer").await)
}

/// An answer without what is new with every call, which must be there.
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
    // Placing the same orders twice gives equal blocks.
    let folder_of_exports = folder.path().to_str().unwrap();
    let options = ["--clock", "fixed", "--no-trailing-blocks", "--export", folder_of_exports];
    let Some((site, browser)) = opened(&options).await else { return };
    let token = site.launch("Steered", "1", "0.1").await;
    let now = site.now().await;
    let account = site.ready["accounts"][0]["address"].as_str().unwrap();
    browser.open_live(&site.console()).await;
    let mut tried = BTreeSet::new();
    for Action { method, path, fields, fresh } in actions(&token, account, now, "state.slipway") {
        tried.insert(format!("{method} {path}"));
        let before = site.checkpoint().await;
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
    for (button, answer) in [
        ("#checkpoints button[aria-label=\"Return to checkpoint 1\"]", "200 {\"id\":1}"),
        ("#faults button[aria-label=\"Remove fault again\"]", "200 {"),
    ] {
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
    let forms = "[...document.querySelectorAll('form button[data-method]')].map((button) => \
                 `${button.dataset.method} ${button.form.dataset.path}`).sort()";
    assert_eq!(browser.value(forms).await, json!(tried));
    ended(site, browser).await;
}

#[tokio::test]
async fn foreign_pages_and_names_do_not_steer() {
    let Some((site, browser)) = opened(&["--clock", "fixed"]).await else { return };
    let console = site.console();
    let now = site.now().await;
    // A name that was made to resolve to this machine.
    browser.open(&console.replace("127.0.0.1", REBOUND)).await;
    assert!(browser.text("body").await.contains("loopback address or localhost only"));
    // A page of another origin: by a script that reads nothing, and by a form.
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
