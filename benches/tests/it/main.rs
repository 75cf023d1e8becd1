//! Equality of the native curve with a slow reference, a virtual machine in this process, a node's answers and amounts really moved. One binary.
#![expect(clippy::unwrap_used, reason = "a test fails where it stands")]
mod chain;
mod edges;
mod laws;
mod machine;
mod million;
mod reference;
mod sequences;
mod trades;
mod v1;
