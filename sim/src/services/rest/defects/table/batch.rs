//! Defects of `/api/tokens/batch`.
use super::super::Act::{Ask, Tell};
use super::super::{answers, requests};
use super::{Seed, seed};

const BATCH: &str = "/api/tokens/batch";

#[rustfmt::skip]
pub(super) const SEEDS: &[Seed] = &[
    seed("batch-any-content-type", &["BATCH-REQ"], "a body that does not say it is JSON is read", Ask(BATCH, requests::any_content_type)),
    seed("batch-cut-at-50", &["BATCH-MAX"], "addresses beyond the fiftieth are cut off instead of refused", Ask(BATCH, requests::cut_at_fifty)),
    seed("batch-errors-missing", &["BATCH-SHAPE"], "errors is left out while it is empty", Tell(BATCH, answers::errors_missing)),
    seed("batch-last-lost", &["BATCH-FOUND"], "of more than ten addresses the last that is found is lost", Tell(BATCH, answers::last_of_many_lost)),
    seed("batch-malformed-unmentioned", &["BATCH-INVALID"], "malformed addresses are not in notFound", Tell(BATCH, answers::malformed_unmentioned)),
    seed("batch-metrics-null", &["BATCH-METRICS"], "metrics that were not asked for are null", Tell(BATCH, answers::metrics_null)),
    seed("batch-holders-kept", &["BATCH-HOLDERS"], "total_holders is there although it was not asked for", Tell(BATCH, answers::holders_kept)),
    seed("batch-null-links-missing", &["BATCH-SOCIALS"], "links that a token lacks are left out", Tell(BATCH, answers::null_links_missing)),
    seed("batch-flags-linked", &["BATCH-FLAGS"], "two flags off turn off the third", Ask(BATCH, requests::linked_flags)),
    seed("batch-get-without-links", &["BATCH-GET"], "the GET form leaves the links out", Tell(BATCH, answers::get_without_links)),
];
