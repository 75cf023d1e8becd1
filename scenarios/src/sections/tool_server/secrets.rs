//! Planted secrets, searched for in everything that the tool server writes, in every encoding.
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use memchr::memmem;

use super::fixture::{
    PUBLIC_HOST, SHORT_RECEIPT_WAIT, Session, ToolReply, ToolServerFixture, WRITES, confirmed, with,
};
use super::settings::{broken, key_file};
use crate::answers::reads::{CAPABILITIES, RECENT};
use crate::client::stdio::{PATIENCE, Stdio};
use crate::fake_servers::rpc::{Reply, RpcCall};
use crate::model::evidence::Evidence;
use crate::prelude::*;

/// Consecutive digits of a secret that count as a leak.
const WINDOW: usize = 24;

/// A secret and the forms that are searched for; `folded` ignores case.
#[derive(Clone, Debug)]
pub(super) struct Canary {
    what: &'static str,
    exact: Vec<String>,
    folded: Vec<String>,
}

impl Canary {
    /// Creates a binary secret, of which even a part in hexadecimal is a leak.
    pub(super) fn bytes(what: &'static str, bytes: &[u8]) -> Self {
        let digits = alloy::hex::encode(bytes);
        let windows = digits.as_bytes().windows(WINDOW.min(digits.len()));
        let mut folded: Vec<String> =
            windows.map(|window| String::from_utf8_lossy(window).into_owned()).collect();
        folded.push(bytes.iter().map(|byte| format!("%{byte:02x}")).collect());
        folded.push(bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect());
        folded.extend(escaped(&digits));
        // Escapes of upper-case digits differ from those of lower-case ones.
        folded.extend(escaped(&digits.to_uppercase()));
        let decimals: Vec<String> = bytes.iter().map(ToString::to_string).collect();
        folded.push(decimals.join(","));
        folded.push(decimals.join(", "));
        let mut exact = encoded(bytes);
        for text in [digits.clone(), digits.to_uppercase(), format!("0x{digits}")] {
            exact.extend(encoded(text.as_bytes()));
        }
        Self { what, exact, folded }
    }

    /// Creates a secret text.
    pub(super) fn text(what: &'static str, text: &str) -> Self {
        let mut exact = encoded(text.as_bytes());
        exact.extend(encoded(alloy::hex::encode(text).as_bytes()));
        let mut folded = vec![text.to_lowercase(), alloy::hex::encode(text)];
        folded.extend(escaped(text));
        Self { what, exact, folded }
    }

    /// Returns the form that was found, if any.
    pub(super) fn found_in(&self, result: &[u8]) -> Option<&str> {
        let result = String::from_utf8_lossy(result);
        let lower = result.to_lowercase();
        let is_in = |text: &str, form: &str| memmem::find(text.as_bytes(), form.as_bytes()).is_some();
        let exact = self.exact.iter().find(|form| is_in(&result, form));
        let folded = || self.folded.iter().find(|form| is_in(&lower, form));
        exact.or_else(folded).map(String::as_str)
    }
}

/// Escapes every character of a text, for URLs and for JSON.
fn escaped(text: &str) -> [String; 2] {
    [
        text.bytes().map(|byte| format!("%{byte:02x}")).collect(),
        text.chars().map(|character| format!("\\u{:04x}", u32::from(character))).collect(),
    ]
}

/// Encodes bytes in the usual base64 alphabets, without the last characters, which depend on what follows.
fn encoded(bytes: &[u8]) -> Vec<String> {
    let mut forms: Vec<String> =
        [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD].map(|engine| engine.encode(bytes)).into();
    for form in &mut forms {
        form.truncate(bytes.len() / 3 * 4);
    }
    forms.dedup();
    forms
}

clause! {
    MCP_SECRETS = "MCP-SECRETS" (S286, S287, S288, S289): "No tool error contains a key, a signed payload or a credential.";
    check!("tool-server-secrets" [Write; ToolServer, Rest, PrimaryChain, Accounts] secrets_stay_inside:
        "planted secrets are in no error");
}

