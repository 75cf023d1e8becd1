//! The tool server over standard input and output, in an environment of ours that can be hostile.
mod calldata;
pub(super) mod conventions;
mod fixture;
mod hostile_rpc;
mod launching;
mod links;
pub(crate) mod manners;
mod pages;
mod protocol;
mod reality;
mod recent;
mod secrets;
mod sent;
mod settings;
mod shape;
mod status;
mod strict;
mod warnings;

use crate::prelude::*;

section! {
    protocol::MCP_TOOLS, conventions::MCP_FORM, shape::MCP_HINTS, launching::MCP_LAUNCH_ARGS, launching::MCP_DEFAULTS, strict::MCP_STRICT, calldata::MCP_CALL, calldata::MCP_GAIN, calldata::MCP_PRECHECK,
    launching::MCP_CONFIRM, launching::MCP_WRITES, launching::MCP_CAP_PREBUY, launching::MCP_CAP_RAISE,
    hostile_rpc::MCP_CAP_GAS, hostile_rpc::MCP_CHAIN_ID, hostile_rpc::MCP_NONCE, hostile_rpc::MCP_RECEIPT,
    launching::MCP_REFERRAL, launching::MCP_RESULT, pages::MCP_LINKS, launching::MCP_PREVIEW, warnings::MCP_PREVIEW_REAL, hostile_rpc::MCP_WALLET,
    status::MCP_STATUS, status::MCP_STATUS_FIGURES, recent::MCP_RECENT, recent::MCP_RECENT_BOUNDS, recent::MCP_RECENT_ARGS, links::MCP_URL_SCHEME, links::MCP_URL_HOST, links::MCP_URL_IP,
    settings::MCP_KEY_FILE, settings::MCP_RPC_URL, settings::MCP_BASE_URL, secrets::MCP_SECRETS, secrets::MCP_QUIET,
    protocol::MCP_READ_ONLY, protocol::MCP_PROTO, sent::MCP_SENT,
}
