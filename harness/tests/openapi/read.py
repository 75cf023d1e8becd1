"""Reads every endpoint of both services with the clients that openapi-python-client makes of their documents."""

import base64
import importlib
import io
import json
import os
import pkgutil
import urllib.request

import rest_client
import rest_client.api.default as rest_api
import swap_client
import swap_client.api.default as swap_api
from rest_client import models
from rest_client.types import File

ready = json.loads(os.environ["SLIPWAY_READY"])
wallet = ready["accounts"][0]["address"]
read = set()


def control(path, **fields):
    url = f"{ready['controlUrl']}/_sim{path}"
    request = urllib.request.Request(url, json.dumps(fields).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def operations(package):
    """The generated operations by name; each is a module."""
    names = (module.name for module in pkgutil.iter_modules(package.__path__))
    return {name: importlib.import_module(f"{package.__name__}.{name}") for name in names}


OPERATIONS = {"rest": operations(rest_api), "swap": operations(swap_api)}
CLIENTS = {
    "rest": rest_client.Client(base_url=ready["baseUrl"]),
    "swap": swap_client.Client(base_url=ready["swapBaseUrl"]),
}


def ask(service, operation, client=None, **arguments):
    """The parsed answer of an operation, which must succeed."""
    response = OPERATIONS[service][operation].sync_detailed(client=client or CLIENTS[service], **arguments)
    assert response.status_code == 200, f"{operation}: {response.status_code} {response.content!r}"
    assert response.parsed is not None, operation
    read.add(f"{service} {operation}")
    return response.parsed


# This generator repeats a parameter for each item of a list instead of joining them, so it can send one item.
states = [models.ListTokensStatusItem.LIVE]
tokens = ask("rest", "list_tokens", sort_by=models.ListTokensSortBy.MCAP_HIGH, status=states)
address = tokens.tokens[0].address
assert tokens.total_count >= len(tokens.tokens) > 1
record = ask("rest", "get_token", address=address)
assert record.name == tokens.tokens[0].name
owned = ask("rest", "get_tokens_by_owner", owner=record.owner, limit=5)
assert owned.pagination.total >= 1 and all(token.owner == record.owner for token in owned.tokens)
addresses = [token.address for token in tokens.tokens[:2]]
assert len(ask("rest", "get_tokens_in_batch", addresses=addresses[:1]).tokens) == 1
assert len(ask("rest", "post_tokens_in_batch", body=models.PostTokensInBatchBody(addresses=addresses)).tokens) == 2
assert ask("rest", "get_recent_launches", chain_id=models.GetRecentLaunchesChainId(57073), limit=3).next_offset == 3
assert int(ask("rest", "get_emperor", include_bid_data=True).bid_data.start_bid) >= 0
assert ask("rest", "get_king").funding_progress <= 1
ask("rest", "get_quote_assets", chain_id=models.GetQuoteAssetsChainId(4663))
assert ask("rest", "get_capabilities", chain_id=models.GetCapabilitiesChainId(57073)).active_creation_deployment.status == "active"
assert isinstance(ask("rest", "get_messages", token_address=address), list)
ask("rest", "get_leaderboard", limit=3)
bearer = control("/bearers", address=wallet)["token"]
mine = rest_client.AuthenticatedClient(base_url=ready["baseUrl"], token=bearer)
code = ask("rest", "get_referral_code", client=mine).code
assert ask("rest", "get_referral_stats", client=mine, period=models.GetReferralStatsPeriod("7d")).referral_code == code
ask("rest", "get_referral_leaderboard", period=models.GetReferralLeaderboardPeriod.ALL, limit=3)

# An image must be there to be read.
pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
picture = File(io.BytesIO(base64.b64decode(pixel)), "pixel.png", "image/png")
form = models.UploadImageBody(file=picture, captcha_token=control("/captchas")["token"], wallet_address=wallet)
url = ask("rest", "upload_image", body=form).url
ask("rest", "get_image", name=url.rsplit("/", 1)[1])

pair = next(pair for pair in ask("swap", "list_pairs") if pair.reserve0 != "0")
assert any(token.address == pair.token0.address for token in ask("swap", "list_exchange_tokens"))
quote = ask(
    "swap", "get_quote", token_in=pair.token0.address, token_out=pair.token1.address, amount="1000000000000000", slippage=100
)
assert int(quote.amount_out) >= int(quote.minimum_amount_out)

# Nothing was left out: every operation of both documents but the two that write what cannot be read.
for service in OPERATIONS:
    ask(service, "get_open_api")
expected = {f"{service} {name}" for service, known in OPERATIONS.items() for name in known}
assert expected - read == {"rest post_message", "rest register_referral"}, expected - read
print(f"read {len(read)} operations")
