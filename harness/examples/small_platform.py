# small_platform.py
"""A launch platform in one file: reads the launch hooks of two chains and answers the reads of the interface."""
import json, sys, threading, time
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

READY, (HOST, PORT) = sys.argv[1], sys.argv[2].split(":")
SUPPLY, ETHER, DAY, PAGE = 10**9, 10**18, 86_400, 20
LINKS = ("messenger", "microblog", "website")


class Chain:
    """The launches of one chain, folded from the logs of its hook and of their tokens."""
    EVENTS = ("LaunchCreated(uint256,address,address,uint96)", "Transfer(address,address,uint256)",
              "LaunchMetadata(uint256,string,string,string,string,string,string,string)",
              "Trade(uint256,address,uint8,(uint256,uint256),(uint256,uint256,uint256),uint256)")

    def __init__(self, ready):
        self.id, self.url, self.hook = ready["chainId"], ready["rpcUrl"], ready["hook"].lower()
        self.contracts, self.next_block, self.tokens, self.numbers = ready["contracts"], 0, {}, {}
        self.topics = {self.hash(event): event.split("(")[0] for event in self.EVENTS}

    def rpc(self, method, *params):
        order = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        with urlopen(Request(self.url, order, {"content-type": "application/json"}), timeout=20) as answer:
            return json.load(answer)["result"]

    def hash(self, text):
        return self.rpc("web3_sha3", "0x" + text.encode().hex())

    def call(self, contract, view, *words):
        """The words that a view answers to words."""
        data = self.hash(view)[:10] + "".join(f"{word:064x}" for word in words)
        return words_of(self.rpc("eth_call", {"to": contract, "data": data}, "latest"))

    def index(self):
        """Folds what is new; answers the time of the last block."""
        head = self.rpc("eth_getBlockByNumber", "latest", False)
        last, times, changed = int(head["number"], 16), {}, set()
        if last >= self.next_block:
            span = {"fromBlock": hex(self.next_block), "toBlock": hex(last), "topics": [list(self.topics)]}
            for log in self.rpc("eth_getLogs", span):
                block = log["blockNumber"]
                if block not in times:
                    times[block] = int(self.rpc("eth_getBlockByNumber", block, False)["timestamp"], 16)
                changed.add(self.fold(self.topics[log["topics"][0]], log, times[block]))
            for launch in self.numbers.values():  # a pool moves without a log of the hook
                if launch in changed or launch.graduated:
                    launch.read_price()
            self.next_block = last + 1
        return int(head["timestamp"], 16)

    def fold(self, event, log, when):
        words, topics, emitter = words_of(log["data"]), log["topics"], log["address"].lower()
        if event == "Transfer":  # the first ones of a token come before its launch
            return self.token(emitter).moved(topics[1], topics[2], words[0])
        if emitter == self.hook:
            number = int(topics[1], 16)
            if event == "LaunchCreated":
                launch = self.numbers[number] = self.token(f"0x{words[0]:040x}")
                launch.number, launch.owner, launch.created = number, "0x" + topics[2][-40:], when
            launch = self.numbers[number]
            if event == "LaunchMetadata":
                launch.texts = texts_of(log["data"], words[:7])
            if event == "Trade":
                launch.trades.append({"at": when, "side": words[0], "price": words[1] / ETHER, "wei": words[3]})
            return launch

    def token(self, address):
        return self.tokens.setdefault(address, Launch(self, address))


