// jest's `testEnvironment`: the global `slipway` is this worker's platform, which goes back to its beginning after each test.
import { TestEnvironment } from 'jest-environment-node'
import { start } from './index.js'

/** A module of an environment lives as long as the worker, an environment as long as a file: one platform for each set of options. */
const platforms = new Map()

function platformOf(options) {
  const key = JSON.stringify(options)
  if (!platforms.has(key)) platforms.set(key, start(options))
  return platforms.get(key)
}

/** An environment of jest with the platform; tests that run at the same time share what they do to it. */
export function withPlatform(Environment) {
  return class extends Environment {
    #options
    #revertFile
    #revertTest

    constructor(config, context) {
      super(config, context)
      this.#options = config.projectConfig.testEnvironmentOptions.slipway ?? {}
    }

    async setup() {
      await super.setup()
      const platform = await platformOf(this.#options)
      this.#revertFile = await platform.isolate()
      this.global.slipway = platform
    }

    async handleTestEvent(event, state) {
      await super.handleTestEvent?.(event, state)
      if (event.test?.concurrent) return
      if (event.name === 'test_started' || event.name === 'concurrent_tests_start') {
        this.#revertTest = await this.global.slipway.isolate()
      } else if (event.name === 'test_done' || event.name === 'concurrent_tests_end') {
        await this.#revertTest()
      }
    }

    async teardown() {
      await this.#revertFile?.()
      await super.teardown()
    }
  }
}

export default withPlatform(TestEnvironment)
