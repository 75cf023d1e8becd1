//! A platform started from a container image for one run: started, reached as the image's labels state, and removed afterwards.
mod description;
pub(crate) mod error;
pub(crate) mod exec;
mod forward;

use std::collections::HashMap;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::time::Duration;

use futures::StreamExt as _;
use slipway_scenarios::Target;
use slipway_scenarios::model::target::PrivateKey;
use testcontainers::bollard::Docker;
use testcontainers::bollard::errors::Error;
use testcontainers::bollard::models::{HostConfig, PortBinding};
use testcontainers::bollard::query_parameters::{
    ListContainersOptionsBuilder, LogsOptionsBuilder, RemoveContainerOptionsBuilder,
};
use testcontainers::core::IntoContainerPort as _;
use testcontainers::core::client::docker_client_instance;
use testcontainers::runners::AsyncRunner as _;
use testcontainers::{ContainerAsync, ContainerRequest, GenericImage, ImageExt as _};
use tokio::runtime::Handle;
use tokio::task::{JoinHandle, block_in_place};
use url::Url;

use self::description::{Description, Part};
use self::error::ContainerError;
use crate::arguments::TargetArguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::target::external;
use crate::target::tool_server::this_program;
use crate::target::wait;

/// How long the engine may take to respond.
const ENGINE_PATIENCE: Duration = Duration::from_millis(1_500);
/// How long the engine may take to start a container, and a platform to answer unless the caller sets another limit.
const START_PATIENCE: Duration = Duration::from_secs(120);
/// How many last lines of output the error of a failed start shows.
const LAST_LINES: &str = "20";
/// Label of every container of ours, with the process that started it.
const OWNER: &str = "io.slipway.owner";

/// Reported if a platform has ended.
const ITS_OWN_END: &str = "it ended by itself";

/// A platform in a container; dropping it removes the container.
pub(crate) struct ContainerPlatform {
    engine: Docker,
    container: ContainerAsync<GenericImage>,
    image: String,
}

/// Starts a platform from an image and waits until it answers; first removes leftovers of killed runs. Also returns the platform as a
/// target, and pairs of an address in use now and that of the same part in a container whose ports are published unchanged.
pub(crate) async fn start(
    image: &str,
    arguments: &TargetArguments,
) -> Result<(ContainerPlatform, Target, Vec<(String, String)>), CommandError> {
    let engine = engine().await?;
    remove_leftovers(&engine).await;
    let inspected = engine.inspect_image(image).await.map_err(|error| match error {
        Error::DockerResponseServerError { status_code: 404, .. } => {
            ContainerError::NoImage { image: image.to_owned() }
        }
        error => ContainerError::Engine { reason: one_line(&error.to_string()) },
    })?;
    let labels = inspected.config.and_then(|config| config.labels).unwrap_or_default();
    let description = Description::read(image, &labels, &arguments.container)?;
    let secrets = Secrets::of(&description, arguments);
    let host = engine_host(&engine).await;
    // By its id, so that nothing is pulled if the name is removed meanwhile.
    let request = request(&inspected.id.unwrap_or_default(), &description, &secrets, &host)?;
    let container = run(&engine, image, request).await?;
    let platform = ContainerPlatform { engine, container, image: image.to_owned() };
    let patience = arguments.wait.map_or(START_PATIENCE, Duration::from_secs);
    let ready = async {
        let (target, lasting) = platform.reached(&host, description, secrets, arguments).await?;
        tokio::select! {
            ready = wait::until_ready(&target, patience) => ready?,
            () = platform.ended() => {
                return Err(CommandError::from(ContainerError::Engine { reason: ITS_OWN_END.to_owned() }));
            }
        }
        Ok((target, lasting))
    };
    match ready.await {
        Ok((target, lasting)) => Ok((platform, target, lasting)),
        Err(error) if error.exit() == Exit::Usage => Err(error),
        Err(error) => {
            // A container that has ended has no ports; its end is the better error.
            let is_running = platform.container.is_running().await.unwrap_or_default();
            let reason = if is_running { error.to_string() } else { ITS_OWN_END.to_owned() };
            let log = platform.last_lines().await;
            Err(ContainerError::NotReady { image: image.to_owned(), reason, log }.into())
        }
    }
}

/// A start, which runs to completion even if nobody waits for it any more: its container is then removed.
struct Start(JoinHandle<Result<ContainerAsync<GenericImage>, String>>);

impl Drop for Start {
    fn drop(&mut self) {
        if !self.0.is_finished() {
            drop(block_in_place(|| Handle::current().block_on(&mut self.0)));
        }
    }
}

async fn run(
    engine: &Docker,
    image: &str,
    request: ContainerRequest<GenericImage>,
) -> Result<ContainerAsync<GenericImage>, ContainerError> {
    let engine = engine.clone();
    let mut start = Start(tokio::spawn(async move {
        let started = match tokio::time::timeout(START_PATIENCE, request.start()).await {
            Ok(started) => started.map_err(|error| one_line(&error.to_string())),
            Err(_) => Err("the container engine has not started it in time".to_owned()),
        };
        if started.is_err() {
            remove(&engine, |owner| *owner == self::owner(std::process::id())).await;
        }
        started
    }));
    let started =
        (&mut start.0).await.map_err(|error| ContainerError::Engine { reason: error.to_string() })?;
    started.map_err(|reason| ContainerError::Start { image: image.to_owned(), reason })
}

