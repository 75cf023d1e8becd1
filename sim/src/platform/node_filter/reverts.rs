//! Names the error of a contract in a node's answer: the node knows its selector alone.
use alloy::primitives::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use slipway_contracts::decode;

/// What a node writes in place of a name.
const UNNAMED: &[u8] = b"custom error 0x";
/// Maximum length of an answer with an error that is named.
const LONGEST: usize = 64 << 10;

/// The answer with the error's name and arguments in its message, if a known contract declares it, or else with its data there if the node
/// has written the bytes of the arguments as letters; the data stays.
pub(super) fn named(answer: &[u8]) -> Option<Vec<u8>> {
    let is_unnamed = answer.len() <= LONGEST && answer.windows(UNNAMED.len()).any(|part| part == UNNAMED);
    if !is_unnamed {
        return None;
    }
    let mut answer: Failed<'_> = serde_json::from_slice(answer).ok()?;
    let Failure { message, data, .. } = &mut answer.error;
    *message = match decode::error(data) {
        Some(named) => format!("execution reverted: {named}"),
        None if message.contains(char::is_control) => format!("execution reverted: custom error {data}"),
        None => return None,
    };
    serde_json::to_vec(&answer).ok()
}

/// An answer with an error; what is not read stays as it is.
#[derive(Deserialize, Serialize)]
struct Failed<'a> {
    #[serde(borrow)]
    jsonrpc: &'a RawValue,
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(borrow)]
    error: Failure<'a>,
}

#[derive(Deserialize, Serialize)]
struct Failure<'a> {
    #[serde(borrow)]
    code: &'a RawValue,
    message: String,
    data: Bytes,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::named;

    fn told(message: &str, data: &Value) -> Option<Value> {
        let error = json!({ "code": 3, "message": message, "data": data });
        let answer = json!({ "jsonrpc": "2.0", "id": "a", "error": error });
        let answer = named(answer.to_string().as_bytes())?;
        serde_json::from_slice(&answer).ok()
    }

    #[test]
    fn a_known_error_is_named_and_everything_else_stays() {
        let message = "execution reverted: custom error 0x0d7b65ad";
        let answer = told(message, &json!("0x0d7b65ad")).unwrap();
        let error =
            json!({ "code": 3, "message": "execution reverted: ValueNotAccepted()", "data": "0x0d7b65ad" });
        assert_eq!(answer, json!({ "jsonrpc": "2.0", "id": "a", "error": error }));
        // A selector of no known contract, data that is no data, and a text that only looks like one.
        assert_eq!(told("execution reverted: custom error 0x01020304", &json!("0x01020304")), None);
        let unknown = format!("0x01020304{}", "07".repeat(32));
        let answer = told(
            &format!("execution reverted: custom error 0x01020304: {}", "\u{7}".repeat(32)),
            &json!(unknown),
        );
        assert_eq!(
            answer.unwrap()["error"]["message"],
            format!("execution reverted: custom error {unknown}")
        );
        assert_eq!(told(message, &json!(7)), None);
        assert_eq!(told(message, &json!(null)), None);
        assert_eq!(named(br#"{"jsonrpc":"2.0","id":1,"result":"custom error 0x0d7b65ad"}"#), None);
        // An id of any length.
        let answer = r#"{"jsonrpc":"2.0","id":123456789012345678901,"error":{"code":3,"message":"custom error 0x0d7b65ad","data":"0x0d7b65ad"}}"#;
        let expected = answer.replace("custom error 0x0d7b65ad", "execution reverted: ValueNotAccepted()");
        assert_eq!(named(answer.as_bytes()).unwrap(), expected.as_bytes());
        assert_eq!(told(&format!("{message}{}", "x".repeat(70_000)), &json!("0x0d7b65ad")), None);
    }
}
