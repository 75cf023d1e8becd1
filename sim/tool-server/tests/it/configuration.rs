//! Configuration errors, before anything is served.
use slipway_tool_server::ConfigError;

use crate::peer::{Environment, KEY};

const RAW: &str = "SERVICE_MCP_PRIVATE_KEY";

fn refused(environment: &Environment) -> ConfigError {
    environment.config().expect_err("the configuration is refused")
}

#[test]
fn user_names_in_the_rpc_url_are_found_in_every_spelling() {
    for url in [
        "https://user@rpc.public.dev/",
        "https://@rpc.public.dev/",
        "https:\\\\user:hunter2@rpc.public.dev/",
        "https:user:hunter2@rpc.public.dev/",
    ] {
        let found = refused(&Environment::default().with(RAW, KEY).with("SERVICE_MCP_RPC_URL", url));
        assert_eq!(found, ConfigError::RpcUserinfo, "{url}");
    }
    let plain =
        Environment::default().with(RAW, KEY).with("SERVICE_MCP_RPC_URL", "https://rpc.public.dev/a@b");
    assert!(plain.config().is_ok());
}

#[test]
fn amounts_waits_and_name_servers_are_validated() {
    let with = |variable: &str, value: &str| Environment::default().with(RAW, KEY).with(variable, value);
    for variable in ["SERVICE_MCP_MAX_PREBUY_ETH", "SERVICE_MCP_MAX_RAISE_ETH", "SERVICE_MCP_MAX_GAS_GWEI"] {
        for good in ["0", "0.25", "3", "100.123456789"] {
            assert!(with(variable, good).config().is_ok(), "{variable}={good}");
        }
        for bad in ["-1", "1e3", "abc", "0x10", "1,5", " 1", "0.0000000000000000001"] {
            let said = refused(&with(variable, bad)).to_string();
            assert!(said.starts_with(&format!("{variable} must be a decimal number such as 0.5")), "{said}");
        }
    }
    for (variable, longest) in [("SLIPWAY_RECEIPT_WAIT_SECONDS", 120), ("SLIPWAY_ANSWER_WAIT_SECONDS", 10)] {
        for bad in ["0", "0.0001", "0.0015", &format!("{longest}.001"), &(longest + 1).to_string(), "x", "-1"]
        {
            assert_eq!(refused(&with(variable, bad)), ConfigError::Wait { variable, longest });
        }
        for good in ["0.001", "0.25", "1", &longest.to_string()] {
            assert!(with(variable, good).config().is_ok(), "{variable}={good}");
        }
    }
    let usual = Environment::default().with(RAW, KEY).config().unwrap();
    assert_eq!(usual.receipt_wait().as_secs(), 120);
    let short = with("SLIPWAY_RECEIPT_WAIT_SECONDS", "0.25").config().unwrap();
    assert_eq!(short.receipt_wait().as_millis(), 250);
    let variable = "SLIPWAY_DNS_SERVER";
    assert_eq!(refused(&with(variable, "localhost")), ConfigError::Address(variable));
}

#[test]
fn debug_prints_no_secret_of_the_configuration() {
    let config = Environment::default()
        .with(RAW, KEY)
        .with("SERVICE_MCP_RPC_URL", "https://rpc.public.dev/v2/abcdef0123456789")
        .config()
        .unwrap();
    let shown = format!("{config:?}");
    assert!(!shown.contains(KEY) && !shown.contains("abcdef0123456789"), "{shown}");
}