impl ContainerPlatform {
    /// Address of this machine as the container sees it.
    async fn gateway(&self) -> Option<String> {
        let inspected = self.engine.inspect_container(self.container.id(), None).await.ok()?;
        let networks = inspected.network_settings?.networks?.into_values();
        networks.filter_map(|network| network.gateway).find(|gateway| !gateway.is_empty())
    }

    async fn ended(&self) {
        let mut pace = tokio::time::interval(Duration::from_millis(250));
        loop {
            pace.tick().await;
            if matches!(self.container.is_running().await, Ok(false)) {
                return;
            }
        }
    }

    async fn last_lines(&self) -> String {
        let options = LogsOptionsBuilder::new().stdout(true).stderr(true).tail(LAST_LINES).build();
        let lines = self.engine.logs(self.container.id(), Some(options)).filter_map(async |line| line.ok());
        lines.map(|line| line.to_string()).collect::<String>().await.trim_end().to_owned()
    }

    /// Resolves when the container has ended by itself.
    pub(crate) async fn died(&self) -> CommandError {
        self.ended().await;
        let log = self.last_lines().await;
        ContainerError::Ended { image: self.image.clone(), log }.into()
    }

    /// The addresses of the container's parts from here, the command of its tool server, and pairs of an address here and the one with the
    /// port inside the container.
    async fn reached(
        &self,
        host: &str,
        description: Description,
        secrets: Secrets,
        arguments: &TargetArguments,
    ) -> Result<(Target, Vec<(String, String)>), CommandError> {
        let failed = |reason: String| ContainerError::Start { image: self.image.clone(), reason };
        let ports = self.container.ports().await.map_err(|error| failed(one_line(&error.to_string())))?;
        let own_keys = || external::private_keys(description.private_keys.iter().map(String::as_str));
        let mut target = Target {
            operator_key: secrets.operator_key,
            control_token: secrets.control_token.map(PrivateKey::new),
            private_keys: external::given_keys(arguments)?.map_or_else(own_keys, Ok)?,
            tool_server: external::given_tool_server(arguments)?,
            rate_policy: arguments.rate.policy(),
            conventions: arguments.conventions.clone(),
            ..Target::default()
        };
        let (mut mapped, mut lasting) = (Vec::new(), Vec::new());
        for (part, inside) in &description.ports {
            let published = ports.map_to_host_port_ipv4(inside.tcp());
            let outside =
                published.ok_or_else(|| failed(format!("the engine does not publish port {inside}")))?;
            mapped.push((outside, *inside));
            let origin = format!("http://{host}:{outside}");
            let url: Url = origin.parse().expect("a host and a port make an address");
            lasting.push((origin, format!("http://127.0.0.1:{inside}")));
            match part {
                Part::Rest => target.base_url = Some(url),
                Part::Swap => target.swap_url = Some(url),
                Part::Control => target.control_url = Some(url),
                Part::Rpc(chain) => _ = target.rpc_urls.insert(*chain, url),
            }
        }
        if let (None, Some(command)) = (&target.tool_server, &description.tool_server) {
            let mut variables = description.tool_server_variables;
            variables.extend(external::variables(arguments)?);
            let inner = external::tool_server(command, variables)?;
            let container = self.container.id().to_owned();
            let inside = exec::Inside { container, gateway: self.gateway().await, mapped };
            target.tool_server = Some(inside.command(this_program()?, inner));
        }
        Ok((target, lasting))
    }
}

