// A pool of prool gives each number a platform of its own.
if (!Promise.withResolvers) {
  // prool is written for Node 22.
  Promise.withResolvers = () => {
    const all = {}
    all.promise = new Promise((resolve, reject) => Object.assign(all, { resolve, reject }))
    return all
  }
}
const { Server } = await import('prool')
const { slipway } = await import('../prool.js')

const server = Server.create({ instance: slipway({}, { timeout: 60_000 }), host: '127.0.0.1' })
const stop = await server.start()
const { port } = server.address()
const ask = async (number, method, params = []) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(`http://127.0.0.1:${port}/${number}`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  return (await answer.json()).result
}
const chains = await Promise.all([ask(1, 'eth_chainId'), ask(2, 'eth_chainId')])
const before = await ask(2, 'eth_blockNumber')
await ask(1, 'evm_mine')
const after = [await ask(1, 'eth_blockNumber'), await ask(2, 'eth_blockNumber')]
await stop()
if (chains.some((chain) => chain !== '0xdef1')) throw new Error(`other chains: ${chains}`)
if (after[0] === after[1] || after[1] !== before) throw new Error(`the platforms are one: ${before} ${after}`)
