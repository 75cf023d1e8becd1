//! The tables in the order of the interface.
mod batch;
mod capabilities;
mod chat;
mod emperor;
mod list;
mod owner;
mod recent;
mod referral;
mod service;
mod token;
mod upload;

use crate::http::consistent;
use crate::http::mutation::MutationRow;

pub(in crate::http) const TABLES: &[&[MutationRow]] = &[
    service::ROWS,
    list::ROWS,
    owner::ROWS,
    batch::ROWS,
    recent::ROWS,
    token::ROWS,
    chat::ROWS,
    upload::ROWS,
    emperor::ROWS,
    capabilities::ROWS,
    referral::ROWS,
    consistent::REST,
];
