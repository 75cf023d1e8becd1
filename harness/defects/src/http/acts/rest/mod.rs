//! Acts of the REST service, a file for each kind.
mod bounds;
mod chat;
mod lists;
mod referral;
mod requests;
mod responses;
mod uploads;

use crate::http::act::Act;

pub(super) use responses::LIST_PARAMETERS;

pub(super) const ACTS: &[&[Act]] =
    &[bounds::ACTS, chat::ACTS, lists::ACTS, referral::ACTS, requests::ACTS, responses::ACTS, uploads::ACTS];
