//! What the platform offers to writers of clients, used as they use it: with the tools of their languages, installed by npm and
//! pip from lockfiles into the target folder.
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
