// Sends COUNT payments for each number of confirmations, waits for each with viem's defaults, and prints the milliseconds of each wait as JSON:
// slipway exec -- node viem.mjs CONFIRMATIONS[,CONFIRMATIONS…] COUNT http|ws
import { createPublicClient, createWalletClient, defineChain, http, webSocket } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const [steps, count, way] = [process.argv[2].split(',').map(Number), Number(process.argv[3]), process.argv[4]]
const [{ chainId, rpcUrl }] = JSON.parse(process.env.SLIPWAY_READY).chains
const account = privateKeyToAccount(process.env.SLIPWAY_PRIVATE_KEY)
const chain = defineChain({ id: chainId, name: 'slipway', nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 }, rpcUrls: { default: { http: [rpcUrl] } } })
const transport = way === 'ws' ? webSocket(rpcUrl.replace('http', 'ws')) : http()
const client = createPublicClient({ chain, transport })
const wallet = createWalletClient({ account, chain, transport })

const waits = []
for (const confirmations of steps) {
  for (let sent = 0; sent < count; sent += 1) {
    const hash = await wallet.sendTransaction({ to: account.address, value: 1n })
    const begun = performance.now()
    const receipt = await client.waitForTransactionReceipt({ hash, confirmations })
    waits.push(performance.now() - begun)
    const head = await client.getBlockNumber({ cacheTime: 0 })
    if (head - receipt.blockNumber + 1n < BigInt(confirmations)) throw new Error(`${head - receipt.blockNumber + 1n} confirmations`)
  }
}
console.log(JSON.stringify(waits))
process.exit(0)
