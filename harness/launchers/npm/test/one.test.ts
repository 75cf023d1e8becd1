// Half of the suite: each worker has a platform, and each test finds it as it began.
import { expect } from 'vitest'
import { test } from '../vitest.js'
import { launchAndTrade } from './trade.js'

for (let number = 0; number < 10; number++) {
  test(`launches and trades, one ${number}`, async ({ platform, task }) => {
    const { shown, count } = await launchAndTrade(platform, `Token ${number}`)
    expect(shown.name).toBe(`Token ${number}`)
    expect(shown.funding_progress).toBeGreaterThan(0)
    expect(count).toBe(81)
    // Five seconds, the default, may be less than the platform takes to start.
    expect(task.timeout).toBe(120_000)
  })
}
