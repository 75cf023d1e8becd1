//! Rules for links that need no name server: schemes, credentials, reserved names and literal addresses in every notation.
use proptest::prelude::*;
use serde_json::json;

use crate::peer::{Peer, code, launch_with};

const PASS: &[&str] = &[
    "https://1.1.1.1/a.png?size=1#x",
    "HTTPS://1.1.1.1:8443/",
    "https://1.1.1.1/",
    "https://[2606:4700::1111]/",
    "https://1.1.1.1/a@b",
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
async fn links_obey_the_rules() {
    let mut peer = Peer::initialized().await;
    for link in PASS {
        let preview = peer.preview(launch_with("imageUrl", json!(link))).await;
        assert_eq!(preview["structuredContent"]["params"]["imageUrl"], *link, "links are kept as written");
    }
    for (link, expected) in REFUSED {
        for argument in ["imageUrl", "messenger", "microblog", "website"] {
            let refused = peer.preview(launch_with(argument, json!(link))).await;
            assert_eq!(code(&refused), expected, "{argument} = {link}");
        }
    }
    let longest = format!("https://1.1.1.1/{}", "a".repeat(1_984));
    let preview = peer.preview(launch_with("imageUrl", json!(longest))).await;
    assert_eq!(preview["structuredContent"]["params"]["imageUrl"], *longest);
    let long = format!("{longest}a");
    assert_eq!(code(&peer.preview(launch_with("website", json!(long))).await), "url-length");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn private_addresses_are_refused_in_every_notation(
        a in 0_u8..=255, b in 0_u8..=255, c in 0_u8..=255, notation in 0_usize..5,
    ) {
        let number = u32::from_be_bytes([10, a, b, c]);
        let host = match notation {
            0 => format!("10.{a}.{b}.{c}"),
            1 => format!("{number}"),
            2 => format!("{number:#x}"),
            3 => format!("012.{a:#o}.{b:#x}.{c}").replace("0o", "0"),
            _ => format!("[::ffff:10.{a}.{b}.{c}]"),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let refused = runtime.block_on(async {
            let mut peer = Peer::initialized().await;
            peer.preview(launch_with("imageUrl", json!(format!("https://{host}/")))).await
        });
        prop_assert_eq!(code(&refused), "url-address");
    }
}
