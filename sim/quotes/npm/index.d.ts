/** An amount in the smallest unit of its asset, below 2^128; text is decimal. */
export type Amount = bigint | string

/** Where a launch stands on its curve. */
export interface Launch {
  /** Wei at which it graduates. */
  targetRaise: Amount
  /** Growth of the price from the first to the last token, in basis points. */
  gainBps: number
  /** Token units sold. */
  sold: Amount
  /** Wei held for them, after fees. */
  netContributions: Amount
}

/** A trade on the curve of a launch. */
export interface CurveTrade extends Launch {
  /** The creator's part of the variable fee, in basis points. */
  creatorFeeSplitBps: number
  /** Wei for a purchase, fees included; token units for a sale. */
  amountIn: Amount
}

/** Who gets the fees of a trade, in wei, and the launch after it. */
export interface CurveResult {
  /** Token units of a purchase, wei after fees of a sale. */
  amountOut: bigint
  protocolFee: bigint
  creatorFee: bigint
  /** For buying tokens back and burning them. */
  buybackFee: bigint
  sold: bigint
  netContributions: bigint
}

/** What a purchase costs and gives back, in wei. */
export interface Paid {
  cost: bigint
  /** What came after the target was reached. */
  refund: bigint
}

/** A trade on the curve of the first version. */
export interface V1Trade {
  sold: Amount
  netContributions: Amount
  amountIn: Amount
}

export interface V1Result {
  amountOut: bigint
  fee: bigint
  sold: bigint
  netContributions: bigint
}

/** What a pair holds of the token that it is paid, and of the other. */
export interface Reserves {
  reserveIn: Amount
  reserveOut: Amount
}

/** Hash of the sources of the contracts whose results these are. */
export const CONTRACTS: string

/** A purchase on the curve of a launch. */
export function curveQuote(asked: CurveTrade): CurveResult & Paid
/** A sale on the curve of a launch. */
export function sellQuote(asked: CurveTrade): CurveResult
/** The least wei, fees included, that buy so many token units; what is left of the curve, where that is less. */
export function costQuote(asked: Launch & { amountOut: Amount }): bigint
/** A purchase on the curve of the first version. */
export function v1Quote(asked: V1Trade): V1Result & Paid
/** A sale on the curve of the first version. */
export function v1SellQuote(asked: V1Trade): V1Result
/** A swap in a constant-product pair. */
export function pairQuote(asked: Reserves & { amountIn: Amount }): bigint
/** A swap through one pair after another. */
export function routeQuote(asked: { hops: Reserves[]; amountIn: Amount }): bigint
/** A swap in the pool of a graduated launch; the price is below 2^127. */
export function poolQuote(asked: { sqrtPriceX96: Amount; liquidity: Amount; zeroForOne: boolean; amountIn: Amount }): bigint