clause! {
    MCP_QUIET = "MCP-QUIET" (choice S286, S287, S288, S289): "No result and no line of the log contains such a secret either.";
    check!("tool-server-quiet" [Write; ToolServer, Rest, PrimaryChain, Accounts] secrets_stay_inside:
        "planted secrets are in no result and not in the log");
}
pub(super) async fn secrets_stay_inside(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, ether(1)).await?;
    let mut choices = trial.choices("secrets");
    let path_key = format!("pk{}", &choices.word().to_string()[2..42]);
    let short_key = choices.word().to_string()[2..18].to_owned();
    let password = format!("pw{}", &choices.word().to_string()[2..34]);
    let key = fixture.account.key().expose().to_owned();
    let canaries = [
        Canary::bytes("the private key", &alloy::hex::decode(&key).unwrap_or_default()),
        Canary::text("the key in the RPC's path", &path_key),
        Canary::text("a short key in the RPC's path", &short_key),
        Canary::text("the credentials of a link", &password),
    ];
    let rpc = format!("{}v3/{short_key}/{path_key}", fixture.rpc.url());
    let variables = [
        WRITES,
        ("SERVICE_MCP_RPC_URL", rpc.as_str()),
        SHORT_RECEIPT_WAIT,
        // The most verbose log level.
        ("RUST_LOG", "trace"),
        ("DEBUG", "*"),
    ];
    let mut session = fixture.open(&variables).await?;
    let mut heard = Heard::default();
    let told = tell_everything(&mut session, [&key, &path_key, &password, &rpc], &mut heard).await;
    // If a call was not answered, the server's last words count as its error.
    let log = if told.is_ok() { fixture.by_choice(&MCP_QUIET) } else { fixture.trial };
    finished(&fixture, session.stdio, (&canaries, &heard), log).await?;
    told?;
    refused_settings(&fixture, &canaries, (&key, &path_key, &password)).await
}

/// What a tool server sent to its RPC, and what it answered.
#[derive(Default)]
struct Heard {
    payloads: Vec<String>,
    replies: Vec<ToolReply>,
}

impl Heard {
    async fn call(&mut self, session: &mut Session<'_>, tool: &str, arguments: &Value) -> Verdict {
        self.replies.push(session.call(tool, arguments).await?);
        Ok(())
    }

    /// Calls every tool.
    async fn every_tool(&mut self, session: &mut Session<'_>) -> Verdict {
        for (tool, arguments) in [
            ("wallet_info", json!({})),
            ("preview_launch", with(&json!({}))),
            ("launch_status", json!({"launchId": 1})),
            ("recent_launches", json!({})),
            ("launch_token", confirmed(&json!({}))),
        ] {
            self.call(session, tool, &arguments).await?;
        }
        Ok(())
    }
}

/// What a tool server wrote, and the answer in which a secret was found, if it was in one.
struct Leak<'h>(Option<&'h ToolReply>);

impl Evidence for Leak<'_> {
    fn reproduce(&self) -> String {
        "every tool called on an RPC whose errors echo what they know".to_owned()
    }

    fn exchange(&self) -> Option<u64> {
        self.0?.exchange()
    }
}

/// Calls every tool with secrets in the arguments, on an RPC and a service that echo the secrets.
async fn tell_everything(
    session: &mut Session<'_>,
    [key, path_key, password, rpc]: [&str; 4],
    heard: &mut Heard,
) -> Verdict {
    let fixture = Arc::clone(&session.fixture);
    let echo = echoes(key, path_key, rpc);
    for method in [
        "eth_chainId",
        "eth_getBalance",
        "eth_getBlockByNumber",
        "eth_getTransactionCount",
        "eth_estimateGas",
        "eth_call",
        "eth_sendRawTransaction",
        "eth_getTransactionReceipt",
    ] {
        let echo = echo.clone();
        fixture.rpc.follow(move |call, _| echoing(call, method, &echo));
        heard.every_tool(session).await?;
        heard.payloads.extend(fixture.rpc.broadcasts());
    }
    fixture.rpc.be_honest();
    hostile_arguments(session, heard, key, password).await?;
    for (path, status, body) in
        [(CAPABILITIES, 500, format!("{{\"error\": \"{echo}\"}}")), (RECENT, 200, rows_of(key, path_key))]
    {
        fixture.service.serve(path, status, body);
        heard.every_tool(session).await?;
    }
    garbage(session, key).await
}

/// Returns everything that an error could echo, with the secrets in several encodings.
fn echoes(key: &str, path_key: &str, rpc: &str) -> String {
    let bytes = alloy::hex::decode(key).unwrap_or_default();
    let [percent, unicode] = escaped(key);
    format!(
        "refused by {rpc} ({path_key}, {}) for {key} 0x{key} {} 0X{} {} {} {percent} {}",
        path_key.to_uppercase(),
        key.to_uppercase(),
        key.to_uppercase(),
        STANDARD.encode(&bytes),
        URL_SAFE_NO_PAD.encode(bytes),
        // The answer is JSON, so an escape is itself escaped.
        unicode.replace('\\', "\\\\"),
    )
}

