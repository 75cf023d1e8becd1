//! A PostgreSQL server in a separate container, if a container engine answers: only there can it be paused, killed and kept short
//! of memory. Its image is imported from the pinned npm package, without a registry.
use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use bollard::models::{ContainerCreateBody, HostConfig, PortBinding};
use bollard::query_parameters::{
    CreateContainerOptions, CreateImageOptionsBuilder, LogsOptionsBuilder, RemoveContainerOptionsBuilder,
};
use bollard::{Docker, body_full};
use futures::StreamExt as _;
use sqlx::{Connection as _, PgConnection};
use tokio::runtime;
use tokio::sync::OnceCell;
use tokio::time::interval;

use super::{NOBODY, PATIENCE, READY, UNSYNCED, is_root, make_cluster, packaged};

/// Name and tag of the image; the tag is raised when its content changes.
const IMAGE: (&str, &str) = ("slipway-postgres", "17.10-1");
/// Port of the server inside.
const PORT: &str = "5432/tcp";
/// Interval at which a container is polled: the engine sends no event for this.
const PACE: Duration = Duration::from_millis(20);
/// How long the engine may take to respond.
const ENGINE_PATIENCE: Duration = Duration::from_secs(2);

/// A running server.
pub struct Contained {
    engine: Docker,
    /// Id of the container.
    id: String,
    port: u16,
    /// How often it has been started.
    starts: usize,
}

impl Contained {
    /// Starts a server with at most this many bytes of memory; none if no engine answers.
    pub async fn start(memory: Option<i64>) -> Option<Self> {
        let engine = engine().await?;
        static MADE: OnceCell<()> = OnceCell::const_new();
        MADE.get_or_init(|| make_image(&engine)).await;
        // A port that the engine chooses would change with each start.
        let port = TcpListener::bind("0.0.0.0:0").unwrap().local_addr().unwrap().port();
        let request = request(port, memory);
        let id = engine.create_container(None::<CreateContainerOptions>, request).await.unwrap().id;
        let mut server = Self { engine, id, port, starts: 0 };
        server.restart().await;
        Some(server)
    }

    /// The address of its database.
    pub fn url(&self) -> String {
        format!("postgres://slipway@127.0.0.1:{}/postgres", self.port)
    }

    /// Freezes it whatever it does: it answers nothing and closes nothing.
    pub async fn pause(&self) {
        self.engine.pause_container(&self.id).await.unwrap();
    }

    /// Resumes it.
    pub async fn resume(&self) {
        self.engine.unpause_container(&self.id).await.unwrap();
    }

    /// Kills it as a failure of the machine would.
    pub async fn kill(&self) {
        self.engine.kill_container(&self.id, None).await.unwrap();
        let mut pace = interval(PACE);
        while self.is_running().await {
            pace.tick().await;
        }
    }

    /// Starts it again on what is left.
    pub async fn restart(&mut self) {
        self.engine.start_container(&self.id, None).await.unwrap();
        self.answers().await;
    }

    async fn is_running(&self) -> bool {
        let state = self.engine.inspect_container(&self.id, None).await.unwrap().state;
        state.and_then(|state| state.running).unwrap_or_default()
    }

    /// Requests more memory than there is, so that the system kills one of its processes, and waits until it has recovered.
    pub async fn run_out_of_memory(&mut self) {
        let mut connection = PgConnection::connect(&self.url()).await.unwrap();
        let greedy =
            "SELECT array_agg(repeat('x', 1000) || number) FROM generate_series(1, 10000000) AS number";
        let refused = sqlx::query(greedy).execute(&mut connection).await;
        assert!(refused.is_err(), "there is memory for everything");
        self.answers().await;
        assert!(self.log().await.contains("was terminated by signal 9"), "{}", self.log().await);
    }

