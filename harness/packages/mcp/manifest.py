"""Fills the manifest of the bundle, with the tools as the program lists them: manifest.py PROGRAM VERSION OS OUT

Where the chain tools lie beside OUT, the platform takes them.
"""

import json
import pathlib
import subprocess
import sys

program, version, system, out = sys.argv[1:]
hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "packages", "version": "1"}}
messages = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
]
# A key is demanded, and nothing is signed with this one.
environment = {"SERVICE_MCP_PRIVATE_KEY": "11" * 32}
server = subprocess.Popen([program, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
server.stdin.write("".join(json.dumps(message) + "\n" for message in messages))
server.stdin.flush()
listed = next(message for message in map(json.loads, server.stdout) if message.get("id") == 2)
server.stdin.close()
server.wait()
template = (pathlib.Path(__file__).parent / "manifest.json").read_text()
manifest = json.loads(template.replace("@VERSION@", version).replace("@OS@", system))
if (pathlib.Path(out).parent / "toolchain").is_dir():
    manifest["server"]["mcp_config"]["env"]["SLIPWAY_TOOLCHAIN"] = "${__dirname}/toolchain"
else:
    manifest["long_description"] += " The first start installs chain tools with npm."
manifest["tools"] = [{name: tool[name] for name in ("name", "description")} for tool in listed["result"]["tools"]]
pathlib.Path(out).write_text(json.dumps(manifest, indent=2) + "\n")
