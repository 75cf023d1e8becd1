//! What is on the chain and how to reach it. Leaves out every decision of the platform: nothing here knows a surface, a store or a clock.

pub mod artifacts;
pub mod bindings;
pub mod compile;
pub mod deploy;
pub mod node;
pub mod toolchain;
pub mod units;

/// Lets HTTP clients be built: one crate of the build asks for TLS without naming who does its cryptography.
pub fn prepare_http() {
    // It is an error to name it twice, and then the first stays.
    drop(rustls::crypto::ring::default_provider().install_default());
}