class Launch:
    def __init__(self, chain, address):
        self.chain, self.address, self.trades, self.balances, self.graduated = chain, address, [], {}, False

    def moved(self, giver, taker, units):
        for topic, change in ((giver, -units), (taker, units)):
            holder = "0x" + topic[-40:]
            self.balances[holder] = self.balances.get(holder, 0) + change
        return self

    def read_price(self):
        state = self.chain.call(self.chain.hook, "getLaunchState(uint256)", self.number)
        supply, sold, target, net, gain, pool = state[3], *state[5:9], state[13]
        price = lambda sold: target * (20_000 * supply + 2 * gain * sold) / (supply**2 * (20_000 + gain))
        self.opening, self.price, self.progress, self.graduated = price(0), price(sold), net / target, state[12] == 1
        if self.graduated:
            root = self.chain.call(self.chain.contracts["StateView"], "getSlot0(bytes32)", pool)[0] / 2**96
            first = int(self.address, 16) < int(self.chain.contracts["WETH9"], 16)
            self.price, self.progress = root**2 if first else root**-2, 1

    def traded(self, seconds, now):
        return [trade for trade in self.trades if trade["at"] > now - seconds]

    def window(self, name, seconds, now):
        inside = self.traded(seconds, now)
        before = self.trades[: len(self.trades) - len(inside)]
        base = before[-1]["price"] if before else self.opening
        buys = sum(trade["side"] == 0 for trade in inside)
        return {f"volume_{name}": sum(trade["wei"] for trade in inside) / ETHER, f"txns_{name}_buys": buys,
                f"price_change_{name}": (self.price / base - 1) * 100 if inside else 0,
                f"txns_{name}_sells": len(inside) - buys}

    def record(self, now, metrics=True, holders=True, socials=True):
        name, ticker, description, image, *links = self.texts
        record = {"address": self.address, "created_at": iso(self.created), "owner": self.owner, "name": name,
                  "ticker": ticker, "description": description, "image_url": image, "price_eth": self.price,
                  "market_cap": self.price * SUPPLY, "funding_progress": self.progress,
                  "is_graduated": self.graduated, "chain_id": self.chain.id, "hook_address": self.chain.hook}
        if metrics:
            record |= self.window("24h", DAY, now) | self.window("1h", 3_600, now)
        if holders:
            own = {f"0x{0:040x}", self.chain.hook, self.chain.contracts["PoolManager"].lower()}
            held = sorted((units for who, units in self.balances.items() if units and who not in own), reverse=True)
            percent = lambda units: units / (SUPPLY * ETHER) * 100
            record |= {"total_holders": len(held), "top_10_percentage": percent(sum(held[:10])),
                       "dev_holding_percentage": percent(self.balances.get(self.owner, 0))}
        if socials:
            record |= {name: link or None for name, link in zip(LINKS, links)}
        return record


def words_of(data):
    return [int(data[at : at + 64], 16) for at in range(2, len(data), 64)]


def texts_of(data, starts):
    raw = bytes.fromhex(data[2:])
    return [raw[at + 32 : at + 32 + int.from_bytes(raw[at : at + 32], "big")].decode() for at in starts]


