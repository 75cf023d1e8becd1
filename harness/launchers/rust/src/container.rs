//! `slipway up` in a container: its ports are published on free ones, chosen beforehand because answers contain the addresses.
use std::ffi::OsString;
use std::io;
use std::net::TcpListener;
use std::process::Command;

use crate::Platform;

/// The first of the ports inside, and their number: REST, swap, control plane and the two nodes.
const FIRST: u16 = 4700;
const PORTS: usize = 5;

/// A platform in a container of an image, which is removed when the platform is dropped or this process ends.
///
/// The image must be on the engine's machine.
#[derive(Clone, Debug)]
pub struct SlipwayContainer {
    /// The image; `slipway:latest` by default.
    pub image: String,
    /// Decides the market and the accounts.
    pub seed: Option<u64>,
    /// More arguments of `slipway up`; paths among them are paths in the container.
    pub arguments: Vec<OsString>,
}

impl Default for SlipwayContainer {
    fn default() -> Self {
        Self::new("slipway:latest")
    }
}

impl SlipwayContainer {
    /// A container of this image.
    #[must_use]
    pub fn new(image: &str) -> Self {
        Self { image: image.to_owned(), seed: None, arguments: Vec::new() }
    }

    /// Starts the container; returns when every part answers.
    ///
    /// # Errors
    /// When `docker` does not run, the image is not there, or the platform ends before everything answers.
    pub fn start(&self) -> io::Result<Platform> {
        let engine = std::env::var("DOCKER_HOST").unwrap_or_default();
        let remote = engine.strip_prefix("tcp://").and_then(|place| place.split([':', '/']).next());
        let ports = free_ports()?;
        let address = |port: &u16| format!("http://{}:{port}", remote.unwrap_or("127.0.0.1"));
        let mut command = Command::new("docker");
        // Nothing is pulled: a registry may have another image of this name.
        command.args(["run", "--rm", "--interactive", "--pull", "never"]);
        command.args(["--label", &format!("io.slipway.launcher={}", std::process::id())]);
        for (inside, port) in (FIRST..).zip(&ports) {
            // An engine elsewhere publishes on all addresses of its machine.
            let place = if remote.is_some() { "" } else { "127.0.0.1:" };
            command.args(["--publish", &format!("{place}{port}:{inside}")]);
        }
        command.arg(&self.image).args(["up", "--host", "0.0.0.0", "--offline"]);
        for (service, port) in ["rest", "swap"].iter().zip(&ports) {
            command.args(["--public-url", &format!("{service}={}", address(port))]);
        }
        let outside = |line: String| {
            (FIRST..).zip(&ports).fold(line, |line, (inside, port)| {
                line.replace(&format!("http://127.0.0.1:{inside}\""), &format!("{}\"", address(port)))
            })
        };
        let remedy = "install a container engine (Debian: apt-get install docker.io)";
        Platform::launch(command, self.seed, &self.arguments, remedy, outside)
    }
}

fn free_ports() -> io::Result<Vec<u16>> {
    let listeners: Vec<_> =
        (0..PORTS).map(|_| TcpListener::bind(("0.0.0.0", 0))).collect::<Result<_, _>>()?;
    listeners.iter().map(|listener| Ok(listener.local_addr()?.port())).collect()
}
