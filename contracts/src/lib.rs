//! What is on the chain and how to reach it. Leaves out every decision of the platform: nothing here knows a surface, a store or a clock.

pub mod artifacts;
pub mod bindings;
mod chain_id;
pub mod compile;
pub mod deploy;
mod file;
pub mod node;
pub mod toolchain;

pub use chain_id::ChainId;
pub use file::write_whole;

use reqwest::{ClientBuilder, Url};

/// What a client for one address begins with. It uses no proxy of the environment: that has no business between this
/// process and a node or service whose address it was given.
pub fn http_client(url: &Url) -> ClientBuilder {
    prepare_http();
    let builder = ClientBuilder::new().no_proxy();
    if url.scheme() == "https" {
        builder
    } else {
        // Reading the system's certificates takes as long as a third of the start of a node.
        builder.tls_certs_only([])
    }
}

/// Lets HTTP clients be built: one crate of the build asks for TLS without naming who does its cryptography.
pub fn prepare_http() {
    // It is an error to name it twice, and then the first stays.
    drop(rustls::crypto::ring::default_provider().install_default());
}
