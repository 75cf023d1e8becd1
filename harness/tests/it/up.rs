//! `slipway up`: prints one line when everything answers, then serves until a shutdown signal.
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::process::{Command, Stdio};

use reqwest::Method;
use rustix::process::Signal;
use serde_json::{Value, json};
use slipway_contracts::ChainId;
use slipway_scenarios::client::message::{Request, Response};

use crate::program::{Running, command, expect_code, run};
use crate::site::{Site, ask};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

async fn body(site: &Site, service: &str, path: &str) -> Value {
    let answer = site.read(service, path).await;
    assert!(answer.status.is_success(), "{}", answer.excerpt());
    answer.json().unwrap()
}

#[tokio::test]
async fn every_address_of_the_ready_line_answers() {
    let site = Site::start(&[]);
    let ready = &site.ready;
    assert_eq!(
        keys(ready),
        [
            "protocol",
            "pid",
            "seed",
            "clock",
            "baseUrl",
            "swapBaseUrl",
            "controlUrl",
            "operatorKey",
            "chains",
            "accounts",
            "indexed"
        ]
    );
    let indexed = &ready["indexed"];
    assert_eq!(keys(indexed), ["launches", "blocks", "events", "milliseconds", "eventsPerSecond"]);
    // Two of them are disabled, so no list contains them.
    assert_eq!(indexed["launches"], 82);
    assert_eq!(body(&site, "baseUrl", "/api/tokens").await["totalCount"], 80);
    assert!(!body(&site, "swapBaseUrl", "/api/pairs").await.as_array().unwrap().is_empty());
    assert_eq!(body(&site, "controlUrl", "/_sim/ready").await["ready"], true);
    let chains = ready["chains"].as_array().unwrap();
    assert_eq!(
        chains.iter().map(|chain| chain["chainId"].as_u64().unwrap()).collect::<Vec<_>>(),
        [ChainId::PRIMARY.0, ChainId::SECOND.0]
    );
    for (place, chain) in chains.iter().enumerate() {
        assert_eq!(keys(chain), ["chainId", "rpcUrl", "hook", "contracts"]);
        let code = site.call(place, "eth_getCode", json!([chain["hook"], "latest"])).await;
        assert!(code["result"].as_str().unwrap().len() > "0x".len(), "the hook has code");
    }
    assert_eq!(keys(&ready["accounts"][0]), ["address", "privateKey"]);
    site.running.signal(Signal::TERM);
    let (rest, status) = site.running.end();
    assert_eq!(rest, "", "exactly one line");
    assert!(status.success());
}

#[test]
fn stops_on_sigint_and_on_eof() {
    let up = Running::up(&[]);
    up.signal(Signal::INT);
    assert!(up.end().1.success());
    let mut up = Running::up_until_eof(&[]);
    up.close_stdin();
    assert!(up.end().1.success());
}

/// The text form shows where to look, what to type, and the keys of the accounts unless other machines can reach the platform.
#[test]
fn text_output_names_pages_console_and_a_request() {
    for options in [&[][..], &["--host", "0.0.0.0"], &["--no-control"]] {
        let arguments = [&["up", "--port", "0", "--until-eof"], options].concat();
        let mut up = Running::start(&arguments, Stdio::piped());
        assert_eq!(up.first_line, "Next steps\n");
        let open = up.line();
        up.close_stdin();
        let (rest_of_it, status) = up.end();
        assert!(status.success());
        let text = open.clone() + &rest_of_it;
        let wide = text.lines().filter(|line| line.chars().count() > 80).collect::<Vec<_>>();
        assert_eq!(wide, Vec::<&str>::new(), "no line wraps on a terminal of 80 columns");
        let line = |label: &str| {
            text.lines().map(str::trim).find(|line| line.starts_with(label)).unwrap_or_default()
        };
        let rest = line("REST ").strip_prefix("REST").unwrap().trim().to_owned();
        assert!(open.trim().starts_with("open ") && open.contains(&rest), "{text}");
        let groups = ["\nFunded accounts", "\nMarket", "\nAddresses"].map(|title| text.find(title).unwrap());
        assert!(groups.is_sorted(), "the addresses are last: {text}");
        assert!(line("try ").contains(&format!("curl -s '{rest}/api/tokens")), "{text}");
        assert!(line("stop ").contains("Ctrl-C"), "{text}");
        assert!(line("clock ").contains("real: this machine's time"), "{text}");
        assert!(line("0  0x").ends_with("10000.000  10000.000"), "{text}");
        assert_eq!(text.contains("console"), options != ["--no-control"], "{text}");
        let is_key = |line: &&str| line.rsplit(' ').next().is_some_and(|word| word.len() == 66);
        let keys = text.lines().filter(is_key).count();
        let is_remote = options.contains(&"--host");
        assert_eq!(keys, if is_remote { 0 } else { 10 }, "{text}");
        assert_eq!(text.contains("operator  "), !is_remote, "{text}");
        assert_eq!(text.contains("unlocked at the nodes"), !is_remote, "{text}");
        assert_eq!(text.contains("curl -sH 'authorization: Bearer TOKEN' "), is_remote, "{text}");
    }
}

