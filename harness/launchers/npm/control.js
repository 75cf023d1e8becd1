/** The control plane refused a call. */
export class ControlError extends Error {
  constructor(call, status, body) {
    super(`${call}: ${body.error ?? 'no answer'} (${status})`)
    this.status = status
    this.body = body
  }
}

/** A contract reverted, with the name and the arguments of its error, where that is known. */
export class RevertError extends ControlError {
  constructor(call, status, body) {
    super(call, status, body)
    this.errorName = body.revert?.name
    this.arguments = Object.fromEntries((body.revert?.arguments ?? []).map(({ name, value }) => [name, value]))
  }
}

/** The control plane of a platform. */
export class Control {
  #operations

  constructor(url, token) {
    this.url = url
    this.headers = token ? { authorization: `Bearer ${token}` } : {}
  }

  /** Makes the call with this operation id of the control plane's OpenAPI document, which tells where each member goes. */
  async call(name, given = {}) {
    this.#operations ??= await this.#read()
    const operation = this.#operations[name]
    if (!operation) throw new Error(`the control plane has no call ${name}; it has ${Object.keys(this.#operations).join(', ')}`)
    const { method, parameters = [], requestBody } = operation
    let { path } = operation
    const query = new URLSearchParams()
    const rest = Object.entries(given).filter(([member, value]) => {
      if (value === undefined) return false
      const place = parameters.find((parameter) => parameter.name === member)?.in ?? (requestBody ? 'body' : 'query')
      if (place === 'path') path = path.replace(`{${member}}`, encodeURIComponent(value))
      if (place === 'query') query.set(member, value)
      return place === 'body'
    })
    const body = rest.length ? JSON.stringify(Object.fromEntries(rest)) : undefined
    return this.#send(name, query.size ? `${path}?${query}` : path, { method, body })
  }

  async #read() {
    const { paths } = await this.#send('getOpenApi', '/openapi.json')
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [operation.operationId, { ...operation, path, method: method.toUpperCase() }]),
    )
    return Object.fromEntries(operations)
  }

  async #send(name, path, init) {
    const answer = await fetch(new URL(path, this.url), { ...init, headers: this.headers })
    const body = await answer.json()
    if (!answer.ok) throw new (body.revert ? RevertError : ControlError)(name, answer.status, body)
    return body
  }
}
