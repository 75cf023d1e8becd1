//! `slipway docs`: the documents as Markdown, searched, and as pages whose links lead somewhere.
use std::collections::BTreeSet;
use std::process::Stdio;

use rustix::process::Signal;

use crate::program::{Running, expect_code};

fn printed(arguments: &[&str]) -> String {
    String::from_utf8(expect_code(&[&["docs"], arguments].concat(), 0).stdout).unwrap()
}

#[test]
fn pages_are_printed_and_searched() {
    assert_eq!(printed(&["control"]), include_str!("../../../docs/reference/control.md"));
    assert_eq!(
        printed(&["tutorials/agent-wallet.md"]),
        include_str!("../../../docs/tutorials/agent-wallet.md")
    );
    assert!(printed(&["--search", "anti-SNIPE window"]).contains("explanation/launches: "));
    expect_code(&["docs", "--search", "nosuchword"], 1);
    let refused = expect_code(&["docs", "nowhere"], 2);
    assert!(String::from_utf8(refused.stderr).unwrap().contains("tutorials/agent-wallet"));
}

/// Every page that can be reached from the start exists, and so does every fragment in a link.
#[test]
fn links_between_pages_lead_somewhere() {
    let served = Running::start(&["docs", "--port", "0"], Stdio::null());
    let start = served.first_line.trim().to_owned();
    let origin = start.strip_suffix("/docs/").unwrap();
    let (mut waiting, mut seen) = (vec!["/docs/".to_owned()], BTreeSet::new());
    let mut fragments = Vec::new();
    let mut ids = BTreeSet::new();
    while let Some(path) = waiting.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let answer = minreq::get(format!("{origin}{path}")).send().unwrap();
        assert_eq!(answer.status_code, 200, "{path}");
        let Ok(page) = answer.as_str() else { continue };
        let found = |attribute: &str| -> Vec<String> {
            let start = format!(" {attribute}=\"");
            let parts = page.split(&start).skip(1);
            parts.filter_map(|part| Some(part.split_once('"')?.0.replace("&amp;", "&"))).collect()
        };
        ids.extend(found("id").into_iter().map(|id| format!("{path}#{id}")));
        for link in [found("href"), found("src")].concat() {
            if let Some(fragment) = link.strip_prefix('#') {
                fragments.push(format!("{path}#{fragment}"));
            } else if link.starts_with("/docs/") {
                let (page, fragment) = link.split_once('#').unwrap_or((&link, ""));
                waiting.push(page.to_owned());
                fragments.extend((!fragment.is_empty()).then(|| link.clone()));
            }
        }
    }
    assert!(seen.len() > 40, "{seen:?}");
    let missing: BTreeSet<_> = fragments.iter().filter(|fragment| !ids.contains(*fragment)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
    served.signal(Signal::TERM);
}
