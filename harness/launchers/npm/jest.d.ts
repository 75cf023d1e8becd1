import type { TestEnvironment } from 'jest-environment-node'
import type { Platform } from './index.js'

declare global {
  /** This worker's platform, which goes back to its beginning after each test. */
  var slipway: Platform
}

type Base = Pick<InstanceType<typeof TestEnvironment>, 'global' | 'setup' | 'teardown'>

/** Another environment of jest, such as that of jsdom, with the platform. */
export declare function withPlatform<Environment extends new (...given: any[]) => Base>(environment: Environment): Environment

/** The environment `node` with the platform; its options are `slipway` of `testEnvironmentOptions`. */
declare const environment: typeof TestEnvironment
export default environment
