//! Defects of the REST service, a table per section of the interface. The rows of a table apply in their order; the
//! summary of a row describes its mutation.
mod chat;
mod lists;
mod referral;
mod requests;
mod responses;
mod table;
mod uploads;

pub(crate) use lists::past_the_end;
pub(crate) use requests::cut_at_fifty;
pub(crate) use responses::{LIST_PARAMETERS, each_deployment, errors_of_unknown};
pub(in crate::http) use table::TABLES;
