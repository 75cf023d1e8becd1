// Compares the npm package of quotes with cases and their answers: slipway quotes cases KIND --count N | node check.mjs PACKAGE/index.js
// The same functions run in a browser.

/** What the package answers to a case, under the names of the answers in it. */
function answer(quotes, kind, asked) {
  const sells = asked.operation === 'sell'
  switch (kind) {
    case 'curve':
      return sells ? quotes.sellQuote(asked) : quotes.curveQuote(asked)
    case 'v1':
      return sells ? quotes.v1SellQuote(asked) : quotes.v1Quote(asked)
    case 'inverse':
      return { cost: quotes.costQuote(asked) }
    case 'swap':
      return { amountOut: quotes.pairQuote(asked) }
    case 'route':
      return { amountOut: quotes.routeQuote(asked) }
    case 'pool':
      return { amountOut: quotes.poolQuote(asked) }
  }
}

const ANSWERS = {
  curve: ['amountOut', 'cost', 'refund'],
  v1: ['amountOut', 'cost', 'refund'],
  inverse: ['cost'],
  swap: ['amountOut'],
  route: ['amountOut'],
  pool: ['amountOut'],
}

/** Throws at the first answer that is a unit apart. */
export function compare(quotes, kind, line) {
  const asked = JSON.parse(line)
  const given = answer(quotes, kind, asked)
  for (const name of ANSWERS[kind]) {
    // A sale costs nothing.
    const found = given[name] ?? 0n
    if (String(found) !== asked[name]) throw new Error(`${name} is ${found}: ${line}`)
  }
}

if (typeof process !== 'undefined') {
  const { createInterface } = await import('node:readline')
  const { pathToFileURL } = await import('node:url')
  const quotes = await import(pathToFileURL(process.argv[2]))
  let [kind, count] = [undefined, 0]
  for await (const line of createInterface({ input: process.stdin })) {
    if (kind === undefined) kind = JSON.parse(line).kind
    else {
      compare(quotes, kind, line)
      count += 1
    }
  }
  if (count === 0) throw new Error('no case')
  console.log(`${count} cases of ${kind}, no unit apart`)
}
