//! Every package, made once from the program under test and tried without the rest of this checkout.
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use ignore::Walk;
use serde_json::{Value, json};
use slipway_packages::Part;
use slipway_test_support::{Tool, need, node};
use zip::ZipArchive;

use crate::clients::tools::{SLIPWAY, installed, source};
use crate::program::succeeds;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The folder of packages, which are rebuilt when their content changes.
pub(crate) fn packages() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let quotes = Tool::Wasm.probe().is_ok().then_some(Part::Quotes);
        let parts = [Part::Archive, Part::Npm, Part::Wheel, Part::Mcp, Part::Image].into_iter().chain(quotes);
        installed("packages", &stamp(), None, |folder| make(folder, &parts.collect::<Vec<_>>()))
    })
}

fn make(folder: &Path, parts: &[Part]) {
    slipway_packages::make(folder, Some(Path::new(SLIPWAY)), parts).unwrap_or_else(|error| panic!("{error}"));
}

/// The last change of the program, its packer, a document or the sources of the quotes.
pub(crate) fn stamp() -> String {
    let changed = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
    let inputs = ["packages", "README.md", "../README.md", "../Cargo.lock", "../sim/quotes", "../sim/math"];
    let files = inputs.into_iter().flat_map(|path| Walk::new(source(path)));
    let last =
        files.map(|entry| changed(entry.unwrap().path())).max().unwrap().max(changed(Path::new(SLIPWAY)));
    format!("{:?}", last.duration_since(UNIX_EPOCH).unwrap())
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn package(name: &str) -> PathBuf {
    let path = packages().join(name);
    assert!(path.is_file(), "{name} is missing");
    path
}

#[test]
fn checksums_name_every_package() {
    let sums = fs::read_to_string(package("SHA256SUMS")).unwrap();
    let named: Vec<&str> = sums.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    for name in [
        format!("slipway-{VERSION}-x86_64-unknown-linux-gnu.tar.gz"),
        format!("slipway-{VERSION}-x86_64-unknown-linux-gnu.spdx.json"),
        format!("slipway-cli-{VERSION}.tgz"),
        format!("slipway-cli-linux-x64-{VERSION}.tgz"),
        format!("slipway-{VERSION}-linux-x64.mcpb"),
        "server.json".to_owned(),
        "slipway-image.tar".to_owned(),
    ] {
        assert!(named.contains(&name.as_str()), "{name} is not in {named:?}");
    }
    assert!(named.iter().any(|name| name.ends_with(".whl")), "{named:?}");
    let quotes = format!("slipway-quotes-{VERSION}.tgz");
    assert_eq!(named.contains(&quotes.as_str()), Tool::Wasm.probe().is_ok(), "{named:?}");
    succeeds(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(packages()));
}

#[test]
fn archive_contains_program_licences_completions_and_man_pages() {
    let folder = tempfile::tempdir().unwrap();
    let name = format!("slipway-{VERSION}-x86_64-unknown-linux-gnu");
    succeeds(
        Command::new("tar").arg("-xzf").arg(package(&format!("{name}.tar.gz"))).current_dir(folder.path()),
    );
    let inside = folder.path().join(name);
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "THIRD-PARTY.txt", "man/slipway-check.1"] {
        assert!(inside.join(file).is_file(), "{file}");
    }
    for (file, part) in [
        ("completions/slipway.bash", "complete -F _slipway"),
        ("completions/_slipway", "#compdef slipway"),
        ("completions/slipway.fish", "complete -c slipway"),
        ("man/slipway.1", ".TH slipway 1"),
    ] {
        assert!(fs::read_to_string(inside.join(file)).unwrap().contains(part), "{file} has no {part}");
    }
    let version = succeeds(Command::new(inside.join("slipway")).arg("--version").env_clear());
    assert_eq!(text(&version), format!("slipway {VERSION}\n"));
}

/// A program that holds private keys must be loaded at a random address.
#[cfg(target_os = "linux")]
#[test]
fn program_is_position_independent() {
    const SHARED_OBJECT: u16 = 3;
    let header = fs::read(env!("CARGO_BIN_EXE_slipway")).unwrap();
    assert_eq!(&header[..4], b"\x7fELF");
    assert_eq!(u16::from_le_bytes([header[16], header[17]]), SHARED_OBJECT);
}

