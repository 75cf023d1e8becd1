//! Values that parameters reject, in rows by endpoint.
use crate::answers::reads::{
    CAPABILITIES, CHAT, EOTI, LEADERBOARD, LIST, OWNER, Params, QUOTE, QUOTE_ASSETS, Query, RECENT,
    REFERRAL_STATS, REFERRERS, TOKEN,
};

/// A parameter with values that must be rejected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refused {
    pub(crate) path: &'static str,
    pub(crate) name: &'static str,
    values: &'static [&'static str],
    /// A second parameter of the request, which is valid.
    beside: Option<(&'static str, &'static str)>,
    /// Whether a request without the parameter is rejected too.
    required: bool,
    /// The causes with which this project's platform may refuse it; empty accepts any cause.
    pub(crate) causes: &'static [&'static str],
}

const fn row(path: &'static str, name: &'static str, values: &'static [&'static str]) -> Refused {
    Refused { path, name, values, beside: None, required: false, causes: &[] }
}

impl Refused {
    const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    const fn beside(self, name: &'static str, value: &'static str) -> Self {
        Self { beside: Some((name, value)), ..self }
    }

    const fn by(self, causes: &'static [&'static str]) -> Self {
        Self { causes, ..self }
    }

    /// Returns the queries that must be refused, each with these further parameters.
    pub(crate) fn queries(&self, more: &Params) -> Vec<Query> {
        let missing = self.required.then_some(None).into_iter();
        let wrong = missing.chain(self.values.iter().map(Some));
        let query = |wrong: Option<&&str>| {
            let beside = self.beside.iter().map(|(name, value)| (*name, (*value).to_owned()));
            let wrong = wrong.map(|value| (self.name, (*value).to_owned()));
            beside.chain(more.iter().cloned()).chain(wrong).collect()
        };
        wrong.map(query).collect()
    }
}

/// Strings that are not addresses.
pub(crate) const NO_ADDRESS: &[&str] = &[
    "",
    "0x",
    "0x1234",
    "address",
    "0x0123456789abcdef0123456789abcdef0123456",
    "0x0123456789abcdef0123456789abcdef012345678",
    "0x0123456789abcdef0123456789abcdef0123456g",
    "адрес 🚀",
    "' OR 1=1 --",
];
/// Unsupported chains.
const NO_CHAIN: &[&str] = &["", "1", "0", "-1", "57074", "abc"];
/// Chains in forms that a lenient reader may accept as numbers.
const ODD_CHAIN: &[&str] = &["57073.5", "0xdef1", "57073,4663"];
/// Invalid limits of a page of 1 to 100 rows.
const NO_LIMIT: &[&str] = &["0", "101", "1000", "-1", "ten", "1.5", "18446744073709551616"];
const NO_PERIOD: &[&str] = &["1h", "ALL", "0", "7 d"];
const NO_NUMBER: &[&str] = &["abc", "NaN", "0.5x", "0,5", "1 ETH", "--1"];
const NO_COUNT: &[&str] = &["abc", "1x", "many"];
const NO_TIME: &[&str] = &["yesterday", "2026-13-01", "2026-01-32", "2026-02-30T00:00:00Z", "31.01.2026"];

/// Invalid parameters of the list.
pub(crate) const LIST_VALUES: &[Refused] = &[
    row(LIST, "page", &["0", "-1", "abc", "1.5", "0x1"]),
    row(LIST, "status", &["dead", "live,dead", "live;funding"]),
    row(LIST, "sortBy", &["best", "newest,oldest"]),
    row(LIST, "timeframe", &["2h", "24", "day"]),
    row(LIST, "socials", &["fax", "messenger,fax"]),
    row(LIST, "fundingMin", NO_NUMBER),
    row(LIST, "fundingMax", NO_NUMBER),
    row(LIST, "marketCapMin", NO_NUMBER),
    row(LIST, "marketCapMax", NO_NUMBER),
    row(LIST, "txCountMin", NO_COUNT),
    row(LIST, "txCountMax", NO_COUNT),
    row(LIST, "createdFrom", NO_TIME),
    row(LIST, "createdTo", NO_TIME),
];
pub(crate) const OWNERS: &[Refused] = &[row(OWNER, "owner", NO_ADDRESS).required()];
/// Invalid limits for the tokens of an owner.
pub(crate) const OWNER_LIMITS: &[Refused] = &[row(OWNER, "limit", NO_LIMIT)];
pub(crate) const RECENT_CHAINS: &[Refused] = &[row(RECENT, "chainId", NO_CHAIN).required()];
/// Further invalid parameters of recent launches.
pub(crate) const RECENT_VALUES: &[Refused] = &[
    row(RECENT, "chainId", ODD_CHAIN),
    row(RECENT, "offset", &["-1", "first", "0.5"]).beside("chainId", "57073"),
    row(RECENT, "limit", &["0", "51", "1000", "-1", "ten"]).beside("chainId", "57073"),
];
pub(crate) const TOKENS: &[Refused] = &[row(TOKEN, "address", NO_ADDRESS).required()];
pub(crate) const CAPABILITY_CHAINS: &[Refused] = &[row(CAPABILITIES, "chainId", NO_CHAIN).required()];
/// Chains of the capabilities in unusual forms.
pub(crate) const CAPABILITY_FORMS: &[Refused] = &[row(CAPABILITIES, "chainId", ODD_CHAIN)];
pub(crate) const QUOTE_ASSET_CHAINS: &[Refused] =
    &[row(QUOTE_ASSETS, "chainId", NO_CHAIN).required(), row(QUOTE_ASSETS, "chainId", ODD_CHAIN)];
