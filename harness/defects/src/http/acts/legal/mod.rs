//! Acts of legal variants, a file for each kind.
mod cache;
mod errors;
mod figures;
mod http;
mod node;
mod open;
mod shapes;
mod swap;

use crate::http::act::Act;

pub(super) const ACTS: &[&[Act]] = &[
    cache::ACTS,
    errors::ACTS,
    figures::ACTS,
    http::ACTS,
    node::balancer::ACTS,
    node::gateway::ACTS,
    node::logs::ACTS,
    node::methods::ACTS,
    node::rollups::ACTS,
    node::spelling::ACTS,
    open::ACTS,
    shapes::ACTS,
    swap::ACTS,
];
