import { Control } from './control.js'

export { Control, ControlError, RevertError } from './control.js'
export type Hex = `0x${string}`

export interface Account {
  address: Hex
  privateKey: Hex
}

export interface Chain {
  chainId: number
  rpcUrl: string
  hook: Hex
  contracts: Record<string, Hex>
}

/** How time passes: this machine's time, from a fixed moment on, or only when it is moved. */
export type Clock = 'real' | 'running' | 'fixed'

/** The line that `slipway up --json` prints. */
export interface Ready {
  /** Form of this line and of the control plane. */
  protocol: number
  pid: number
  seed: number
  clock: Clock
  baseUrl: string
  swapBaseUrl: string
  controlUrl: string
  /** What callers of the control plane must send, and callers of the nodes who want every method; absent where nothing is required. */
  controlToken?: string
  operatorKey: string
  chains: Chain[]
  accounts: Account[]
}

export interface Options {
  /** Path of the program; by default SLIPWAY_BIN, then `slipway` on PATH. */
  binary?: string
  /** Runs the platform in a container of this image instead of a program, as `SlipwayContainer` of `slipway-launcher/testcontainers` does. */
  image?: string
  /** Decides the market and the accounts. */
  seed?: number
  /** How time passes; by default it is this machine's time. */
  clock?: Clock
  /** More arguments of `slipway up`. */
  arguments?: string[]
}

export declare class Platform {
  /** By its ready line, and by what ends it. */
  constructor(ready: Ready, end?: () => Promise<unknown>)
  readonly ready: Ready
  readonly control: Control
  readonly baseUrl: string
  readonly swapBaseUrl: string
  readonly accounts: Account[]
  /** A chain, by default the primary one. */
  chain(chainId?: 57073 | 4663): Chain
  /** The mined transaction in words, as `getTransaction` answers; throws a RevertError if it reverted. */
  succeeded(hash: string): Promise<any>
  /** Runs something and rolls back all it did: on the chains, in the services, to the clock. */
  isolated<T>(work: (platform: Platform) => Promise<T> | T): Promise<T>
  /** Remembers everything as it is now; the answer goes back to it. */
  isolate(): Promise<() => Promise<unknown>>
  /** Ends the platform and waits until it is gone. */
  stop(): Promise<void>
}

/** Starts a platform; resolves when every part answers. */
export declare function start(options?: Options): Promise<Platform>
/** A platform that another program started, by its ready line. */
export declare function attach(ready: Ready): Platform
