// A Playwright `test` with a platform for each worker, which goes back to its beginning after each test.
import { test as base } from '@playwright/test'
import { platform, worker } from './fixtures.js'

export { expect } from '@playwright/test'

export const test = base.extend({
  slipway: [{}, { scope: 'worker', option: true }],
  // The first start on a machine installs the chain tools.
  worker: [({ slipway }, use) => worker(slipway, use), { scope: 'worker', timeout: 120_000 }],
  platform,
})