#[test]
fn npm_package_checks_without_rust() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut install = node("npm");
    install.args(["install", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(folder.path());
    install
        .arg(package(&format!("slipway-cli-{VERSION}.tgz")))
        .arg(package(&format!("slipway-cli-linux-x64-{VERSION}.tgz")));
    succeeds(&mut install);
    let mut check = node("npx");
    check.args(["--no-install", "slipway", "check", "--only", "list-*"]).current_dir(folder.path());
    let report = text(&succeeds(&mut check));
    assert!(report.contains(" 0 failed"), "{report}");
    let mut wrong = node("npx");
    wrong.args(["--no-install", "slipway", "nonsense"]).current_dir(folder.path());
    assert_eq!(wrong.output().unwrap().status.code(), Some(2), "exit codes are passed on");
}

#[test]
fn wheel_installs_the_program() {
    let Some(()) = need(&[Tool::Python, Tool::Pip]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut files = fs::read_dir(packages()).unwrap().map(|entry| entry.unwrap().path());
    let wheel = files.find(|path| path.extension().is_some_and(|ending| ending == "whl")).unwrap();
    let mut install = Command::new("python3");
    install.args([
        "-m",
        "pip",
        "install",
        "--no-index",
        "--quiet",
        "--disable-pip-version-check",
        "--target",
    ]);
    succeeds(install.arg(folder.path()).arg(wheel));
    let version = succeeds(Command::new(folder.path().join("bin/slipway")).arg("--version"));
    assert_eq!(text(&version), format!("slipway {VERSION}\n"));
}

#[test]
fn bundle_serves_as_its_manifest_says() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = package(&format!("slipway-{VERSION}-linux-x64.mcpb"));
    // Keeps permissions, like clients that install bundles.
    ZipArchive::new(File::open(bundle).unwrap()).unwrap().extract(folder.path()).unwrap();
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt"] {
        assert!(folder.path().join(file).is_file(), "{file}");
    }
    let manifest = read(&folder.path().join("manifest.json"));
    for member in ["name", "description", "author"] {
        assert!(!manifest[member].is_null(), "{member}");
    }
    assert_eq!((&manifest["manifest_version"], &manifest["version"]), (&json!("0.3"), &json!(VERSION)));
    assert_eq!(manifest["tools"].as_array().unwrap().len(), 5);
    let server = &manifest["server"];
    assert!(folder.path().join(server["entry_point"].as_str().unwrap()).is_file());
    let config = &server["mcp_config"];
    let here = folder.path().to_str().unwrap();
    let program = config["command"].as_str().unwrap().replace("${__dirname}", here);
    let mut serve = Command::new(program);
    serve.args(config["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap())).arg("--offline");
    serve.env_clear().env("XDG_CACHE_HOME", folder.path().join("cache"));
    for (name, value) in config["env"].as_object().unwrap() {
        let value = value.as_str().unwrap();
        let Some(setting) = value.strip_prefix("${user_config.") else {
            serve.env(name, value.replace("${__dirname}", here));
            continue;
        };
        let default = &manifest["user_config"][setting.trim_end_matches('}')]["default"];
        serve.env(name, default.as_str().map_or_else(|| default.to_string(), str::to_owned));
    }
    let mut serving = serve.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let params = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "0" },
    });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let greeted = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    // Its answer must wait for the platform, which has only the tools of the bundle.
    let call = json!({ "name": "wallet_info", "arguments": {} });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call });
    let mut lines = BufReader::new(serving.stdout.take().unwrap()).lines();
    let mut input = serving.stdin.take().unwrap();
    for message in [hello, greeted, call] {
        writeln!(input, "{message}").unwrap();
    }
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(next()["result"]["serverInfo"]["version"], VERSION);
    let wallet = next();
    assert_eq!(wallet["result"]["structuredContent"]["chainId"], 57073, "{wallet}");
    drop(input);
    assert!(serving.wait().unwrap().success());
}

#[test]
fn entry_for_registries_of_tool_servers_describes_the_npm_package() {
    let entry = read(&package("server.json"));
    let (owner, name) = entry["name"].as_str().unwrap().split_once('/').unwrap();
    assert!(!owner.is_empty() && !name.contains('/'), "{entry}");
    assert_eq!(entry["version"], VERSION);
    let length = entry["description"].as_str().unwrap().chars().count();
    assert!((1..=100).contains(&length), "registries take at most 100 characters, not {length}");
    let described = &entry["packages"][0];
    let npm = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("packages/npm/package.json"));
    assert_eq!((&described["identifier"], &described["version"]), (&npm["name"], &json!(VERSION)));
    assert_eq!(described["transport"]["type"], "stdio");
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("packages/mcp/manifest.json");
    let mut settings = read(&manifest)["server"]["mcp_config"]["env"].as_object().unwrap().clone();
    // The npm package contains no chain tools.
    assert!(settings.shift_remove("SLIPWAY_TOOLCHAIN").is_some());
    let variables = described["environmentVariables"].as_array().unwrap().iter();
    assert!(variables.map(|variable| variable["name"].as_str().unwrap()).eq(settings.keys()));
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn exported_tools_serve_without_npm() {
    let folder = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_slipway");
    succeeds(Command::new(program).args(["doctor", "--install"]).arg(folder.path().join("tools")));
    let mut check = Command::new(program);
    check.args(["check", "--only", "LIST-COUNT"]).env("SLIPWAY_TOOLCHAIN", folder.path().join("tools"));
    check.env("PATH", "/usr/bin:/bin").env("XDG_CACHE_HOME", folder.path().join("cache")).env_remove("ANVIL");
    succeeds(&mut check);
}
