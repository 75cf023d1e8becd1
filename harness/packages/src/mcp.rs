//! A bundle that desktop clients install, and the entry of a registry of tool servers, which points to the npm package.
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use fs_err as fs;
use serde_json::{Value, json};

use crate::{Result, Sources, output, pack};

pub(crate) fn make(sources: &Sources) -> Result<()> {
    let folder = sources.stage("mcp")?;
    sources.licences(&folder)?;
    fs::copy(&sources.notices, folder.join("THIRD-PARTY.txt"))?;
    fs::create_dir(folder.join("server"))?;
    fs::copy(&sources.binary, folder.join("server/slipway"))?;
    let template = fs::read_to_string(sources.template("mcp/manifest.json"))?;
    let filled = template.replace("@VERSION@", &sources.version).replace("@OS@", sources.system.os);
    let mut manifest: Value = serde_json::from_str(&filled)?;
    manifest["tools"] = tools(&sources.binary)?;
    // With the chain tools inside, the platform starts without a network.
    output(Command::new(&sources.binary).args(["doctor", "--install"]).arg(folder.join("toolchain")))?;
    fs::write(folder.join("manifest.json"), serde_json::to_string_pretty(&manifest)? + "\n")?;
    let bundle = format!("slipway-{}-{}.mcpb", sources.version, sources.system.name());
    pack::zip(&folder, &sources.out.join(bundle))?;

    let npm: Value = serde_json::from_slice(&fs::read(sources.template("npm/package.json"))?)?;
    // Without a repository address the entry has a name that no registry accepts.
    let name = npm["mcpName"].as_str().filter(|name| !name.is_empty()).unwrap_or("localhost/slipway");
    let entry = fs::read_to_string(sources.template("mcp/server.json"))?;
    let entry = entry.replace("@NAME@", name).replace("@VERSION@", &sources.version);
    Ok(fs::write(sources.out.join("server.json"), entry)?)
}

fn tools(program: &Path) -> Result<Value> {
    let mut server = Command::new(program)
        .arg("mcp")
        .env_clear()
        // A key is required, but this one signs nothing.
        .env("SERVICE_MCP_PRIVATE_KEY", "11".repeat(32))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (mut input, said) =
        server.stdin.take().zip(server.stdout.take()).ok_or("the tool server has no streams")?;
    let params = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "packages", "version": "1" },
    });
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
    ] {
        writeln!(input, "{message}")?;
    }
    let mut listed = Value::Null;
    for line in BufReader::new(said).lines() {
        let message: Value = serde_json::from_str(&line?)?;
        if message["id"] == 2 {
            listed = message;
            break;
        }
    }
    drop(input);
    server.wait()?;
    let listed = listed["result"]["tools"].as_array().ok_or("the tool server lists no tools")?;
    let brief = |tool: &Value| json!({ "name": tool["name"], "description": tool["description"] });
    Ok(listed.iter().map(brief).collect())
}
