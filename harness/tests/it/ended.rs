//! Ends from outside: the output's reader disconnects, a signal arrives, a port is taken.
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _, pipe};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::thread::{self, JoinHandle};

use rustix::process::Signal;

use crate::program::{command, ends, expect_code, signal};

/// A command line for every command, including the hidden ones that print something. `EVENTS`, `PLAY` and `FOLDER` stand for two files and
/// a folder.
const LINES: [(&str, &str); 19] = [
    ("slipway-up", "up --port 0"),
    ("slipway-exec", "exec -- true"),
    ("slipway-play", "play PLAY"),
    ("slipway-env", "env FOLDER/ready.json"),
    ("slipway-mcp", "mcp"),
    ("slipway-check", "check --only LIST-COUNT --base-url http://127.0.0.1:1"),
    ("slipway-report", "report EVENTS"),
    ("slipway-report-diff", "report diff EVENTS EVENTS"),
    ("slipway-report-baseline", "report baseline FOLDER/known.toml EVENTS --reason a --until 9999-12-31"),
    ("slipway-drill", "drill --verify=PROOF"),
    ("slipway-rehearse", "rehearse --only used-captcha -- true"),
    ("slipway-quotes-cases", "quotes cases curve --count 10000"),
    ("slipway-quotes-bench", "quotes bench swap --count 1 -- SLIPWAY quotes answer swap"),
    ("slipway-explain", "explain --list checks"),
    ("slipway-show-abi", "show abi"),
    ("slipway-show-openapi", "show openapi rest"),
    ("slipway-show-schema", "show schema report"),
    ("slipway-doctor", "doctor"),
    ("hidden", "completions bash"),
];

fn words(line: &str, folder: &Path) -> Vec<String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let events = own.join("tests/previous/0.1.0/events.ndjson");
    let proof = own.join("proof.json");
    let play = own.join("examples/plays/reorg.toml");
    let word = |word: &str| {
        word.replace("EVENTS", &events.display().to_string())
            .replace("PROOF", &proof.display().to_string())
            .replace("PLAY", &play.display().to_string())
            .replace("FOLDER", &folder.display().to_string())
            .replace("SLIPWAY", env!("CARGO_BIN_EXE_slipway"))
    };
    line.split(' ').map(word).collect()
}

/// Runs to the end without a reader of standard output; standard error is either read or closed too.
fn unread(words: &[String], with_errors: bool) -> Output {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = command(&words);
    let closed = || {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        writer
    };
    command.stdout(closed());
    if with_errors {
        command.stderr(Stdio::piped());
    } else {
        command.stderr(closed());
    }
    command.spawn().unwrap().wait_with_output().unwrap()
}

#[test]
fn every_command_ends_quietly_when_its_reader_has_gone() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man");
    expect_code(&["man", pages.to_str().unwrap()], 0);
    let pages = fs::read_dir(pages).unwrap().map(|page| page.unwrap().path());
    let known: BTreeSet<String> =
        pages.map(|page| page.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    let groups = ["slipway", "slipway-quotes", "slipway-show"].map(str::to_owned);
    let tried = LINES.iter().map(|(page, _)| (*page).to_owned()).chain(groups);
    let tried: BTreeSet<String> = tried.filter(|page| page != "hidden").collect();
    assert_eq!(tried, known, "every command has a line here");
    fs::write(folder.path().join("ready.json"), "{\"baseUrl\": \"http://127.0.0.1:1\"}").unwrap();
    let helps = known.iter().map(|page| format!("{} --help", page.replace('-', " ")));
    let helps = helps.map(|line| line.trim_start_matches("slipway ").to_owned());
    for line in LINES.iter().map(|(_, line)| (*line).to_owned()).chain(helps) {
        let words = words(&line, folder.path());
        let read: Vec<&str> = words.iter().map(String::as_str).collect();
        // While somebody reads, only a signal ends it.
        let code = if words[0] == "up" { Some(0) } else { command(&read).output().unwrap().status.code() };
        for with_errors in [true, false] {
            let output = unread(&words, with_errors);
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), code, "{line}: {said}");
            let is_quiet = ["pipe", "panicked", "cannot be written"].iter().all(|word| !said.contains(word));
            assert!(is_quiet, "{line}: {said}");
        }
    }
}

/// Sends this signal, which must end the program with 130; returns its standard error.
fn interrupted(child: Child, which: Signal) -> String {
    signal(&child, which);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "", "half a report is none");
    String::from_utf8(output.stderr).unwrap()
}

