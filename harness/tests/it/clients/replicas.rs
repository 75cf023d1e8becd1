//! The example of several processes behind HAProxy, run like a reader does, but on free ports.
use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use slipway_test_support::database::Server;
use slipway_test_support::{Tool, need};
use tokio::time::interval;
use url::Url;

use crate::clients::tools::{SLIPWAY, source};

const PORTS: [u16; 13] =
    [4_700, 4_701, 4_702, 4_703, 4_704, 4_710, 4_711, 4_720, 4_721, 4_730, 4_731, 4_800, 4_801];
const PROCESSES: usize = 4;
const PATIENCE: Duration = Duration::from_secs(120);
/// Interval at which the proxy is polled: it sends no event when a process starts to serve.
const PACE: Duration = Duration::from_millis(50);

/// An offset for every port of the example such that all are free; the system allocates ports above them.
fn free_distance() -> u16 {
    let first = std::process::id() % 27;
    let mut distances = (0..27).map(|step| 1_000 * u16::try_from((first + step) % 27 + 1).unwrap());
    let is_free = |port: u16| TcpListener::bind(("0.0.0.0", port)).is_ok();
    distances.find(|distance| PORTS.iter().all(|port| is_free(port + distance))).unwrap()
}

/// The running script, which ends everything it started.
struct Script(Child);

impl Script {
    /// Interrupts it and waits for its end.
    fn end(&mut self) {
        // It may have ended already.
        let _ = kill_process(Pid::from_child(&self.0), Signal::TERM);
        let _ = self.0.wait();
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        self.end();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_example_runs() {
    let Some(()) = need(&[Tool::Haproxy]) else { return };
    let (database, folder, distance) = (Server::start().await, tempfile::tempdir().unwrap(), free_distance());
    for name in ["run.sh", "haproxy.cfg"] {
        let mut text = fs::read_to_string(source("examples/replicas").join(name)).unwrap();
        for port in PORTS {
            text = text.replace(&port.to_string(), &(port + distance).to_string());
        }
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut run = Command::new("sh");
    run.arg(folder.path().join("run.sh")).env("SLIPWAY", SLIPWAY).env("DATABASE_URL", database.url());
    let mut script = Script(run.stdout(Stdio::null()).spawn().unwrap());
    let [rest, swap] = [4_800, 4_801].map(|port| format!("http://127.0.0.1:{}", port + distance));
    let client = slipway_contracts::http_client(&rest.parse::<Url>().unwrap()).build().unwrap();
    let (begun, mut pace) = (Instant::now(), interval(PACE));
    let mut seen = BTreeSet::new();
    while seen.len() < PROCESSES {
        pace.tick().await;
        assert!(begun.elapsed() < PATIENCE, "processes {seen:?}");
        let Ok(answer) = client.get(format!("{rest}/api/tokens")).send().await else { continue };
        if answer.status() == 200 {
            let id = answer.headers()["x-request-id"].to_str().unwrap().strip_prefix("rest-").unwrap();
            // The upper half is the process id.
            seen.insert(u64::from_str_radix(id, 16).unwrap() >> 32);
        }
    }
    assert_eq!(client.get(format!("{swap}/api/pairs")).send().await.unwrap().status(), 200);
    let (code, wallet) = (format!("0x{:040x}", 1), format!("0x{:040x}", 2));
    let registration = json!({ "referral_code": code, "wallet_address": wallet });
    let mut statuses = Vec::new();
    for _ in 0..PROCESSES {
        let asked = client.post(format!("{rest}/api/referral/register")).json(&registration);
        statuses.push(asked.send().await.unwrap().status().as_u16());
    }
    assert_eq!(statuses, [200, 409, 409, 409], "what one process has registered, all know");
    script.end();
    assert!(client.get(&rest).send().await.is_err());
}