pub(crate) const BID_FLAGS: &[Refused] = &[row(EOTI, "includeBidData", &["yes", "2", "on"])];
/// Invalid tokens of a chat.
pub(crate) const CHATS: &[Refused] =
    &[row(CHAT, "tokenAddress", NO_ADDRESS).required().by(&["chat-token-address"])];
/// Invalid pages of a chat.
pub(crate) const CHAT_PAGES: &[Refused] = &[
    row(CHAT, "limit", &["0", "many"]).by(&["chat-limit"]),
    row(CHAT, "offset", &["-1", "x"]).by(&["chat-offset"]),
];
pub(crate) const LEADERS: &[Refused] = &[row(LEADERBOARD, "limit", NO_LIMIT).by(&["leaderboard-limit"])];
/// Invalid addresses for referral stats.
pub(crate) const REFERRAL_WALLETS: &[Refused] =
    &[row(REFERRAL_STATS, "address", &["0x12", "nobody"]).by(&["referral-address"])];
pub(crate) const REFERRAL_PERIODS: &[Refused] =
    &[row(REFERRAL_STATS, "period", NO_PERIOD).by(&["referral-period"])];
pub(crate) const REFERRAL_BOARDS: &[Refused] = &[
    row(REFERRERS, "period", NO_PERIOD).by(&["referral-period"]),
    row(REFERRERS, "limit", NO_LIMIT).by(&["referral-limit"]),
];
/// Slippages of quotes that are not basis points from 0 to 10000.
pub(crate) const SLIPPAGES: &[Refused] =
    &[row(QUOTE, "slippage", &["10001", "-1", "1000000000000", "abc", "NaN"])];
/// Slippages of quotes in unusual forms.
pub(crate) const SLIPPAGE_FORMS: &[Refused] = &[row(QUOTE, "slippage", &["0.5", "1e2", "0x10"])];
const NO_AMOUNT: &[&str] = &["", "0", "-1", "1.5", "1e18", "0x10", "abc", "+5"];
pub(crate) const AMOUNTS: &[Refused] = &[row(QUOTE, "amount", NO_AMOUNT), row(QUOTE, "amountOut", NO_AMOUNT)];
/// Invalid users of a transaction to build.
pub(crate) const USERS: &[Refused] =
    &[row(QUOTE, "userAddress", &["", "0x12", "me"]).beside("buildTx", "true")];

/// Requests that every service refuses to everybody and no limit counts.
pub(crate) const UNLIMITED: &[&[Refused]] = &[
    LIST_VALUES,
    OWNERS,
    RECENT_CHAINS,
    RECENT_VALUES,
    TOKENS,
    CAPABILITY_CHAINS,
    QUOTE_ASSET_CHAINS,
    BID_FLAGS,
    CHATS,
    LEADERS,
];

#[cfg(test)]
mod tests {
    use super::{RECENT_VALUES, TOKENS};

    #[test]
    fn a_row_is_a_query_for_each_value_and_one_without() {
        let queries = TOKENS[0].queries(&[]);
        assert!(queries[0].is_empty());
        assert_eq!(queries[1], [("address", String::new())]);
        let more = [("limit", "3".to_owned())];
        let query = &RECENT_VALUES[1].queries(&more)[1];
        assert_eq!(
            *query,
            [("chainId", "57073".to_owned()), more[0].clone(), ("offset", "first".to_owned())]
        );
    }
}
