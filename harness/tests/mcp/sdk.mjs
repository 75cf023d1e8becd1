// A conversation with the embedded tool server by the SDK of TypeScript: sdk.mjs SLIPWAY
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const client = new Client({ name: "test", version: "1" });
const env = { ...process.env, SERVICE_MCP_ENABLE_WRITES: "true" };
await client.connect(new StdioClientTransport({ command: process.argv[2], args: ["mcp", "--embedded"], env }));
assert.equal(client.getServerVersion().name, "slipway");
assert.equal((await client.listTools()).tools.length, 5);
const [content] = (await client.readResource({ uri: "slipway://rules" })).contents;
assert.match(content.text, /Launching is enabled/);
const { messages } = await client.getPrompt({ name: "rules" });
assert.equal(messages[0].content.text, content.text);
// The first call waits for the platform.
const call = (name, parameters) => client.callTool({ name, arguments: parameters }, undefined, { timeout: 300_000 });
assert.equal((await call("wallet_info", {})).structuredContent.chainId, 57073);
assert.equal((await call("recent_launches", { limit: 2 })).structuredContent.tokens.length, 2);
const refused = await call("launch_token", { name: "Slip" });
assert.ok(refused.isError && refused.content[0].text.includes("(not-confirmed)"), JSON.stringify(refused));
await client.close();
console.log("5 tools, 1 resource, 1 prompt, 3 calls");
