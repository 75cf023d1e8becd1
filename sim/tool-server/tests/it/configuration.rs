//! Configuration errors, before anything is served.
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use slipway_tool_server::{ConfigError, ToolServerConfig};

use crate::peer::{Environment, KEY, WALLET};

const FILE: &str = "SERVICE_MCP_PRIVATE_KEY_FILE";
const RAW: &str = "SERVICE_MCP_PRIVATE_KEY";

fn refused(environment: &Environment) -> ConfigError {
    environment.config().expect_err("the configuration is refused")
}

fn shows_wallet(config: &ToolServerConfig) -> bool {
    format!("{config:?}").contains(&WALLET.to_lowercase())
}

fn write(path: &Path, text: &str, mode: u32) -> String {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn key_is_required() {
    let error = refused(&Environment::default());
    assert_eq!(error, ConfigError::KeyMissing);
    assert!(error.to_string().contains(FILE) && error.to_string().contains(RAW));
}

#[test]
fn key_file_must_be_private_regular_and_hold_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    let with_file = |name: &str| Environment::default().with(FILE, name);
    for mode in [0o600, 0o400, 0o700] {
        for text in [KEY.to_owned(), format!("0x{KEY}\n"), KEY.to_uppercase()] {
            let name = write(&path, &text, mode);
            let config = with_file(&name).config().unwrap();
            assert!(shows_wallet(&config), "{config:?}");
            std::fs::remove_file(&path).unwrap();
        }
    }
    for mode in [0o640, 0o604, 0o620, 0o602, 0o610, 0o644, 0o666, 0o777] {
        let name = write(&path, KEY, mode);
        assert_eq!(refused(&with_file(&name)), ConfigError::KeyFileMode { mode });
    }
    let name = write(&path, KEY, 0o600);
    assert_eq!(refused(&with_file(folder.path().to_str().unwrap())), ConfigError::KeyFileKind);
    let missing = refused(&with_file(&format!("{name}-absent")));
    assert_eq!(missing, ConfigError::KeyFileUnreadable { reason: std::io::ErrorKind::NotFound });
    assert!(!missing.to_string().contains("absent"), "paths are not repeated");
    for (text, error) in [
        ("", ConfigError::KeyFileEmpty),
        (" \n", ConfigError::KeyFileEmpty),
        ("not a key", ConfigError::KeyMalformed { variable: FILE }),
        (&KEY[2..], ConfigError::KeyMalformed { variable: FILE }),
        (&format!("0x0x{KEY}"), ConfigError::KeyMalformed { variable: FILE }),
        (&"0".repeat(64), ConfigError::KeyOutOfRange { variable: FILE }),
        (&"f".repeat(64), ConfigError::KeyOutOfRange { variable: FILE }),
    ] {
        let name = write(&path, text, 0o600);
        assert_eq!(refused(&with_file(&name)), error);
    }
}

#[test]
fn key_file_links_are_followed_and_the_opened_file_judged() {
    let folder = tempfile::tempdir().unwrap();
    let (path, link, chain) =
        (folder.path().join("key"), folder.path().join("link"), folder.path().join("chain"));
    symlink(&path, &link).unwrap();
    symlink(&link, &chain).unwrap();
    let linked = Environment::default().with(FILE, chain.to_str().unwrap());
    assert_eq!(refused(&linked), ConfigError::KeyFileUnreadable { reason: std::io::ErrorKind::NotFound });
    write(&path, KEY, 0o600);
    assert!(shows_wallet(&linked.config().unwrap()));
    write(&path, KEY, 0o640);
    assert_eq!(refused(&linked), ConfigError::KeyFileMode { mode: 0o640 });
}

#[test]
fn key_file_takes_precedence() {
    let folder = tempfile::tempdir().unwrap();
    let name = write(&folder.path().join("key"), KEY, 0o600);
    let other = "11".repeat(32);
    let both = Environment::default().with(FILE, &name).with(RAW, &other);
    assert!(shows_wallet(&both.config().unwrap()));
    let broken = Environment::default().with(FILE, "/nowhere/at/all").with(RAW, KEY);
    assert!(matches!(refused(&broken), ConfigError::KeyFileUnreadable { .. }));
}

#[test]
fn rpc_url_has_no_userinfo_query_or_fragment() {
    let with_rpc = |url: &str| Environment::default().with(RAW, KEY).with("SERVICE_MCP_RPC_URL", url);
    for url in
        ["http://127.0.0.1:8545", "https://rpc.public.dev/v2/abcdef0123456789", "https://rpc.public.dev/a@b"]
    {
        assert!(with_rpc(url).config().is_ok(), "{url}");
    }
    let malformed = || ConfigError::UrlMalformed { variable: "SERVICE_MCP_RPC_URL" };
    for (url, error) in [
        ("https://user@rpc.public.dev/", ConfigError::RpcUserinfo),
        ("https://user:hunter2@rpc.public.dev/", ConfigError::RpcUserinfo),
        ("https://@rpc.public.dev/", ConfigError::RpcUserinfo),
        ("https:\\\\user:hunter2@rpc.public.dev/", ConfigError::RpcUserinfo),
        ("https:user:hunter2@rpc.public.dev/", ConfigError::RpcUserinfo),
        ("https://rpc.public.dev/?key=1", ConfigError::RpcQuery),
        ("https://rpc.public.dev/?", ConfigError::RpcQuery),
        ("https://rpc.public.dev/#key", ConfigError::RpcFragment),
        ("https://rpc.public.dev/#", ConfigError::RpcFragment),
        ("ws://rpc.public.dev/", malformed()),
        ("rpc.public.dev", malformed()),
        ("https://rpc.public.dev/a b", malformed()),
    ] {
        let found = refused(&with_rpc(url));
        assert_eq!(found, error, "{url}");
        assert!(!found.to_string().contains("hunter2"), "{found}");
    }
}

#[test]
fn base_url_is_an_origin() {
    let with_base = |url: &str| Environment::default().with(RAW, KEY).with("SERVICE_BASE_URL", url);
    for url in ["http://127.0.0.1:4700", "https://service.public.dev", "https://service.public.dev/"] {
        assert!(with_base(url).config().is_ok(), "{url}");
    }
    for url in
        ["https://s.dev/api", "https://s.dev/?", "https://s.dev/#x", "https://u:p@s.dev", "https://s.dev//"]
    {
        assert_eq!(
            refused(&with_base(url)),
            ConfigError::NotOrigin { variable: "SERVICE_BASE_URL" },
            "{url}"
        );
    }
}

#[test]
fn amounts_waits_and_name_servers_are_validated() {
    let with = |variable: &str, value: &str| Environment::default().with(RAW, KEY).with(variable, value);
    for variable in ["SERVICE_MCP_MAX_PREBUY_ETH", "SERVICE_MCP_MAX_RAISE_ETH", "SERVICE_MCP_MAX_GAS_GWEI"] {
        for good in ["0", "0.25", "3", "100.123456789"] {
            assert!(with(variable, good).config().is_ok(), "{variable}={good}");
        }
        for bad in ["-1", "1e3", "abc", "0x10", "1,5", " 1", "0.0000000000000000001"] {
            assert!(matches!(refused(&with(variable, bad)), ConfigError::Amount { .. }), "{variable}={bad}");
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
    assert_eq!(refused(&with(variable, "localhost")), ConfigError::Address { variable });
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
