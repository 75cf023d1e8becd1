//! The platform's offers to authors of clients, used with the tools of their languages, which npm and pip install from lockfiles into the
//! target folder.
mod abi;
mod ctrf;
pub(crate) mod documents;
mod examples;
mod installed;
mod launchers;
mod mcp;
mod openapi;
mod quotes;
mod rehearsal;
mod replicas;
pub(crate) mod tools;
mod tutorials;
mod waiting;