/// The engine, if it answers at once.
pub(crate) async fn engine() -> Result<Docker, ContainerError> {
    let refused = |reason: String| ContainerError::NoEngine { reason };
    let engine = docker_client_instance().await.map_err(|error| refused(one_line(&error.to_string())))?;
    match tokio::time::timeout(ENGINE_PATIENCE, engine.ping()).await {
        Ok(Ok(_)) => Ok(engine),
        Ok(Err(error)) => Err(refused(one_line(&error.to_string()))),
        Err(_) => Err(refused("no answer in time".to_owned())),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Secrets that are set in the container and given to the target.
struct Secrets {
    operator_key: Option<String>,
    control_token: Option<String>,
}

impl Secrets {
    /// The caller's secrets, or a random one where the container takes one and none is given.
    fn of(description: &Description, arguments: &TargetArguments) -> Self {
        let drawn =
            |variable: &Option<String>| variable.is_some().then(|| PrivateKey::random().expose().to_owned());
        Self {
            operator_key: arguments
                .operator_key
                .clone()
                .or_else(|| drawn(&description.operator_key_variable)),
            control_token: arguments
                .control_token
                .clone()
                .or_else(|| drawn(&description.control_token_variable)),
        }
    }
}

/// The container to start: the image by its id, with its ports published on the loopback address if the engine is on this machine.
fn request(
    id: &str,
    description: &Description,
    secrets: &Secrets,
    host: &str,
) -> Result<ContainerRequest<GenericImage>, ContainerError> {
    let (algorithm, digest) = id.split_once(':').unwrap_or((id, ""));
    let ports: Vec<u16> = description.ports.values().copied().collect();
    let image = ports
        .iter()
        .fold(GenericImage::new(algorithm, digest), |image, port| image.with_exposed_port(port.tcp()));
    let mut request = image.with_label(OWNER, owner(std::process::id())).with_startup_timeout(START_PATIENCE);
    let mut fixed = None;
    if let (Some(name), Some(&rest)) = (&description.public_url_variable, description.ports.get(&Part::Rest))
    {
        // The container needs the address before the engine chooses a port; the description overrides it.
        let outside = free_port()?;
        request = request.with_env_var(name, format!("http://{host}:{outside}"));
        fixed = Some((rest, outside));
    }
    for (name, value) in &description.environment {
        request = request.with_env_var(name, value);
    }
    let given = [
        (&description.operator_key_variable, &secrets.operator_key),
        (&description.control_token_variable, &secrets.control_token),
    ];
    for (name, value) in given {
        if let (Some(name), Some(value)) = (name, value) {
            request = request.with_env_var(name, value);
        }
    }
    // The loopback address of the engine's machine cannot be reached from other machines.
    let here = (host == "127.0.0.1").then(|| Ipv4Addr::LOCALHOST.to_string());
    Ok(request.with_host_config_modifier(move |config: &mut HostConfig| {
        let binding = |port: &u16| PortBinding {
            host_ip: here.clone(),
            host_port: fixed.filter(|(inside, _)| inside == port).map(|(_, outside)| outside.to_string()),
        };
        config.publish_all_ports = None;
        config.port_bindings =
            Some(ports.iter().map(|port| (format!("{port}/tcp"), Some(vec![binding(port)]))).collect());
    }))
}

fn free_port() -> Result<u16, ContainerError> {
    let bound = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|listener| listener.local_addr());
    let failed =
        |error: std::io::Error| ContainerError::Engine { reason: format!("no port is free: {error}") };
    Ok(bound.map_err(failed)?.port())
}

/// Host on which the engine publishes ports: a remote engine's host; inside a container, the gateway of its network; otherwise this
/// machine.
async fn engine_host(engine: &Docker) -> String {
    let named = std::env::var("DOCKER_HOST").ok().and_then(|named| Url::parse(&named).ok());
    let remote = named.filter(|url| matches!(url.scheme(), "tcp" | "http" | "https"));
    if let Some(host) = remote.as_ref().and_then(Url::host_str) {
        return host.to_owned();
    }
    let network = if Path::new("/.dockerenv").exists() {
        engine.inspect_network("bridge", None).await.ok()
    } else {
        None
    };
    let configured = network.and_then(|network| network.ipam?.config).into_iter().flatten();
    configured.filter_map(|part| part.gateway).next().unwrap_or_else(|| "127.0.0.1".to_owned())
}

/// The process that started a container: boot id, pid namespace, process id, and start time, because process ids are reused. They are read
/// on Linux; elsewhere every owner counts as alive, and leftovers of a killed run stay until they are removed by hand.
fn owner(process: u32) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name of the program, in parentheses, may contain anything.
    let began =
        stat.rsplit_once(") ").and_then(|(_, rest)| rest.split_whitespace().nth(19)).unwrap_or_default();
    format!("{}/{process}/{began}", place())
}

/// The scope of a process id: other machines, and other containers of this machine, may use this engine too.
fn place() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{}/{}", boot.trim(), namespace.display())
}

/// Removes containers whose owner was killed before it could remove them. Containers with owners elsewhere are left alone.
async fn remove_leftovers(engine: &Docker) {
    let here = format!("{}/", place());
    remove(engine, |left_by| {
        let process = left_by.strip_prefix(&here).and_then(|rest| rest.split('/').next()?.parse().ok());
        process.is_some_and(|process| owner(process) != *left_by)
    })
    .await;
}

/// Removes our containers with these owners.
async fn remove(engine: &Docker, is_owner: impl Fn(&String) -> bool) {
    let filters = HashMap::from([("label", vec![OWNER])]);
    let options = ListContainersOptionsBuilder::new().all(true).filters(&filters).build();
    for container in engine.list_containers(Some(options)).await.unwrap_or_default() {
        let (Some(id), Some(labels)) = (container.id, container.labels) else { continue };
        if labels.get(OWNER).is_some_and(&is_owner) {
            let options = RemoveContainerOptionsBuilder::new().force(true).v(true).build();
            if let Err(error) = engine.remove_container(&id, Some(options)).await {
                tracing::warn!(container = id, %error, "a container was not removed; the next run tries again");
            }
        }
    }
}
