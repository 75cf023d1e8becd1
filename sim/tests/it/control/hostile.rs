//! Bad input to every call of the control plane: a clear refusal that names what is wrong, and nothing has happened.
use reqwest::Method;
use serde_json::{Value, json};
use slipway_contracts::ChainId;
use slipway_sim::Platform;

use super::Control;
use crate::platform::{config, kill_second_node, start};

const NOBODY: &str = "0x00000000000000000000000000000000000000aa";

/// Method, path, body, status, and what the refusal names.
type InvalidCall = (Method, &'static str, Value, u16, &'static str);

fn invalid_orders() -> Vec<InvalidCall> {
    let post = Method::POST;
    let none = || Value::Null;
    vec![
        (post.clone(), "/_sim/clock/advance", json!({}), 400, "seconds"),
        (post.clone(), "/_sim/clock/advance", json!({"seconds": -1}), 400, "seconds"),
        (post.clone(), "/_sim/clock/advance", json!({"seconds": 0.5}), 400, "seconds"),
        (post.clone(), "/_sim/clock/advance", json!({"seconds": "60"}), 400, "seconds"),
        (post.clone(), "/_sim/clock/advance", json!({"seconds": u64::MAX}), 400, "seconds"),
        (post.clone(), "/_sim/clock/advance", json!({"second": 1}), 400, "second "),
        (post.clone(), "/_sim/clock/advance", json!([1]), 400, "object"),
        (post.clone(), "/_sim/clock/set", json!({}), 400, "timestamp"),
        (post.clone(), "/_sim/clock/set", json!({"timestamp": 0}), 400, "timestamp"),
        (post.clone(), "/_sim/clock/set", json!({"timestamp": 253_402_300_800_u64}), 400, "timestamp"),
        (post.clone(), "/_sim/clock/set", json!({"timestamp": "now"}), 400, "timestamp"),
        (post.clone(), "/_sim/checkpoints/99/revert", none(), 404, "checkpoint"),
        (post.clone(), "/_sim/checkpoints/-1/revert", none(), 404, "checkpoint"),
        (post.clone(), "/_sim/checkpoints/%ff/revert", none(), 400, "path"),
        (post.clone(), "/_sim/captchas", json!({"ttlSeconds": 0}), 400, "ttlSeconds"),
        (post.clone(), "/_sim/captchas", json!({"ttlSeconds": 86_401}), 400, "ttlSeconds"),
        (post.clone(), "/_sim/captchas", json!({"ttlSeconds": true}), 400, "ttlSeconds"),
        (post.clone(), "/_sim/captchas", json!({"ttl": 60}), 400, "ttl "),
        (post.clone(), "/_sim/bearers", json!({}), 400, "address"),
        (post.clone(), "/_sim/bearers", json!({"address": "0x12"}), 400, "address"),
        (post.clone(), "/_sim/bearers", json!({"address": 12}), 400, "address"),
        (post.clone(), "/_sim/checkpoints", json!({"name": ""}), 400, "name"),
        (post.clone(), "/_sim/checkpoints", json!({"names": "x"}), 400, "names "),
        (post.clone(), "/_sim/launches", json!({}), 400, "name"),
        (
            post.clone(),
            "/_sim/launches",
            json!({"name": "N", "ticker": "T", "targetRaise": 1}),
            400,
            "targetRaise",
        ),
        (
            post.clone(),
            "/_sim/launches",
            json!({"name": "N", "ticker": "T", "targetRaise": "1", "account": NOBODY}),
            400,
            "account",
        ),
        (post.clone(), "/_sim/trades", json!({"token": NOBODY, "side": "hold"}), 400, "side"),
        (post.clone(), "/_sim/trades", json!({"token": NOBODY, "side": "buy", "amount": "1"}), 404, "token"),
        (post.clone(), "/_sim/tokens/me/graduate", none(), 404, "token"),
        (post.clone(), "/_sim/captcha-auths", json!({}), 400, "chainId"),
        (
            post.clone(),
            "/_sim/captcha-auths",
            json!({"chainId": 1, "trader": NOBODY, "launchId": 1}),
            400,
            "chainId",
        ),
        (
            post.clone(),
            "/_sim/captcha-auths",
            json!({"chainId": ChainId::SECOND.0, "trader": "me", "launchId": 1}),
            400,
            "trader",
        ),
        (
            post.clone(),
            "/_sim/captcha-auths",
            json!({"chainId": ChainId::SECOND.0, "trader": NOBODY, "launchId": -1}),
            400,
            "launchId",
        ),
        (
            post.clone(),
            "/_sim/captcha-auths",
            json!({"chainId": ChainId::SECOND.0, "trader": NOBODY, "launchId": 1, "hook": NOBODY}),
            400,
            "hook",
        ),
        (
            post.clone(),
            "/_sim/captcha-auths",
            json!({"chainId": ChainId::SECOND.0, "trader": NOBODY, "launchId": 1, "hook": "native"}),
            400,
            "hook",
        ),
    ]
}

