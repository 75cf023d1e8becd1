//! Defects of `GET /api/eoti`, `GET /api/koti` and `GET /api/stocks/quote-assets`.
use super::super::Act::{Ask, Compare, Tell};
use super::super::{featured, requests};
use super::{Seed, seed};

const EOTI: &str = "/api/eoti";
const KOTI: &str = "/api/koti";
const STOCKS: &str = "/api/stocks/quote-assets";

#[rustfmt::skip]
pub(super) const SEEDS: &[Seed] = &[
    seed("eoti-hour-missing", &["EOTI-SHAPE"], "the metrics of the last hour are left out", Tell(EOTI, featured::hour_missing)),
    seed("eoti-progress-text", &["EOTI-SHAPE"], "funding_progress is text", Tell(EOTI, featured::progress_as_text)),
    seed("eoti-bids-unasked", &["EOTI-BID"], "bidData comes unasked", Ask(EOTI, featured::always_bids)),
    seed("eoti-last-bid-in-wei", &["EOTI-BID"], "lastBid.amount is in wei", Tell(EOTI, featured::last_bid_in_wei)),
    seed("eoti-yesterdays", &["EOTI-CHAIN"], "the token is yesterday's", Compare(EOTI, featured::bids_too, featured::yesterdays)),
    seed("eoti-price-rounded-down", &["EOTI-CHAIN"], "the price of the second is a wei too low", Tell(EOTI, featured::price_too_low)),
    seed("eoti-never-taken", &["EOTI-EPOCH"], "isEpochTaken stays false", Tell(EOTI, featured::never_taken)),
    seed("eoti-next-untold", &["EOTI-EPOCH"], "tomorrow's token is not told", Tell(EOTI, featured::next_untold)),
    seed("koti-progress-coarse", &["KOTI-TOP"], "funding_progress is rounded to two decimals", Tell(KOTI, featured::coarse_progress)),
    seed("koti-none-null", &["KOTI-TOP"], "without a King the answer is null with 200", Tell(KOTI, featured::none_is_null)),
    seed("stocks-any-chain", &["STOCK-ASSETS"], "an unknown chain is taken for the primary one", Ask(STOCKS, requests::any_chain)),
    seed("stocks-hook-of-none", &["STOCK-ASSETS"], "each asset names its own token as its hook", Tell(STOCKS, featured::token_as_hook)),
    seed("stocks-decimals-18", &["STOCK-ASSETS"], "every asset has 18 decimals", Tell(STOCKS, featured::eighteen_decimals)),
];
