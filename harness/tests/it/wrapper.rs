//! `slipway wrap-tool-server` as a process: what it passes on, and what is left after it ends.
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Output, Stdio};

use proptest::prelude::*;
use rustix::process::Signal;

use crate::program::{ends, signal};

/// Without a defect, and with one that affects none of the lines.
const DEFECTS: [&[&str]; 2] = [&[], &["--defect", "mcp-result-urls"]];

fn wrapped(defects: &[&str], script: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_slipway"));
    command.arg("wrap-tool-server").args(defects).args(["--", "sh", "-c", script]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn fed(mut child: Child, input: &[u8]) -> Output {
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writing = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    output
}

fn first_line(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    line.trim().to_owned()
}

/// Bytes of any kind, and messages in unusual spelling that no selected defect affects.
fn input() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        4 => prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'{'), any::<u8>()], 0..400),
        1 => (0_usize..1_000_000).prop_map(|length| vec![b'a'; length]),
        2 => "[a-z/]{1,12}".prop_map(|method| format!("{{\"id\": 1,\"method\": \"{method}\"}}\r\n").into_bytes()),
        2 => Just(b"{ \"result\" : {\"x\": 1.50}, \"id\":1  }\n".to_vec()),
    ];
    prop::collection::vec(line, 0..12).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_pass_unchanged(input in input(), code in 0..100) {
        for defects in DEFECTS {
            let output = fed(wrapped(defects, &format!("cat; echo aside >&2; exit {code}")), &input);
            prop_assert_eq!(&output.stdout, &input);
            prop_assert_eq!(output.stderr, b"aside\n");
            prop_assert_eq!(output.status.code(), Some(code));
        }
    }
}

#[test]
fn wrapper_ends_with_its_server() {
    for defects in DEFECTS {
        let mut child = wrapped(defects, "echo done; exit 3");
        let mut said = String::new();
        child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((said.as_str(), child.wait().unwrap().code()), ("done\n", Some(3)), "{defects:?}");
    }
}

#[test]
fn signals_reach_the_server() {
    for defects in DEFECTS {
        let script = "trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.05; done";
        let mut child = wrapped(defects, script);
        assert_eq!(first_line(&mut child), "ready");
        signal(&child, Signal::TERM);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.stdout.as_slice(), output.status.code()), (&b"bye\n"[..], Some(5)), "{defects:?}");
    }
}

#[test]
fn server_killed_by_signal_is_reported() {
    for (defects, code, died_of) in [(DEFECTS[0], None, Some(9)), (DEFECTS[1], Some(137), None)] {
        let output = wrapped(defects, "kill -9 $$").wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.status.signal()), (code, died_of), "{defects:?}");
    }
}

#[test]
fn no_server_outlives_a_killed_wrapper() {
    for defects in DEFECTS {
        let mut child = wrapped(defects, "echo $$; exec sleep 1000");
        let server = first_line(&mut child);
        child.kill().unwrap();
        child.wait().unwrap();
        ends(&server);
    }
}

#[test]
fn unknown_defects_are_usage_errors() {
    for id in ["mcp-nonsense", "chain-price-lags"] {
        let output = wrapped(&["--defect", id], "exit 0").wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains(id));
    }
}
