import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { include: ['test/setup.check.ts'], globalSetup: ['./vitest-setup.js'], testTimeout: 60_000 } })
