// Prints the error of each transaction of a list, as the launcher throws it.
import { RevertError, attach } from '../index.js'

const platform = attach(JSON.parse(process.env.SLIPWAY_READY))
for (const hash of JSON.parse(process.argv[2])) {
  try {
    await platform.succeeded(hash)
    console.log('succeeded')
  } catch (error) {
    if (!(error instanceof RevertError)) throw error
    const named = Object.entries(error.arguments).map(([name, value]) => `${name}: ${value}`)
    console.log(`${error.errorName}(${named.join(', ')})`)
  }
}
