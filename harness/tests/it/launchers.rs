//! The Testcontainers module of each launcher, with our own image.
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use slipway_test_support::{Tool, need, node};

use crate::clients::tools::{npm_folder, python, source};
use crate::containers::{docker, engine, own_image};

/// Uses a container, prints its id, and ends with its input.
const JAVASCRIPT: &str = "
    import assert from 'node:assert'
    import { SlipwayContainer } from './testcontainers.js'
    const [image] = process.argv.slice(1)
    await assert.rejects(new SlipwayContainer(image).withArguments('--nonsense').start(), /--nonsense/)
    const container = await new SlipwayContainer(image).withArguments('--no-trailing-blocks').start()
    const { platform } = container
    const get = async (path, origin = platform.baseUrl) => (await fetch(origin + path)).json()
    for (const origin of [platform.baseUrl, platform.swapBaseUrl])
      assert.equal((await get('/openapi.json', origin)).servers[0].url, origin)
    const { totalCount } = await get('/api/tokens')
    await platform.isolated(async () => {
      await platform.control.call('launchToken', { name: 'In a container', ticker: 'BOX', targetRaise: '1' })
      assert.equal((await get('/api/tokens')).totalCount, totalCount + 1)
    })
    assert.equal((await get('/api/tokens')).totalCount, totalCount)
    for (const { chainId, rpcUrl } of platform.ready.chains) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
      const answer = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      assert.equal(Number((await answer.json()).result), chainId)
    }
    console.log(container.getId())
    await new Promise((resolve) => process.stdin.once('end', resolve).resume())
    await platform.stop()
";

const PYTHON: &str = "
import json, sys, urllib.request
from slipway_launcher.testcontainers import SlipwayContainer

[image] = sys.argv[1:]
try:
    SlipwayContainer(image, arguments=['--nonsense']).start()
except RuntimeError as error:
    assert '--nonsense' in str(error), error
else:
    raise AssertionError('there is no such option')

def get(url, body=None):
    request = urllib.request.Request(url, data=body, headers={'content-type': 'application/json'})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)

with SlipwayContainer(image, arguments=['--no-trailing-blocks']) as container:
    platform = container.platform
    for origin in [platform.base_url, platform.swap_base_url]:
        assert get(f'{origin}/openapi.json')['servers'][0]['url'] == origin
    count = lambda: get(f'{platform.base_url}/api/tokens')['totalCount']
    before = count()
    with platform.isolated():
        platform.control.call('launchToken', {'name': 'In a container', 'ticker': 'BOX', 'targetRaise': '1'})
        assert count() == before + 1
    assert count() == before
    for chain in platform.ready.chains:
        call = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'eth_chainId', 'params': []}).encode()
        assert int(get(chain.rpc_url, call)['result'], 16) == chain.chain_id
    print(container.get_container_id(), flush=True)
    sys.stdin.readline()
";

/// Runs a program that prints the id of its container and ends with its input.
fn is_used_and_leaves_nothing(command: &mut Command) {
    // The reaper, which removes leftovers of killed processes, would be pulled from a registry.
    command.env("TESTCONTAINERS_RYUK_DISABLED", "true").arg(own_image());
    let mut runner = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut id = String::new();
    BufReader::new(runner.stdout.take().unwrap()).read_line(&mut id).unwrap();
    assert!(!id.is_empty(), "{:?}", runner.wait());
    let containers = || docker(&["ps", "--all", "--quiet", "--filter", &format!("id={}", id.trim())]);
    assert_eq!(containers().lines().count(), 1);
    drop(runner.stdin.take());
    assert!(runner.wait().unwrap().success());
    assert_eq!(containers(), "");
}

#[test]
fn node_runs_the_image_and_leaves_no_container() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let Some(_engine) = engine() else { return };
    let folder = npm_folder("launchers/npm");
    is_used_and_leaves_nothing(
        node("node").args(["--input-type=module", "-e", JAVASCRIPT]).current_dir(folder),
    );
}

#[test]
fn python_runs_the_image_and_leaves_no_container() {
    let Some(()) = need(&[Tool::Python, Tool::Venv]) else { return };
    let Some(_engine) = engine() else { return };
    let mut python = Command::new(python("launchers/python/requirements.txt"));
    is_used_and_leaves_nothing(python.args(["-c", PYTHON]).env("PYTHONPATH", source("launchers/python")));
}
