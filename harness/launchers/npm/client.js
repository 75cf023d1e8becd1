/** The control plane refused a call. */
export class ControlError extends Error {
  constructor(call, status, body) {
    super(`${call}: ${body.error ?? 'no answer'} (${status})`)
    this.status = status
    this.body = body
  }
}

/** The control plane of a platform; `control.js` has its calls. */
export class Control {
  constructor(url, token) {
    this.url = url
    this.headers = token ? { authorization: `Bearer ${token}` } : {}
  }
}

const picked = (names, given) =>
  Object.fromEntries(names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]))

/** Gives a control plane its calls: of each the method, the path, and the names of the members of its query and its body. */
export function define(calls) {
  for (const [id, [method, path, query, body]] of Object.entries(calls)) {
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
}
