//! The platform under load: its clock, its figures of a token, and the memory of its processes.
use std::path::Path;

use serde_json::{Value, json};
use slipway_benches::process::Failure;
use slipway_scenarios::client::http::{Http, Request, Response};
use slipway_test_support::up::Up;
use url::Url;

/// A running platform.
pub(crate) struct Platform<'a> {
    up: Up<'a>,
    http: Http,
    pub(crate) rest: Url,
    pub(crate) control: Url,
}

/// Resident memory, KiB.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    pub(crate) platform: u64,
    pub(crate) nodes: u64,
}

impl<'a> Platform<'a> {
    /// Starts it with a clock that stands until it is moved.
    pub(crate) fn start(program: &'a Path, options: &[&str]) -> Result<Self, Failure> {
        let up = Up::start(program, &[&["--clock", "fixed"], options].concat());
        let origin = |name: &str| Ok::<_, Failure>(up.ready[name].as_str().ok_or("no origin")?.parse()?);
        let (rest, control) = (origin("baseUrl")?, origin("controlUrl")?);
        Ok(Self { up, http: Http::new()?, rest, control })
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.up.pid()
    }

    /// The chains of the ready line.
    pub(crate) fn chains(&self) -> impl Iterator<Item = &Value> {
        self.up.ready["chains"].as_array().into_iter().flatten()
    }

    pub(crate) async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Value, Failure> {
        body(self.http.send(Request::get(&self.rest, path, query)).await?)
    }

    pub(crate) async fn order(&self, path: &str, order: &Value) -> Result<Value, Failure> {
        body(self.http.send(Request::post_json(&self.control, path, order)).await?)
    }

    /// What the clock shows.
    pub(crate) async fn now(&self) -> Result<u64, Failure> {
        let clock = body(self.http.send(Request::get(&self.control, "/_sim/clock", &[])).await?)?;
        Ok(clock["now"].as_u64().ok_or("no time")?)
    }

    /// Posts a message.
    pub(crate) async fn say(&self, message: &Value) -> Result<Value, Failure> {
        let mut request = Request::post_json(&self.rest, "/api/chat", message);
        let key = self.up.ready["operatorKey"].as_str().ok_or("no operator key")?;
        request.headers.push(("x-operator-key".to_owned(), key.to_owned()));
        body(self.http.send(request).await?)
    }

    /// Moves the clock, which mines what waits into one block of each chain, and waits until that is indexed.
    pub(crate) async fn advance(&self, seconds: u64) -> Result<u64, Failure> {
        let clock = self.order("/_sim/clock/advance", &json!({ "seconds": seconds })).await?;
        Ok(clock["now"].as_u64().ok_or("no time")?)
    }

    /// Memory of the platform and of its nodes.
    pub(crate) fn memory(&self) -> Result<Memory, Failure> {
        let mut memory = Memory { platform: resident(self.pid())?, nodes: 0 };
        let mut below = children(self.pid())?;
        while let Some(pid) = below.pop() {
            memory.nodes += resident(pid)?;
            below.extend(children(pid)?);
        }
        Ok(memory)
    }
}

fn body(answer: Response) -> Result<Value, Failure> {
    if !answer.status.is_success() {
        return Err(format!("{} {}: {}", answer.request.method, answer.request.url, answer.excerpt()).into());
    }
    Ok(serde_json::from_slice(&answer.body)?)
}

/// Resident memory of a process, KiB.
fn resident(pid: u32) -> Result<u64, Failure> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    Ok(line.and_then(|line| line.split_whitespace().next()).ok_or("no VmRSS")?.parse()?)
}

fn children(pid: u32) -> Result<Vec<u32>, Failure> {
    let mut children = Vec::new();
    for task in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let text = std::fs::read_to_string(task?.path().join("children"))?;
        children.extend(text.split_whitespace().map(str::parse::<u32>).collect::<Result<Vec<_>, _>>()?);
    }
    Ok(children)
}
