//! The seeded defects of the tool server in one table. The hooks by which they act are elsewhere.
use super::faults::Fault;
use crate::defect::{Defect, Layer};

/// What a defect does.
#[derive(Clone, Copy)]
pub(super) enum Effect {
    /// These guards let everything through.
    GuardsOff(&'static [&'static str]),
    /// One of the hooks below misbehaves.
    Fault(Fault),
}

pub(super) struct Seeded {
    pub(super) id: &'static str,
    summary: &'static str,
    clauses: &'static [&'static str],
    pub(super) effect: Effect,
}

const fn seeded(
    id: &'static str,
    clauses: &'static [&'static str],
    effect: Effect,
    summary: &'static str,
) -> Seeded {
    Seeded {
        id,
        summary,
        clauses,
        effect,
    }
}

use Effect::{Fault as Hook, GuardsOff};

pub(super) const SEEDED: &[Seeded] = &[
    seeded(
        "mcp-tool-missing",
        &["MCP-TOOLS"],
        Hook(Fault::ToolMissing),
        "wallet_info is not listed",
    ),
    seeded(
        "mcp-schema-unbounded",
        &["MCP-TOOLS"],
        Hook(Fault::SchemaUnbounded),
        "input schemas state no bounds",
    ),
    seeded(
        "mcp-name-length",
        &["MCP-LAUNCH-ARGS"],
        GuardsOff(&["name-length"]),
        "names of any length pass",
    ),
    seeded(
        "mcp-ticker-length",
        &["MCP-LAUNCH-ARGS"],
        GuardsOff(&["ticker-length"]),
        "tickers of any length pass",
    ),
    seeded(
        "mcp-ticker-dollar",
        &["MCP-LAUNCH-ARGS"],
        GuardsOff(&["ticker-dollar"]),
        "tickers may hold a dollar sign",
    ),
    seeded(
        "mcp-description-length",
        &["MCP-LAUNCH-ARGS"],
        GuardsOff(&["description-length"]),
        "descriptions of any length pass",
    ),
    seeded(
        "mcp-raise-range",
        &["MCP-LAUNCH-ARGS"],
        GuardsOff(&["raise-range"]),
        "any target raise passes",
    ),
    seeded(
        "mcp-gain-range",
        &["MCP-LAUNCH-ARGS"],
        GuardsOff(&["gain-range"]),
        "any gain multiplier passes",
    ),
    seeded(
        "mcp-split-range",
        &["MCP-LAUNCH-ARGS"],
        GuardsOff(&["split-range"]),
        "any fee split passes",
    ),
    seeded(
        "mcp-anti-snipe",
        &["MCP-LAUNCH-ARGS"],
        GuardsOff(&["anti-snipe-choice"]),
        "any anti-snipe duration passes",
    ),
    seeded(
        "mcp-start-past",
        &["MCP-LAUNCH-ARGS"],
        GuardsOff(&["start-past"]),
        "a start in the past passes",
    ),
    seeded(
        "mcp-referral-shape",
        &["MCP-LAUNCH-ARGS"],
        GuardsOff(&["referral-shape"]),
        "any referral code passes",
    ),
    seeded(
        "mcp-default-gain",
        &["MCP-DEFAULTS"],
        Hook(Fault::DefaultGain),
        "the default gain multiplier is 5",
    ),
    seeded(
        "mcp-default-split",
        &["MCP-DEFAULTS"],
        Hook(Fault::DefaultSplit),
        "the default fee split is 10000",
    ),
    seeded(
        "mcp-confirm-ignored",
        &["MCP-CONFIRM"],
        GuardsOff(&["not-confirmed"]),
        "launches need no confirmation",
    ),
    seeded(
        "mcp-writes-open",
        &["MCP-WRITES"],
        GuardsOff(&["writes-disabled"]),
        "launches pass while writes are off",
    ),
    seeded(
        "mcp-prebuy-cap",
        &["MCP-CAP-PREBUY"],
        GuardsOff(&["prebuy-over-cap"]),
        "the prebuy cap is ignored",
    ),
    seeded(
        "mcp-prebuy-raise",
        &["MCP-CAP-PREBUY"],
        GuardsOff(&["prebuy-over-raise"]),
        "a prebuy may exceed the raise",
    ),
    seeded(
        "mcp-raise-cap",
        &["MCP-CAP-RAISE"],
        GuardsOff(&["raise-over-cap"]),
        "the raise cap is ignored",
    ),
    seeded(
        "mcp-gas-cap",
        &["MCP-CAP-GAS"],
        Hook(Fault::GasCapIgnored),
        "the gas price cap is ignored",
    ),
    seeded(
        "mcp-chain-unchecked",
        &["MCP-CHAIN-ID"],
        GuardsOff(&["wrong-chain", "chain-changed"]),
        "any chain is signed for",
    ),
    seeded(
        "mcp-chain-once",
        &["MCP-CHAIN-ID"],
        GuardsOff(&["chain-changed"]),
        "the chain is not asked again before the signature",
    ),
    seeded(
        "mcp-nonce-latest",
        &["MCP-NONCE"],
        Hook(Fault::NonceLatest),
        "pending transactions are not counted",
    ),
    seeded(
        "mcp-receipt-endless",
        &["MCP-RECEIPT"],
        Hook(Fault::WaitTenfold),
        "the receipt is awaited too long",
    ),
    seeded(
        "mcp-broadcast-twice",
        &["MCP-RECEIPT"],
        Hook(Fault::BroadcastTwice),
        "the transaction is sent twice",
    ),
    seeded(
        "mcp-referral-dropped",
        &["MCP-REFERRAL"],
        Hook(Fault::ReferralDropped),
        "referral codes are forgotten",
    ),
    seeded(
        "mcp-result-token",
        &["MCP-RESULT"],
        Hook(Fault::ResultToken),
        "the result names another token",
    ),
    seeded(
        "mcp-preview-fees",
        &["MCP-PREVIEW"],
        Hook(Fault::PreviewFees),
        "previewed creator earnings are doubled",
    ),
    seeded(
        "mcp-wallet-balance",
        &["MCP-WALLET"],
        Hook(Fault::WalletBalance),
        "the balance is one ether too high",
    ),
    seeded(
        "mcp-status-progress",
        &["MCP-STATUS"],
        Hook(Fault::StatusProgress),
        "progress is reported halved",
    ),
    seeded(
        "mcp-recent-raw",
        &["MCP-RECENT"],
        Hook(Fault::RecentRaw),
        "rows of the service pass unread",
    ),
    seeded(
        "mcp-url-scheme",
        &["MCP-URL-SCHEME"],
        GuardsOff(&["url-scheme"]),
        "any scheme passes",
    ),
    seeded(
        "mcp-url-credentials",
        &["MCP-URL-SCHEME"],
        GuardsOff(&["url-credentials"]),
        "credentials in links pass",
    ),
    seeded(
        "mcp-url-reserved",
        &["MCP-URL-HOST"],
        GuardsOff(&["url-reserved"]),
        "reserved host endings pass",
    ),
    seeded(
        "mcp-url-address",
        &["MCP-URL-IP"],
        GuardsOff(&["url-address"]),
        "private addresses pass",
    ),
    seeded(
        "mcp-key-mode",
        &["MCP-KEY-FILE"],
        GuardsOff(&["key-file-mode"]),
        "a readable key file is accepted",
    ),
    seeded(
        "mcp-rpc-userinfo",
        &["MCP-RPC-URL"],
        GuardsOff(&["rpc-userinfo"]),
        "an RPC address may hold a password",
    ),
    seeded(
        "mcp-rpc-query",
        &["MCP-RPC-URL"],
        GuardsOff(&["rpc-query"]),
        "an RPC address may hold a query",
    ),
    seeded(
        "mcp-rpc-fragment",
        &["MCP-RPC-URL"],
        GuardsOff(&["rpc-fragment"]),
        "an RPC address may hold a fragment",
    ),
    seeded(
        "mcp-base-path",
        &["MCP-BASE-URL"],
        GuardsOff(&["base-not-origin"]),
        "the base URL may hold a path",
    ),
    seeded(
        "mcp-secrets-shown",
        &["MCP-SECRETS"],
        Hook(Fault::SecretsShown),
        "nothing is redacted",
    ),
    seeded(
        "mcp-read-needs-writes",
        &["MCP-READ-ONLY"],
        Hook(Fault::ReadNeedsWrites),
        "read-only tools refuse while writes are off",
    ),
    seeded(
        "mcp-garbage-ignored",
        &["MCP-PROTO"],
        Hook(Fault::GarbageIgnored),
        "malformed messages get no answer",
    ),
    seeded(
        "mcp-stdout-banner",
        &["MCP-PROTO"],
        Hook(Fault::StdoutBanner),
        "a greeting is printed on stdout",
    ),
];

