//! What holds for every endpoint: bodies, refusals, methods, credentials, amounts, times, addresses, other origins.
mod answers;
mod endpoints;
mod http_semantics;
mod refusals;
mod values;

pub(crate) use answers::{SVC_CHOSEN, SVC_FORM};
pub(crate) use refusals::SVC_ERR;

use crate::prelude::*;

section! {
    http_semantics::SVC_JSON, refusals::SVC_ERR, refusals::SVC_METHOD, http_semantics::SVC_NOAUTH,
    http_semantics::SVC_EXTRA, values::SVC_AMOUNT, values::SVC_TIME, values::SVC_ADDR,
    http_semantics::SVC_CORS, answers::SVC_FORM, answers::SVC_CHOSEN,
}
