// Fixtures for test runners that name them in this form: a platform for each worker, which goes back to its beginning after each test.
import { start } from './index.js'

export async function worker(options, use) {
  const platform = await start(options)
  await use(platform)
  await platform.stop()
}

export const platform = ({ worker }, use) => worker.isolated(use)
