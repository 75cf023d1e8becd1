// Runs `slipway check` with the inputs of the action, which come as one JSON object in an environment variable and are never part of a
// command line that a shell reads. Annotations and the job summary are the command's own.
import { spawnSync } from "node:child_process";
import { appendFileSync, closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const VALUES = [
  "badge", "base-url", "baseline", "control-url", "ctrf", "events", "html", "image", "junit", "lane", "mcp",
  "requests-per-second", "rerun", "seed", "swap-url", "target-file", "wait",
];
const LISTS = { only: "only", require: "require", "rpc-urls": "rpc-url", section: "section", skip: "skip" };
const FLAGS = ["offline", "strict"];
// What a command line would show to every process of the machine goes by the environment.
const SECRETS = { "control-token": "SLIPWAY_CONTROL_TOKEN", "operator-key": "SLIPWAY_OPERATOR_KEY" };

const inputs = JSON.parse(process.env.INPUTS ?? "{}");
const input = (name) => (inputs[name] ?? "").trim();
const report = input("report") || "slipway-report.json";
inputs.junit = input("junit") || report.replace(/(\.json)?$/, ".xml");

// An option and its value are one argument, so that no value is taken for an option.
const options = ["check", "--json"];
for (const name of VALUES) {
  if (input(name)) options.push(`--${name}=${input(name)}`);
}
for (const [name, option] of Object.entries(LISTS)) {
  const lines = input(name).split("\n").map((line) => line.trim());
  for (const line of lines.filter(Boolean)) options.push(`--${option}=${line}`);
}
for (const name of FLAGS) {
  const word = input(name).toLowerCase();
  if (!["", "true", "false"].includes(word)) {
    console.log(`::error title=slipway::the input ${name} takes true or false`);
    process.exit(2);
  }
  if (word === "true") options.push(`--${name}`);
}
const summary = process.env.GITHUB_STEP_SUMMARY;
if (summary) options.push(`--summary=${summary}`);
const environment = { ...process.env };
delete environment.INPUTS;
for (const [name, variable] of Object.entries(SECRETS)) {
  if (input(name)) environment[variable] = input(name);
}
const secrets = mkdtempSync(join(process.env.RUNNER_TEMP || tmpdir(), "slipway-"));
if (input("private-keys")) {
  const keys = join(secrets, "keys");
  writeFileSync(keys, `${input("private-keys")}\n`, { mode: 0o600 });
  options.push(`--private-keys=${keys}`);
}

rmSync(report, { force: true });
const out = openSync(report, "w");
const ended = spawnSync("slipway", options, { env: environment, stdio: ["ignore", out, "inherit"] });
closeSync(out);
rmSync(secrets, { recursive: true });
// A check that did not begin has no report.
if (statSync(report).size === 0) rmSync(report);
if (ended.error) {
  console.log(`::error title=slipway::the program cannot be run: ${ended.error.code}`);
  process.exit(2);
}
if (process.env.GITHUB_OUTPUT) {
  appendFileSync(process.env.GITHUB_OUTPUT, `report=${report}\njunit=${inputs.junit}\nexit-code=${ended.status ?? 130}\n`);
}
process.exit(ended.status ?? 130);
