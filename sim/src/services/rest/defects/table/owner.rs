//! Defects of `GET /api/tokens/by-owner`.
use super::super::Act::{Ask, Tell};
use super::super::{lists, requests};
use super::{Seed, seed};

const OWNER: &str = "/api/tokens/by-owner";

#[rustfmt::skip]
pub(super) const SEEDS: &[Seed] = &[
    seed("owner-missing-empty", &["OWNER-REQ"], "without an owner the answer is an empty list", Tell(OWNER, lists::owner_missing)),
    seed("owner-total-pages-renamed", &["OWNER-SHAPE"], "pagination has total_pages instead of totalPages", Tell(OWNER, lists::total_pages_renamed)),
    seed("owner-graduated-missing", &["OWNER-SHAPE"], "is_graduated is left out while it is false", Tell(OWNER, lists::graduated_missing)),
    seed("owner-limit-clamped", &["OWNER-LIMIT"], "a limit above 100 is taken for 100", Ask(OWNER, requests::clamp_to_hundred)),
    seed("owner-limit-default", &["OWNER-LIMIT"], "ten tokens are shown unless told", Ask(OWNER, requests::ten_rows)),
    seed("owner-total-of-page", &["OWNER-PAGE"], "total counts the tokens of the page", Tell(OWNER, lists::total_of_page)),
    seed("owner-volume-as-mcap", &["OWNER-SORT"], "volume_24h_desc orders by market cap", Ask(OWNER, requests::volume_as_market_cap)),
    seed("owner-unknown-404", &["OWNER-ONLY"], "an owner without tokens is 404", Tell(OWNER, lists::unknown_owner)),
    seed("owner-inactive-always", &["OWNER-INACTIVE"], "disabled tokens are always shown", Ask(OWNER, requests::always_inactive)),
];
