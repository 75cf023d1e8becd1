//! The processes of one platform: the one that has the chains, and those that are attached to it.
use std::collections::BTreeMap;
use std::iter::successors;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use slipway_test_support::database::Server;
use slipway_test_support::up::Up;
use tempfile::TempDir;

use crate::Failure;
use crate::client::Connection;
use crate::table::Round;

/// `/proc/PID/stat` counts in these.
const TICK: Duration = Duration::from_millis(10);

/// The processes of one platform over one database. The first has the chains.
pub(crate) struct Fleet<'a> {
    program: &'a Path,
    pub(crate) processes: Vec<Up<'a>>,
    database: Server,
    folder: TempDir,
}

/// The options of every process: time stands still so that equal questions have equal answers, and every caller has limits of its own.
pub(crate) const COMMON: [&str; 3] = ["--clock", "fixed", "--trust-forwarded"];

impl<'a> Fleet<'a> {
    pub(crate) async fn start(program: &'a Path, count: usize) -> Result<Self, Failure> {
        let database = Server::synced().await;
        let mut fleet = Self { program, processes: Vec::new(), database, folder: tempfile::tempdir()? };
        let file = fleet.ready_file();
        fleet.join(&["--ready-file", &file]);
        for _ in 1..count {
            fleet.attach();
        }
        Ok(fleet)
    }

    /// Starts one more process over the chains of the first.
    pub(crate) fn attach(&mut self) {
        let file = self.ready_file();
        self.join(&["--attach", &file]);
    }

    fn join(&mut self, options: &[&str]) {
        let url = self.database.url();
        let options = [&COMMON[..], &["--database-url", &url], options].concat();
        self.processes.push(Up::start(self.program, &options));
    }

    fn ready_file(&self) -> String {
        self.folder.path().join("ready.json").display().to_string()
    }

    /// An address of a process from its ready line.
    pub(crate) fn address(&self, place: usize, name: &str) -> Result<&str, Failure> {
        text(&self.processes[place].ready[name])
    }

    /// A connection to the REST service of a process.
    pub(crate) async fn rest(&self, place: usize) -> Result<Connection, Failure> {
        Connection::open(self.address(place, "baseUrl")?).await
    }

    /// A connection to the control plane, which the first process has.
    pub(crate) async fn control(&self) -> Result<Connection, Failure> {
        Connection::open(self.address(0, "controlUrl")?).await
    }

    pub(crate) fn operator_key(&self) -> Result<&str, Failure> {
        self.address(0, "operatorKey")
    }

    /// The processor time of everything that takes part, so far.
    pub(crate) fn usage(&self) -> Result<Usage, Failure> {
        let pids: Vec<u32> = self.processes.iter().map(Up::pid).collect();
        usage(&pids, self.database.pid())
    }

    /// Measures something that is done so and so often.
    pub(crate) async fn round(
        &self,
        task: impl Future<Output = Result<usize, Failure>>,
    ) -> Result<Round, Failure> {
        let (before, begun) = (self.usage()?, Instant::now());
        let done = task.await?;
        let took = begun.elapsed();
        Ok(Round { done, took, usage: self.usage()?.since(&before) })
    }
}

pub(crate) fn text(value: &Value) -> Result<&str, Failure> {
    value.as_str().ok_or_else(|| format!("{value} is no text").into())
}

/// Processor time by who has spent it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) platform: Duration,
    pub(crate) database: Duration,
    pub(crate) nodes: Duration,
    pub(crate) client: Duration,
}

impl Usage {
    pub(crate) fn since(&self, before: &Self) -> Self {
        Self {
            platform: self.platform.saturating_sub(before.platform),
            database: self.database.saturating_sub(before.database),
            nodes: self.nodes.saturating_sub(before.nodes),
            client: self.client.saturating_sub(before.client),
        }
    }
}

/// The processor time of platforms, of the nodes they have started, of a database server, and of this process.
pub(crate) fn usage(platforms: &[u32], database: Option<u32>) -> Result<Usage, Failure> {
    let mut processes = BTreeMap::new();
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let pid = name.to_str().and_then(|name| name.parse::<u32>().ok());
        // It may have ended meanwhile.
        processes.extend(pid.and_then(|pid| Some((pid, spent(pid)?))));
    }
    let mut usage = Usage::default();
    for (&pid, process) in &processes {
        let above = |from: u32| successors(Some(from), |pid| Some(processes.get(pid)?.parent));
        if platforms.contains(&pid) {
            usage.platform += process.own;
        } else if pid == std::process::id() {
            usage.client += process.own;
        } else if above(pid).any(|pid| Some(pid) == database) {
            usage.database += process.own + process.ended;
        } else if above(pid).any(|pid| platforms.contains(&pid)) {
            usage.nodes += process.own;
        }
    }
    Ok(usage)
}

/// A process: what it has spent, and what those of its children had spent that have ended.
struct Spent {
    parent: u32,
    own: Duration,
    ended: Duration,
}

fn spent(pid: u32) -> Option<Spent> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may hold anything.
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let number = |place: usize| fields.get(place)?.parse::<u32>().ok();
    let ticks = |place: usize| Some(TICK * (number(place)? + number(place + 1)?));
    Some(Spent { parent: number(1)?, own: ticks(11)?, ended: ticks(13)? })
}
