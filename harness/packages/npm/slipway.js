#!/usr/bin/env node
// Runs the program of this system's package with the same arguments, streams and signals, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = `slipway-cli-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/slipway`);
} catch {
  console.error(
    `slipway: the package ${name} is not installed; there are packages for linux and darwin on x64 and arm64, and npm leaves them out with --omit=optional`,
  );
  process.exit(2);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`slipway: ${program} cannot be run: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
