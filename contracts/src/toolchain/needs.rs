//! Programs that some tests need besides `cargo`, a C compiler and npm: how each is found and installed, and which tests are skipped
//! without it. The tests, `slipway doctor --tests` and docs/tests.md all read this table.
use std::fmt::Write as _;
use std::process::{Command, Stdio};

/// A program that some tests need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// A recent Node.js.
    Node,
    /// A recent Python.
    Python,
    /// Python's installer.
    Pip,
    /// Python's environments.
    Venv,
    /// The browser.
    Chromium,
    /// An HTTP client for shells.
    Curl,
    /// A JSON reader for shells.
    Jq,
    /// The proxy of an example.
    Haproxy,
    /// A container engine with its command.
    Engine,
    /// The instruction counter.
    Valgrind,
    /// Rust's standard library for WebAssembly.
    Wasm,
    /// The right to mount small disks.
    Mount,
}

/// How a tool is found and installed.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    /// Its name in messages about skipped tests and in `SLIPWAY_REQUIRE`.
    pub name: &'static str,
    /// Names of the program; the first that runs is used.
    programs: &'static [&'static str],
    /// Arguments for a run that succeeds if the program is usable.
    probe: &'static [&'static str],
    /// The oldest usable version, if it matters.
    least: Option<(u32, u32)>,
    /// How to install it.
    pub remedy: &'static str,
    /// The tests that are skipped without it.
    pub tests: &'static str,
}

impl Tool {
    /// Every tool, in the order of the page.
    pub const ALL: [Self; 12] = [
        Self::Node,
        Self::Python,
        Self::Pip,
        Self::Venv,
        Self::Chromium,
        Self::Curl,
        Self::Jq,
        Self::Haproxy,
        Self::Engine,
        Self::Valgrind,
        Self::Wasm,
        Self::Mount,
    ];

    /// Its description.
    #[must_use]
    pub fn need(self) -> Need {
        let plain = |name, programs, remedy, tests| Need {
            name,
            programs,
            probe: &["--version"],
            least: None,
            remedy,
            tests,
        };
        let python = |name, probe, least, remedy, tests| Need {
            name,
            programs: &["python3"],
            probe,
            least,
            remedy,
            tests,
        };
        match self {
            Self::Node => Need {
                least: Some((22, 22)),
                ..plain(
                    "node",
                    &["node"],
                    "fetched from npm on Linux on x86-64; elsewhere install Node.js 22.22 or newer",
                    "npm launcher, examples in JavaScript, ABIs, OpenAPI client, GitHub Action, npm package",
                )
            },
            Self::Python => python(
                "python3",
                &["--version"],
                Some((3, 10)),
                "apt-get install python3 (3.10 or newer)",
                "wheels, permitted licences, Python launcher, examples and OpenAPI client",
            ),
            Self::Pip => {
                python("pip", &["-m", "pip", "--version"], None, "apt-get install python3-pip", "wheels")
            }
            Self::Venv => python(
                "venv",
                &["-c", "import ensurepip, venv"],
                None,
                "apt-get install python3-venv",
                "wheels, permitted licences, Python launcher, examples and OpenAPI client",
            ),
            Self::Chromium => plain(
                "chromium",
                &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
                "fetched from npm on Linux on x86-64; elsewhere install Chromium",
                "public pages, console and HTML report in a browser, Playwright fixture",
            ),
            Self::Curl => plain(
                "curl",
                &["curl"],
                "apt-get install curl",
                "example for the shell, lines of the console",
            ),
            Self::Jq => plain("jq", &["jq"], "apt-get install jq", "example for the shell"),
            Self::Haproxy => Need {
                probe: &["-v"],
                ..plain(
                    "haproxy",
                    &["haproxy", "/usr/sbin/haproxy"],
                    "apt-get install haproxy",
                    "example of several processes",
                )
            },
            Self::Engine => Need {
                probe: &["version"],
                ..plain(
                    "engine",
                    &["docker"],
                    "apt-get install docker.io and start it, or set DOCKER_HOST",
                    "checks of images",
                )
            },
            Self::Valgrind => plain(
                "valgrind",
                &["valgrind"],
                "apt-get install valgrind, and the rustc of benches/instructions.toml",
                "instruction counts",
            ),
            Self::Wasm => Need {
                probe: &["-c", "test -d \"$(rustc --print target-libdir --target wasm32-unknown-unknown)\""],
                ..plain("wasm", &["sh"], "rustup target add wasm32-unknown-unknown", "npm package of quotes")
            },
            Self::Mount => Need {
                probe: &["-c", "command -v mkfs.ext4 && unshare --mount mount -t tmpfs tmpfs /tmp"],
                ..plain(
                    "mount",
                    &["sh"],
                    "apt-get install e2fsprogs, and run the tests as root",
                    "full disks",
                )
            },
        }
    }

    /// The first of its programs that runs.
    #[must_use]
    pub fn program(self) -> Option<&'static str> {
        let need = self.need();
        let runs =
            |program: &&&str| Command::new(program).args(need.probe).stdin(Stdio::null()).output().is_ok();
        need.programs.iter().find(runs).copied()
    }

    /// The installed version.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn probe(self) -> Result<String, String> {
        let need = self.need();
        let run = |program: &&'static str| {
            let ran = Command::new(program).args(need.probe).stdin(Stdio::null()).output().ok();
            ran.map(|output| (*program, output))
        };
        let Some((program, output)) = need.programs.iter().find_map(run) else {
            return Err(format!("{} is not on PATH", need.programs[0]));
        };
        if !output.status.success() {
            return Err(format!("{program} {} fails: {}", need.probe.join(" "), output.status));
        }
        let text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        let found = version(&text);
        match (need.least, found) {
            (Some(least), Some(found)) if found < least => Err(format!(
                "{program} is version {}.{}; the oldest that works is {}.{}",
                found.0, found.1, least.0, least.1
            )),
            _ => Ok(text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or(program).to_owned()),
        }
    }
}

/// The first `major.minor` in a text.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut words = text.split(|sign: char| !sign.is_ascii_digit() && sign != '.');
    words.find_map(|word| {
        let mut parts = word.split('.');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    })
}

/// The table in docs/tests.md.
#[must_use]
pub fn table() -> String {
    let mut text = String::from("| program | installed by | tests |\n|---|---|---|\n");
    for need in Tool::ALL.map(Tool::need) {
        let _ = writeln!(text, "| `{}` | {} | {} |", need.name, need.remedy, need.tests);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_programs_print() {
        assert_eq!(version("v20.19.2\n"), Some((20, 19)));
        assert_eq!(version("Python 3.11.2"), Some((3, 11)));
        assert_eq!(version("no version"), None);
        assert!((20, 18) < (20, 19) && (18, 20) < (20, 19) && (22, 0) > (20, 19));
    }

    #[test]
    fn names_are_unique() {
        let mut names = Tool::ALL.map(|tool| tool.need().name);
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }
}
