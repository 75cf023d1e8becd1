//! `slipway check` against targets that send endlessly, too much, or nothing: it reaches a verdict in time, in bounded memory.
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::program::command;

/// Maximum memory of a run, in KiB.
const MOST_MEMORY: u64 = 512 * 1024;
/// How long a run may take after the last useful answer.
const LONGEST: Duration = Duration::from_secs(120);
/// Largest answer that a check reads, in bytes.
const LARGEST: usize = 16 << 20;

/// How a target answers every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// With endless chunks.
    Endless,
    /// With a length of 100 GiB, and as much of it as the client reads.
    Announced,
    /// With endless header lines.
    Headers,
    /// With as many values as the largest answer holds.
    Values,
    /// With one long text, just below the size limit.
    Long,
    /// Not at all.
    Silent,
    /// With a byte now and then.
    Dripping,
}

impl Target {
    /// Answers one request; an error if the peer has disconnected.
    fn answer(self, stream: &mut TcpStream) -> std::io::Result<()> {
        const OK: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
        let piece = [b'0'; 64 * 1024];
        let whole = |stream: &mut TcpStream, body: Vec<u8>| {
            write!(stream, "{OK}content-length: {}\r\n\r\n", body.len())?;
            stream.write_all(&body)
        };
        match self {
            Self::Endless => {
                write!(stream, "{OK}transfer-encoding: chunked\r\n\r\n")?;
                loop {
                    stream.write_all(b"10000\r\n")?;
                    stream.write_all(&piece)?;
                    stream.write_all(b"\r\n")?;
                }
            }
            Self::Announced => {
                write!(stream, "{OK}content-length: {}\r\n\r\n", 100_u64 << 30)?;
                loop {
                    stream.write_all(&piece)?;
                }
            }
            Self::Headers => {
                write!(stream, "{OK}")?;
                loop {
                    stream.write_all(b"x-more: and more\r\n")?;
                }
            }
            Self::Values => whole(stream, format!("[0{}]", ",0".repeat(LARGEST / 2 - 2)).into_bytes()),
            Self::Long => {
                whole(stream, format!("{{\"tokens\":\"{}\"}}", "a".repeat(LARGEST - 64)).into_bytes())
            }
            Self::Silent => stream.read(&mut [0; 1]).map(drop),
            Self::Dripping => {
                write!(stream, "{OK}content-length: 1000000\r\n\r\n")?;
                stream.set_read_timeout(Some(Duration::from_millis(500)))?;
                loop {
                    match stream.read(&mut [0; 1]) {
                        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                            stream.write_all(b"0")?;
                        }
                        _ => return Ok(()),
                    }
                }
            }
        }
    }
}

/// Peak memory of a process so far, in KiB.
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

/// Serves a target; records the peak memory of its peer after every answer.
fn serve(target: Target, process: Arc<AtomicU32>, most: Arc<AtomicU64>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, process, most) = (stream.unwrap(), Arc::clone(&process), Arc::clone(&most));
            thread::spawn(move || {
                let mut requests = BufReader::new(stream.try_clone().unwrap());
                loop {
                    let mut line = String::new();
                    while requests.read_line(&mut line).is_ok_and(|count| count > 0)
                        && !line.ends_with("\r\n\r\n")
                    {}
                    if line.is_empty() {
                        return;
                    }
                    let answered = target.answer(&mut stream);
                    most.fetch_max(peak(process.load(Ordering::SeqCst)), Ordering::SeqCst);
                    if answered.is_err() {
                        return;
                    }
                }
            });
        }
    });
    format!("http://{address}")
}

/// Checks a target; returns the output, the exit code, and the time taken.
fn checked(target: Target) -> (String, Option<i32>, Duration) {
    let (process, most) = (Arc::<AtomicU32>::default(), Arc::<AtomicU64>::default());
    let url = serve(target, Arc::clone(&process), Arc::clone(&most));
    let begun = Instant::now();
    let child =
        command(&["check", "--base-url", &url]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    process.store(child.id(), Ordering::SeqCst);
    let output = child.wait_with_output().unwrap();
    let most = most.load(Ordering::SeqCst);
    assert!((1..MOST_MEMORY).contains(&most), "{target:?}: {most} KiB");
    (String::from_utf8(output.stdout).unwrap(), output.status.code(), begun.elapsed())
}

#[test]
fn target_that_sends_too_much_is_inconclusive_in_bounded_memory() {
    let reason = "sends too much: an answer is larger than 16 MiB";
    for (target, said, code) in [
        (Target::Endless, reason, Some(3)),
        (Target::Announced, reason, Some(3)),
        (Target::Headers, "is out of reach", Some(3)),
        (Target::Values, "sends too much: one takes more than 64 MiB of memory", Some(3)),
        (Target::Long, "FAILED", Some(1)),
    ] {
        let (text, exit, took) = checked(target);
        assert!(text.contains(said), "{target:?}: {text}");
        assert_eq!(exit, code, "{target:?}: {text}");
        // Long answers are useful; judging them may take longer.
        assert!(code == Some(1) || took < LONGEST * 2, "{target:?}: {took:?}");
        if said == reason {
            // Once per address and cause.
            assert_eq!(text.matches(reason).count(), 1, "{text}");
        }
    }
}

#[test]
fn target_that_takes_no_connection_is_told_in_a_few_lines() {
    let addresses = ["--base-url", "http://127.0.0.1:1", "--swap-url", "http://127.0.0.1:2"];
    let output = command(&[&["check"], &addresses[..]].concat()).output().unwrap();
    let (said, told) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.lines().count() + told.lines().count() <= 8, "{said}{told}");
    assert!(said.contains("http://127.0.0.1:1 takes no connection: Connection refused"), "{said}");
}

#[test]
fn a_target_that_cannot_be_reached_as_given_is_told_with_the_remedy() {
    // It answers each connection in plain text, whatever comes.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let plain = format!("https://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = stream.and_then(|mut stream| stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
        }
    });
    for (options, remedy) in [
        (["--base-url", &plain], "give http:// in place of https://"),
        (["--mcp", "no-such-server"], "\"no-such-server\" cannot be run: "),
    ] {
        let output = command(&[&["check"], &options[..]].concat()).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(remedy), "{said}");
    }
}

#[test]
fn silent_target_is_given_up_in_time() {
    let runs = [Target::Silent, Target::Dripping].map(|target| thread::spawn(move || checked(target)));
    for run in runs {
        let (text, exit, took) = run.join().unwrap();
        assert_eq!(exit, Some(3), "{text}");
        assert!(text.contains("gave no whole answer within 30 s"), "{text}");
        assert!(text.contains("does not answer"), "{text}");
        assert!(took < LONGEST, "{took:?}");
    }
}

/// Python code of a tool server that sends requests, endlessly or now and then, and never reads.
const DEAF: [&str; 2] = [
    "import os\nwhile True: os.write(1, b'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\\n')",
    "import os, select\nwhile True:\n  os.write(1, b'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\\n')\n  select.select([], [], [], 0.05)",
];

#[test]
fn tool_server_that_asks_and_does_not_read_is_given_up_in_time() {
    for (code, said) in DEAF.iter().zip(["the tool server sends too much", "no answer to request 1"]) {
        let server = shlex::try_join(["python3", "-c", code]).unwrap();
        let begun = Instant::now();
        let output = command(&["check", "--mcp", &server]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(3), "{text}");
        assert!(text.contains(said), "{text}");
        assert!(begun.elapsed() < LONGEST * 2, "{:?}", begun.elapsed());
    }
}
