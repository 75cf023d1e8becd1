//! The whole command against bare anvils, in interleaved rounds: start, memory, check, checkpoint. Leaves out quotes and lists.
//!
//! `cargo build --release --locked && cargo bench -p slipway-benches --bench platform`; add `-- --cold` for a start from nothing,
//! `-- --drill` for a whole drill.
#![expect(clippy::print_stdout, reason = "the figures are what this program is for")]
#![expect(clippy::unwrap_used, reason = "a measurement that cannot be made ends the program")]
use std::ffi::{OsStr, OsString};
use std::io::{BufRead as _, BufReader};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use slipway_benches::process;
use slipway_contracts::toolchain::{Toolchain, ToolchainOptions};
use slipway_scenarios::client::http::Http;
use slipway_scenarios::client::message::{Request, Response};
use slipway_test_support::up::Up;
use url::Url;

const ROUNDS: usize = 11;
const MEBIBYTE: u64 = 1024;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let asked = |word: &str| std::env::args().any(|argument| argument == word);
    let slipway = slipway();
    let tools = Toolchain::locate(&ToolchainOptions::from_environment(), &|_| {}).await.unwrap();
    drop(started(&slipway));
    let (mut anvil, mut up, mut anvils, mut tree) = (vec![], vec![], vec![], vec![]);
    let (mut least, mut least_memory) = (vec![], vec![]);
    for _ in 0..ROUNDS {
        let (first, took) = bare(tools.anvil()).await;
        let (second, _) = bare(tools.anvil()).await;
        anvil.push(took);
        anvils.push(memory(first.0.id()) + memory(second.0.id()));
        drop((first, second));
        let (platform, took) = started(&slipway);
        up.push(took);
        tree.push(memory(platform.pid()));
        let commands = commands_below(platform.pid());
        drop(platform);
        let (took, memory) = floor(&commands).await;
        least.push(took);
        least_memory.push(memory);
    }
    let bare = median(anvil);
    println!("bare anvil, start to first answer   {bare:?}");
    ratio("warm up to ready / bare anvil", median(up), bare);
    println!(
        "  floor, its nodes alone with their state {:?}, {} MiB",
        median(least),
        median(least_memory) / MEBIBYTE
    );
    let (ours, theirs) = (median(tree), median(anvils));
    println!("memory of up {} MiB, two bare anvils {} MiB", ours / MEBIBYTE, theirs / MEBIBYTE);
    let checks: Vec<Duration> = (0..3).map(|_| check(&slipway)).collect();
    let check = median(checks);
    println!("check, every clause   {check:?}");
    checkpoints(&slipway, bare).await;
    if asked("--drill") {
        let started = Instant::now();
        let status = Command::new(&slipway).args(["drill", "--json"]).stdout(Stdio::null()).status();
        assert!(status.unwrap().success(), "the drill proves every check");
        ratio("drill / check", started.elapsed(), check);
    }
    if asked("--cold") {
        let cache = tempfile::tempdir().unwrap();
        let mut cold = Command::new(&slipway);
        cold.args(["up", "--json", "--port", "0", "--clock", "fixed", "--until-eof"]);
        cold.env("XDG_CACHE_HOME", cache.path()).stdin(Stdio::null()).stdout(Stdio::piped());
        let begun = Instant::now();
        let mut cold = cold.spawn().unwrap();
        BufReader::new(cold.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
        let took = begun.elapsed();
        // Its input has ended, so it ends too.
        assert!(cold.wait().unwrap().success());
        println!("cold start, tools installed and chains seeded   {took:?}");
    }
}

/// The command of this build, next to this program's folder.
fn slipway() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let path = own.parent().and_then(Path::parent).unwrap().join("slipway");
    assert!(path.exists(), "{} is missing: cargo build --release", path.display());
    path
}

struct Anvil(Child);

impl Anvil {
    fn begin(program: impl AsRef<OsStr>, arguments: &[OsString]) -> Self {
        Self(Command::new(program).args(arguments).stdout(Stdio::piped()).spawn().unwrap())
    }

    /// Waits until the first question is answered.
    async fn answers(&mut self, chain_id: &str) {
        let address = BufReader::new(self.0.stdout.take().unwrap())
            .lines()
            .find_map(|line| Some(line.unwrap().strip_prefix("Listening on ")?.to_owned()))
            .unwrap();
        let origin = Url::parse(&format!("http://{address}")).unwrap();
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": []});
        let answer = ask(Request::post_json(&origin, "", &call)).await;
        assert_eq!(answer.json().unwrap()["result"], chain_id);
    }
}

