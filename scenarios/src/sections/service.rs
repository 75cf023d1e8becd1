//! Rules for every endpoint: bodies, refusals, methods, credentials, amounts, times, addresses, other origins.
pub(super) mod answers;
mod endpoints;
mod http_semantics;
pub(super) mod limits;
pub(super) mod refusals;
pub(super) mod values;

use crate::prelude::*;

section! {
    http_semantics::SVC_JSON, refusals::SVC_ERR, refusals::SVC_METHOD, limits::SVC_LIMITS,
    http_semantics::SVC_NOAUTH, http_semantics::SVC_JUNK_AUTH, http_semantics::SVC_EXTRA, values::SVC_AMOUNT,
    values::SVC_AMOUNT_CHOSEN, values::SVC_TIME, values::SVC_TIME_ZONE, values::SVC_ADDR, http_semantics::SVC_CORS,
    answers::SVC_FORM, answers::SVC_CHOSEN,
}
