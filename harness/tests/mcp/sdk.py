"""A conversation with the embedded tool server by the SDK of Python: sdk.py SLIPWAY"""

import asyncio
import sys

from mcp import Client, StdioServerParameters


async def main() -> None:
    server = StdioServerParameters(command=sys.argv[1], args=["mcp", "--embedded"], env={"SERVICE_MCP_ENABLE_WRITES": "true"})
    async with Client(server) as client:
        assert client.server_info.name == "slipway"
        tools = (await client.list_tools()).tools
        assert len(tools) == 5, tools
        rules = (await client.read_resource("slipway://rules")).contents[0].text
        assert "Launching is enabled" in rules, rules
        prompt = (await client.get_prompt("rules")).messages[0].content.text
        assert prompt == rules
        wallet = await client.call_tool("wallet_info", {})
        assert wallet.structured_content["chainId"] == 57073, wallet
        recent = await client.call_tool("recent_launches", {"limit": 2})
        assert len(recent.structured_content["tokens"]) == 2, recent
        refused = await client.call_tool("launch_token", {"name": "Slip"})
        assert refused.is_error and "(not-confirmed)" in refused.content[0].text, refused
    print("5 tools, 1 resource, 1 prompt, 3 calls")


asyncio.run(main())
