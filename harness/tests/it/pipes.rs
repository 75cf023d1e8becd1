//! Pipes in place of files: refused where waiting for the other side would never end.
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::process::Command;

use rustix::process::Signal;

use crate::program::{Running, expect_code};

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn pipe_in_a_state_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().to_str().unwrap();
    let up = Running::up(&["--state", state]);
    up.signal(Signal::TERM);
    assert!(up.end().1.success());
    let chains = fs::read_dir(folder.path().join("chains")).unwrap().next().unwrap().unwrap().path();
    let inside = ["manifest.json", "state-57073.json", "genesis-4663.json"].map(|name| chains.join(name));
    let stored = ["store.sqlite", "store.lock"].map(|name| folder.path().join(name));
    for path in inside.iter().chain(&stored) {
        let aside = path.with_extension("aside");
        fs::rename(path, &aside).unwrap();
        make_pipe(path);
        let output = expect_code(&["up", "--port", "0", "--state", state], 3);
        let said = String::from_utf8(output.stderr).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(said.contains("it is not a regular file") && said.contains(name), "{name}: {said}");
        fs::rename(&aside, path).unwrap();
    }
    let up = Running::up(&["--state", state]);
    up.signal(Signal::TERM);
    assert!(up.end().1.success());
}

const CHECK: [&str; 5] = ["check", "--base-url", "http://127.0.0.1:1", "--only", "list-pages"];

#[test]
fn report_goes_to_a_pipe_only_while_somebody_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    make_pipe(&pipe);
    let name = pipe.to_str().unwrap();
    for option in ["--events", "--html", "--junit", "--ctrf", "--summary", "--badge"] {
        let output = expect_code(&[&CHECK[..], &[option, name]].concat(), 3);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("it is a pipe that nobody reads"), "{option}: {said}");
    }
    let mut reader = File::options().read(true).write(true).open(&pipe).unwrap();
    let reading = std::thread::spawn(move || {
        let (mut text, mut piece) = (Vec::new(), [0; 4096]);
        while !text.ends_with(b"</html>") {
            let count = reader.read(&mut piece).unwrap();
            text.extend_from_slice(&piece[..count]);
        }
    });
    expect_code(&[&CHECK[..], &["--html", name]].concat(), 3);
    reading.join().unwrap();
    for shown in ["/dev/stdout", "/dev/fd/1"] {
        let output = expect_code(&[&CHECK[..], &["--events", shown]].concat(), 3);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with("{\"event\":\"run\""), "{text}");
    }
}
