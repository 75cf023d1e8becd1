// One platform for the whole run, by vitest's global setup.
import { expect, inject, test } from 'vitest'
import { attach, type Ready } from '../index.js'
import { launchAndTrade } from './trade.js'

declare module 'vitest' {
  export interface ProvidedContext {
    slipway: Ready
  }
}

test('a platform of the global setup is shared', async () => {
  const platform = attach(inject('slipway'))
  const { id } = await platform.control.call('createCheckpoint')
  const { count } = await launchAndTrade(platform, 'Shared')
  expect(count).toBe(81)
  await platform.control.call('setFault', { name: 'busy', path: '/api/tokens', effect: { status: 503 } })
  expect((await fetch(`${platform.baseUrl}/api/tokens`)).status).toBe(503)
  await platform.control.call('revertToCheckpoint', { id })
  const list = await (await fetch(`${platform.baseUrl}/api/tokens`)).json()
  expect(list.totalCount).toBe(80)
  expect(await platform.control.call('pauseCreation', { chainId: 57073, hook: undefined })).toMatchObject({ paused: true })
  await platform.control.call('resumeCreation', { chainId: 57073 })
  await expect(platform.control.call('getFault', { name: 'gone' })).rejects.toMatchObject({ status: 404 })
  await expect(platform.control.call('advanceClock', { seconds: -1 })).rejects.toThrow(/seconds/)
  await expect(platform.control.call('moveClock')).rejects.toThrow(/no call moveClock.*advanceClock/)
})
