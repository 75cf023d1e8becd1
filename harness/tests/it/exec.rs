//! `slipway exec`: addresses in the environment, the exit code passed on.
use std::ffi::OsStr;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use crate::program::{Running, command, expect_code, succeeds};

#[test]
fn exec_exports_addresses_and_passes_exit_code() {
    let script = r#"case "$SLIPWAY_BASE_URL$SLIPWAY_SWAP_URL$SLIPWAY_CONTROL_URL$SLIPWAY_RPC_URL_57073$SLIPWAY_RPC_URL_4663" in
        http://*http://*http://*http://*http://*) echo seen; exit 7;; esac; exit 1"#;
    let output = expect_code(&["exec", "--", "sh", "-c", script], 7);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "seen\n");
}

#[test]
fn exec_takes_the_options_of_a_start() {
    // The program, the market and the address must be those of this command line.
    let script = r#"authority=${SLIPWAY_BASE_URL#http://}
        exec 3<>"/dev/tcp/${authority/://}"
        printf 'GET /api/tokens HTTP/1.0\r\nHost: %s\r\n\r\n' "$authority" >&3
        tail -n 1 <&3
        echo
        "$SLIPWAY_BIN" --version
        echo "$SLIPWAY_BASE_URL""#;
    let output =
        expect_code(&["exec", "--market", "empty", "--host", "127.0.0.2", "--", "bash", "-c", script], 0);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains("\"totalCount\":0"), "{text}");
    assert!(lines[1].starts_with("slipway "), "{text}");
    assert!(lines[2].starts_with("http://127.0.0.2:"), "{text}");
}

/// `PATH` is that of the command; a folder that was removed while a shell is in it has nothing that a platform needs.
#[test]
fn a_platform_starts_without_a_search_path_and_in_a_removed_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (gone, slipway) = (folder.path().join("gone"), env!("CARGO_BIN_EXE_slipway"));
    std::fs::create_dir(&gone).unwrap();
    let script = r#"cd "$1" && rmdir "$1" && PATH= exec "$2" exec -- /bin/sh -c 'echo "$SLIPWAY_BASE_URL"'"#;
    let mut shell = Command::new("sh");
    let output = succeeds(shell.args(["-c", script, "sh"]).arg(&gone).arg(slipway).stdin(Stdio::null()));
    assert!(output.stdout.starts_with(b"http://"), "{output:?}");
}

#[test]
fn signal_exit_code_is_128_plus_signal() {
    expect_code(&["exec", "--", "sh", "-c", "kill -TERM $$"], 128 + 15);
}

/// A command that prints when it runs and how it ends.
fn cleaning(trap: &str) -> String {
    format!("trap '{trap}' TERM INT HUP; echo started; while :; do sleep 0.1; done")
}

/// Starts `exec` with hang-ups handled (`SIG_DFL`) or ignored (`SIG_IGN`), however the tests themselves were started.
fn exec_with_hangups(handling: &str, command: &str) -> Running {
    const START: &str = "import os, signal, sys; signal.signal(signal.SIGHUP, getattr(signal, sys.argv[1])); os.execv(sys.argv[2], sys.argv[2:])";
    let mut python = Command::new("python3");
    python.args(["-c", START, handling, env!("CARGO_BIN_EXE_slipway"), "exec", "--", "sh", "-c", command]);
    Running::spawn(python, Stdio::null())
}

/// The platform answers until the command has ended.
const CLEANS: &str = "curl -fs -o /dev/null \"$SLIPWAY_BASE_URL/api/tokens\" && echo cleaned; exit 3";

#[test]
fn signals_are_passed_on_and_the_command_ends_by_itself() {
    for which in [Signal::TERM, Signal::INT, Signal::HUP] {
        let running = exec_with_hangups("SIG_DFL", &cleaning(CLEANS));
        assert_eq!(running.first_line, "started\n");
        running.signal(which);
        let (rest, status) = running.end();
        assert_eq!((rest.as_str(), status.code()), ("cleaned\n", Some(3)), "{which:?}");
    }
}

#[test]
fn signals_that_would_end_a_process_are_passed_on_and_end_no_platform() {
    for (which, name) in [(Signal::USR1, "USR1"), (Signal::USR2, "USR2"), (Signal::ALARM, "ALRM")] {
        let script = format!("trap 'echo seen' {name}; {}", cleaning(CLEANS));
        let mut running = Running::start(&["exec", "--", "sh", "-c", &script], Stdio::null());
        running.signal(which);
        assert_eq!(running.line(), "seen\n", "{which:?}");
        running.signal(Signal::TERM);
        let (rest, status) = running.end();
        assert_eq!((rest.as_str(), status.code()), ("cleaned\n", Some(3)), "{which:?}");
    }
    // A shell starts what runs in its background with SIGQUIT ignored, and it stays so.
    for (which, number) in [(Signal::USR1, 10), (Signal::ALARM, 14)] {
        let command = ["exec", "--", "sh", "-c", "echo started; exec sleep 100"];
        let running = Running::start(&command, Stdio::null());
        running.signal(which);
        assert_eq!(running.end().1.code(), Some(128 + number), "{which:?}");
    }
}

#[test]
fn arguments_need_not_be_utf_8() {
    let mut exec = command(&["exec", "--", "sh", "-c", "printf %s \"$1\" | od -An -tx1", "sh"]);
    let output = exec.arg(OsStr::from_bytes(b"a\xff")).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b" 61 ff\n"[..]), "{output:?}");
}

