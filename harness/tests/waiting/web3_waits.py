"""Sends COUNT payments for each number of confirmations, waits for each with web3.py's defaults, and prints the milliseconds of each
wait as JSON: slipway exec -- python web3_waits.py CONFIRMATIONS[,CONFIRMATIONS…] COUNT http|ws

web3.py waits for receipts only; further confirmations are counted from the head, as its users do."""

import asyncio
import json
import os
import sys
import time

from web3 import AsyncHTTPProvider, AsyncWeb3, WebSocketProvider

CONFIRMATIONS, COUNT, WAY = [int(count) for count in sys.argv[1].split(",")], int(sys.argv[2]), sys.argv[3]
RPC_URL = json.loads(os.environ["SLIPWAY_READY"])["chains"][0]["rpcUrl"]


async def main(web3):
    account = web3.eth.account.from_key(os.environ["SLIPWAY_PRIVATE_KEY"])
    fields = {"to": account.address, "value": 1, "gas": 21_000, "chainId": await web3.eth.chain_id}
    fields |= {"maxFeePerGas": 10**10, "maxPriorityFeePerGas": 10**9}
    waits = []
    for confirmations in [step for step in CONFIRMATIONS for _ in range(COUNT)]:
        nonce = await web3.eth.get_transaction_count(account.address)
        signed = account.sign_transaction({**fields, "nonce": nonce})
        sent = await web3.eth.send_raw_transaction(signed.raw_transaction)
        begun = time.perf_counter()
        receipt = await web3.eth.wait_for_transaction_receipt(sent)
        while await web3.eth.block_number - receipt["blockNumber"] + 1 < confirmations:
            await asyncio.sleep(0.1)
        waits.append((time.perf_counter() - begun) * 1_000)
    print(json.dumps(waits))


async def over_socket():
    async with AsyncWeb3(WebSocketProvider(RPC_URL.replace("http", "ws"))) as web3:
        await main(web3)


asyncio.run(over_socket() if WAY == "ws" else main(AsyncWeb3(AsyncHTTPProvider(RPC_URL))))
