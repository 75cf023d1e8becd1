//! The tool server of a platform in a container: a local process runs it there, like `docker exec -i`. What its variables refer to on this
//! machine is made reachable there: addresses are forwarded, files are copied in.
use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::{io, process};

use futures::StreamExt as _;
use slipway_scenarios::client::stdio::TOOL_SERVER_VARIABLES;
use slipway_scenarios::model::target::ToolServerCommand;
use tar::{Builder, EntryType, Header};
use testcontainers::bollard::container::LogOutput;
use testcontainers::bollard::exec::{CreateExecOptions, StartExecOptions, StartExecResults};
use testcontainers::bollard::query_parameters::UploadToContainerOptionsBuilder;
use testcontainers::bollard::{Docker, body_full};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use url::Url;

use super::error::InsideError;
use super::forward;
use crate::arguments::ExecInContainerArguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::target::external;

/// The variable of the interface that names a file.
const KEY_FILE: &str = "SERVICE_MCP_PRIVATE_KEY_FILE";
/// The variable with the address of the REST service, and the one with the origin at which browsers open its pages.
const BASE_URL: &str = "SERVICE_BASE_URL";
const PUBLIC_URL: &str = "SLIPWAY_PUBLIC_URL";
/// The variable with an address that has no scheme.
const NAME_SERVER: &str = "SLIPWAY_DNS_SERVER";

/// The container that a tool server runs in.
pub(super) struct Inside {
    pub(super) container: String,
    /// Address of this machine as the container sees it.
    pub(super) gateway: Option<String>,
    /// Ports of this machine that lead to ports of the container.
    pub(super) mapped: Vec<(u16, u16)>,
}

impl Inside {
    /// Turns a command for a tool server in the container into one that runs here.
    pub(super) fn command(self, program: String, inner: ToolServerCommand) -> ToolServerCommand {
        let mut arguments = vec!["exec-in-container".to_owned(), "--container".to_owned(), self.container];
        arguments.extend(self.gateway.into_iter().flat_map(|gateway| ["--gateway".to_owned(), gateway]));
        let mapped = self.mapped.into_iter().map(|(outside, inside)| format!("{outside}={inside}"));
        arguments.extend(mapped.flat_map(|pair| ["--mapped".to_owned(), pair]));
        let renamed = inner.variables.iter().map(|(ours, theirs)| format!("{ours}={theirs}"));
        arguments.extend(renamed.flat_map(|pair| ["--variable".to_owned(), pair]));
        arguments.extend(["--".to_owned(), inner.program]);
        arguments.extend(inner.arguments);
        ToolServerCommand { program, arguments, variables: inner.variables }
    }
}

/// Runs a command in a container, with this process's standard streams, and ends with its exit code.
pub(crate) async fn run(arguments: ExecInContainerArguments) -> Result<Exit, CommandError> {
    let code = attached(&arguments).await?;
    // A blocked read of standard input would delay the shutdown of the runtime.
    process::exit(code)
}

async fn attached(arguments: &ExecInContainerArguments) -> Result<i32, CommandError> {
    let engine = super::engine().await?;
    let failed = |error: &dyn std::fmt::Display| InsideError { reason: error.to_string() };
    let environment = environment(&engine, arguments).await?;
    let options = CreateExecOptions {
        attach_stdin: Some(true),
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        env: Some(environment),
        cmd: Some(arguments.command.clone()),
        ..CreateExecOptions::default()
    };
    let exec = engine.create_exec(&arguments.container, options).await.map_err(|error| failed(&error))?;
    let started = engine.start_exec(&exec.id, Some(StartExecOptions::default())).await;
    let StartExecResults::Attached { mut output, mut input } = started.map_err(|error| failed(&error))?
    else {
        return Err(failed(&"it runs detached").into());
    };
    tokio::spawn(async move {
        let (mut here, mut chunk) = (tokio::io::stdin(), vec![0; 16 * 1024]);
        while let Ok(count @ 1..) = here.read(&mut chunk).await {
            if input.write_all(&chunk[..count]).await.is_err() || input.flush().await.is_err() {
                return;
            }
        }
        let _ = input.shutdown().await;
    });
    let (mut out, mut errors) = (tokio::io::stdout(), tokio::io::stderr());
    while let Some(Ok(said)) = output.next().await {
        // The receiver may be gone.
        let _ = match said {
            LogOutput::StdErr { message } => errors.write_all(&message).await.and(errors.flush().await),
            other => out.write_all(&other.into_bytes()).await.and(out.flush().await),
        };
    }
    let ended = engine.inspect_exec(&exec.id).await.map_err(|error| failed(&error))?;
    Ok(ended.exit_code.and_then(|code| i32::try_from(code).ok()).unwrap_or(1))
}

