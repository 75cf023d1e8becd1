//! The control-plane calls that checks make: what each takes and returns, and which checks need it.

/// A call of the control plane.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The HTTP method.
    pub method: &'static str,
    /// The path, with parameters in braces.
    pub path: &'static str,
    /// The members of the JSON body, or the parameters of the query.
    pub request: &'static str,
    /// The part of the answer that is read.
    pub answer: &'static str,
    /// Its purpose.
    pub purpose: &'static str,
    /// The checks that are skipped without it, by id or by a prefix with `*`; empty if no check is.
    pub needed_by: &'static [&'static str],
}

const POSTS: &[&str] = &[
    "chat-get-array",
    "chat-pages",
    "chat-fields",
    "chat-read-back",
    "chat-length*",
    "chat-signature*",
    "chat-captcha-*",
    "chat-credential*",
    "chat-rate",
    "service-limits-of-chat",
    "upload-*",
    "fig-chat*",
    "fig-upload",
];
const REFERRALS: &[&str] = &[
    "referral-access",
    "referral-credentials",
    "referral-scheme",
    "referral-code-*",
    "referral-register*",
    "referral-stats-*",
    "referral-read-limit",
    "referral-leaderboard",
    "referral-points-*",
    "referral-reward-*",
    "service-limits-of-referrals",
    "fig-ref",
    "fig-periods",
    "fig-credit",
];
const TIMES: &[&str] = &[
    "chat-read-back",
    "chat-captcha-once",
    "chat-rate",
    "fig-chat",
    "fig-upload",
    "upload-captcha",
    "upload-rate-*",
    "referral-code-*",
    "referral-credentials",
    "referral-read-limit",
    "referral-register-limit",
    "service-limits-of-*",
    "eoti-epochs",
    "fig-ref",
    "fig-periods",
    "fig-credit",
];
const WINDOWS: &[&str] = &[
    "referral-credentials",
    "referral-code-*",
    "referral-register*",
    "referral-stats-sums",
    "referral-read-limit",
    "referral-leaderboard",
    "referral-leaderboard-ages",
    "referral-points-*",
    "referral-refusals",
    "service-limits-of-*",
    "chat-rate",
    "upload-rate-*",
    "fig-ref",
    "fig-periods",
    "fig-credit",
];
const EDGES: &[&str] = &[
    "chat-captcha-once",
    "chat-rate",
    "upload-captcha",
    "upload-rate-*",
    "referral-code-limit",
    "referral-read-limit",
    "referral-register-limit",
    "service-limits-of-*",
    "eoti-epochs",
    "fig-ref",
];

impl Call {
    /// Whether a check is skipped without this call.
    pub(crate) fn is_needed_by(&self, check: &str) -> bool {
        let names = |id: &&str| id.strip_suffix('*').map_or(*id == check, |begin| check.starts_with(begin));
        self.needed_by.iter().any(names)
    }
}

/// Path of the call that mints captcha tokens.
pub(crate) const CAPTCHAS: &str = "/_sim/captchas";
/// Path of the call that issues bearer tokens.
pub(crate) const BEARERS: &str = "/_sim/bearers";

