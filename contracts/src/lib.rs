//! The contracts on the chain, and access to it. Makes no decision of the platform: nothing here knows an API, a store or a clock.

pub mod artifacts;
pub mod bindings;
mod chain_id;
pub mod compile;
pub mod decode;
pub mod deploy;
mod file;
pub mod node;
mod quantity;
pub mod toolchain;

pub use chain_id::ChainId;
pub use file::{
    GENERATED, WRITTEN, create, read_bounded, read_text, require_regular, require_writable_whole, write,
    write_whole,
};
pub use quantity::{Quantity, Span};

use reqwest::{ClientBuilder, Url};

/// A client builder for one address. It ignores proxies of the environment, which must not come between this process and a node or service
/// whose address it was given.
pub fn http_client(url: &Url) -> ClientBuilder {
    prepare_http();
    let builder = ClientBuilder::new().no_proxy();
    if url.scheme() == "https" {
        builder
    } else {
        // Reading the system's certificates takes a third of the time a node needs to start.
        builder.tls_certs_only([])
    }
}

/// Makes it possible to build HTTP clients: one crate of the build uses TLS without choosing a crypto provider.
pub fn prepare_http() {
    // Installing a provider twice is an error, and the first one stays.
    drop(rustls::crypto::ring::default_provider().install_default());
}
