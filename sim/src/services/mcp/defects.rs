//! The seeded defects of the tool server in one table. The hooks by which they act are elsewhere.
use super::faults::Fault::{self, *};
use crate::defect::{Defect, Layer};

/// What a defect does.
#[derive(Clone, Copy)]
pub(super) enum Effect {
    /// These guards let everything through.
    GuardsOff(&'static [&'static str]),
    /// One of the hooks misbehaves.
    Hook(Fault),
}

pub(super) struct Seeded {
    pub(super) id: &'static str,
    summary: &'static str,
    clauses: &'static [&'static str],
    pub(super) effect: Effect,
}

use Effect::{GuardsOff, Hook};

/// Spells rows as `"id" effect: "what it does"` under the clause they break.
macro_rules! seeded {
    ($($clause:literal { $($id:literal $kind:ident($effect:expr): $summary:literal,)+ })+) => {
        &[$($(Seeded { id: $id, summary: $summary, clauses: &[$clause], effect: $kind($effect) },)+)+]
    };
}

pub(super) const SEEDED: &[Seeded] = seeded! {
    "MCP-TOOLS" {
        "mcp-tool-missing" Hook(ToolMissing): "wallet_info is not listed",
        "mcp-schema-unbounded" Hook(SchemaUnbounded): "input schemas state no bounds",
        "mcp-version-refused" Hook(VersionRefused): "peers of older protocol versions are refused",
    }
    "MCP-HINTS" {
        "mcp-hints-missing" Hook(HintsMissing): "no tool says whether it only reads",
        "mcp-output-unstated" Hook(OutputUnstated): "tools state no output schemas",
        "mcp-output-untrue" Hook(OutputUntrue): "the wallet's chain id is a text, against its schema",
        "mcp-error-structured" Hook(ErrorStructured): "errors have structured content, against the schema of the output",
        "mcp-advice-missing" Hook(AdviceMissing): "errors do not say what to do next",
    }
    "MCP-LAUNCH-ARGS" {
        "mcp-name-length" GuardsOff(&["name-length"]): "names of any length pass",
        "mcp-ticker-length" GuardsOff(&["ticker-length"]): "tickers of any length pass",
        "mcp-ticker-dollar" GuardsOff(&["ticker-dollar"]): "tickers may hold a dollar sign",
        "mcp-description-length" GuardsOff(&["description-length"]): "descriptions of any length pass",
        "mcp-raise-range" GuardsOff(&["raise-range"]): "any target raise passes",
        "mcp-gain-range" GuardsOff(&["gain-range"]): "any gain multiplier passes",
        "mcp-split-range" GuardsOff(&["split-range"]): "any fee split passes",
        "mcp-anti-snipe" GuardsOff(&["anti-snipe-choice"]): "any anti-snipe duration passes",
        "mcp-start-past" GuardsOff(&["start-past"]): "a start in the past passes",
        "mcp-referral-shape" GuardsOff(&["referral-shape"]): "any referral code passes",
    }
    "MCP-DEFAULTS" {
        "mcp-default-gain" Hook(DefaultGain): "the default gain multiplier is 5",
        "mcp-default-split" Hook(DefaultSplit): "the default fee split is 10000",
        "mcp-default-snipe" Hook(DefaultSnipe): "launches are protected for 20 seconds unless told",
        "mcp-default-prebuy" Hook(DefaultPrebuy): "a hundredth of an ether is bought unless told",
    }
    "MCP-CONFIRM" {
        "mcp-confirm-ignored" GuardsOff(&["not-confirmed"]): "launches need no confirmation",
    }
    "MCP-WRITES" {
        "mcp-writes-open" GuardsOff(&["writes-disabled"]): "launches pass while writes are off",
    }
    "MCP-CAP-PREBUY" {
        "mcp-prebuy-cap" GuardsOff(&["prebuy-over-cap"]): "the prebuy cap is ignored",
        "mcp-prebuy-raise" GuardsOff(&["prebuy-over-raise"]): "a prebuy may exceed the raise",
    }
    "MCP-CAP-RAISE" {
        "mcp-raise-cap" GuardsOff(&["raise-over-cap"]): "the raise cap is ignored",
    }
    "MCP-CAP-GAS" {
        "mcp-gas-cap" Hook(GasCapIgnored): "the gas price cap is ignored",
    }
    "MCP-CHAIN-ID" {
        "mcp-chain-unchecked" GuardsOff(&["wrong-chain", "chain-changed"]): "any chain is signed for",
        "mcp-chain-once" GuardsOff(&["chain-changed"]): "the chain is not asked again before the signature",
    }
    "MCP-NONCE" {
        "mcp-nonce-latest" Hook(NonceLatest): "pending transactions are not counted",
        "mcp-nonce-twice" Hook(NonceTwice): "the pending count is asked again and the later answer used",
    }
    "MCP-RECEIPT" {
        "mcp-receipt-endless" Hook(WaitTenfold): "the receipt is awaited too long",
        "mcp-broadcast-twice" Hook(BroadcastTwice): "the transaction is sent twice",
        "mcp-broadcast-again" Hook(BroadcastAgain): "a transaction without an answer is sent once more",
    }
    "MCP-REFERRAL" {
        "mcp-referral-dropped" Hook(ReferralDropped): "referral codes are forgotten",
    }
    "MCP-RESULT" {
        "mcp-result-token" Hook(ResultToken): "the result names another token",
        "mcp-result-urls" Hook(ResultUrls): "the trade address is another site's",
    }
    "MCP-PREVIEW" {
        "mcp-preview-fees" Hook(PreviewFees): "previewed creator earnings are doubled",
        "mcp-preview-gain" Hook(PreviewGain): "the previewed gain is a basis point too high",
        "mcp-preview-variable" Hook(PreviewVariable): "the variable fee is told as a share of all volume",
        "mcp-preview-call" Hook(PreviewCall): "the previewed call is not the one that is sent",
        "mcp-preview-confirm" Hook(PreviewConfirm): "a preview must be confirmed",
    }
    "MCP-WALLET" {
        "mcp-wallet-balance" Hook(WalletBalance): "the balance is one ether too high",
        "mcp-wallet-panics" Hook(WalletPanics): "wallet_info panics with the RPC's address in its message",
    }
    "MCP-STATUS" {
        "mcp-status-progress" Hook(StatusProgress): "progress is reported halved",
    }
    "MCP-RECENT" {
        "mcp-recent-raw" Hook(RecentRaw): "rows of the service pass unread",
        "mcp-recent-links" Hook(RecentLinks): "links of the service are not judged",
        "mcp-recent-clip" Hook(RecentClip): "texts of the service are not clipped",
        "mcp-recent-marks" Hook(RecentMarks): "controls and bidirectional marks pass",
        "mcp-recent-endless" Hook(RecentEndless): "answers of any size are read to their end",
        "mcp-recent-patient" Hook(RecentPatient): "a slow service is waited for too long",
    }
    "MCP-URL-SCHEME" {
        "mcp-url-scheme" GuardsOff(&["url-scheme"]): "any scheme passes",
        "mcp-url-credentials" GuardsOff(&["url-credentials"]): "credentials in links pass",
    }
    "MCP-URL-HOST" {
        "mcp-url-reserved" GuardsOff(&["url-reserved"]): "reserved host endings pass",
        "mcp-url-dot" Hook(DotForgotten): "a final dot hides a reserved ending",
        "mcp-url-lookalike" Hook(HostAsWritten): "reserved endings are compared as written",
    }
    "MCP-URL-IP" {
        "mcp-url-address" GuardsOff(&["url-address"]): "private addresses pass",
        "mcp-url-unresolved" GuardsOff(&["url-unresolved"]): "hosts that do not resolve pass",
        "mcp-url-mixed" Hook(OneIsEnough): "one public address among others is enough",
        "mcp-url-remembered" Hook(LinksRemembered): "a link judged once is never judged again",
        "mcp-url-shared" Hook(SharedPublic): "carrier-grade NAT counts as public",
        "mcp-url-local6" Hook(LocalSixPublic): "unique-local and link-local IPv6 count as public",
        "mcp-url-mapped" Hook(MappedPublic): "mapped IPv4 counts as public",
        "mcp-url-translated" Hook(TranslatedPublic): "NAT64 counts as public",
    }
    "MCP-KEY-FILE" {
        "mcp-key-mode" GuardsOff(&["key-file-mode"]): "a readable key file is accepted",
        "mcp-key-link" GuardsOff(&["key-file-link", "key-file-mode"]): "a link to a readable key file is followed",
        "mcp-key-fallback" Hook(KeyFallback): "the raw key stands in for a file that cannot be used",
        "mcp-key-raw-first" Hook(KeyRawFirst): "the raw key comes before the file",
    }
    "MCP-RPC-URL" {
        "mcp-rpc-userinfo" GuardsOff(&["rpc-userinfo"]): "an RPC address may hold a password",
        "mcp-rpc-query" GuardsOff(&["rpc-query"]): "an RPC address may hold a query",
        "mcp-rpc-fragment" GuardsOff(&["rpc-fragment"]): "an RPC address may hold a fragment",
    }
    "MCP-BASE-URL" {
        "mcp-base-path" GuardsOff(&["base-not-origin"]): "the base URL may hold a path",
    }
    "MCP-SECRETS" {
        "mcp-secrets-shown" Hook(SecretsShown): "nothing is redacted",
        "mcp-log-raw" Hook(LogRaw): "the log is not redacted",
        "mcp-escapes-unread" Hook(EscapesUnread): "secrets behind escapes are not seen",
    }
    "MCP-READ-ONLY" {
        "mcp-read-needs-writes" Hook(ReadNeedsWrites): "read-only tools refuse while writes are off",
    }
    "MCP-PROTO" {
        "mcp-garbage-ignored" Hook(GarbageIgnored): "malformed messages get no answer",
        "mcp-stdout-banner" Hook(StdoutBanner): "a greeting is printed on stdout",
        "mcp-launches-race" Hook(LaunchesRace): "launches at the same time do not take turns",
        "mcp-calls-queue" Hook(CallsQueue): "a call waits until the one before is done",
        "mcp-cancel-deaf" Hook(CancelDeaf): "a cancelled call goes on",
    }
};

/// The table as the catalogue wants it.
pub(crate) const DEFECTS: &[Defect] = &table();

const fn table() -> [Defect; SEEDED.len()] {
    let mut table =
        [const { Defect { id: "", layer: Layer::ToolServer, summary: "", clauses: &[] } }; SEEDED.len()];
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

    const CLAUSES: [&str; 27] = [
        "MCP-TOOLS",
        "MCP-HINTS",
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
        let covered: BTreeSet<&str> = DEFECTS.iter().flat_map(|defect| defect.clauses).copied().collect();
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
                    assert!(Refusal::CODES.contains(guard) || CONFIG_GUARDS.contains(guard), "{guard}");
                }
            }
        }
    }
}
