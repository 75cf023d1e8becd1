//! Every field of every answer: what it means, from what it is computed, and which clause holds it to that. What is held to its
//! form only says why.
use std::fmt::Write as _;

use Held::{By, FormOnly};

/// How a field is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// To its meaning, by the checks of this clause.
    By(&'static str),
    /// To its form only, for this reason.
    FormOnly(&'static str),
}

/// One field of one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// `rest` or `swap`.
    pub service: &'static str,
    /// Method and path.
    pub operation: &'static str,
    /// JSON pointer; `*` stands for every element of an array.
    pub pointer: String,
    /// What it means.
    pub meaning: &'static str,
    /// From what it is computed.
    pub source: &'static str,
    /// How it is held.
    pub held: Held,
}

/// Where token objects are shown: the letter that rows name, service operation, and the pointer of the object.
const TOKENS_AT: &[(char, &str, &str)] = &[
    ('L', "GET /api/tokens", "/tokens/*"),
    ('O', "GET /api/tokens/by-owner", "/tokens/*"),
    ('B', "GET /api/tokens/batch", "/tokens/*"),
    ('B', "POST /api/tokens/batch", "/tokens/*"),
    ('R', "GET /api/tokens/recent-v2", "/tokens/*"),
    ('T', "GET /api/token", ""),
    ('E', "GET /api/eoti", ""),
    ('T', "GET /api/koti", ""),
];

