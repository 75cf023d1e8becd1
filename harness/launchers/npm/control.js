// Made from the OpenAPI document of the control plane; a test of the tree makes it again.

const CALLS = {
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
}

/** The control plane refused a call. */
export class ControlError extends Error {
  constructor(call, status, body) {
    super(`${call}: ${body.error ?? 'no answer'} (${status})`)
    this.status = status
    this.body = body
  }
}

export class Control {
  constructor(url, token) {
    this.url = url
    this.headers = token ? { authorization: `Bearer ${token}` } : {}
  }
}

for (const [id, [method, path, query, body]] of Object.entries(CALLS)) {
  const picked = (names, given) => Object.fromEntries(names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]))
  Control.prototype[id] = async function (given = {}) {
    const url = new URL(path.replace(/{(\w+)}/g, (_, name) => encodeURIComponent(given[name])), this.url)
    for (const [name, value] of Object.entries(picked(query, given))) url.searchParams.set(name, value)
    const sent = body.length ? { body: JSON.stringify(picked(body, given)) } : {}
    const answer = await fetch(url, { method, headers: this.headers, ...sent })
    const reported = await answer.json()
    if (!answer.ok) throw new ControlError(id, answer.status, reported)
    return reported
  }
}
