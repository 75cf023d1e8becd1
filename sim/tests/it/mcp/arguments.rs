//! Every bound of a launch: at the bound passes, one past it is refused by its own code.
use proptest::prelude::*;
use serde_json::json;

use super::client::{Client, Environment, launch, launch_with, public_names};
use super::host::{Host, NOW};

/// What is accepted, seen by the preview.
const ACCEPTED: &[(&str, &str)] = &[
    ("name", r#""x""#),
    ("ticker", r#""T""#),
    ("description", r#""d""#),
    ("targetRaiseEth", "1"),
    ("targetRaiseEth", "1.000000000000000001"),
    ("targetRaiseEth", "5"),
    ("targetRaiseEth", "5.0"),
    ("targetRaiseEth", "50E-1"),
    ("prebuyEth", "0.099999999999999999"),
    ("curveGainMultiplier", "1"),
    ("curveGainMultiplier", "21"),
    ("creatorFeeSplitBps", "0"),
    ("creatorFeeSplitBps", "10000"),
    ("creatorFeeSplitBps", "5000.0"),
    ("antiSnipeSeconds", "0"),
    ("antiSnipeSeconds", "20"),
    ("antiSnipeSeconds", "40"),
    ("antiSnipeSeconds", "60"),
    ("startTimestamp", "0"),
    ("startTimestamp", "1800000000"),
    ("prebuyEth", "0.1"),
    ("prebuyEth", "0"),
    ("referralCode", r#""""#),
    ("referralCode", r#""a-Z_9""#),
    ("messenger", r#""""#),
    ("website", "null"),
];

/// What is refused, and by which code.
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
    ("targetRaiseEth", r#""1""#, "argument-type"),
    ("curveGainMultiplier", "0.99999999999999999999", "gain-range"),
    ("curveGainMultiplier", "21.0000000000000000001", "gain-range"),
    ("curveGainMultiplier", "22", "gain-range"),
    ("curveGainMultiplier", "-6", "amount"),
    ("creatorFeeSplitBps", "10001", "split-range"),
    ("creatorFeeSplitBps", "-1", "argument-type"),
    ("creatorFeeSplitBps", "0.5", "argument-type"),
    ("antiSnipeSeconds", "1", "anti-snipe-choice"),
    ("antiSnipeSeconds", "61", "anti-snipe-choice"),
    ("antiSnipeSeconds", "80", "anti-snipe-choice"),
    ("startTimestamp", "1799999999", "start-past"),
    ("startTimestamp", "-1", "start-range"),
    ("startTimestamp", "9007199254740992", "start-range"),
    ("prebuyEth", "0.100000000000000001", "prebuy-over-cap"),
    ("prebuyEth", "-0.1", "amount"),
    ("prebuyEth", "1e-19", "amount"),
    ("referralCode", r#""a b""#, "referral-shape"),
    ("referralCode", r#""é""#, "referral-shape"),
    ("prebuyETH", "0", "argument-unknown"),
];

/// A call with one argument set to this very text.
fn raw(tool: &str, argument: &str, text: &str) -> String {
    let arguments = launch_with(argument, json!("@")).to_string().replace(r#""@""#, text);
    format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#)
}

#[tokio::test]
async fn bounds_are_kept_exactly() {
    let (host, names) = (Host::honest().await, public_names().await);
    let mut client = Client::open(&Environment::of(&host, &names)).await;
    for (argument, value) in ACCEPTED {
        let result = client.call_raw(&raw("preview_launch", argument, value)).await;
        assert_eq!(result["isError"], false, "{argument} = {value}: {result}");
    }
    for (argument, value, code) in REFUSED {
        for tool in ["preview_launch", "launch_token"] {
            let found = client.call_raw(&raw(tool, argument, value)).await;
            assert_eq!(found["_meta"]["slipway/error"]["code"], *code, "{tool} {argument} = {value}");
        }
    }
    assert_eq!(host.sent().len(), 0);
}

#[tokio::test]
async fn lengths_are_counted_in_scalar_values() {
    let (host, names) = (Host::honest().await, public_names().await);
    let mut client = Client::open(&Environment::of(&host, &names)).await;
    for (argument, longest) in [("name", 48), ("ticker", 12), ("description", 500), ("referralCode", 64)] {
        let letter = if argument == "referralCode" { "r" } else { "\u{1f6a2}" };
        let preview =
            client.result("preview_launch", launch_with(argument, json!(letter.repeat(longest)))).await;
        assert!(preview.to_string().contains(&letter.repeat(longest)), "{argument}");
        client.refusal("preview_launch", launch_with(argument, json!(letter.repeat(longest + 1)))).await;
    }
}

#[tokio::test]
async fn required_arguments_are_required() {
    let (host, names) = (Host::honest().await, public_names().await);
    let mut client = Client::open(&Environment::of(&host, &names)).await;
    for argument in ["name", "ticker", "description", "imageUrl", "targetRaiseEth"] {
        let mut arguments = launch();
        arguments.as_object_mut().unwrap().remove(argument);
        assert_eq!(client.refusal("preview_launch", arguments).await, "argument-missing", "{argument}");
    }
}

#[tokio::test]
async fn defaults_and_units_are_resolved_for_the_chain() {
    let (host, names) = (Host::honest().await, public_names().await);
    let mut client = Client::open(&Environment::of(&host, &names)).await;
    let preview = client.result("preview_launch", launch()).await;
    let params = &preview["params"];
    assert_eq!(params["gainBps"], 50_000);
    assert_eq!(params["creatorFeeSplitBps"], 5_000);
    assert_eq!(params["antiSnipeDuration"], 0);
    assert_eq!(params["startTime"], 0);
    assert_eq!(params["targetRaise"], "1000000000000000000");
    assert_eq!(preview["valueWei"], "0");
    assert_eq!(preview["function"], "createLaunch");
    assert_eq!(preview["feeMath"]["creatorEarningsAsPctOfVolume"], 0.5);
    assert_eq!(preview["feeMath"]["protocolFeePct"], 1);
    assert_eq!(preview["feeMath"]["variableFeePctOfAfterProtocol"], 100.0 / 99.0);
    assert_eq!(
        preview["hook"].as_str().unwrap().to_lowercase(),
        super::host::HOOK.to_string().to_lowercase()
    );
    let later = client.result("preview_launch", launch_with("startTimestamp", json!(NOW + 60))).await;
    assert_eq!(later["params"]["startTime"], NOW + 60);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn raises_reach_the_chain_to_the_wei(wei in 1_000_000_000_000_000_000_u128..=5_000_000_000_000_000_000, kept in 0_usize..=17) {
        let digits = format!("{wei:019}");
        let text = format!("{}.{}", &digits[..1], &format!("{}0", &digits[1..])[..=kept]);
        let call = raw("preview_launch", "targetRaiseEth", &text);
        let expected = format!("{}{:0<18}", &text[..1], &text[2..]);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let preview = runtime.block_on(async {
            let (host, names) = (Host::honest().await, public_names().await);
            Client::open(&Environment::of(&host, &names)).await.call_raw(&call).await
        });
        prop_assert_eq!(preview["structuredContent"]["params"]["targetRaise"].as_str().unwrap(), expected);
    }
}
