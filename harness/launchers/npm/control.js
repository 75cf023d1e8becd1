// Made from the OpenAPI document of the control plane; a test of the tree makes it again.

import { define } from './client.js'

export { Control, ControlError } from './client.js'

define({
  getReady: ['GET', '/_sim/ready', [], []],
  getClock: ['GET', '/_sim/clock', [], []],
  advanceClock: ['POST', '/_sim/clock/advance', [], ['seconds']],
  setClock: ['POST', '/_sim/clock/set', [], ['timestamp']],
  listCheckpoints: ['GET', '/_sim/checkpoints', [], []],
  createCheckpoint: ['POST', '/_sim/checkpoints', [], ['name']],
  revertToCheckpoint: ['POST', '/_sim/checkpoints/{id}/revert', [], []],
  exportState: ['POST', '/_sim/export', [], ['file']],
  waitUntilIndexed: ['GET', '/_sim/indexed', ['chainId', 'block'], []],
  listAccounts: ['GET', '/_sim/accounts', [], []],
  launchToken: ['POST', '/_sim/launches', [], ['name', 'ticker', 'targetRaise', 'chainId', 'account', 'description', 'prebuy', 'antiSnipeDuration']],
  tradeToken: ['POST', '/_sim/trades', [], ['token', 'side', 'amount', 'chainId', 'account']],
  graduateToken: ['POST', '/_sim/tokens/{address}/graduate', [], ['chainId', 'account']],
  issueBearer: ['POST', '/_sim/bearers', [], ['address']],
  mintCaptcha: ['POST', '/_sim/captchas', [], ['ttlSeconds']],
  signCaptchaAuth: ['POST', '/_sim/captcha-auths', [], ['chainId', 'trader', 'launchId', 'hook']],
  disableToken: ['PUT', '/_sim/tokens/{address}/disabled', [], []],
  enableToken: ['DELETE', '/_sim/tokens/{address}/disabled', [], []],
  pauseCreation: ['PUT', '/_sim/creation-paused', ['chainId', 'hook'], []],
  resumeCreation: ['DELETE', '/_sim/creation-paused', ['chainId', 'hook'], []],
  getJournal: ['GET', '/_sim/journal', ['after', 'requestId'], []],
  listFaults: ['GET', '/_sim/faults', [], []],
  getFault: ['GET', '/_sim/faults/{name}', [], []],
  setFault: ['PUT', '/_sim/faults/{name}', [], ['path', 'effect', 'service', 'method', 'nth', 'times']],
  removeFault: ['DELETE', '/_sim/faults/{name}', [], []],
})