/// The variables set here, with their values translated for the container.
async fn environment(
    engine: &Docker,
    arguments: &ExecInContainerArguments,
) -> Result<Vec<String>, CommandError> {
    let renamed: BTreeMap<String, String> =
        arguments.variables.iter().map(|pair| external::variable(pair)).collect::<Result<_, _>>()?;
    let theirs = |ours| renamed.get(ours).map_or(ours, String::as_str);
    let mut environment = Vec::new();
    for ours in TOOL_SERVER_VARIABLES.iter().copied() {
        let Ok(value) = std::env::var(theirs(ours)) else { continue };
        let inside = translated(engine, arguments, ours, value.clone())
            .await
            .map_err(|error| InsideError { reason: error.to_string() })?;
        if ours == BASE_URL && inside != value && std::env::var_os(theirs(PUBLIC_URL)).is_none() {
            // Links are opened on this machine.
            environment.push(format!("{}={value}", theirs(PUBLIC_URL)));
        }
        environment.push(format!("{}={inside}", theirs(ours)));
    }
    Ok(environment)
}

/// Translates a value for the container.
async fn translated(
    engine: &Docker,
    arguments: &ExecInContainerArguments,
    name: &str,
    value: String,
) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    if name == KEY_FILE {
        copy_in(engine, &arguments.container, Path::new(&value)).await?;
        return Ok(value);
    }
    if name == PUBLIC_URL {
        return Ok(value);
    }
    if name == NAME_SERVER {
        let port = value.strip_prefix("127.0.0.1:").and_then(|port| port.parse().ok());
        return match (port, &arguments.gateway) {
            (Some(port), Some(gateway)) => Ok(forward::udp(gateway, port).await?.to_string()),
            _ => Ok(value),
        };
    }
    let local =
        Url::parse(&value).ok().filter(|url| matches!(url.host_str(), Some("127.0.0.1" | "localhost")));
    let Some((url, port)) = local.and_then(|url| url.port().map(|port| (url, port))) else {
        return Ok(value);
    };
    let inside = arguments.mapped.iter().find(|(outside, _)| *outside == port).map(|(_, inside)| inside);
    let old = format!("{}:{port}", url.host_str().unwrap_or_default());
    let new = match (inside, &arguments.gateway) {
        (Some(inside), _) => format!("127.0.0.1:{inside}"),
        (None, Some(gateway)) => forward::tcp(gateway, port).await?.to_string(),
        (None, None) => return Ok(value),
    };
    Ok(value.replacen(&old, &new, 1))
}

/// Copies a file or a link, with its parent folders, to the same path in the container. Files of this user belong there to the user that
/// the container runs as; copies nothing if the path does not exist here.
async fn copy_in(
    engine: &Docker,
    container: &str,
    path: &Path,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let Ok(found) = std::fs::symlink_metadata(path) else { return Ok(()) };
    let user = user_of(engine, container).await;
    let us = rustix::process::geteuid().as_raw();
    let mut archive = Builder::new(Vec::new());
    let name = path.strip_prefix("/").unwrap_or(path);
    for folder in name.ancestors().skip(1).filter(|folder| folder.components().count() > 1) {
        let mut header = header(EntryType::Directory, 0o755, 0, user);
        archive.append_data(&mut header, folder, io::empty())?;
    }
    let owner = if found.uid() == us { user } else { u64::from(found.uid()) };
    let mode = found.permissions().mode() & 0o7777;
    if found.is_symlink() {
        let to = std::fs::read_link(path)?;
        let behind = path.parent().unwrap_or(Path::new("/")).join(&to);
        Box::pin(copy_in(engine, container, &behind)).await?;
        let mut header = header(EntryType::Symlink, 0o777, 0, owner);
        header.set_link_name(&to)?;
        archive.append_data(&mut header, name, io::empty())?;
    } else if found.is_dir() {
        archive.append_data(&mut header(EntryType::Directory, mode, 0, owner), name, io::empty())?;
    } else if found.is_file() {
        let content = std::fs::read(path)?;
        let size = u64::try_from(content.len())?;
        archive.append_data(&mut header(EntryType::Regular, mode, size, owner), name, content.as_slice())?;
    }
    let archive = archive.into_inner()?;
    let options = UploadToContainerOptionsBuilder::new().path("/").build();
    engine.upload_to_container(container, Some(options), body_full(archive.into())).await?;
    Ok(())
}

fn header(kind: EntryType, mode: u32, size: u64, owner: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size);
    header.set_uid(owner);
    header.set_gid(owner);
    header
}

/// Id of the user that the container runs as; 0 if the user is not given as a number.
async fn user_of(engine: &Docker, container: &str) -> u64 {
    let inspected = engine.inspect_container(container, None).await.ok();
    let user =
        inspected.and_then(|inspected| inspected.config).and_then(|config| config.user).unwrap_or_default();
    user.split(':').next().and_then(|user| user.parse().ok()).unwrap_or_default()
}
