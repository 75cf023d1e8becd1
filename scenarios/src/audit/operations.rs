//! The operations of both services with the form of their answers: what the interface names, and what this project chose.
use Shape::{Any, Both, Bytes, Chosen, Decimal, List, Moment, Object, Of, OneOf, OrNull, Text, Token, Units};

use super::Service::{self, Rest, Swap};
use super::shape::{Member, Shape, chosen, member, optional};
use crate::clause::Binding;
use crate::expect::fields::{BATCH, EMPEROR, Field, HOLDERS, Kind, LIST, METRICS, OWNER, SOCIALS};

/// A header of an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) binding: Binding,
}

/// What the value of a header must be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// There, whatever it says.
    Present,
    /// A whole number.
    Number,
    /// These directives, in any order, and no others.
    Directives(&'static [&'static str]),
}

/// An operation that succeeds with 200.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub(super) service: Service,
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) body: Shape,
    pub(super) headers: &'static [Header],
}

const fn header(name: &'static str, form: Form, binding: Binding) -> Header {
    Header { name, form, binding }
}

const PRIVATE: Form = Form::Directives(&["private", "no-store"]);
/// Headers of an answer that a limit counts.
pub(super) const LIMITED: [Header; 3] = [
    header("x-ratelimit-limit", Form::Number, Binding::Choice),
    header("x-ratelimit-remaining", Form::Number, Binding::Choice),
    header("x-ratelimit-reset", Form::Number, Binding::Choice),
];
const OF_A_CREDENTIAL: &[Header] =
    &[header("cache-control", PRIVATE, Binding::Choice), LIMITED[0], LIMITED[1], LIMITED[2]];
const UPLOADED: &[Header] = &[
    header("x-service-image-storage", Form::Present, Binding::Interface),
    LIMITED[0],
    LIMITED[1],
    LIMITED[2],
];

const TEXT: Shape = Of(Kind::Text);
const ADDRESS: Shape = Of(Kind::Address);
const COUNT: Shape = Of(Kind::Count);
const NUMBER: Shape = Of(Kind::Number);
const AMOUNT: Shape = Of(Kind::Amount);
const FLAG: Shape = Of(Kind::Flag);

/// What tokens of every endpoint but the list have by choice.
const GRADUATED: Member = chosen("is_graduated", FLAG);

/// What records and recent launches have by choice beside the fields of the Emperor.
const LAUNCH: &[Member] = &[
    GRADUATED,
    chosen("txns_total", COUNT),
    chosen("version", TEXT),
    chosen("chain_id", COUNT),
    chosen("hook_address", ADDRESS),
    chosen("launch_id", OrNull(&COUNT)),
    chosen("target_raise", OrNull(&Units)),
    chosen("gain_bps", OrNull(&COUNT)),
    chosen("creator_fee_split_bps", OrNull(&COUNT)),
    chosen("anti_snipe_seconds", OrNull(&COUNT)),
    chosen("start_time", OrNull(&COUNT)),
    chosen("transaction_hash", Bytes(Some(32))),
    chosen("block_number", COUNT),
    chosen("pool", OrNull(&Bytes(None))),
    chosen("quote_asset", OrNull(&ADDRESS)),
    chosen("quote_asset_symbol", OrNull(&TEXT)),
    chosen("quote_asset_name", OrNull(&TEXT)),
    chosen("quote_asset_decimals", OrNull(&COUNT)),
    chosen("quote_asset_price_eth", OrNull(&NUMBER)),
    chosen("price_in_asset", OrNull(&NUMBER)),
    chosen("market_cap_in_asset", OrNull(&NUMBER)),
    chosen("volume_24h_in_asset", OrNull(&NUMBER)),
    chosen("volume_1h_in_asset", OrNull(&NUMBER)),
];

/// A record: which fields of the Emperor it shows is a choice too, whose types the interface has.
const RECORD: Shape = Chosen(&Token(&[EMPEROR], LAUNCH));
const RECORDS: Shape = List(&RECORD);

const BATCH_TABLES: &[&[Field]] = &[BATCH];
/// A token of a batch; what a flag leaves out is not there.
const BATCHED: Shape = Object(&[
    member("tokens", List(&Token(BATCH_TABLES, &[]))),
    member("notFound", List(&TEXT)),
    member("errors", List(&Any)),
]);

const BIDS: Shape = Object(&[
    member("currentBid", Units),
    member("startBid", Units),
    member("lastBidAmount", Units),
    member("lastBidTime", OrNull(&Text(&Moment))),
    member("lastBid", OrNull(&Object(&[member("amount", Text(&Decimal)), member("timestamp", COUNT)]))),
    member("nextBoostedToken", ADDRESS),
    member("currentBoostedToken", ADDRESS),
    member("lastBoostedToken", ADDRESS),
    member("isEpochTaken", FLAG),
]);

