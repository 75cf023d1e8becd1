//! `slipway check --image`, on our own image and on a foreign platform with a planted fault.
use std::fs::File;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use slipway_test_support::{Tool, need};
use testcontainers::core::{AccessMode, CmdWaitFor, ExecCommand, Mount, WaitFor};
use testcontainers::runners::AsyncRunner as _;
use testcontainers::{GenericImage, ImageExt as _};

use crate::packages::packages;
use crate::program::{command, json, run, signal, succeeds};
use crate::workflows::{acted, annotations};

const TOY: &str = "slipway-toy:test";
const PATIENCE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(50);

pub(crate) fn docker(arguments: &[&str]) -> String {
    let output = succeeds(Command::new("docker").args(arguments));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The engine, shared with other tests.
pub(crate) fn engine() -> Option<File> {
    let lock = engine_lock()?;
    lock.lock_shared().unwrap();
    Some(lock)
}

/// The engine for this test alone, which kills a run: the next run of any test removes what that one leaves.
fn engine_alone() -> Option<File> {
    let lock = engine_lock()?;
    lock.lock().unwrap();
    Some(lock)
}

fn engine_lock() -> Option<File> {
    need(&[Tool::Engine])?;
    Some(File::create(std::env::temp_dir().join("slipway-containers.lock")).unwrap())
}

fn assert_no_engine_is_explained(output: &Output) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.contains("apt-get install docker.io") && error.contains("DOCKER_HOST"), "{error}");
}

/// The containers started from an image by runs on this machine.
fn containers(image: &str) -> Vec<String> {
    let ancestor = format!("ancestor={image}");
    let listed =
        docker(&["ps", "--all", "--quiet", "--filter", "label=io.slipway.owner", "--filter", &ancestor]);
    listed.lines().map(str::to_owned).collect()
}

/// Our own image, loaded once.
pub(crate) fn own_image() -> &'static str {
    static LOADED: OnceLock<()> = OnceLock::new();
    LOADED.get_or_init(|| {
        docker(&["load", "--quiet", "--input", packages().join("slipway-image.tar").to_str().unwrap()]);
    });
    "slipway:latest"
}

/// Builds an image of the example `toy_platform` with its libraries.
fn toy_image(labels: &[&str], name: &str) {
    let folder = tempfile::tempdir().unwrap();
    let toy = Path::new(env!("CARGO_BIN_EXE_slipway")).parent().unwrap().join("examples/toy_platform");
    let libraries = succeeds(Command::new("ldd").arg(&toy));
    let listed = String::from_utf8(libraries.stdout).unwrap();
    let named = listed.split_whitespace().filter(|word| word.starts_with('/')).map(PathBuf::from);
    for file in named {
        let place = folder.path().join(file.strip_prefix("/").unwrap());
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::copy(&file, &place).unwrap();
    }
    std::fs::copy(&toy, folder.path().join("toy")).unwrap();
    let tar = folder.path().with_extension("tar");
    succeeds(Command::new("tar").arg("-cf").arg(&tar).arg("-C").arg(folder.path()).arg("."));
    let mut import = Command::new("docker");
    import.args(["import", "--change", "ENTRYPOINT [\"/toy\"]"]);
    for label in labels {
        import.args(["--change", &format!("LABEL {label}")]);
    }
    succeeds(import.arg(&tar).arg(name));
    std::fs::remove_file(tar).unwrap();
}

#[test]
fn without_an_engine_one_line_says_what_to_install() {
    let folder = tempfile::tempdir().unwrap();
    let silent = folder.path().join("silent.sock");
    // This one accepts connections and never answers.
    let _listener = UnixListener::bind(&silent).unwrap();
    for socket in [&silent, Path::new("/nonexistent/docker.sock")] {
        let mut check = command(&["check", "--image", "slipway:latest"]);
        let output = check.env("DOCKER_HOST", format!("unix://{}", socket.display())).output().unwrap();
        assert_no_engine_is_explained(&output);
    }
}

