//! Defects of `GET /api/tokens/recent-v2`.
use super::super::Act::{Ask, Tell};
use super::super::{featured, lists, requests};
use super::{Seed, seed};

const RECENT: &str = "/api/tokens/recent-v2";

#[rustfmt::skip]
pub(super) const SEEDS: &[Seed] = &[
    seed("recent-chain-default", &["RECENT-CHAIN"], "without a chain the primary one is meant", Ask(RECENT, requests::default_chain)),
    seed("recent-chain-any", &["RECENT-CHAIN"], "an unknown chain is taken for the primary one", Ask(RECENT, requests::any_chain)),
    seed("recent-limit-clamped", &["RECENT-LIMIT"], "a limit above 50 is taken for 50", Ask(RECENT, requests::clamp_to_fifty)),
    seed("recent-limit-default", &["RECENT-LIMIT"], "twenty rows are shown unless told", Ask(RECENT, requests::twenty_rows)),
    seed("recent-offset-late", &["RECENT-OFFSET"], "every page but the first begins one row too late", Ask(RECENT, requests::late_offset)),
    seed("recent-next-always", &["RECENT-NEXT"], "a page that is not full has a nextOffset", Tell(RECENT, lists::next_always)),
    seed("recent-launch-id-text", &["RECENT-SHAPE"], "launch_id is text", Tell(RECENT, lists::launch_id_as_text)),
    seed("recent-first-version", &["RECENT-CHAIN"], "a token of the first version is among recent launches", Tell(RECENT, featured::v1_recent)),
    seed("recent-quote-asset-untold", &["STOCK-ASSETS"], "launches for stocks do not name their quote asset", Tell(RECENT, featured::quote_asset_untold)),
];
