// A module of Testcontainers: `slipway up` in a container of the image. The free ports are chosen first, because answers contain the addresses.
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { AbstractStartedContainer, GenericContainer, Wait, getContainerRuntimeClient } from 'testcontainers'
import { Platform } from './index.js'

/** The first of the ports inside, and how many there are: REST, swap, control plane and the two nodes. */
const FIRST = 4700
const PORTS = 5
const READY = '{"protocol":'

export class SlipwayContainer extends GenericContainer {
  #arguments = []
  #created
  #said = ''

  constructor(image = 'slipway:latest') {
    super(image)
    this.withWaitStrategy(Wait.forLogMessage(READY)).withStartupTimeout(120_000)
  }

  withSeed(seed) {
    return this.withArguments('--seed', String(seed))
  }

  withClock(clock) {
    return this.withArguments('--clock', clock)
  }

  /** More arguments of `slipway up`; paths are paths in the container. */
  withArguments(...more) {
    this.#arguments.push(...more)
    return this
  }

  async start() {
    const { host } = (await getContainerRuntimeClient()).info.containerRuntime
    const ports = await freePorts()
    const origins = ports.map((port) => `http://${host}:${port}`)
    const publicUrls = ['--public-url', `rest=${origins[0]}`, '--public-url', `swap=${origins[1]}`]
    this.withExposedPorts(...ports.map((port, part) => ({ container: FIRST + part, host: port })))
    this.withCommand(['up', '--host', '0.0.0.0', '--offline', '--json', ...publicUrls, ...this.#arguments])
    try {
      const started = await super.start()
      return new StartedSlipwayContainer(started, outside(await readyLine(started), origins))
    } catch (cause) {
      // One that ended at once is still there; of others there is nothing to remove.
      await this.#created?.remove({ force: true, v: true }).catch(() => {})
      throw new Error(`no platform in ${this.imageName.string}: ${this.#said.trim() || cause.message}`, { cause })
    }
  }

  async containerCreated(id) {
    const { container } = await getContainerRuntimeClient()
    this.#created = container.getById(id)
    const output = await container.attach(this.#created)
    output.on('data', (part) => {
      this.#said = (this.#said + part).slice(-4096)
    })
  }
}

export class StartedSlipwayContainer extends AbstractStartedContainer {
  constructor(started, ready) {
    super(started)
    this.platform = new Platform(ready, () => this.stop())
  }
}

async function readyLine(started) {
  const logs = await started.logs()
  for await (const line of createInterface({ input: logs })) {
    if (!line.startsWith(READY)) continue
    logs.destroy()
    return line
  }
  throw new Error('the log of the container has no ready line')
}

/** The ready line with the addresses under which the parts are reached from here. */
function outside(line, origins) {
  const replaced = (text, origin, part) => text.replaceAll(`http://127.0.0.1:${FIRST + part}"`, `${origin}"`)
  return JSON.parse(origins.reduce(replaced, line))
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
