// vitest's `globalSetup`: one platform for the whole run, whose ready line tests get by `inject('slipway')`.
import { start } from './index.js'

export default async function setup({ provide }) {
  const platform = await start()
  provide('slipway', platform.ready)
  return () => platform.stop()
}
