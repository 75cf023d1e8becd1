//! Golden responses of the services and of the tool server, and tests of the source tree itself.
#![expect(clippy::unwrap_used, reason = "a test fails on the spot")]
mod answers;
mod citations;
mod documents;
mod glossary;
mod golden;
mod imports;
mod links;
mod meaning;
mod packages;
mod revisions;
mod tools;
mod tree;
mod written;
