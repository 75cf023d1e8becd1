//! How a node ends: by a crash, with its handle, with its parent.

use std::io::Read;
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

use alloy::providers::Provider as _;
use rustix::process::{Pid, Signal, kill_process};
use slipway_contracts::ChainId;
use slipway_contracts::node::{Node, NodeError, NodeOptions};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::time::timeout;

use crate::{is_reentered, reenter, script, tools};

/// Long enough for a busy machine; a passing test never waits this long.
const NOTICE_TIMEOUT: Duration = Duration::from_secs(20);
const START_TIMEOUT: Duration = Duration::from_secs(60);

async fn node() -> Node {
    Node::start(tools().await.anvil(), &NodeOptions::new(ChainId::PRIMARY)).await.unwrap()
}

fn kill(pid: u32) {
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::KILL).unwrap();
}

/// A connection that closes when the process at the other end exits, even after its parent has changed.
fn connection(rpc_url: &str) -> TcpStream {
    TcpStream::connect(rpc_url.strip_prefix("http://").unwrap()).unwrap()
}

async fn await_end(mut connection: TcpStream, limit: Duration) {
    connection.set_read_timeout(Some(limit)).unwrap();
    let end = tokio::task::spawn_blocking(move || connection.read(&mut [0])).await.unwrap();
    let timed_out = |kind| matches!(kind, std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut);
    match end {
        Ok(read) => assert_eq!(read, 0),
        Err(error) => assert!(!timed_out(error.kind()), "the node is still alive"),
    }
}

#[tokio::test]
async fn node_exit_is_noticed() {
    let node = node().await;
    let exit = node.wait_exit();
    kill(node.pid());
    let exit = timeout(NOTICE_TIMEOUT, exit).await.unwrap();
    assert_eq!((exit.chain, &*exit.status), (ChainId::PRIMARY, "signal 9"));
    let error = node.mine(1).await.unwrap_err();
    assert!(matches!(error, NodeError::Exited(_)), "{error}");
}

#[tokio::test]
async fn an_abort_is_told_with_its_reason() {
    let node = node().await;
    let exit = node.wait_exit();
    // More blocks than the node can count: it aborts.
    let count = (format!("{:#x}", 1_u128 << 64), "latest", Vec::<f64>::new());
    let asked = node.provider().client().request::<_, serde_json::Value>("eth_feeHistory", count).await;
    assert!(asked.is_err(), "{asked:?}");
    let exit = timeout(NOTICE_TIMEOUT, exit).await.unwrap();
    let said = exit.to_string();
    assert!(said.contains("Message:  Uint conversion error"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
}

#[tokio::test]
async fn early_exit_reports_output() {
    let folder = tempfile::tempdir().unwrap();
    let absent =
        NodeOptions { state: Some(folder.path().join("absent.json")), ..NodeOptions::new(ChainId::SECOND) };
    let cases = [
        (tools().await.anvil().to_owned(), "absent.json"),
        (folder.path().join("no-such-anvil"), "no-such-anvil"),
        (script(folder.path().join("grumpy"), "echo I shall not; exit 3"), "I shall not"),
    ];
    for (anvil, lines) in cases {
        match Node::start(&anvil, &absent).await.unwrap_err() {
            NodeError::Exited(exit) => assert!(exit.to_string().contains(lines), "{exit}"),
            other => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn wrong_chain_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let anvil = tools().await.anvil().display();
    let liar = script(folder.path().join("liar"), &format!("exec '{anvil}' \"$@\" --chain-id 1"));
    let error = Node::start(&liar, &NodeOptions::new(ChainId::PRIMARY)).await.unwrap_err();
    assert!(matches!(error, NodeError::WrongChain { answered: 1, .. } | NodeError::Exited(_)), "{error}");
}

#[tokio::test]
async fn node_dies_with_its_handle() {
    let node = node().await;
    let connection = connection(node.rpc_url());
    let exit = node.wait_exit();
    drop(node);
    await_end(connection, NOTICE_TIMEOUT).await;
    timeout(NOTICE_TIMEOUT, exit).await.unwrap();
}

#[tokio::test]
async fn node_dies_with_its_watchdog() {
    let node = node().await;
    let connection = connection(node.rpc_url());
    let status = std::fs::read_to_string(format!("/proc/{}/status", node.pid())).unwrap();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap();
    kill(parent.trim().parse().unwrap());
    await_end(connection, NOTICE_TIMEOUT).await;
    timeout(NOTICE_TIMEOUT, node.wait_exit()).await.unwrap();
}

/// A parent is killed while its node starts, or once it responds.
#[tokio::test]
async fn hundred_kills_leave_no_orphan() {
    if is_reentered() {
        return be_a_parent().await;
    }
    tools().await;
    for _batch in 0..20 {
        let kills: Vec<_> = (0..5).map(|number| tokio::spawn(kill_a_parent(number))).collect();
        for kill in kills {
            kill.await.unwrap();
        }
    }
}

async fn kill_a_parent(number: usize) {
    let mut parent = tokio::process::Command::from(reenter("node_exit::hundred_kills_leave_no_orphan"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(parent.stdout.take().unwrap()).lines();
    let mut said = async |prefix: &str| loop {
        let line = lines.next_line().await.unwrap().expect("the parent says more");
        // The test runner may have printed the start of the line.
        if let Some((_, rest)) = line.split_once(prefix) {
            break rest.to_owned();
        }
    };
    said("node starts").await;
    let mut listening = None;
    if number > 1 {
        listening = Some(connection(&said("node answers ").await));
    }
    parent.start_kill().unwrap();
    parent.wait().await.unwrap();
    // The watchdog shares this stream and exits after anvil has exited.
    let mut errors = String::new();
    let mut stream = parent.stderr.take().unwrap();
    timeout(START_TIMEOUT, stream.read_to_string(&mut errors))
        .await
        .expect("the watchdog has ended")
        .unwrap();
    if let Some(connection) = listening {
        await_end(connection, NOTICE_TIMEOUT).await;
    }
}

/// The work of the process until it is killed.
#[expect(clippy::print_stdout, reason = "the test that kills it reads these lines")]
async fn be_a_parent() {
    println!("node starts");
    let node = node().await;
    println!("node answers {}", node.rpc_url());
    tokio::io::stdin().read_u8().await.unwrap_err();
}
