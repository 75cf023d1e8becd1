// Sends COUNT payments for each number of confirmations, waits for each with ethers' defaults, and prints the milliseconds of each wait as JSON:
// slipway exec -- node ethers.mjs CONFIRMATIONS[,CONFIRMATIONS…] COUNT http|ws
import { JsonRpcProvider, NonceManager, Wallet, WebSocketProvider } from 'ethers'

const [steps, count, way] = [process.argv[2].split(',').map(Number), Number(process.argv[3]), process.argv[4]]
const [{ rpcUrl }] = JSON.parse(process.env.SLIPWAY_READY).chains
const provider = way === 'ws' ? new WebSocketProvider(rpcUrl.replace('http', 'ws')) : new JsonRpcProvider(rpcUrl)
const account = new Wallet(process.env.SLIPWAY_PRIVATE_KEY, provider)
const signer = new NonceManager(account)

const waits = []
for (const confirmations of steps) {
  for (let sent = 0; sent < count; sent += 1) {
    const response = await signer.sendTransaction({ to: account.address, value: 1n })
    const begun = performance.now()
    const receipt = await response.wait(confirmations)
    waits.push(performance.now() - begun)
    // getBlockNumber() may be a quarter of a second old.
    const head = Number(await provider.send('eth_blockNumber', []))
    if (head - receipt.blockNumber + 1 < confirmations) throw new Error(`${head - receipt.blockNumber + 1} confirmations`)
  }
}
console.log(JSON.stringify(waits))
process.exit(0)
