//! Bad input to every call of the control plane: the refusal names the problem, and nothing has changed.
use serde_json::json;

use crate::platform::{order, ordered, start};

const NOBODY: &str = "0x00000000000000000000000000000000000000aa";

/// Method and path, body, status, and a text in the refusal.
const INVALID: &[(&str, &str, u16, &str)] = &[
    ("POST /_sim/clock/advance", "{}", 400, "seconds"),
    ("POST /_sim/clock/advance", r#"{"seconds": -1}"#, 400, "seconds"),
    ("POST /_sim/clock/advance", r#"{"seconds": 0.5}"#, 400, "seconds"),
    ("POST /_sim/clock/advance", r#"{"seconds": "60"}"#, 400, "seconds"),
    ("POST /_sim/clock/advance", r#"{"seconds": 18446744073709551615}"#, 400, "seconds"),
    ("POST /_sim/clock/advance", r#"{"second": 1}"#, 400, "second "),
    ("POST /_sim/clock/advance", r#"{"seconds": 1, "seconds": 2}"#, 400, "repeated name"),
    ("POST /_sim/clock/advance", "[1]", 400, "object"),
    ("POST /_sim/clock/set", "", 400, "timestamp"),
    ("POST /_sim/clock/set", r#"{"timestamp": 0}"#, 400, "timestamp"),
    ("POST /_sim/clock/set", r#"{"timestamp": 253402207201}"#, 400, "timestamp"),
    ("POST /_sim/clock/set", r#"{"timestamp": "now"}"#, 400, "timestamp"),
    ("POST /_sim/checkpoints/99/revert", "", 404, "checkpoint"),
    ("POST /_sim/checkpoints/-1/revert", "", 404, "checkpoint"),
    ("POST /_sim/checkpoints/%ff/revert", "", 400, "path"),
    ("DELETE /_sim/checkpoints/99", "", 404, "no checkpoint has the id 99"),
    ("DELETE /_sim/checkpoints/-1", "", 404, "checkpoint"),
    ("POST /_sim/captchas", r#"{"ttlSeconds": 0}"#, 400, "ttlSeconds"),
    ("POST /_sim/captchas", r#"{"ttlSeconds": 86401}"#, 400, "ttlSeconds"),
    ("POST /_sim/captchas", r#"{"ttlSeconds": true}"#, 400, "ttlSeconds"),
    ("POST /_sim/captchas", r#"{"ttl": 60}"#, 400, "ttl "),
    ("POST /_sim/bearers", "{}", 400, "address"),
    ("POST /_sim/bearers", r#"{"address": "0x12"}"#, 400, "address"),
    ("POST /_sim/bearers", r#"{"address": 12}"#, 400, "address"),
    ("POST /_sim/checkpoints", r#"{"name": ""}"#, 400, "name"),
    ("POST /_sim/checkpoints", r#"{"names": "x"}"#, 400, "names "),
    ("POST /_sim/launches", "{}", 400, "name"),
    ("POST /_sim/launches", r#"{"name": "N", "ticker": "T", "targetRaise": 1}"#, 400, "targetRaise"),
    (
        "POST /_sim/launches",
        r#"{"name": "N", "ticker": "T", "targetRaise": "1", "account": "NOBODY"}"#,
        400,
        "account",
    ),
    ("POST /_sim/trades", r#"{"token": "NOBODY", "side": "hold"}"#, 400, "side"),
    ("POST /_sim/trades", r#"{"token": "NOBODY", "side": "buy", "amount": "1"}"#, 404, "token"),
    ("POST /_sim/tokens/me/graduate", "", 404, "token"),
    ("POST /_sim/captcha-auths", "{}", 400, "chainId"),
    ("POST /_sim/captcha-auths", r#"{"chainId": 1, "trader": "NOBODY", "launchId": 1}"#, 400, "chainId"),
    ("POST /_sim/captcha-auths", r#"{"chainId": 4663, "trader": "me", "launchId": 1}"#, 400, "trader"),
    ("POST /_sim/captcha-auths", r#"{"chainId": 4663, "trader": "NOBODY", "launchId": -1}"#, 400, "launchId"),
    (
        "POST /_sim/captcha-auths",
        r#"{"chainId": 4663, "trader": "NOBODY", "launchId": 1, "hook": "NOBODY"}"#,
        400,
        "hook",
    ),
    (
        "POST /_sim/captcha-auths",
        r#"{"chainId": 4663, "trader": "NOBODY", "launchId": 1, "hook": "native"}"#,
        400,
        "hook",
    ),
    ("GET /_sim/indexed", "", 400, "chainId"),
    ("GET /_sim/indexed?chainId=57073", "", 400, "block"),
    ("GET /_sim/indexed?chainId=57073&block=x", "", 400, "block"),
    ("GET /_sim/indexed?chainId=57073&chainId=57073&block=1", "", 400, "chainId"),
    ("PUT /_sim/tokens/0x12/disabled", "", 404, "token"),
    ("DELETE /_sim/tokens/%00/disabled", "", 400, "path"),
    ("PUT /_sim/creation-paused", "", 400, "chainId"),
    ("PUT /_sim/creation-paused?chainId=5", "", 400, "chainId"),
    ("PUT /_sim/creation-paused?chainId=57073&hook=x", "", 400, "hook"),
    ("DELETE /_sim/creation-paused?chainId=57073&hook=NOBODY", "", 400, "hook"),
    ("GET /_sim/journal?after=-1", "", 400, "after"),
    ("GET /_sim/journal?after=1&after=2", "", 400, "after"),
    ("GET /_sim/faults/none", "", 404, "fault"),
    ("DELETE /_sim/faults/none", "", 404, "fault"),
    ("PUT /_sim/faults/x", "{}", 400, "path"),
    ("PUT /_sim/faults/x", r#"{"path": "/"}"#, 400, "effect"),
    ("PUT /_sim/faults/x", r#"{"path": "/", "effect": {"status": 200}}"#, 400, "effect.status"),
    ("POST /_sim/nothing", "", 404, "path"),
    ("POST /_sim/ready", "", 405, "method"),
];

#[tokio::test(flavor = "multi_thread")]
async fn invalid_calls_name_the_field_and_change_nothing() {
    let platform = start().await;
    let before = ordered(&platform, "GET /_sim/clock", "").await;
    for (line, body, status, named) in INVALID {
        let (line, body) = (line.replace("NOBODY", NOBODY), body.replace("NOBODY", NOBODY));
        let what = format!("{line} {body}");
        let (answered, reported) = order(&platform, &line, body).await;
        assert_eq!((answered, &reported["status"]), (*status, &json!(status)), "{what}: {reported}");
        let words = format!("{} {}", reported["error"], reported["details"]);
        assert!(words.contains(named), "{what}: {reported}");
    }
    assert_eq!(ordered(&platform, "GET /_sim/clock", "").await, before);
    let faults = ordered(&platform, "GET /_sim/faults", "").await;
    assert_eq!(faults, json!({ "faults": {}, "unused": [] }));
    platform.stop().await;
}
