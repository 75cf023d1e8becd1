// Starts a slipway platform for a test suite: one process that ends with this one, whatever ends this one.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { contained } from './container.js'
import { Control, RevertError } from './control.js'

export { Control, ControlError, RevertError } from './control.js'

/** The form of the ready line and of the control plane that this launcher understands. */
const PROTOCOL = 1

/** What runs `slipway up`: the program of the option, of SLIPWAY_BIN or on PATH; or the engine, where an image is given. */
async function command({ image, binary }) {
  if (image) return contained(image)
  return {
    program: binary ?? process.env.SLIPWAY_BIN ?? 'slipway',
    remedy: 'name it with SLIPWAY_BIN or put it on PATH',
    words: ['up', '--port', '0'],
    outside: (line) => line,
  }
}

/** Starts a platform; resolves when every part answers. */
export async function start(options = {}) {
  const { program, remedy, words, outside } = await command(options)
  words.push('--json', '--until-eof', '--clock', options.clock ?? 'real')
  if (options.seed !== undefined) words.push('--seed', String(options.seed))
  // The platform ends when its standard input closes, and the system closes that also when this process is killed.
  const child = spawn(program, [...words, ...(options.arguments ?? [])], { stdio: ['pipe', 'pipe', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (part) => {
    complaint = (complaint + part).slice(-4096)
  })
  const ready = await new Promise((resolve, reject) => {
    child.once('error', (error) => {
      reject(new Error(`${program} does not run: ${error.message}; ${remedy}`))
    })
    child.once('close', (code) => reject(new Error(`slipway ended with code ${code}: ${complaint.trim()}`)))
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(outside(line))))
  })
  if (ready.protocol !== PROTOCOL) {
    child.stdin.end()
    throw new Error(
      `slipway speaks protocol ${ready.protocol}, this launcher ${PROTOCOL}: install slipway-cli and slipway-launcher of one release`,
    )
  }
  // A runner that has nothing else to do ends although the platform still runs.
  for (const handle of [child, child.stdin, child.stdout, child.stderr]) handle.unref?.()
  return new Platform(ready, child)
}

/** A platform in a container of an image, which is removed when the platform stops or this process ends. */
export class SlipwayContainer {
  #options

  constructor(image = 'slipway:latest', options = {}) {
    this.#options = { ...options, image }
  }

  /** Starts the container; resolves when every part answers. */
  start() {
    return start(this.#options)
  }
}

/** A platform that another program started, by its ready line. */
export function attach(ready) {
  return new Platform(ready)
}

export class Platform {
  #child

  constructor(ready, child) {
    this.ready = ready
    this.control = new Control(ready.controlUrl, ready.controlToken)
    this.#child = child
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
    if (!chain) throw new Error(`the platform has no chain ${chainId}`)
    return chain
  }

  /** The mined transaction in words: its calls, its events; throws a RevertError if it reverted. */
  async succeeded(hash) {
    const transaction = await this.control.call('getTransaction', { hash })
    const { error } = transaction
    if (error) throw new RevertError(hash, 409, { error: `reverted: ${error.text}`, revert: error })
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
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.ref()
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.stdin.end()
    await ended
  }
}
