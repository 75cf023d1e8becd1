// Serves the page on a free port of localhost, as `vite` does, and prints its address; ends with its input.
import { createServer } from 'vite'

const define = { READY: process.env.SLIPWAY_READY }
const server = await createServer({ configFile: false, logLevel: 'error', define, server: { host: 'localhost', port: 20_000 + (process.pid % 20_000) } })
await server.listen()
console.log(server.resolvedUrls.local[0])
process.stdin.on('end', () => process.exit()).resume()
