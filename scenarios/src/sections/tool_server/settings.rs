//! What the tool server takes from its environment, and what it refuses there.
use std::path::Path;
use std::sync::Arc;

use super::fixture::ToolServerFixture;
use super::hostile_rpc::leaves;
use crate::prelude::*;

const FILE: &str = "SERVICE_MCP_PRIVATE_KEY_FILE";
const RAW: &str = "SERVICE_MCP_PRIVATE_KEY";

clause! {
    MCP_KEY_FILE = "MCP-KEY-FILE" (S268, S269, S271, S272): "The key file takes precedence and must be private; a key is required.";
    check!("tool-server-key-file" [Read; ToolServer, Rest, PrimaryChain] key_file_is_guarded:
        "the key file comes first and is refused when others may read it");
}
pub(super) async fn key_file_is_guarded(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, U256::ZERO).await?;
    let raw = fixture.account.key();
    let filed = Account::fresh(&mut trial.choices("key-file"));
    let folder = tempfile::tempdir().map_err(broken)?;
    let path = folder.path().join("key");
    let name = path.to_string_lossy();
    for text in [filed.key().expose().to_owned(), format!("0x{}\n", filed.key().expose())] {
        key_file(&path, &text, 0o600)?;
        for variables in [[(FILE, &*name), (RAW, "")], [(FILE, &*name), (RAW, raw.expose())]] {
            wallet_is(&fixture, &variables, Some(&filed), "the key file has mode 0600").await?;
        }
    }
    wallet_is(&fixture, &[], Some(&fixture.account), "the raw key is given").await?;
    wallet_is(&fixture, &[(RAW, "")], None, "there is no key").await?;
    files_are_refused(&fixture, &filed, &path, &[0o640, 0o604, 0o644, 0o660, 0o666, 0o777], "").await?;
    // A way around the mode: a private link to a file that is not.
    key_file(&path, filed.key().expose(), 0o777)?;
    let link = folder.path().join("link");
    symlink(&path, &link).map_err(broken)?;
    let why = "a link leads to a key file of mode 0777";
    wallet_is(&fixture, &[(FILE, &link.to_string_lossy()), (RAW, "")], None, why).await
}

/// By choice a file that others may write is refused, and no raw key is taken instead of a file that cannot be used.
pub(super) async fn key_files_are_final(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, U256::ZERO).await?;
    let filed = Account::fresh(&mut trial.choices("key-file"));
    let folder = tempfile::tempdir().map_err(broken)?;
    let raw = fixture.account.key();
    files_are_refused(&fixture, &filed, &folder.path().join("key"), &[0o620, 0o602], raw.expose()).await
}

/// A key file of any of these modes is refused, and so is one that cannot be used, also with this raw key.
async fn files_are_refused(
    fixture: &Arc<ToolServerFixture<'_>>,
    filed: &Account,
    path: &Path,
    modes: &[u32],
    raw: &str,
) -> Verdict {
    let key = filed.key();
    let key = key.expose();
    let folder = path.parent().unwrap_or(path);
    let [name, gone, directory] =
        [path, &folder.join("gone"), folder].map(|path| path.to_string_lossy().into_owned());
    for mode in modes {
        key_file(path, key, *mode)?;
        let why = format!("the key file has mode {mode:04o}");
        wallet_is(fixture, &[(FILE, &name), (RAW, "")], None, &why).await?;
    }
    for (text, named, why) in [
        ("", &name, "the key file is empty"),
        ("\n", &name, "the key file holds no more than a line end"),
        ("not hexadecimal", &name, "the key file holds no key"),
        (&key[..63], &name, "the key in the file lacks a digit"),
        (&format!("{key}0"), &name, "the key in the file has a digit too many"),
        (&"0".repeat(64), &name, "the key in the file is zero"),
        (key, &gone, "the key file is missing"),
        (key, &directory, "the key file is a directory"),
    ] {
        key_file(path, text, 0o600)?;
        wallet_is(fixture, &[(FILE, named), (RAW, raw)], None, why).await?;
    }
    Ok(())
}

