//! Defects of `/api/tokens/batch`.
use super::super::{requests, responses};
use crate::http::mutation::Mutation::{Request, Response};
use crate::http::mutation::{Row, row};

const BATCH: &str = "/api/tokens/batch";

#[rustfmt::skip]
pub(in crate::http) const ROWS: &[Row] = &[
    row!(Rest, "batch-any-content-type", &["BATCH-STRICT"], "a body that does not say it is JSON is read", Request(BATCH, requests::any_content_type)),
    row!(Rest, "batch-cut-at-50", &["BATCH-STRICT"], "addresses beyond the fiftieth are cut off instead of refused", Request(BATCH, requests::cut_at_fifty)),
    row!(Rest, "batch-addresses-optional", &["BATCH-REQ"], "without addresses the answer is an empty one", Response(BATCH, responses::batch_of_nothing)),
    row!(Rest, "batch-most-49", &["BATCH-MAX"], "fifty addresses are refused", Response(BATCH, responses::at_most_49)),
    row!(Rest, "batch-errors-missing", &["BATCH-SHAPE"], "errors is left out while it is empty", Response(BATCH, responses::errors_missing)),
    row!(Rest, "batch-errors-of-unknown", &["BATCH-ERRORS"], "addresses that were not found are errors as well", Response(BATCH, |_, response| responses::errors_of_unknown(response))),
    row!(Rest, "batch-last-lost", &["BATCH-FOUND"], "of more than ten addresses the last that is found is lost", Response(BATCH, responses::last_of_many_lost)),
    row!(Rest, "batch-malformed-unmentioned", &["BATCH-INVALID"], "malformed addresses are not in notFound", Response(BATCH, responses::malformed_unmentioned)),
    row!(Rest, "batch-metrics-null", &["BATCH-METRICS"], "metrics that were not asked for are null", Response(BATCH, responses::metrics_null)),
    row!(Rest, "batch-holders-kept", &["BATCH-HOLDERS"], "total_holders is there although it was not asked for", Response(BATCH, responses::holders_kept)),
    row!(Rest, "batch-null-links-missing", &["BATCH-SOCIALS"], "links that a token lacks are left out", Response(BATCH, responses::null_links_missing)),
    row!(Rest, "batch-flags-linked", &["BATCH-FLAGS"], "two flags off turn off the third", Request(BATCH, requests::linked_flags)),
    row!(Rest, "batch-get-without-links", &["BATCH-GET"], "the GET form leaves the links out", Response(BATCH, responses::get_without_links)),
];
