import type {
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
  TestType,
} from '@playwright/test'
import type { Options, Platform } from './index.js'

export { expect } from '@playwright/test'

/** What `use` of a configuration takes: `defineConfig<{}, SlipwayOptions>({ use: { slipway: { seed: 7 } } })`. */
export interface SlipwayOptions {
  slipway: Options
}

/** A Playwright `test` whose `platform` is this worker's, and goes back to its beginning after each test. */
export declare const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & { platform: Platform },
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & SlipwayOptions & { worker: Platform }
>
