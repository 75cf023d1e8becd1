// What a front end does first: read the services and a chain, sign with an unlocked account, connect a wallet, trade.
import { connect, createConfig, getBalance, readContracts, waitForTransactionReceipt, writeContract } from '@wagmi/core'
import { createPublicClient, createWalletClient, defineChain, http, parseAbi, parseEther, verifyMessage, webSocket } from 'viem'

const [{ chainId, rpcUrl, hook }] = READY.chains
const chain = defineChain({
  id: chainId,
  name: 'slipway',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [rpcUrl] } },
  contracts: { multicall3: { address: '0xcA11bde05977b3631167028862bE2a173976CA11' } },
})
const hookAbi = parseAbi([
  'function launchIdOf(address token) view returns (uint256)',
  'function buy(uint256 launchId, uint256 minTokensOut, (uint64 deadline, bytes32 nonce, bytes signature) auth) payable returns (uint256)',
])
const tokenAbi = parseAbi(['function balanceOf(address) view returns (uint256)', 'function symbol() view returns (string)'])
const NO_AUTH = { deadline: 0n, nonce: `0x${'0'.repeat(64)}`, signature: '0x' }

async function run(token) {
  const done = {}
  const record = await (await fetch(`${READY.baseUrl}/api/token?address=${token}`)).json()
  done.name = record.name
  done.swap = (await fetch(`${READY.swapBaseUrl}/openapi.json`)).status

  const local = createWalletClient({ chain, transport: http(rpcUrl) })
  const [account] = await local.getAddresses()
  const signature = await local.signMessage({ account, message: 'hello' })
  done.signed = await verifyMessage({ address: account, message: 'hello', signature })
  const socket = createPublicClient({ chain, transport: webSocket(rpcUrl.replace('http', 'ws')) })
  done.blocks = (await socket.getBlockNumber()) > 0n

  // Wallets are found by EIP-6963, without a list of connectors.
  const config = createConfig({ chains: [chain], transports: { [chainId]: http(rpcUrl) }, batch: { multicall: true } })
  const connector = config.connectors.find(({ name }) => name === 'Scripted')
  const { accounts: [owner] } = await connect(config, { connector, chainId })
  done.owner = owner
  const launchId = (await readContracts(config, { contracts: [{ address: hook, abi: hookAbi, functionName: 'launchIdOf', args: [token] }], allowFailure: false }))[0]
  const hash = await writeContract(config, { address: hook, abi: hookAbi, functionName: 'buy', args: [launchId, 0n, NO_AUTH], value: parseEther('0.01'), chainId })
  done.status = (await waitForTransactionReceipt(config, { hash, chainId })).status
  const [balance, symbol] = await readContracts(config, {
    contracts: [{ address: token, abi: tokenAbi, functionName: 'balanceOf', args: [owner] }, { address: token, abi: tokenAbi, functionName: 'symbol' }],
    allowFailure: false,
  })
  done.bought = balance > 0n
  done.symbol = symbol
  done.paid = (await getBalance(config, { address: owner, chainId })).value < parseEther('10000')
  return done
}

const result = document.getElementById('result')
run(new URLSearchParams(location.search).get('token')).then(
  (done) => { result.textContent = JSON.stringify(done) },
  (error) => { result.textContent = JSON.stringify({ error: String(error) }) },
)
