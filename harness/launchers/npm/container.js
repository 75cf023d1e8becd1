// `slipway up` in a container: its ports are published on free ones, which are chosen first because answers contain the addresses.
import { createServer } from 'node:net'

/** The first of the ports inside, and how many there are: REST, swap, control plane and the two nodes. */
const FIRST = 4700
const PORTS = 5

/** The command that runs `slipway up` in an image, and the rewriting of addresses in what it prints. */
export async function contained(image) {
  const engine = process.env.DOCKER_HOST ?? ''
  const remote = engine.startsWith('tcp:') ? new URL(engine).hostname : undefined
  const host = remote ?? '127.0.0.1'
  const ports = await freePorts()
  const address = (part) => `http://${host}:${ports[part]}`
  // An engine elsewhere publishes on all addresses of its machine. Nothing is pulled: a registry may have another image of this name.
  const published = ports.flatMap((port, part) => ['--publish', `${remote ? '' : '127.0.0.1:'}${port}:${FIRST + part}`])
  const run = ['run', '--rm', '--interactive', '--pull', 'never', '--label', `io.slipway.launcher=${process.pid}`]
  const up = ['up', '--host', '0.0.0.0', '--offline', '--public-url', `rest=${address(0)}`, '--public-url', `swap=${address(1)}`]
  return {
    program: 'docker',
    remedy: 'install a container engine (Debian: apt-get install docker.io)',
    words: [...run, ...published, image, ...up],
    outside: (line) => ports.reduce((text, _, part) => text.replaceAll(`http://127.0.0.1:${FIRST + part}"`, `${address(part)}"`), line),
  }
}

async function freePorts() {
  const listening = () =>
    new Promise((resolve, reject) => {
      const server = createServer().once('error', reject)
      server.listen(0, () => resolve(server))
    })
  const servers = await Promise.all(Array.from({ length: PORTS }, listening))
  const ports = servers.map((server) => server.address().port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
