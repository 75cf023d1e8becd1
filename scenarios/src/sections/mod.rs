//! The checks, a file per section of the interface.
mod batch;
mod capabilities;
mod chain;
mod chat;
mod emperor;
mod leaderboard;
mod list;
mod owner;
mod recent;
mod referral;
mod service;
mod stocks;
mod swap;
mod token;
mod tool_server;
mod upload;

use crate::check::Check;

/// Every check there is, in the order of the interface.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    let tables: &[&'static [Check]] = &[
        service::CHECKS,
        list::CHECKS,
        owner::CHECKS,
        batch::CHECKS,
        recent::CHECKS,
        token::CHECKS,
        leaderboard::CHECKS,
        emperor::CHECKS,
        chat::CHECKS,
        upload::CHECKS,
        capabilities::CHECKS,
        stocks::CHECKS,
        referral::CHECKS,
        swap::CHECKS,
        chain::CHECKS,
        tool_server::CHECKS,
    ];
    tables.iter().copied().flatten()
}
