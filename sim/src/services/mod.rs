//! The services of the platform: they only translate between a wire format and the API.
pub(crate) mod body;
pub(crate) mod control;
pub(crate) mod elsewhere;
pub(crate) mod guard;
pub(crate) mod http;
pub(crate) mod input;
mod kept;
pub(crate) mod openapi;
pub(crate) mod pages;
pub(crate) mod refusal;
pub(crate) mod rest;
pub(crate) mod swap;
