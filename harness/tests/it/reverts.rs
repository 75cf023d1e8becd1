//! Wrong calls of our contracts and of the contracts around them: every place that a user sees names the error and its arguments.
use std::process::Command;

use alloy::dyn_abi::{DynSolType, JsonAbiExt as _, Specifier as _};
use alloy::json_abi::Function;
use alloy::primitives::{U256, hex};
use serde::Deserialize;
use serde_json::{Value, json};
use slipway_test_support::{Tool, need};

use crate::clients::tools::{npm_folder, python, succeed};
use crate::mcp::{call, greeted};
use crate::program::{command, succeeds};
use crate::site::Site;

/// A call that reverts, with placeholders for values known once the platform runs.
#[derive(Deserialize)]
struct Wrong {
    to: String,
    call: String,
    arguments: Vec<String>,
    #[serde(default)]
    value: String,
    error: String,
}

impl Wrong {
    fn input(&self, known: &impl Fn(&str) -> String) -> String {
        let function = Function::parse(&format!("function {}", self.call)).unwrap();
        let values = function.inputs.iter().zip(&self.arguments).map(|(input, text)| {
            let kind: DynSolType = input.resolve().unwrap();
            kind.coerce_str(&known(text)).unwrap_or_else(|error| panic!("{}: {text}: {error}", self.call))
        });
        hex::encode_prefixed(function.abi_encode_input(&values.collect::<Vec<_>>()).unwrap())
    }
}

/// Makes each wrong call; returns the transaction hashes with the errors.
async fn sent(site: &Site) -> Vec<(String, String)> {
    let token = site.launch("Wronged", "1", "0.05").await;
    let launch = site.hook().launchIdOf(token.parse().unwrap()).call().await.unwrap().to_string();
    let account = |place: usize| site.ready["accounts"][place]["address"].as_str().unwrap().to_owned();
    let (me, other) = (account(7), account(8));
    let known = |text: &str| {
        let text = text.replace("$TOKEN", &token).replace("$LAUNCH", &launch);
        text.replace("$ME", &me).replace("$OTHER", &other)
    };
    let wrong: Vec<Wrong> = serde_json::from_str(include_str!("../reverts.json")).unwrap();
    let mut hashes = Vec::new();
    for call in &wrong {
        let chain = &site.ready["chains"][0];
        let to = match call.to.as_str() {
            "hook" => chain["hook"].clone(),
            "token" => json!(token),
            name => chain["contracts"][name].clone(),
        };
        let value: U256 = if call.value.is_empty() { U256::ZERO } else { call.value.parse().unwrap() };
        // With an explicit gas limit nothing is estimated, so the transaction is mined although it reverts.
        let transaction =
            json!({ "from": me, "to": to, "data": call.input(&known), "value": value, "gas": "0x989680" });
        let hash = site.rpc("eth_sendTransaction", json!([transaction])).await;
        hashes.push((
            hash.as_str().unwrap_or_else(|| panic!("{}: {hash}", call.call)).to_owned(),
            known(&call.error),
        ));
    }
    site.indexed().await;
    hashes
}

/// The control plane's error of a contract, in words.
fn worded(revert: &Value) -> String {
    let arguments = revert["arguments"].as_array().map_or(&[][..], Vec::as_slice).iter();
    let arguments =
        arguments.map(|one| format!("{}: {}", one["name"].as_str().unwrap(), one["value"].as_str().unwrap()));
    format!("{}({})", revert["name"].as_str().unwrap_or("?"), arguments.collect::<Vec<_>>().join(", "))
}

