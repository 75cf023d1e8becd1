//! What the interface leaves free: values that may be another without anything being wrong, each with the reason.
use slipway_defects::wire::{Mutant, Part, Scope, general};
use slipway_scenarios::fields::{Held, fields};

/// A value, header or part of the frame that nothing fixes.
struct Free {
    service: &'static str,
    /// An endpoint, or what it begins with before a `*`.
    endpoint: &'static str,
    /// A general pointer, or `#header/NAME`.
    place: &'static str,
    /// Kinds of changes; all of them when empty.
    kinds: &'static [&'static str],
    reason: &'static str,
}

/// Changes after which a value is another of the same form.
const OTHER: &[&str] = &["off-by-one", "sign", "last-digit", "other-value", "letter-case", "swapped"];

/// The same, or that there is none.
const OTHER_OR_NONE: &[&str] =
    &["off-by-one", "sign", "last-digit", "other-value", "letter-case", "swapped", "dropped"];

const fn free(
    service: &'static str,
    endpoint: &'static str,
    place: &'static str,
    kinds: &'static [&'static str],
    reason: &'static str,
) -> Free {
    Free { service, endpoint, place, kinds, reason }
}

const TABLE: &[Free] = &[
    free(
        "rest",
        "every endpoint",
        "/**/capabilityRevision",
        OTHER,
        "a revision counts changes from wherever it likes, the same on every endpoint",
    ),
    free("rest", "*", "#header/x-request-id", OTHER, "names the request for people, as they like"),
    free(
        "rest",
        "*",
        "#header/access-control-expose-headers",
        &[],
        "which headers a page may read is no part of the interface",
    ),
    free(
        "swap",
        "*",
        "#header/access-control-expose-headers",
        &[],
        "which headers a page may read is no part of the interface",
    ),
    free(
        "rest",
        "*",
        "#header/access-control-max-age",
        &[],
        "how long a preflight is kept is the browser's and the service's business",
    ),
    free(
        "swap",
        "*",
        "#header/access-control-max-age",
        &[],
        "how long a preflight is kept is the browser's and the service's business",
    ),
    free("rest", "*", "/details", &[], "details of a refusal are words for people, and may be missing"),
    free("swap", "*", "/details", &[], "details of a refusal are words for people, and may be missing"),
    free("rest", "*", "/error", OTHER, "the words of a refusal are for people"),
    free("swap", "*", "/error", OTHER, "the words of a refusal are for people"),
    free(
        "rest",
        "every endpoint",
        "/**/details",
        &[],
        "details of a refusal are words for people, and may be missing",
    ),
    free(
        "node",
        "eth_getCode",
        "/result",
        &["last-digit"],
        "of contracts other than the hooks it only matters that they have code",
    ),
    free(
        "node",
        "eth_call",
        "/result",
        &["last-digit"],
        "the last member of a struct is one that no figure rests on",
    ),
    free(
        "node",
        "eth_call (batch)",
        "/*/result",
        &["last-digit"],
        "the last member of a struct is one that no figure rests on",
    ),
    free("node", "eth_maxPriorityFeePerGas", "/result", OTHER, "a tip is a suggestion of the node"),
    free("node", "*", "/error/message", OTHER, "the words of a node's error are for people"),
    free("node", "*", "/error/code", OTHER, "which number an error has is the node's own"),
    free(
        "node",
        "eth_simulateV1",
        "/result/*",
        &[],
        "of a simulation only whether a call passes and what it returns is used",
    ),
    free("node", "eth_getBlockBy*", "/result/size", &[], "no check is about the size of a block"),
    free("node", "eth_getBlockBy*", "/result/totalDifficulty", &[], "means nothing since the merge"),
    free("node", "*", "/result/blobGasPrice", &[], "a transaction without blobs pays nothing for them"),
    free("node", "eth_estimateGas", "/result", OTHER, "an estimate may be another"),
    free(
        "tool-server",
        "initialize",
        "/result/serverInfo/*",
        OTHER,
        "a server has the name and version it gives itself",
    ),
    free(
        "tool-server",
        "initialize",
        "/result/instructions",
        &[],
        "instructions are words for a model, and may be missing",
    ),
    free(
        "tool-server",
        "*",
        "/result/ttlMs",
        OTHER_OR_NONE,
        "for how long a result holds is the server's choice, and need not be said",
    ),
    free(
        "tool-server",
        "*",
        "/result/cacheScope",
        &["dropped", "other-value"],
        "who may keep a result is the server's choice",
    ),
    free(
        "tool-server",
        "*",
        "/result/resultType",
        &["dropped"],
        "a result that says nothing of its type is whole",
    ),
    free(
        "node",
        "eth_getBalance",
        "/result",
        OTHER,
        "this balance only has to be enough for what is paid from it",
    ),
    free(
        "rest",
        "GET /api/referral/leaderboard",
        "/leaderboard/*/points_earned",
        OTHER,
        "whose trades a stranger's points come from is known to the service alone",
    ),
    free(
        "rest",
        "GET /api/referral/leaderboard",
        "/leaderboard",
        &["cut"],
        "who registered is known to the service alone",
    ),
    free(
        "swap",
        "GET /api/quote",
        "/transaction/gasPrice",
        OTHER,
        "a price of gas between the base fee and twice the usual one is a suggestion",
    ),
    free(
        "swap",
        "GET /api/quote",
        "/transaction/gas",
        OTHER,
        "gas up to twice what is needed is an estimate",
    ),
    free(
        "rest",
        "*",
        "/**/price_change_24h",
        &["last-digit"],
        "a change of price is as exact as the prices, which are whole wei",
    ),
    free(
        "rest",
        "*",
        "/**/price_change_1h",
        &["last-digit"],
        "a change of price is as exact as the prices, which are whole wei",
    ),
    free("tool-server", "*", "/result/isError", &["dropped"], "what is not said to be an error is none"),
    free(
        "tool-server",
        "server/discover",
        "/result/supportedVersions",
        &["swapped"],
        "versions are named in any order",
    ),
    free("rest", "every endpoint", "/**/startBlock", OTHER, "any block before the first launch will do"),
    free(
        "rest",
        "every endpoint",
        "/**/gasPrice",
        OTHER,
        "a price of gas between the base fee and twice the usual one is a suggestion",
    ),
    free(
        "rest",
        "GET /api/leaderboard",
        "/updated_at",
        OTHER,
        "when an answer was made is known only to within its request",
    ),
    free(
        "rest",
        "GET /api/stocks/quote-assets",
        "/quoteAssets",
        &["swapped"],
        "assets are listed in any order",
    ),
    free("rest", "every endpoint", "/**/gas", OTHER, "gas up to twice what is needed is an estimate"),
    free("rest", "every endpoint", "/**/id", OTHER, "an id is any text that names one message"),
    free(
        "swap",
        "GET /api/quote",
        "/priceImpact",
        &["last-digit", "off-by-one"],
        "an impact is exact to nine places",
    ),
    free(
        "swap",
        "GET /api/quote",
        "/lpFee",
        &["last-digit", "off-by-one"],
        "a fee over hops is exact to nine places",
    ),
    free(
        "swap",
        "GET /api/quote",
        "/spotRate",
        &["last-digit", "off-by-one"],
        "a rate over hops is exact to nine places",
    ),
    free(
        "rest",
        "GET /api/referral/leaderboard",
        "/leaderboard/*/total_referrals",
        OTHER,
        "who registered is known to the service alone",
    ),
    free("rest", "*", "/**/price_eth", &["last-digit"], "a price in whole wei is cut or rounded"),
    free(
        "node",
        "*",
        "/result/logs/*/blockTimestamp",
        &["dropped"],
        "the time of a log is that of its block, and need not be said",
    ),
    free(
        "swap",
        "GET /api/quote",
        "/executionRate",
        &["last-digit", "off-by-one"],
        "a rate is exact to nine places",
    ),
    free(
        "node",
        "eth_getLogs",
        "/result/*/transactionIndex",
        OTHER,
        "logs are ordered by block and by their own index",
    ),
    free(
        "node",
        "*",
        "/result/effectiveGasPrice",
        OTHER,
        "what gas cost matters where a balance is compared with it",
    ),
    free(
        "node",
        "eth_getTransactionCount",
        "/result",
        OTHER,
        "how many transactions an account has sent matters where one is signed with it",
    ),
    free(
        "node",
        "eth_sendRawTransactionSync",
        "/result/logs/*/removed",
        &["dropped"],
        "the logs of a receipt are of the chain",
    ),
    free(
        "rest",
        "GET /api/referral/stats",
        "/recent_activity",
        &["cut"],
        "how many activities are recent is the service's choice",
    ),
    free(
        "rest",
        "GET /api/referral/stats",
        "/stats/active_referrals",
        OTHER,
        "who registered is known to the service alone",
    ),
    free(
        "rest",
        "GET /api/referral/stats",
        "/stats/total_referrals",
        OTHER,
        "who registered is known to the service alone",
    ),
    free(
        "rest",
        "GET /api/referral/stats",
        "/top_referrals",
        &["cut"],
        "how many referrals are the best is the service's choice",
    ),
    free("rest", "GET /api/chat", "", &["cut"], "what others posted before is known to the service alone"),
    free(
        "rest",
        "GET /api/referral/stats",
        "/top_referrals/*",
        OTHER,
        "who registered when is known to the service alone",
    ),
    free("node", "*", "/error/data", OTHER, "of an error only what the interface names is compared"),
    free(
        "rest",
        "GET /api/chat",
        "/*/created_at",
        OTHER,
        "when a message was taken is known only to within its request",
    ),
    free(
        "rest",
        "GET /api/referral/leaderboard",
        "/updated_at",
        OTHER,
        "when an answer was made is known only to within its request",
    ),
    free("node", "eth_gasPrice", "/result", OTHER, "a price of gas is a suggestion of the node"),
    free(
        "tool-server",
        "tools/list",
        "/result/tools/*",
        &[],
        "how a schema describes a value, beyond what calls show, is the server's choice",
    ),
    free("swap", "GET /api/tokens", "/*/logoURI", &[], "no contract names a logo"),
];

