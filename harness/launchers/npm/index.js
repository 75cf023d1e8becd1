// Starts a slipway platform for a test suite: one process that ends with this one, whatever ends this one.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Control, RevertError } from './control.js'

export { Control, ControlError, RevertError } from './control.js'

/** The form of the ready line and of the control plane that this launcher understands. */
const PROTOCOL = 1

/** A program of the same name, or an old one. */
const NO_READY_LINE = 'no ready line; name the program of slipway-cli with SLIPWAY_BIN, other packages are called slipway too'

/** Starts a platform; resolves when every part answers. */
export async function start(options = {}) {
  const { binary, image, seed, clock = 'real', arguments: more = [], ...others } = options
  const [unknown] = Object.keys(others)
  if (unknown) throw new Error(`the launcher has no option ${unknown}; it has binary, image, seed, clock and arguments`)
  const words = ['--clock', clock, ...more]
  if (seed !== undefined) words.push('--seed', String(seed))
  if (image) {
    const { SlipwayContainer } = await import('./testcontainers.js')
    return (await new SlipwayContainer(image).withArguments(...words).start()).platform
  }
  const program = binary || process.env.SLIPWAY_BIN || 'slipway'
  // The platform ends when its standard input closes, and the system closes that also when this process is killed.
  const up = ['up', '--port', '0', '--json', '--until-eof', ...words]
  const child = spawn(program, up, { stdio: ['pipe', 'pipe', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (part) => {
    complaint = (complaint + part).slice(-4096)
  })
  const ready = await new Promise((resolve, reject) => {
    child.once('error', (error) => {
      reject(new Error(`${program} does not run: ${error.message}; name it with SLIPWAY_BIN or put it on PATH`))
    })
    child.once('close', (code) => reject(new Error(`${program} ended with code ${code}: ${complaint.trim() || NO_READY_LINE}`)))
    createInterface({ input: child.stdout }).once('line', (line) => {
      try {
        resolve(JSON.parse(line))
      } catch {
        child.stdin.end()
        reject(new Error(`${program} printed ${JSON.stringify(line.slice(0, 80))}: ${NO_READY_LINE}`))
      }
    })
  })
  // A runner that has nothing else to do ends although the platform still runs.
  for (const handle of [child, child.stdin, child.stdout, child.stderr]) handle.unref?.()
  try {
    return new Platform(ready, () => ended(child))
  } catch (error) {
    child.stdin.end()
    throw error
  }
}

async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.ref()
  const closed = new Promise((resolve) => child.once('close', resolve))
  child.stdin.end()
  await closed
}

/** A platform that another program started, by its ready line. */
export function attach(ready) {
  return new Platform(ready)
}

export class Platform {
  #end

  /** By its ready line, and by what ends it if it is this process that started it. */
  constructor(ready, end = async () => {}) {
    if (ready.protocol !== PROTOCOL) {
      throw new Error(
        `slipway speaks protocol ${ready.protocol}, this launcher ${PROTOCOL}: install slipway-cli and slipway-launcher of one release`,
      )
    }
    this.ready = ready
    this.control = new Control(ready.controlUrl, ready.controlToken)
    this.#end = end
  }

  get baseUrl() {
    return this.ready.baseUrl
  }

  get swapBaseUrl() {
    return this.ready.swapBaseUrl
  }

  get accounts() {
    return this.ready.accounts
  }

  chain(chainId = 57073) {
    const chain = this.ready.chains.find((chain) => chain.chainId === chainId)
    if (!chain) throw new Error(`the platform has no chain ${chainId}; it has ${this.ready.chains.map((chain) => chain.chainId).join(' and ')}`)
    return chain
  }

  /** The mined transaction in words: its calls, its events; throws a RevertError if it reverted. */
  async succeeded(hash) {
    const transaction = await this.control.call('getTransaction', { hash })
    const { error, revert } = transaction
    if (error) throw new RevertError(hash, 409, { error: `reverted: ${error.text}`, revert })
    return transaction
  }

  /** Runs something and rolls back all it did: on the chains, in the services, to the clock. */
  async isolated(work) {
    const revert = await this.isolate()
    try {
      return await work(this)
    } finally {
      await revert()
    }
  }

  /** Remembers everything as it is now; the answer goes back to it. */
  async isolate() {
    const { id } = await this.control.call('createCheckpoint')
    return () => this.control.call('revertToCheckpoint', { id })
  }

  /** Ends the platform and waits until it is gone. */
  async stop() {
    await this.#end()
  }
}