/// Every call, in the order in which a platform would offer them.
pub const CALLS: &[Call] = &[
    Call {
        method: "GET",
        path: "/_sim/clock",
        request: "",
        answer: "`now`: Unix seconds of the platform",
        purpose: "the time that figures, limits and captchas are judged by",
        needed_by: TIMES,
    },
    Call {
        method: "GET",
        path: "/_sim/indexed",
        request: "`chainId`, `block`",
        answer: "200 once the services show that block",
        purpose: "what follows a transaction is read after it; without it the services are asked until they show it",
        needed_by: &[],
    },
    Call {
        method: "POST",
        path: CAPTCHAS,
        request: "`ttlSeconds`, or nothing",
        answer: "`token`; `expiresAt` in Unix seconds where a lifetime is asked for",
        purpose: "a fresh captcha token, unless `captcha-command` prints it",
        needed_by: POSTS,
    },
    Call {
        method: "POST",
        path: BEARERS,
        request: "`address`",
        answer: "`token`",
        purpose: "a bearer token of a wallet, unless `bearer-command` prints it",
        needed_by: REFERRALS,
    },
    Call {
        method: "POST",
        path: "/_sim/clock/advance",
        request: "`seconds`",
        answer: "`now`",
        purpose: "limits end at once; without it a refused request waits",
        needed_by: WINDOWS,
    },
    Call {
        method: "POST",
        path: "/_sim/clock/set",
        request: "`timestamp`",
        answer: "`now`",
        purpose: "the last second of a captcha, of a limit, of an epoch",
        needed_by: EDGES,
    },
    Call {
        method: "POST",
        path: "/_sim/checkpoints",
        request: "",
        answer: "`id`",
        purpose: "a state to return to; checks that write are undone with it",
        needed_by: &["eoti-epochs", "koti-succession"],
    },
    Call {
        method: "POST",
        path: "/_sim/checkpoints/{id}/revert",
        request: "",
        answer: "200, and everything is as it was",
        purpose: "the return",
        needed_by: &["eoti-epochs", "koti-succession"],
    },
    Call {
        method: "PUT, DELETE",
        path: "/_sim/faults/{name}",
        request: "`path`, `effect`; `service`, `method`, `nth`, `times`",
        answer: "200; `hits` when it is taken back",
        purpose: "a fault of a play",
        needed_by: &[],
    },
    Call {
        method: "POST",
        path: "/_sim/captcha-auths",
        request: "`chainId`, `trader`, `launchId`",
        answer: "`deadline`, `nonce`, `signature`",
        purpose: "a proof that lets an account trade in the anti-snipe window of a launch",
        needed_by: &["chain-anti-snipe"],
    },
    Call {
        method: "PUT, DELETE",
        path: "/_sim/creation-paused",
        request: "`chainId`",
        answer: "200",
        purpose: "no launch is taken, then again",
        needed_by: &["capabilities-paused"],
    },
    Call {
        method: "PUT, DELETE",
        path: "/_sim/tokens/{address}/disabled",
        request: "",
        answer: "200",
        purpose: "a token is hidden, then shown again",
        needed_by: &["owner-inactive", "koti-succession"],
    },
    Call {
        method: "GET",
        path: "/_sim/conventions",
        request: "",
        answer: "`chatMessage`, `operatorHeader`, `walletMessage`, `walletAuthorization`",
        purpose: "what the target file does not declare",
        needed_by: &[],
    },
    Call {
        method: "GET",
        path: "/_sim/journal",
        request: "`after`, `requestId`",
        answer: "`entries` with `method`, `path`, `status`, `cause` and `requestId`; `last`",
        purpose: "a refusal is of the rule that was broken",
        needed_by: &[],
    },
    Call {
        method: "GET",
        path: "/_sim/ready",
        request: "",
        answer: "a status below 500",
        purpose: "`--wait`",
        needed_by: &[],
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use super::CALLS;

    /// Collects every control-plane path in the sources below a folder, with one name for every parameter.
    fn paths(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                paths(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && !path.ends_with("client/calls.rs")
            {
                let text = std::fs::read_to_string(&path).unwrap();
                let parts = text.split("\"/_sim/").skip(1);
                found.extend(parts.map(|part| plain(&format!("/_sim/{}", part.split('"').next().unwrap()))));
            }
        }
    }

    fn plain(path: &str) -> String {
        let parts = path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
        parts.collect::<Vec<_>>().join("/")
    }

    #[test]
    fn every_call_that_checks_make_is_listed() {
        let sources = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut called = BTreeSet::new();
        paths(&sources, &mut called);
        // The command, too, waits for a target to be ready.
        called.insert("/_sim/ready".to_owned());
        let listed: BTreeSet<String> = CALLS.iter().map(|call| plain(call.path)).collect();
        assert_eq!(listed, called);
    }
}
