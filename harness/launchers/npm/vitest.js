// A vitest `test` with a platform for each worker, which goes back to its beginning after each test.
import { test as base } from 'vitest'
import { start } from './index.js'

export function withPlatform(options = {}) {
  return base.extend({
    worker: [
      async ({}, use) => {
        const platform = await start(options)
        await use(platform)
        await platform.stop()
      },
      { scope: 'worker' },
    ],
    platform: async ({ worker }, use) => {
      await worker.isolated(use)
    },
  })
}

export const test = withPlatform()
