//! The acts that rows of HTTP layers name: acts of defects by service, and acts of legal variants.
mod legal;
mod node;
mod rest;
mod swap;

use super::act::Act;

/// The act of this name.
pub(crate) fn named(name: &str) -> Option<&'static Act> {
    all().find(|act| act.name == name)
}

pub(crate) fn all() -> impl Iterator<Item = &'static Act> {
    rest::ACTS.iter().chain(legal::ACTS).copied().flatten().chain(swap::ACTS).chain(node::ACTS)
}