fn started(words: &[&str]) -> Child {
    command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// A target that answers only its first request; the thread ends with the second, which it holds open.
fn answering_once() -> (String, JoinHandle<TcpStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let held = thread::spawn(move || {
        let (mut first, _) = listener.accept().unwrap();
        let mut line = String::new();
        BufReader::new(&first).read_line(&mut line).unwrap();
        first.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").unwrap();
        drop(first);
        listener.accept().unwrap().0
    });
    (address, held)
}

/// A check or a baseline is certainly in progress when the signal arrives.
#[test]
fn interrupted_checks_and_drills_say_what_was_done() {
    for which in [Signal::INT, Signal::TERM, Signal::HUP] {
        let (address, held) = answering_once();
        let folder = tempfile::tempdir().unwrap();
        let events = folder.path().join("events.ndjson");
        let only = ["--only", "LIST-COUNT", "--only", "tool-server-tools"];
        let kept = ["--base-url", &address, "--events", events.to_str().unwrap()];
        let child = started(&[&["check"], &only[..], &kept].concat());
        let _held = held.join().unwrap();
        let said = interrupted(child, which);
        assert!(
            said.contains(
                "interrupted after 1 of 2 checks: 0 passed, 0 failed, 1 skipped\nnothing was judged: 0 of"
            ),
            "{said}"
        );
        let kept = fs::read_to_string(events).unwrap();
        assert!(kept.contains("\"event\":\"verdict\"") && !kept.contains("\"event\":\"end\""), "{kept}");

        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", silent.local_addr().unwrap());
        let child = started(&["drill", "--only", "list-count-everything", "--base-url", &address]);
        let (_connection, _) = silent.accept().unwrap();
        let said = interrupted(child, which);
        assert!(said.contains("interrupted after 0 of 1 change: 0 of 0 defects caught"), "{said}");
    }
}

#[test]
fn an_interrupted_rehearsal_says_what_was_done() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    // The client interrupts the rehearsal in its second run.
    let asks = "curl -fs -o /dev/null \"$SLIPWAY_BASE_URL/api/tokens\"";
    let script =
        format!("test -e {0} && kill -INT $PPID && exec sleep 60; touch {0}; {asks}", seen.display());
    let output =
        command(&["rehearse", "--only", "used-captcha", "--", "sh", "-c", &script]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(
        said.contains("interrupted after 1 of 2 runs: 1 passed, 0 failed, 0 skipped; 0 findings"),
        "{said}"
    );
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
}

#[test]
fn a_taken_port_says_by_whom() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let holder = format!("process {} (", std::process::id());
    for defect in [&[][..], &["--defect", "list-count-everything"]] {
        let output = expect_code(&[&["up", "--port", &port], defect].concat(), 3);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(&port) && said.contains(&holder) && said.contains("--port 0"), "{said}");
        assert!(said.contains("the REST service"), "{said}");
    }
    let doctor = command(&["doctor", "--port", &port]).output().unwrap();
    let said = String::from_utf8(doctor.stdout).unwrap();
    assert!(said.contains(&format!("{port} by {holder}")), "{said}");
}

/// A program with `--watch`, with its output line by line.
struct Watching {
    child: Child,
    lines: BufReader<std::process::ChildStderr>,
}

impl Watching {
    fn start(words: &[&str], folder: &Path) -> Self {
        let mut command = command(words);
        command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        Self { child, lines }
    }

    /// Reads until it waits, and returns what it has said.
    fn waits(&mut self) -> String {
        self.says("waiting for a change of ")
    }

    /// Reads up to a line that begins so, and returns what it has said.
    fn says(&mut self, beginning: &str) -> String {
        let mut said = String::new();
        loop {
            let before = said.len();
            assert_ne!(self.lines.read_line(&mut said).unwrap(), 0, "it has ended: {said}");
            if said[before..].starts_with(beginning) {
                return said;
            }
        }
    }

    /// Interrupts it while it waits; returns its exit code and standard output.
    fn end(mut self) -> (Option<i32>, String) {
        signal(&self.child, Signal::INT);
        let mut printed = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "it ends quietly");
        (self.child.wait().unwrap().code(), printed)
    }
}

