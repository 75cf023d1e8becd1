// Each worker has a platform, and each test finds it as it began.
import { appendFileSync } from 'node:fs'
import { expect, test } from '../../playwright.js'
import { launchAndTrade } from '../trade.js'

for (let number = 0; number < 10; number++) {
  test(`launches and trades, ${number}`, async ({ platform, worker }) => {
    expect(platform).toBe(worker)
    expect(platform.ready.seed).toBe(7)
    appendFileSync(process.env.PLATFORMS!, `${platform.ready.pid}\n`)
    const { shown, count } = await launchAndTrade(platform, `Token ${number}`)
    expect(shown.name).toBe(`Token ${number}`)
    expect(count).toBe(81)
  })
}
