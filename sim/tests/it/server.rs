//! A PostgreSQL server of a test's own: a new cluster behind a socket in a folder of its own, ended with its handle. It is
//! the machine's own server program, for root run as nobody; without one the test fails and says what to install.
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The system's user without rights: a server refuses to run as root.
const NOBODY: u32 = 65_534;
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server.
pub(crate) struct Server {
    folder: TempDir,
    process: Child,
}

impl Server {
    /// Makes a cluster and starts its server; what is missing on this machine fails the test.
    pub(crate) async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        if is_root() {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let data = folder.path().join("data");
        let made = program("initdb")
            .args(["--auth=trust", "--username=slipway", "--no-sync", "--locale=C", "--encoding=UTF8", "-D"])
            .arg(&data)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let process = serving(folder.path());
        let mut server = Self { folder, process };
        server.answers().await;
        server
    }

    /// Kills it as if the machine had failed, and starts it again on what is left.
    pub(crate) async fn crash(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        self.process = serving(self.folder.path());
        self.answers().await;
    }

    /// The address of its database.
    pub(crate) fn url(&self) -> String {
        format!("postgres://slipway@localhost/postgres?host={}", self.folder.path().display())
    }

    async fn answers(&mut self) {
        let begun = Instant::now();
        let mut pace = tokio::time::interval(Duration::from_millis(20));
        loop {
            pace.tick().await;
            let asked = program("pg_isready")
                .arg("-h")
                .arg(self.folder.path())
                .args(["-U", "slipway", "-d", "postgres", "-q"])
                .status()
                .unwrap();
            if asked.success() {
                return;
            }
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(begun.elapsed() < PATIENCE, "{log}");
            if self.process.try_wait().unwrap().is_some() {
                // After a crash the processes of the old server may need a moment to end.
                assert!(log.contains("is still in use"), "{log}");
                self.process = serving(self.folder.path());
            }
        }
    }
}

/// Starts the server on the cluster in a folder.
fn serving(folder: &Path) -> Child {
    let log = fs::File::create(folder.join("log")).unwrap();
    program("postgres")
        .arg("-D")
        .arg(folder.join("data"))
        .arg("-k")
        .arg(folder)
        .args(["-c", "listen_addresses="])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap()
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, which its log tells of.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A program of the server, as a user that may run it, and ended with this process.
fn program(name: &str) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "INT"]).arg(found(name));
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.current_dir("/");
    command
}

/// Where the program is: Debian keeps those of the server outside the search path.
fn found(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut packaged: Vec<PathBuf> = versions.flatten().map(|version| version.path().join("bin")).collect();
    packaged.sort();
    std::env::split_paths(&path)
        .chain(packaged.into_iter().rev())
        .map(|folder| folder.join(name))
        .find(|program| Path::is_file(program))
        .unwrap_or_else(|| {
            panic!("{name} is not on this machine: install PostgreSQL (Debian's package postgresql)")
        })
}