clause! {
    MCP_RPC_URL = "MCP-RPC-URL" (S277): "An RPC address with user, query or fragment is refused.";
    check!("tool-server-rpc-url" [Read; ToolServer, Rest, PrimaryChain] rpc_url_is_plain:
        "an RPC address with a user, a query or a fragment is rejected");
}
pub(super) async fn rpc_url_is_plain(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, U256::ZERO).await?;
    let url = fixture.rpc.url().as_str().trim_end_matches('/').to_owned();
    let rest = url.trim_start_matches("http://").to_owned();
    for taken in [url.clone(), format!("{url}/"), format!("{url}/v3/some-key")] {
        fixture.rpc.be_honest();
        let variables = [("SERVICE_MCP_RPC_URL", taken.as_str())];
        wallet_is(&fixture, &variables, Some(&fixture.account), "the RPC address is plain").await?;
    }
    for refused in [
        format!("http://user:word@{rest}/"),
        format!("http://user@{rest}/"),
        format!("http://:word@{rest}/"),
        format!("{url}/?key=secret"),
        format!("{url}/v3?a"),
        format!("{url}/#fragment"),
        format!("{url}/v3/key#"),
    ] {
        fixture.rpc.be_honest();
        let variables = [("SERVICE_MCP_RPC_URL", refused.as_str())];
        wallet_is(&fixture, &variables, None, "the RPC address holds a user, a query or a fragment").await?;
        let (asked, shown) =
            (fixture.rpc.calls().len(), format!("a tool server with SERVICE_MCP_RPC_URL={refused}"));
        let expected = "nothing is asked of a rejected RPC";
        fixture.require_or(&shown, asked == 0, expected, || format!("{asked} calls"))?;
    }
    Ok(())
}

clause! {
    MCP_BASE_URL = "MCP-BASE-URL" (S278): "The service address is an origin without a path.";
    check!("tool-server-base-url" [Read; ToolServer, Rest, PrimaryChain] base_url_is_an_origin:
        "the service's address is an origin");
}
pub(super) async fn base_url_is_an_origin(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, U256::ZERO).await?;
    let origin = fixture.service.origin();
    let variables = [("SERVICE_BASE_URL", origin.as_str())];
    wallet_is(&fixture, &variables, Some(&fixture.account), "the base address is an origin").await?;
    for refused in [
        format!("{origin}/app"),
        format!("{origin}/app/"),
        format!("{origin}/api/v2"),
        format!("{origin}/?query"),
        format!("{origin}/#fragment"),
        origin.replace("://", "://user:word@"),
        "not an address".to_owned(),
    ] {
        let variables = [("SERVICE_BASE_URL", refused.as_str())];
        let opened = fixture.try_open(&variables).await?;
        let Ok(mut session) = opened else { continue };
        let reply = session.call("recent_launches", &json!({})).await?;
        fixture.tool_error(&reply, "the base address is more than an origin")?;
    }
    Ok(())
}

/// The wallet is that of the account, or the tool server refuses its settings: by ending or by errors.
async fn wallet_is(
    fixture: &Arc<ToolServerFixture<'_>>,
    variables: &[(&str, &str)],
    account: Option<&Account>,
    why: &str,
) -> Verdict {
    let shown = format!("a tool server while {why}");
    let mut session = match (fixture.try_open(variables).await?, account) {
        (Ok(session), _) => session,
        (Err(_), None) => return Ok(()),
        (Err(stdio), Some(_)) => {
            let words = String::from_utf8_lossy(&stdio.errors()?).into_owned();
            return Err(fixture.failure(&shown, format!("it starts: {why}"), format!("it ends: {words}")));
        }
    };
    let reply = session.call("wallet_info", &json!({})).await?;
    let Some(account) = account else {
        return fixture.tool_error(&reply, why);
    };
    let value = fixture.served(&reply, why)?;
    let address = account.address().to_string().to_lowercase();
    let shown = leaves(&value).iter().any(|text| text.to_lowercase() == address);
    fixture.require_or(&reply, shown, &format!("the wallet {address}: {why}"), || value.to_string())
}

/// Writes a file of exactly this mode.
pub(super) fn key_file(path: &Path, text: &str, mode: u32) -> Verdict {
    std::fs::write(path, text).and_then(|()| set_mode(path, mode)).map_err(broken)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

#[cfg(unix)]
fn symlink(path: &Path, link: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(path, link)
}

/// Where links need special rights, a copy replaces one.
#[cfg(not(unix))]
fn symlink(path: &Path, link: &Path) -> std::io::Result<()> {
    std::fs::copy(path, link).map(drop)
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> std::io::Result<()> {
    Ok(())
}

pub(super) fn broken(error: std::io::Error) -> Stop {
    Inconclusive::Harness { reason: format!("no file of our own: {error}") }.into()
}
