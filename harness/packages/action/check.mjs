// Runs `slipway check` with the inputs of the action, which come in environment variables and are never part of a command line
// that a shell reads; then turns the report into annotations and a job summary.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const input = (name) => (process.env[`INPUT_${name}`] ?? "").trim();
const lines = (name) => input(name).split("\n").map((line) => line.trim()).filter(Boolean);

const report = input("REPORT") || "slipway-report.json";
const junit = report.replace(/(\.json)?$/, ".xml");
const options = ["check", "--json", "--junit", junit];
for (const [name, option] of [
  ["IMAGE", "--image"],
  ["BASE_URL", "--base-url"],
  ["SWAP_URL", "--swap-url"],
  ["CONTROL_URL", "--control-url"],
  ["TARGET_FILE", "--target-file"],
  ["LANE", "--lane"],
  ["BASELINE", "--baseline"],
  ["WAIT", "--wait"],
]) {
  // An option and its value are one argument, so that no value is taken for an option.
  if (input(name)) options.push(`${option}=${input(name)}`);
}
for (const url of lines("RPC_URLS")) options.push(`--rpc-url=${url}`);
for (const id of lines("ONLY")) options.push(`--only=${id}`);
if (input("STRICT") === "true") options.push("--strict");

rmSync(report, { force: true });
const ended = spawnSync("slipway", options, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 28 });
if (ended.error) {
  console.log(`::error::${data(`slipway cannot be run: ${ended.error.message}`)}`);
  process.exit(2);
}
if (ended.stdout) writeFileSync(report, ended.stdout);
if (process.env.GITHUB_OUTPUT) appendFileSync(process.env.GITHUB_OUTPUT, `report=${report}\n`);
if (existsSync(report)) tell(JSON.parse(readFileSync(report, "utf8")));
process.exit(ended.status ?? 130);

// Text of an annotation: what the runner would take for a command is escaped.
function data(text) {
  return String(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text) {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

function cell(text) {
  return String(text ?? "").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("|", "\\|").replaceAll("\n", " ");
}

function tell(found) {
  const rows = found.checks.filter((row) => ["failed", "inconclusive"].includes(row.verdict));
  for (const row of rows) {
    const level = row.verdict === "failed" ? "error" : "warning";
    const said = [row.clause, row.expected && `expected ${row.expected}`, row.actual && `actual ${row.actual}`, row.reason, row.reproduce];
    console.log(`::${level} title=${property(row.id)}::${data(said.filter(Boolean).join("\n"))}`);
  }
  if (!process.env.GITHUB_STEP_SUMMARY) return;
  const counts = Object.entries(found.summary).map(([word, count]) => `${count} ${word}`);
  const table = rows.map((row) => `| ${cell(row.verdict)} | ${cell(row.id)} | ${cell(row.clause)} | ${cell(row.actual ?? row.reason)} |`);
  const head = rows.length ? ["", "| verdict | check | clause | what came |", "|---|---|---|---|"] : [];
  appendFileSync(process.env.GITHUB_STEP_SUMMARY, ["## slipway check", "", counts.join(", "), ...head, ...table, ""].join("\n"));
}
