//! `slipway explain 0xHASH`: describes a transaction of a running platform, from its control plane.
use std::fmt::Write as _;

use serde_json::Value;
use slipway_scenarios::client::http::Http;
use slipway_scenarios::client::message::Request;
use url::Url;

use super::env;
use crate::arguments::ExplainArguments;
use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::terminal::colour::Colour;
use crate::terminal::output;

/// Why a transaction cannot be explained.
#[derive(Debug, thiserror::Error)]
enum TransactionError {
    #[error("the platform has no control plane, which explains transactions")]
    NoControl,
    #[error("{hash}: {reason}")]
    Refused { hash: String, reason: String },
}

impl Fatal for TransactionError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }
}

/// Whether an id is the hash of a transaction.
pub(super) fn is_hash(id: &str) -> bool {
    id.strip_prefix("0x")
        .is_some_and(|digits| digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

pub(super) async fn explain(hash: &str, arguments: &ExplainArguments) -> Result<Exit, CommandError> {
    let ready = env::given_or_running(arguments.ports).await?;
    let control = ready["controlUrl"].as_str().and_then(|url| Url::parse(url).ok());
    let control = control.ok_or(TransactionError::NoControl)?;
    let mut request = Request::get(&control, &format!("/_sim/transactions/{hash}"), &[]);
    if let Some(token) = ready["controlToken"].as_str() {
        request.headers.push(("authorization".to_owned(), format!("Bearer {token}")));
    }
    let answer = Http::new()?.send_once(request).await?;
    let body = answer.json().unwrap_or_default();
    if answer.code() != 200 {
        let reason = body["error"].as_str().unwrap_or("the control plane does not tell").to_owned();
        return Err(TransactionError::Refused { hash: hash.to_owned(), reason }.into());
    }
    if arguments.print.json {
        return output::done(&output::document(&body));
    }
    output::told(&told(&body, Colour::of_stdout()))
}

/// A text of a contract or a token, on one line without control characters.
fn plain(value: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

fn told(transaction: &Value, colour: Colour) -> String {
    let is_good = transaction["succeeded"] == true;
    let result = if is_good { colour.good("succeeded") } else { colour.bad("REVERTED") };
    let error = match &transaction["error"]["text"] {
        Value::String(_) => format!("  {}", colour.bad(&plain(&transaction["error"]["text"]))),
        _ => String::new(),
    };
    let mut text = format!(
        "transaction {}\n  {result}{error}\n  chain {}, block {}\n  from {}, {}, {} gas for {}\n\ncalls\n",
        plain(&transaction["hash"]),
        transaction["chainId"],
        transaction["block"],
        plain(&transaction["from"]),
        plain(&transaction["value"]),
        transaction["gasUsed"],
        plain(&transaction["fee"]),
    );
    for call in rows(&transaction["calls"]) {
        let indent = "  ".repeat(1 + usize::try_from(call["depth"].as_u64().unwrap_or(0)).unwrap_or(0));
        let kind = if call["kind"] == "CALL" { String::new() } else { format!("{} ", plain(&call["kind"])) };
        let value = call["value"].as_str().map(|_| format!(" {}", plain(&call["value"]))).unwrap_or_default();
        let error = call["error"].as_str().map(|_| format!("  {}", colour.bad(&plain(&call["error"]))));
        // In the words of the page.
        let nameless = if kind.starts_with("CREATE") { "create" } else { "payment" };
        let function = call["function"].as_str().or(call["selector"].as_str()).unwrap_or(nameless);
        let _ = writeln!(
            text,
            "{indent}{kind}{}.{}({}){value}  {}{}",
            party(&call["contract"]),
            colour.strong(function),
            arguments(&call["arguments"]),
            colour.faint(&format!("{} gas", call["gasUsed"])),
            error.unwrap_or_default(),
        );
    }
    if transaction["truncated"] == true {
        text.push_str("  and more calls\n");
    }
    let events = rows(&transaction["events"]);
    text.push_str(if events.is_empty() { "\nno events\n" } else { "\nevents\n" });
    for event in events {
        let name = event["name"].as_str().unwrap_or("not known here");
        let contract = party(&event["contract"]);
        let _ = writeln!(text, "  {contract} {}({})", colour.strong(name), arguments(&event["arguments"]));
    }
    let all = transaction["eventCount"].as_u64().and_then(|count| usize::try_from(count).ok());
    if let Some(left_out) = all.and_then(|all| all.checked_sub(events.len())).filter(|left_out| *left_out > 0)
    {
        let _ = writeln!(text, "  and {left_out} more");
    }
    text
}

fn rows(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn party(party: &Value) -> String {
    match party["name"].as_str() {
        Some(_) => plain(&party["name"]),
        None => plain(&party["address"]),
    }
}

fn arguments(arguments: &Value) -> String {
    let told = rows(arguments).iter().map(|argument| {
        let value = if argument["amount"].is_string() { &argument["amount"] } else { &argument["value"] };
        format!("{}: {}", plain(&argument["name"]), plain(value))
    });
    told.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Colour, is_hash, told};

    #[test]
    fn a_hash_is_told_from_other_ids() {
        assert!(is_hash(&format!("0x{}", "aB".repeat(32))));
        for other in ["0x", "S118", "list-totals", &"a".repeat(66), &format!("0x{}", "g".repeat(64))] {
            assert!(!is_hash(other), "{other}");
        }
    }

    #[test]
    fn calls_and_events_are_lines_without_control_characters() {
        let argument = json!({ "name": "amount", "value": "5", "amount": "0.05 E\u{1b}[2JT" });
        let contract = json!({ "address": "0x01", "name": "LaunchHook" });
        let mut transaction = json!({
            "hash": "0xab", "succeeded": false, "error": { "text": "RaiseOutOfRange()" }, "chainId": 57073, "block": 7, "from": "0x02",
            "value": "0 ETH", "gasUsed": 21, "fee": "1 ETH", "truncated": false,
            "calls": [
                { "depth": 0, "kind": "CALL", "contract": contract, "function": "buy", "selector": "0xd6febde8", "arguments": [argument], "gasUsed": 21, "value": "1 ETH", "error": "RaiseOutOfRange()" },
                { "depth": 1, "kind": "STATICCALL", "contract": { "address": "0x03" }, "selector": "0x01020304", "arguments": [], "gasUsed": 9 },
                { "depth": 1, "kind": "CREATE", "contract": { "address": "0x04" }, "arguments": [], "gasUsed": 8 },
                { "depth": 0, "kind": "CALL", "contract": { "address": "0x05" }, "arguments": [], "gasUsed": 7 },
            ],
            "events": [{ "contract": contract, "name": "Trade", "arguments": [argument] }],
        });
        let text = told(&transaction, Colour::never());
        let expected = "transaction 0xab\n  REVERTED  RaiseOutOfRange()\n  chain 57073, block 7\n  from 0x02, 0 ETH, 21 gas for 1 ETH\n\n\
                        calls\n  LaunchHook.buy(amount: 0.05 E\u{fffd}[2JT) 1 ETH  21 gas  RaiseOutOfRange()\n    STATICCALL 0x03.0x01020304()  9 gas\n    CREATE 0x04.create()  8 gas\n  0x05.payment()  7 gas\n\n\
                        events\n  LaunchHook Trade(amount: 0.05 E\u{fffd}[2JT)\n";
        assert_eq!(text, expected);
        transaction["events"] = json!([]);
        let text = told(&transaction, Colour::never());
        assert!(text.ends_with("7 gas\n\nno events\n"), "{text}");
    }
}
