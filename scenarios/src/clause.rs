//! The registry of clauses: one row per statement a platform can be held to.

/// One checkable statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Stable id; never reused.
    pub id: &'static str,
    /// Part of the interface it belongs to.
    pub section: &'static str,
    /// Whether it rests on a choice of this project: a foreign target is told, not failed, unless asked strictly.
    pub chosen: bool,
    /// What must hold.
    pub text: &'static str,
}

/// Spells rows as `"ID": "text"`, with `chosen` between them where the clause is a choice of this project.
macro_rules! registry {
    ($($section:literal { $($id:literal $($chosen:ident)? : $text:literal,)* })*) => {
        &[$($(Clause {
            id: $id,
            section: $section,
            chosen: registry!(@chosen $($chosen)?),
            text: $text,
        },)*)*]
    };
    (@chosen chosen) => { true };
    (@chosen) => { false };
}

/// All clauses, in the order of the interface.
pub const CLAUSES: &[Clause] = registry! {
    "every endpoint" {
        "SVC-JSON": "A body is JSON and says so in its content type, unless the endpoint says otherwise.",
        "SVC-ERR" chosen: "A refusal has the one error body of the service and gives away no trace, file path or secret.",
        "SVC-METHOD" chosen: "A wrong method on a known path is 405 and names the right ones in Allow; an unknown path is 404.",
        "SVC-NOAUTH": "Reading needs no credential, and a meaningless Authorization header changes nothing.",
        "SVC-EXTRA": "Query parameters and body fields that nobody knows change nothing.",
        "SVC-AMOUNT": "Amounts in smallest units are strings of decimal digits: no sign, leading zero or exponent.",
        "SVC-TIME": "Times given as text are ISO 8601 and carry a zone.",
        "SVC-ADDR" chosen: "The letter case of an address does not matter to the answer.",
        "SVC-CORS" chosen: "A page from another origin may read: preflights are answered and answers allow the origin.",
    }
    "GET /api/tokens" {
        "LIST-SHAPE": "The list has tokens, totalCount and totalPages, and its tokens have their fields and types.",
        "LIST-PAGE": "Pages start at 1 and split what matches with no token twice or missing; beyond the end they are empty.",
        "LIST-COUNT": "totalCount is how many tokens match, totalPages how many pages they fill.",
        "LIST-SEARCH": "A search finds text in name, ticker and description, and owner and token addresses, in any case.",
        "LIST-STATUS": "status keeps the tokens of the named states: live, funding, or both.",
        "LIST-SORT-NEWEST": "Without sortBy, and with newest, the latest created come first.",
        "LIST-SORT-OLDEST": "With oldest, the earliest created come first.",
        "LIST-SORT-MCAP": "mcap-high and mcap-low order by market cap, down and up.",
        "LIST-SORT-TRENDING" chosen: "trending orders by what was traded within the timeframe, of a day unless told.",
        "LIST-SOCIALS" chosen: "socials keeps the tokens that have any of the named links.",
        "LIST-FUNDING": "fundingMin and fundingMax keep the tokens whose progress lies between them, bounds included.",
        "LIST-MCAP": "marketCapMin and marketCapMax bound the market cap, in ETH.",
        "LIST-TXCOUNT": "txCountMin and txCountMax bound how many transactions a token has had.",
        "LIST-CREATED": "createdFrom and createdTo bound when a token was created.",
        "LIST-COMBINE": "Several filters keep exactly the tokens that each of them keeps.",
        "LIST-BAD" chosen: "Values that mean nothing, and ranges upside down, are 400 and never 500.",
    }
    "GET /api/tokens/by-owner" {
        "OWNER-REQ": "The owner must be given and be an address, else 400.",
        "OWNER-SHAPE": "The answer has tokens with their fields, and pagination with page, limit, total and totalPages.",
        "OWNER-LIMIT": "A page has 20 tokens unless told, and never more than 100.",
        "OWNER-PAGE": "Pages split the owner's tokens with none twice or missing, and the totals say as much.",
        "OWNER-SORT": "Each of the six orders is kept; the latest created come first unless told.",
        "OWNER-ONLY": "Only the owner's tokens are listed, and none for an owner nobody knows.",
        "OWNER-INACTIVE": "A disabled token is listed when includeInactive asks for it, and only then.",
    }
    "/api/tokens/batch" {
        "BATCH-REQ": "The body must be JSON, said to be so, with addresses as an array of strings.",
        "BATCH-MAX": "Fifty addresses are answered, one more is refused.",
        "BATCH-SHAPE": "The answer has tokens with their fields, notFound and errors.",
        "BATCH-FOUND": "Each address asked for is in tokens or in notFound, never in both, and nothing else is there.",
        "BATCH-INVALID": "Addresses that are unknown or none at all do not spoil the answer: they are in notFound.",
        "BATCH-METRICS": "Metrics are there unless includeMetrics is false.",
        "BATCH-HOLDERS": "Holder figures are there unless includeHolders is false.",
        "BATCH-SOCIALS": "Links are there unless includeSocials is false; a link a token lacks is null.",
        "BATCH-FLAGS": "Every combination of the three flags leaves exactly the fields it asks for.",
        "BATCH-GET" chosen: "The same addresses with commas in a GET give the answer of the POST.",
    }
    "GET /api/tokens/recent-v2" {
        "RECENT-CHAIN": "A supported chain must be named, is repeated, and only its V2 launches are listed.",
        "RECENT-LIMIT": "Ten rows unless told, from 1 to 50.",
        "RECENT-OFFSET": "Following nextOffset from zero meets every launch once, the newest first.",
        "RECENT-NEXT": "nextOffset is a number after a full page and null after any other.",
        "RECENT-SHAPE" chosen: "A row tells identity, launch, metrics and, for a tokenized stock, its quote asset.",
    }
    "GET /api/token" {
        "TOKEN-ONE": "Any V1 or V2 token is told by its address, and agrees with what list and batch say of it.",
        "TOKEN-BAD" chosen: "No address or a malformed one is 400, an unknown one 404.",
        "TOKEN-AFTER-LAUNCH": "Once a launch is mined, the token it emitted can be read.",
    }
    "leaderboard, Emperor, King" {
        "LEAD-SHAPE" chosen: "Rows are ranked from 1 without a gap, points never rise, and limit is kept.",
        "EOTI-SHAPE": "The Emperor is one token object with all of its fields.",
        "EOTI-BID": "Bid data is there in full when asked for, and only then.",
        "EOTI-CHAIN": "The Emperor and its bids are what the auction contract says.",
        "EOTI-EPOCH": "A winning bid is tomorrow's, then today's, then yesterday's token, and the epoch shows as taken.",
        "KOTI-TOP" chosen: "The King is the token still funding that has come furthest.",
    }
    "/api/chat" {
        "CHAT-GET-REQ": "The token must be named.",
        "CHAT-GET-ARRAY": "Messages come as a bare array of message objects.",
        "CHAT-GET-PAGE": "Fifty messages unless told; limit and offset split them with none twice or missing.",
        "CHAT-POST-FIELDS": "Captcha token, token address, message and signature must all be strings, else 400.",
        "CHAT-POST-OK": "A posted message is answered, and later read, exactly as it was written.",
        "CHAT-POST-LEN" chosen: "500 characters are taken and 501 refused, counted as Unicode scalar values.",
        "CHAT-POST-SIG" chosen: "A signature that does not fit is refused; the sender is who signed.",
        "CHAT-POST-CAPTCHA": "A captcha token serves once, even when used twice at the same moment.",
        "CHAT-POST-CRED" chosen: "Without the operator's credential nothing is posted.",
        "CHAT-POST-RATE": "An address posts five messages a minute; the next is 429, other addresses are not held up.",
    }
    "POST /api/upload" {
        "UP-FIELDS": "File, captcha token and wallet address must be given, else 400.",
        "UP-IMAGE": "Only what decodes as an image is taken, whatever it is called.",
        "UP-SIZE": "Five MiB are taken, one byte more is not.",
        "UP-CAPTCHA": "A captcha token serves once and expires; after that it is 403 and named as such.",
        "UP-OK": "The address answered serves the very bytes to anyone for long; no social proof unless asked.",
        "UP-HEADER": "A header names how the image was stored.",
        "UP-RATE-WALLET": "A wallet uploads three images a minute; the fourth is 429.",
        "UP-RATE-IP" chosen: "Limits per IP address grow stricter over longer windows.",
    }
    "GET /api/capabilities" {
        "CAP-CHAIN": "A supported chain must be named, and the answer is about that chain.",
        "CAP-SHAPE": "The answer has every part that is named for it.",
        "CAP-CACHE": "Nobody may keep the answer: Cache-Control is private, no-store.",
        "CAP-HOOK": "The active hook has code on its chain, of the hash that is told, and launches tokens.",
        "CAP-INACTIVE": "While creation is paused, a client that looks before it launches is told to stop.",
        "CAP-TRADE": "The hook of every token is among the deployments one can trade through.",
    }
    "GET /api/stocks/quote-assets" {
        "STOCK-ASSETS" chosen: "Each quote asset names a hook of its own, whose launches tell their quote asset.",
    }
    "/api/referral" {
        "REF-AUTH" chosen: "Code and stats want a bearer token or a wallet's signature, and refuse anything else.",
        "REF-CODE": "The code is made once and is the same ever after.",
        "REF-CODE-RATE": "The code can be asked for ten times a minute.",
        "REF-STATS": "Stats have their shape for each of four periods, and their sums fit the activity.",
        "REF-STATS-ADDR" chosen: "Stats of a wallet can be read by its address.",
        "REF-READ-RATE": "Stats and leaderboard can be read thirty times a minute.",
        "REF-REG" chosen: "Registering names the referrer; unknown codes, oneself and a second time are refused.",
        "REF-REG-RATE": "An IP address registers five times a minute.",
        "REF-LEAD": "Ten rows unless told and at most 100, for each of four periods, ranked by points.",
        "REF-REWARD-BUY": "A tenth of the points of a referral's buy goes to the referrer.",
        "REF-REWARD-SELL": "A tenth of the points of a referral's sale goes to the referrer.",
        "REF-REWARD-CREATE": "A tenth of the points of a referral's launch goes to the referrer.",
        "REF-REWARD-MILESTONE" chosen: "A milestone of a referral's token earns the referrer points.",
    }
    "swap service" {
        "QUOTE-REQ": "Both tokens must be named, else 400.",
        "QUOTE-ONE-AMOUNT": "Exactly one of amount and amountOut, else 400.",
        "QUOTE-SLIP": "Slippage is 0 to 10000 basis points, as text or number; anything else is 400.",
        "QUOTE-SHAPE": "A quote has its fields with their types.",
        "QUOTE-EXACT-IN": "For an exact input, the quote is what the router really pays, to the last unit.",
        "QUOTE-EXACT-OUT": "For an exact output, the quote is the least input that yields it.",
        "QUOTE-MIN-OUT": "The least output after slippage is told for exact inputs with slippage only, right to the unit.",
        "QUOTE-MAX-IN": "The most input after slippage is told for exact outputs.",
        "QUOTE-ROUTE" chosen: "The best route is taken, straight or through other tokens, and path shows it.",
        "QUOTE-RATES": "Execution is never better than spot, impact grows with size, and the fee adds up over hops.",
        "QUOTE-WRAP": "Wrapping and unwrapping the native coin is one to one, free, and builds no transaction.",
        "QUOTE-NATIVE": "The zero address stands for the native coin on either side.",
        "QUOTE-BUILD": "Building wants the user's address; what is built runs and pays at least what was promised.",
        "QUOTE-NO-ROUTE": "Where there is no route or no liquidity, the answer is 500 with an error body.",
        "PAIRS" chosen: "Every pair of the exchange is listed with figures that follow from its reserves.",
        "SWAP-TOKENS" chosen: "Every token that has a pair is listed.",
    }
    "chain" {
        "CH-ID": "The two chains give their ids, 57073 and 4663.",
        "CH-LAUNCH": "createLaunch deploys a token, emits its address and stores what getLaunchState reads.",
        "CH-REFERRAL": "createLaunchWithReferral does the same, and emits the code unless it is empty.",
        "CH-LIMITS": "Raise, gain, split and start outside their bounds are each refused with an error of their own.",
        "CH-CURVE" chosen: "Buys and sells follow the curve to the last wei.",
        "CH-SOLVENT" chosen: "The hook always holds exactly what it owes.",
        "CH-GRADUATE" chosen: "The buy that fills the curve opens the pool at the curve's last price and refunds the rest.",
        "CH-AFTER": "From then on the curve refuses, the pool trades, and the service says graduated.",
        "CH-SNIPE" chosen: "In the first seconds a trade needs the platform's consent; the creator's own first buy does not.",
        "CH-V1": "V1 contracts answer reads, and their tokens are served.",
    }
    "tool server" {
        "MCP-TOOLS": "Over stdio there are exactly five tools, each with a schema that tells its limits.",
        "MCP-HINTS" chosen: "Tools say what they do and what they answer, results keep that, and errors say what to do next.",
        "MCP-LAUNCH-ARGS": "Each launch argument passes at its bound and fails beyond it.",
        "MCP-DEFAULTS": "Arguments left out reach the chain as their defaults.",
        "MCP-CONFIRM": "Without the literal confirmation nothing is launched.",
        "MCP-WRITES": "Without writes enabled nothing is launched.",
        "MCP-CAP-PREBUY": "A first buy above its cap or above the raise fails.",
        "MCP-CAP-RAISE": "A raise above its cap fails.",
        "MCP-CAP-GAS": "The gas fee never exceeds its cap, whatever the node asks.",
        "MCP-CHAIN-ID": "Nothing is sent to a node of another chain.",
        "MCP-NONCE": "The nonce is the count of pending transactions, taken once.",
        "MCP-RECEIPT": "Waiting for the receipt ends after 120 seconds and nothing is sent again.",
        "MCP-REFERRAL": "A referral code decides which of the two creation functions is called.",
        "MCP-RESULT": "What a launch answers is true on the chain.",
        "MCP-PREVIEW": "A preview sends nothing, needs no consent, and its fee figures are right.",
        "MCP-WALLET": "The wallet's address, balance and chain are told.",
        "MCP-STATUS": "Funding progress is what the contract says.",
        "MCP-RECENT": "Of what the service says only safe, short and known fields pass.",
        "MCP-URL-SCHEME": "Only https without credentials is taken as a URL.",
        "MCP-URL-HOST": "Hosts under the reserved names are refused.",
        "MCP-URL-IP": "Hosts that lead to an address that is not public are refused.",
        "MCP-KEY-FILE": "The key file comes first and must be private; some key must be given.",
        "MCP-RPC-URL": "An RPC address with user, query or fragment is refused.",
        "MCP-BASE-URL": "The service address is an origin without a path.",
        "MCP-SECRETS": "Nothing that is said ever holds a key, a signed payload or a credential.",
        "MCP-READ-ONLY": "The four tools that only read work while writes are off.",
        "MCP-PROTO" chosen: "Broken, unknown or oversized input never hangs or ends the server badly, nor dirties stdout.",
    }
};

/// The clause of an id.
#[must_use]
pub fn clause(id: &str) -> Option<&'static Clause> {
    CLAUSES.iter().find(|clause| clause.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{CLAUSES, clause};
    use crate::checks;

    #[test]
    fn ids_are_unique() {
        let ids: BTreeSet<_> = CLAUSES.iter().map(|clause| clause.id).collect();
        assert_eq!(ids.len(), CLAUSES.len());
        assert_eq!(clause("LIST-PAGE").map(|found| found.chosen), Some(false));
        assert_eq!(clause("SVC-ERR").map(|found| found.chosen), Some(true));
    }

    #[test]
    fn every_check_names_clauses_that_exist() {
        for check in checks() {
            assert!(!check.clauses.is_empty(), "{} checks nothing", check.id);
            for id in check.clauses {
                assert!(clause(id).is_some(), "{} names {id}, which is no clause", check.id);
            }
        }
    }

    #[test]
    fn ids_of_checks_are_unique() {
        let ids: Vec<_> = checks().map(|check| check.id).collect();
        let distinct: BTreeSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len());
    }
}