/// A text as escaped in a page.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[tokio::test]
async fn wrong_calls_name_their_error_in_answers_pages_and_launchers() {
    let site = Site::start(&[]);
    let hashes = sent(&site).await;
    assert!(hashes.len() >= 20);
    let mut wrong = Vec::new();
    for (hash, error) in &hashes {
        let told: Value =
            site.read("controlUrl", &format!("/_sim/transactions/{hash}")).await.json().unwrap();
        let text = told["error"]["text"].as_str().unwrap_or_default();
        let is_named = error.contains('(');
        if text != error || told.get("revert").map(worded) != is_named.then(|| error.clone()) {
            wrong.push(format!("{error}: {told}"));
        }
        assert_eq!((&told["succeeded"], &told["hash"]), (&json!(false), &json!(hash)));
        // Even if no contract has such a function.
        let selector = told["calls"][0]["selector"].as_str().unwrap_or_default();
        assert!(selector.len() == 10 && selector.starts_with("0x"), "{told}");
        let page = site.read("baseUrl", &format!("/tx/{hash}")).await;
        let page = String::from_utf8(page.body.to_vec()).unwrap();
        assert!(
            page.contains(&format!("<dd class=\"fell\" id=\"error\"><bdi>{}</bdi>", escaped(text))),
            "{page}"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let named: Vec<&(String, String)> = hashes.iter().filter(|(_, error)| error.contains('(')).collect();
    let list = json!(named.iter().map(|(hash, _)| hash).collect::<Vec<_>>()).to_string();
    let expected: String = named.iter().map(|(_, error)| format!("{error}\n")).collect();
    let ready = site.ready.to_string();
    if need(&[Tool::Node]).is_some() {
        let folder = npm_folder("launchers/npm");
        let mut run = Command::new("node");
        run.arg("test/reverts.mjs").arg(&list).env("SLIPWAY_READY", &ready).current_dir(folder);
        assert_eq!(String::from_utf8(succeed(&mut run).stdout).unwrap(), expected);
    }
    if need(&[Tool::Python, Tool::Venv]).is_some() {
        let python = python("launchers/python/requirements.txt");
        let folder = python.ancestors().nth(3).unwrap();
        let mut run = Command::new(&python);
        run.arg("tests/reverts.py")
            .arg(&list)
            .env("SLIPWAY_READY", &ready)
            .env("PYTHONPATH", folder)
            .current_dir(folder);
        assert_eq!(String::from_utf8(succeed(&mut run).stdout).unwrap(), expected);
    }
    site.end();
}

/// The terminal: the lines of `up` as they appear, and `slipway explain` of each.
#[tokio::test]
async fn wrong_calls_name_their_error_in_the_terminal() {
    let site = Site::start(&["--log", "text"]);
    let hashes = sent(&site).await;
    for (hash, error) in &hashes {
        let mut explain = command(&["explain", hash]);
        let told = succeeds(explain.env("SLIPWAY_READY", site.ready.to_string()));
        let told = String::from_utf8(told.stdout).unwrap();
        assert!(told.contains(&format!("REVERTED  {error}\n")), "{error}: {told}");
        assert!(told.contains("\ncalls\n  ") && told.ends_with("\n\nno events\n"), "{told}");
    }
    site.running.signal(rustix::process::Signal::TERM);
    let (lines, status) = site.running.end();
    assert!(status.success());
    for (_, error) in &hashes {
        assert!(lines.contains(&format!(" REVERTED {error}\n")), "{error}: {lines}");
    }
    assert!(lines.contains("POST /_sim/launches 200 "), "{lines}");
}

/// Code that reverts with this data if its caller has fewer than `wei`, and otherwise does nothing.
fn reverting(data: &[u8], wei: U256) -> String {
    let length = u16::try_from(data.len()).unwrap().to_be_bytes();
    let code = [
        // CALLER BALANCE PUSH32 GT PUSH1 JUMPI STOP
        &hex!("33317f")[..],
        &wei.to_be_bytes::<32>(),
        &hex!("11602857 00"),
        // JUMPDEST PUSH2 PUSH1 PUSH1 CODECOPY PUSH2 PUSH1 REVERT
        &hex!("5b61"),
        &length,
        &hex!("6037 6000 39 61"),
        &length,
        &hex!("6000 fd"),
        data,
    ];
    hex::encode_prefixed(code.concat())
}

/// The tool server: an error that the contract would raise, and one that it raised once the launch was mined.
#[tokio::test]
async fn wrong_calls_name_their_error_in_the_tool_server() {
    let site = Site::start(&[]);
    let mut reverted = Vec::new();
    // Before the hook's code is replaced: the node could not trace the calls afterwards.
    for (hash, error) in sent(&site).await.into_iter().filter(|(_, error)| error.contains('(')) {
        let trace = site.rpc("debug_traceTransaction", json!([hash, { "tracer": "callTracer" }])).await;
        reverted.push((hex::decode(trace["output"].as_str().unwrap()).unwrap(), error));
    }
    let wallet = &site.ready["accounts"][1];
    let variables = [
        ("SERVICE_MCP_ENABLE_WRITES", "true"),
        ("SERVICE_MCP_PRIVATE_KEY", wallet["privateKey"].as_str().unwrap()),
        ("SERVICE_MCP_RPC_URL", site.primary_rpc()),
        ("SERVICE_BASE_URL", site.text("baseUrl")),
    ];
    let mut stdio = greeted(&["mcp"], &variables).await;
    let launch = |confirm: Option<&str>| {
        let mut launch = json!({
            "name": "Wrong", "ticker": "WRG", "description": "Refused.", "imageUrl": "https://1.1.1.1/a.png",
            "targetRaiseEth": 1,
        });
        if let Some(confirm) = confirm {
            launch["confirm"] = json!(confirm);
        }
        launch
    };
    for (data, error) in &reverted {
        let hook = &site.ready["chains"][0]["hook"];
        site.rpc("anvil_setCode", json!([hook, reverting(data, U256::MAX)])).await;
        let preview = call(&mut stdio, "preview_launch", launch(None)).await;
        let warning = &preview["structuredContent"]["warnings"][0];
        let words = format!("the launch contract would refuse this launch: {error}");
        assert_eq!((&warning["code"], &warning["message"]), (&json!("would-revert"), &json!(words)));
        // The cost of the launch leaves less than the wallet has now.
        let balance = site.rpc("eth_getBalance", json!([wallet["address"], "latest"])).await;
        let balance: U256 = balance.as_str().unwrap().parse().unwrap();
        site.rpc("anvil_setCode", json!([hook, reverting(data, balance)])).await;
        let refused = call(&mut stdio, "launch_token", launch(Some("YES"))).await;
        assert_eq!(refused["_meta"]["slipway/error"]["code"], "reverted", "{error}: {refused}");
        let text = refused["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(&format!("was mined and reverted: {error}")), "{error}: {text}");
    }
    site.end();
}
