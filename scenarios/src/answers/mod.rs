//! Reads answers of services: requests and pages, members and their shapes, and the values that parameters reject.
pub mod fields;
pub(crate) mod members;
pub(crate) mod pages;
pub(crate) mod reads;
pub(crate) mod refusals;
