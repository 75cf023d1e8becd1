//! A container image with the platform deployed and seeded in it, made only from files of this machine, in the format that
//! `docker load` reads. It contains slipway, anvil, the published contracts, the market of seed 1, and the shell, `rm` and
//! libraries that these need.
use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fs_err as fs;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use walkdir::WalkDir;

use crate::{Result, Sources, output, pack, permit, sha256};

const PORTS: [(&str, u16); 5] =
    [("rest", 4700), ("swap", 4701), ("control", 4702), ("rpc.57073", 4703), ("rpc.4663", 4704)];
/// Architecture of this machine, in the terms of images.
const ARCHITECTURE: &str = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
const USER: u64 = 65532;
const CERTIFICATES: &str = "etc/ssl/certs/ca-certificates.crt";

pub(crate) fn make(sources: &Sources) -> Result<()> {
    let tree = sources.stage("image")?;
    let ready = fill(sources, &tree)?;
    let layer = sources.work.path().join("layer.tar");
    let owner = |path: &Path| if path.starts_with("home/slipway") { USER } else { 0 };
    pack::tar(&tree, Path::new(""), sources.epoch, owner, fs::File::create(&layer)?)?;
    let digest = sha256(&layer)?;
    let config = config(&sources.version, &ready, &digest)?.to_string();
    let name = format!("{:x}.json", Sha256::digest(&config));
    let layers = [format!("{digest}/layer.tar")];
    let manifest = json!([{ "Config": name, "RepoTags": ["slipway:latest"], "Layers": layers }]).to_string();

    let file = if ARCHITECTURE == "arm64" { "slipway-image-arm64.tar" } else { "slipway-image.tar" };
    let mut image = tar::Builder::new(fs::File::create(sources.out.join(file))?);
    for (path, content) in [(name.as_str(), config), ("manifest.json", manifest)] {
        let mut header = pack::header(sources.epoch)?;
        header.set_size(content.len() as u64);
        image.append_data(&mut header, path, content.as_bytes())?;
    }
    let mut header = pack::header(sources.epoch)?;
    header.set_size(fs::metadata(&layer)?.len());
    image.append_data(&mut header, &layers[0], fs::File::open(&layer)?)?;
    image.finish()?;
    Ok(())
}

/// Writes every file of the image into a folder and returns the ready line of the platform.
fn fill(sources: &Sources, tree: &Path) -> Result<Value> {
    for folder in
        ["bin", "etc/ssl/certs", "tmp", "usr/bin", "usr/share/doc/slipway", "var/cache", "home/slipway"]
    {
        fs::create_dir_all(tree.join(folder))?;
    }
    permit(&tree.join("tmp"), 0o1777)?;
    let documents = tree.join("usr/share/doc/slipway");
    sources.licences(&documents)?;
    fs::copy(&sources.notices, documents.join("THIRD-PARTY.txt"))?;
    let slipway = tree.join("usr/bin/slipway");
    fs::copy(&sources.binary, &slipway)?;
    let tools = tree.join("opt/slipway");
    output(Command::new(&slipway).args(["doctor", "--install"]).arg(&tools))?;
    for (search, name) in [("command -v dash || command -v sh", "bin/sh"), ("command -v rm", "bin/rm")] {
        fs::copy(output(Command::new("sh").args(["-c", search]))?.trim(), tree.join(name))?;
    }
    let mut programs = vec![slipway.clone(), tree.join("bin/sh"), tree.join("bin/rm")];
    for entry in WalkDir::new(tools.join("node_modules/@foundry-rs")) {
        programs.extend(Some(entry?.into_path()).filter(|path| path.ends_with("bin/anvil")));
    }
    // The programs with their libraries and loader, each at its own path.
    for library in libraries(&programs)? {
        let place = tree.join(library.strip_prefix("/")?);
        fs::create_dir_all(place.parent().unwrap_or(tree))?;
        fs::copy(library, place)?;
    }
    fs::write(
        tree.join("etc/passwd"),
        "root:x:0:0:root:/:/bin/sh\nslipway:x:65532:65532:slipway:/home/slipway:/bin/sh\n",
    )?;
    fs::write(tree.join("etc/group"), "root:x:0:\nslipway:x:65532:\n")?;
    fs::write(tree.join("etc/nsswitch.conf"), "hosts: files dns\n")?;
    let certificates = Path::new("/").join(CERTIFICATES);
    if certificates.is_file() {
        fs::copy(certificates, tree.join(CERTIFICATES))?;
    }
    // Runs the platform once with the tools of the image, so that the image's cache has its deployed and seeded chains.
    let mut up = Command::new(&slipway);
    up.args(["up", "--json", "--port", "0", "--offline", "--until-eof"]);
    up.env("SLIPWAY_TOOLCHAIN", tools).env("XDG_CACHE_HOME", tree.join("var/cache")).env("ANVIL", "");
    Ok(serde_json::from_str(&output(&mut up)?)?)
}

