// The whole life of a launch with ethers: slipway exec -- node ethers.mjs
import { readFileSync } from 'node:fs'
import { AbiCoder, Contract, JsonRpcProvider, NonceManager, Wallet, ZeroAddress, ZeroHash, parseEther } from 'ethers'

if (!process.env.SLIPWAY_READY) throw new Error('start this with: slipway exec -- node ethers.mjs')
const { baseUrl, swapBaseUrl, controlUrl, operatorKey, chains } = JSON.parse(process.env.SLIPWAY_READY)
const [{ chainId, rpcUrl, hook: hookAddress, contracts }] = chains
const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, cacheTimeout: -1 })
const account = new Wallet(process.env.SLIPWAY_PRIVATE_KEY, provider)
const signer = new NonceManager(account)

// `slipway show abi LaunchHook --format human` has all of it.
const auth = 'tuple(uint64 deadline, bytes32 nonce, bytes signature) auth'
const params = 'tuple(string name, string ticker, string description, string imageUrl, string messenger, string microblog, string website, uint16 creatorFeeSplitBps, uint32 gainBps, uint96 targetRaise, uint32 antiSnipeDuration, uint64 startTime) params'
const hook = new Contract(hookAddress, [
  `function createLaunch(${params}) payable returns (uint256, address)`,
  `function buy(uint256 launchId, uint256 minTokensOut, ${auth}) payable returns (uint256)`,
  `function sell(uint256 launchId, uint128 tokenAmount, uint256 minEthOut, ${auth}) returns (uint256)`,
  'function previewBuy(uint256 launchId, uint256 ethIn) view returns (uint256 tokensOut, uint256 cost, uint256 refund, uint256 tokensRemaining)',
  'function previewSell(uint256 launchId, uint128 tokenAmount) view returns (uint256 netPayout, uint256 protocolFee, uint256 creatorFee, uint256 buybackFee)',
  'event LaunchCreated(uint256 indexed launchId, address indexed creator, address token, uint96 targetRaise)',
], signer)
const tokenAt = (address) => new Contract(address, ['function balanceOf(address) view returns (uint256)', 'function approve(address, uint256) returns (bool)'], signer)
const NO_AUTH = { deadline: 0, nonce: ZeroHash, signature: '0x' }

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
const record = (token) => json(`${baseUrl}/api/token?address=${token}`)

/** Waits for the receipt, and until REST shows what the chain has. */
async function mined(sent) {
  const receipt = await (await sent).wait()
  await json(`${controlUrl}/_sim/indexed?chainId=${chainId}&block=${receipt.blockNumber}`)
  return receipt
}

/** 99 % of a preview: a trade without a bound takes any price. */
const least = (quoted) => (quoted * 99n) / 100n

async function buy(launchId, value, proof) {
  const { tokensOut } = await hook.previewBuy(launchId, value)
  await mined(hook.buy(launchId, least(tokensOut), proof, { value }))
}

// A logo, uploaded with a fresh captcha.
const form = new FormData()
form.set('file', new Blob([readFileSync(new URL('logo.png', import.meta.url))], { type: 'image/png' }), 'logo.png')
form.set('captchaToken', (await control('/captchas')).token)
form.set('walletAddress', account.address)
const { url: imageUrl } = await json(`${baseUrl}/api/upload`, { method: 'POST', body: form })

// A launch whose first minute needs a captcha for each trade. Nothing is signed for a node of another chain.
demand(Number(await provider.send('eth_chainId', [])) === chainId, 'the node is one of another chain')
const capabilities = await json(`${baseUrl}/api/capabilities?chainId=${chainId}`)
demand(capabilities.flags.create && capabilities.activeCreationDeployment.status === 'active', 'creation is closed')
const created = await mined(hook.createLaunch({
  name: 'Example', ticker: 'EXMPL', description: 'made with ethers', imageUrl, messenger: '', microblog: '', website: '',
  creatorFeeSplitBps: 5_000, gainBps: 50_000, targetRaise: parseEther('1'), antiSnipeDuration: 60, startTime: 0,
}))
const { launchId, token } = created.logs.map((log) => hook.interface.parseLog(log)).find((log) => log?.name === 'LaunchCreated').args

