// Quotes of the library of the web: reads trades, one a line; answers their outputs, then the nanoseconds of a quote for
// every line "round".
const { createInterface } = require('node:readline')
const { CurrencyAmount, Token } = require('@uniswap/sdk-core')
const { Pair } = require('@uniswap/v2-sdk')

const near = new Token(1, '0x0000000000000000000000000000000000000001', 18)
const far = new Token(1, '0x0000000000000000000000000000000000000002', 18)
const trades = []
let sum = 0n

function quoteAll() {
  const begun = process.hrtime.bigint()
  for (const { pair, amount } of trades) sum += BigInt(pair.getOutputAmount(amount)[0].currency.decimals)
  return Number(process.hrtime.bigint() - begun) / trades.length
}

createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === 'outputs') {
    console.log(trades.map(({ pair, amount }) => pair.getOutputAmount(amount)[0].quotient.toString()).join(' '))
  } else if (line === 'round') {
    console.log(quoteAll().toFixed(1))
  } else {
    const [amount, reserveIn, reserveOut] = line.split(' ')
    const pair = new Pair(CurrencyAmount.fromRawAmount(near, reserveIn), CurrencyAmount.fromRawAmount(far, reserveOut))
    trades.push({ pair, amount: CurrencyAmount.fromRawAmount(near, amount) })
  }
})
