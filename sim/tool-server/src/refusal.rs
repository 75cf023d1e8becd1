//! Refusals: every way in which a tool call can fail, each with a stable code, a message, and advice.
use std::time::Duration;

use crate::input::ArgumentError;

/// Declares the refusals: each with a variant, a code, a message and advice.
macro_rules! refusals {
    ($($(#[$doc:meta])* $name:ident $({ $($field:ident: $kind:ty),+ })? = $code:literal, $message:literal, $next:expr;)+) => {
        /// The reason why a tool call was refused or failed.
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        pub(crate) enum Refusal {
            /// An argument does not match its declaration.
            #[error(transparent)]
            Argument(#[from] ArgumentError),
            $($(#[$doc])* #[error($message)] $name $({ $($field: $kind),+ })?,)+
        }

        impl Refusal {
            pub(crate) const fn code(&self) -> &'static str {
                match self {
                    Self::Argument(error) => error.code,
                    $(Self::$name { .. } => $code,)+
                }
            }

            /// The advice to the caller.
            pub(crate) const fn next(&self) -> &'static str {
                match self {
                    Self::Argument(_) => FIX_ARGUMENT,
                    $(Self::$name { .. } => $next,)+
                }
            }

            /// Every refusal that is not about an argument: its code, the pattern of its message, and its advice.
            pub(crate) const ALL: &[(&str, &str, &str)] = &[$(($code, $message, $next)),+];
        }
    };
}

pub(crate) const FIX_ARGUMENT: &str =
    "correct the argument and call the tool again; the input schema states every bound";
const ASK_OPERATOR: &str = "ask the operator of this tool server; the limit is set in its environment";
const TRY_LATER: &str = "nothing was sent; try again later, or check the address the operator has configured";
const CHECK_FIRST: &str = "do not launch again before you have looked the transaction up (launch_status lists it): it may still be mined";
const FIX_LINK: &str = "use a public https address without credentials";

refusals! {
    // The operator's permissions.
    WritesDisabled = "writes-disabled", "launching is disabled on this tool server",
        "the operator enables it with SERVICE_MCP_ENABLE_WRITES=true; preview_launch works without it";
    NotConfirmed = "not-confirmed", "confirm must be the literal text YES",
        "preview the launch, let the user decide, then pass confirm: \"YES\"";
    RaiseOverCap { cap: String } = "raise-over-cap", "targetRaiseEth is above this tool server's cap of {cap} ETH", ASK_OPERATOR;
    PrebuyOverCap { cap: String } = "prebuy-over-cap", "prebuyEth is above this tool server's cap of {cap} ETH", ASK_OPERATOR;

    // Rules for arguments within their declared bounds.
    ArgumentSecret { argument: &'static str } = "argument-secret", "{argument} contains the private key of this tool server",
        "never put keys into arguments: launches are public";
    StartPast { now: u64 } = "start-past", "startTimestamp is in the past: the chain's clock reads {now}", FIX_ARGUMENT;
    PrebuyOverRaise = "prebuy-over-raise", "prebuyEth must not exceed targetRaiseEth", FIX_ARGUMENT;

    // Links.
    UrlMalformed { argument: &'static str } = "url-malformed", "{argument} is not a URL", FIX_LINK;
    UrlLength { argument: &'static str } = "url-length", "{argument} is longer than 2,000 bytes", FIX_LINK;
    UrlScheme { argument: &'static str } = "url-scheme", "{argument} must begin with https://", FIX_LINK;
    UrlCredentials { argument: &'static str } = "url-credentials", "{argument} must not contain credentials", FIX_LINK;
    UrlReserved { argument: &'static str } = "url-reserved", "{argument} names a host under a reserved name", FIX_LINK;
    UrlUnresolved { argument: &'static str } = "url-unresolved", "the host of {argument} does not resolve in DNS",
        "check the spelling of the host, or try again when DNS answers";
    UrlAddress { argument: &'static str } = "url-address", "the host of {argument} has an address that is not public", FIX_LINK;

    // The service.
    ServiceFailed { problem: String } = "service-failed", "the launch service gave no usable response: {problem}", TRY_LATER;
    CapabilitiesChain = "capabilities-chain", "the response of the launch service is for another chain", TRY_LATER;
    CreationOff = "creation-off", "the launch service has switched creation off",
        "nothing was sent; try again when creation is open";
    DeploymentInactive = "deployment-inactive", "the launch service has no active deployment for new launches",
        "nothing was sent; try again when a deployment is active";

    // The chain, before anything is signed.
    RpcFailed { method: &'static str, problem: String } = "rpc-failed", "the RPC failed on {method}: {problem}", TRY_LATER;
    WrongChain { found: u64 } = "wrong-chain", "the RPC serves chain {found}, not 57073",
        "nothing was signed; the operator must point SERVICE_MCP_RPC_URL at chain 57073";
    ChainChanged { found: u64 } = "chain-changed", "the RPC changed its chain to {found} before the signature",
        "nothing was signed; do not trust this RPC";
    HookWithoutCode = "hook-without-code", "there is no contract at the launch hook's address",
        "nothing was sent; the service and the RPC do not describe the same chain";
    BaseFeeOverCap { cap: String } = "base-fee-over-cap", "the base fee is above this tool server's cap of {cap} gwei",
        "nothing was sent; wait for cheaper blocks or ask the operator to raise SERVICE_MCP_MAX_GAS_GWEI";
    GasLimit { found: u64 } = "gas-limit", "the launch would need {found} gas, more than a transaction may use", TRY_LATER;
    WouldRevert { reason: String } = "would-revert", "the launch contract would refuse this launch: {reason}",
        "nothing was sent; change the parameters";
    BalanceShort { needed: String } = "balance-short", "the wallet holds less than the {needed} ETH this launch may cost",
        "nothing was sent; fund the wallet that wallet_info names";

    // The chain, after the signature.
    BroadcastRefused { hash: String, problem: String } = "broadcast-refused",
        "the RPC refused the transaction {hash}: {problem}", CHECK_FIRST;
    BroadcastUnknown { hash: String, problem: String } = "broadcast-unknown",
        "it is unknown whether transaction {hash} was accepted: {problem}", CHECK_FIRST;
    ReceiptTimeout { hash: String, wait: Duration } = "receipt-timeout",
        "transaction {hash} was sent once and is not mined after {wait:?}", CHECK_FIRST;
    Reverted { hash: String, reason: String } = "reverted", "transaction {hash} was mined and reverted: {reason}",
        "no token exists; the fee is spent; preview the launch again";
    EventMissing { hash: String } = "event-missing", "transaction {hash} was mined but announces no launch",
        "look the transaction up before doing anything else";

    // Reading a launch.
    LaunchUnknown = "launch-unknown", "no launch has this id", "recent_launches lists launches with their ids";
    ResponseMalformed { method: &'static str } = "response-malformed", "the RPC's response to {method} cannot be read", TRY_LATER;

    // The tool server itself.
    PlatformFailed { problem: String } = "platform-failed", "the platform of this tool server has not started: {problem}",
        "nothing was sent; the operator starts the tool server again once the problem is solved";
    Crashed = "crashed", "the tool server failed while it ran the tool", "report it with the log; do not repeat a launch unchecked";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Refusal;

    #[test]
    fn codes_are_distinct() {
        let codes: BTreeSet<_> = Refusal::ALL.iter().map(|(code, ..)| code).collect();
        assert_eq!(codes.len(), Refusal::ALL.len());
    }
}
