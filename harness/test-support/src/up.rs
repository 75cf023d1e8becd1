//! A platform started as users do, with `slipway up`, and ended with its handle.
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// A process that is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Kept(Child);

impl Kept {
    pub(crate) fn new(process: Child) -> Self {
        Self(process)
    }

    /// Kills it with SIGKILL.
    fn kill(&mut self) {
        // It may have ended by itself, which is no error here.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A command of this program that gets a signal when this process ends, however it ends. Without `setpriv` (of util-linux), only dropping
/// its handle ends it.
pub(crate) fn bound(program: &OsStr, signal: &str) -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if slipway_contracts::toolchain::program(&path, "setpriv").is_none() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", signal]).arg(program);
    command
}

/// A running platform.
#[derive(Debug)]
pub struct Up<'a> {
    pub(crate) program: &'a Path,
    /// Its ready line.
    pub ready: Value,
    process: Kept,
}

impl<'a> Up<'a> {
    /// Runs `slipway up` on free ports with further options, and waits until it is ready.
    pub fn start(program: &'a Path, options: &[&str]) -> Self {
        let mut process = Command::new(program)
            .args(["up", "--json", "--port", "0", "--until-eof"])
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let output = process.stdout.take().unwrap();
        let process = Kept::new(process);
        BufReader::new(output).read_line(&mut line).unwrap();
        let ready =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{options:?}: {error}: {line:?}"));
        Self { program, ready, process }
    }

    /// The id of its process.
    pub fn pid(&self) -> u32 {
        self.process.0.id()
    }

    /// Kills it with SIGKILL, so that it cannot finish anything.
    pub fn kill(&mut self) {
        self.process.kill();
    }
}

/// All options that make a running platform the external target of a command. Its private keys are written to a file.
pub fn external_options(ready: &Value, keys: &Path) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let accounts = ready["accounts"].as_array().unwrap().iter();
    fs::write(keys, accounts.map(|account| text(&account["privateKey"]) + "\n").collect::<String>()).unwrap();
    let given = [
        ("--base-url", "baseUrl"),
        ("--swap-url", "swapBaseUrl"),
        ("--control-url", "controlUrl"),
        ("--operator-key", "operatorKey"),
    ];
    let given =
        given.into_iter().filter_map(|(option, name)| Some((option, ready[name].as_str()?.to_owned())));
    let chains = ready["chains"].as_array().unwrap().iter();
    let chains =
        chains.map(|chain| ("--rpc-url", format!("{}={}", chain["chainId"], text(&chain["rpcUrl"]))));
    let keys = ("--private-keys", keys.to_str().unwrap().to_owned());
    let options = given.chain(chains).chain([keys]);
    options.flat_map(|(option, value)| [option.to_owned(), value]).collect()
}
