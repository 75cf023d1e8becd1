//! `SlipwayContainer` of each launcher, on our own image: used, stopped, and left behind by a killed process.
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Instant;

use slipway_test_support::{Tool, need, node};

use crate::containers::{PATIENCE, PAUSE, docker, engine, own_image};

const ABSENT: &str = "slipway-no-such-image:none";

/// Uses a container, prints a line, and ends with its input.
const JAVASCRIPT: &str = "
    import assert from 'node:assert'
    import { SlipwayContainer } from './index.js'
    const [image, absent] = process.argv.slice(1)
    await assert.rejects(new SlipwayContainer(absent).start(), new RegExp(absent))
    const platform = await new SlipwayContainer(image, { arguments: ['--no-trailing-blocks'] }).start()
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
    console.log('used')
    await new Promise((resolve) => process.stdin.once('end', resolve).resume())
    await platform.stop()
    process.exit()
";

const PYTHON: &str = "
import json, sys, urllib.request
from slipway_launcher import SlipwayContainer

image, absent = sys.argv[1:]
try:
    SlipwayContainer(absent).start()
except RuntimeError as error:
    assert absent in str(error), error
else:
    raise AssertionError('there is no such image')

def get(url, body=None):
    request = urllib.request.Request(url, data=body, headers={'content-type': 'application/json'})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)

with SlipwayContainer(image, arguments=['--no-trailing-blocks']) as platform:
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
    print('used', flush=True)
    sys.stdin.readline()
";

fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("launchers").join(path)
}

fn containers_of(process: u32) -> String {
    docker(&["ps", "--all", "--quiet", "--filter", &format!("label=io.slipway.launcher={process}")])
}

/// Runs a program twice that prints `used` and ends with its input: once it ends by itself, and once it is killed.
fn is_used_and_leaves_nothing(command: impl Fn() -> Command) {
    for is_killed in [false, true] {
        let mut command = command();
        command.args([own_image(), ABSENT]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut runner = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(runner.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line.trim(), "used");
        assert_eq!(containers_of(runner.id()).lines().count(), 1);
        if is_killed {
            runner.kill().unwrap();
            runner.wait().unwrap();
            let begun = Instant::now();
            while !containers_of(runner.id()).is_empty() {
                assert!(begun.elapsed() < PATIENCE, "the container outlives its runner");
                sleep(PAUSE);
            }
        } else {
            drop(runner.stdin.take());
            assert!(runner.wait().unwrap().success());
            assert_eq!(containers_of(runner.id()), "");
        }
    }
}

#[test]
fn node_runs_the_image_and_leaves_no_container() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let Some(_engine) = engine() else { return };
    is_used_and_leaves_nothing(|| {
        let mut node = node("node");
        node.args(["--input-type=module", "-e", JAVASCRIPT]).current_dir(source("npm"));
        node
    });
}

#[test]
fn python_runs_the_image_and_leaves_no_container() {
    let Some(_engine) = engine() else { return };
    is_used_and_leaves_nothing(|| {
        let mut python = Command::new("python3");
        python.args(["-c", PYTHON]).env("PYTHONPATH", source("python"));
        python
    });
}
