//! An opened row of the timeline: the request and its answer, the rule that refused, and the node calls, decoded.
use alloy::primitives::{Address, Bytes};
use jiff::Timestamp;
use maud::{Markup, html};
use serde_json::Value;
use slipway_contracts::decode;

use super::{Console, PublicPages};
use crate::api::record::{Exchange, Message};
use crate::node_calls::NodeCall;
use crate::services::pages::number::grouped;

/// Headers that `curl` sends on its own, or that belong to a connection or to a page.
const LEFT_OUT: [&str; 9] = [
    "host",
    "user-agent",
    "accept-encoding",
    "content-length",
    "connection",
    "transfer-encoding",
    "origin",
    "referer",
    "x-console-token",
];

pub(super) fn render(console: &Console, pages: &PublicPages, exchange: &Exchange) -> Markup {
    let Exchange { entry, request, response, calls, .. } = exchange;
    let is_order = entry.service == "control";
    html! {
        div.presets {
            @if let Some(line) = curl(console, exchange) {
                button.copy type="button" title=(line) { "Copy as curl" }
            }
            @if !is_order { a.button href=(fault(exchange)) { "Make a fault of this" } }
        }
        dl {
            dt { "Request id" } dd { (entry.request_id) }
            @if let Some(began) = began(exchange) { dt { "Began" } dd { (began) } }
            @if let Some(cause) = entry.cause { dt { "Cause" } dd { code { (cause) } } }
        }
        h3 { "Request" }
        pre tabindex="0" role="region" aria-label="Request" { (entry.method) " " (pages.within(&entry.target)) "\n" (message(request, pages)) }
        h3 { "Response" }
        pre tabindex="0" role="region" aria-label="Response" { (entry.status) "\n" (message(response, pages)) }
        @if !calls.calls.is_empty() {
            h3 { "Calls of nodes" }
            ol.calls {
                @for call in &calls.calls { li { (told(call, pages)) } }
                @if calls.left_out > 0 { li.muted { (calls.left_out) " more" } }
            }
        }
    }
}

/// The beginning of the request, by the host's clock.
pub(super) fn began(exchange: &Exchange) -> Option<Timestamp> {
    Timestamp::try_from(exchange.began).ok()
}

fn message(message: &Message, pages: &PublicPages) -> Markup {
    html! {
        @for (name, value) in message.headers() { (name) ": " (value) "\n" }
        @if message.size.is_none_or(|size| size > 0) { "\n" (pages.within(&body(message))) }
        @if message.is_cut() {
            "\n… " (grouped(&message.size.unwrap_or_default().to_string())) " bytes in all"
        }
        @if message.size.is_none() { "sent piece by piece, not kept" }
    }
}

/// The body as text; JSON gets a line per member if that loses nothing.
fn body(message: &Message) -> String {
    let Ok(text) = std::str::from_utf8(&message.body) else {
        return format!("{} bytes that are no text", message.body.len());
    };
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let written = value.to_string();
    if written == text { format!("{value:#}") } else { text.to_owned() }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The URL of a request, with the host that it named, or else the service's.
pub(super) fn url(console: &Console, exchange: &Exchange) -> String {
    let Exchange { entry, request, .. } = exchange;
    let named = request.header("host").map(|host| format!("http://{host}"));
    let origin = named.unwrap_or_else(|| console.origin(entry.service).to_owned());
    format!("{}{}", origin.trim_end_matches('/'), entry.target)
}

/// The command line that sends the request again; `None` unless its whole body is kept as text.
fn curl(console: &Console, exchange: &Exchange) -> Option<String> {
    let Exchange { entry, request, .. } = exchange;
    let mut line = match &*entry.method {
        "GET" => "curl -sS -i".to_owned(),
        "HEAD" => "curl -sS -I".to_owned(),
        method => format!("curl -sS -i -X {method}"),
    };
    for (name, value) in request.headers() {
        if !LEFT_OUT.contains(&name) && !name.starts_with("sec-") {
            line += &format!(" -H {}", quoted(&format!("{name}: {value}")));
        }
    }
    if request.is_cut() {
        return None;
    }
    let body = std::str::from_utf8(&request.body).ok()?;
    if !body.is_empty() {
        line += &format!(" --data-raw {}", quoted(body));
    }
    Some(format!("{line} {}", quoted(&url(console, exchange))))
}

/// The address of a form for a fault that affects requests like this one.
fn fault(exchange: &Exchange) -> String {
    let entry = &exchange.entry;
    let path = entry.target.split('?').next().unwrap_or_default();
    let query = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs([
            ("tab", "faults"),
            ("service", entry.service),
            ("method", &entry.method),
            ("path", path),
        ])
        .finish();
    format!("/?{query}")
}

/// The contract and function that a node call simulates.
fn function(call: &NodeCall) -> Option<(Address, String)> {
    let params: Value = serde_json::from_str(&call.params).ok()?;
    let called = params.get(0)?;
    let input = called.get("input").or_else(|| called.get("data"))?.as_str()?;
    let named = decode::call(&input.parse::<Bytes>().ok()?)?;
    Some((called.get("to")?.as_str()?.parse().ok()?, named.to_string()))
}

fn told(call: &NodeCall, pages: &PublicPages) -> Markup {
    html! {
        (call.chain_id) " " code { (call.method) } " "
        @match function(call) {
            Some((contract, function)) => { code { (function) } " of " (pages.contract(contract)) },
            None => code { (pages.within(&call.params)) },
        }
        " " span.muted { (grouped(&call.microseconds.to_string())) " µs" }
        @if let Some(error) = &call.error { " " span.fell { (error) } }
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, U256};
    use alloy::sol_types::SolCall;
    use serde_json::json;
    use slipway_contracts::bindings::IERC20;

    use super::{Message, NodeCall, body, function};

    #[test]
    fn simulated_calls_are_decoded() {
        let input = IERC20::transferCall { to: Address::ZERO, amount: U256::from(7) }.abi_encode();
        let input = alloy::hex::encode_prefixed(input);
        let contract = Address::repeat_byte(1);
        for member in ["input", "data"] {
            let params = json!([{ "to": contract, member: input }, "latest"]).to_string();
            let (to, text) = function(&NodeCall::begun(1, "eth_call", &params)).unwrap();
            assert_eq!(to, contract);
            assert!(text.starts_with("transfer(") && text.contains("amount: 7"), "{text}");
        }
        for params in ["", "[]", "[7]", r#"[{"to":"0x1","input":"0x00"}]"#, r#"[{"input":"0xa9059cbb"#] {
            assert_eq!(function(&NodeCall::begun(1, "eth_call", params)), None, "{params}");
        }
    }

    #[test]
    fn bodies_are_laid_out_where_nothing_is_lost() {
        let of = |text: &[u8]| {
            let mut message = Message::default();
            message.add(text);
            body(&message)
        };
        assert_eq!(of(br#"{"a":[1]}"#), "{\n  \"a\": [\n    1\n  ]\n}");
        for text in [r#"{"a": 1.0}"#, r#"{"a":123456789012345678901234567890}"#, r#"{"a":1,"a":2}"#, "a=b"] {
            assert_eq!(of(text.as_bytes()), text);
        }
        assert_eq!(of(&[0xff; 3]), "3 bytes that are no text");
    }
}
