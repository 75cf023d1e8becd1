//! `slipway up`: one line when everything answers, then service until told to stop.
use std::net::TcpListener;
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::Value;
use slipway_scenarios::door::http::{Answer, Ask, Http};
use url::Url;

use crate::program::{Running, expect_code};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

async fn ask(ask: Ask) -> Answer {
    Http::new().unwrap().send(ask).await.unwrap()
}

async fn get(origin: &Value, path: &str) -> Answer {
    ask(Ask::get(&Url::parse(text(origin)).unwrap(), path, &[])).await
}

async fn body(origin: &Value, path: &str) -> Value {
    let answer = get(origin, path).await;
    assert!(answer.status.is_success(), "{}", answer.excerpt());
    answer.json().unwrap()
}

#[tokio::test]
async fn the_ready_line_is_one_line_and_everything_it_names_answers() {
    let up = Running::start(&["up", "--json", "--port", "0"], Stdio::null());
    let ready = up.ready();
    assert_eq!(
        keys(&ready),
        [
            "pid",
            "seed",
            "baseUrl",
            "swapBaseUrl",
            "controlUrl",
            "operatorKey",
            "chains",
            "accounts"
        ]
    );
    assert!(
        body(&ready["baseUrl"], "/api/tokens").await["totalCount"]
            .as_u64()
            .unwrap()
            > 40
    );
    assert!(
        !body(&ready["swapBaseUrl"], "/api/pairs")
            .await
            .as_array()
            .unwrap()
            .is_empty()
    );
    assert_eq!(body(&ready["controlUrl"], "/_sim/ready").await["ready"], true);
    let chains = ready["chains"].as_array().unwrap();
    assert_eq!(
        chains
            .iter()
            .map(|chain| chain["chainId"].as_u64().unwrap())
            .collect::<Vec<_>>(),
        [57073, 4663]
    );
    for chain in chains {
        assert_eq!(keys(chain), ["chainId", "rpcUrl", "hook", "contracts"]);
        let rpc = Url::parse(text(&chain["rpcUrl"])).unwrap();
        let call = serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "eth_getCode", "params": [chain["hook"], "latest"]});
        let code = ask(Ask::post_json(&rpc, "", &call)).await.json().unwrap();
        assert!(text(&code["result"]).len() > 1000, "the hook has code");
    }
    assert_eq!(keys(&ready["accounts"][0]), ["address", "privateKey"]);
    up.signal(Signal::TERM);
    let (rest, status) = up.end();
    assert_eq!(rest, "", "exactly one line");
    assert!(status.success());
}

#[test]
fn it_stops_on_an_interrupt_and_at_the_end_of_its_input() {
    let up = Running::start(&["up", "--json", "--port", "0"], Stdio::null());
    up.signal(Signal::INT);
    assert!(up.end().1.success());
    let mut up = Running::start(&["up", "--json", "--port", "0", "--until-eof"], Stdio::piped());
    up.close_stdin();
    assert!(up.end().1.success());
}

#[test]
fn a_busy_port_is_an_error_that_names_the_port() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = expect_code(&["up", "--json", "--port", &port], 3);
    assert!(String::from_utf8(output.stderr).unwrap().contains(&port));
    assert!(output.stdout.is_empty());
}

#[test]
fn the_ready_file_holds_the_ready_line() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("ready.json");
    let up = Running::start(
        &[
            "up",
            "--json",
            "--port",
            "0",
            "--ready-file",
            file.to_str().unwrap(),
        ],
        Stdio::null(),
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), up.first_line.trim_end());
    up.signal(Signal::TERM);
    assert!(up.end().1.success());
}

#[tokio::test]
async fn the_control_plane_can_be_left_out() {
    let up = Running::start(&["up", "--json", "--port", "0", "--no-control"], Stdio::null());
    let ready = up.ready();
    assert!(ready["controlUrl"].is_null());
    assert_eq!(get(&ready["baseUrl"], "/_sim/ready").await.status.as_u16(), 404);
}
