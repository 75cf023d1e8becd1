// Quotes every kind of case exactly: slipway quotes bench curve -- node quoter.mjs (or inverse, v1, swap, route, pool)
import { createInterface } from 'node:readline'

const WHOLE = 10n ** 27n
// The first version: supply for sale, target, and e^u, u and ln 2 with 96 binary places.
const [SUPPLY_V1, TARGET_V1, ONE] = [8n * 10n ** 26n, 3n * 10n ** 18n, 1n << 96n]
const [EXP_U, U, LN_2] = [3995892421215877370415635626208n, 310629095773104257463905116714n, 54916777467707473351141471128n]

const divUp = (value, by) => (value + by - 1n) / by
const positive = (value) => (value > 0n ? value : 0n)

function root(value) {
  if (value < 2n) return value
  let [last, next] = [value, 1n << BigInt((value.toString(2).length + 1) >> 1)]
  while (next < last) [last, next] = [next, (next + value / next) >> 1n]
  return last
}

/** What two fees of 1 %, each rounded down, leave. */
const net = (gross) => gross - 2n * (gross / 100n)

function leastGross(wanted) {
  // At each multiple of 100 a unit more leaves one less, so the search starts below.
  let gross = positive((wanted * 100n) / 98n - 3n)
  while (net(gross) < wanted) gross += 1n
  return gross
}

/** The curve of a launch. */
class Curve {
  constructor({ targetRaise, gainBps }) {
    this.raised = BigInt(targetRaise)
    this.gain = BigInt(gainBps)
    this.supply = (WHOLE * 2n * (10_000n + this.gain)) / (40_000n + 3n * this.gain)
    this.divisor = this.supply ** 2n * (20_000n + this.gain)
  }

  costUp(sold) {
    return divUp(this.raised * sold * (20_000n * this.supply + this.gain * sold), this.divisor)
  }

  soldDown(contributions) {
    if (contributions >= this.raised) return this.supply
    const weight = (contributions * this.divisor) / this.raised
    const offset = 10_000n * this.supply
    return this.gain === 0n ? weight / (2n * offset) : (root(this.gain * weight + offset ** 2n) - offset) / this.gain
  }
}

function curve(options, sold, held, amount) {
  const launch = new Curve(options)
  if (options.operation === 'sell') return { amountOut: net(held - launch.costUp(sold - amount)) }
  const missing = launch.raised - held
  if (net(amount) < missing) return { amountOut: launch.soldDown(held + net(amount)) - sold, cost: amount, refund: 0n }
  const cost = leastGross(missing)
  return { amountOut: launch.supply - sold, cost, refund: amount - cost }
}

function costUpV1(sold) {
  const exponent = (U * sold) / SUPPLY_V1
  const rest = exponent % LN_2
  let [sum, term] = [ONE, ONE]
  for (let place = 1n; term > 0n; place += 1n) {
    term = ((term * rest) >> 96n) / place
    sum += term
  }
  return divUp(TARGET_V1 * ((sum << (exponent / LN_2)) - ONE), EXP_U - ONE)
}

function v1(operation, sold, held, amount) {
  if (operation === 'sell') {
    const gross = positive(held - costUpV1(sold - amount))
    return { amountOut: gross - gross / 20n }
  }
  const missing = TARGET_V1 - held
  let [cost, fee] = [amount, amount / 20n]
  if (amount - fee >= missing) {
    fee = positive(missing - 1n) / 19n
    cost = missing + fee
  }
  let [low, high] = held + cost - fee >= TARGET_V1 ? [SUPPLY_V1, SUPPLY_V1] : [sold, SUPPLY_V1]
  while (low < high) {
    const middle = (low + high + 1n) / 2n
    if (costUpV1(middle) <= held + cost - fee) low = middle
    else high = middle - 1n
  }
  return { amountOut: low - sold, cost, refund: amount - cost }
}

function hop(paid, { reserveIn, reserveOut }) {
  const afterFee = paid * 997n
  return (afterFee * BigInt(reserveOut)) / (BigInt(reserveIn) * 1000n + afterFee)
}

// Pools of graduated launches: 2^128 / 1.0001^(2^n / 2), as Uniswap's TickMath has them.
const FACTORS = [
  0xfffcb933bd6fad37aa2d162d1a594001n, 0xfff97272373d413259a46990580e213an, 0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n, 0xffcb9843d60f6159c9db58835c926644n, 0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n, 0xfe5dee046a99a2a811c461f1969c3053n, 0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n, 0xf3392b0822b70005940c7a398e4b70f3n, 0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n, 0xa9f746462d870fdf8a65dc1f90e061e5n, 0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n, 0x9aa508b5b7a84e1c677de54f3e99bc9n, 0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n, 0x48a170391f7dc42444e8fa2n,
]

function sqrtPriceAt(tick) {
  const distance = Math.abs(tick)
  const falling = FACTORS.reduce((price, factor, bit) => ((distance >> bit) & 1 ? (price * factor) >> 128n : price), 1n << 128n)
  return divUp(tick > 0 ? ((1n << 256n) - 1n) / falling : falling, 1n << 32n)
}

// A swap is rounded at each end of a word of the tick bitmap: 256 ticks of a spacing of 60.
const WORDS = Array.from({ length: 115 }, (_, place) => 15_360 * (place - 57))
const FIRST = WORDS.map(sqrtPriceAt).reverse()
const LAST = WORDS.map((tick) => sqrtPriceAt(tick - 60))

function pool(asked, amountIn) {
  const [falls, liquidity] = [asked.zeroForOne, BigInt(asked.liquidity)]
  const scaled = liquidity << 96n
  let [price, left, out] = [BigInt(asked.sqrtPriceX96), amountIn, 0n]
  for (const end of falls ? FIRST.filter((end) => end <= price) : LAST.filter((end) => end > price)) {
    const trading = (left * 999_000n) / 1_000_000n
    const needed = falls ? divUp(divUp(scaled * (price - end), price), end) : divUp(liquidity * (end - price), 1n << 96n)
    let moved = end
    if (trading < needed) moved = falls ? divUp(scaled * price, scaled + trading * price) : price + (trading << 96n) / liquidity
    out += falls ? (liquidity * (price - moved)) >> 96n : (scaled * (moved - price)) / moved / price
    if (trading < needed) break
    left -= needed + divUp(needed * 1_000n, 999_000n)
    price = moved
  }
  return { amountOut: out }
}

function quote(asked) {
  const amount = BigInt(asked.amountIn ?? asked.amountOut)
  if (asked.liquidity) return pool(asked, amount)
  if (asked.hops || asked.reserveIn) return { amountOut: (asked.hops ?? [asked]).reduce(hop, amount) }
  const [sold, held] = [BigInt(asked.sold), BigInt(asked.netContributions)]
  if (!asked.targetRaise) return v1(asked.operation, sold, held, amount)
  if (asked.operation) return curve(asked, sold, held, amount)
  return { cost: leastGross(new Curve(asked).costUp(sold + amount) - held) }
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = Object.entries(quote(JSON.parse(line))).map(([name, value]) => [name, String(value)])
  console.log(JSON.stringify(Object.fromEntries(answer)))
}
