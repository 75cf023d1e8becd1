//! Secrets in the addresses of a target: no output of a run contains one of them.
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::process::Output;
use std::thread;

use crate::program::{command, expect_code};

/// The beginning of every secret here, in lower case.
const SECRET: &str = "s3cret";
const REPORTS: [&str; 6] = ["events", "html", "junit", "ctrf", "summary", "badge"];

/// Serves answers that repeat the request, credentials included; returns the host and port.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let head: String = BufReader::new(&stream)
                    .lines()
                    .map_while(|line| line.ok().filter(|line| !line.is_empty()))
                    .collect();
                let body = serde_json::json!({ "error": format!("no such thing: {head}") }).to_string();
                // The client may be gone.
                let _ = write!(
                    stream,
                    "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                    body.len()
                );
            });
        }
    });
    address
}

fn target(host: &str) -> Vec<String> {
    [
        ("--base-url", format!("http://usr:S3cretBase@{host}/?apikey=S3cretBaseKey")),
        ("--swap-url", format!("http://usr:S3cretSwap@{host}/?apikey=S3cretSwapKey")),
        ("--control-url", format!("http://S3cretUser@{host}/?S3cretControlKey")),
        ("--rpc-url", format!("57073=http://usr:S3cretRpc@{host}/key/S3cretKey1?token=S3cretQuery")),
        ("--rpc-url", format!("4663=http://{host}/v3/S3cretKey2")),
    ]
    .into_iter()
    .flat_map(|(option, value)| [option.to_owned(), value])
    .collect()
}

fn require_clean(what: &str, text: &[u8]) {
    let text = String::from_utf8_lossy(text).to_lowercase();
    let found = text.find(SECRET).map(|at| {
        let begin = text.floor_char_boundary(at.saturating_sub(80));
        text[begin..text.floor_char_boundary(at + 40)].to_owned()
    });
    assert_eq!(found, None, "{what}");
}

fn require_clean_output(what: &str, output: &Output) {
    assert!(!output.stdout.is_empty() || !output.stderr.is_empty(), "{what}");
    require_clean(what, &output.stdout);
    require_clean(what, &output.stderr);
}

#[test]
fn no_output_of_a_run_has_a_secret_of_an_address() {
    let (host, folder) = (serve(), tempfile::tempdir().unwrap());
    let target = target(&host);
    let target: Vec<&str> = target.iter().map(String::as_str).collect();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let paths = REPORTS.map(file);
    let reports: Vec<String> =
        REPORTS.iter().zip(&paths).flat_map(|(name, path)| [format!("--{name}"), path.clone()]).collect();
    let mut check = command(
        &[&["check", "-vv", "--lane", "read", "--mcp", "no-such --rpc http://h/S3cretTool"], &target[..]]
            .concat(),
    );
    let output = check.args(&reports).env("GITHUB_ACTIONS", "true").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    require_clean_output("check", &output);
    for (name, path) in REPORTS.iter().zip(&paths) {
        let text = std::fs::read(path).unwrap();
        require_clean(name, &text);
        let concealed = String::from_utf8(text).unwrap().contains("[concealed]");
        assert!(concealed || !["events", "html"].contains(name), "{name}");
    }
    let again = command(&["report", &paths[0], "--json"]).output().unwrap();
    require_clean_output("report", &again);
    for more in [vec!["check", "--only", "list-pages", "--json"], vec!["drill", "--only", "list-page-zero"]] {
        require_clean_output(more[0], &command(&[&more[..], &target].concat()).output().unwrap());
    }
}

#[test]
fn errors_of_the_command_line_have_no_secret_of_an_address() {
    for wrong in [
        ["--base-url", "usr:S3cretBase@host"],
        ["--base-url", "ftp://usr:S3cretBase@host"],
        ["--base-url", "http://usr:S3cret/Base@host"],
        ["--rpc-url", "1=http://usr:S3cretRpc@host/S3cretKey1"],
        ["--no-such-url", "http://usr:S3cretBase@host"],
        ["--lane", "http://usr:S3cretBase@host"],
    ] {
        require_clean_output(wrong[1], &expect_code(&["check", wrong[0], wrong[1]], 2));
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, "base-url = \"http://usr:S3cretBase@127.0.0.1:1\"\n").unwrap();
    let named = ["check", "--only", "list-pages", "--target-file", file.path().to_str().unwrap()];
    require_clean_output("target file", &expect_code(&named, 3));
}
