//! Commands for packagers: completions, man pages, and the tools of `up` in a folder; and the health probe of a container.
use std::path::Path;
use std::time::Duration;

use clap::CommandFactory as _;
use slipway_contracts::ChainId;
use slipway_contracts::toolchain::{Toolchain, ToolchainOptions};
use slipway_scenarios::Target;
use slipway_sim::ports::Ports;

use crate::arguments::{Arguments, CompletionsArguments, ManArguments, ReadyArguments, ToolchainArguments};
use crate::error::{CommandError, UsageError};
use crate::exit::Exit;
use crate::{output, wait};

pub(super) fn completions(arguments: &CompletionsArguments) -> Result<Exit, CommandError> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "slipway", &mut text);
    output::done(&String::from_utf8_lossy(&text))
}

/// `slipway man`: the page of the command, or with a folder those of all its commands.
pub(super) fn man(arguments: &ManArguments) -> Result<Exit, CommandError> {
    if let Some(folder) = &arguments.directory {
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(Arguments::command(), folder));
        written.map_err(|source| CommandError::Folder { path: folder.display().to_string(), source })?;
        return Ok(Exit::Conformant);
    }
    let mut text = Vec::new();
    let page = clap_mangen::Man::new(Arguments::command());
    page.render(&mut text).map_err(|source| CommandError::Output { source })?;
    output::done(&String::from_utf8_lossy(&text))
}

pub(super) async fn toolchain(arguments: &ToolchainArguments) -> Result<Exit, CommandError> {
    let options = ToolchainOptions { offline: arguments.offline, ..ToolchainOptions::from_environment() };
    let tools = Toolchain::locate(&options, &|_| {}).await?;
    tools.export(Path::new(&arguments.directory))?;
    Ok(Exit::Conformant)
}

/// `slipway ready`: whether every service of a platform on these ports answers.
pub(super) async fn ready(arguments: &ReadyArguments) -> Result<Exit, CommandError> {
    let base = arguments.port;
    let ports = Ports::from_base(base).filter(|_| base != 0).ok_or(UsageError::PortRange { base })?;
    let local = |port: u16| format!("http://127.0.0.1:{port}").parse().expect("a port makes an address");
    let target = Target {
        base_url: Some(local(ports.rest)),
        swap_url: Some(local(ports.swap)),
        rpc_urls: [
            (ChainId::PRIMARY.0, local(ports.primary_chain)),
            (ChainId::SECOND.0, local(ports.second_chain)),
        ]
        .into(),
        ..Target::default()
    };
    wait::until_ready(&target, Duration::from_secs(arguments.wait)).await?;
    Ok(Exit::Conformant)
}
