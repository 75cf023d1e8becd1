//! Defects of the service as a whole.
use super::super::{requests, responses};
use crate::http::mutation::Mutation::{Anywhere, Request, Response};
use crate::http::mutation::{Row, row};

const LIST: &str = "/api/tokens";
const BATCH: &str = "/api/tokens/batch";
const TOKEN: &str = "/api/token";
const EOTI: &str = "/api/eoti";

#[rustfmt::skip]
pub(in crate::http) const ROWS: &[Row] = &[
    row!(Rest, "svc-refusal-as-text", &["SVC-ERR"], "refusals are sent as text/plain", Anywhere(responses::refusals_as_text)),
    row!(Rest, "svc-refusal-with-source", &["SVC-ERR"], "refusals carry a trace with a path of the host", Anywhere(responses::refusals_with_source)),
    row!(Rest, "svc-refusal-without-status", &["SVC-ERR"], "the body of a refusal lacks its status", Anywhere(responses::refusals_without_status)),
    row!(Rest, "svc-method-without-allow", &["SVC-METHOD"], "405 comes with an Allow header that names nothing", Anywhere(responses::no_allow)),
    row!(Rest, "svc-method-not-found", &["SVC-METHOD"], "a wrong method on a known path is 404", Anywhere(responses::method_not_found)),
    row!(Rest, "svc-junk-authorization", &["SVC-JUNK-AUTH"], "a junk Authorization header is refused where none is needed", Anywhere(responses::junk_authorization)),
    row!(Rest, "svc-answer-as-text", &["SVC-JSON"], "answers are sent as text/plain", Anywhere(responses::answers_as_text)),
    row!(Rest, "svc-credential-wanted", &["SVC-NOAUTH"], "Emperor, King, chat and referrers want a credential", Anywhere(responses::credential_wanted)),
    row!(Rest, "svc-unknown-parameter", &["SVC-EXTRA"], "the list refuses parameters that it does not know", Response(LIST, responses::unknown_parameter)),
    row!(Rest, "svc-unknown-field", &["SVC-EXTRA"], "the batch refuses body fields that it does not know", Response(BATCH, responses::unknown_field)),
    row!(Rest, "svc-amount-exponent", &["SVC-AMOUNT-CHOSEN"], "round amounts in wei are written with an exponent", Response(TOKEN, responses::amount_with_exponent)),
    row!(Rest, "svc-bid-exponent", &["SVC-AMOUNT"], "startBid is written with an exponent", Response(EOTI, responses::bid_with_exponent)),
    row!(Rest, "svc-time-without-zone", &["SVC-TIME-ZONE"], "created_at does not say its zone", Anywhere(responses::time_without_zone)),
    row!(Rest, "svc-time-with-space", &["SVC-TIME"], "created_at has a space between date and time", Anywhere(responses::time_with_space)),
    row!(Rest, "svc-address-capitals", &["SVC-ADDR"], "an address in capital letters is unknown", Request(TOKEN, requests::capital_address)),
    row!(Rest, "svc-preflight-unanswered", &["SVC-CORS"], "a preflight is not told which methods and headers are allowed", Anywhere(responses::preflight_without_methods)),
    row!(Rest, "svc-refusal-without-origin", &["SVC-CORS"], "refusals lack Access-Control-Allow-Origin", Anywhere(responses::refusals_without_origin)),
    row!(Rest, "svc-search-without-description", &["SVC-FORM"], "the description of a token is null in what a search finds", Response(LIST, responses::no_description_in_searches)),
    row!(Rest, "svc-order-with-volume-text", &["SVC-FORM"], "volume_24h is text in a list that is ordered by market cap", Response(LIST, responses::volume_as_text_by_market_cap)),
];
