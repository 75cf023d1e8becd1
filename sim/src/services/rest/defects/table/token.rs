//! Defects of `GET /api/token`.
use super::super::Act::Tell;
use super::super::{answers, featured};
use super::{Seed, seed};

const TOKEN: &str = "/api/token";

#[rustfmt::skip]
pub(super) const SEEDS: &[Seed] = &[
    seed("token-market-cap-coarse", &["TOKEN-ONE"], "market_cap is rounded to five decimals", Tell(TOKEN, answers::coarse_market_cap)),
    seed("token-unknown-null", &["TOKEN-BAD"], "an unknown token is null with 200", Tell(TOKEN, answers::unknown_is_null)),
    seed("token-malformed-404", &["TOKEN-BAD"], "a malformed address is 404", Tell(TOKEN, answers::malformed_not_found)),
    seed("token-new-late", &["TOKEN-AFTER-LAUNCH"], "a token is unknown for the first thirty seconds of its life", Tell(TOKEN, answers::new_token_late)),
    seed("token-first-version-unknown", &["TOKEN-ONE", "CH-V1"], "tokens of the first version are unknown", Tell(TOKEN, featured::v1_unknown)),
    seed("token-first-version-progress", &["TOKEN-ONE"], "tokens of the first version show no progress", Tell(TOKEN, featured::v1_without_progress)),
];
