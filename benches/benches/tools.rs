//! Time from the start of a tool server's process to its first answers, compared with an echo server on the same SDK: rounds
//! of one start each, in turn, medians of one run. Every answer is checked; a wrong one ends the run without figures.
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Measured rounds, after some that warm the file and page caches.
const ROUNDS: usize = 60;
const WARM_UP: usize = 5;
/// Limit for ours, as a multiple of the echo server.
const GOAL: f64 = 1.7;
/// The first development key of every local chain.
const KEY: &str = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
/// The measured milestones, in order: each from the start of the process.
const MILESTONES: [&str; 3] = ["greeting answered", "tools listed", "first tool answered"];

/// One server, how it is called, and whether its answers are right.
struct Server {
    name: &'static str,
    program: PathBuf,
    arguments: &'static [&'static str],
    call: Value,
    is_right: fn(&[Value; 3]) -> bool,
}

fn main() -> ExitCode {
    let report = match servers().and_then(|servers| compare(&servers)) {
        Ok(table) => (table, ExitCode::SUCCESS),
        Err(reason) => (format!("no figure: {reason}\n"), ExitCode::FAILURE),
    };
    match std::io::stdout().write_all(report.0.as_bytes()) {
        Ok(()) => report.1,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The echo server is built with this bench; ours is built here, in the same way.
fn servers() -> Result<[Server; 2], String> {
    let echo = PathBuf::from(env!("CARGO_BIN_EXE_echo-tool-server"));
    let folder = echo.parent().ok_or("the echo server lies in no folder")?;
    build(folder)?;
    let ours = folder.join("slipway");
    Ok([
        Server {
            name: "echo",
            program: echo,
            arguments: &[],
            call: json!({ "name": "echo", "arguments": { "text": "hello" } }),
            is_right: |answers| {
                answers[1]["result"]["tools"][0]["name"] == "echo"
                    && answers[2]["result"]["content"][0]["text"] == "{\"text\":\"hello\"}"
            },
        },
        Server {
            name: "slipway mcp",
            program: ours,
            arguments: &["mcp"],
            // A full preview: reads every argument, judges the link, calls service and chain (and finds them closed).
            call: json!({ "name": "preview_launch", "arguments": {
                "name": "Slip", "ticker": "SLIP", "description": "A start that is measured.",
                "imageUrl": "https://1.1.1.1/a.png", "targetRaiseEth": 1,
            } }),
            is_right: |answers| {
                let tools = answers[1]["result"]["tools"].as_array().map(Vec::len);
                let preview = &answers[2]["result"]["structuredContent"];
                tools == Some(5)
                    && preview["params"]["gainBps"] == 50_000
                    && preview["feeMath"]["protocolFeePct"] == 1
            },
        },
    ])
}

fn build(folder: &Path) -> Result<(), String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--locked", "--package", "slipway-cli", "--bin", "slipway"]);
    if folder.ends_with("release") {
        cargo.arg("--release");
    }
    let ended = cargo.status().map_err(|error| error.to_string())?;
    ended.success().then_some(()).ok_or_else(|| "slipway does not build".to_owned())
}

fn compare(servers: &[Server; 2]) -> Result<String, String> {
    let mut took: [[Vec<Duration>; 3]; 2] = Default::default();
    for round in 0..WARM_UP + ROUNDS {
        for (server, took) in servers.iter().zip(&mut took) {
            let moments = time_start(server)?;
            if round >= WARM_UP {
                for (all, moment) in took.iter_mut().zip(moments) {
                    all.push(moment);
                }
            }
        }
    }
    let mut table = format!(
        "every one of {} starts was answered properly; medians of {ROUNDS} interleaved rounds, from the start of the process\n",
        2 * (WARM_UP + ROUNDS)
    );
    for (at, moment) in MILESTONES.iter().enumerate() {
        let [echo, ours] = [0, 1].map(|server: usize| median(&mut took[server][at]));
        let ratio = ours.as_secs_f64() / echo.as_secs_f64();
        table.push_str(&format!(
            "{moment:20} {} {:6.2} ms   {} {:6.2} ms   ratio {ratio:.2}\n",
            servers[0].name,
            echo.as_secs_f64() * 1e3,
            servers[1].name,
            ours.as_secs_f64() * 1e3,
        ));
    }
    table.push_str(&format!("goal: the greeting answered within {GOAL} of the echo server's time\n"));
    Ok(table)
}

fn median(all: &mut [Duration]) -> Duration {
    all.sort_unstable();
    all[all.len() / 2]
}

/// Starts the server and makes the three requests one after the other.
fn time_start(server: &Server) -> Result<[Duration; 3], String> {
    let failed = |error: std::io::Error| format!("{}: {error}", server.name);
    let started = Instant::now();
    let child = Command::new(&server.program)
        .args(server.arguments)
        .env("SERVICE_MCP_PRIVATE_KEY", KEY)
        // Closed ports, so that nothing on this machine is called by accident.
        .env("SERVICE_MCP_RPC_URL", "http://127.0.0.1:9")
        .env("SERVICE_BASE_URL", "http://127.0.0.1:9")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let mut child = KilledOnDrop(child);
    let mut input = child.0.stdin.take().expect("the input is piped");
    let mut output = BufReader::new(child.0.stdout.take().expect("the output is piped"));
    let greeting = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "bench", "version": "0" },
    });
    let questions =
        [("initialize", greeting), ("tools/list", json!({})), ("tools/call", server.call.clone())];
    let mut moments = [Duration::ZERO; 3];
    let mut answers = [Value::Null, Value::Null, Value::Null];
    for (at, (method, params)) in questions.into_iter().enumerate() {
        let question = json!({ "jsonrpc": "2.0", "id": at, "method": method, "params": params });
        writeln!(input, "{question}").map_err(failed)?;
        let mut line = String::new();
        output.read_line(&mut line).map_err(failed)?;
        moments[at] = started.elapsed();
        answers[at] = serde_json::from_str(&line).map_err(|error| format!("{}: {error}", server.name))?;
        if at == 0 {
            writeln!(input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
                .map_err(failed)?;
        }
    }
    let proper =
        answers.iter().enumerate().all(|(at, answer)| answer["id"] == at && answer["result"].is_object());
    if proper && (server.is_right)(&answers) {
        Ok(moments)
    } else {
        Err(format!("{} answered {}", server.name, Value::from(answers.to_vec())))
    }
}

/// Killed when dropped.
struct KilledOnDrop(Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}
