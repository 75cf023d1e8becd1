// Half of the suite: each file finds the platform as it began, and each test as its file's `beforeAll` left it.
const { appendFileSync } = require('node:fs')

module.exports = (word) => {
  const count = async () => (await (await fetch(`${slipway.baseUrl}/api/tokens`)).json()).totalCount
  const launch = (name) => slipway.control.call('launchToken', { name: `${name} ${word}`, ticker: 'TEST', targetRaise: '1' })

  beforeAll(async () => {
    appendFileSync(process.env.PLATFORMS, `${slipway.ready.pid}\n`)
    expect(slipway.ready.seed).toBe(7)
    expect(await count()).toBe(80)
    await launch('Of the file')
  })

  for (let number = 0; number < 5; number++) {
    test(`launches, ${number}`, async () => {
      const { now } = await slipway.control.call('advanceClock', { seconds: 3600 })
      expect(now).toBeLessThan(Date.now() / 1000 + 2 * 3600)
      await launch('Of the test')
      expect(await count()).toBe(82)
    })
  }

  test.skip('does not begin', () => {})

  describe('at the same time', () => {
    for (const name of ['one', 'other']) {
      test.concurrent(name, async () => {
        await launch(name)
        expect([82, 83]).toContain(await count())
      })
    }
  })

  jest.retryTimes(1)
  let tries = 0
  test('begins again when it is tried again', async () => {
    await launch('Of a try')
    expect(await count()).toBe(82)
    tries += 1
    expect(tries).toBe(2)
  })

  test('a refusal has its status', async () => {
    await expect(slipway.control.call('getFault', { name: 'gone' })).rejects.toMatchObject({ status: 404 })
  })
}
