//! Places in a JSON value, as JSON pointers (RFC 6901).
use serde_json::Value;

/// The pointers to every value in this one, itself first.
#[must_use]
pub fn places(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let below = |token: &str, inner: &Value| -> Vec<String> {
        let token = token.replace('~', "~0").replace('/', "~1");
        places(inner).into_iter().map(|rest| format!("/{token}{rest}")).collect()
    };
    match value {
        Value::Array(items) => {
            found.extend(items.iter().enumerate().flat_map(|(at, item)| below(&at.to_string(), item)));
        }
        Value::Object(fields) => found.extend(fields.iter().flat_map(|(name, inner)| below(name, inner))),
        _ => {}
    }
    found
}

/// A pointer without the places in lists and without keys that name a single thing: `/tokens/3/name` is `/tokens/*/name`.
#[must_use]
pub fn general(pointer: &str) -> String {
    let single = |token: &str| {
        (!token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit())) || token.starts_with("0x")
    };
    pointer.split('/').map(|token| if single(token) { "*" } else { token }).collect::<Vec<_>>().join("/")
}

/// The pointers of a value that a general one stands for.
#[must_use]
pub fn concrete(value: &Value, wanted: &str) -> Vec<String> {
    places(value).into_iter().filter(|pointer| general(pointer) == wanted).collect()
}

/// Takes a field or an item out; whether there was one.
pub(super) fn remove(value: &mut Value, pointer: &str) -> bool {
    let Some((parent, token)) = pointer.rsplit_once('/') else { return false };
    let token = token.replace("~1", "/").replace("~0", "~");
    match value.pointer_mut(parent) {
        Some(Value::Object(fields)) => fields.shift_remove(&token).is_some(),
        Some(Value::Array(items)) => match token.parse::<usize>() {
            Ok(at) if at < items.len() => {
                items.remove(at);
                true
            }
            _ => false,
        },
        _ => false,
    }
}
