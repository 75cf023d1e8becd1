// Made from the OpenAPI document of the control plane; a test of the tree makes it again.

/** The control plane refused a call. */
export declare class ControlError extends Error {
  readonly status: number
  readonly body: { error: string; status: number; details?: string }
}

export declare class Control {
  constructor(url: string, token?: string)
  readonly url: string
  /** Whether both nodes and the store answer. */
  getReady(): Promise<{ ready: boolean; chains: Array<number> }>
  /** The time, Unix seconds. */
  getClock(): Promise<{ now: number }>
  /** Moves the clock forward by some seconds. */
  advanceClock(given: { seconds: number }): Promise<{ now: number }>
  /** Moves the clock forward to a time. */
  setClock(given: { timestamp: number }): Promise<{ now: number }>
  /** The checkpoints to which a revert can return. */
  listCheckpoints(): Promise<{ checkpoints: Array<{ id: number; name: string | null; at: number }>; imported: Array<{ id: number; name: string | null; at: number }> }>
  /** Remembers everything as it is now. */
  createCheckpoint(given?: { name?: string }): Promise<{ id: number }>
  /** Goes back to a checkpoint, as often as wanted; later ones end. */
  revertToCheckpoint(given: { id: number }): Promise<{ id: number }>
  /** Writes everything into a file that `slipway up --import` begins with. */
  exportState(given?: { file?: string }): Promise<{ file: string; bytes: number }>
  /** Answers once a block is indexed. */
  waitUntilIndexed(given: { chainId: 57073 | 4663; block: number }): Promise<{ chainId: number; block: number }>
  /** The funded accounts with what they have, in wei by chain id. */
  listAccounts(): Promise<{ accounts: Array<{ address: string; balances: Record<string, string> }> }>
  /** Has a funded account launch a token. */
  launchToken(given: { name: string; ticker: string; targetRaise: string; chainId?: 57073 | 4663; account?: string; description?: string; prebuy?: string; antiSnipeDuration?: number }): Promise<{ token: string; transactionHash: `0x${string}`; block: number }>
  /** Has a funded account trade a token. */
  tradeToken(given: { token: string; side: "buy" | "sell"; amount: string; chainId?: 57073 | 4663; account?: string }): Promise<{ token: string; transactionHash: `0x${string}`; block: number }>
  /** Has a funded account buy what is left on a curve. */
  graduateToken(given: { address: string; chainId?: 57073 | 4663; account?: string }): Promise<{ token: string; transactionHash: `0x${string}`; block: number }>
  /** A bearer token that speaks for a wallet. */
  issueBearer(given: { address: string }): Promise<{ token: string }>
  /** A captcha token, valid once. */
  mintCaptcha(given?: { ttlSeconds?: number }): Promise<{ token: string; expiresAt: number }>
  /** The contracts' CaptchaAuth for one trader and one launch. */
  signCaptchaAuth(given: { chainId: 57073 | 4663; trader: string; launchId: number; hook?: string }): Promise<{ deadline: number; nonce: `0x${string}`; signature: `0x${string}` }>
  /** Hides a token from the usual lists. */
  disableToken(given: { address: string }): Promise<{ token: string; disabled: boolean }>
  /** Shows a token in the usual lists again. */
  enableToken(given: { address: string }): Promise<{ token: string; disabled: boolean }>
  /** Pauses the creation of launches by a hook. */
  pauseCreation(given: { chainId: 57073 | 4663; hook?: string }): Promise<{ chainId: number; hook: string; paused: boolean; block: number }>
  /** Resumes the creation of launches by a hook. */
  resumeCreation(given: { chainId: 57073 | 4663; hook?: string }): Promise<{ chainId: number; hook: string; paused: boolean; block: number }>
  /** The answered requests, with the rule that refused each refused one. */
  getJournal(given?: { after?: number; requestId?: string }): Promise<{ entries: Array<{ number: number; at: number; service: string; method: string; target: string; status: number; cause: string | null; requestId: string; microseconds: number }>; last: number; dropped: boolean }>
  /** The faults by name, and those that have hit nothing yet. */
  listFaults(): Promise<{ faults: Record<string, { service: "rest" | "swap" | null; method: string | null; path: string; nth: number; times: number; effect: Record<string, unknown>; matched: number; hits: number }>; unused: Array<string> }>
  /** A fault with what came of it. */
  getFault(given: { name: string }): Promise<{ service: "rest" | "swap" | null; method: string | null; path: string; nth: number; times: number; effect: Record<string, unknown>; matched: number; hits: number }>
  /** Orders a fault, in place of one of the same name. */
  setFault(given: { name: string; path: string; effect: { status?: number; delayMilliseconds?: number; cut?: boolean }; service?: "rest" | "swap"; method?: string; nth?: number; times?: number }): Promise<{ service: "rest" | "swap" | null; method: string | null; path: string; nth: number; times: number; effect: Record<string, unknown>; matched: number; hits: number }>
  /** Takes a fault back. */
  removeFault(given: { name: string }): Promise<{ service: "rest" | "swap" | null; method: string | null; path: string; nth: number; times: number; effect: Record<string, unknown>; matched: number; hits: number }>
}
