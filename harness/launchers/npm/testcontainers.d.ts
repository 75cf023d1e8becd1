import { AbstractStartedContainer, GenericContainer } from 'testcontainers'
import type { Clock, Platform } from './index.js'

/** A module of Testcontainers: a platform in a container of the image, `slipway:latest` by default. */
export declare class SlipwayContainer extends GenericContainer {
  constructor(image?: string)
  /** Decides the market and the accounts. */
  withSeed(seed: number): this
  /** How time passes; by default it is this machine's time. */
  withClock(clock: Clock): this
  /** More arguments of `slipway up`; paths are paths in the container. */
  withArguments(...more: string[]): this
  /** Starts the container; resolves when every part answers. */
  start(): Promise<StartedSlipwayContainer>
}

export declare class StartedSlipwayContainer extends AbstractStartedContainer {
  readonly platform: Platform
}