def iso(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat()


class Refused(Exception):
    pass  # a status and a reason


class Query:
    """The parameters of a request."""
    def __init__(self, text):
        self.values = parse_qs(text, keep_blank_values=True)

    def text(self, name, default="", known=None):
        value = self.values.get(name, [default])[-1]
        if known and value not in known:
            raise Refused(400, f"{name} is one of {', '.join(known)}")
        return value

    def words(self, name, known):
        return [Query(f"{name}={word}").text(name, known=known) for word in self.text(name).split(",") if word]

    def number(self, name, default, low=0, high=float("inf"), kind=int):
        try:
            value = kind(self.text(name, default))
        except ValueError:
            raise Refused(400, f"{name} is a number") from None
        if not low <= value <= high:
            raise Refused(400, f"{name} is from {low} to {high}")
        return value

    def time(self, name, default):
        try:
            when = datetime.fromisoformat(self.text(name, default).replace(" ", "+").replace("Z", "+00:00"))
        except ValueError:
            raise Refused(400, f"{name} is an ISO date") from None
        return (when if when.tzinfo else when.replace(tzinfo=timezone.utc)).timestamp()

    def flag(self, name):
        return self.text(name, "false", ("true", "false")) == "true"

    def address(self, name):
        text = self.text(name).lower()
        if len(text) != 42 or text[:2] != "0x" or set(text[2:]) - set("0123456789abcdef"):
            raise Refused(400, f"{name} is an address")
        return text

    def chain(self):
        return CHAINS[int(self.text("chainId", known=[str(chain) for chain in CHAINS]))]


def launches():
    """Every launch, the newest first, and the second that it is."""
    with LOCK:
        now = max([time.time()] + [chain.index() for chain in CHAINS.values()])
        found = [launch for chain in CHAINS.values() for launch in chain.numbers.values()]
    return sorted(found, key=lambda launch: (-launch.created, -launch.number)), now


def one(wanted):
    found, now = launches()
    for launch in found:
        if launch.address == wanted:
            return launch.record(now)
    raise Refused(404, "no token has this address")


FRAMES = {"5m": 300, "1h": 3_600, "6h": 21_600, "24h": DAY}
ORDERS = {"newest": lambda *_: 0, "oldest": lambda launch, *_: launch.created,
          "mcap-high": lambda launch, *_: -launch.price, "mcap-low": lambda launch, *_: launch.price,
          "trending": lambda launch, now, seconds: -sum(trade["wei"] for trade in launch.traded(seconds, now))}


def tokens(query):
    (found, now), page, search = launches(), query.number("page", 1, 1), query.text("search").lower()
    states, links = query.words("status", ("live", "funding")), query.words("socials", LINKS)
    seconds = FRAMES[query.text("timeframe", "24h", FRAMES)]
    order = ORDERS[query.text("sortBy", "newest", ORDERS)]
    since, until = query.time("createdFrom", "1970-01-01"), query.time("createdTo", "9999-01-01")
    bounds = [(query.number(f"{name}Min", 0, kind=float), query.number(f"{name}Max", "inf", kind=float))
              for name in ("funding", "marketCap", "txCount")]
    rows = []
    for launch in sorted(found, key=lambda launch: order(launch, now, seconds)):
        record = launch.record(now)
        figures = launch.progress, record["market_cap"], len(launch.trades)
        if (since <= launch.created <= until and all(low <= figure <= high for figure, (low, high) in zip(figures, bounds))
                and (not states or ("live" if launch.graduated else "funding") in states)
                and (not links or any(record[link] for link in links))
                and any(search in record[name].lower() for name in ("name", "ticker", "description", "owner", "address"))):
            rows.append(record)
    return {"tokens": rows[(page - 1) * PAGE :][:PAGE], "totalCount": len(rows), "totalPages": -(-len(rows) // PAGE)}


SORTS = ("created_at_desc", "created_at_asc", "market_cap_desc", "market_cap_asc", "funding_progress_desc", "volume_24h_desc")


def by_owner(query):
    owner, page, limit = query.address("owner"), query.number("page", 1, 1), query.number("limit", 20, 1, 100)
    name, _, way = query.text("sort", SORTS[0], SORTS).rpartition("_")
    query.flag("includeInactive")  # none is inactive here
    found, now = launches()
    rows = [launch.record(now) for launch in found if launch.owner == owner]
    rows.sort(key=lambda record: record[name], reverse=way == "desc")
    pages = {"page": page, "limit": limit, "total": len(rows), "totalPages": -(-len(rows) // limit)}
    return {"tokens": rows[(page - 1) * limit :][:limit], "pagination": pages}


def batch(addresses, *flags):
    if not isinstance(addresses, list) or len(addresses) > 50 or set(map(type, addresses)) - {str} or set(map(type, flags)) - {bool}:
        raise Refused(400, "addresses are up to fifty texts, and a flag is true or false")
    found, now = launches()
    known = {launch.address: launch for launch in found}
    asked = {text.lower(): text for text in addresses}
    return {"tokens": [known[text].record(now, *flags) for text in asked if text in known], "errors": [],
            "notFound": [asked[text] for text in asked if text not in known]}


def recent(query):
    chain, limit, offset = query.chain(), query.number("limit", 10, 1, 50), query.number("offset", 0)
    found, now = launches()
    rows = [launch.record(now) for launch in found if launch.chain is chain][offset : offset + limit]
    return {"chainId": chain.id, "tokens": rows, "nextOffset": offset + limit if len(rows) == limit else None}


def emperor(query):
    chain, with_bids = CHAINS[57073], query.flag("includeBidData")
    bid, start, last, at, *days, taken = chain.call(chain.contracts["EmperorAuction"], "bidData()")
    after, today, before = (f"0x{token:040x}" for token in days)
    record = one(today)
    if with_bids:
        ether = f"{last // ETHER}.{last % ETHER:018d}"
        record["bidData"] = {"currentBid": str(bid), "startBid": str(start), "lastBidAmount": str(last), "lastBidTime": iso(at),
                             "lastBid": {"amount": ether, "timestamp": at}, "nextBoostedToken": after,
                             "currentBoostedToken": today, "lastBoostedToken": before, "isEpochTaken": taken == 1}
    return record


def king(query):
    found, now = launches()
    return max((launch for launch in found if not launch.graduated), key=lambda launch: launch.progress).record(now)


def capabilities(query):
    chain = query.chain()
    parts = {name: chain.contracts[name] for name in ("PoolManager", "PositionManager", "StateView", "V4Quoter", "UniversalRouter")}
    deployment = {"version": "2", "hook": chain.hook, "abiFamily": "launch-hook", "feeWithdrawalMode": "pull", "v4": parts,
                  "runtimeHash": chain.rpc("eth_getProof", chain.hook, [], "latest")["codeHash"], "startBlock": 0, "status": "active"}
    flags = {"read": True, "create": True, "trade": True, "eoti": chain.id == 57073, "tokenUpdate": False}
    return {"chainId": chain.id, "releaseCommit": "small", "capabilityRevision": 1, "flags": flags,
            "activeCreationDeployment": deployment, "tradeableDeployments": [deployment]}


def quote_assets(query):
    chain = query.chain()
    hooks = [hook.lower() for name, hook in chain.contracts.items() if name.startswith("LaunchHook ")]
    rows = [{"asset": f"0x{chain.call(hook, 'quoteAsset()')[0]:040x}", "hook": hook} for hook in hooks]
    return {"chainId": chain.id, "quoteAssets": rows}


def chat(query):
    one(query.address("tokenAddress")), query.number("limit", 50, 1), query.number("offset", 0)
    return []  # nobody has said anything


def referrers(query):
    query.number("limit", 10, 1, 100), query.text("period", "all", ("24h", "7d", "30d", "all"))
    return {"leaderboard": [], "updated_at": iso(time.time())}


def leaders(query):
    (found, now), limit, points = launches(), query.number("limit", 50, 1, 100), {}
    for launch in found:
        points[launch.owner] = points.get(launch.owner, 0) + sum(trade["wei"] for trade in launch.trades) / ETHER
    best = sorted(points.items(), key=lambda row: -row[1])[:limit]
    rows = [{"rank": rank, "address": owner, "points": volume} for rank, (owner, volume) in enumerate(best, 1)]
    return {"leaderboard": rows, "updated_at": iso(now)}


def private(query):
    raise Refused(401, "an Authorization header is required")


READS = {"/api/tokens": tokens, "/api/tokens/by-owner": by_owner, "/api/tokens/recent-v2": recent, "/api/koti": king,
         "/api/tokens/batch": lambda query: batch(query.text("addresses").split(","), True, True, True),
         "/api/token": lambda query: one(query.address("address")), "/api/eoti": emperor, "/api/chat": chat,
         "/api/capabilities": capabilities, "/api/leaderboard": leaders, "/api/referral/leaderboard": referrers,
         "/api/referral/code": private, "/api/referral/stats": private,
         "/api/stocks/quote-assets": quote_assets}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, url):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if url.path not in READS:
            raise Refused(404, "there is nothing here")
        if self.command == "POST" and url.path == "/api/tokens/batch":
            try:
                order = dict(json.loads(body))
            except (ValueError, TypeError):
                raise Refused(400, "the body is a JSON object") from None
            flags = [order.get(name, True) for name in ("includeMetrics", "includeHolders", "includeSocials")]
            return batch(order.get("addresses"), *flags)
        if self.command not in ("GET", "HEAD"):
            raise Refused(405, "this is read with GET")
        return READS[url.path](Query(url.query))

    def serve(self):
        url, status = urlsplit(self.path), 200
        try:
            value = self.answer(url)
        except Refused as refused:
            status, value = refused.args[0], {"error": refused.args[1]}
        text = json.dumps(value).encode()
        self.send_response(status)
        headers = {"Content-Type": "application/json", "Content-Length": len(text)}
        headers |= {"Allow": "GET, HEAD"} if status == 405 else {"WWW-Authenticate": "Bearer"} if status == 401 else {}
        headers |= {"Cache-Control": "private, no-store"} if url.path == "/api/capabilities" else {}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else text)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = serve

    def log_message(self, *_):
        pass


with open(READY) as ready:
    CHAINS = {chain["chainId"]: Chain(chain) for chain in json.load(ready)["chains"]}
LOCK = threading.Lock()
launches()
print(f"http://{HOST}:{PORT}", flush=True)
ThreadingHTTPServer((HOST, int(PORT)), Handler).serve_forever()
