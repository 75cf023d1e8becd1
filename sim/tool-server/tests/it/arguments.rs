//! Bounds of launch arguments: the bound itself is accepted, and one past it is refused with the code of its argument.
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::peer::{Peer, code, launch_with};

/// Accepted values, as JSON text: numbers that binary floating point cannot represent, in every spelling.
const ACCEPTED: &[(&str, &str)] = &[
    ("targetRaiseEth", "1.000000000000000001"),
    ("targetRaiseEth", "50E-1"),
    ("prebuyEth", "0.099999999999999999"),
    ("prebuyEth", "1e-5"),
    ("creatorFeeSplitBps", "5000.0"),
    ("website", "null"),
];

/// Refused values, as JSON text, and the code of the refusal.
const REFUSED: &[(&str, &str, &str)] = &[
    ("name", r#""""#, "name-length"),
    ("name", "7", "argument-type"),
    ("name", "null", "argument-missing"),
    ("ticker", r#""""#, "ticker-length"),
    ("ticker", r#""T$""#, "ticker-dollar"),
    ("description", r#""""#, "description-length"),
    ("imageUrl", r#""""#, "url-malformed"),
    ("targetRaiseEth", "0.999999999999999999", "raise-range"),
    ("targetRaiseEth", "5.000000000000000001", "raise-range"),
    ("targetRaiseEth", "-1", "amount"),
    ("targetRaiseEth", "1e300", "amount"),
    ("curveGainMultiplier", "0.99999999999999999999", "gain-range"),
    ("curveGainMultiplier", "21.0000000000000000001", "gain-range"),
    ("creatorFeeSplitBps", "10001", "split-range"),
    ("antiSnipeSeconds", "61", "anti-snipe-choice"),
    ("startTimestamp", "9007199254740992", "start-range"),
    ("prebuyEth", "0.100000000000000001", "prebuy-over-cap"),
    ("prebuyEth", "0.000009999999999999", "prebuy-range"),
    ("prebuyEth", "1e-19", "amount"),
    ("referralCode", r#""a b""#, "referral-shape"),
    ("prebuyETH", "0", "argument-unknown"),
];

/// A call with one argument set to exactly this text.
fn raw(tool: &str, argument: &str, text: &str) -> String {
    let mut arguments = launch_with(argument, json!("@"));
    arguments["confirm"] = json!("YES");
    let arguments = arguments.to_string().replace(r#""@""#, text);
    format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#)
}

#[tokio::test]
async fn bounds_are_exact() {
    let mut peer = Peer::initialized().await;
    for (argument, value) in ACCEPTED {
        let result = peer.call_raw(&raw("preview_launch", argument, value)).await;
        assert_eq!(result["isError"], false, "{argument} = {value}: {result}");
    }
    for (argument, value, expected) in REFUSED {
        for tool in ["preview_launch", "launch_token"] {
            let result = peer.call_raw(&raw(tool, argument, value)).await;
            assert_eq!(code(&result), expected, "{tool} {argument} = {value}");
        }
    }
}

/// Readers of JSON differ in which of two equal members they take.
#[tokio::test]
async fn repeated_members_are_refused() {
    let mut peer = Peer::initialized().await;
    for (sent, name) in [
        (r#"{"jsonrpc":"2.0","id":70,"method":"ping","method":"ping"}"#, "method"),
        (
            r#"{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"recent_launches","arguments":{"limit":5,"limit":7}}}"#,
            "limit",
        ),
    ] {
        peer.send_bytes(format!("{sent}\n").as_bytes()).await;
        let answer = peer.line().await.unwrap();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(70), &json!(-32600)), "{answer}");
        let said = format!("\"{name}\" is sent more than once");
        assert_eq!(answer["error"]["message"], said);
    }
}

#[tokio::test]
async fn only_the_private_key_is_refused_as_a_secret() {
    let mut peer = Peer::initialized().await;
    for text in [crate::peer::KEY.to_uppercase(), format!("look: 0x{}", crate::peer::KEY)] {
        let refused = peer.preview(launch_with("description", json!(text))).await;
        assert_eq!(code(&refused), "argument-secret");
        assert!(!refused.to_string().to_lowercase().contains(&crate::peer::KEY[..16]), "{refused}");
    }
    let hash = "ab".repeat(32);
    let preview = peer.preview(launch_with("description", json!(hash))).await;
    assert_eq!(preview["structuredContent"]["params"]["description"], hash);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn raises_are_exact_to_the_wei(
        wei in 1_000_000_000_000_000_000_u128..=5_000_000_000_000_000_000, kept in 0_usize..=17,
    ) {
        let digits = format!("{wei:019}");
        let text = format!("{}.{}", &digits[..1], &format!("{}0", &digits[1..])[..=kept]);
        let call = raw("preview_launch", "targetRaiseEth", &text);
        let expected = format!("{}{:0<18}", &text[..1], &text[2..]);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let preview: Value = runtime.block_on(async { Peer::initialized().await.call_raw(&call).await });
        prop_assert_eq!(preview["structuredContent"]["params"]["targetRaise"].as_str().unwrap(), expected);
    }
}
