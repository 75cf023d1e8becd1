//! What measurements compare, and the proof that the compared answers are equal. Leaves out the measuring itself, which lies in `benches/`.
pub mod evm;
pub mod states;

/// Lets HTTP clients be built: one crate of the build asks for TLS without naming who does its cryptography.
pub fn prepare_http() {
    // It is an error to name it twice, and then the first stays.
    drop(rustls::crypto::ring::default_provider().install_default());
}
