// A vitest `test` with a platform for each worker, which goes back to its beginning after each test.
import { test as base, vi } from 'vitest'
import { platform, worker } from './fixtures.js'

// The platform starts in the time of the first test, and the first start on a machine installs the chain tools.
vi.setConfig({ testTimeout: 120_000 })

export function withPlatform(options = {}) {
  return base.extend({ worker: [({}, use) => worker(options, use), { scope: 'worker' }], platform })
}

export const test = withPlatform()
