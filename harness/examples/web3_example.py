"""The whole life of a launch with web3.py: slipway exec -- python web3_example.py"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from eth_abi import encode
from eth_account.messages import encode_defunct
from web3 import Web3

if "SLIPWAY_READY" not in os.environ:
    sys.exit("start this with: slipway exec -- .venv/bin/python web3_example.py")
READY = json.loads(os.environ["SLIPWAY_READY"])
CHAIN = READY["chains"][0]
REST, SWAP, CONTROL = READY["baseUrl"], READY["swapBaseUrl"], READY["controlUrl"] + "/_sim"
ZERO = "0x" + "0" * 40
NO_AUTH = (0, b"\0" * 32, b"")
ETHER = 10**18

web3 = Web3(Web3.HTTPProvider(CHAIN["rpcUrl"]))
account = web3.eth.account.from_key(os.environ["SLIPWAY_PRIVATE_KEY"])


def ask(url, body=None, headers=None, raw=None):
    data = raw if raw is not None else json.dumps(body).encode() if body is not None else None
    request = Request(url, data=data, headers={"content-type": "application/json", **(headers or {})})
    with urlopen(request) as answer:
        return json.load(answer)


def contract(name, address):
    program = os.environ.get("SLIPWAY_BIN", "slipway")
    text = subprocess.run([program, "show", "abi", name], check=True, capture_output=True).stdout
    return web3.eth.contract(address=Web3.to_checksum_address(address), abi=json.loads(text)["abi"])


def transact(fields):
    fields = {"from": account.address, "nonce": web3.eth.get_transaction_count(account.address), "chainId": CHAIN["chainId"],
              "maxFeePerGas": 20 * 10**9, "maxPriorityFeePerGas": 0, **fields}
    if "gas" not in fields:
        fields["gas"] = web3.eth.estimate_gas(fields)
    digest = web3.eth.send_raw_transaction(account.sign_transaction(fields).raw_transaction)
    receipt = web3.eth.wait_for_transaction_receipt(digest, poll_latency=0.02)
    assert receipt["status"] == 1, f"{digest.hex()} was reverted"
    # What the chain has, REST shows once the block is indexed.
    ask(f"{CONTROL}/indexed?chainId={CHAIN['chainId']}&block={receipt['blockNumber']}")
    return receipt


def call(function, value=0):
    return transact({"to": function.address, "data": function._encode_transaction_data(), "value": value})


def least(preview):
    """99 % of what the hook previews: a trade without a bound takes any price."""
    return preview.call()[0] * 99 // 100


def record(token):
    return ask(f"{REST}/api/token?address={token}")


def form(fields, file):
    """A multipart body."""
    line, parts = "a-boundary-of-parts", []
    for name, value in fields.items():
        parts.append(f'--{line}\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode())
    head = f'--{line}\r\ncontent-disposition: form-data; name="file"; filename="logo.png"\r\ncontent-type: image/png\r\n\r\n'
    parts += [head.encode(), file, f"\r\n--{line}--\r\n".encode()]
    return {"content-type": f"multipart/form-data; boundary={line}"}, b"".join(parts)


# A logo, uploaded with a fresh captcha.
captcha = ask(f"{CONTROL}/captchas", {})["token"]
logo = Path(__file__).with_name("logo.png").read_bytes()
headers, body = form({"captchaToken": captcha, "walletAddress": account.address}, logo)
image_url = ask(f"{REST}/api/upload", headers=headers, raw=body)["url"]

# A launch whose first minute needs a captcha for each trade. Nothing is signed for a node of another chain.
assert web3.eth.chain_id == CHAIN["chainId"]
capabilities = ask(f"{REST}/api/capabilities?chainId={CHAIN['chainId']}")
deployment = capabilities["activeCreationDeployment"]
assert capabilities["flags"]["create"] and deployment["status"] == "active"
hook = contract("LaunchHook", deployment["hook"])
params = ("Example", "EXMPL", "made with web3.py", image_url, "", "", "", 5_000, 50_000, ETHER, 60, 0)
created = call(hook.functions.createLaunch(params))
topic = Web3.keccak(text="LaunchCreated(uint256,address,address,uint96)")
log = next(log for log in created["logs"] if bytes(log["topics"][0]) == bytes(topic))
event = hook.events.LaunchCreated().process_log(log)["args"]
launch, token = event["launchId"], contract("LaunchToken", event["token"])

signed = ask(f"{CONTROL}/captcha-auths", {"chainId": CHAIN["chainId"], "trader": account.address, "launchId": launch})
auth = (signed["deadline"], bytes.fromhex(signed["nonce"][2:]), bytes.fromhex(signed["signature"][2:]))
call(hook.functions.buy(launch, least(hook.functions.previewBuy(launch, ETHER // 10)), auth), ETHER // 10)
bought = token.functions.balanceOf(account.address).call()
shown = record(token.address)
assert bought > 0 and shown["image_url"] == image_url and shown["funding_progress"] > 0

# After the window nobody needs a captcha.
ask(f"{CONTROL}/clock/advance", {"seconds": 61})
call(token.functions.approve(hook.address, bought))
sold = bought // 2
call(hook.functions.sell(launch, sold, least(hook.functions.previewSell(launch, sold)), NO_AUTH))
assert record(token.address)["funding_progress"] < shown["funding_progress"]

# The rest of the raise, and the launch graduates into its pool.
call(hook.functions.buy(launch, least(hook.functions.previewBuy(launch, 3 * ETHER)), NO_AUTH), 3 * ETHER)
shown = record(token.address)
assert shown["is_graduated"]

# A purchase in the pool, for exactly what the quoter says.
weth, amount = CHAIN["contracts"]["WETH9"], ETHER // 100
zero_for_one = int(weth, 16) < int(token.address, 16)
pair = (weth, token.address) if zero_for_one else (token.address, weth)
key = (*pair, 1_000, 60, Web3.to_checksum_address(shown["hook_address"]))
quoter = contract("V4Quoter", deployment["v4"]["quoter"])
quoted = quoter.functions.quoteExactInputSingle((key, zero_for_one, amount, b"")).call()[0]
KEY = "(address,address,uint24,int24,address)"
swap = encode(["bytes", "bytes[]"], [bytes.fromhex("060b0f"), [
    encode([f"({KEY},bool,uint128,uint128,bytes)"], [(key, zero_for_one, amount, quoted, b"")]),
    encode(["address", "uint256", "bool"], [weth, amount, False]),
    encode(["address", "uint256"], [token.address, quoted]),
]])
wrap = encode(["address", "uint256"], ["0x" + "0" * 39 + "2", amount])
router = contract("UniversalRouter", deployment["v4"]["universalRouter"])
before = token.functions.balanceOf(account.address).call()
deadline = int(time.time()) + 600
call(router.functions.execute(bytes.fromhex("0b10"), [wrap, swap], deadline), amount)
assert token.functions.balanceOf(account.address).call() - before == quoted

# A swap on the exchange, as quoted.
listed = [row for row in ask(f"{SWAP}/api/pairs") if weth.lower() in json.dumps(row).lower() and int(float(row["reserve0"])) > 0]
sides = [listed[0][side] for side in ("token0", "token1")]
addresses = [side["address"] if isinstance(side, dict) else side for side in sides]
other = contract("LaunchToken", next(side for side in addresses if side.lower() != weth.lower()))
query = {"tokenIn": ZERO, "tokenOut": other.address, "amount": ETHER // 10, "slippage": 50, "buildTx": "true",
         "userAddress": account.address}
quote = ask(f"{SWAP}/api/quote?{urlencode(query)}")
held = other.functions.balanceOf(account.address).call()
built = quote["transaction"]
swap = {"to": built["to"], "data": built["data"], "value": int(built["value"]), "gas": int(built["gas"])}
web3.eth.call({"from": account.address, **swap})
transact(swap)
assert other.functions.balanceOf(account.address).call() - held == int(quote["amountOut"])

# A message about the token, signed for one captcha.
captcha, message = ask(f"{CONTROL}/captchas", {})["token"], "gm from web3.py"
text = f"Launch platform chat\nToken: {token.address.lower()}\nCaptcha: {captcha}\nMessage: {message}"
signature = "0x" + account.sign_message(encode_defunct(text=text)).signature.hex().removeprefix("0x")
post = {"token": captcha, "tokenAddress": token.address, "message": message, "signature": signature}
ask(f"{REST}/api/chat", post, {"x-operator-key": READY["operatorKey"]})
assert ask(f"{REST}/api/chat?tokenAddress={token.address}")[0]["message"] == message
print(f"launched, traded and graduated {token.address}")
