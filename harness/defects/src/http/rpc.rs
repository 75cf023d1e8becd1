//! The defect of a node: its RPC names another chain.
use super::exchange::{ProxiedResponse, RequestParts};
use super::mutation::Mutation::Anywhere;
use super::mutation::{MutationRow, row};
use crate::variants::node::calls::{add, each_result, method};

pub(in crate::http) const ROWS: &[MutationRow] = &[row!(
    Node,
    "node-other-chain-id",
    &["CH-ID"],
    "the nodes report chain ids that are one too high",
    Anywhere(other_chain_id),
)];

/// The chain id is one too high, in single calls and in batches.
fn other_chain_id(request: &RequestParts, response: &mut ProxiedResponse) {
    each_result(request, response, |call, id| {
        if method(call) == "eth_chainId" {
            add(id, 1);
        }
    });
}