const MESSAGE: Shape = Object(&[
    member("id", TEXT),
    member("token_address", ADDRESS),
    member("sender_address", ADDRESS),
    member("message", TEXT),
    member("created_at", Moment),
]);

const V4: Shape = Object(&[
    chosen("poolManager", ADDRESS),
    chosen("positionManager", ADDRESS),
    chosen("stateView", ADDRESS),
    chosen("quoter", ADDRESS),
    chosen("universalRouter", ADDRESS),
    chosen("permit2", ADDRESS),
]);

const ACTIVE: Shape = Object(&[member("hook", ADDRESS), member("status", TEXT)]);
const DEPLOYMENT: Shape = Object(&[
    chosen("version", TEXT),
    chosen("hook", ADDRESS),
    chosen("abiFamily", TEXT),
    chosen("feeWithdrawalMode", TEXT),
    chosen("runtimeHash", Bytes(Some(32))),
    chosen("quoteAsset", OrNull(&ADDRESS)),
    chosen("v4", OrNull(&V4)),
    optional("v2", OrNull(&Object(&[chosen("factory", ADDRESS), chosen("router", ADDRESS)]))),
    chosen("startBlock", COUNT),
    chosen("status", TEXT),
]);

const SIDE: Shape = Object(&[chosen("address", ADDRESS), chosen("symbol", TEXT), chosen("decimals", COUNT)]);

/// The body of a refusal; of 429 it also says when to come again.
pub(super) const REFUSAL: Shape =
    Object(&[chosen("error", TEXT), chosen("status", COUNT), optional("details", TEXT)]);

/// Statuses of refusals and failures by choice.
pub(super) const STATUSES: [u16; 13] = [400, 401, 403, 404, 405, 408, 409, 413, 414, 415, 429, 500, 503];

const fn rest(method: &'static str, path: &'static str, body: Shape) -> Operation {
    Operation { service: Rest, method, path, body, headers: &[] }
}

const fn swap(path: &'static str, body: Shape) -> Operation {
    Operation { service: Swap, method: "GET", path, body, headers: &[] }
}

const fn with(operation: Operation, headers: &'static [Header]) -> Operation {
    Operation { headers, ..operation }
}