fn echoing(call: &RpcCall, method: &str, echo: &str) -> Reply {
    if call.method == method {
        return Reply::Error(format!("{echo} {}", call.params));
    }
    match call.method.as_str() {
        // A transaction is accepted but never mined, so that each tool ends and nothing is launched.
        "eth_sendRawTransaction" => Reply::Result(json!(format!("0x{}", "ab".repeat(32)))),
        "eth_getTransactionReceipt" => Reply::Result(Value::Null),
        _ => Reply::Forward,
    }
}

/// Sends secrets as arguments.
async fn hostile_arguments(
    session: &mut Session<'_>,
    heard: &mut Heard,
    key: &str,
    password: &str,
) -> Verdict {
    let link = format!("https://user:{password}@{PUBLIC_HOST}/a.png");
    for arguments in [
        json!({"imageUrl": link}),
        json!({"website": link}),
        json!({"name": format!("0x{key}")}),
        json!({"description": format!("my key is {key}")}),
        json!({"description": escaped(key)[0]}),
        json!({"description": escaped(key)[1]}),
        json!({"website": format!("https://{PUBLIC_HOST}/{}", escaped(key)[0])}),
        json!({"ticker": key}),
        json!({"referralCode": key}),
        json!({"confirm": key}),
        json!({"targetRaiseEth": key}),
        json!({"curveGainMultiplier": format!("0x{key}")}),
        json!({ key: 1 }),
    ] {
        heard.call(session, "preview_launch", &with(&arguments)).await?;
    }
    heard.call(session, "launch_status", &json!({"launchId": key})).await?;
    heard.call(session, key, &json!({})).await
}

/// Returns a page of launches that contains the secrets.
fn rows_of(key: &str, path_key: &str) -> String {
    let address = format!("0x{}", "5a".repeat(20));
    let row = json!({
        "address": address, "name": key, "ticker": "KEY", "description": format!("{key} {path_key}"),
        "image_url": format!("https://{PUBLIC_HOST}/{path_key}.png"), "owner": address, "secret": key,
    });
    json!({"chainId": 57073, "tokens": [row], "nextOffset": null}).to_string()
}

/// Sends invalid messages that contain secrets.
async fn garbage(session: &mut Session<'_>, key: &str) -> Verdict {
    let lines = [
        format!("{{\"jsonrpc\": \"2.0\", \"id\": 900, \"method\": \"{key}\"}}\n"),
        format!("not json {key}\n"),
        format!("{{\"jsonrpc\": \"2.0\", \"id\": 901, \"method\": \"ping\", \"params\": \"{key}\"}}\n"),
    ];
    for line in lines {
        // A server that ends here is judged by its output so far.
        match session.stdio.send_bytes(line.as_bytes()).await {
            Ok(()) => {}
            Err(Inconclusive::Unreachable { .. }) => return Ok(()),
            Err(silent) => return Err(silent.into()),
        }
    }
    // The answer to this last request comes after those to the messages.
    let _ = session.stdio.request("tools/list", &json!({})).await;
    Ok(())
}

/// Ends the child and searches everything that it wrote.
async fn finished(
    fixture: &ToolServerFixture<'_>,
    mut stdio: Stdio,
    (canaries, heard): (&[Canary], &Heard),
    log: Trial<'_>,
) -> Verdict {
    stdio.close_input();
    stdio.ended(PATIENCE).await;
    let mut canaries = canaries.to_vec();
    for payload in &heard.payloads {
        // Only a signed payload has the signature at the end.
        let bytes = alloy::hex::decode(payload).unwrap_or_default();
        let signature = bytes.len().saturating_sub(60);
        canaries.push(Canary::bytes("a signed transaction", &bytes[signature..]));
    }
    let (errors, results) = errors_apart(&stdio.output()?);
    let chosen = fixture.by_choice(&MCP_QUIET);
    for (what, text, judge) in [
        ("a tool error", errors, fixture.trial),
        ("a result", results, chosen),
        ("the log", stdio.errors()?, log),
    ] {
        for canary in &canaries {
            let Some(form) = canary.found_in(&text) else { continue };
            let told = |reply: &&ToolReply| canary.found_in(reply.message.to_string().as_bytes()).is_some();
            let leak = Leak(heard.replies.iter().find(told));
            judge.require_or(&leak, false, &format!("{what} without a secret"), || {
                format!("it holds {}, shown as ▇: {}", canary.what, around(&text, form))
            })?;
        }
    }
    Ok(())
}

