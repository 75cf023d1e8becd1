#!/usr/bin/env node
// The pinned JavaScript compiler behind the command line that forge expects of a compiler: `--version`, or standard
// JSON from the first stream to the second. It looks for the compiler in its own folder, in `test-tools` there, in the
// current one, then along NODE_PATH.
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { readFileSync } from "node:fs";

const roots = [
  import.meta.url,
  new URL("test-tools/package.json", import.meta.url),
  join(process.cwd(), "package.json"),
  ...(process.env.NODE_PATH ?? "").split(delimiter).filter(Boolean).map((path) => join(path, "..", "package.json")),
];

function findCompiler() {
  for (const root of roots) {
    try {
      return createRequire(root)("solc");
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  process.stderr.write("the solc package is not installed: run npm ci in the folder test-tools\n");
  process.exit(1);
}

if (process.argv.includes("--version")) {
  // Answered without loading the compiler, which takes most of a second.
  process.stdout.write("solc, the solidity compiler commandline interface\nVersion: 0.8.26+commit.8a97fa7a.Linux.g++\n");
} else {
  process.stdout.write(findCompiler().compile(readFileSync(0, "utf8")));
}
