"""Twenty tests that each launch and trade, and each find the platform as it began."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any
from urllib.request import urlopen

import pytest
from slipway_launcher import ControlError, Platform, aio
from web3 import Web3

AUTH = {"name": "auth", "type": "tuple", "components": [
    {"name": "deadline", "type": "uint64"}, {"name": "nonce", "type": "bytes32"}, {"name": "signature", "type": "bytes"},
]}
TEXTS = ["name", "ticker", "description", "imageUrl", "messenger", "microblog", "website"]
NUMBERS = [("creatorFeeSplitBps", "uint16"), ("gainBps", "uint32"), ("targetRaise", "uint96"),
           ("antiSnipeDuration", "uint32"), ("startTime", "uint64")]
ABI: list[dict[str, Any]] = [
    {"type": "function", "name": "createLaunch", "stateMutability": "payable", "outputs": [], "inputs": [
        {"name": "params", "type": "tuple", "components": [{"name": text, "type": "string"} for text in TEXTS]
         + [{"name": name, "type": kind} for name, kind in NUMBERS]}]},
    {"type": "function", "name": "buy", "stateMutability": "payable", "outputs": [], "inputs": [
        {"name": "launchId", "type": "uint256"}, {"name": "minTokensOut", "type": "uint256"}, AUTH]},
    {"type": "event", "name": "LaunchCreated", "anonymous": False, "inputs": [
        {"name": "launchId", "type": "uint256", "indexed": True}, {"name": "creator", "type": "address", "indexed": True},
        {"name": "token", "type": "address", "indexed": False}, {"name": "targetRaise", "type": "uint96", "indexed": False}]},
]


def get(url: str) -> Any:
    with urlopen(url) as answer:
        return json.load(answer)


def send(web3: Web3, key: str, call: Any, value: int = 0) -> Any:
    account = web3.eth.account.from_key(key)
    transaction = call.build_transaction({
        "from": account.address, "nonce": web3.eth.get_transaction_count(account.address), "value": value,
        "gas": 8_000_000, "maxFeePerGas": 20_000_000_000, "maxPriorityFeePerGas": 0, "chainId": 57073,
    })
    digest = web3.eth.send_raw_transaction(account.sign_transaction(transaction).raw_transaction)
    receipt = web3.eth.wait_for_transaction_receipt(digest, poll_latency=0.005)
    assert receipt["status"] == 1
    return receipt


@pytest.mark.parametrize("number", range(20))
def test_launches_and_trades(slipway: Platform, number: int) -> None:
    chain = slipway.chain()
    web3 = Web3(Web3.HTTPProvider(chain.rpc_url))
    hook = web3.eth.contract(address=Web3.to_checksum_address(chain.hook), abi=ABI)
    key = slipway.accounts[0].private_key
    params = (f"Token {number}", "TEST", "", "", "", "", "", 5_000, 50_000, 10**18, 0, 0)
    created = send(web3, key, hook.functions.createLaunch(params))
    topic = Web3.keccak(text="LaunchCreated(uint256,address,address,uint96)")
    log = next(log for log in created["logs"] if bytes(log["topics"][0]) == bytes(topic))
    event = hook.events.LaunchCreated().process_log(log)
    launch, token = event["args"]["launchId"], event["args"]["token"]
    traded = send(web3, key, hook.functions.buy(launch, 0, (0, b"\0" * 32, b"")), value=2 * 10**17)
    slipway.control.call("waitUntilIndexed", {"chainId": 57073, "block": traded["blockNumber"]})
    shown = get(f"{slipway.base_url}/api/token?address={token}")
    assert shown["name"] == f"Token {number}"
    assert shown["funding_progress"] > 0
    assert get(f"{slipway.base_url}/api/tokens")["totalCount"] == 81


def test_refusals_are_errors_with_their_status(slipway: Platform) -> None:
    with pytest.raises(ControlError) as refused:
        slipway.control.call("advanceClock", {"seconds": -1})
    assert refused.value.status == 400
    now = slipway.control.call("advanceClock", {"seconds": 3600})["now"]
    assert now - time.time() == pytest.approx(3600, abs=60)


def test_members_go_where_the_document_has_them(slipway: Platform) -> None:
    call = slipway.control.call
    call("setFault", {"name": "busy", "path": "/api/tokens", "effect": {"status": 503}, "times": None})
    assert call("getFault", {"name": "busy"})["path"] == "/api/tokens"
    assert call("pauseCreation", {"chainId": 57073})["paused"] is True
    with pytest.raises(LookupError, match="no call moveClock.*advanceClock"):
        call("moveClock")


def test_members_are_attributes_and_items(slipway: Platform) -> None:
    chain = slipway.chain()
    assert (chain.chain_id, chain.rpc_url) == (chain["chainId"], chain["rpcUrl"])
    assert slipway.accounts[0].address == slipway.ready["accounts"][0]["address"]
    with pytest.raises(AttributeError):
        _ = chain.rpcurl


def test_calls_can_be_awaited() -> None:
    async def moved() -> list[int]:
        async with aio.start() as platform:
            times = [(await platform.control.call("getClock"))["now"]]
            async with platform.isolated():
                times.append((await platform.control.call("advanceClock", {"seconds": 60}))["now"])
            return [*times, (await platform.control.call("getClock"))["now"]]

    began, inside, after = asyncio.run(moved())
    assert inside - began == pytest.approx(60, abs=10)
    assert after - began == pytest.approx(0, abs=10)