    /// Waits until it has accepted connections once more than before.
    async fn answers(&mut self) {
        self.starts += 1;
        let (begun, mut pace) = (Instant::now(), interval(PACE));
        loop {
            pace.tick().await;
            let log = self.log().await;
            if log.matches(READY).count() >= self.starts {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{log}");
        }
    }

    async fn log(&self) -> String {
        let options = LogsOptionsBuilder::new().stdout(true).stderr(true).build();
        let lines = self.engine.logs(&self.id, Some(options));
        lines.map(|line| line.unwrap().to_string()).collect().await
    }
}

impl Drop for Contained {
    fn drop(&mut self) {
        let id = std::mem::take(&mut self.id);
        // A separate thread, because the caller may be in a runtime.
        let removed = thread::spawn(move || {
            let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let options = RemoveContainerOptionsBuilder::new().force(true).v(true).build();
            runtime.block_on(async {
                engine().await.unwrap().remove_container(&id, Some(options)).await.unwrap();
            });
        });
        removed.join().unwrap();
    }
}

/// A container of the server, published at a port of this machine.
fn request(port: u16, memory: Option<i64>) -> ContainerCreateBody {
    let fixed = "-D /data -k /tmp -c listen_addresses=* -c shared_buffers=16MB".split(' ').chain(UNSYNCED);
    let outside = PortBinding { host_ip: Some("127.0.0.1".to_owned()), host_port: Some(port.to_string()) };
    ContainerCreateBody {
        image: Some(format!("{}:{}", IMAGE.0, IMAGE.1)),
        entrypoint: Some(vec!["/native/bin/postgres".to_owned()]),
        user: Some(format!("{NOBODY}:{NOBODY}")),
        cmd: Some(fixed.map(str::to_owned).collect()),
        exposed_ports: Some(vec![PORT.to_owned()]),
        host_config: Some(HostConfig {
            memory,
            memory_swap: memory,
            port_bindings: Some(HashMap::from([(PORT.to_owned(), Some(vec![outside]))])),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    }
}

/// The engine, if one answers.
async fn engine() -> Option<Docker> {
    let engine = Docker::connect_with_defaults().ok()?;
    let answers = tokio::time::timeout(ENGINE_PATIENCE, engine.ping()).await.is_ok_and(|pong| pong.is_ok());
    answers.then_some(engine)
}

/// Makes the image unless it exists.
async fn make_image(engine: &Docker) {
    let (name, tag) = IMAGE;
    if engine.inspect_image(&format!("{name}:{tag}")).await.is_ok() {
        return;
    }
    let programs = packaged().await;
    let folder = tempfile::tempdir().unwrap();
    let archive = tree(&programs, folder.path());
    let options = CreateImageOptionsBuilder::new().from_src("-").repo(name).tag(tag).build();
    let mut progress =
        std::pin::pin!(engine.create_image(Some(options), Some(body_full(archive.into())), None));
    while let Some(line) = progress.next().await {
        line.unwrap();
    }
}

/// An archive of the server's programs, the libraries to which they link, and an empty database that trusts every user.
fn tree(programs: &Path, folder: &Path) -> Vec<u8> {
    let native = programs.parent().unwrap();
    let tree = folder.join("tree");
    for name in ["etc", "tmp", "data"] {
        fs::create_dir_all(tree.join(name)).unwrap();
    }
    fs::set_permissions(tree.join("tmp"), fs::Permissions::from_mode(0o1777)).unwrap();
    fs::write(tree.join("etc/passwd"), format!("nobody:x:{NOBODY}:{NOBODY}::/:\n")).unwrap();
    let listed = Command::new("ldd").arg(programs.join("postgres")).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let libraries = listed.split_whitespace().map(Path::new).filter(|path| path.is_absolute());
    for library in libraries.filter(|path| !path.starts_with(native)) {
        let place = tree.join(library.strip_prefix("/").unwrap());
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::copy(library, place).unwrap();
    }
    // The user who creates the database has to reach it.
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    let data = tree.join("data");
    if is_root() {
        chown(&data, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    make_cluster(programs, &data);
    let mut access = fs::OpenOptions::new().append(true).open(data.join("pg_hba.conf")).unwrap();
    writeln!(access, "host all all all trust").unwrap();
    let owner = [format!("--owner={NOBODY}"), format!("--group={NOBODY}"), "--numeric-owner".to_owned()];
    let mut pack = Command::new("tar");
    pack.args(owner).arg("-cf").arg("-").arg("-C").arg(&tree).arg(".");
    let packed = pack.arg("-C").arg(native.parent().unwrap()).arg("native").output().unwrap();
    assert!(packed.status.success(), "{}", String::from_utf8_lossy(&packed.stderr));
    packed.stdout
}