/// The table as the catalogue wants it.
pub(crate) const DEFECTS: &[Defect] = &table();

const fn table() -> [Defect; SEEDED.len()] {
    let mut table = [const {
        Defect {
            id: "",
            layer: Layer::ToolServer,
            summary: "",
            clauses: &[],
        }
    }; SEEDED.len()];
    let mut index = 0;
    while index < SEEDED.len() {
        table[index].id = SEEDED[index].id;
        table[index].summary = SEEDED[index].summary;
        table[index].clauses = SEEDED[index].clauses;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::refusal::Refusal;
    use super::*;

    const CLAUSES: [&str; 26] = [
        "MCP-TOOLS",
        "MCP-LAUNCH-ARGS",
        "MCP-DEFAULTS",
        "MCP-CONFIRM",
        "MCP-WRITES",
        "MCP-CAP-PREBUY",
        "MCP-CAP-RAISE",
        "MCP-CAP-GAS",
        "MCP-CHAIN-ID",
        "MCP-NONCE",
        "MCP-RECEIPT",
        "MCP-REFERRAL",
        "MCP-RESULT",
        "MCP-PREVIEW",
        "MCP-WALLET",
        "MCP-STATUS",
        "MCP-RECENT",
        "MCP-URL-SCHEME",
        "MCP-URL-HOST",
        "MCP-URL-IP",
        "MCP-KEY-FILE",
        "MCP-RPC-URL",
        "MCP-BASE-URL",
        "MCP-SECRETS",
        "MCP-READ-ONLY",
        "MCP-PROTO",
    ];

    #[test]
    fn every_clause_has_a_defect_and_every_defect_a_clause() {
        let covered: BTreeSet<&str> = DEFECTS
            .iter()
            .flat_map(|defect| defect.clauses)
            .copied()
            .collect();
        assert_eq!(covered, CLAUSES.into_iter().collect());
        let ids: BTreeSet<&str> = DEFECTS.iter().map(|defect| defect.id).collect();
        assert_eq!(ids.len(), SEEDED.len());
    }

    #[test]
    fn every_guard_that_is_switched_off_exists() {
        const CONFIG_GUARDS: [&str; 6] = [
            "key-file-mode",
            "key-file-link",
            "rpc-userinfo",
            "rpc-query",
            "rpc-fragment",
            "base-not-origin",
        ];
        for seeded in SEEDED {
            if let GuardsOff(guards) = seeded.effect {
                for guard in guards {
                    assert!(
                        Refusal::CODES.contains(guard) || CONFIG_GUARDS.contains(guard),
                        "{guard}"
                    );
                }
            }
        }
    }
}
