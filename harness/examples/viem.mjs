// The whole life of a launch with viem: slipway exec -- node viem.mjs
import { readFileSync } from 'node:fs'
import { createPublicClient, createWalletClient, defineChain, encodeAbiParameters, http, parseAbi, parseAbiParameters, parseEther, parseEventLogs, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

// An error without its members, which would be the whole ABI.
process.on('uncaughtException', (error) => { console.error(error.stack); process.exit(1) })
if (!process.env.SLIPWAY_READY) throw new Error('start this with: slipway exec -- node viem.mjs')
const { baseUrl, swapBaseUrl, controlUrl, operatorKey, chains } = JSON.parse(process.env.SLIPWAY_READY)
const [{ chainId, rpcUrl, hook, contracts }] = chains
const account = privateKeyToAccount(process.env.SLIPWAY_PRIVATE_KEY)
const chain = defineChain({ id: chainId, name: 'slipway', nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 }, rpcUrls: { default: { http: [rpcUrl] } } })
const client = createPublicClient({ chain, transport: http() })
const wallet = createWalletClient({ account, chain, transport: http() })

// `slipway show abi LaunchHook --format typescript` has all of it.
const auth = '(uint64 deadline, bytes32 nonce, bytes signature) auth'
const hookAbi = parseAbi([
  'struct Params { string name; string ticker; string description; string imageUrl; string messenger; string microblog; string website; uint16 creatorFeeSplitBps; uint32 gainBps; uint96 targetRaise; uint32 antiSnipeDuration; uint64 startTime; }',
  'function createLaunch(Params params) payable returns (uint256, address)',
  `function buy(uint256 launchId, uint256 minTokensOut, ${auth}) payable returns (uint256)`,
  `function sell(uint256 launchId, uint128 tokenAmount, uint256 minEthOut, ${auth}) returns (uint256)`,
  'function previewBuy(uint256 launchId, uint256 ethIn) view returns (uint256 tokensOut, uint256 cost, uint256 refund, uint256 tokensRemaining)',
  'function previewSell(uint256 launchId, uint128 tokenAmount) view returns (uint256 netPayout, uint256 protocolFee, uint256 creatorFee, uint256 buybackFee)',
  'event LaunchCreated(uint256 indexed launchId, address indexed creator, address token, uint96 targetRaise)',
])
const tokenAbi = parseAbi(['function balanceOf(address) view returns (uint256)', 'function approve(address, uint256) returns (bool)'])
const quoterAbi = parseAbi(['function quoteExactInputSingle(((address, address, uint24, int24, address) poolKey, bool zeroForOne, uint128 exactAmount, bytes hookData) params) returns (uint256 amountOut, uint256 gasEstimate)'])
const routerAbi = parseAbi(['function execute(bytes commands, bytes[] inputs, uint256 deadline) payable'])
const NO_AUTH = { deadline: 0n, nonce: `0x${'0'.repeat(64)}`, signature: '0x' }

function demand(holds, what) {
  if (!holds) throw new Error(what)
}

async function json(url, options) {
  const answer = await fetch(url, options)
  const body = await answer.json()
  demand(answer.ok, `${url}: ${answer.status} ${JSON.stringify(body)}`)
  return body
}

const post = (url, body, headers = {}) => json(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } })
const control = (path, body = {}) => post(`${controlUrl}/_sim${path}`, body)

async function send(transaction) {
  const hash = transaction.abi ? await wallet.writeContract(transaction) : await wallet.sendTransaction(transaction)
  const receipt = await client.waitForTransactionReceipt({ hash })
  demand(receipt.status === 'success', `${hash} was reverted`)
  // What the chain has, REST shows once the block is indexed.
  await json(`${controlUrl}/_sim/indexed?chainId=${chainId}&block=${receipt.blockNumber}`)
  return receipt
}

const read = (address, functionName, args) => client.readContract({ address, abi: tokenAbi, functionName, args })
/** 99 % of what the hook previews: a trade without a bound takes any price. */
async function least(functionName, args) {
  const [quoted] = await client.readContract({ address: hook, abi: hookAbi, functionName, args })
  return (quoted * 99n) / 100n
}

async function buy(launchId, value, proof) {
  const args = [launchId, await least('previewBuy', [launchId, value]), proof]
  await send({ address: hook, abi: hookAbi, functionName: 'buy', args, value })
}

const record = (token) => json(`${baseUrl}/api/token?address=${token}`)

// A logo, uploaded with a fresh captcha.
const form = new FormData()
form.set('file', new Blob([readFileSync(new URL('logo.png', import.meta.url))], { type: 'image/png' }), 'logo.png')
form.set('captchaToken', (await control('/captchas')).token)
form.set('walletAddress', account.address)
const { url: imageUrl } = await json(`${baseUrl}/api/upload`, { method: 'POST', body: form })

