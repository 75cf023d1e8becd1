"""Quotes every kind of case exactly: slipway bench quotes --kind curve --command 'python3 quoter.py' (or inverse, v1, swap, route)"""

import json
import sys
from math import isqrt

WHOLE = 10**27
# The first version: supply for sale, target, and e^u, u and ln 2 with 96 binary places.
SUPPLY_V1, TARGET_V1, ONE = 8 * 10**26, 3 * 10**18, 1 << 96
EXP_U, U, LN_2 = 3995892421215877370415635626208, 310629095773104257463905116714, 54916777467707473351141471128


def net(gross):
    """What two fees of 1 %, each rounded down, leave."""
    return gross - 2 * (gross // 100)


def least_gross(wanted):
    gross = wanted * 100 // 98
    while net(gross) < wanted:
        gross += 1
    while gross and net(gross - 1) >= wanted:
        gross -= 1
    return gross


class Curve:
    """The curve of a launch."""

    def __init__(self, case):
        self.raised, self.gain = int(case["targetRaise"]), case["gainBps"]
        self.supply = WHOLE * 2 * (10_000 + self.gain) // (40_000 + 3 * self.gain)
        self.divisor = self.supply**2 * (20_000 + self.gain)

    def cost_up(self, sold):
        return -(-self.raised * sold * (20_000 * self.supply + self.gain * sold) // self.divisor)

    def sold_down(self, contributions):
        if contributions >= self.raised:
            return self.supply
        weight = contributions * self.divisor // self.raised
        if self.gain == 0:
            return weight // (20_000 * self.supply)
        return (isqrt(self.gain * weight + (10_000 * self.supply) ** 2) - 10_000 * self.supply) // self.gain


def curve(case):
    launch, sold, held, amount = Curve(case), int(case["sold"]), int(case["netContributions"]), int(case["amountIn"])
    if case["operation"] == "sell":
        return {"amountOut": str(net(held - launch.cost_up(sold - amount)))}
    missing = launch.raised - held
    if net(amount) >= missing:
        cost = least_gross(missing)
        return {"amountOut": str(launch.supply - sold), "cost": str(cost), "refund": str(amount - cost)}
    return {"amountOut": str(launch.sold_down(held + net(amount)) - sold), "cost": str(amount), "refund": "0"}


def inverse(case):
    launch, sold, held = Curve(case), int(case["sold"]), int(case["netContributions"])
    return {"cost": str(least_gross(launch.cost_up(sold + int(case["amountOut"])) - held))}


def cost_up_v1(sold):
    twos, rest = divmod(U * sold // SUPPLY_V1, LN_2)
    total = term = ONE
    place = 0
    while term:
        place += 1
        term = (term * rest >> 96) // place
        total += term
    return -(-TARGET_V1 * ((total << twos) - ONE) // (EXP_U - ONE))


def v1(case):
    sold, held, amount = int(case["sold"]), int(case["netContributions"]), int(case["amountIn"])
    if case["operation"] == "sell":
        gross = max(held - cost_up_v1(sold - amount), 0)
        return {"amountOut": str(gross - gross // 20)}
    missing, cost, fee = TARGET_V1 - held, amount, amount // 20
    if amount - fee >= missing:
        fee = max(missing - 1, 0) // 19
        cost = missing + fee
    low, high = sold, SUPPLY_V1
    while low < high and held + cost - fee < TARGET_V1:
        middle = (low + high + 1) // 2
        if cost_up_v1(middle) <= held + cost - fee:
            low = middle
        else:
            high = middle - 1
    bought = (SUPPLY_V1 if held + cost - fee >= TARGET_V1 else low) - sold
    return {"amountOut": str(bought), "cost": str(cost), "refund": str(amount - cost)}


def hop(paid, pair):
    after_fee = paid * 997
    return after_fee * int(pair["reserveOut"]) // (int(pair["reserveIn"]) * 1000 + after_fee)


def quote(case):
    if "hops" in case or "reserveIn" in case:
        amount = int(case["amountIn"])
        for pair in case.get("hops", [case]):
            amount = hop(amount, pair)
        return {"amountOut": str(amount)}
    if "targetRaise" not in case:
        return v1(case)
    return curve(case) if "operation" in case else inverse(case)


for line in sys.stdin:
    print(json.dumps(quote(json.loads(line))), flush=True)