/// All of them.
pub(super) const OPERATIONS: &[Operation] = &[
    rest(
        "GET",
        "/api/tokens",
        Object(&[
            member("tokens", List(&Token(&[LIST], &[]))),
            member("totalCount", COUNT),
            member("totalPages", COUNT),
        ]),
    ),
    rest(
        "GET",
        "/api/tokens/by-owner",
        Object(&[
            member("tokens", List(&Token(&[OWNER], &[]))),
            member(
                "pagination",
                Object(&[
                    member("page", COUNT),
                    member("limit", COUNT),
                    member("total", COUNT),
                    member("totalPages", COUNT),
                ]),
            ),
        ]),
    ),
    rest("POST", "/api/tokens/batch", BATCHED),
    rest("GET", "/api/tokens/batch", Chosen(&BATCHED)),
    rest(
        "GET",
        "/api/tokens/recent-v2",
        Object(&[member("chainId", COUNT), chosen("tokens", RECORDS), member("nextOffset", OrNull(&COUNT))]),
    ),
    rest("GET", "/api/token", RECORD),
    rest("GET", "/api/koti", RECORD),
    rest("GET", "/api/eoti", Token(&[EMPEROR], &[optional("bidData", BIDS)])),
    rest(
        "GET",
        "/api/leaderboard",
        Chosen(&Object(&[
            chosen(
                "leaderboard",
                List(&Object(&[
                    chosen("rank", COUNT),
                    chosen("address", ADDRESS),
                    chosen("points", AMOUNT),
                    chosen("trading_points", AMOUNT),
                    chosen("creation_points", AMOUNT),
                    chosen("referral_points", AMOUNT),
                    chosen("volume_eth", AMOUNT),
                ])),
            ),
            chosen("updated_at", Moment),
        ])),
    ),
    rest("GET", "/api/chat", List(&MESSAGE)),
    with(rest("POST", "/api/chat", MESSAGE), &LIMITED),
    with(
        rest(
            "POST",
            "/api/upload",
            Object(&[member("url", TEXT), member("socialHumanProof", Chosen(&OrNull(&TEXT)))]),
        ),
        UPLOADED,
    ),
    with(
        rest(
            "GET",
            "/api/capabilities",
            Object(&[
                member("chainId", COUNT),
                member("releaseCommit", TEXT),
                member("capabilityRevision", COUNT),
                member(
                    "flags",
                    Object(&[
                        chosen("read", FLAG),
                        member("create", Chosen(&FLAG)),
                        chosen("trade", FLAG),
                        chosen("eoti", FLAG),
                        chosen("tokenUpdate", FLAG),
                    ]),
                ),
                // A chain without a deployment for native launches has none.
                member("activeCreationDeployment", OrNull(&Both(&[ACTIVE, DEPLOYMENT]))),
                member("tradeableDeployments", List(&DEPLOYMENT)),
                optional("emperorAuction", OrNull(&ADDRESS)),
            ]),
        ),
        &[header("cache-control", PRIVATE, Binding::Interface)],
    ),
    rest(
        "GET",
        "/api/stocks/quote-assets",
        Chosen(&Object(&[
            chosen("chainId", COUNT),
            chosen(
                "quoteAssets",
                List(&Object(&[
                    chosen("address", ADDRESS),
                    chosen("symbol", TEXT),
                    chosen("name", TEXT),
                    chosen("decimals", COUNT),
                    chosen("hook", ADDRESS),
                    chosen("status", OneOf(&["active", "paused"])),
                ])),
            ),
        ])),
    ),
    with(
        rest(
            "GET",
            "/api/referral/code",
            Object(&[
                member("code", TEXT),
                member("created_at", Moment),
                member("total_referrals", COUNT),
                member("active_referrals", COUNT),
                member("total_points_earned", AMOUNT),
            ]),
        ),
        OF_A_CREDENTIAL,
    ),
    with(rest("GET", "/api/referral/stats", STATS), OF_A_CREDENTIAL),
    with(
        rest(
            "POST",
            "/api/referral/register",
            Object(&[member("success", FLAG), member("message", TEXT), member("referrer", ADDRESS)]),
        ),
        &LIMITED,
    ),
    with(
        rest(
            "GET",
            "/api/referral/leaderboard",
            Object(&[
                member(
                    "leaderboard",
                    List(&Object(&[
                        member("rank", COUNT),
                        member("address", ADDRESS),
                        member("referral_code", TEXT),
                        member("total_referrals", COUNT),
                        member("points_earned", AMOUNT),
                    ])),
                ),
                member("updated_at", Text(&Moment)),
            ]),
        ),
        &LIMITED,
    ),
    swap("/api/quote", QUOTE),
    swap(
        "/api/pairs",
        Chosen(&List(&Object(&[
            chosen("pair_address", ADDRESS),
            chosen("token0", SIDE),
            chosen("token1", SIDE),
            chosen("reserve0", Units),
            chosen("reserve1", Units),
            chosen("liquidity_usd", AMOUNT),
            chosen("volume_24h", AMOUNT),
            chosen("apr", AMOUNT),
            chosen("fee_tier", COUNT),
            chosen("version", TEXT),
            chosen("daily_fees", AMOUNT),
        ]))),
    ),
    swap(
        "/api/tokens",
        Chosen(&List(&Object(&[
            chosen("address", ADDRESS),
            chosen("name", TEXT),
            chosen("symbol", TEXT),
            chosen("decimals", COUNT),
            chosen("logoURI", OrNull(&TEXT)),
            chosen("price_eth", AMOUNT),
        ]))),
    ),
];

const STATS: Shape = Object(&[
    member("referral_code", TEXT),
    member(
        "stats",
        Object(&[
            member("total_referrals", COUNT),
            member("active_referrals", COUNT),
            member("total_points_earned", AMOUNT),
            member("points_from_trading", AMOUNT),
            member("points_from_token_creation", AMOUNT),
            member("points_from_milestones", AMOUNT),
        ]),
    ),
    member(
        "recent_activity",
        List(&Object(&[
            member("type", TEXT),
            member("referral_address", ADDRESS),
            member("points_earned", AMOUNT),
            member("timestamp", Text(&Moment)),
        ])),
    ),
    member(
        "top_referrals",
        List(&Object(&[
            member("address", ADDRESS),
            member("points_generated", AMOUNT),
            member("joined_at", Text(&Moment)),
        ])),
    ),
]);

const QUOTE: Shape = Object(&[
    member("amountIn", Units),
    member("amountOut", Units),
    optional("minimumAmountOut", Units),
    optional("maximumAmountIn", Units),
    member("executionRate", Text(&Decimal)),
    member("spotRate", Text(&Decimal)),
    member("path", List(&ADDRESS)),
    member("priceImpact", NUMBER),
    member("lpFee", Text(&Units)),
    member(
        "metadata",
        Object(&[
            member("lpFeePercent", NUMBER),
            member("routerAddress", ADDRESS),
            optional("slippageBps", COUNT),
        ]),
    ),
    optional(
        "transaction",
        Object(&[
            member("from", ADDRESS),
            member("to", ADDRESS),
            member("data", Bytes(None)),
            member("value", Text(&Units)),
            member("gasPrice", Text(&Units)),
            member("gas", Text(&Units)),
        ]),
    ),
]);

/// What the flags of a batch add to its tokens.
pub(super) const FLAGGED: [(&str, &[Field]); 3] =
    [("includeMetrics", METRICS), ("includeHolders", HOLDERS), ("includeSocials", SOCIALS)];