/// Checks of everything that a container could affect: addresses, files, nodes, the control plane and the tool server.
#[test]
fn own_image_offers_every_service_and_its_container_is_gone_afterwards() {
    let Some(_engine) = engine() else { return };
    let checks = [
        "capabilities-code",
        "chain-graduation",
        "chat-read-back",
        "referral-register",
        "swap-quote-build",
        "tool-server-result",
        "upload-serves",
    ];
    let only = checks.into_iter().flat_map(|check| ["--only", check]);
    let arguments = ["check", "--json", "--image", own_image()];
    let output = run(&arguments.into_iter().chain(only).collect::<Vec<_>>());
    let said = || String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{}\n{}", said(), String::from_utf8_lossy(&output.stdout));
    assert_eq!(json(&output)["summary"]["passed"], checks.len(), "the image offers everything");
    assert_eq!(containers(own_image()), Vec::<String>::new());

    let output = run(&["drill", "--json", "--image", own_image(), "--only", "list-page-zero"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(json(&output)["summary"]["caught"], 1);
    assert_eq!(containers(own_image()), Vec::<String>::new());
}

/// Runs as a non-root user on a read-only root file system, without the image's own market, which is made for one hour; it stops on a
/// signal.
#[tokio::test(flavor = "multi_thread")]
async fn own_image_becomes_healthy_and_stops_when_told() {
    let Some(_engine) = engine() else { return };
    let (name, tag) = own_image().split_once(':').unwrap();
    let cache = Mount::tmpfs_mount("/var/cache").with_access_mode(AccessMode::ReadOnly);
    let image = GenericImage::new(name, tag).with_wait_for(WaitFor::healthcheck());
    let request = image.with_readonly_rootfs(true).with_mount(cache).with_startup_timeout(PATIENCE);
    let container = request.start().await.unwrap();
    let user = "while read -r key value rest; do if [ \"$key\" = Uid: ]; then echo \"$value\"; fi; done </proc/1/status";
    let user = ExecCommand::new(["/bin/sh", "-c", user]).with_cmd_ready_condition(CmdWaitFor::exit());
    let said = container.exec(user).await.unwrap().stdout_to_vec().await.unwrap();
    assert_eq!(String::from_utf8(said).unwrap().trim(), "65532");
    for port in [4700, 4701, 4702, 4703, 4704_u16] {
        container.get_host_port_ipv4(port).await.unwrap();
    }
    container.stop_with_timeout(Some(30)).await.unwrap();
    assert_ne!(container.exit_code().await.unwrap(), Some(137), "it had to be killed");
    container.rm().await.unwrap();
}

#[test]
fn foreign_platform_is_checked_by_its_labels_and_its_fault_is_found() {
    let Some(_engine) = engine() else { return };
    toy_image(&["io.slipway.port.rest=8080"], TOY);
    let output = run(&["check", "--json", "--only", "LIST-COUNT", "--image", TOY]);
    let report = json(&output);
    assert_eq!(output.status.code(), Some(1), "{report:#}");
    assert_eq!(report["checks"][0]["clause"], "LIST-COUNT");
    assert_eq!(containers(TOY), Vec::<String>::new());

    // The GitHub Action does the same with its input.
    let folder = tempfile::tempdir().unwrap();
    let output = acted(folder.path(), &[("image", TOY), ("only", "LIST-COUNT")]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let annotations = annotations(&output);
    assert!(annotations.len() == 1 && annotations[0].contains("LIST-COUNT"), "{annotations:?}");
    assert!(std::fs::read_to_string(folder.path().join("summary.md")).unwrap().contains("1 failed"));
    assert_eq!(containers(TOY), Vec::<String>::new());

    // The target file describes an image without labels.
    let bare = "slipway-toy-bare:test";
    toy_image(&[], bare);
    let refused = run(&["check", "--only", "LIST-COUNT", "--image", bare]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("io.slipway.port.rest"));
    let folder = tempfile::tempdir().unwrap();
    let file = format!("image = \"{bare}\"\n[container]\nports = {{ rest = 8080 }}\n");
    std::fs::write(folder.path().join("slipway.toml"), file).unwrap();
    let output =
        command(&["check", "--json", "--only", "LIST-COUNT"]).current_dir(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(containers(bare), Vec::<String>::new());
    docker(&["rmi", "--force", bare]);
}

#[test]
fn failed_start_shows_the_last_lines() {
    let Some(_engine) = engine() else { return };
    let name = "slipway-toy-broken:test";
    toy_image(&["io.slipway.port.rest=8080"], name);
    let folder = tempfile::tempdir().unwrap();
    let file = format!("image = \"{name}\"\n[container.environment]\nFAIL = \"1\"\n");
    std::fs::write(folder.path().join("slipway.toml"), file).unwrap();
    let output = command(&["check", "--only", "LIST-COUNT"]).current_dir(folder.path()).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(error.contains("there is no disk in this toy"), "{error}");
    assert_eq!(containers(name), Vec::<String>::new());
    docker(&["rmi", "--force", name]);
}

/// Starts a check that waits for a part that never answers, and returns once its container runs.
fn waiting(image: &str, folder: &Path) -> std::process::Child {
    // The port is published, and nothing listens behind it.
    let file = format!("image = \"{image}\"\n[container]\nports = {{ swap = 9 }}\n");
    std::fs::write(folder.join("slipway.toml"), file).unwrap();
    let child = command(&["check", "--only", "LIST-COUNT", "--wait", "300"])
        .current_dir(folder)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while containers(image).is_empty() {
        assert!(begun.elapsed() < PATIENCE, "no container was started");
        sleep(PAUSE);
    }
    child
}

#[test]
fn signals_leave_no_container_and_the_next_run_removes_what_a_kill_left() {
    let Some(_engine) = engine_alone() else { return };
    let name = "slipway-toy-signals:test";
    toy_image(&["io.slipway.port.rest=8080"], name);
    let folder = tempfile::tempdir().unwrap();
    for which in [Signal::INT, Signal::TERM] {
        let mut child = waiting(name, folder.path());
        signal(&child, which);
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert_eq!(containers(name), Vec::<String>::new(), "{which:?}");
    }
    let mut child = waiting(name, folder.path());
    signal(&child, Signal::KILL);
    child.wait().unwrap();
    assert_eq!(containers(name).len(), 1, "a killed run cannot clean up");
    std::fs::remove_file(folder.path().join("slipway.toml")).unwrap();
    assert_eq!(run(&["check", "--only", "LIST-COUNT", "--image", name]).status.code(), Some(1));
    assert_eq!(containers(name), Vec::<String>::new());
    docker(&["rmi", "--force", name]);
}

#[test]
fn unknown_image_is_named() {
    let Some(_engine) = engine() else { return };
    let output = run(&["check", "--image", "slipway-no-such-image:none"]);
    assert_eq!(output.status.code(), Some(3));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("slipway-no-such-image:none") && error.contains("docker load"), "{error}");
}