// A launch whose first minute needs a captcha for each trade. Nothing is signed for a node of another chain.
demand((await client.getChainId()) === chainId, 'the node is one of another chain')
const capabilities = await json(`${baseUrl}/api/capabilities?chainId=${chainId}`)
demand(capabilities.flags.create && capabilities.activeCreationDeployment.status === 'active', 'creation is closed')
const params = {
  name: 'Example', ticker: 'EXMPL', description: 'made with viem', imageUrl, messenger: '', microblog: '', website: '',
  creatorFeeSplitBps: 5_000, gainBps: 50_000, targetRaise: parseEther('1'), antiSnipeDuration: 60, startTime: 0n,
}
const created = await send({ address: hook, abi: hookAbi, functionName: 'createLaunch', args: [params] })
const [{ args: { launchId, token } }] = parseEventLogs({ abi: hookAbi, eventName: 'LaunchCreated', logs: created.logs })

const signed = await control('/captcha-auths', { chainId, trader: account.address, launchId: Number(launchId) })
const proof = { ...signed, deadline: BigInt(signed.deadline) }
await buy(launchId, parseEther('0.1'), proof)
const bought = await read(token, 'balanceOf', [account.address])
demand(bought > 0n, 'the purchase gave no tokens')
let shown = await record(token)
demand(shown.image_url === imageUrl && shown.funding_progress > 0, 'REST does not show the purchase')

// After the window nobody needs a captcha.
await control('/clock/advance', { seconds: 61 })
await send({ address: token, abi: tokenAbi, functionName: 'approve', args: [hook, bought] })
const sold = bought / 2n
const payout = await least('previewSell', [launchId, sold])
await send({ address: hook, abi: hookAbi, functionName: 'sell', args: [launchId, sold, payout, NO_AUTH] })
demand((await record(token)).funding_progress < shown.funding_progress, 'REST does not show the sale')

// The rest of the raise, and the launch graduates into its pool.
await buy(launchId, parseEther('3'), NO_AUTH)
shown = await record(token)
demand(shown.is_graduated, 'the launch did not graduate')

// A purchase in the pool, for exactly what the quoter says.
const { quoter, universalRouter } = capabilities.activeCreationDeployment.v4
const weth = contracts.WETH9
const zeroForOne = BigInt(weth) < BigInt(token)
const key = [...(zeroForOne ? [weth, token] : [token, weth]), 1_000, 60, shown.hook_address]
const amountIn = parseEther('0.01')
const { result: [quoted] } = await client.simulateContract({ address: quoter, abi: quoterAbi, functionName: 'quoteExactInputSingle', args: [{ poolKey: key, zeroForOne, exactAmount: amountIn, hookData: '0x' }] })
const encode = (types, values) => encodeAbiParameters(parseAbiParameters(types), values)
const swap = encode('bytes actions, bytes[] parameters', ['0x060b0f', [
  encode('((address, address, uint24, int24, address), bool, uint128, uint128, bytes)', [[key, zeroForOne, amountIn, quoted, '0x']]),
  encode('address, uint256, bool', [weth, amountIn, false]),
  encode('address, uint256', [token, quoted]),
]])
const wrap = encode('address, uint256', ['0x0000000000000000000000000000000000000002', amountIn])
const deadline = BigInt(Math.floor(Date.now() / 1000) + 600)
const before = await read(token, 'balanceOf', [account.address])
await send({ address: universalRouter, abi: routerAbi, functionName: 'execute', args: ['0x0b10', [wrap, swap], deadline], value: amountIn })
demand((await read(token, 'balanceOf', [account.address])) - before === quoted, 'the pool paid something else than was quoted')

// A swap on the exchange, as quoted.
const listed = await json(`${swapBaseUrl}/api/pairs`)
const pair = listed.find((pair) => JSON.stringify(pair).toLowerCase().includes(weth.toLowerCase()) && Number(pair.reserve0) > 0)
const other = [pair.token0, pair.token1].map((side) => side.address ?? side).find((side) => side.toLowerCase() !== weth.toLowerCase())
const query = new URLSearchParams({ tokenIn: zeroAddress, tokenOut: other, amount: String(parseEther('0.1')), slippage: '50', buildTx: 'true', userAddress: account.address })
const quote = await json(`${swapBaseUrl}/api/quote?${query}`)
const held = await read(other, 'balanceOf', [account.address])
const { to, data, value, gas } = quote.transaction
const transaction = { account, to, data, value: BigInt(value), gas: BigInt(gas) }
await client.call(transaction)
await send(transaction)
demand((await read(other, 'balanceOf', [account.address])) - held === BigInt(quote.amountOut), 'the exchange paid something else')

// A message about the token, signed for one captcha.
const { token: captcha } = await control('/captchas')
const message = 'gm from viem'
const signature = await account.signMessage({ message: `Launch platform chat\nToken: ${token.toLowerCase()}\nCaptcha: ${captcha}\nMessage: ${message}` })
await post(`${baseUrl}/api/chat`, { token: captcha, tokenAddress: token, message, signature }, { 'x-operator-key': operatorKey })
const [latest] = await json(`${baseUrl}/api/chat?tokenAddress=${token}`)
demand(latest.message === message && latest.sender_address.toLowerCase() === account.address.toLowerCase(), 'the chat does not show the message')
console.log(`launched, traded and graduated ${token}`)
