//! The rules for links, against a scripted name server.
use proptest::prelude::*;
use serde_json::json;

use super::client::{Client, Environment, launch_with};
use super::host::Host;
use super::names::Names;

async fn names() -> Names {
    Names::serve(&[
        ("images.public.dev", &[&["1.1.1.1", "2606:4700::1111"]]),
        ("xn--bcher-kva.dev", &[&["1.1.1.1"]]),
        ("mixed.dev", &[&["1.1.1.1", "10.0.0.1"]]),
        ("mixed6.dev", &[&["1.1.1.1", "fd00::1"]]),
        ("shared.dev", &[&["100.64.0.1"]]),
        ("mapped.dev", &[&["::ffff:7f00:1"]]),
        ("nat64.dev", &[&["64:ff9b::a00:1"]]),
        ("local6.dev", &[&["fe80::1"]]),
        ("empty.dev", &[&[]]),
        ("rebind.dev", &[&["1.1.1.1"], &["127.0.0.1"]]),
    ])
    .await
}

const PASS: &[&str] = &[
    "https://images.public.dev/a.png?size=1#x",
    "HTTPS://IMAGES.public.dev:8443/",
    "https://images.public.dev./",
    "https://b\u{fc}cher.dev/",
    "https://1.1.1.1/",
    "https://[2606:4700::1111]/",
    "https://images.public.dev/a@b",
];

const REFUSED: &[(&str, &str)] = &[
    ("http://images.public.dev/", "url-scheme"),
    ("ftp://images.public.dev/", "url-scheme"),
    ("javascript:alert(1)", "url-scheme"),
    ("data:text/html,x", "url-scheme"),
    ("//images.public.dev/", "url-malformed"),
    ("images.public.dev", "url-malformed"),
    ("https://", "url-malformed"),
    ("https://images.public.dev/a b", "url-malformed"),
    ("https://images.public.dev\\@evil.dev/", "url-malformed"),
    ("\u{9}https://images.public.dev/", "url-malformed"),
    ("https://user@images.public.dev/", "url-credentials"),
    ("https://user:pass@images.public.dev/", "url-credentials"),
    ("https://@images.public.dev/", "url-credentials"),
    ("https://:@images.public.dev/", "url-credentials"),
    ("https://printer.local/", "url-reserved"),
    ("https://api.internal/", "url-reserved"),
    ("https://localhost/", "url-reserved"),
    ("https://a.LOCALHOST:8/", "url-reserved"),
    ("https://a.test./", "url-reserved"),
    ("https://a.Example/", "url-reserved"),
    ("https://a.invalid/", "url-reserved"),
    ("https://a.t\u{ff45}st/", "url-reserved"),
    ("https://a\u{3002}test/", "url-reserved"),
    ("https://a.%74est/", "url-reserved"),
    ("https://unknown.dev/", "url-unresolved"),
    ("https://empty.dev/", "url-unresolved"),
    ("https://mixed.dev/", "url-address"),
    ("https://mixed6.dev/", "url-address"),
    ("https://shared.dev/", "url-address"),
    ("https://mapped.dev/", "url-address"),
    ("https://nat64.dev/", "url-address"),
    ("https://local6.dev/", "url-address"),
    ("https://127.0.0.1/", "url-address"),
    ("https://127.1/", "url-address"),
    ("https://2130706433/", "url-address"),
    ("https://0x7f000001/", "url-address"),
    ("https://0177.0.0.1/", "url-address"),
    ("https://0x7f.1./", "url-address"),
    ("https://\u{ff11}\u{ff12}\u{ff17}.0.0.1/", "url-address"),
    ("https://10.1.2.3/", "url-address"),
    ("https://169.254.169.254/latest", "url-address"),
    ("https://100.100.1.1/", "url-address"),
    ("https://[::1]/", "url-address"),
    ("https://[::ffff:127.0.0.1]/", "url-address"),
    ("https://[::ffff:7f00:1]/", "url-address"),
    ("https://[0:0:0:0:0:ffff:0a00:0001]/", "url-address"),
    ("https://[fd00::1]/", "url-address"),
    ("https://[64:ff9b::1.1.1.1]/", "url-address"),
];

#[tokio::test]
async fn every_link_obeys_the_rules() {
    let (host, names) = (Host::honest().await, names().await);
    let mut client = Client::open(&Environment::of(&host, &names)).await;
    for link in PASS {
        let result = client.call("preview_launch", launch_with("imageUrl", json!(link))).await;
        assert_eq!(result["isError"], false, "{link}: {result}");
        assert_eq!(result["structuredContent"]["params"]["imageUrl"], *link, "links are kept as written");
    }
    for (link, code) in REFUSED {
        for argument in ["imageUrl", "messenger", "microblog", "website"] {
            let found = client.refusal("preview_launch", launch_with(argument, json!(link))).await;
            assert_eq!(found, *code, "{argument} = {link}");
        }
    }
    let long = format!("https://images.public.dev/{}", "a".repeat(487));
    assert_eq!(client.refusal("preview_launch", launch_with("website", json!(long))).await, "url-length");
}

#[tokio::test]
async fn every_judgement_looks_the_host_up_anew() {
    let (host, names) = (Host::honest().await, names().await);
    let mut client = Client::open(&Environment::of(&host, &names)).await;
    let arguments = launch_with("imageUrl", json!("https://rebind.dev/a.png"));
    client.result("preview_launch", arguments.clone()).await;
    assert_eq!(client.refusal("launch_token", arguments).await, "url-address");
    assert_eq!(names.asked(), ["rebind.dev.", "rebind.dev."]);
    assert_eq!(host.sent().len(), 0);
}

#[tokio::test]
async fn names_are_not_looked_up_when_the_text_alone_is_enough() {
    let (host, names) = (Host::honest().await, names().await);
    let mut client = Client::open(&Environment::of(&host, &names)).await;
    for link in ["http://images.public.dev/", "https://u:p@images.public.dev/", "https://x.test/"] {
        client.refusal("preview_launch", launch_with("imageUrl", json!(link))).await;
    }
    assert_eq!(names.asked().len(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn private_literals_are_refused_in_every_spelling(a in 0_u8..=255, b in 0_u8..=255, c in 0_u8..=255, form in 0_usize..5) {
        let address = [10, a, b, c];
        let number = u32::from_be_bytes(address);
        let spelled = match form {
            0 => format!("10.{a}.{b}.{c}"),
            1 => format!("{number}"),
            2 => format!("{number:#x}"),
            3 => format!("012.{a:#o}.{b:#x}.{c}").replace("0o", "0"),
            _ => format!("[::ffff:10.{a}.{b}.{c}]"),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let code = runtime.block_on(async {
            let (host, names) = (Host::honest().await, names().await);
            let mut client = Client::open(&Environment::of(&host, &names)).await;
            client.refusal("preview_launch", launch_with("imageUrl", json!(format!("https://{spelled}/")))).await
        });
        prop_assert_eq!(code, "url-address");
    }
}