/// Starts a node with its defaults, and measures the time until it answers.
async fn bare(program: &Path) -> (Anvil, Duration) {
    let began = Instant::now();
    let mut node = Anvil::begin(program, &["--port".into(), "0".into()]);
    node.answers("0x7a69").await;
    (node, began.elapsed())
}

/// The minimum of a platform: the nodes that it runs, with their state, started in parallel, and nothing else. Returns the time until
/// both answer, and their memory.
async fn floor(commands: &[(String, Vec<OsString>)]) -> (Duration, u64) {
    let began = Instant::now();
    let mut nodes: Vec<Anvil> =
        commands.iter().map(|(_, command)| Anvil::begin(&command[0], &command[1..])).collect();
    for (node, (chain_id, _)) in nodes.iter_mut().zip(commands) {
        node.answers(chain_id).await;
    }
    (began.elapsed(), nodes.iter().map(|node| memory(node.0.id())).sum())
}

/// The chain id and the command of each node that descends from a process.
fn commands_below(pid: u32) -> Vec<(String, Vec<OsString>)> {
    let mut found = Vec::new();
    for pid in children(pid) {
        found.extend(commands_below(pid));
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap();
        let words: Vec<_> = line
            .split(|byte| *byte == 0)
            .filter(|word| !word.is_empty())
            .map(|word| OsStr::from_bytes(word).to_owned())
            .collect();
        let Some(chain) = words.iter().position(|word| word == "--chain-id") else { continue };
        // The watchdog's command line ends with the same words.
        if !Path::new(&words[0]).ends_with("anvil") {
            continue;
        }
        let number: u64 = words[chain + 1].to_string_lossy().parse().unwrap();
        found.push((format!("{number:#x}"), words));
    }
    found
}

impl Drop for Anvil {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a platform, and measures the time until it is ready.
fn started(program: &Path) -> (Up<'_>, Duration) {
    let begun = Instant::now();
    let up = Up::start(program, &["--clock", "fixed"]);
    (up, begun.elapsed())
}

async fn ask(ask: Request) -> Response {
    Http::new().unwrap().send(ask).await.unwrap()
}

/// Runs a full check, which must be green to count.
fn check(slipway: &Path) -> Duration {
    let started = Instant::now();
    let output = Command::new(slipway).args(["check", "--json"]).output().unwrap();
    let took = started.elapsed();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["summary"]["skipped"], 0);
    println!("check: {} passed in {took:?}", report["summary"]["passed"]);
    took
}

/// Measures checkpoint and revert; the list of tokens must be the same before and after.
async fn checkpoints(slipway: &Path, bare: Duration) {
    let (up, _) = started(slipway);
    let [rest, control] =
        ["baseUrl", "controlUrl"].map(|name| Url::parse(up.ready[name].as_str().unwrap()).unwrap());
    let http = Http::new().unwrap();
    let list = async || http.send(Request::get(&rest, "/api/tokens", &[])).await.unwrap().body;
    let before = list().await;
    let (mut taken, mut reverted) = (vec![], vec![]);
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let answer = http.send(Request::post_json(&control, "/_sim/checkpoints", &json!({}))).await.unwrap();
        taken.push(started.elapsed());
        let id = answer.json().unwrap()["id"].to_string();
        let path = format!("/_sim/checkpoints/{}/revert", id.trim_matches('"'));
        let started = Instant::now();
        let answer = http.send(Request::post_json(&control, &path, &json!({}))).await.unwrap();
        reverted.push(started.elapsed());
        assert!(answer.status.is_success(), "{}", answer.excerpt());
        assert!(list().await == before, "a revert brings everything back");
    }
    ratio("checkpoint / bare anvil", median(taken), bare);
    ratio("revert / bare anvil", median(reverted), bare);
}

/// Prints a time relative to another.
fn ratio(what: &str, ours: Duration, theirs: Duration) {
    println!("{what:<38} {:.2} ({ours:?})", ours.as_secs_f64() / theirs.as_secs_f64());
}

fn median<T: Ord + Copy>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values[values.len() / 2]
}

/// Resident memory of a process and all its descendants, each shared page divided among its users, in KiB.
fn memory(pid: u32) -> u64 {
    let own = process::memory(pid).unwrap();
    own + children(pid).into_iter().map(memory).sum::<u64>()
}

fn children(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    tasks
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("children")).ok())
        .flat_map(|text| text.split_whitespace().map(|word| word.parse().unwrap()).collect::<Vec<u32>>())
        .collect()
}
