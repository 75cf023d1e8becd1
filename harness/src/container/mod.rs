//! A platform started from a container image for one run: started, reached as the image's labels state, and removed afterwards.
mod description;
pub(crate) mod error;
pub(crate) mod exec;
mod forward;

use std::collections::HashMap;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use bollard::Docker;
use bollard::errors::Error;
use bollard::models::{ContainerCreateBody, ContainerInspectResponse, HostConfig, PortBinding, PortMap};
use bollard::query_parameters::{
    CreateContainerOptions, ListContainersOptionsBuilder, LogsOptionsBuilder, RemoveContainerOptionsBuilder,
};
use futures::StreamExt as _;
use slipway_scenarios::Target;
use slipway_scenarios::target::PrivateKey;
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use url::Url;

use self::description::{Description, Part};
use self::error::ContainerError;
use crate::arguments::TargetArguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::tool_server::this_program;
use crate::{external, wait};

/// How long the engine may take to respond.
const ENGINE_PATIENCE: Duration = Duration::from_millis(1_500);
/// How long a platform may take to start unless the caller says otherwise.
const START_PATIENCE: Duration = Duration::from_secs(120);
/// How long the engine may take to remove a container, and the pause before the next look.
const REMOVAL_PATIENCE: Duration = Duration::from_secs(20);
const REMOVAL_PAUSE: Duration = Duration::from_millis(50);
/// How many of its last lines of output the error of a failed start repeats.
const LAST_LINES: &str = "20";
/// Label of every container of ours: the process that started it.
const OWNER: &str = "io.slipway.owner";

/// Reported if a platform has ended.
const ITS_OWN_END: &str = "it ended by itself";

/// The engine, once this process has started a container.
static ENGINE: OnceLock<Docker> = OnceLock::new();
/// Held while the engine makes and starts a container.
static STARTING: LazyLock<Arc<Mutex<()>>> = LazyLock::new(Arc::default);

pub(crate) struct ContainerPlatform {
    container: Container,
    image: String,
}

/// Starts a platform from an image and waits until it answers. First removes what killed runs left behind. Returns also the platform as
/// a target like any other, and pairs of an address in use now and that of the same part in a container whose ports are published
/// unchanged.
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
    let container = run(&engine, image, request(image, &description, &secrets, &host)?).await?;
    let patience = arguments.wait.map_or(START_PATIENCE, Duration::from_secs);
    let ready = async {
        let (target, lasting) = reached(&container, image, &host, description, secrets, arguments).await?;
        tokio::select! {
            ready = wait::until_ready(&target, patience) => ready?,
            () = container.ended() => return Err(CommandError::from(ContainerError::Engine { reason: ITS_OWN_END.to_owned() })),
        }
        Ok((target, lasting))
    };
    match ready.await {
        Ok((target, lasting)) => {
            Ok((ContainerPlatform { container, image: image.to_owned() }, target, lasting))
        }
        Err(error) if error.exit() == Exit::Usage => Err(error),
        Err(error) => {
            // A container that has ended has no ports any more; its end is the better error.
            let is_running = container.is_running().await.unwrap_or_default();
            let reason = if is_running { error.to_string() } else { ITS_OWN_END.to_owned() };
            let log = container.last_lines().await;
            Err(ContainerError::NotReady { image: image.to_owned(), reason, log }.into())
        }
    }
}

/// Starts a container to the end even when the caller no longer waits, so that there is one state to clean up.
async fn run(
    engine: &Docker,
    image: &str,
    request: ContainerCreateBody,
) -> Result<Container, ContainerError> {
    let _ = ENGINE.set(engine.clone());
    let turn = Arc::clone(&STARTING).lock_owned().await;
    let engine = engine.clone();
    let started = tokio::spawn(async move {
        let _turn = turn;
        let made = engine.create_container(None::<CreateContainerOptions>, request).await?;
        let container = Container { engine, id: made.id };
        container.engine.start_container(&container.id, None).await?;
        Ok(container)
    });
    let refused =
        |reason: String| ContainerError::Start { image: image.to_owned(), reason: one_line(&reason) };
    match tokio::time::timeout(START_PATIENCE, started).await {
        Ok(Ok(container)) => container.map_err(|error: Error| refused(error.to_string())),
        Ok(Err(error)) => Err(ContainerError::Engine { reason: error.to_string() }),
        Err(_) => Err(refused("the container engine has not started it in time".to_owned())),
    }
}

/// A container, removed when its last handle is dropped.
struct Container {
    engine: Docker,
    id: String,
}

impl Container {
    async fn inspected(&self) -> Result<ContainerInspectResponse, Error> {
        self.engine.inspect_container(&self.id, None).await
    }