/// Splits the lines that a tool server has written into errors and others.
fn errors_apart(output: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let is_error = |line: &&[u8]| {
        let message: Value = serde_json::from_slice(line).unwrap_or_default();
        !message["error"].is_null() || message["result"]["isError"] == json!(true)
    };
    let (errors, results): (Vec<&[u8]>, Vec<&[u8]>) = output.split(|byte| *byte == b'\n').partition(is_error);
    (errors.join(&b'\n'), results.join(&b'\n'))
}

/// Returns the surroundings of a found form, with the form itself masked.
fn around(result: &[u8], form: &str) -> String {
    let result = String::from_utf8_lossy(result).into_owned();
    let folded = result.to_lowercase();
    let at = result.find(form).or_else(|| folded.find(form)).unwrap_or_default();
    let start = result.floor_char_boundary(at.saturating_sub(120));
    let end = result.floor_char_boundary((at + form.len() + 120).min(result.len()));
    result.get(start..end).unwrap_or_default().replace(form, "▇").replace(&form.to_uppercase(), "▇")
}

/// Tries invalid settings that contain secrets.
async fn refused_settings(
    fixture: &Arc<ToolServerFixture<'_>>,
    canaries: &[Canary],
    (key, path_key, password): (&str, &str, &str),
) -> Verdict {
    let folder = tempfile::tempdir().map_err(broken)?;
    let path = folder.path().join("key");
    key_file(&path, &format!("{key}{key}"), 0o600)?;
    let file = path.to_string_lossy().into_owned();
    let base = fixture.rest()?.as_str().trim_start_matches("http://").to_owned();
    let rest = fixture.rpc.url().as_str().trim_start_matches("http://").to_owned();
    let settings = [
        ("SERVICE_MCP_RPC_URL", format!("http://user:{password}@{rest}")),
        ("SERVICE_MCP_RPC_URL", format!("http://{rest}v3/{path_key}?key={password}")),
        ("SERVICE_MCP_RPC_URL", format!("http://127.0.0.1:9/v3/{path_key}")),
        ("SERVICE_MCP_RPC_URL", format!("nonsense {password}")),
        ("SERVICE_BASE_URL", format!("http://user:{password}@{base}")),
        ("SERVICE_MCP_PRIVATE_KEY", format!("{key}0")),
        ("SERVICE_MCP_PRIVATE_KEY", key[..63].to_owned()),
        ("SERVICE_MCP_PRIVATE_KEY_FILE", file),
        ("SERVICE_MCP_MAX_RAISE_ETH", password.to_owned()),
    ];
    for (name, value) in &settings {
        let mut heard = Heard::default();
        let stdio = match fixture.try_open(&[(name, value)]).await? {
            Ok(mut session) => {
                heard.call(&mut session, "wallet_info", &json!({})).await?;
                session.stdio
            }
            Err(stdio) => stdio,
        };
        finished(fixture, stdio, (canaries, &heard), fixture.by_choice(&MCP_QUIET)).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Canary;
    use base64::Engine as _;

    #[test]
    fn errors_are_told_from_results() {
        let lines = "{\"error\": {}}\n{\"result\": {\"isError\": true}}\n{\"result\": {}}\nnoise";
        let (errors, results) = super::errors_apart(lines.as_bytes());
        assert_eq!(errors.split(|byte| *byte == b'\n').count(), 2);
        assert_eq!(String::from_utf8_lossy(&results), "{\"result\": {}}\nnoise");
    }

    #[test]
    fn finds_secrets_in_every_encoding() {
        let bytes: Vec<u8> = (0..32).map(|byte| byte * 7 + 3).collect();
        let digits = alloy::hex::encode(&bytes);
        let (key, word) = (Canary::bytes("key", &bytes), Canary::text("word", "Hunter-2/secret"));
        for (canary, said, found) in [
            (&key, format!("0x{}", digits.to_uppercase()), true),
            (&key, format!("part {}", &digits[20..50]), true),
            (&key, super::STANDARD.encode(&bytes), true),
            (&key, super::URL_SAFE_NO_PAD.encode(&bytes), true),
            (&key, super::STANDARD.encode(&digits), true),
            (&key, "nothing here".to_owned(), false),
            (&word, "x hunter-2/secret".to_owned(), true),
            (&word, "%48%75%6e%74%65%72%2d%32%2f%73%65%63%72%65%74".to_owned(), true),
            (&word, "hunter".to_owned(), false),
        ] {
            assert_eq!(canary.found_in(said.as_bytes()).is_some(), found, "{said}");
        }
    }
}
