// A vitest `test` with a platform for each worker, which goes back to its beginning after each test.
import { test as base } from 'vitest'
import { platform, worker } from './fixtures.js'

export function withPlatform(options = {}) {
  return base.extend({ worker: [({}, use) => worker(options, use), { scope: 'worker' }], platform })
}

export const test = withPlatform()
