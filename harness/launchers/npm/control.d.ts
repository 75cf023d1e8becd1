/** The control plane refused a call. */
export declare class ControlError extends Error {
  readonly status: number
  readonly body: { error: string; status: number; details?: string }
}

/** The control plane of a platform. */
export declare class Control {
  constructor(url: string, token?: string)
  readonly url: string
  /** Makes the call with this operation id of the control plane's OpenAPI document, for instance `advanceClock` with `{ seconds: 60 }`. */
  call(name: string, given?: Record<string, unknown>): Promise<any>
}
