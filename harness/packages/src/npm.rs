//! The npm packages of the command and of the quotes in WebAssembly.
use std::env;
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use fs_err as fs;
use serde_json::{Map, Value};

use crate::{Result, Sources, cargo, notices, output, pack, permit, target_folder};

const WASM: &str = "wasm32-unknown-unknown";

/// One package that every system installs, and one with the program for this system.
pub(crate) fn command(sources: &Sources) -> Result<()> {
    let system = &sources.system;
    let manifest = |template: &str| {
        let text = fs::read_to_string(sources.template(template))?
            .replace("@VERSION@", &sources.version)
            .replace("@SYSTEM@", &system.name())
            .replace("@OS@", system.os)
            .replace("@CPU@", system.cpu);
        let mut about: Map<String, Value> = serde_json::from_str(&text)?;
        if system.os != "linux" {
            about.remove("libc");
        }
        without_unknown(about)
    };
    let main = sources.stage("npm-main")?;
    sources.licences(&main)?;
    fs::write(main.join("package.json"), manifest("npm/package.json")?)?;
    fs::create_dir(main.join("bin"))?;
    fs::copy(sources.template("npm/slipway.js"), main.join("bin/slipway.js"))?;
    permit(&main.join("bin/slipway.js"), 0o755)?;
    fs::copy(sources.root.join("harness/README.md"), main.join("README.md"))?;
    packed(sources, &main, "slipway-cli")?;

    let platform = sources.stage("npm-platform")?;
    sources.licences(&platform)?;
    fs::write(platform.join("package.json"), manifest("npm/platform.json")?)?;
    fs::create_dir(platform.join("bin"))?;
    fs::copy(&sources.binary, platform.join("bin/slipway"))?;
    fs::copy(&sources.notices, platform.join("THIRD-PARTY.txt"))?;
    fs::copy(sources.template("npm/platform.md"), platform.join("README.md"))?;
    packed(sources, &platform, &format!("slipway-cli-{}", system.name()))
}

pub(crate) fn quotes(sources: &Sources) -> Result<()> {
    let root = &sources.root;
    let library = output(Command::new("rustc").args(["--print", "target-libdir", "--target", WASM]))?;
    if !Path::new(library.trim()).is_dir() {
        output(Command::new("rustup").args(["target", "add", WASM]).current_dir(root))?;
    }
    let home = || env::home_dir().unwrap_or_default().join(".cargo").into();
    let crates = env::var_os("CARGO_HOME").unwrap_or_else(home);
    // Keeps folders of this machine out of the package.
    let remap = format!(
        "--remap-path-prefix={}=/crates --remap-path-prefix={}=/slipway",
        Path::new(&crates).display(),
        root.display()
    );
    let mut build = cargo(root);
    build.args([
        "build",
        "--quiet",
        "--locked",
        "--profile",
        "quotes",
        "--target",
        WASM,
        "-p",
        "slipway-quotes",
    ]);
    output(build.env("RUSTFLAGS", remap))?;
    let code = fs::read(target_folder(root)?.join(WASM).join("quotes/slipway_quotes.wasm"))?;
    let contracts: Value =
        serde_json::from_slice(&fs::read(root.join("contracts/artifacts/manifest.json"))?)?;
    let contracts = contracts["sources"].as_str().ok_or("the contracts have no hash")?;

    let folder = sources.stage("quotes")?;
    for file in fs::read_dir(root.join("sim/quotes/npm"))? {
        let file = file?;
        let mut text = fs::read_to_string(file.path())?
            .replace("@VERSION@", &sources.version)
            .replace("@CONTRACTS@", contracts)
            .replace("@WASM@", &BASE64_STANDARD.encode(&code));
        if file.file_name() == "package.json" {
            text = without_unknown(serde_json::from_str(&text)?)?;
        }
        fs::write(folder.join(file.file_name()), text)?;
    }
    sources.licences(&folder)?;
    let bill = sources.out.join(format!("slipway-quotes-{}.spdx.json", sources.version));
    notices::write(root, WASM, "slipway-quotes", sources.epoch, &folder.join("THIRD-PARTY.txt"), &bill)?;
    packed(sources, &folder, "slipway-quotes")
}

/// A manifest without the value known only to the release workflow: the address of the repository.
fn without_unknown(mut about: Map<String, Value>) -> Result<String> {
    about.retain(|_, value| value != "");
    Ok(serde_json::to_string_pretty(&about)? + "\n")
}

fn packed(sources: &Sources, folder: &Path, name: &str) -> Result<()> {
    let out = sources.out.join(format!("{name}-{}.tgz", sources.version));
    pack::tar_gz(folder, "package", sources.epoch, &out)
}
