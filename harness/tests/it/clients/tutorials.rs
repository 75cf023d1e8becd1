//! Each tutorial, run from its document with the command as installed by a reader: its files and commands in order, with the shown output
//! compared with the real one.
use std::fmt::Write as _;
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};

use slipway_test_support::need;

use crate::clients::documents::{Block, blocks};
use crate::clients::installed::Package;
use crate::clients::tools::source;

/// Starts a line of the script itself, which no command prints.
const MARK: &str = "@@@";

/// A script of the files and commands. After each command it prints the number of the block and the exit code.
fn script(blocks: &[Block], first: u16) -> String {
    // A platform in the background ends with the script, wherever the script stops.
    let mut script = String::from("trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT\n");
    for (number, block) in blocks.iter().enumerate() {
        if let Some(name) = block.file() {
            writeln!(script, "cat > {name} <<'{MARK}'\n{}{MARK}", block.text).unwrap();
        } else if block.is("console") {
            for command in block.text.lines() {
                let command = command.strip_prefix("$ ").expect("a command begins with `$ `");
                if command.starts_with("slipway up") {
                    // The tool server's defaults are the ports of a reader's platform.
                    let (rest, node) = (first, first + 3);
                    let variables = "export SERVICE_BASE_URL=http://127.0.0.1:";
                    writeln!(script, "{variables}{rest} SERVICE_MCP_RPC_URL=http://127.0.0.1:{node}")
                        .unwrap();
                }
                writeln!(script, "{command}\nprintf '{MARK} {number} %s\\n' $?").unwrap();
            }
        }
    }
    script
}

/// Whether a line matches a line of the document, in which `…` matches anything.
fn is_as(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.trim_end().split('…');
    let Some(mut rest) = line.trim_end().strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

/// The difference between a block of text and the real output. A block marked `part` contains some of the lines, in order.
fn difference(block: &Block, came: &str) -> Option<String> {
    let mut lines = came.lines().filter(|line| !line.trim().is_empty());
    let mut wanted = block.text.lines().filter(|line| !line.trim().is_empty());
    if block.words.iter().any(|word| word == "part") {
        let missing = wanted.find(|pattern| !lines.any(|line| is_as(pattern, line)));
        return missing.map(|pattern| format!("no line is `{pattern}`"));
    }
    loop {
        match (wanted.next(), lines.next()) {
            (None, None) => return None,
            (Some(pattern), Some(line)) if is_as(pattern, line) => {}
            (pattern, line) => {
                return Some(format!(
                    "document: {}\ncame:     {}",
                    pattern.unwrap_or("-"),
                    line.unwrap_or("-")
                ));
            }
        }
    }
}

/// Ports that a tutorial uses: five for `slipway up`, and one for a platform that the reader writes.
const PORTS: u16 = 6;

/// The first of a row of free ports. They are below the range that the system allocates to connections, which could otherwise take them
/// before the platform does.
fn free_ports() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let begin = 10_000 + u16::try_from(std::process::id() % 2_000).unwrap() * 10;
    for _ in 0..100 {
        let first = begin + NEXT.fetch_add(PORTS, Ordering::Relaxed);
        if (first..first + PORTS).all(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()) {
            return first;
        }
    }
    panic!("no {PORTS} ports in a row are free");
}

/// The document with the reader's ports replaced by free ones.
fn with_free_ports(document: &str, first: u16) -> String {
    let mut text = document.to_owned();
    for (begin, line) in [(4700, "slipway up --ready-file"), (4800, "")] {
        for offset in 0..PORTS {
            let (old, new) = (begin + offset, first + offset);
            text = text.replace(&format!(":{old}"), &format!(":{new}"));
            text = text.replace(&format!("--port {old}"), &format!("--port {new}"));
        }
        if !line.is_empty() {
            text = text.replace(line, &line.replace(" up", &format!(" up --port {first}")));
        }
    }
    text
}

