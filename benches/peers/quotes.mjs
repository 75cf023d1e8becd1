// The quote of one pair by the npm package of quotes beside the library of the web, in interleaved rounds, in nanoseconds:
// node quotes.mjs PACKAGE/index.js
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const { pairQuote } = await import(pathToFileURL(process.argv[2]))
const require = createRequire(import.meta.url)
const { CurrencyAmount, Token } = require('@uniswap/sdk-core')
const { Pair } = require('@uniswap/v2-sdk')
const [TRADES, ROUNDS, TIMES, COIN] = [1_024, 41, 40, 10n ** 18n]
const [near, far] = [1, 2].map((last) => new Token(1, `0x${String(last).padStart(40, '0')}`, 18))

// Numbers that look random and are the same in every run.
let seed = 88172645463325252n
function between(least, most) {
  for (const [left, by] of [[true, 13n], [false, 7n], [true, 17n]]) seed ^= BigInt.asUintN(64, left ? seed << by : seed >> by)
  return least + ((seed * 0x9e3779b97f4a7c15n) % (most - least + 1n))
}

const trades = Array.from({ length: TRADES }, () => {
  const [reserveIn, reserveOut] = [between(COIN, 10_000n * COIN), between(COIN, 10_000_000n * COIN)]
  return { reserveIn, reserveOut, amountIn: between(1_000n, reserveIn / 1_000n) }
})
// The objects of the library are made before: only the quote counts.
const ready = trades.map(({ reserveIn, reserveOut, amountIn }) => {
  const amount = (token, units) => CurrencyAmount.fromRawAmount(token, String(units))
  return [new Pair(amount(near, reserveIn), amount(far, reserveOut)), amount(near, amountIn)]
})
for (const [place, [pair, amount]] of ready.entries()) {
  const [ours, other] = [pairQuote(trades[place]), pair.getOutputAmount(amount)[0].quotient]
  if (String(ours) !== String(other)) throw new Error(`${ours} and ${other}`)
}

const sides = [
  ['slipway-quotes', TIMES, () => trades.forEach(pairQuote)],
  ['@uniswap/v2-sdk', 1, () => ready.forEach(([pair, amount]) => pair.getOutputAmount(amount))],
].map((side) => [...side, []])
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [, times, quote, taken] of sides) {
    const begun = performance.now()
    for (let time = 0; time < times; time += 1) quote()
    taken.push(((performance.now() - begun) * 1e6) / times / TRADES)
  }
}
for (const [name, , , taken] of sides) console.log(name, Math.round(taken.sort((a, b) => a - b)[ROUNDS >> 1]))