#[test]
fn a_hangup_that_is_ignored_at_the_start_is_not_passed_on() {
    // As under `nohup`. A shell cannot set a trap for it either.
    let running = exec_with_hangups("SIG_IGN", &cleaning(CLEANS));
    running.signal(Signal::HUP);
    running.signal(Signal::TERM);
    let (rest, status) = running.end();
    assert_eq!((rest.as_str(), status.code()), ("cleaned\n", Some(3)));
}

#[test]
fn command_that_a_passed_signal_ends_has_its_code() {
    let running = Running::start(&["exec", "--", "sh", "-c", "echo started; exec sleep 100"], Stdio::null());
    running.signal(Signal::TERM);
    assert_eq!(running.end().1.code(), Some(128 + 15));
}

#[test]
fn signals_go_to_what_the_command_has_started() {
    // Like a terminal, where the shell would wait for its child in vain. The child sets a trap before it prints that it runs: a shell that
    // is about to exec another program loses a signal.
    let inner = r#"trap "echo inner; exit 3" INT; echo started; while :; do sleep 0.1; done"#;
    let running =
        Running::start(&["exec", "--", "sh", "-c", &format!("sh -c '{inner}'; exit 4")], Stdio::null());
    running.signal(Signal::INT);
    let (rest, status) = running.end();
    assert_eq!(rest, "inner\n");
    assert!(matches!(status.code(), Some(4 | 130)), "{status}");
}

#[test]
fn command_that_ignores_signals_is_killed_at_the_second_or_in_time() {
    for again in [true, false] {
        // A signal right after the first is the same one received another way.
        let mut running =
            Running::start(&["exec", "--", "sh", "-c", &cleaning("sleep 0.7; echo ignored")], Stdio::null());
        running.signal(Signal::TERM);
        running.signal(Signal::TERM);
        assert_eq!(running.line(), "ignored\n");
        let begun = Instant::now();
        if again {
            running.signal(Signal::INT);
        }
        let (_, status) = running.end();
        assert_eq!(status.code(), Some(128 + 9), "{status}");
        assert_eq!(begun.elapsed() < Duration::from_secs(5), again);
    }
}

#[test]
fn command_that_cannot_be_run_has_the_code_of_a_shell() {
    let output = expect_code(&["exec", "--", "no-such-command-of-any-machine"], 127);
    assert!(String::from_utf8(output.stderr).unwrap().contains("no-such-command-of-any-machine"));
    expect_code(&["exec", "--", "/etc/passwd"], 126);
}

#[test]
fn env_prints_the_variables_of_a_running_platform() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ready.json");
    let file = file.to_str().unwrap();
    let up = Running::up(&["--ready-file", file]);
    let ready = up.ready();
    let lines = String::from_utf8(expect_code(&["env", file], 0).stdout).unwrap();
    let script = "eval \"$0\"; echo \"$SLIPWAY_BASE_URL $SLIPWAY_HOOK_57073 $SLIPWAY_PRIVATE_KEY\"; echo \"$SLIPWAY_READY\"";
    let output = Command::new("sh").args(["-c", script, &lines]).output().unwrap();
    let seen = String::from_utf8(output.stdout).unwrap();
    let text = |pointer: &str| ready.pointer(pointer).unwrap().as_str().unwrap().to_owned();
    let first = ["/baseUrl", "/chains/0/hook", "/accounts/0/privateKey"].map(text).join(" ");
    assert_eq!(seen, format!("{first}\n{}\n", up.first_line.trim_end()));
}

/// The control plane on a port provides everything except the addresses, which are those of the ports asked for.
#[test]
fn env_asks_the_port() {
    let control = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = control.local_addr().unwrap().port() - 2;
    let answers = thread::spawn(move || {
        let line = json!({
            "baseUrl": "http://127.0.0.1:9", "operatorKey": "key", "accounts": [],
            "chains": [{ "chainId": 57073, "rpcUrl": "http://127.0.0.1:9", "hook": "0x1" }],
        });
        for (status, body) in
            [("200 OK", line.to_string()), ("401 Unauthorized", "{}".into()), ("404 Not Found", "{}".into())]
        {
            let (mut stream, _) = control.accept().unwrap();
            let mut request = [0; 4_096];
            let length = stream.read(&mut request).unwrap();
            assert!(request[..length].starts_with(b"GET /_sim/platform "));
            write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            )
            .unwrap();
        }
    });
    let arguments = ["env", "--port", &port.to_string()];
    let lines = String::from_utf8(expect_code(&arguments, 0).stdout).unwrap();
    for (name, value) in [
        ("SLIPWAY_BASE_URL", format!("http://127.0.0.1:{port}")),
        ("SLIPWAY_SWAP_URL", format!("http://127.0.0.1:{}", port + 1)),
        ("SLIPWAY_RPC_URL_57073", format!("http://127.0.0.1:{}", port + 3)),
        ("SLIPWAY_OPERATOR_KEY", "key".to_owned()),
    ] {
        assert!(lines.contains(&format!("export {name}={value}\n")), "{name}: {lines}");
    }
    for word in ["SLIPWAY_CONTROL_TOKEN", "other than the control plane", "slipway env READY_FILE"] {
        let said = String::from_utf8(expect_code(&arguments, 3).stderr).unwrap();
        assert!(said.contains(word), "{said}");
    }
    answers.join().unwrap();
}
