//! Starts a slipway platform for a test suite: one process that ends with this one, however this one ends.
pub mod aio;
mod client;
mod container;
mod control;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};

pub use client::{Control, ControlError};
pub use container::SlipwayContainer;
use serde::Deserialize;

/// Version of the ready line and of the control plane that this launcher understands.
const PROTOCOL: u32 = 1;

/// How a platform is started; the default is this machine's time and the program on `PATH`.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The program; by default `SLIPWAY_BIN`, then `slipway` on `PATH`.
    pub binary: Option<OsString>,
    /// Decides the market and the accounts.
    pub seed: Option<u64>,
    /// More arguments of `slipway up`, such as `--clock fixed`.
    pub arguments: Vec<OsString>,
}

/// A funded account.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// Its address.
    pub address: String,
    /// Its private key, public knowledge.
    pub private_key: String,
}

/// A chain.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Chain {
    /// Chain id.
    pub chain_id: u64,
    /// Where its node answers.
    pub rpc_url: String,
    /// The launch hook.
    pub hook: String,
    /// Every contract by its name.
    pub contracts: BTreeMap<String, String>,
}

/// The line that `slipway up --json` prints.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ready {
    /// Version of this line and of the control plane.
    #[serde(default)]
    pub protocol: u32,
    /// Process that serves.
    pub pid: u32,
    /// The seed in force.
    pub seed: u64,
    /// How time passes: `real` (this machine's time), `running` or `fixed`.
    #[serde(default)]
    pub clock: String,
    /// The REST service.
    pub base_url: String,
    /// The swap service.
    pub swap_base_url: String,
    /// The control plane.
    pub control_url: String,
    /// Token that callers of the control plane must send, and callers of the nodes who want every method; absent if none is required.
    pub control_token: Option<String>,
    /// Credential of the operator.
    pub operator_key: String,
    /// The chains, the primary one first.
    pub chains: Vec<Chain>,
    /// Funded accounts on both chains.
    pub accounts: Vec<Account>,
}

/// A running platform; it ends when this is dropped, and when this process ends.
#[derive(Debug)]
pub struct Platform {
    /// The addresses of everything.
    pub ready: Ready,
    /// The control plane.
    pub control: Control,
    child: Child,
}

impl Platform {
    /// Starts a platform; returns when every part answers.
    ///
    /// # Errors
    /// When the program does not run, or ends before everything answers; the error contains its output.
    pub fn start(options: &Options) -> io::Result<Self> {
        let given = options.binary.clone().or_else(|| std::env::var_os("SLIPWAY_BIN"));
        let mut command = Command::new(given.unwrap_or_else(|| "slipway".into()));
        command.args(["up", "--port", "0"]);
        let remedy = "name it with SLIPWAY_BIN or put it on PATH";
        Self::launch(command, options.seed, &options.arguments, remedy, |line| line)
    }

    /// Starts a command that runs `slipway up`; `outside` rewrites its ready line.
    fn launch(
        mut command: Command,
        seed: Option<u64>,
        arguments: &[OsString],
        remedy: &str,
        outside: impl Fn(String) -> String,
    ) -> io::Result<Self> {
        command.args(["--json", "--until-eof"]);
        if let Some(seed) = seed {
            command.args(["--seed", &seed.to_string()]);
        }
        // It ends when its standard input closes, and the system also closes that when this process is killed.
        let piped = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.stderr(Stdio::piped()).spawn().map_err(|error| {
            let program = command.get_program().display();
            io::Error::new(error.kind(), format!("{program} does not run: {error}; {remedy}"))
        })?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        let mut complaint = child.stderr.take();
        let Ok(ready) = serde_json::from_str::<Ready>(&outside(line)) else {
            let mut text = String::new();
            drop(child.stdin.take());
            complaint.as_mut().map_or(Ok(0), |complaint| complaint.read_to_string(&mut text))?;
            let status = child.wait()?;
            return Err(io::Error::other(format!("slipway gave no ready line, {status}: {}", text.trim())));
        };
        if ready.protocol != PROTOCOL {
            drop(child.stdin.take());
            child.wait()?;
            let remedy = "use slipway-cli and slipway-launcher of one release";
            let spoken = ready.protocol;
            return Err(io::Error::other(format!(
                "slipway speaks protocol {spoken}, this launcher {PROTOCOL}: {remedy}"
            )));
        }
        // Its later output must not fill the pipe.
        std::thread::spawn(move || complaint.map(|mut said| io::copy(&mut said, &mut io::sink())));
        let control = Control::new(&ready.control_url, ready.control_token.as_deref());
        Ok(Self { ready, control, child })
    }

    /// Runs something and rolls back all its changes: on the chains, in the services, to the clock.
    ///
    /// # Errors
    /// When the control plane refuses.
    pub fn isolated<T>(&self, work: impl FnOnce(&Self) -> T) -> Result<T, ControlError> {
        let id = self.control.create_checkpoint(None)?.id;
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(self)));
        self.control.revert_to_checkpoint(id)?;
        Ok(done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }

    /// A chain by its id.
    #[must_use]
    pub fn chain(&self, chain_id: u64) -> Option<&Chain> {
        self.ready.chains.iter().find(|chain| chain.chain_id == chain_id)
    }
}

impl Drop for Platform {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // It may have ended before.
        let _ = self.child.wait();
    }
}
