//! Answers null about a block that is not there, where the node answers with an error.
use serde::Deserialize;
use serde_json::Value;
use tokio_tungstenite::tungstenite::Bytes;

use super::call::Call;

/// Methods whose result is `oneOf: [notFound, …]` in the Ethereum execution API, where `notFound` is null.
const METHODS: [&str; 3] = [
    "eth_getBlockTransactionCountByNumber",
    "eth_getUncleCountByBlockNumber",
    "eth_getUncleByBlockNumberAndIndex",
];
/// How a node's error about such a block begins.
const ERRORS: [&str; 2] = ["BlockOutOfRangeError", "Resource not found"];

#[derive(Deserialize)]
struct Failed {
    error: Failure,
}

#[derive(Deserialize)]
struct Failure {
    message: String,
}

/// The answer instead of the node's, if that is an error about a block that is not there.
pub(super) fn null(call: &Call, answer: &[u8]) -> Option<Bytes> {
    if !METHODS.contains(&call.method.as_str()) {
        return None;
    }
    let Failed { error } = serde_json::from_slice(answer).ok()?;
    ERRORS.iter().any(|known| error.message.starts_with(known)).then(|| call.result(Value::Null))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::call::{Asked, read};
    use super::{METHODS, null};

    /// execution-apis, `eth_getBlockTransactionCountByNumber` and its siblings: the result is a number, or null if the block is not found.
    #[test]
    fn a_block_that_is_not_there_has_no_count() {
        let answered = |method: &str, message: &str| {
            let text = json!({ "method": method, "params": ["0xffffff"], "id": "one" }).to_string();
            let Ok(Asked::One(call)) = read(text.as_bytes(), 1) else { panic!("{text}") };
            let answer =
                json!({ "jsonrpc": "2.0", "id": "one", "error": { "code": -32_602, "message": message } });
            null(&call, answer.to_string().as_bytes())
        };
        for method in METHODS {
            for message in
                ["BlockOutOfRangeError: block height is 1 but requested was 9", "Resource not found"]
            {
                let null = answered(method, message).unwrap();
                assert_eq!(null, br#"{"jsonrpc":"2.0","id":"one","result":null}"#.as_slice(), "{method}");
            }
            assert_eq!(answered(method, "invalid type: null, expected a block number"), None);
        }
        assert_eq!(answered("eth_getBalance", "BlockOutOfRangeError: block height is 1"), None);
    }
}
