// Reads every endpoint of both services with the client that openapi-typescript and openapi-fetch make of their documents.
import createClient, { type Middleware } from 'openapi-fetch'
import { attach } from '../index.js'
import type { paths as RestPaths } from './generated/rest.js'
import type { paths as SwapPaths } from './generated/swap.js'

const platform = attach(JSON.parse(process.env.SLIPWAY_READY!))
const { baseUrl, swapBaseUrl, accounts } = platform.ready
const wallet = accounts[0]!.address

const read = new Set<string>()
const noted = (service: string): Middleware => ({
  onRequest: ({ request, schemaPath }) => void read.add(`${service} ${request.method} ${schemaPath}`),
})
const querySerializer = { array: { style: 'form', explode: false } } as const
const rest = createClient<RestPaths>({ baseUrl, querySerializer })
const swap = createClient<SwapPaths>({ baseUrl: swapBaseUrl, querySerializer })
rest.use(noted('rest'))
swap.use(noted('swap'))

function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what)
}
async function data<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call
  if (data === undefined) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`)
  return data
}

const list = await data(rest.GET('/api/tokens', { params: { query: { status: ['live', 'funding'], sortBy: 'mcap-high' } } }))
const { address, name } = list.tokens[0]!
demand(list.totalCount >= list.tokens.length && list.tokens.length > 1, 'the list counts its tokens')
const record = await data(rest.GET('/api/token', { params: { query: { address } } }))
demand(record.name === name, 'the record is of the token')
const { owner, chain_id: chainId } = record
demand(chainId === 57073 || chainId === 4663, 'a token is on a known chain')
const owned = await data(rest.GET('/api/tokens/by-owner', { params: { query: { owner, limit: 5 } } }))
demand(owned.pagination.total >= 1 && owned.tokens.every((token) => token.owner === owner), 'the tokens are of the owner')
const addresses = list.tokens.slice(0, 2).map((token) => token.address)
const posted = await data(rest.POST('/api/tokens/batch', { body: { addresses, includeSocials: false } }))
const got = await data(rest.GET('/api/tokens/batch', { params: { query: { addresses } } }))
demand(posted.tokens.length === 2 && got.tokens.length === 2, 'a batch has its tokens')
const recent = await data(rest.GET('/api/tokens/recent-v2', { params: { query: { chainId: 57073, limit: 3 } } }))
demand(recent.chainId === 57073 && recent.nextOffset === 3, 'launches come in pages')
const emperor = await data(rest.GET('/api/eoti', { params: { query: { includeBidData: true } } }))
demand(emperor.bidData !== undefined && BigInt(emperor.bidData.startBid) >= 0n, 'the auction has a first bid')
const king = await data(rest.GET('/api/koti'))
demand(king.funding_progress <= 1, 'the king is on its curve')
await data(rest.GET('/api/stocks/quote-assets', { params: { query: { chainId: 4663 } } }))
const capabilities = await data(rest.GET('/api/capabilities', { params: { query: { chainId: 57073 } } }))
demand(capabilities.activeCreationDeployment?.status === 'active', 'launches are open')
const chat = await data(rest.GET('/api/chat', { params: { query: { tokenAddress: address } } }))
demand(Array.isArray(chat), 'a chat is a list')
await data(rest.GET('/api/leaderboard', { params: { query: { limit: 3 } } }))
const headers = { Authorization: `Bearer ${(await platform.control.call('issueBearer', { address: wallet })).token}` }
const { code } = await data(rest.GET('/api/referral/code', { headers }))
const stats = await data(rest.GET('/api/referral/stats', { params: { query: { period: '7d' } }, headers }))
demand(stats.referral_code === code, 'the stats are of the code')
await data(rest.GET('/api/referral/leaderboard', { params: { query: { period: 'all', limit: 3 } } }))

// An image must be there to be read.
const form = new FormData()
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
form.append('file', new Blob([Buffer.from(pixel, 'base64')], { type: 'image/png' }), 'pixel.png')
form.append('captchaToken', (await platform.control.call('mintCaptcha')).token)
form.append('walletAddress', wallet)
const uploaded = (await (await fetch(`${baseUrl}/api/upload`, { method: 'POST', body: form })).json()) as { url: string }
const image = await data(
  rest.GET('/cdn/{name}', { params: { path: { name: uploaded.url.split('/').at(-1)! } }, parseAs: 'arrayBuffer' }),
)
demand((image as ArrayBuffer).byteLength > 50, 'an image is read')

const pairs = await data(swap.GET('/api/pairs'))
const pair = pairs.find((pair) => pair.reserve0 !== '0')!
const listed = await data(swap.GET('/api/tokens'))
demand(listed.some((token) => token.address === pair.token0.address), 'the tokens of pairs are listed')
const query = { tokenIn: pair.token0.address, tokenOut: pair.token1.address, amount: '1000000000000000', slippage: 100 }
const quote = await data(swap.GET('/api/quote', { params: { query } }))
demand(BigInt(quote.amountOut) >= BigInt(quote.minimumAmountOut!), 'the least output is below the output')

// Nothing was left out: every GET of both documents, and the POST that reads.
const expected = ['rest POST /api/tokens/batch']
for (const [service, document] of [
  ['rest', await data(rest.GET('/openapi.json'))],
  ['swap', await data(swap.GET('/openapi.json'))],
] as const) {
  const { paths } = document as unknown as { paths: Record<string, object> }
  for (const [path, methods] of Object.entries(paths)) if ('get' in methods) expected.push(`${service} GET ${path}`)
}
demand(JSON.stringify([...read].sort()) === JSON.stringify(expected.sort()), `read ${[...read]}\nnot ${expected}`)
console.log(`read ${read.size} operations`)
