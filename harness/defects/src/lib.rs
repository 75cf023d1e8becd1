//! Applies every seeded defect of the drill and every legal variant outside what it changes. It knows a platform by its addresses, never by
//! its code.
//!
//! The rows are data, in `scenarios/changes`; an act is code named by a row. Each layer applies its changes in one place.
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

/// Largest response read as a whole, in bytes.
pub(crate) const LARGEST_RESPONSE: usize = 16 << 20;

/// The JSON of a response up to that size, or the reason why it cannot be read.
async fn json_of(mut response: reqwest::Response) -> Result<serde_json::Value, String> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| error.to_string())? {
        if body.len() + piece.len() > LARGEST_RESPONSE {
            return Err(format!("it is larger than {} MiB", LARGEST_RESPONSE >> 20));
        }
        body.extend_from_slice(&piece);
    }
    serde_json::from_slice(&body).map_err(|error| error.to_string())
}

/// A client for the proxies' own requests to these addresses; reads the system's certificates only if an address needs them.
fn client<'a>(mut urls: impl Iterator<Item = &'a url::Url>) -> reqwest::Client {
    slipway_contracts::prepare_http();
    let builder = reqwest::Client::builder().no_proxy();
    let builder = if urls.any(|url| url.scheme() == "https") { builder } else { builder.tls_certs_only([]) };
    builder.build().expect("a client is built where TLS has its cryptography, which was named just now")
}
