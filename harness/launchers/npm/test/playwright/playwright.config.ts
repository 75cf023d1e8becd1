import { defineConfig } from '@playwright/test'
import type { SlipwayOptions } from '../../playwright.js'

export default defineConfig<{}, SlipwayOptions>({
  testDir: '.',
  reporter: 'list',
  workers: 2,
  fullyParallel: true,
  timeout: 120_000,
  expect: { timeout: 60_000 },
  use: {
    slipway: { seed: 7 },
    launchOptions: { executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] },
  },
})
