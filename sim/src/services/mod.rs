//! The services of the platform: they only translate between a wire format and the API.
pub mod body;
pub mod control;
pub mod documents;
pub mod http;
pub mod input;
pub mod openapi;
pub mod pages;
pub mod refusal;
pub mod rest;
pub mod swap;