/// Why the interface lets this be another; none where it does not.
pub(super) fn reason(mutant: &Mutant) -> Option<&'static str> {
    let place = match &mutant.part {
        Part::Body(pointer) => general(pointer),
        Part::Header(name) => format!("#header/{name}"),
        Part::Status => "#status".to_owned(),
    };
    let kind = mutant.kind.to_string();
    let listed = TABLE.iter().find(|free| {
        free.service == mutant.service
            && named(free.endpoint, &mutant.endpoint)
            && fits(free.place, &place)
            && (free.kinds.is_empty() || free.kinds.contains(&kind.as_str()))
    });
    listed.map(|free| free.reason).or_else(|| of_its_form_only(mutant, &place, &kind))
}

/// `*` at the end of a name stands for every one that begins so.
fn named(wanted: &str, endpoint: &str) -> bool {
    wanted.strip_suffix('*').map_or(wanted == endpoint, |start| endpoint.starts_with(start))
}

/// `*` at the end of a pointer stands for all that is below, `**` at its beginning for all that is above.
fn fits(wanted: &str, place: &str) -> bool {
    if let Some(field) = wanted.strip_prefix("/**") {
        return place.ends_with(field);
    }
    wanted.strip_suffix("/*").map_or(wanted == place, |start| place.starts_with(start))
}

