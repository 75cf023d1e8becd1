// The library of the web as a quoter: slipway bench quotes --command 'node quoter.cjs'
const { createInterface } = require('node:readline')
const { CurrencyAmount, Token } = require('@uniswap/sdk-core')
const { Pair } = require('@uniswap/v2-sdk')

const near = new Token(1, '0x0000000000000000000000000000000000000001', 18)
const far = new Token(1, '0x0000000000000000000000000000000000000002', 18)

createInterface({ input: process.stdin }).on('line', (line) => {
  const { reserveIn, reserveOut, amountIn } = JSON.parse(line)
  const pair = new Pair(CurrencyAmount.fromRawAmount(near, reserveIn), CurrencyAmount.fromRawAmount(far, reserveOut))
  const [output] = pair.getOutputAmount(CurrencyAmount.fromRawAmount(near, amountIn))
  process.stdout.write(`${output.quotient}\n`)
})
