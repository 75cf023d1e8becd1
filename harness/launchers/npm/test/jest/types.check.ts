// The types of the environment for jest.
import environment, { withPlatform } from '../../jest.js'
import type { Platform } from '../../index.js'

export class Other extends withPlatform(environment) {}
export const platform: Platform = slipway