    async fn is_running(&self) -> Result<bool, Error> {
        Ok(self.inspected().await?.state.and_then(|state| state.running).unwrap_or_default())
    }

    /// The ports of the engine's host, by the ports inside to which they lead.
    async fn ports(&self) -> Result<HashMap<u16, u16>, Error> {
        let published = self.inspected().await?.network_settings.and_then(|settings| settings.ports);
        let pair = |(inside, outside): (String, Option<Vec<PortBinding>>)| {
            let inside = inside.strip_suffix("/tcp")?.parse().ok()?;
            Some((inside, outside?.first()?.host_port.as_ref()?.parse().ok()?))
        };
        Ok(published.into_iter().flatten().filter_map(pair).collect())
    }

    /// Address of this machine as the container sees it.
    async fn gateway(&self) -> Option<String> {
        let networks = self.inspected().await.ok()?.network_settings?.networks?.into_values();
        networks.filter_map(|network| network.gateway).find(|gateway| !gateway.is_empty())
    }

    async fn ended(&self) {
        let mut pace = tokio::time::interval(Duration::from_millis(250));
        loop {
            pace.tick().await;
            if matches!(self.is_running().await, Ok(false)) {
                return;
            }
        }
    }

    async fn last_lines(&self) -> String {
        let options = LogsOptionsBuilder::new().stdout(true).stderr(true).tail(LAST_LINES).build();
        let lines = self.engine.logs(&self.id, Some(options)).filter_map(async |line| line.ok());
        lines.map(|line| line.to_string()).collect::<String>().await.trim_end().to_owned()
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        // Without a runtime the process is about to end, and `clean_up` has removed the container.
        let Ok(runtime) = Handle::try_current() else { return };
        let (engine, id) = (self.engine.clone(), std::mem::take(&mut self.id));
        runtime.spawn(async move { remove(&engine, &id).await });
    }
}

impl ContainerPlatform {
    /// Resolves when the container has ended by itself.
    pub(crate) async fn died(&self) -> CommandError {
        self.container.ended().await;
        let log = self.container.last_lines().await;
        ContainerError::Ended { image: self.image.clone(), log }.into()
    }
}

/// Removes every container that this process started, however the process ends.
pub(crate) async fn clean_up() {
    let Some(engine) = ENGINE.get() else { return };
    // A start in progress may still create a container.
    let _turn = tokio::time::timeout(START_PATIENCE, STARTING.lock()).await;
    let own = owner(std::process::id());
    let gone = async {
        loop {
            let mut left = ours(engine).await;
            left.retain(|(_, owner)| *owner == own);
            if left.is_empty() {
                return;
            }
            // A container that is already being removed is listed until it is gone.
            for (id, _) in left {
                remove(engine, &id).await;
            }
            tokio::time::sleep(REMOVAL_PAUSE).await;
        }
    };
    if tokio::time::timeout(REMOVAL_PATIENCE, gone).await.is_err() {
        tracing::warn!(
            "the container engine has not removed the container of this run; the next run tries again"
        );
    }
}

