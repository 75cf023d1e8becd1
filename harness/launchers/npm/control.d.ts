/** The control plane refused a call. */
export declare class ControlError extends Error {
  readonly status: number
  readonly body: {
    error: string
    status: number
    details?: string
    revert?: { name: string; arguments: { name: string; value: string }[] }
  }
}

/** A contract reverted, with the name and the arguments of its error, where that is known. */
export declare class RevertError extends ControlError {
  readonly errorName?: string
  readonly arguments: Record<string, string>
}

/** The control plane of a platform. */
export declare class Control {
  constructor(url: string, token?: string)
  readonly url: string
  /** Makes the call with this operation id of the control plane's OpenAPI document, for instance `advanceClock` with `{ seconds: 60 }`. */
  call(name: string, given?: Record<string, unknown>): Promise<any>
}