const proof = await control('/captcha-auths', { chainId, trader: account.address, launchId: Number(launchId) })
await buy(launchId, parseEther('0.1'), proof)
const bought = await tokenAt(token).balanceOf(account.address)
let shown = await record(token)
demand(bought > 0n && shown.image_url === imageUrl && shown.funding_progress > 0, 'REST does not show the purchase')

// After the window nobody needs a captcha.
await control('/clock/advance', { seconds: 61 })
await mined(tokenAt(token).approve(hookAddress, bought))
const sold = bought / 2n
const { netPayout } = await hook.previewSell(launchId, sold)
await mined(hook.sell(launchId, sold, least(netPayout), NO_AUTH))
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
const KEY = 'tuple(address, address, uint24, int24, address)'
const amountIn = parseEther('0.01')
const quoting = new Contract(quoter, [`function quoteExactInputSingle(tuple(${KEY} poolKey, bool zeroForOne, uint128 exactAmount, bytes hookData) params) returns (uint256 amountOut, uint256 gasEstimate)`], provider)
const [quoted] = await quoting.quoteExactInputSingle.staticCall([key, zeroForOne, amountIn, '0x'])
const encode = (types, values) => AbiCoder.defaultAbiCoder().encode(types, values)
const swap = encode(['bytes', 'bytes[]'], ['0x060b0f', [
  encode([`tuple(${KEY}, bool, uint128, uint128, bytes)`], [[key, zeroForOne, amountIn, quoted, '0x']]),
  encode(['address', 'uint256', 'bool'], [weth, amountIn, false]),
  encode(['address', 'uint256'], [token, quoted]),
]])
const wrap = encode(['address', 'uint256'], ['0x0000000000000000000000000000000000000002', amountIn])
const router = new Contract(universalRouter, ['function execute(bytes commands, bytes[] inputs, uint256 deadline) payable'], signer)
const deadline = Math.floor(Date.now() / 1000) + 600
const before = await tokenAt(token).balanceOf(account.address)
await mined(router.execute('0x0b10', [wrap, swap], deadline, { value: amountIn }))
demand((await tokenAt(token).balanceOf(account.address)) - before === quoted, 'the pool paid something else than was quoted')

// A swap on the exchange, as quoted.
const listed = await json(`${swapBaseUrl}/api/pairs`)
const pair = listed.find((pair) => JSON.stringify(pair).toLowerCase().includes(weth.toLowerCase()) && Number(pair.reserve0) > 0)
const other = [pair.token0, pair.token1].map((side) => side.address ?? side).find((side) => side.toLowerCase() !== weth.toLowerCase())
const query = new URLSearchParams({ tokenIn: ZeroAddress, tokenOut: other, amount: String(parseEther('0.1')), slippage: '50', buildTx: 'true', userAddress: account.address })
const quote = await json(`${swapBaseUrl}/api/quote?${query}`)
const held = await tokenAt(other).balanceOf(account.address)
const { to, data, value, gas } = quote.transaction
const transaction = { to, data, value, gasLimit: gas }
await signer.call(transaction)
await mined(signer.sendTransaction(transaction))
demand((await tokenAt(other).balanceOf(account.address)) - held === BigInt(quote.amountOut), 'the exchange paid something else')

// A message about the token, signed for one captcha.
const { token: captcha } = await control('/captchas')
const message = 'gm from ethers'
const signature = await account.signMessage(`Launch platform chat\nToken: ${token.toLowerCase()}\nCaptcha: ${captcha}\nMessage: ${message}`)
await post(`${baseUrl}/api/chat`, { token: captcha, tokenAddress: token, message, signature }, { 'x-operator-key': operatorKey })
const [latest] = await json(`${baseUrl}/api/chat?tokenAddress=${token}`)
demand(latest.message === message && latest.sender_address.toLowerCase() === account.address.toLowerCase(), 'the chat does not show the message')
console.log(`launched, traded and graduated ${token}`)
process.exit(0)