/// The engine, if it answers at once.
pub(crate) async fn engine() -> Result<Docker, ContainerError> {
    let refused = |reason: String| ContainerError::NoEngine { reason };
    let engine = Docker::connect_with_defaults().map_err(|error| refused(one_line(&error.to_string())))?;
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
    /// Those of the caller; if the container takes one and none is given, a random one.
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

fn request(
    image: &str,
    description: &Description,
    secrets: &Secrets,
    host: &str,
) -> Result<ContainerCreateBody, ContainerError> {
    let given = [
        (&description.operator_key_variable, &secrets.operator_key),
        (&description.control_token_variable, &secrets.control_token),
    ];
    let given = given.into_iter().filter_map(|(name, value)| Some((name.clone()?, value.clone()?)));
    let mut variables: Vec<(String, String)> =
        description.environment.clone().into_iter().chain(given).collect();
    let mut published: HashMap<u16, Option<u16>> =
        description.ports.values().map(|&port| (port, None)).collect();
    if let (Some(name), Some(&rest)) = (&description.public_url_variable, description.ports.get(&Part::Rest))
    {
        // The container needs the address before the engine chooses a port; what the description sets overrides it.
        let outside = free_port()?;
        variables.insert(0, (name.clone(), format!("http://{host}:{outside}")));
        published.insert(rest, Some(outside));
    }
    // The loopback address of the engine's machine cannot be reached from other machines.
    let here = (host == "127.0.0.1").then_some(Ipv4Addr::LOCALHOST);
    Ok(ContainerCreateBody {
        image: Some(image.to_owned()),
        env: Some(variables.into_iter().map(|(name, value)| format!("{name}={value}")).collect()),
        labels: Some(HashMap::from([(OWNER.to_owned(), owner(std::process::id()))])),
        exposed_ports: Some(published.keys().map(|port| format!("{port}/tcp")).collect()),
        host_config: Some(HostConfig {
            port_bindings: Some(bindings(&published, here)),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    })
}

/// Where the engine publishes the ports of a container: at one address of its machine, or at all; each at a given port or a free
/// one.
fn bindings(ports: &HashMap<u16, Option<u16>>, host: Option<Ipv4Addr>) -> PortMap {
    let binding = |port: Option<u16>| PortBinding {
        host_ip: host.map(|address| address.to_string()),
        host_port: port.map(|port| port.to_string()),
    };
    ports.iter().map(|(inside, &outside)| (format!("{inside}/tcp"), Some(vec![binding(outside)]))).collect()
}

fn free_port() -> Result<u16, ContainerError> {
    let bound = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|listener| listener.local_addr());
    let failed =
        |error: std::io::Error| ContainerError::Engine { reason: format!("no port is free: {error}") };
    Ok(bound.map_err(failed)?.port())
}

/// Host on which the engine publishes ports: a remote engine's; from inside a container, the gateway of its network; else this machine.
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

/// The addresses of the container's parts from here, the command of its tool server, and pairs of an address here
/// and the one with the port inside.
async fn reached(
    container: &Container,
    image: &str,
    host: &str,
    description: Description,
    secrets: Secrets,
    arguments: &TargetArguments,
) -> Result<(Target, Vec<(String, String)>), CommandError> {
    let ports = container.ports().await.map_err(|error| ContainerError::Start {
        image: image.to_owned(),
        reason: one_line(&error.to_string()),
    })?;
    let own_keys = || description.private_keys.iter().map(PrivateKey::new).collect();
    let mut target = Target {
        operator_key: secrets.operator_key,
        control_token: secrets.control_token.map(PrivateKey::new),
        private_keys: external::given_keys(arguments)?.unwrap_or_else(own_keys),
        tool_server: external::given_tool_server(arguments)?,
        rate_policy: arguments.rate.policy(),
        ..Target::default()
    };
    let (mut mapped, mut lasting) = (Vec::new(), Vec::new());
    for (part, inside) in &description.ports {
        let outside = *ports.get(inside).ok_or_else(|| ContainerError::Start {
            image: image.to_owned(),
            reason: format!("the engine does not publish port {inside}"),
        })?;
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
        let inside =
            exec::Inside { container: container.id.clone(), gateway: container.gateway().await, mapped };
        target.tool_server = Some(inside.command(this_program()?, inner));
    }
    Ok((target, lasting))
}

/// The process that started a container: boot and namespace of its id, the id, and its start time, because ids are reused. They are read
/// from Linux; elsewhere every owner counts as alive, and what a killed run left stays until it is removed by hand.
fn owner(process: u32) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name of the program, in parentheses, may contain anything.
    let began =
        stat.rsplit_once(") ").and_then(|(_, rest)| rest.split_whitespace().nth(19)).unwrap_or_default();
    format!("{}/{process}/{began}", place())
}

/// Where a process id is valid: other machines may use this engine too, and so may other containers of this machine.
fn place() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{}/{}", boot.trim(), namespace.display())
}

/// The containers that processes of this machine have started, each with its owner.
async fn ours(engine: &Docker) -> Vec<(String, String)> {
    let filters = HashMap::from([("label", vec![OWNER])]);
    let options = ListContainersOptionsBuilder::new().all(true).filters(&filters).build();
    let listed = engine.list_containers(Some(options)).await.unwrap_or_default();
    let owned =
        listed.into_iter().filter_map(|container| Some((container.id?, container.labels?.remove(OWNER)?)));
    owned.collect()
}

/// Removes containers whose owner was killed before it could remove them. Those of owners elsewhere are left alone.
async fn remove_leftovers(engine: &Docker) {
    let here = format!("{}/", place());
    for (id, left_by) in ours(engine).await {
        let process = left_by.strip_prefix(&here).and_then(|rest| rest.split('/').next()?.parse().ok());
        if process.is_some_and(|process| owner(process) != left_by) {
            tracing::info!(container = id, "removing a container that a killed run left");
            remove(engine, &id).await;
        }
    }
}

async fn remove(engine: &Docker, id: &str) {
    let options = RemoveContainerOptionsBuilder::new().force(true).v(true).build();
    if let Err(error) = engine.remove_container(id, Some(options)).await {
        tracing::debug!(container = id, %error, "a container was not removed");
    }
}