#[test]
fn a_watched_check_runs_again_when_its_target_changes() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("slipway.toml");
    fs::write(&target, "base-url = \"http://127.0.0.1:1\"\n").unwrap();
    fs::create_dir(folder.path().join("more")).unwrap();
    let mut watching = Watching::start(&["check", "--watch", "more", "--only", "LIST-COUNT"], folder.path());
    let said = watching.waits();
    assert!(said.contains("more") && said.contains("slipway.toml"), "{said}");
    fs::write(&target, "base-url = \"http://127.0.0.1:2\"\n").unwrap();
    watching.waits();
    fs::write(&target, "nonsense = 1\n").unwrap();
    watching.waits();
    fs::write(&target, "base-url = \"http://127.0.0.1:3\"\n").unwrap();
    watching.waits();
    fs::write(folder.path().join("more/anything"), "").unwrap();
    watching.waits();
    // A file may be away for a while, and a folder be replaced, as by a build.
    let shown = target.canonicalize().unwrap().display().to_string();
    fs::remove_file(&target).unwrap();
    watching.says(&format!("waiting for {shown}, which is not there; Ctrl-C ends"));
    fs::write(&target, "base-url = \"http://127.0.0.1:4\"\n").unwrap();
    watching.waits();
    let more = folder.path().join("more");
    fs::rename(&more, folder.path().join("old")).unwrap();
    watching.says("waiting for more, which is not there; Ctrl-C ends");
    fs::create_dir(&more).unwrap();
    watching.waits();
    fs::write(more.join("another"), "").unwrap();
    watching.waits();
    let (code, printed) = watching.end();
    assert_eq!(code, Some(3), "that of the last run");
    for port in [1, 2, 3, 4] {
        assert!(printed.contains(&format!("http://127.0.0.1:{port}")), "{printed}");
    }
    assert_eq!(printed.matches("nothing was judged").count(), 7, "{printed}");
    // Without a name nothing is watched.
    let nothing = expect_code(&["check", "--watch", "--target-file", "none", "--only", "LIST-COUNT"], 2);
    assert!(String::from_utf8(nothing.stderr).unwrap().contains("nothing to watch"));
}

#[test]
fn a_watched_rehearsal_runs_again_when_its_client_changes() {
    let folder = tempfile::tempdir().unwrap();
    let client = folder.path().join("client.sh");
    fs::write(&client, "curl -fs -o /dev/null \"$SLIPWAY_BASE_URL/api/tokens\"\n").unwrap();
    let words = ["rehearse", "--watch", "--only", "used-captcha", "--", "sh", "client.sh"];
    let mut watching = Watching::start(&words, folder.path());
    let first = watching.waits();
    assert!(first.starts_with("run 1, ") && first.contains("client.sh"), "{first}");
    fs::write(&client, "exit 7\n").unwrap();
    let second = watching.waits();
    assert!(second.contains("run 2, "), "{second}");
    let (code, printed) = watching.end();
    assert_eq!(code, Some(3));
    assert!(printed.contains("exit 0") && printed.contains("exit 7"), "{printed}");
}

#[test]
fn a_measurement_that_is_stopped_leaves_no_quoter() {
    for which in [Signal::TERM, Signal::HUP] {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pids");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        // It reads nothing, and has started another process.
        let script = format!("sleep 1000 & echo $! $$ > {}; wait", pipe.display());
        let mut bench = command(&["quotes", "bench", "swap", "--count", "1", "--", "sh", "-c", &script]);
        let mut bench = bench.stdout(Stdio::null()).spawn().unwrap();
        let pids = fs::read_to_string(&pipe).unwrap();
        signal(&bench, which);
        assert_eq!(bench.wait().unwrap().code(), Some(130));
        for pid in pids.split_whitespace() {
            ends(pid);
        }
    }
}

/// The terminal of a platform closes: what is written at the end is written.
#[test]
fn a_platform_whose_terminal_closes_exports_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("end.slipway");
    let words = ["up", "--port", "0", "--json", "--market", "empty", "--export", file.to_str().unwrap()];
    let mut up = started(&words);
    let mut line = String::new();
    BufReader::new(up.stdout.take().unwrap()).read_line(&mut line).unwrap();
    signal(&up, Signal::HUP);
    assert_eq!(up.wait().unwrap().code(), Some(0));
    assert!(file.is_file());
}

#[test]
fn what_is_no_answer_of_a_quoter_is_a_wrong_one() {
    for script in ["yes 1 | tr -d '\\n'", "printf '\\377\\n\\377\\n'; cat > /dev/null"] {
        let output = expect_code(&["quotes", "bench", "swap", "--count", "1", "--", "sh", "-c", script], 1);
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains("answer 1 is wrong"), "{script}: {said}");
    }
}
