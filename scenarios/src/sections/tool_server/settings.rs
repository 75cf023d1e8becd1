//! Environment variables of the tool server: accepted and refused values.
use std::path::Path;
use std::sync::Arc;

use super::fixture::ToolServerFixture;
use super::hostile_rpc::leaves;
use super::strict::MCP_STRICT;
use crate::answers::reads::RECENT;
use crate::prelude::*;

const FILE: &str = "SERVICE_MCP_PRIVATE_KEY_FILE";
const RAW: &str = "SERVICE_MCP_PRIVATE_KEY";

clause! {
    MCP_KEY_FILE = "MCP-KEY-FILE" (S268, S269, S271, S272): "A key is required; a key file must be private, and gives the wallet where it is the only key.";
    check!("tool-server-key-file" [Read; ToolServer, Rest, PrimaryChain] key_file_is_guarded:
        "the key file comes first and is refused when others may read it");
}
pub(super) async fn key_file_is_guarded(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, U256::ZERO).await?;
    let raw = fixture.key();
    let filed = Account::fresh(&mut trial.choices("key-file"));
    let folder = tempfile::tempdir().map_err(broken)?;
    let path = folder.path().join("key");
    let name = path.to_string_lossy();
    let written = fixture.key_of(&filed);
    let other = if fixture.manners.prefix.is_empty() { "0x" } else { "" };
    let alone = [(FILE, &*name), (RAW, "")];
    for text in [written.expose().to_owned(), format!("{}\n", written.expose())] {
        key_file(&path, &text, 0o600)?;
        wallet_is(&fixture, &alone, Some(&filed), "the key file has mode 0600").await?;
        both_keys(&fixture, &[(FILE, &*name), (RAW, raw.expose())], &filed).await?;
    }
    key_file(&path, &format!("{other}{}", filed.key().expose()), 0o600)?;
    let chosen = fixture.by(&MCP_STRICT);
    wallet_by(&chosen, &fixture, &alone, Some(&filed), "a key may have a prefix").await?;
    wallet_is(&fixture, &[], Some(&fixture.account), "the raw key is given").await?;
    wallet_is(&fixture, &[(RAW, "")], None, "there is no key").await?;
    files_are_refused(&fixture, &filed, &path, &[0o640, 0o604, 0o644, 0o660, 0o666, 0o777], "").await?;
    // An attempt to bypass the mode: a link, itself private, to a file that is not.
    key_file(&path, written.expose(), 0o777)?;
    let link = folder.path().join("link");
    symlink(&path, &link).map_err(broken)?;
    let why = "a link leads to a key file of mode 0777";
    wallet_is(&fixture, &[(FILE, &link.to_string_lossy()), (RAW, "")], None, why).await
}

/// A file that others may write is refused, and a raw key never replaces an unusable file; this is a choice.
pub(super) async fn key_files_are_final(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, U256::ZERO).await?;
    let filed = Account::fresh(&mut trial.choices("key-file"));
    let folder = tempfile::tempdir().map_err(broken)?;
    let raw = fixture.key();
    files_are_refused(&fixture, &filed, &folder.path().join("key"), &[0o620, 0o602], raw.expose()).await
}

/// Key files of these modes and unusable key files are refused, even along with this raw key.
async fn files_are_refused(
    fixture: &Arc<ToolServerFixture<'_>>,
    filed: &Account,
    path: &Path,
    modes: &[u32],
    raw: &str,
) -> Verdict {
    let key = fixture.key_of(filed);
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
        (&key[..key.len() - 1], &name, "the key in the file lacks a digit"),
        (&format!("{key}0"), &name, "the key in the file has a digit too many"),
        (&format!("{}{}", fixture.manners.prefix, "0".repeat(64)), &name, "the key in the file is zero"),
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
        let before = fixture.service.targets().len();
        let reply = session.call("recent_launches", &json!({})).await?;
        if reply.is_error() {
            continue;
        }
        // The server may use the origin of such an address and ignore the rest.
        let shown = format!("tool call recent_launches with SERVICE_BASE_URL={refused}");
        let asked: Vec<String> = fixture.service.targets().into_iter().skip(before).collect();
        let of_origin = asked.iter().any(|target| target.starts_with(RECENT));
        let expected = "a tool error, or a request to the origin";
        fixture.require_or(&shown, of_origin, expected, || format!("requests for {asked:?}"))?;
        fixture.by(&MCP_STRICT).require(
            &reply,
            false,
            "a tool error: the base address is more than an origin",
        )?;
    }
    Ok(())
}

/// If both a key file and a raw key are given, preferring the file is only recommended: the wallet may be that of either.
async fn both_keys(
    fixture: &Arc<ToolServerFixture<'_>>,
    variables: &[(&str, &str)],
    filed: &Account,
) -> Verdict {
    let why = "both keys are given, and the key file has mode 0600";
    let mut session = fixture.open(variables).await?;
    let reply = session.call("wallet_info", &json!({})).await?;
    let value = fixture.served(&reply, why)?;
    let shown = |account: &Account| shows_address(&value, account);
    let either = shown(filed) || shown(&fixture.account);
    fixture.require_or(&reply, either, "the wallet of either key", || value.to_string())?;
    let expected = "the wallet of the key file";
    fixture.by(&MCP_STRICT).require_or(&reply, shown(filed), expected, || value.to_string())
}

/// Whether the address of an account is anywhere within a value.
fn shows_address(value: &Value, account: &Account) -> bool {
    let address = account.address().to_string();
    leaves(value).iter().any(|text| text.eq_ignore_ascii_case(&address))
}

/// The wallet is the account's, or without an account the tool server refuses its settings: it ends, or its tools return errors.
async fn wallet_is(
    fixture: &Arc<ToolServerFixture<'_>>,
    variables: &[(&str, &str)],
    account: Option<&Account>,
    why: &str,
) -> Verdict {
    wallet_by(&fixture.trial, fixture, variables, account, why).await
}

/// Like [`wallet_is`], judged by the clause of a trial.
async fn wallet_by(
    trial: &Trial<'_>,
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
            let expected = format!("it starts: {why}");
            return trial.require_or(&shown, false, &expected, || format!("it ends: {words}"));
        }
    };
    let reply = session.call("wallet_info", &json!({})).await?;
    let Some(account) = account else {
        return fixture.tool_error(&reply, why);
    };
    let shown = reply.value().is_some_and(|value| shows_address(&value, account));
    let expected = format!("the wallet {}: {why}", account.address());
    trial.require(&reply, shown, &expected)
}

/// Writes a file with exactly this mode.
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

/// Links need special rights here, so a copy is made instead.
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
