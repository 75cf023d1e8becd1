//! `slipway exec`: addresses in the environment, the exit code passed on.
use crate::program::expect_code;

#[test]
fn exec_exports_addresses_and_passes_exit_code() {
    let script = r#"case "$SLIPWAY_BASE_URL$SLIPWAY_SWAP_URL$SLIPWAY_CONTROL_URL$SLIPWAY_RPC_URL_57073$SLIPWAY_RPC_URL_4663" in
        http://*http://*http://*http://*http://*) echo seen; exit 7;; esac; exit 1"#;
    let output = expect_code(&["exec", "--", "sh", "-c", script], 7);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "seen\n");
}

#[test]
fn signal_exit_code_is_128_plus_signal() {
    expect_code(&["exec", "--", "sh", "-c", "kill -TERM $$"], 128 + 15);
}

#[test]
fn missing_command_is_an_error() {
    let output = expect_code(&["exec", "--", "/nonexistent/program"], 3);
    assert!(String::from_utf8(output.stderr).unwrap().contains("/nonexistent/program"));
}
