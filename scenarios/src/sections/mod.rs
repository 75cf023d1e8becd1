//! The clauses and their checks, a file or folder for each section of the interface.
mod batch;
mod capabilities;
pub(crate) mod chain;
pub(crate) mod chat;
mod emperor;
mod leaderboard;
mod list;
pub(crate) mod meaning;
mod owner;
mod recent;
mod referral;
mod service;
mod stocks;
mod swap;
mod token;
pub(crate) mod tool_server;
mod upload;

use crate::trial::check::Check;
use crate::trial::clause::Clause;

/// The sections of the interface, with their clauses.
static SECTIONS: &[(&str, &[&[&Clause]])] = &[
    ("every endpoint", &[service::CLAUSES]),
    ("GET /api/tokens", &[list::CLAUSES]),
    ("GET /api/tokens/by-owner", &[owner::CLAUSES]),
    ("/api/tokens/batch", &[batch::CLAUSES]),
    ("GET /api/tokens/recent-v2", &[recent::CLAUSES]),
    ("GET /api/token", &[token::CLAUSES, &[&chain::creation::TOKEN_AFTER_LAUNCH]]),
    ("leaderboard, Emperor, King", &[leaderboard::CLAUSES, emperor::CLAUSES]),
    ("/api/chat", &[chat::CLAUSES]),
    ("POST /api/upload", &[upload::CLAUSES]),
    ("GET /api/capabilities", &[capabilities::CLAUSES]),
    ("GET /api/stocks/quote-assets", &[stocks::CLAUSES]),
    ("/api/referral", &[referral::CLAUSES]),
    ("swap service", &[swap::CLAUSES]),
    ("chain", &[chain::CLAUSES]),
    ("tool server", &[tool_server::CLAUSES]),
    ("meaning", &[meaning::CLAUSES]),
];

/// Returns every section of the interface with its clauses, in the order of the interface.
pub fn sections() -> impl Iterator<Item = (&'static str, Vec<&'static Clause>)> {
    SECTIONS.iter().map(|(title, lists)| (*title, lists.iter().copied().flatten().copied().collect()))
}

/// Returns every clause, in the order of the interface.
pub fn clauses() -> impl Iterator<Item = &'static Clause> {
    sections().flat_map(|(_, clauses)| clauses)
}

/// Returns the clause with this id.
#[must_use]
pub fn clause(id: &str) -> Option<&'static Clause> {
    clauses().find(|clause| clause.id == id)
}

/// Returns every check, in the order of the interface.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    clauses().flat_map(|clause| clause.checks)
}
