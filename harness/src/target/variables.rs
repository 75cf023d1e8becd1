//! The environment variables that tell a program how to reach a platform.
use serde_json::Value;
use slipway_contracts::ChainId;

use crate::error::Fatal;

/// A user's program cannot be run.
#[derive(Debug, thiserror::Error)]
#[error("the command {program:?} cannot be run: {source}; give the path of a program, or one on PATH")]
pub(crate) struct SpawnError {
    pub(crate) program: String,
    pub(crate) source: std::io::Error,
}

impl Fatal for SpawnError {}

/// The variables that describe a platform to a program; the tool server's own variables refer to it too.
pub(crate) fn environment(ready: &Value) -> Vec<(String, String)> {
    let mut variables = vec![("SLIPWAY_READY".to_owned(), ready.to_string())];
    // A null or absent value, for example of a disabled control plane, sets no variable.
    let mut add = |name: &str, value: &Value| {
        variables.extend(value.as_str().map(|text| (name.to_owned(), text.to_owned())));
    };
    add("SLIPWAY_BASE_URL", &ready["baseUrl"]);
    add("SLIPWAY_SWAP_URL", &ready["swapBaseUrl"]);
    add("SLIPWAY_OPERATOR_KEY", &ready["operatorKey"]);
    add("SLIPWAY_CONTROL_URL", &ready["controlUrl"]);
    add("SLIPWAY_CONTROL_TOKEN", &ready["controlToken"]);
    add("SERVICE_BASE_URL", &ready["baseUrl"]);
    for chain in ready["chains"].as_array().into_iter().flatten() {
        let id = &chain["chainId"];
        add(&format!("SLIPWAY_RPC_URL_{id}"), &chain["rpcUrl"]);
        add(&format!("SLIPWAY_HOOK_{id}"), &chain["hook"]);
        if *id == ChainId::PRIMARY.0 {
            add("SERVICE_MCP_RPC_URL", &chain["rpcUrl"]);
        }
    }
    // The program that a launcher inside the command, or a second program, should start.
    if let Ok(own) = std::env::current_exe() {
        add("SLIPWAY_BIN", &own.display().to_string().into());
    }
    add("SLIPWAY_ACCOUNT", &ready["accounts"][0]["address"]);
    add("SLIPWAY_PRIVATE_KEY", &ready["accounts"][0]["privateKey"]);
    variables
}
