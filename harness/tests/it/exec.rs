//! `slipway exec`: addresses in the environment, the exit code passed on.
use std::process::Command;

use crate::program::{Running, command, expect_code};

#[test]
fn exec_exports_addresses_and_passes_exit_code() {
    let script = r#"case "$SLIPWAY_BASE_URL$SLIPWAY_SWAP_URL$SLIPWAY_CONTROL_URL$SLIPWAY_RPC_URL_57073$SLIPWAY_RPC_URL_4663" in
        http://*http://*http://*http://*http://*) echo seen; exit 7;; esac; exit 1"#;
    let output = expect_code(&["exec", "--", "sh", "-c", script], 7);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "seen\n");
}

#[test]
fn exec_takes_the_options_of_a_start() {
    // The program itself, the market and the address are those of this command line.
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

#[test]
fn signal_exit_code_is_128_plus_signal() {
    expect_code(&["exec", "--", "sh", "-c", "kill -TERM $$"], 128 + 15);
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

#[test]
fn env_without_a_platform_says_so() {
    let cache = tempfile::tempdir().unwrap();
    let mut env = command(&["env", "--port", "4700"]);
    // The file of a killed platform is not taken for that of a running one.
    for stale in [false, true] {
        if stale {
            std::fs::create_dir_all(cache.path().join("slipway/ready")).unwrap();
            std::fs::write(cache.path().join("slipway/ready/4700.json"), "{\"pid\": 2147483647}").unwrap();
        }
        let output = env.env("XDG_CACHE_HOME", cache.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        assert!(String::from_utf8(output.stderr).unwrap().contains("slipway up"));
    }
}