/// Name, where it is shown, clause, meaning, source.
type TokenRow = (&'static str, &'static str, &'static str, &'static str, &'static str);

/// The fields of a token object.
const TOKEN: &[TokenRow] = &[
    (
        "address",
        "LOBRTE",
        "FIG-SAME",
        "the token contract",
        "the log of the launch; spelled alike everywhere",
    ),
    (
        "created_at",
        "LOBRTE",
        "FIG-CREATED",
        "when it was launched",
        "time of the block of the creating transaction",
    ),
    ("owner", "LOBRTE", "FIG-IDENTITY", "who launched it", "creator in the log of the launch"),
    ("name", "LOBRTE", "FIG-IDENTITY", "its name", "texts in the log of the launch"),
    ("ticker", "LOBRTE", "FIG-IDENTITY", "its symbol", "texts in the log of the launch"),
    (
        "description",
        "LOBRTE",
        "FIG-IDENTITY",
        "what its creator says of it",
        "texts in the log of the launch",
    ),
    ("image_url", "LOBRTE", "FIG-IDENTITY", "its logo", "texts in the log of the launch"),
    (
        "messenger",
        "BRTE",
        "FIG-IDENTITY",
        "its messaging channel, null without one",
        "texts in the log of the launch",
    ),
    (
        "microblog",
        "BRTE",
        "FIG-IDENTITY",
        "its microblog profile, null without one",
        "texts in the log of the launch",
    ),
    ("website", "BRTE", "FIG-IDENTITY", "its site, null without one", "texts in the log of the launch"),
    (
        "market_cap",
        "LOBRTE",
        "FIG-MCAP",
        "price of the whole supply, ETH or quote asset",
        "the price times 10^9 tokens, cut to the wei and to 15 digits",
    ),
    (
        "funding_progress",
        "LOBRTE",
        "FIG-PROGRESS",
        "net contributions over target",
        "stored state of the launch; 1 only when graduated",
    ),
    (
        "price_eth",
        "LBRTE",
        "FIG-PRICE",
        "price of a token, ETH or quote asset",
        "curve at the stored position, or slot of the pool, or reserves of the pair; cut to the wei",
    ),
    (
        "volume_24h",
        "LOBRTE",
        "FIG-VOLUME",
        "traded within a day, ETH or quote asset",
        "sum of the logged trades younger than 86400 seconds, gross of fees, buybacks left out",
    ),
    (
        "price_change_24h",
        "LBRTE",
        "FIG-CHANGE",
        "change of the price within a day, percent",
        "price now against the last one before the window, else the opening one",
    ),
    ("txns_24h_buys", "BRTE", "FIG-TXNS", "purchases within a day", "logged trades"),
    ("txns_24h_sells", "BRTE", "FIG-TXNS", "sales within a day", "logged trades"),
    (
        "volume_1h",
        "RTE",
        "FIG-VOLUME",
        "traded within an hour",
        "sum of the logged trades younger than 3600 seconds",
    ),
    (
        "price_change_1h",
        "RTE",
        "FIG-CHANGE",
        "change of the price within an hour, percent",
        "price now against the last one before the window, else the opening one",
    ),
    ("txns_1h_buys", "RTE", "FIG-TXNS", "purchases within an hour", "logged trades"),
    ("txns_1h_sells", "RTE", "FIG-TXNS", "sales within an hour", "logged trades"),
    ("txns_total", "RT", "FIG-TXNS", "trades ever", "logged trades on curve, pool and pair"),
    (
        "total_holders",
        "LOBRTE",
        "FIG-HOLDERS",
        "accounts with a balance",
        "transfers; contracts of the platform left out",
    ),
    (
        "top_10_percentage",
        "BRTE",
        "FIG-HOLDERS",
        "what the ten largest hold, percent",
        "transfers, over the supply that was not burned",
    ),
    (
        "dev_holding_percentage",
        "BRTE",
        "FIG-HOLDERS",
        "what the creator holds, percent",
        "transfers, over the supply that was not burned",
    ),
    ("is_graduated", "OBRT", "FIG-PROGRESS", "whether funding is complete", "log of the graduation"),
    ("version", "RT", "FIG-RECORD", "v1 or v2", "the contract that launched it"),
    ("chain_id", "RT", "FIG-RECORD", "its chain", "the chain of the log"),
    (
        "hook_address",
        "RT",
        "FIG-RECORD",
        "launch hook or token factory",
        "the contract that logged the launch",
    ),
    ("launch_id", "RT", "FIG-RECORD", "number of the launch at its hook, null for V1", "log of the launch"),
    (
        "target_raise",
        "RT",
        "FIG-RECORD",
        "net contributions that graduate it, smallest units",
        "stored state of the launch",
    ),
    (
        "gain_bps",
        "RT",
        "FIG-RECORD",
        "end price over start price less one, basis points",
        "stored state of the launch",
    ),
    (
        "creator_fee_split_bps",
        "RT",
        "FIG-RECORD",
        "the creator's share of the variable fee, basis points",
        "stored state of the launch",
    ),
    ("anti_snipe_seconds", "RT", "FIG-RECORD", "length of the protected time", "stored state of the launch"),
    ("start_time", "RT", "FIG-RECORD", "when trading opens, Unix seconds", "stored state of the launch"),
    ("transaction_hash", "RT", "FIG-CREATED", "the creating transaction", "log of the launch"),
    ("block_number", "RT", "FIG-CREATED", "its block", "log of the launch"),
    ("pool", "RT", "FIG-RECORD", "v4 pool or v2 pair, null until graduated", "log of the graduation"),
    (
        "quote_asset",
        "RT",
        "FIG-RECORD",
        "what it is sold for, null for the native coin",
        "stored state of the launch",
    ),
    ("quote_asset_symbol", "RT", "FIG-RECORD", "symbol of that asset", "the asset's contract"),
    ("quote_asset_name", "RT", "FIG-RECORD", "name of that asset", "the asset's contract"),
    ("quote_asset_decimals", "RT", "FIG-RECORD", "decimals of that asset", "the asset's contract"),
];

/// Pointer, how it is held, meaning, source.
type Row = (&'static str, Held, &'static str, &'static str);

/// Service, operation, its fields.
type Answer = (&'static str, &'static str, &'static [Row]);

/// The fields of all other objects.
const OTHERS: &[Answer] = &[
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
                By("FIG-BIDS"),
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
                By("STOCK-ASSETS"),
                "whether it takes launches",
                "the hook's own answer",
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
            ("/flags/read", By("FIG-CAP"), "whether reading works", "a read"),
            ("/flags/create", By("FIG-CAP"), "whether launches are taken", "a simulated launch"),
            ("/flags/trade", By("FIG-CAP"), "whether trades are taken", "a preview of the hook"),
            ("/flags/eoti", By("FIG-CAP"), "whether there is an auction", "the auction's own answer"),
            (
                "/flags/tokenUpdate",
                FormOnly("the interface has no call by which tokens are updated"),
                "whether tokens can be updated",
                "the service",
            ),
            ("/emperorAuction", By("FIG-CAP"), "where bids go", "the auction's own answer"),
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
                By("LEAD-SHAPE"),
                "points for referrals",
                "registrations are no secret of the chain: held as the rest of the sum, and in full by FIG-REF for a wallet whose registrations are known",
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
        FormOnly("nothing goes wrong with a token on a sound platform"),
        "what went wrong",
        "the service",
    ),
];

/// A deployment of the capabilities.
const DEPLOYMENT: &[Row] = &[
    ("/version", By("FIG-CAP"), "v1 or v2", "the contract's kind"),
    ("/hook", By("FIG-CAP"), "launch hook or token factory", "code on the chain"),
    (
        "/abiFamily",
        FormOnly("a name for a set of calls, which the chain does not know"),
        "which calls it takes",
        "the service",
    ),
    (
        "/feeWithdrawalMode",
        FormOnly("a name for how fees leave, which the chain does not know"),
        "how fees leave",
        "the service",
    ),
    ("/runtimeHash", By("FIG-CAP"), "hash of its code", "code on the chain"),
    ("/quoteAsset", By("FIG-CAP"), "what it sells for, null for the native coin", "the hook's own answer"),
    ("/v4/poolManager", By("FIG-CAP"), "v4 pool manager", "the hook's own answer"),
    ("/v4/positionManager", By("FIG-CAP"), "v4 position manager", "its own answer"),
    ("/v4/stateView", By("FIG-CAP"), "v4 state view", "its own answer"),
    ("/v4/quoter", By("FIG-CAP"), "v4 quoter", "its own answer"),
    ("/v4/universalRouter", By("FIG-CAP"), "v4 router", "its own answer"),
    ("/v4/permit2", By("FIG-CAP"), "permits", "the position manager's answer"),
    ("/v2/factory", By("FIG-CAP"), "factory of pairs", "the token factory's answer"),
    ("/v2/router", By("FIG-CAP"), "router of pairs", "its own answer"),
    ("/startBlock", By("FIG-CAP"), "the block it was made in", "code on the chain, block by block"),
    ("/status", By("FIG-CAP"), "active when launches are taken", "a simulated launch"),
];

/// Every field of every answer, in the order of the interface.
#[must_use]
pub fn fields() -> Vec<Field> {
    let tokens = TOKENS_AT.iter().flat_map(|(letter, operation, prefix)| {
        TOKEN.iter().filter(move |row| row.1.contains(*letter)).map(
            move |(name, _, clause, meaning, source)| Field {
                service: "rest",
                operation,
                pointer: format!("{prefix}/{name}"),
                meaning,
                source,
                held: By(clause),
            },
        )
    });
    let others = OTHERS.iter().flat_map(|(service, operation, rows)| {
        rows.iter().map(move |row| of_row(service, operation, "", row))
    });
    let deployments =
        ["/activeCreationDeployment", "/tradeableDeployments/*"].into_iter().flat_map(|prefix| {
            DEPLOYMENT.iter().map(move |row| of_row("rest", "GET /api/capabilities", prefix, row))
        });
    tokens.chain(others).chain(deployments).collect()
}

fn of_row(service: &'static str, operation: &'static str, prefix: &str, row: &Row) -> Field {
    let (pointer, held, meaning, source) = *row;
    Field { service, operation, pointer: format!("{prefix}{pointer}"), meaning, source, held }
}

/// The table as a page of documentation.
#[must_use]
pub fn document() -> String {
    let mut page = String::from(
        "# What each field means\n\n\
         For every field of every answer: what it means, from what it is computed, and the clause whose checks recompute it from that\n\
         source, which is not the service (`slipway explain CLAUSE` names the checks). This page is made from the table in\n\
         `scenarios/src/fields.rs`; a test says when it is stale.\n\n\
         ## Tokens\n\n\
         Shown by `GET /api/tokens` (L), by-owner (O), both forms of batch (B), recent-v2 (R), `GET /api/token` and `GET /api/koti` (T),\n\
         `GET /api/eoti` (E).\n\n\
         | field | in | meaning | computed from | held by |\n|---|---|---|---|---|\n",
    );
    for (name, shown, clause, meaning, source) in TOKEN {
        let _ = writeln!(page, "| `{name}` | {shown} | {meaning} | {source} | {clause} |");
    }
    for (service, operation, rows) in OTHERS {
        let _ = write!(page, "\n## `{operation}` ({service})\n\n");
        table(&mut page, rows);
    }
    page.push_str("\n## A deployment of the capabilities\n\nAs `activeCreationDeployment`, and in `tradeableDeployments`.\n\n");
    table(&mut page, DEPLOYMENT);
    page
}

fn table(page: &mut String, rows: &[Row]) {
    page.push_str("| field | meaning | computed from | held by |\n|---|---|---|---|\n");
    for (pointer, held, meaning, source) in rows {
        let held = match held {
            By(clause) => (*clause).to_owned(),
            FormOnly(reason) => format!("its form only: {reason}"),
        };
        let _ = writeln!(page, "| `{pointer}` | {meaning} | {source} | {held} |");
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Held, TOKEN, fields};

    #[test]
    fn fields_are_named_once_and_held_by_clauses_that_exist() {
        let mut seen = BTreeSet::new();
        for field in fields() {
            assert!(seen.insert((field.service, field.operation, field.pointer.clone())), "{field:?}");
            match field.held {
                Held::By(id) => assert!(crate::clause(id).is_some(), "{field:?}"),
                Held::FormOnly(reason) => assert!(!reason.is_empty()),
            }
        }
    }

    #[test]
    fn token_fields_are_those_that_the_checks_recompute() {
        for (name, _, clause, ..) in TOKEN {
            let held = crate::sections::meaning::clause_of(name);
            assert!(held == Some(clause) || *name == "address", "{name}: {held:?}");
        }
    }
}
