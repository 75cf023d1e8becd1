//! The npm package of quotes in a browser, on the same cases as in Node.js.
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use slipway_test_support::{need, need_browser};

use super::driver::Browser;
use crate::quotes::{KINDS, NEEDS, check, count, unpacked, vectors};

/// Cases that are passed at once.
const HANDED: usize = 2_000;

#[tokio::test]
async fn quotes_of_the_npm_package_are_no_unit_apart_in_a_browser() {
    let Some(chromium) = need_browser().await else { return };
    let Some(()) = need(&NEEDS) else { return };
    let browser = Browser::start(&chromium).await;
    for (name, path) in [("quotes", unpacked().join("index.js")), ("check", check())] {
        let code = BASE64_STANDARD.encode(std::fs::read(path).unwrap());
        let import = format!("import('data:text/javascript;base64,{code}')");
        assert_eq!(
            browser.value(&format!("{import}.then((code) => {{ window.{name} = code; return true }})")).await,
            true
        );
    }
    let folder = tempfile::tempdir().unwrap();
    for kind in KINDS {
        let cases = std::fs::read_to_string(vectors(kind, folder.path())).unwrap();
        let lines: Vec<&str> = cases.lines().skip(1).collect();
        let mut compared = 0;
        for lines in lines.chunks(HANDED) {
            let compare = format!(
                "(lines) => {{ for (const line of lines) check.compare(quotes, '{kind}', line); return lines.length }}"
            );
            compared += browser.value(&format!("({compare})({})", json!(lines))).await.as_u64().unwrap();
        }
        assert_eq!(compared, count(), "{kind}");
    }
    browser.end().await;
}
