"""Quotes every kind of case exactly: slipway quotes bench curve -- python3 quoter.py (or inverse, v1, swap, route, pool)"""

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
    # At each multiple of 100 a unit more leaves one less, so the search starts below.
    gross = max(wanted * 100 // 98 - 3, 0)
    while net(gross) < wanted:
        gross += 1
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


# Pools of graduated launches: 2^128 / 1.0001^(2^n / 2), as Uniswap's TickMath has them.
FACTORS = [
    0xfffcb933bd6fad37aa2d162d1a594001, 0xfff97272373d413259a46990580e213a, 0xfff2e50f5f656932ef12357cf3c7fdcc,
    0xffe5caca7e10e4e61c3624eaa0941cd0, 0xffcb9843d60f6159c9db58835c926644, 0xff973b41fa98c081472e6896dfb254c0,
    0xff2ea16466c96a3843ec78b326b52861, 0xfe5dee046a99a2a811c461f1969c3053, 0xfcbe86c7900a88aedcffc83b479aa3a4,
    0xf987a7253ac413176f2b074cf7815e54, 0xf3392b0822b70005940c7a398e4b70f3, 0xe7159475a2c29b7443b29c7fa6e889d9,
    0xd097f3bdfd2022b8845ad8f792aa5825, 0xa9f746462d870fdf8a65dc1f90e061e5, 0x70d869a156d2a1b890bb3df62baf32f7,
    0x31be135f97d08fd981231505542fcfa6, 0x9aa508b5b7a84e1c677de54f3e99bc9, 0x5d6af8dedb81196699c329225ee604,
    0x2216e584f5fa1ea926041bedfe98, 0x48a170391f7dc42444e8fa2,
]


def sqrt_price_at(tick):
    price = 1 << 128
    for bit, factor in enumerate(FACTORS):
        if abs(tick) >> bit & 1:
            price = price * factor >> 128
    return -((-price if tick <= 0 else -((2**256 - 1) // price)) >> 32)


# A swap is rounded at each end of a word of the tick bitmap: 256 ticks of a spacing of 60.
FIRST = [sqrt_price_at(15_360 * word) for word in range(-57, 58)]
LAST = [sqrt_price_at(15_360 * word - 60) for word in range(-57, 58)]


def pool(case):
    price, liquidity, left = int(case["sqrtPriceX96"]), int(case["liquidity"]), int(case["amountIn"])
    falls, scaled, out = case["zeroForOne"], int(case["liquidity"]) << 96, 0
    ends = [end for end in reversed(FIRST) if end <= price] if falls else [end for end in LAST if end > price]
    for end in ends:
        trading = left * 999_000 // 1_000_000
        needed = -(-scaled * (price - end) // price) if falls else -(-liquidity * (end - price) >> 96)
        needed = -(-needed // end) if falls else needed
        if trading >= needed:
            moved = end
        elif falls:
            moved = -(-scaled * price // (scaled + trading * price))
        else:
            moved = price + (trading << 96) // liquidity
        out += liquidity * (price - moved) >> 96 if falls else scaled * (moved - price) // moved // price
        if trading < needed:
            break
        left, price = left - needed - -(-needed * 1_000 // 999_000), moved
    return {"amountOut": str(out)}


def quote(case):
    if "liquidity" in case:
        return pool(case)
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
