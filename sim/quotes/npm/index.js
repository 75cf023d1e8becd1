// Quotes in WebAssembly. Numbers of 128 bits pass through its memory, each as two words.

/** Hash of the sources of the contracts whose results these are. */
export const CONTRACTS = '@CONTRACTS@'

const bytes = Uint8Array.from(atob('@WASM@'), (sign) => sign.charCodeAt(0))
const { memory, quote, words: place } = (await WebAssembly.instantiate(bytes)).instance.exports
const [WORDS, LARGEST] = [16, (1n << 128n) - 1n]
let words = new BigUint64Array(memory.buffer, place(), WORDS)

function number(value, name) {
  const exact = typeof value === 'string' && /^[0-9]+$/.test(value) ? BigInt(value) : value
  if (typeof exact !== 'bigint') throw new TypeError(`${name} is neither a bigint nor a decimal text`)
  if (exact < 0n || exact > LARGEST) throw new RangeError(`${name} does not fit 128 bits`)
  return exact
}

function write(at, value, name) {
  const exact = number(value, name)
  words[2 * at] = exact
  words[2 * at + 1] = exact >> 64n
}

/** A number that is small: basis points. */
function writeSmall(at, value, name) {
  if (!Number.isInteger(value) || value < 0) throw new TypeError(`${name} is no whole number`)
  words[2 * at] = BigInt(value)
  words[2 * at + 1] = 0n
}

function ask(kind) {
  const isPossible = quote(kind)
  // What grows the memory takes the view away.
  if (words.length === 0) words = new BigUint64Array(memory.buffer, place(), WORDS)
  if (!isPossible) throw new RangeError('no contract can be in this state')
}

function read(at) {
  const high = words[2 * at + 1]
  return high === 0n ? words[2 * at] : (high << 64n) | words[2 * at]
}

function launch({ targetRaise, gainBps, sold, netContributions }) {
  write(0, targetRaise, 'targetRaise')
  writeSmall(1, gainBps, 'gainBps')
  write(2, sold, 'sold')
  write(3, netContributions, 'netContributions')
}

export function curveQuote(asked) {
  launch(asked)
  write(4, asked.amountIn, 'amountIn')
  writeSmall(5, asked.creatorFeeSplitBps, 'creatorFeeSplitBps')
  ask(0)
  return {
    amountOut: read(0),
    cost: read(1),
    refund: read(2),
    protocolFee: read(3),
    creatorFee: read(4),
    buybackFee: read(5),
    sold: read(6),
    netContributions: read(7),
  }
}

export function sellQuote(asked) {
  launch(asked)
  write(4, asked.amountIn, 'amountIn')
  writeSmall(5, asked.creatorFeeSplitBps, 'creatorFeeSplitBps')
  ask(1)
  return {
    amountOut: read(0),
    protocolFee: read(1),
    creatorFee: read(2),
    buybackFee: read(3),
    sold: read(4),
    netContributions: read(5),
  }
}

export function costQuote(asked) {
  launch(asked)
  write(4, asked.amountOut, 'amountOut')
  ask(2)
  return read(0)
}

function v1({ sold, netContributions, amountIn }) {
  write(0, sold, 'sold')
  write(1, netContributions, 'netContributions')
  write(2, amountIn, 'amountIn')
}

export function v1Quote(asked) {
  v1(asked)
  ask(3)
  return { amountOut: read(0), cost: read(1), refund: read(2), fee: read(3), sold: read(4), netContributions: read(5) }
}

export function v1SellQuote(asked) {
  v1(asked)
  ask(4)
  return { amountOut: read(0), fee: read(1), sold: read(2), netContributions: read(3) }
}

export function pairQuote({ reserveIn, reserveOut, amountIn }) {
  write(0, reserveIn, 'reserveIn')
  write(1, reserveOut, 'reserveOut')
  write(2, amountIn, 'amountIn')
  ask(5)
  return read(0)
}

export function routeQuote({ hops, amountIn }) {
  return hops.reduce(
    (amount, { reserveIn, reserveOut }) => pairQuote({ reserveIn, reserveOut, amountIn: amount }),
    number(amountIn, 'amountIn'),
  )
}

export function poolQuote({ sqrtPriceX96, liquidity, zeroForOne, amountIn }) {
  write(0, sqrtPriceX96, 'sqrtPriceX96')
  write(1, liquidity, 'liquidity')
  write(2, amountIn, 'amountIn')
  writeSmall(3, Number(zeroForOne), 'zeroForOne')
  ask(6)
  return read(0)
}
