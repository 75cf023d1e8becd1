//! The console: what it does is done, and shown as the call that does the same.
use serde_json::json;

use super::Site;
use super::driver::Browser;

#[tokio::test]
async fn the_console_steers_and_finds_the_cause_of_a_refusal() {
    let site =
        Site::start(&["--clock", "fixed", "--standard-limit", "5", "--defect", "list-count-everything"]);
    let browser = Browser::start().await;
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
    // The line that is shown does the same in a shell.
    let again = std::process::Command::new("sh").args(["-c", &call]).output().unwrap();
    assert_eq!(again.stdout, json!({ "now": before + 2 * 86_400 }).to_string().into_bytes());

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
    browser.click("#faults button").await;
    browser.until("document.getElementById('faults').textContent === 'None.'").await;
    let switch = "#panels input[data-path$='/list-count-everything']";
    assert_eq!(browser.value(&format!("document.querySelector(\"{switch}\").checked")).await, true);
    browser.click(switch).await;
    browser.until("document.getElementById('answer').textContent.includes('\"on\":false')").await;
    browser.end().await;
    site.end();
}
