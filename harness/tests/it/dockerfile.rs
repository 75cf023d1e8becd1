//! `Dockerfile` and `compose.yaml`: everything they name exists, and their image is described like the packaged one.
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};
use slipway_test_support::{Tool, need, node};

use crate::clients::tools::{npm_folder, root};
use crate::packages::packages;
use crate::program::{expect_code, succeeds};

const KNOWN: [&str; 13] = [
    "FROM",
    "RUN",
    "WORKDIR",
    "COPY",
    "ENV",
    "USER",
    "EXPOSE",
    "VOLUME",
    "HEALTHCHECK",
    "STOPSIGNAL",
    "LABEL",
    "ENTRYPOINT",
    "CMD",
];

/// The instructions of all stages of the Dockerfile, with their arguments.
fn instructions() -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join("Dockerfile")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let joined = lines.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    let split = |line: &str| {
        let (name, rest) = line.split_once(' ').unwrap_or_else(|| panic!("{line}"));
        assert!(KNOWN.contains(&name), "{line}");
        (name.to_owned(), rest.trim().to_owned())
    };
    joined.lines().filter(|line| !line.trim().is_empty()).map(split).collect()
}

#[test]
fn dockerfile_names_what_exists() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let mut stages = Vec::new();
    for (name, rest) in instructions() {
        let words = shlex::split(&rest).unwrap();
        match name.as_str() {
            "FROM" => {
                if let Some(version) = words[0].strip_prefix("rust:") {
                    let version = version.split('-').next().unwrap();
                    assert!(manifest.contains(&format!("rust-version = \"{version}\"")), "{rest}");
                }
                stages.extend(words.get(2).cloned());
            }
            "COPY" => match words[0].strip_prefix("--from=") {
                Some(stage) => assert!(stages.iter().any(|known| known == stage), "{rest}"),
                None => {
                    for file in &words[..words.len() - 1] {
                        assert!(root().join(file).exists(), "{file}");
                    }
                }
            },
            "RUN" if words.iter().any(|word| word == "--path") => {
                let place = words.iter().position(|word| word == "--path").unwrap() + 1;
                assert!(root().join(&words[place]).join("Cargo.toml").is_file(), "{rest}");
            }
            "RUN" if words[0] == "slipway" => {
                let help = String::from_utf8(expect_code(&[words[1].as_str(), "--help"], 0).stdout).unwrap();
                for option in words.iter().filter(|word| word.starts_with("--")) {
                    assert!(help.contains(option.as_str()), "{option} of {rest}");
                }
            }
            _ => {}
        }
    }
    assert_eq!(stages, ["build"]);
}

/// The `config` of the packaged image.
fn packaged() -> Value {
    let folder = tempfile::tempdir().unwrap();
    let mut unpack = Command::new("tar");
    unpack.arg("-xf").arg(packages().join("slipway-image.tar")).arg("-C").arg(folder.path());
    succeeds(unpack.args(["--wildcards", "*.json"]));
    let read = |name: &Path| -> Value {
        serde_json::from_slice(&fs::read(folder.path().join(name)).unwrap()).unwrap()
    };
    let manifest = read(Path::new("manifest.json"));
    read(Path::new(manifest[0]["Config"].as_str().unwrap()))["config"].take()
}

/// `KEY=VALUE` words as an object.
fn pairs(rest: &str) -> Map<String, Value> {
    let words = shlex::split(rest).unwrap();
    words
        .iter()
        .map(|word| word.split_once('=').map(|(key, value)| (key.to_owned(), value.into())).unwrap())
        .collect()
}

/// An argument in JSON form.
fn list(rest: &str) -> Value {
    serde_json::from_str(rest).unwrap()
}

#[test]
fn image_of_the_dockerfile_is_described_as_the_packaged_one() {
    let packaged = packaged();
    let all = instructions();
    let last = all.iter().rposition(|(name, _)| name == "FROM").unwrap();
    for (name, rest) in &all[last..] {
        match name.as_str() {
            "USER" => assert_eq!(packaged["User"], rest.as_str()),
            "WORKDIR" => assert_eq!(packaged["WorkingDir"], rest.as_str()),
            "STOPSIGNAL" => assert_eq!(packaged["StopSignal"], rest.as_str()),
            "ENTRYPOINT" => assert_eq!(packaged["Entrypoint"], list(rest)),
            "CMD" => assert_eq!(packaged["Cmd"], list(rest)),
            "VOLUME" => assert_eq!(packaged["Volumes"], json!({ rest.as_str(): {} })),
            "EXPOSE" => {
                let ports = rest.split(' ').map(|port| (format!("{port}/tcp"), json!({})));
                assert_eq!(packaged["ExposedPorts"], Value::Object(ports.collect()));
            }
            "ENV" => {
                let variables = packaged["Env"].as_array().unwrap();
                for word in rest.split(' ') {
                    assert!(variables.iter().any(|known| known == word), "{word}");
                }
            }
            "HEALTHCHECK" => {
                let (options, command) = rest.split_once(" CMD ").unwrap();
                let mut test = list(command);
                test.as_array_mut().unwrap().insert(0, "CMD".into());
                let check = &packaged["Healthcheck"];
                assert_eq!(check["Test"], test);
                let seconds = |name: &str| check[name].as_u64().unwrap() / 1_000_000_000;
                let (interval, timeout, start) =
                    (seconds("Interval"), seconds("Timeout"), seconds("StartPeriod"));
                let told = format!(
                    "--interval={interval}s --timeout={timeout}s --start-period={start}s --start-interval={}s --retries={}",
                    seconds("StartInterval"),
                    check["Retries"]
                );
                assert_eq!(options, told);
            }
            "LABEL" => {
                let told = pairs(rest);
                for (key, value) in packaged["Labels"].as_object().unwrap() {
                    // The version is that of a release; the keys follow from the seed, and `up` prints them.
                    let is_left_out = ["io.slipway.private-keys", "org.opencontainers.image.version"];
                    assert!(is_left_out.contains(&key.as_str()) || told.get(key) == Some(value), "{key}");
                }
                assert!(told.keys().all(|key| !packaged["Labels"][key].is_null()), "{told:?}");
            }
            _ => {}
        }
    }
}

#[test]
fn compose_file_publishes_the_five_ports_to_this_machine() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let script = "import { readFileSync } from 'node:fs'\nimport { parse } from 'yaml'\n\
        console.log(JSON.stringify(parse(readFileSync(process.argv[1], 'utf8'))))";
    let mut parse = node("node");
    parse.args(["--input-type=module", "-e", script]).arg(root().join("compose.yaml"));
    let output = succeeds(parse.current_dir(npm_folder("launchers/npm")));
    let compose: Value = serde_json::from_slice(&output.stdout).unwrap();
    let expected = json!({ "services": { "slipway": {
        "build": ".",
        "image": "slipway:latest",
        "read_only": true,
        "environment": { "SLIPWAY_CONTROL_TOKEN": "${SLIPWAY_CONTROL_TOKEN:-local}" },
        "ports": ["127.0.0.1:4700-4704:4700-4704"],
    } } });
    assert_eq!(compose, expected);
    assert!(
        root().join(compose["services"]["slipway"]["build"].as_str().unwrap()).join("Dockerfile").is_file()
    );
}