#[tokio::test]
async fn export_is_written_at_the_end_and_imported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.slipway");
    let path = file.to_str().unwrap();
    let mut up = Running::up_until_eof(&["--export", path]);
    let exported = up.ready();
    assert!(!file.exists());
    up.close_stdin();
    assert!(up.end().1.success());
    let site = Site::start(&["--import", path]);
    for same in ["seed", "operatorKey", "accounts"] {
        assert_eq!(site.ready[same], exported[same]);
    }
    assert_eq!(body(&site, "baseUrl", "/api/tokens").await["totalCount"], 80);
    site.end();
    fs::write(&file, "something else").unwrap();
    let refused = expect_code(&["up", "--json", "--port", "0", "--import", path], 2);
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(error.contains("state.slipway") && error.contains("not an export"), "{error}");
}

#[tokio::test]
async fn no_control_disables_the_control_plane() {
    let site = Site::start(&["--no-control"]);
    assert!(site.ready["controlUrl"].is_null());
    assert_eq!(site.read("baseUrl", "/_sim/ready").await.status.as_u16(), 404);
}

#[tokio::test]
async fn a_path_of_another_service_or_a_misspelt_one_is_told() {
    let site = Site::start(&[]);
    let of = |service: &str| site.ready[service].as_str().unwrap().to_owned();
    for (service, path, told) in [
        ("baseUrl", "/_sim/clock", format!("it is at {}", of("controlUrl"))),
        ("controlUrl", "/api/tokens", format!("it is at {}", of("baseUrl"))),
        ("baseUrl", "/api/pairs", format!("it is at {}", of("swapBaseUrl"))),
        ("baseUrl", "/api/tokns", "did you mean /api/tokens?".to_owned()),
    ] {
        let answer = site.read(service, path).await;
        let body = answer.json().unwrap();
        assert_eq!((answer.status.as_u16(), &body["status"]), (404, &json!(404)), "{body}");
        assert_eq!(body["error"], format!("no such path; {told}"));
    }
}

#[test]
fn state_directory_is_locked() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().to_str().unwrap();
    let up = Running::up(&["--state", state]);
    up.ready();
    let second = expect_code(&["up", "--port", "0", "--state", state], 3);
    assert!(String::from_utf8(second.stderr).unwrap().contains("in use"));
    let alone = expect_code(&["up", "--attach", "ready.json"], 2);
    assert!(String::from_utf8(alone.stderr).unwrap().contains("--database-url"));
}

#[test]
fn absent_database_server_is_reported_with_the_option() {
    let refused = expect_code(&["up", "--port", "0", "--database-url", "postgres://127.0.0.1:1/name"], 3);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("no connection within") && said.contains("`--database-url`"), "{said}");
}

async fn switched(site: &Site, method: Method, id: &str) -> Response {
    let mut order = Request::get(&site.origin("controlUrl"), &format!("/_sim/defects/{id}"), &[]);
    order.method = method;
    ask(order).await
}