/// A field that is held to its form may be any other of that form.
fn of_its_form_only(mutant: &Mutant, place: &str, kind: &str) -> Option<&'static str> {
    if let Scope::Everywhere(name) = &mutant.scope {
        let named: Vec<Held> = fields()
            .into_iter()
            .filter(|field| field.pointer.rsplit('/').next() == Some(name))
            .map(|field| field.held)
            .collect();
        let reason = named.iter().find_map(|held| match held {
            Held::FormOnly(reason) => Some(*reason),
            Held::By(_) => None,
        });
        let all = named.iter().all(|held| matches!(held, Held::FormOnly(_)));
        return reason.filter(|_| all && OTHER.contains(&kind));
    }
    let field = fields().into_iter().find(|field| {
        field.service == mutant.service && field.operation == mutant.endpoint && field.pointer == place
    })?;
    match field.held {
        Held::FormOnly(reason) if OTHER.contains(&kind) => Some(reason),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use slipway_defects::wire::Kind;

    use super::*;

    fn mutant(endpoint: &str, part: Part, kind: Kind) -> Mutant {
        let scope = Scope::Answer(endpoint.to_owned());
        Mutant { service: "rest".to_owned(), endpoint: endpoint.to_owned(), scope, part, kind }
    }

    #[test]
    fn only_what_nothing_fixes_has_a_reason() {
        let body = |pointer: &str| Part::Body(pointer.to_owned());
        let free = |endpoint: &str, part, kind| reason(&mutant(endpoint, part, kind)).is_some();
        assert!(free("GET /api/capabilities", body("/releaseCommit"), Kind::LastDigit));
        assert!(!free("GET /api/capabilities", body("/releaseCommit"), Kind::Nulled));
        assert!(!free("GET /api/capabilities", body("/chainId"), Kind::OffByOne));
        assert!(free("DELETE /api/tokens", body("/error"), Kind::OtherValue("\"x\"".to_owned())));
        assert!(!free("DELETE /api/tokens", body("/error"), Kind::Dropped));
        assert!(!free("DELETE /api/tokens", Part::Header("allow".to_owned()), Kind::Dropped));
        assert!(!free("GET /api/tokens", Part::Status, Kind::Moved));
        let lie = |name: &str| {
            let scope = Scope::Everywhere(name.to_owned());
            reason(&Mutant {
                scope,
                ..mutant("every endpoint", body(&format!("/**/{name}")), Kind::LetterCase)
            })
        };
        assert!(lie("abiFamily").is_some());
        assert!(lie("version").is_none());
    }
}
