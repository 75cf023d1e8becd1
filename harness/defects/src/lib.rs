//! Every seeded defect of the drill and every legal variant, outside what they change. It knows a platform by its addresses, never by
//! its code.
//!
//! The rows are data, in `scenarios/changes`; an act is code that a row names. A layer applies its changes in one place.
mod catalogue;
mod chain;
pub mod changes;
mod defect;
pub mod http;
mod json;
pub mod tool;
pub mod variants;

pub use catalogue::{Defects, UnknownDefect, catalogue};
pub use defect::{Defect, Layer};

/// A client for requests of the proxies' own to these addresses; it reads the system's certificates only where one needs them.
fn client<'a>(mut urls: impl Iterator<Item = &'a url::Url>) -> reqwest::Client {
    slipway_contracts::prepare_http();
    let builder = reqwest::Client::builder().no_proxy();
    let builder = if urls.any(|url| url.scheme() == "https") { builder } else { builder.tls_certs_only([]) };
    builder.build().expect("a client is built where TLS has its cryptography, which was named just now")
}
