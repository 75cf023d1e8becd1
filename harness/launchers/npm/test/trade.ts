// A launch and its first trades with viem, as a client's test makes them.
import { createWalletClient, defineChain, http, parseAbi, parseEther, parseEventLogs } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Platform } from '../index.js'

const abi = parseAbi([
  'struct Params { string name; string ticker; string description; string imageUrl; string messenger; string microblog; string website; uint16 creatorFeeSplitBps; uint32 gainBps; uint96 targetRaise; uint32 antiSnipeDuration; uint64 startTime; }',
  'function createLaunch(Params params) payable returns (uint256, address)',
  'function buy(uint256 launchId, uint256 minTokensOut, (uint64 deadline, bytes32 nonce, bytes signature) auth) payable returns (uint256)',
  'event LaunchCreated(uint256 indexed launchId, address indexed creator, address token, uint96 targetRaise)',
])
const NO_AUTH = { deadline: 0n, nonce: `0x${'0'.repeat(64)}`, signature: '0x' } as const

export async function launchAndTrade(platform: Platform, name: string) {
  const { rpcUrl, hook, chainId } = platform.chain()
  const chain = defineChain({
    id: chainId,
    name: 'slipway',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  const account = privateKeyToAccount(platform.accounts[0].privateKey)
  const wallet = createWalletClient({ account, chain, transport: http() })
  const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 0n, gas: 8_000_000n }
  const params = {
    name, ticker: 'TEST', description: '', imageUrl: '', messenger: '', microblog: '', website: '',
    creatorFeeSplitBps: 5_000, gainBps: 50_000, targetRaise: parseEther('1'), antiSnipeDuration: 0, startTime: 0n,
  }
  const created = await wallet.writeContractSync({ address: hook, abi, functionName: 'createLaunch', args: [params], ...fees })
  const [{ args }] = parseEventLogs({ abi, eventName: 'LaunchCreated', logs: created.logs })
  const traded = await wallet.writeContractSync({
    address: hook, abi, functionName: 'buy', args: [args.launchId, 0n, NO_AUTH], value: parseEther('0.2'), ...fees,
  })
  await platform.control.call('waitUntilIndexed', { chainId: 57073, block: Number(traded.blockNumber) })
  const shown = await fetch(`${platform.baseUrl}/api/token?address=${args.token}`)
  const list = await fetch(`${platform.baseUrl}/api/tokens`)
  return { shown: await shown.json(), count: (await list.json()).totalCount as number }
}
