//! A quoter in its own process: cases to its standard input, answers from its standard output, one per line.
use std::io::{self, BufRead, BufReader, ErrorKind, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::process::Pid;
use slipway_scenarios::client::group::ProcessGroup;

use super::QuotesError;

/// Maximum answers queued for comparison.
const WAITING: usize = 1 << 12;
/// Longest line of an answer, in bytes.
const LONGEST_ANSWER: u64 = 16 * 1024;
/// Maximum wait for an answer, and for the quoter to read on.
const PATIENCE: Duration = Duration::from_secs(60);

/// A quoter and, while it runs, its process.
#[derive(Debug)]
pub(crate) struct Quoter {
    pub(crate) name: String,
    words: Vec<String>,
    /// Whether it answers each line at once.
    prompt: bool,
    running: Option<Running>,
    groups: Groups,
    peak: Option<u64>,
}

/// The process groups of running quoters. A quoter may have started others, and may not end with its input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups(Arc<Mutex<Started>>);

#[derive(Debug, Default)]
struct Started {
    groups: Vec<ProcessGroup>,
    is_over: bool,
}

impl Groups {
    /// Kills all, and every one that is started from now on.
    pub(crate) fn end(&self) {
        let mut started = self.0.lock();
        started.is_over = true;
        started.groups.clear();
    }

    fn add(&self, group: ProcessGroup) {
        let mut started = self.0.lock();
        if !started.is_over {
            started.groups.push(group);
        }
    }

    fn remove(&self, group: Pid) {
        self.0.lock().groups.retain(|other| other.number() != group);
    }
}

#[derive(Debug)]
struct Running {
    child: Child,
    group: Pid,
    groups: Groups,
    input: Option<ChildStdin>,
    answers: Receiver<String>,
}

impl Quoter {
    pub(crate) fn new(name: &str, words: Vec<String>, groups: &Groups) -> Self {
        let groups = groups.clone();
        Self { name: name.to_owned(), words, prompt: true, running: None, groups, peak: None }
    }

    /// Starts it and determines whether it answers each line at once.
    pub(crate) fn begin(&mut self, line: &str, longest: Duration) -> Result<(), QuotesError> {
        let mut running = self.start()?;
        running.send(line);
        match running.answers.recv_timeout(longest) {
            Ok(_) => self.running = Some(running),
            Err(RecvTimeoutError::Timeout) => self.prompt = false,
            Err(RecvTimeoutError::Disconnected) => return Err(self.ended(0, 1)),
        }
        Ok(())
    }

    pub(crate) fn answer_all(&mut self, lines: &[String]) -> Result<Vec<String>, QuotesError> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start()?,
        };
        let input = running.input.take();
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        let keeps = self.prompt;
        let writer = thread::spawn(move || {
            let mut input = input?;
            // A quoter that ended or does not read is noticed by its missing answers.
            let written = write(&mut input, text.as_bytes(), PATIENCE);
            (keeps && written.is_ok()).then_some(input)
        });
        let mut answers = Vec::with_capacity(lines.len());
        while answers.len() < lines.len() {
            match running.answers.recv_timeout(PATIENCE) {
                Ok(answer) => answers.push(answer),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended(answers.len(), lines.len())),
                Err(RecvTimeoutError::Timeout) => {
                    return Err(QuotesError::Silent {
                        name: self.name.clone(),
                        given: answers.len(),
                        asked: lines.len(),
                        seconds: PATIENCE.as_secs(),
                    });
                }
            }
        }
        self.peak = self.peak.max(memory_of_tree(running.child.id()));
        running.input = writer.join().ok().flatten();
        if self.prompt {
            self.running = Some(running);
        }
        Ok(answers)
    }

    /// The answer to one line; `None` from a quoter that answers only at the end of its input.
    pub(crate) fn answer_one(&mut self, line: &str) -> Result<Option<String>, QuotesError> {
        let Some(running) = &mut self.running else {
            return Ok(None);
        };
        running.send(line);
        match running.answers.recv_timeout(PATIENCE) {
            Ok(answer) => Ok(Some(answer)),
            Err(_) => Err(self.ended(0, 1)),
        }
    }

    /// Peak memory of its processes, bytes.
    pub(crate) fn memory(&self) -> Option<u64> {
        self.peak
    }

    fn start(&self) -> Result<Running, QuotesError> {
        let spawned = Command::new(&self.words[0])
            .args(&self.words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn();
        let mut child =
            spawned.map_err(|source| QuotesError::Spawn { program: self.words[0].clone(), source })?;
        let input = child.stdin.take();
        let output = child.stdout.take();
        let (sender, answers) = sync_channel(WAITING);
        thread::spawn(move || {
            let mut output = output.map(BufReader::new);
            while let Some(line) = output.as_mut().and_then(next_line) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let group = Pid::from_child(&child);
        self.groups.add(ProcessGroup::led_by(group));
        Ok(Running { child, group, groups: self.groups.clone(), input, answers })
    }

    fn ended(&self, given: usize, asked: usize) -> QuotesError {
        QuotesError::Ended { name: self.name.clone(), given, asked }
    }
}

/// The next answer, which is wrong if it is no text; `None` at the end of the output. A line that is longer than any answer is several.
fn next_line(output: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    let read = output.take(LONGEST_ANSWER).read_until(b'\n', &mut line).ok()?;
    (read > 0).then(|| String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned())
}

impl Running {
    fn send(&mut self, line: &str) {
        if let Some(input) = &mut self.input {
            // A quoter that ended or does not read is noticed by its missing answer.
            let _ = write(input, format!("{line}\n").as_bytes(), PATIENCE);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.groups.remove(self.group);
        let _ = self.child.wait();
    }
}

/// Writes all bytes; an error if the reader reads nothing for this long.
fn write(input: &mut ChildStdin, mut bytes: &[u8], patience: Duration) -> io::Result<()> {
    ioctl_fionbio(&*input, true)?;
    let longest = Timespec::try_from(patience).map_err(io::Error::other)?;
    while !bytes.is_empty() {
        match input.write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                match poll(&mut [PollFd::new(&*input, PollFlags::OUT)], Some(&longest)) {
                    Ok(0) => return Err(ErrorKind::TimedOut.into()),
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Peak memory of a process and all its descendants, in bytes; `None` if the system does not report it.
fn memory_of_tree(root: u32) -> Option<u64> {
    let mut parents = Vec::new();
    for entry in std::fs::read_dir("/proc").ok()?.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        if let Some(parent) = number("PPid:") {
            parents.push((pid, parent, number("VmHWM:").unwrap_or_default() * 1_024));
        }
    }
    let mut tree = vec![root];
    let mut at = 0;
    while at < tree.len() {
        let parent = u64::from(tree[at]);
        tree.extend(parents.iter().filter(|(_, of, _)| *of == parent).map(|(pid, ..)| *pid));
        at += 1;
    }
    Some(parents.iter().filter(|(pid, ..)| tree.contains(pid)).map(|(.., bytes)| bytes).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoter_that_does_not_read_is_not_waited_for() {
        let words = ["sleep", "1000"].map(str::to_owned).to_vec();
        let mut running = Quoter::new("deaf", words, &Groups::default()).start().unwrap();
        let input = running.input.as_mut().unwrap();
        let error = write(input, &[b'1'; 1 << 20], Duration::from_millis(50)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }
}
