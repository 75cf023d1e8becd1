//! `slipway up`: the platform, until a shutdown signal.
use std::fmt::Write as _;
use std::path::Path;
use std::pin::pin;

use slipway_sim::ports::Ports;
use slipway_sim::{Attach, PublicUrls, Ready};
use tokio::io::AsyncReadExt as _;

use super::shutdown_signal;
use crate::arguments::UpArguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::external::address;
use crate::local::Front;
use crate::{local, output};

pub(super) async fn run(arguments: UpArguments) -> Result<Exit, CommandError> {
    let mut config = local::config(&arguments.platform, arguments.clock.into());
    let base = arguments.port;
    config.ports = Ports::from_base(base).ok_or(CommandError::PortRange { base })?;
    config.host = arguments.host;
    config.public = public_urls(&arguments.public_urls)?;
    config.control_token = arguments.control_token;
    config.state_dir = arguments.state;
    config.database_url = arguments.database_url;
    config.attach = arguments.attach.as_deref().map(attached).transpose()?;
    config.trust_forwarded = arguments.trust_forwarded;
    config.standard_limit = arguments.standard_limit;
    config.control = !arguments.no_control;
    config.operator_key = arguments.operator_key;
    let front = Front::of(&arguments.platform)?;
    if matches!(front, Front::Proxies(_)) && !config.host.is_loopback() {
        return Err(CommandError::DefectHost);
    }
    let mut stop = pin!(shutdown_signal());
    let platform = tokio::select! {
        platform = local::start(config, front) => platform?,
        () = &mut stop => return Ok(Exit::Interrupted),
    };
    let line =
        serde_json::to_string(platform.ready()).expect("the ready line holds only strings and numbers");
    if let Some(path) = &arguments.ready_file {
        write_whole(path, &line)?;
    }
    output::data(&if arguments.json { format!("{line}\n") } else { spoken(platform.ready()) })?;
    let ended = tokio::select! {
        () = &mut stop => Ok(Exit::Conformant),
        () = end_of_input(), if arguments.until_eof => Ok(Exit::Conformant),
        death = platform.died() => Err(CommandError::Died { reason: death.to_string() }),
    };
    platform.stop().await;
    ended
}

/// The addresses under which callers know the services.
fn public_urls(given: &[String]) -> Result<PublicUrls, CommandError> {
    let mut public = PublicUrls::default();
    for value in given {
        let (part, text) = match value.split_once('=') {
            Some(("swap", text)) => (&mut public.swap, text),
            Some(("rest", text)) => (&mut public.rest, text),
            _ => (&mut public.rest, value.as_str()),
        };
        let url = address(text).filter(|url| {
            url.path() == "/"
                && url.query().is_none()
                && url.fragment().is_none()
                && url.username().is_empty()
        });
        let url = url.ok_or_else(|| CommandError::PublicUrl { value: value.clone() })?;
        *part = Some(url.as_str().trim_end_matches('/').to_owned());
    }
    Ok(public)
}

/// The platform that a ready file tells of.
fn attached(path: &Path) -> Result<Attach, CommandError> {
    let failed = |source| CommandError::ReadyFile { path: path.display().to_string(), source };
    let line = std::fs::read_to_string(path).map_err(failed)?;
    serde_json::from_str(&line).map_err(|error| failed(error.into()))
}

/// A reader of the file sees nothing or all of it.
fn write_whole(path: &Path, line: &str) -> Result<(), CommandError> {
    let failed = |source| CommandError::ReadyFile { path: path.display().to_string(), source };
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(directory).map_err(failed)?;
    std::io::Write::write_all(&mut file, line.as_bytes()).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

async fn end_of_input() {
    let mut input = tokio::io::stdin();
    let mut sink = [0; 1024];
    while matches!(input.read(&mut sink).await, Ok(count) if count > 0) {}
}

fn spoken(ready: &Ready) -> String {
    let mut text = format!("REST      {}\nswap      {}\n", ready.base_url, ready.swap_base_url);
    if let Some(control) = &ready.control_url {
        let _ = writeln!(text, "control   {control}");
    }
    if let Some(token) = &ready.control_token {
        let _ = writeln!(text, "token     {token}  (Authorization: Bearer, for the control plane)");
    }
    for chain in &ready.chains {
        let _ = writeln!(text, "chain     {:<6}{}  hook {}", chain.chain_id, chain.rpc_url, chain.hook);
    }
    for account in &ready.accounts {
        let _ = writeln!(text, "account   {}  {}", account.address, account.private_key);
    }
    let _ = writeln!(text, "operator  {}\nseed      {}", ready.operator_key, ready.seed);
    text
}

#[cfg(test)]
mod tests {
    use super::public_urls;

    #[test]
    fn public_urls_are_origins_of_a_service() {
        let given = ["https://a.example/", "swap=http://b.example:8080"].map(str::to_owned);
        let public = public_urls(&given).unwrap();
        assert_eq!(public.rest.as_deref(), Some("https://a.example"));
        assert_eq!(public.swap.as_deref(), Some("http://b.example:8080"));
        assert_eq!(
            public_urls(&["rest=https://c.example".to_owned()]).unwrap().rest.as_deref(),
            Some("https://c.example")
        );
        for wrong in [
            "",
            "rest=",
            "node=https://a.example",
            "swap=https://a.example/path",
            "https://u@a.example",
            "ftp://a",
        ] {
            assert!(public_urls(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }
}
