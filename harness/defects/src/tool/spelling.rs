//! The server's messages in another spelling, and messages that it need not send.
use serde_json::{Value, json};

use crate::json::push_escaped;

/// A line with the same message in another spelling.
pub(super) fn spelt(message: &Value) -> Vec<u8> {
    let mut line = String::from(" ");
    for letter in message.to_string().chars() {
        match letter {
            ' '..='~' if letter != '/' => line.push(letter),
            _ => push_escaped(&mut line, letter),
        }
    }
    line.push_str("\t\n");
    line.into_bytes()
}

/// A notification unrelated to the answer after it.
pub(super) fn chatter() -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "debug", "logger": "server", "data": "answering" } })
}
