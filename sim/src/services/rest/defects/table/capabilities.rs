//! Defects of `GET /api/capabilities`.
use super::super::Act::{Ask, Tell};
use super::super::{answers, featured, requests};
use super::{Seed, seed};

const CAPABILITIES: &str = "/api/capabilities";

#[rustfmt::skip]
pub(super) const SEEDS: &[Seed] = &[
    seed("cap-chain-default", &["CAP-CHAIN"], "without a chain the primary one is meant", Ask(CAPABILITIES, requests::default_chain)),
    seed("cap-chain-any", &["CAP-CHAIN"], "an unknown chain is taken for the primary one", Ask(CAPABILITIES, requests::any_chain)),
    seed("cap-permit2-missing", &["CAP-SHAPE"], "the v4 contracts lack permit2", Tell(CAPABILITIES, answers::permit2_missing)),
    seed("cap-cacheable", &["CAP-CACHE"], "the answer may be kept for a minute", Tell(CAPABILITIES, answers::cacheable)),
    seed("cap-hash-of-nothing", &["CAP-HOOK"], "runtimeHash is the hash of no code", Tell(CAPABILITIES, answers::hash_of_nothing)),
    seed("cap-pause-untold", &["CAP-INACTIVE"], "a pause of creation is not told", Tell(CAPABILITIES, answers::pause_untold)),
    seed("cap-hook-unlisted", &["CAP-TRADE"], "the hook of today's launches is not among the tradeable ones", Tell(CAPABILITIES, answers::current_hook_unlisted)),
    seed("cap-first-version-unlisted", &["CAP-TRADE"], "the factory of the first version is not among the tradeable deployments", Tell(CAPABILITIES, featured::v1_unlisted)),
    seed("cap-stock-hooks-unlisted", &["CAP-TRADE"], "the hooks of quote assets are not among the tradeable deployments", Tell(CAPABILITIES, featured::stock_hooks_unlisted)),
];
