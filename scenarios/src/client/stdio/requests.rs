//! Requests of a server to its client, which may come between its answers.
use serde_json::{Value, json};

use super::Stdio;
use crate::model::verdict::Inconclusive;

/// The longest request that is answered, in bytes.
const LONGEST: usize = 4_096;
/// Most requests that are answered: a server that never reads them must not block its client.
const MOST: usize = 512;
/// The error of JSON-RPC for a method that is not offered.
const METHOD_NOT_FOUND: i64 = -32601;

impl Stdio {
    /// Answers a line if it is a request: a ping as every peer must, anything else with an error, because nothing else is offered.
    pub(super) async fn oblige(&mut self, line: &[u8]) -> Result<(), Inconclusive> {
        if line.len() > LONGEST || self.obliged == MOST {
            return Ok(());
        }
        let Ok(asked) = serde_json::from_slice::<Value>(line) else { return Ok(()) };
        if asked["id"].is_null() || !asked["method"].is_string() {
            return Ok(());
        }
        self.obliged += 1;
        let mut answer = json!({ "jsonrpc": "2.0", "id": asked["id"] });
        if asked["method"] == "ping" {
            answer["result"] = json!({});
        } else {
            answer["error"] = json!({ "code": METHOD_NOT_FOUND, "message": "the client offers no methods" });
        }
        let sent = self.sent.clone();
        // A server that has closed its input waits for no answer.
        let _ = self.send(&answer).await;
        self.sent = sent;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Line, PATIENCE};
    use super::*;
    use crate::client::stdio::tests::shell;

    #[tokio::test]
    async fn what_a_server_sends_unasked_is_no_answer() {
        let unasked = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
        let script = format!("echo '{unasked}'; echo '{unasked}'; echo '{{\"id\":null}}'; echo no message");
        let mut child = Stdio::spawn(&shell(&script), &[]).unwrap();
        assert_eq!(child.answer(PATIENCE).await.unwrap(), Line::Text(b"{\"id\":null}".to_vec()));
        assert_eq!(child.answer(PATIENCE).await.unwrap(), Line::Text(b"no message".to_vec()));
        assert_eq!(child.answer(PATIENCE).await.unwrap(), Line::End);
    }

    #[tokio::test]
    async fn pings_are_answered_and_nothing_else_is_offered() {
        for (method, expected) in [("ping", "result"), ("sampling/createMessage", "error")] {
            let asked = format!(r#"{{"jsonrpc":"2.0","id":"a","method":"{method}"}}"#);
            let mut child =
                Stdio::spawn(&shell(&format!("echo '{asked}'; read line; echo \"$line\"")), &[]).unwrap();
            let Line::Text(answer) = child.answer(PATIENCE).await.unwrap() else { panic!("no answer") };
            let answer: Value = serde_json::from_slice(&answer).unwrap();
            assert!(answer["id"] == "a" && answer.get(expected).is_some(), "{answer}");
        }
    }
}
