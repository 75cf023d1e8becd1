// A slipway platform as an instance of a prool pool: the pool's port leads to the RPC of a chain, or to a service.
import { connect, createServer } from 'node:net'
import { Instance } from 'prool'
import { start } from './index.js'

export const slipway = Instance.define((parameters = {}) => {
  const { port = 8545, host = '127.0.0.1', serve = 57073, ...options } = parameters
  let platform
  let door
  return {
    name: 'slipway',
    host,
    port,
    async start({ port: chosen = port }, { emitter }) {
      platform = await start(options)
      const target = new URL(typeof serve === 'number' ? platform.chain(serve).rpcUrl : platform.ready[serve])
      door = createServer((near) => {
        const far = connect(Number(target.port), target.hostname)
        for (const [from, to] of [[near, far], [far, near]]) from.on('error', () => to.destroy()).pipe(to)
      })
      await new Promise((resolve, reject) => door.once('error', reject).listen(chosen, host, resolve))
      emitter.emit('message', JSON.stringify(platform.ready))
      emitter.emit('listening')
    },
    async stop() {
      door?.close()
      await platform?.stop()
    },
  }
})