fn libraries(programs: &[PathBuf]) -> Result<BTreeSet<PathBuf>> {
    // `ldd` fails if one of them is statically linked, and still lists the libraries of the others.
    let listed = Command::new("ldd").args(programs).stderr(Stdio::null()).output()?;
    let listed = String::from_utf8(listed.stdout)?;
    let paths = listed.lines().filter_map(|line| {
        let (path, _) = line.rsplit_once(" (")?;
        Some(path.rsplit_once("=> ").map_or(path, |(_, path)| path).trim())
    });
    Ok(paths.filter(|path| path.starts_with('/')).map(PathBuf::from).collect())
}

fn config(version: &str, ready: &Value, digest: &str) -> Result<Value> {
    let mut ports = Map::new();
    for (_, port) in PORTS {
        ports.insert(format!("{port}/tcp"), json!({}));
    }
    let second = 1_000_000_000_u64;
    Ok(json!({
        "architecture": ARCHITECTURE,
        "os": "linux",
        "config": {
            "User": format!("{USER}:{USER}"),
            "Env": [
                "PATH=/usr/bin:/bin",
                "HOME=/home/slipway",
                "SLIPWAY_TOOLCHAIN=/opt/slipway",
                "XDG_CACHE_HOME=/var/cache",
            ],
            "Entrypoint": ["/usr/bin/slipway"],
            "Cmd": ["up", "--host", "0.0.0.0", "--offline"],
            "WorkingDir": "/home/slipway",
            "ExposedPorts": ports,
            // Sockets of the nodes; writable even if the root file system is not.
            "Volumes": { "/tmp": {} },
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/slipway", "doctor", "--wait", "5"],
                "Interval": 15 * second,
                "Timeout": 6 * second,
                "StartPeriod": 120 * second,
                "StartInterval": second,
                "Retries": 3,
            },
            "StopSignal": "SIGTERM",
            "Labels": labels(version, ready)?,
        },
        "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{digest}")] },
        "history": [{ "created": "1970-01-01T00:00:00Z", "created_by": "harness/packages" }],
        "created": "1970-01-01T00:00:00Z",
    }))
}

fn labels(version: &str, ready: &Value) -> Result<Map<String, Value>> {
    let accounts = ready["accounts"].as_array().ok_or("the platform names no accounts")?;
    let keys: Vec<&str> = accounts.iter().filter_map(|account| account["privateKey"].as_str()).collect();
    let mut labels: Map<String, Value> = PORTS
        .iter()
        .map(|(part, port)| (format!("io.slipway.port.{part}"), port.to_string().into()))
        .collect();
    for (name, value) in [
        ("io.slipway.tool-server", "/usr/bin/slipway mcp"),
        ("io.slipway.operator-key-variable", "SLIPWAY_OPERATOR_KEY"),
        ("io.slipway.control-token-variable", "SLIPWAY_CONTROL_TOKEN"),
        ("io.slipway.public-url-variable", "SLIPWAY_PUBLIC_URLS"),
        // Accounts of disposable chains: their keys are as public as the seed.
        ("io.slipway.private-keys", &keys.join(",")),
        ("org.opencontainers.image.title", "slipway"),
        ("org.opencontainers.image.version", version),
        ("org.opencontainers.image.licenses", "MIT OR Apache-2.0"),
    ] {
        labels.insert(name.to_owned(), value.into());
    }
    // Known only to the release workflow.
    for (name, variable) in [("source", "SLIPWAY_REPOSITORY"), ("revision", "SLIPWAY_REVISION")] {
        if let Ok(value) = env::var(variable)
            && !value.is_empty()
        {
            labels.insert(format!("org.opencontainers.image.{name}"), value.into());
        }
    }
    Ok(labels)
}
