//! Reading answers of services: requests and pages, members and their forms, and what a parameter refuses.
pub mod fields;
pub(crate) mod members;
pub(crate) mod pages;
pub(crate) mod reads;
pub(crate) mod refusals;
