//! `slipway show abi`: the tools for each format accept it.
use std::fs;
use std::process::Command;

use serde_json::Value;
use slipway_contracts::toolchain::{TestTools, ToolchainOptions};
use slipway_test_support::{Tool, need};

use crate::clients::tools::{compiles, npm_folder, slipway, succeed};

#[test]
fn json_has_abi_and_addresses() {
    let all: Value = serde_json::from_str(&slipway(&["show", "abi"])).unwrap();
    let names: Vec<&str> = all.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    for name in
        ["LaunchHook", "LaunchToken", "TokenFactory", "UniswapV2Router02", "Permit2", "UniversalRouter"]
    {
        assert!(names.contains(&name), "{names:?}");
    }
    let hook: Value = serde_json::from_str(&slipway(&["show", "abi", "LaunchHook"])).unwrap();
    assert_eq!(hook["addresses"].as_object().unwrap().len(), 2);
    assert_eq!(hook["instances"]["4663"].as_object().unwrap().len(), 3);
    assert!(hook["abi"].as_array().unwrap().iter().any(|item| item["name"] == "createLaunch"));
    let ready = slipway(&["exec", "--", "sh", "-c", "printf %s \"$SLIPWAY_READY\""]);
    let ready: Value = serde_json::from_str(&ready).unwrap();
    for chain in ready["chains"].as_array().unwrap() {
        assert_eq!(hook["addresses"][chain["chainId"].to_string()], chain["hook"]);
    }
    let unknown =
        Command::new(crate::clients::tools::SLIPWAY).args(["show", "abi", "NoSuch"]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8(unknown.stderr).unwrap().contains("LaunchHook"));
}

/// The constants compile with viem's types: function names and argument types are checked.
#[test]
fn typescript_is_typed_for_viem() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let folder = npm_folder("launchers/npm");
    let constants = slipway(&["show", "abi", "--format", "typescript"]);
    fs::write(folder.join("abis.ts"), &constants).unwrap();
    let exported = constants.lines().filter_map(|line| line.strip_prefix("export const ")?.split_once(" ="));
    let abis: Vec<_> = exported.map(|(name, _)| name).filter(|name| name.ends_with("Abi")).collect();
    assert!(abis.contains(&"launchHookAbi"), "{abis:?}");
    let every: String = abis.iter().map(|name| format!("abis.{name}, ")).collect();
    let uses = "import type { Abi, ContractFunctionArgs, ContractFunctionName } from 'viem'
import { defineChain, encodeFunctionData } from 'viem'
import * as abis from './abis'

const everyAbi: readonly Abi[] = [EVERY]
const chain = defineChain(abis.chain57073)
const id: 57073 = chain.id
const hook: `0x${string}` = abis.launchHookAddress[57073]
const name: ContractFunctionName<typeof abis.launchHookAbi, 'payable'> = 'createLaunch'
const args: ContractFunctionArgs<typeof abis.launchHookAbi, 'view', 'getLaunchState'> = [1n]
// @ts-expect-error a function that is not there
const wrongName: ContractFunctionName<typeof abis.launchHookAbi> = 'noSuchFunction'
// @ts-expect-error an argument of another type
const wrongArgs: ContractFunctionArgs<typeof abis.launchHookAbi, 'view', 'getLaunchState'> = ['1']
console.log(everyAbi.length, id, hook, name, wrongName, wrongArgs, encodeFunctionData({ abi: abis.launchHookAbi, functionName: 'getLaunchState', args }))
";
    fs::write(folder.join("abi-uses.ts"), uses.replace("EVERY", &every)).unwrap();
    compiles(&folder, "esnext", &["--noEmit", "--moduleResolution", "bundler", "abi-uses.ts"]);
}

#[test]
fn human_signatures_parse_in_viem_and_mean_the_abi() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let folder = npm_folder("launchers/npm");
    fs::write(folder.join("hook.txt"), slipway(&["show", "abi", "LaunchHook", "--format", "human"])).unwrap();
    fs::write(folder.join("hook.json"), slipway(&["show", "abi", "LaunchHook"])).unwrap();
    let script = "import { readFileSync } from 'node:fs'
import { parseAbi, toEventSelector, toFunctionSelector } from 'viem'
const lines = readFileSync('hook.txt', 'utf8').split('\\n').filter((line) => line && !line.startsWith('//'))
const selectors = (abi) => abi.map((item) =>
  item.type === 'function' ? toFunctionSelector(item) : item.type === 'event' ? toEventSelector(item) : `${item.type} ${item.name ?? ''}`).sort()
const [human, json] = [selectors(parseAbi(lines)), selectors(JSON.parse(readFileSync('hook.json', 'utf8')).abi)]
if (JSON.stringify(human) !== JSON.stringify(json)) throw new Error(`${human}\\n${json}`)
";
    fs::write(folder.join("human.mjs"), script).unwrap();
    succeed(Command::new("node").arg("human.mjs").current_dir(&folder));
}

#[tokio::test]
async fn solidity_compiles() {
    let Some(()) = need(&[Tool::Node]) else { return };
    let tools = TestTools::locate(&ToolchainOptions::from_environment(), &|_| {}).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.sol"), slipway(&["show", "abi", "--format", "solidity"])).unwrap();
    let script = "const solc = require(process.argv[1] + '/solc')
const content = require('fs').readFileSync('all.sol', 'utf8')
const input = { language: 'Solidity', sources: { 'all.sol': { content } }, settings: { outputSelection: { '*': { '*': ['abi'] } } } }
const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input)))
const wrong = errors.filter((error) => error.severity === 'error')
if (wrong.length || !contracts['all.sol'].ILaunchHook) throw new Error(wrong.map((error) => error.formattedMessage).join('\\n'))
";
    succeed(Command::new("node").args(["-e", script]).arg(tools.node_modules()).current_dir(folder.path()));
}
