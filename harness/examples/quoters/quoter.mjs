// Quotes every kind of case exactly: slipway bench quotes --kind curve --command 'node quoter.mjs' (or inverse, v1, swap, route)
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
  let gross = (wanted * 100n) / 98n
  while (net(gross) < wanted) gross += 1n
  while (gross > 0n && net(gross - 1n) >= wanted) gross -= 1n
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

function quote(asked) {
  const amount = BigInt(asked.amountIn ?? asked.amountOut)
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
