//! `slipway up`: the platform, until a shutdown signal.
use std::fmt::Write as _;
use std::path::Path;
use std::pin::pin;

use slipway_sim::ports::Ports;
use slipway_sim::{Attach, Ready};
use tokio::io::AsyncReadExt as _;

use super::shutdown_signal;
use crate::arguments::UpArguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::local::Front;
use crate::{local, output};

pub(super) async fn run(arguments: UpArguments) -> Result<Exit, CommandError> {
    let mut config = local::config(&arguments.platform, arguments.clock.into());
    let base = arguments.port;
    config.ports = Ports::from_base(base).ok_or(CommandError::PortRange { base })?;
    config.state_dir = arguments.state;
    config.database_url = arguments.database_url;
    config.attach = arguments.attach.as_deref().map(attached).transpose()?;
    config.trust_forwarded = arguments.trust_forwarded;
    config.standard_limit = arguments.standard_limit;
    config.control = !arguments.no_control;
    config.operator_key = arguments.operator_key;
    let front = Front::of(&arguments.platform)?;
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
    for chain in &ready.chains {
        let _ = writeln!(text, "chain     {:<6}{}  hook {}", chain.chain_id, chain.rpc_url, chain.hook);
    }
    for account in &ready.accounts {
        let _ = writeln!(text, "account   {}  {}", account.address, account.private_key);
    }
    let _ = writeln!(text, "operator  {}\nseed      {}", ready.operator_key, ready.seed);
    text
}
