// The library of the web as a quoter: slipway quotes bench swap -- node quoter.cjs
const { createInterface } = require('node:readline')
const { CurrencyAmount, Token } = require('@uniswap/sdk-core')
const { Pair } = require('@uniswap/v2-sdk')

const near = new Token(1, '0x0000000000000000000000000000000000000001', 18)
const far = new Token(1, '0x0000000000000000000000000000000000000002', 18)

function quote({ reserveIn, reserveOut, amountIn }) {
  const pair = new Pair(CurrencyAmount.fromRawAmount(near, reserveIn), CurrencyAmount.fromRawAmount(far, reserveOut))
  try {
    return pair.getOutputAmount(CurrencyAmount.fromRawAmount(near, amountIn))[0].quotient
  } catch (error) {
    // The library refuses what buys nothing.
    if (error.isInsufficientInputAmountError) return 0
    throw error
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  process.stdout.write(`${quote(JSON.parse(line))}\n`)
})
