//! The fields of all objects but tokens.
use super::Held::{self, By, FormOnly};

/// Pointer, how it is held, meaning, source.
pub(super) type Row = (&'static str, Held, &'static str, &'static str);

/// Service, operation, its fields.
pub(super) type Answer = (&'static str, &'static str, &'static [Row]);

/// The fields of all other objects.
pub(super) const OTHERS: &[Answer] = &[
    (
        "rest",
        "GET /api/tokens",
        &[
            ("/totalCount", By("LIST-COUNT"), "tokens that match", "the pages themselves"),
            ("/totalPages", By("LIST-COUNT"), "pages that they fill", "the pages themselves"),
        ],
    ),
    (
        "rest",
        "GET /api/tokens/by-owner",
        &[
            ("/pagination/page", By("OWNER-PAGE"), "the page", "the request"),
            ("/pagination/limit", By("OWNER-LIMIT"), "tokens of a page", "the request"),
            ("/pagination/total", By("OWNER-PAGE"), "tokens of the owner", "the pages themselves"),
            ("/pagination/totalPages", By("OWNER-PAGE"), "pages that they fill", "the pages themselves"),
        ],
    ),
    ("rest", "GET /api/tokens/batch", BATCH),
    ("rest", "POST /api/tokens/batch", BATCH),
    (
        "rest",
        "GET /api/tokens/recent-v2",
        &[
            ("/chainId", By("RECENT-CHAIN"), "the chain asked for", "the request"),
            (
                "/nextOffset",
                By("RECENT-NEXT"),
                "where the next page begins, null after the last",
                "the pages themselves",
            ),
        ],
    ),
    (
        "rest",
        "GET /api/eoti",
        &[
            (
                "/bidData/currentBid",
                By("FIG-BIDS"),
                "winning bid, or price now, wei",
                "bids logged by the auction, and the second",
            ),
            (
                "/bidData/startBid",
                By("FIG-DUTCH"),
                "price at which the day began, wei",
                "bids logged by the auction",
            ),
            (
                "/bidData/lastBidAmount",
                By("FIG-BIDS"),
                "latest winning bid, wei",
                "bids logged by the auction",
            ),
            ("/bidData/lastBidTime", By("FIG-BIDS"), "when it won", "time of the block of the bid"),
            ("/bidData/lastBid/amount", By("FIG-BIDS"), "the same in ETH", "bids logged by the auction"),
            (
                "/bidData/lastBid/timestamp",
                By("FIG-BIDS"),
                "the same in Unix seconds",
                "time of the block of the bid",
            ),
            (
                "/bidData/nextBoostedToken",
                By("FIG-BIDS"),
                "tomorrow's token",
                "bids logged by the auction, and the day",
            ),
            (
                "/bidData/currentBoostedToken",
                By("FIG-BIDS"),
                "today's token",
                "bids logged by the auction, and the day",
            ),
            (
                "/bidData/lastBoostedToken",
                By("FIG-BIDS"),
                "yesterday's token",
                "bids logged by the auction, and the day",
            ),
            (
                "/bidData/isEpochTaken",
                By("FIG-BIDS"),
                "whether the day is won",
                "bids logged by the auction, and the day",
            ),
        ],
    ),
    (
        "rest",
        "GET /api/stocks/quote-assets",
        &[
            ("/chainId", By("FIG-RECORD"), "the chain asked for", "the request"),
            ("/quoteAssets/*/address", By("FIG-RECORD"), "the asset", "the hook's own answer"),
            ("/quoteAssets/*/symbol", By("FIG-RECORD"), "its symbol", "the asset's contract"),
            ("/quoteAssets/*/name", By("FIG-RECORD"), "its name", "the asset's contract"),
            ("/quoteAssets/*/decimals", By("FIG-RECORD"), "its decimals", "the asset's contract"),
            ("/quoteAssets/*/hook", By("FIG-RECORD"), "the hook that sells for it", "the hook's own answer"),
            (
                "/quoteAssets/*/status",
                By("FIG-RECORD"),
                "active when it takes launches",
                "a simulated launch",
            ),
        ],
    ),
    (
        "rest",
        "GET /api/capabilities",
        &[
            ("/chainId", By("FIG-CAP"), "the chain asked for", "the chain's own answer"),
            (
                "/releaseCommit",
                FormOnly("names the build of the service, of which the chain knows nothing"),
                "build of the service",
                "the build",
            ),
            ("/capabilityRevision", By("FIG-CAP"), "revision of this object's schema", "never falls"),
            ("/flags/read", By("FIG-PARTS"), "whether reading works", "a read"),
            ("/flags/create", By("FIG-CAP"), "whether launches are taken", "a simulated launch"),
            ("/flags/trade", By("FIG-PARTS"), "whether trades are taken", "a preview of the hook"),
            ("/flags/eoti", By("FIG-PARTS"), "whether there is an auction", "the auction's own answer"),
            (
                "/flags/tokenUpdate",
                FormOnly("the interface has no call by which tokens are updated"),
                "whether tokens can be updated",
                "the service",
            ),
            ("/emperorAuction", By("FIG-PARTS"), "where bids go", "the auction's own answer"),
        ],
    ),
    (
        "rest",
        "GET /api/chat",
        &[
            ("/*/id", By("HIST-ORDER"), "the message", "unique, and the same in every read"),
            ("/*/token_address", By("FIG-CHAT"), "the token it is about", "the post"),
            ("/*/sender_address", By("FIG-CHAT"), "who signed it", "the post"),
            ("/*/message", By("FIG-CHAT"), "its text", "the post"),
            ("/*/created_at", By("FIG-CHAT"), "when it was taken", "the clock before and after the post"),
        ],
    ),
    (
        "rest",
        "POST /api/chat",
        &[
            ("/id", By("HIST-ORDER"), "the message", "unique, and the same in every read"),
            ("/token_address", By("FIG-CHAT"), "the token it is about", "the post"),
            ("/sender_address", By("FIG-CHAT"), "who signed it", "the post"),
            ("/message", By("FIG-CHAT"), "its text", "the post"),
            ("/created_at", By("FIG-CHAT"), "when it was taken", "the clock before and after the post"),
        ],
    ),
    (
        "rest",
        "GET /api/leaderboard",
        &[
            ("/leaderboard/*/rank", By("FIG-LEAD"), "place", "order of the points"),
            ("/leaderboard/*/address", By("FIG-LEAD"), "the wallet", "logs"),
            ("/leaderboard/*/points", By("FIG-LEAD"), "all points", "sum of the three"),
            (
                "/leaderboard/*/trading_points",
                By("FIG-LEAD"),
                "points for trades",
                "100 for an ether of logged trades on native curves",
            ),
            (
                "/leaderboard/*/creation_points",
                By("FIG-LEAD"),
                "points for launches",
                "100 for a logged launch",
            ),
            (
                "/leaderboard/*/referral_points",
                By("FIG-REF"),
                "points for referrals",
                "registrations and codes of the check and the logged deeds of those referred; for other wallets the rest of the sum",
            ),
            ("/leaderboard/*/volume_eth", By("FIG-LEAD"), "traded on native curves, ETH", "logged trades"),
            ("/updated_at", By("FIG-LEAD"), "second of the answer", "the clock before and after"),
        ],
    ),
    (
        "rest",
        "GET /api/referral/code",
        &[
            ("/code", By("FIG-REF"), "the wallet's code", "the address in base 32"),
            ("/created_at", By("FIG-REF"), "when it was made", "the clock before and after"),
            ("/total_referrals", By("FIG-REF"), "wallets referred", "registrations and logged codes"),
            ("/active_referrals", By("FIG-REF"), "those that earned points", "registrations and logs"),
            ("/total_points_earned", By("FIG-REF"), "points earned by them", "registrations and logs"),
        ],
    ),
    (
        "rest",
        "GET /api/referral/stats",
        &[
            ("/referral_code", By("FIG-REF"), "the wallet's code", "the address in base 32"),
            (
                "/stats/total_referrals",
                By("FIG-REF"),
                "wallets referred, ever",
                "registrations and logged codes",
            ),
            (
                "/stats/active_referrals",
                By("FIG-REF"),
                "those that earned points in the period",
                "registrations and logs",
            ),
            ("/stats/total_points_earned", By("FIG-REF"), "points of the period", "registrations and logs"),
            ("/stats/points_from_trading", By("FIG-REF"), "those for trades", "registrations and logs"),
            (
                "/stats/points_from_token_creation",
                By("FIG-REF"),
                "those for launches",
                "registrations and logs",
            ),
            (
                "/stats/points_from_milestones",
                By("FIG-REF"),
                "those for graduations",
                "registrations and logs",
            ),
            ("/recent_activity/*/type", By("FIG-REF"), "trade, token_creation or milestone", "logs"),
            ("/recent_activity/*/referral_address", By("FIG-REF"), "who acted", "logs"),
            ("/recent_activity/*/points_earned", By("FIG-REF"), "what it earned", "logs"),
            ("/recent_activity/*/timestamp", By("FIG-REF"), "when", "time of the block"),
            ("/top_referrals/*/address", By("FIG-REF"), "a referral", "registrations and logged codes"),
            ("/top_referrals/*/points_generated", By("FIG-REF"), "what it brought in the period", "logs"),
            (
                "/top_referrals/*/joined_at",
                By("FIG-REF"),
                "when it registered or first named the code",
                "the clock, or time of the block",
            ),
        ],
    ),
    (
        "rest",
        "GET /api/referral/leaderboard",
        &[
            ("/leaderboard/*/rank", By("FIG-REF"), "place", "order of the points"),
            ("/leaderboard/*/address", By("FIG-REF"), "the referrer", "registrations and logged codes"),
            ("/leaderboard/*/referral_code", By("FIG-REF"), "its code", "the address in base 32"),
            (
                "/leaderboard/*/total_referrals",
                By("FIG-REF"),
                "wallets referred, ever",
                "registrations and logged codes",
            ),
            ("/leaderboard/*/points_earned", By("FIG-REF"), "points of the period", "registrations and logs"),
            ("/updated_at", By("FIG-REF"), "second of the answer", "the clock before and after"),
        ],
    ),
    (
        "rest",
        "POST /api/referral/register",
        &[
            ("/success", By("FIG-REF"), "that it is registered", "the stats afterwards"),
            (
                "/message",
                FormOnly("text for people, whose words nothing fixes"),
                "the same for people",
                "the service",
            ),
            ("/referrer", By("FIG-REF"), "whose referral it is now", "the code that was sent"),
        ],
    ),
    (
        "rest",
        "POST /api/upload",
        &[
            ("/url", By("FIG-UPLOAD"), "where the image is served", "the bytes that were sent"),
            (
                "/socialHumanProof",
                By("FIG-UPLOAD"),
                "who uploaded what and when, null unless asked",
                "wallet, hash and clock of the upload; its seal is the operator's secret",
            ),
        ],
    ),
    (
        "swap",
        "GET /api/quote",
        &[
            ("/amountIn", By("QUOTE-EXACT-OUT"), "input, smallest units", "reserves along every route"),
            ("/amountOut", By("QUOTE-EXACT-IN"), "output, smallest units", "reserves along every route"),
            (
                "/minimumAmountOut",
                By("QUOTE-MIN-OUT"),
                "output less slippage, rounded down",
                "amountOut and the request",
            ),
            (
                "/maximumAmountIn",
                By("QUOTE-MAX-IN"),
                "input and slippage, rounded up",
                "amountIn and the request",
            ),
            (
                "/executionRate",
                By("FIG-RATES"),
                "whole tokens of output for one of input, times 10^18",
                "amounts and decimals",
            ),
            (
                "/spotRate",
                By("FIG-RATES"),
                "the same for next to nothing, without fee",
                "reserves and decimals along the path",
            ),
            ("/path/*", By("QUOTE-ROUTE"), "tokens of the route", "reserves along every route"),
            ("/priceImpact", By("FIG-RATES"), "1 less execution over spot", "both rates"),
            ("/lpFee", By("FIG-RATES"), "fee of the pairs, units of the input", "amountIn and lpFeePercent"),
            (
                "/metadata/lpFeePercent",
                By("FIG-RATES"),
                "fee of the pairs, a fraction",
                "0.003 a pair of the path, compounded",
            ),
            ("/metadata/routerAddress", By("QUOTE-EXACT-IN"), "where it is traded", "a real trade there"),
            ("/metadata/slippageBps", By("QUOTE-SHAPE"), "the slippage asked for", "the request"),
            ("/transaction/from", By("QUOTE-BUILD"), "who sends it", "the request"),
            ("/transaction/to", By("QUOTE-BUILD"), "the router", "a real trade there"),
            ("/transaction/data", By("QUOTE-BUILD"), "the call", "a real trade"),
            ("/transaction/value", By("QUOTE-BUILD"), "wei that go with it", "a real trade"),
            (
                "/transaction/gasPrice",
                By("FIG-GAS"),
                "wei for a unit of gas",
                "base fee and price of the node",
            ),
            ("/transaction/gas", By("FIG-GAS"), "units of gas", "estimate of the node"),
        ],
    ),
    (
        "swap",
        "GET /api/pairs",
        &[
            ("/*/pair_address", By("FIG-PAIRS"), "the pair", "logs of the factory"),
            ("/*/token0/address", By("FIG-PAIRS"), "its first token", "logs of the factory"),
            ("/*/token0/symbol", By("FIG-PAIRS"), "symbol of that", "the token's contract"),
            ("/*/token0/decimals", By("FIG-PAIRS"), "decimals of that", "the token's contract"),
            ("/*/token1/address", By("FIG-PAIRS"), "its second token", "logs of the factory"),
            ("/*/token1/symbol", By("FIG-PAIRS"), "symbol of that", "the token's contract"),
            ("/*/token1/decimals", By("FIG-PAIRS"), "decimals of that", "the token's contract"),
            ("/*/reserve0", By("FIG-PAIRS"), "what it holds of the first, smallest units", "reserves"),
            ("/*/reserve1", By("FIG-PAIRS"), "what it holds of the second, smallest units", "reserves"),
            (
                "/*/liquidity_usd",
                By("FIG-PAIRS"),
                "worth of both reserves, dollars",
                "reserves and prices, at one fixed price of the native coin",
            ),
            (
                "/*/volume_24h",
                By("FIG-PAIRS"),
                "swapped within a day, dollars",
                "logs of the pair and prices",
            ),
            (
                "/*/apr",
                By("FIG-PAIRS"),
                "fees of a year of such days over the liquidity, percent",
                "the other figures",
            ),
            ("/*/fee_tier", By("FIG-PAIRS"), "fee in millionths", "the router's"),
            ("/*/version", By("FIG-PAIRS"), "v2", "the factory's"),
            ("/*/daily_fees", By("FIG-PAIRS"), "fees of the volume, dollars", "volume and fee"),
        ],
    ),
    (
        "swap",
        "GET /api/tokens",
        &[
            ("/*/address", By("SWAP-TOKENS"), "the token", "logs of the factory"),
            ("/*/name", By("FIG-PAIRS"), "its name", "the token's contract"),
            ("/*/symbol", By("FIG-PAIRS"), "its symbol", "the token's contract"),
            ("/*/decimals", By("FIG-PAIRS"), "its decimals", "the token's contract"),
            ("/*/logoURI", FormOnly("no contract names a logo"), "its logo, null without one", "the service"),
            (
                "/*/price_eth",
                By("FIG-PAIRS"),
                "whole native coins for a whole token",
                "reserves along a route, zero without one",
            ),
        ],
    ),
];

const BATCH: &[Row] = &[
    ("/notFound/*", By("BATCH-FOUND"), "addresses without a token", "the request and the list"),
    (
        "/errors/*",
        By("BATCH-ERRORS"),
        "what went wrong; none where every address was answered",
        "the request and the list",
    ),
];

/// A deployment of the capabilities.
pub(super) const DEPLOYMENT: &[Row] = &[
    ("/version", By("FIG-PARTS"), "v1 or v2", "the contract's kind"),
    ("/hook", By("FIG-CAP"), "launch hook or token factory", "code on the chain"),
    ("/abiFamily", By("FIG-PARTS"), "which calls it takes", "the contract's kind"),
    ("/feeWithdrawalMode", By("FIG-PARTS"), "how fees leave", "the contract's kind"),
    ("/runtimeHash", By("FIG-PARTS"), "hash of its code", "code on the chain"),
    ("/quoteAsset", By("FIG-PARTS"), "what it sells for, null for the native coin", "the hook's own answer"),
    ("/v4/poolManager", By("FIG-PARTS"), "v4 pool manager", "the hook's own answer"),
    ("/v4/positionManager", By("FIG-KINDS"), "v4 position manager", "its own answer"),
    ("/v4/stateView", By("FIG-KINDS"), "v4 state view", "its own answer"),
    ("/v4/quoter", By("FIG-KINDS"), "v4 quoter", "its own answer"),
    ("/v4/universalRouter", By("FIG-KINDS"), "v4 router", "its own answer"),
    ("/v4/permit2", By("FIG-PARTS"), "permits", "the position manager's answer"),
    ("/v2/factory", By("FIG-PARTS"), "factory of pairs", "the token factory's answer"),
    ("/v2/router", By("FIG-KINDS"), "router of pairs", "its own answer"),
    ("/startBlock", By("FIG-PARTS"), "the block it was made in", "code on the chain, block by block"),
    ("/status", By("FIG-CAP"), "active when launches are taken", "a simulated launch"),
];
