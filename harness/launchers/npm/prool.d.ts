import type { Instance } from 'prool'
import type { Options } from './index.js'

export interface SlipwayParameters extends Options {
  host?: string
  port?: number
  /** Where the pool's port leads: the RPC of a chain (default 57073), or a service by its member of the ready line. */
  serve?: 57073 | 4663 | 'baseUrl' | 'swapBaseUrl' | 'controlUrl'
}

/** A slipway platform as an instance of a prool pool; its first message is the ready line. */
export declare const slipway: ReturnType<typeof Instance.define<undefined, SlipwayParameters | undefined>>
