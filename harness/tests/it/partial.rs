//! `slipway check` against a platform of which most is missing: each missing endpoint is told once, and what is there is judged.
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Stdio;
use std::thread;

use serde_json::Value;

use crate::program::{Running, expect_code, json};

/// Serves these paths of a platform by GET; anything else is a 501 with a page, and a page that is no number ends the connection.
fn some_of(platform: String, paths: &'static [&'static str]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let platform = platform.clone();
            thread::spawn(move || answer(stream.unwrap(), &platform, paths));
        }
    });
    address
}

fn answer(mut stream: TcpStream, platform: &str, paths: &[&str]) -> Option<()> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).ok()?;
    let mut words = head.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    let path = target.split('?').next()?;
    if target.contains("page=abc") {
        return None;
    }
    if method != "GET" || !paths.contains(&path) {
        let page = format!("<!DOCTYPE HTML>{}", "<p>Unsupported method</p>".repeat(40));
        let length = page.len();
        let close = "connection: close\r\ncontent-type: text/html";
        let answer = format!("HTTP/1.1 501 Unsupported\r\n{close}\r\ncontent-length: {length}\r\n\r\n{page}");
        stream.write_all(answer.as_bytes()).ok()?;
        // What was sent is read, so that the answer is not lost with it.
        stream.shutdown(Shutdown::Write).ok()?;
        stream.read_to_end(&mut Vec::new()).ok()?;
        return None;
    }
    let mut upstream = TcpStream::connect(platform).ok()?;
    let (request, rest) = head.split_once("\r\n")?;
    let rest: Vec<&str> =
        rest.lines().filter(|line| !line.to_lowercase().starts_with("connection:")).collect();
    let sent = format!("{request}\r\nconnection: close\r\n{}\r\n", rest.join("\r\n"));
    upstream.write_all(sent.as_bytes()).ok()?;
    std::io::copy(&mut upstream, &mut stream).ok()?;
    None
}

#[test]
fn a_missing_endpoint_is_told_once_and_hides_no_other() {
    let platform = Running::start(&["up", "--json", "--port", "0", "--clock", "fixed"], Stdio::null());
    let ready: Value = serde_json::from_str(&platform.first_line).unwrap();
    let origin = ready["baseUrl"].as_str().unwrap().trim_start_matches("http://").to_owned();
    let options = |address: &str| {
        let words = ["check", "--json", "--base-url", address, "--section", "GET /api/tokens"];
        json(&expect_code(&words, 0))["checks"].as_array().unwrap().clone()
    };
    let of = |checks: &[Value], verdict: &str| -> Vec<String> {
        let named = checks.iter().filter(|check| check["verdict"] == verdict);
        named.map(|check| check["id"].as_str().unwrap().to_owned()).collect()
    };
    let whole = options(&some_of(origin.clone(), &["/api/tokens", "/api/token", "/api/leaderboard"]));
    let passed = of(&whole, "passed");
    for id in ["list-search", "list-status", "list-socials"] {
        assert!(passed.iter().any(|passed| passed == id), "{id}: {passed:?}");
    }
    // Without records there is nothing to compare with, and the reason is the first thing that is missing.
    let bare = options(&some_of(origin, &["/api/tokens"]));
    let skipped: Vec<&Value> = bare.iter().filter(|check| check["verdict"] == "skipped").collect();
    let is_of_batch = |check: &&&Value| check["reason"] == "POST /api/tokens/batch answers 501";
    assert!(skipped.iter().filter(is_of_batch).count() > 3, "{skipped:#?}");
    for check in skipped {
        let reason = check["reason"].as_str().unwrap();
        assert!(reason.len() <= 250 && !reason.contains("<!DOCTYPE"), "{reason}");
    }
}

#[test]
fn mixed_up_addresses_are_told() {
    let platform = Running::start(&["up", "--json", "--port", "0", "--clock", "fixed"], Stdio::null());
    let ready: Value = serde_json::from_str(&platform.first_line).unwrap();
    let second = format!("57073={}", ready["chains"][1]["rpcUrl"].as_str().unwrap());
    let mixed_up = expect_code(&["check", "--rpc-url", &second, "--only", "LIST-COUNT"], 2);
    let said = String::from_utf8(mixed_up.stderr).unwrap();
    assert!(said.contains("--rpc-url 57073=…: that node is chain 4663"), "{said}");
    let swap = ready["swapBaseUrl"].as_str().unwrap();
    let report = json(&expect_code(&["check", "--json", "--base-url", swap, "--only", "list-shape"], 1));
    let actual = report["checks"][0]["actual"].as_str().unwrap();
    assert!(
        actual.contains("an array where an object belongs") && actual.ends_with("is this the swap service?"),
        "{actual}"
    );
}

#[test]
fn a_connection_that_is_closed_without_an_answer_breaks_the_clause_of_its_check_only() {
    let platform = Running::start(&["up", "--json", "--port", "0", "--clock", "fixed"], Stdio::null());
    let ready: Value = serde_json::from_str(&platform.first_line).unwrap();
    let origin = ready["baseUrl"].as_str().unwrap().trim_start_matches("http://").to_owned();
    // A server that ends where a parameter is no number.
    let address = some_of(origin, &["/api/tokens", "/api/token"]);
    let words = [
        "check",
        "--json",
        "--strict",
        "--base-url",
        &address,
        "--only",
        "list-refusals",
        "--only",
        "list-shape",
    ];
    let report = json(&expect_code(&words, 1));
    let check =
        |id: &str| report["checks"].as_array().unwrap().iter().find(|check| check["id"] == id).unwrap();
    assert_eq!(check("list-shape")["verdict"], "passed");
    let refusals = check("list-refusals");
    let actual = refusals["actual"].as_str().unwrap();
    assert!(actual.starts_with("the connection is closed without an answer"), "{refusals:#}");
}
