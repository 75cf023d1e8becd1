import type { TestAPI } from 'vitest'
import type { Options, Platform } from './index.js'

/** A vitest `test` whose `platform` is this worker's, and goes back to its beginning after each test. */
export declare function withPlatform(options?: Options): TestAPI<{ worker: Platform; platform: Platform }>
export declare const test: TestAPI<{ worker: Platform; platform: Platform }>
