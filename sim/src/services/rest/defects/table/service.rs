//! Defects of the service as a whole.
use super::super::Act::{Ask, Everywhere, Tell};
use super::super::{answers, requests};
use super::{Seed, seed};

const LIST: &str = "/api/tokens";
const BATCH: &str = "/api/tokens/batch";
const TOKEN: &str = "/api/token";

#[rustfmt::skip]
pub(super) const SEEDS: &[Seed] = &[
    seed("svc-refusal-as-text", &["SVC-JSON"], "refusals are sent as text/plain", Everywhere(answers::refusals_as_text)),
    seed("svc-refusal-with-source", &["SVC-ERR"], "refusals carry a trace with a path of the host", Everywhere(answers::refusals_with_source)),
    seed("svc-refusal-without-status", &["SVC-ERR"], "the body of a refusal lacks its status", Everywhere(answers::refusals_without_status)),
    seed("svc-method-without-allow", &["SVC-METHOD"], "405 comes with an Allow header that names nothing", Everywhere(answers::no_allow)),
    seed("svc-method-not-found", &["SVC-METHOD"], "a wrong method on a known path is 404", Everywhere(answers::method_not_found)),
    seed("svc-junk-authorization", &["SVC-NOAUTH"], "a junk Authorization header is refused where none is needed", Everywhere(answers::junk_authorization)),
    seed("svc-unknown-parameter", &["SVC-EXTRA"], "the list refuses parameters that it does not know", Tell(LIST, answers::unknown_parameter)),
    seed("svc-unknown-field", &["SVC-EXTRA"], "the batch refuses body fields that it does not know", Tell(BATCH, answers::unknown_field)),
    seed("svc-amount-exponent", &["SVC-AMOUNT"], "round amounts in wei are written with an exponent", Tell(TOKEN, answers::amount_with_exponent)),
    seed("svc-time-without-zone", &["SVC-TIME"], "created_at does not say its zone", Everywhere(answers::time_without_zone)),
    seed("svc-address-capitals", &["SVC-ADDR"], "an address in capital letters is unknown", Ask(TOKEN, requests::capital_address)),
    seed("svc-preflight-unanswered", &["SVC-CORS"], "a preflight is not told which methods and headers are allowed", Everywhere(answers::preflight_without_methods)),
    seed("svc-refusal-without-origin", &["SVC-CORS"], "refusals lack Access-Control-Allow-Origin", Everywhere(answers::refusals_without_origin)),
];
