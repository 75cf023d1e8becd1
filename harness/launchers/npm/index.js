// Starts a slipway platform for a test suite: one process that ends with this one, whatever ends this one.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Control } from './control.js'

export { Control }

/** The form of the ready line and of the control plane that this launcher understands. */
const PROTOCOL = 1

/** The program: the option, then SLIPWAY_BIN, then PATH. */
function program(options) {
  return options.binary ?? process.env.SLIPWAY_BIN ?? 'slipway'
}

function command(options) {
  const words = ['up', '--json', '--port', '0', '--until-eof', '--clock', options.clock ?? 'real']
  if (options.seed !== undefined) words.push('--seed', String(options.seed))
  return [...words, ...(options.arguments ?? [])]
}

/** Starts a platform; resolves when every part answers. */
export async function start(options = {}) {
  // The platform ends when its standard input closes, and the system closes that also when this process is killed.
  const child = spawn(program(options), command(options), { stdio: ['pipe', 'pipe', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (part) => {
    complaint = (complaint + part).slice(-4096)
  })
  const ready = await new Promise((resolve, reject) => {
    child.once('error', (error) => {
      reject(new Error(`slipway does not run: ${error.message}; name it with SLIPWAY_BIN or put it on PATH`))
    })
    child.once('close', (code) => reject(new Error(`slipway ended with code ${code}: ${complaint.trim()}`)))
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)))
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

/** A platform that somebody else started, by its ready line. */
export function attach(ready) {
  return new Platform(ready)
}

export class Platform {
  #child

  constructor(ready, child) {
    this.ready = ready
    this.control = new Control(ready.controlUrl)
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

  /** Runs something and takes back all it did: on the chains, in the services, to the clock. */
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
    const { id } = await this.control.createCheckpoint()
    return () => this.control.revertToCheckpoint({ id })
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