/// Runs a tutorial in a separate folder, with only the installed command and the programs of its language.
fn follow(name: &str, package: Package) {
    let Some(()) = need(package.tools()) else { return };
    let document = fs::read_to_string(source("../docs/tutorials").join(name)).unwrap();
    let first = free_ports();
    let blocks = blocks(&with_free_ports(&document, first));
    let folder = tempfile::tempdir().unwrap();
    let mut bash = Command::new("bash");
    bash.arg("-c")
        .arg(script(&blocks, first))
        .current_dir(folder.path())
        .env("PATH", package.path())
        .stdin(Stdio::null());
    let output = bash.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);

    let mut came = vec![String::new(); blocks.len()];
    let mut codes = vec![Vec::new(); blocks.len()];
    let mut pending = String::new();
    for line in said.lines() {
        let Some(mark) = line.strip_prefix(MARK) else {
            writeln!(pending, "{line}").unwrap();
            continue;
        };
        let mut words = mark.split_whitespace();
        let number: usize = words.next().unwrap().parse().unwrap();
        codes[number].push(words.next().unwrap().to_owned());
        came[number].push_str(&std::mem::take(&mut pending));
    }

    let mut before = None;
    for (number, block) in blocks.iter().enumerate() {
        let fails = |reason: &str| -> ! {
            panic!(
                "{name}: {reason}\nin\n{}--- standard output\n{said}--- standard error\n{errors}",
                block.text
            )
        };
        if block.is("console") {
            // The last command of a block may be meant to fail.
            let last = block.words.iter().find_map(|word| word.strip_prefix("exit=")).unwrap_or("0");
            let (end, others) = codes[number].split_last().unwrap_or_else(|| fails("it was not reached"));
            if end != last || others.iter().any(|code| code != "0") {
                fails(&format!("exit codes {:?}", codes[number]));
            }
            before = Some(number);
        } else if block.is("text") {
            let shown = before.take().unwrap_or_else(|| fails("no command stands before this text"));
            if let Some(difference) = difference(block, &came[shown]) {
                fails(&difference);
            }
        }
    }
    assert!(before.is_some() || !blocks.is_empty(), "{name} has nothing to run");
}

#[test]
fn tutorial_of_a_first_launch_in_typescript_runs() {
    follow("first-launch-typescript.md", Package::Npm);
}

#[test]
fn tutorial_of_a_first_launch_in_python_runs() {
    follow("first-launch-python.md", Package::Wheel);
}

#[test]
fn tutorial_of_a_check_runs() {
    follow("check-your-platform.md", Package::Archive);
}

#[test]
fn tutorial_of_another_platform_runs() {
    follow("judge-another-platform.md", Package::Wheel);
}

/// The platform that the reader saves is the example.
#[test]
fn platform_of_the_tutorial_is_the_example() {
    let document = fs::read_to_string(source("../docs/tutorials/judge-another-platform.md")).unwrap();
    let saved =
        blocks(&document).into_iter().find(|block| block.file() == Some("small_platform.py")).unwrap();
    assert_eq!(saved.text, fs::read_to_string(source("examples/small_platform.py")).unwrap());
}

#[test]
fn tutorial_of_a_benchmark_runs() {
    follow("benchmark-your-quoter.md", Package::Archive);
}

#[test]
fn tutorial_of_an_agent_runs() {
    follow("agent-wallet.md", Package::Archive);
}

#[test]
fn every_tutorial_is_run() {
    let tests = include_str!("tutorials.rs");
    for entry in fs::read_dir(source("../docs/tutorials")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(tests.contains(&format!("follow(\"{name}\", ")), "{name} is run by no test");
    }
}

/// The test of a tutorial runs its rehearsals too.
#[test]
fn every_program_of_a_tutorial_is_rehearsed() {
    let mut programs = 0;
    for entry in fs::read_dir(source("../docs/tutorials")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        for command in text.lines().filter(|line| line.starts_with("$ slipway exec ")) {
            let (_, program) = command.split_once(" -- ").unwrap();
            let rehearsal = format!("\n$ slipway rehearse -- {program}\n");
            assert!(text.contains(&rehearsal), "{}: {program} is not rehearsed", path.display());
            programs += 1;
        }
    }
    assert!(programs > 0);
}

/// The control: a document with a different text is caught.
#[test]
fn a_document_that_says_otherwise_is_found() {
    let document = "```text\na … c\n\nb\n```\n```text part\nb\n```\n```sh\n# run.sh\n```\n";
    let [whole, part, file] = &blocks(document)[..] else { panic!("three blocks") };
    assert_eq!(file.file(), Some("run.sh"));
    assert_eq!(difference(whole, "a x c\nb\n"), None);
    assert!(difference(whole, "a x d\nb\n").is_some());
    assert!(difference(whole, "a x c\nb\nmore\n").is_some());
    assert!(difference(whole, "a x c\n").is_some());
    assert_eq!(difference(part, "a\nb\nc\n"), None);
    assert!(difference(part, "a\nc\n").is_some());
}
