//! A PostgreSQL server for one test, ended with its handle: a new cluster behind a socket in a separate folder, run by the machine's own
//! server program or by the pinned npm package; under root it runs as the user `nobody`.
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use slipway_contracts::toolchain::{TestTools, ToolchainOptions};
use tempfile::TempDir;
use tokio::sync::OnceCell;

use crate::up::bound;

/// The system's unprivileged user: a server refuses to run as root.
const NOBODY: u32 = 65_534;
const PATIENCE: Duration = Duration::from_secs(60);
/// The log line of a server that accepts connections.
const READY: &str = "database system is ready to accept connections";
/// A killed server's writes are still in the system's cache; only a failing machine would lose them, and no test simulates that.
const UNSYNCED: [&str; 2] = ["-c", "fsync=off"];
/// The programs that create and run a server.
const PROGRAMS: [&str; 2] = ["initdb", "postgres"];

/// A running server.
pub struct Server {
    programs: PathBuf,
    settings: &'static [&'static str],
    folder: TempDir,
    process: Child,
}

impl Server {
    /// Starts a server.
    pub async fn start() -> Self {
        Self::of(programs().await.to_owned(), &UNSYNCED).await
    }

    /// Starts a server that waits for the disk at every commit, as is the default of servers: for measurements.
    pub async fn synced() -> Self {
        Self::of(programs().await.to_owned(), &[]).await
    }

    /// Makes a cluster and starts its server.
    async fn of(programs: PathBuf, settings: &'static [&'static str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        if is_root() {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        make_cluster(&programs, &folder.path().join("data"));
        let process = serving(&programs, settings, folder.path());
        let mut server = Self { programs, settings, folder, process };
        server.answers(1).await;
        server
    }

    /// The id of its first process.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Kills it like a failure of the machine, and restarts it on the remaining files.
    pub async fn crash(&mut self) {
        self.kill();
        self.restart().await;
    }

    /// Kills it like a failure of the machine.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Restarts it on the remaining files.
    pub async fn restart(&mut self) {
        self.process = serving(&self.programs, self.settings, self.folder.path());
        self.answers(1).await;
    }

    /// Freezes it: it answers nothing and closes nothing.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// Resumes it.
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    /// Kills a process that serves a connection, like a system that runs out of memory, and waits until the others have recovered.
    pub async fn run_out_of_memory(&mut self) {
        let serves = |pid: &Pid| {
            let title = fs::read_to_string(format!("/proc/{pid}/cmdline"));
            title.is_ok_and(|title| title.starts_with("postgres: slipway "))
        };
        let killed = self.children().into_iter().find(serves).expect("a connection is served");
        kill_process(killed, Signal::KILL).unwrap();
        self.answers(2).await;
        assert!(self.log().contains("was terminated by signal 9"), "{}", self.log());
    }

    /// Signals the first process before the others, so that it cannot start more of them.
    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process), signal).unwrap();
        for child in self.children() {
            // It may have ended by itself.
            let _ = kill_process(child, signal);
        }
    }

    fn children(&self) -> Vec<Pid> {
        let pid = self.pid();
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
        children.split_whitespace().filter_map(|child| Pid::from_raw(child.parse().ok()?)).collect()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// The address of its database.
    pub fn url(&self) -> String {
        format!("postgres://slipway@localhost/postgres?host={}", self.folder.path().display())
    }

    /// Waits until the server has announced this many times since its start that it accepts connections.
    async fn answers(&mut self, times: usize) {
        let begun = Instant::now();
        let mut pace = tokio::time::interval(Duration::from_millis(20));
        loop {
            pace.tick().await;
            let log = self.log();
            if log.matches(READY).count() >= times {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{log}");
            if self.process.try_wait().unwrap().is_some() {
                // After a crash the processes of the old server may need a moment to end.
                assert!(log.contains("is still in use"), "{log}");
                self.process = serving(&self.programs, self.settings, self.folder.path());
            }
        }
    }
}

/// Makes an empty database in a folder, with one user that needs no password.
fn make_cluster(programs: &Path, data: &Path) {
    let made = program(&programs.join("initdb"))
        .args(["--auth=trust", "--username=slipway", "--no-sync", "--locale=C", "--encoding=UTF8", "-D"])
        .arg(data)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

/// Starts the server on the cluster in a folder.
fn serving(programs: &Path, settings: &[&str], folder: &Path) -> Child {
    let log = fs::File::create(folder.join("log")).unwrap();
    program(&programs.join("postgres"))
        .arg("-D")
        .arg(folder.join("data"))
        .arg("-k")
        .arg(folder)
        .args(["-c", "listen_addresses="])
        .args(settings)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap()
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; its log shows why.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A program of the server, run as a permitted user, and killed with this process if `setpriv` is available.
fn program(path: &Path) -> Command {
    let mut command = bound(path.as_os_str(), "INT");
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.current_dir("/");
    command
}

/// The folder of the server's programs, found once.
async fn programs() -> &'static Path {
    static FOUND: OnceCell<PathBuf> = OnceCell::const_new();
    FOUND
        .get_or_init(async || match installed() {
            Some(folder) => folder,
            None => packaged().await,
        })
        .await
}

/// The programs of this machine: Debian installs them outside the search path.
fn installed() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut debian: Vec<PathBuf> = versions.flatten().map(|version| version.path().join("bin")).collect();
    debian.sort();
    let mut folders = std::env::split_paths(&path).chain(debian.into_iter().rev());
    folders.find(|folder| PROGRAMS.iter().all(|name| folder.join(name).is_file()))
}

/// The programs of the npm package: copied to where the user `nobody` can read them, with the links that the package lists and that npm
/// leaves to a script.
async fn packaged() -> PathBuf {
    let tools =
        TestTools::locate(&ToolchainOptions::from_environment(), &|_| {}).await.expect("the test tools");
    let package = tools.database_server();
    let about: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(package.join("package.json")).unwrap()).unwrap();
    let version = about["version"].as_str().unwrap();
    let place = std::env::temp_dir().join(format!("slipway-postgres-{version}"));
    if !place.is_dir() {
        let made = tempfile::Builder::new().prefix("slipway-postgres-").tempdir().unwrap();
        let copied =
            Command::new("cp").arg("-r").arg(package.join("native")).arg(made.path()).status().unwrap();
        assert!(copied.success(), "{} cannot be copied", package.display());
        let links = fs::read_to_string(package.join("native/pg-symlinks.json")).unwrap();
        let links: Vec<serde_json::Value> = serde_json::from_str(&links).unwrap();
        for link in links {
            let [source, target] = ["source", "target"].map(|end| PathBuf::from(link[end].as_str().unwrap()));
            let name = source.file_name().expect("a link leads to a file beside it");
            assert_eq!(source.parent(), target.parent(), "{link}");
            std::os::unix::fs::symlink(name, made.path().join(target)).unwrap();
        }
        let readable = Command::new("chmod").args(["-R", "a+rX"]).arg(made.path()).status().unwrap();
        assert!(readable.success());
        // If another process was faster, this one's copy is removed.
        if fs::rename(made.path(), &place).is_ok() {
            drop(made.keep());
        }
    }
    place.join("native/bin")
}

#[cfg(test)]
mod tests {
    use super::{Server, UNSYNCED, packaged, program};

    #[tokio::test]
    async fn packaged_server_serves() {
        let mut server = Server::of(packaged().await, &UNSYNCED).await;
        server.crash().await;
        let version = program(&server.programs.join("postgres")).arg("--version").output().unwrap();
        assert!(String::from_utf8_lossy(&version.stdout).contains("17.10"), "{version:?}");
    }
}