fn invalid_reads_and_switches() -> Vec<InvalidCall> {
    let (post, put, get, delete) = (Method::POST, Method::PUT, Method::GET, Method::DELETE);
    let none = || Value::Null;
    vec![
        (get.clone(), "/_sim/indexed", none(), 400, "chainId"),
        (get.clone(), "/_sim/indexed?chainId=57073", none(), 400, "block"),
        (get.clone(), "/_sim/indexed?chainId=57073&block=x", none(), 400, "block"),
        (get.clone(), "/_sim/indexed?chainId=57073&chainId=57073&block=1", none(), 400, "chainId"),
        (put.clone(), "/_sim/tokens/0x12/disabled", none(), 404, "token"),
        (delete.clone(), "/_sim/tokens/%00/disabled", none(), 400, "path"),
        (put.clone(), "/_sim/creation-paused", none(), 400, "chainId"),
        (put.clone(), "/_sim/creation-paused?chainId=5", none(), 400, "chainId"),
        (put.clone(), "/_sim/creation-paused?chainId=57073&hook=x", none(), 400, "hook"),
        (
            delete.clone(),
            "/_sim/creation-paused?chainId=57073&hook=0x00000000000000000000000000000000000000aa",
            none(),
            400,
            "hook",
        ),
        (get.clone(), "/_sim/journal?after=-1", none(), 400, "after"),
        (get.clone(), "/_sim/journal?after=1&after=2", none(), 400, "after"),
        (get, "/_sim/faults/none", none(), 404, "fault"),
        (delete, "/_sim/faults/none", none(), 404, "fault"),
        (put.clone(), "/_sim/faults/x", json!({}), 400, "path"),
        (put.clone(), "/_sim/faults/x", json!({"path": "/"}), 400, "effect"),
        (put, "/_sim/faults/x", json!({"path": "/", "effect": {"status": 200}}), 400, "effect.status"),
        (post.clone(), "/_sim/nothing", none(), 404, "path"),
        (post, "/_sim/ready", none(), 405, "method"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_calls_name_the_field_and_change_nothing() {
    let platform = start().await;
    let control = Control::of(&platform);
    let before = control.done(Method::GET, "/_sim/clock", None).await;
    for (method, path, body, status, named) in
        invalid_orders().into_iter().chain(invalid_reads_and_switches())
    {
        let what = format!("{method} {path} {body}");
        let (answered, reported) = control.call(method, path, (!body.is_null()).then_some(body)).await;
        assert_eq!((answered, &reported["status"]), (status, &json!(status)), "{what}: {reported}");
        let words = format!("{} {}", reported["error"], reported["details"]);
        assert!(words.contains(named), "{what}: {reported}");
    }
    assert_eq!(control.done(Method::GET, "/_sim/clock", None).await, before);
    let faults = control.done(Method::GET, "/_sim/faults", None).await;
    assert_eq!(faults, json!({ "faults": {}, "unused": [] }));
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn readiness_names_the_lost_node() {
    let platform = Platform::start(config()).await.unwrap();
    let control = Control::of(&platform);
    let ready = control.done(Method::GET, "/_sim/ready", None).await;
    assert_eq!(ready, json!({ "ready": true, "chains": [ChainId::SECOND.0, ChainId::PRIMARY.0] }));
    let died = platform.died();
    kill_second_node(&platform);
    died.await;
    let (status, reported) = control.call(Method::GET, "/_sim/ready", None).await;
    assert_eq!((status, &reported["error"]), (503, &json!("chain 4663 does not answer")));
    platform.stop().await;
}