#[tokio::test]
async fn defect_proxies_listen_on_public_ports() {
    let site = Site::start(&["--defect", "list-pages-rounded-down"]);
    let pages = async || {
        let list = body(&site, "baseUrl", "/api/tokens").await;
        (list["totalPages"].as_u64().unwrap(), list["totalCount"].as_u64().unwrap())
    };
    let (rounded, count) = pages().await;
    assert_eq!(rounded, count / 20);
    let row = switched(&site, Method::GET, "list-pages-rounded-down").await.json().unwrap();
    assert_eq!((&row["on"], &row["layer"]), (&true.into(), &"rest".into()));
    assert!(switched(&site, Method::DELETE, "list-pages-rounded-down").await.status.is_success());
    assert_eq!(pages().await.0, count.div_ceil(20));
    assert_eq!(switched(&site, Method::PUT, "no-such-defect").await.status.as_u16(), 404);
    assert_eq!(switched(&site, Method::PUT, "node-other-chain-id").await.status.as_u16(), 409);
    let plain = Site::start(&[]);
    assert_eq!(plain.read("controlUrl", "/_sim/defects").await.status.as_u16(), 404);
}

#[test]
fn errors_name_cause_and_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing").display().to_string();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    fs::write(folder.path().join("file"), "").unwrap();
    let verify = format!("--verify={missing}");
    let state = folder.path().join("file/state").display().to_string();
    for (arguments, parts) in [
        (vec!["up", "--port", &port], ["Address", "`--port 0` free ones"]),
        (vec!["up", "--port", "0", "--import", &missing], ["No such file", "`POST /_sim/export`"]),
        (vec!["up", "--port", "0", "--state", &state], ["could not be made", "Not a directory"]),
        (vec!["exec", "--", &missing], ["No such file", "PATH"]),
        (vec!["quotes", "bench", "curve", "--", &missing], ["No such file", "PATH"]),
        (vec!["report", &missing], ["No such file", "`slipway check --events FILE`"]),
        (vec!["drill", &verify], ["No such file", "`slipway drill --write`"]),
        (vec!["check", "--baseline", &missing], ["No such file", "`slipway report baseline`"]),
        (vec!["check", "--base-url", "there"], ["--base-url", "such as http://127.0.0.1:4700"]),
        (vec!["explain", "NOTHING"], ["NOTHING", "`slipway explain --list`"]),
    ] {
        let output = run(&arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && parts.iter().all(|part| stderr.contains(part)),
            "{arguments:?}: {stderr}"
        );
    }
    let refused = command(&["up", "--port", "0"]).env("TMPDIR", &missing).output().unwrap();
    let stderr = String::from_utf8(refused.stderr).unwrap();
    assert!(
        stderr.contains(&format!("could not create a folder in TMPDIR, which is {missing}: ")),
        "{stderr}"
    );
}

/// Files that are written at the end are refused at the start if they cannot be, and nothing takes the place of a pipe.
#[test]
fn files_that_cannot_be_written_are_refused_before_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    assert!(Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
    symlink("pipe", path("link")).unwrap();
    for option in ["--export", "--ready-file"] {
        for (name, reason) in [
            ("pipe", "it is not a regular file"),
            ("link", "it is not a regular file"),
            ("absent/file", "No such file"),
        ] {
            let refused = expect_code(&["up", "--port", "0", option, &path(name)], 2);
            let said = String::from_utf8(refused.stderr).unwrap();
            assert!(said.contains(option) && said.contains(name) && said.contains(reason), "{said}");
        }
    }
    for name in ["pipe", "link"] {
        assert!(fs::metadata(path(name)).unwrap().file_type().is_fifo(), "{name}");
    }
}

#[test]
fn credentials_that_no_header_carries_are_refused_and_not_shown() {
    for (option, variable) in
        [("--operator-key", "SLIPWAY_OPERATOR_KEY"), ("--control-token", "SLIPWAY_CONTROL_TOKEN")]
    {
        for value in ["", " ", "SECRET PW", "SECRETPW\n", "SECRETPW\u{e9}"] {
            let given = command(&["up", "--port", "0", option, value]).output().unwrap();
            let set = command(&["up", "--port", "0"]).env(variable, value).output().unwrap();
            let checked =
                ["check", "--only", "LIST-COUNT", "--base-url", "http://127.0.0.1:1", option, value];
            for output in [given, set, run(&checked)] {
                let said = String::from_utf8(output.stderr).unwrap();
                assert_eq!(output.status.code(), Some(2), "{option} {value:?}: {said}");
                assert!(said.contains(&format!("{option} takes 1 to 256")), "{said}");
                assert!(!said.contains("SECRET"), "{said}");
            }
        }
    }
}
