//! Paths of the services, as the interface writes them.

// Paths of the REST service.
pub(crate) const LIST: &str = "/api/tokens";
pub(crate) const OWNER: &str = "/api/tokens/by-owner";
pub(crate) const BATCH: &str = "/api/tokens/batch";
pub(crate) const RECENT: &str = "/api/tokens/recent-v2";
pub(crate) const CHAT: &str = "/api/chat";
pub(crate) const REFERRERS: &str = "/api/referral/leaderboard";
pub(crate) const REFERRAL_STATS: &str = "/api/referral/stats";
pub(crate) const TOKEN: &str = "/api/token";
pub(crate) const CAPABILITIES: &str = "/api/capabilities";
pub(crate) const EOTI: &str = "/api/eoti";
pub(crate) const KOTI: &str = "/api/koti";
pub(crate) const LEADERBOARD: &str = "/api/leaderboard";
pub(crate) const QUOTE_ASSETS: &str = "/api/stocks/quote-assets";

// Paths of the swap service.
pub(crate) const QUOTE: &str = "/api/quote";
pub(crate) const PAIRS: &str = "/api/pairs";
