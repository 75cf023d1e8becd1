//! Defects of `GET /api/capabilities`.
use serde_json::json;

use super::super::{requests, responses};
use crate::http::exchange::remove;
use crate::http::mutation::Mutation::{Request, Response};
use crate::http::mutation::{MutationRow, row};

const CAPABILITIES: &str = "/api/capabilities";

#[rustfmt::skip]
pub(in crate::http) const ROWS: &[MutationRow] = &[
    row!(Rest, "cap-chain-default", &["CAP-CHAIN"], "without a chain the primary one is meant", Request(CAPABILITIES, |request| request.default("chainId", "57073"))),
    row!(Rest, "cap-chain-any", &["CAP-CHAIN"], "an unknown chain is taken for the primary one", Request(CAPABILITIES, requests::any_chain)),
    row!(Rest, "cap-permit2-missing", &["CAP-PARTS"], "the v4 contracts lack permit2", Response(CAPABILITIES, responses::permit2_missing)),
    row!(Rest, "cap-status-missing", &["CAP-SHAPE"], "the active deployment has no status", Response(CAPABILITIES, |_, response| remove(&mut response.body["activeCreationDeployment"], "status"))),
    row!(Rest, "cap-cacheable", &["CAP-CACHE"], "the answer may be kept for a minute", Response(CAPABILITIES, |_, response| if response.is_ok() { response.header("cache-control", "private, max-age=60") })),
    row!(Rest, "cap-hash-of-nothing", &["CAP-CODE"], "runtimeHash is the hash of no code", Response(CAPABILITIES, responses::hash_of_nothing)),
    row!(Rest, "cap-hook-nowhere", &["CAP-HOOK"], "there is no code at the active hook", Response(CAPABILITIES, |_, response| responses::set_hook(response, "0x000000000000000000000000000000000000dEaD".into()))),
    row!(Rest, "cap-hook-of-stock", &["STOCK-HOOKS"], "the active hook is one of a tokenized stock", Response(CAPABILITIES, responses::hook_of_stock)),
    row!(Rest, "cap-pause-untold", &["CAP-INACTIVE"], "a pause of creation is not reported", Response(CAPABILITIES, |_, response| if response.is_ok() { response.body["flags"]["create"] = json!(true); response.body["activeCreationDeployment"]["status"] = "active".into(); })),
    row!(Rest, "cap-hook-unlisted", &["CAP-TRADE"], "the hook of today's launches is not among the tradeable ones", Response(CAPABILITIES, responses::current_hook_unlisted)),
    row!(Rest, "cap-first-version-unlisted", &["CAP-TRADE"], "the V1 factory is not among the tradeable deployments", Response(CAPABILITIES, |_, response| responses::unlist(response, |deployment| deployment["version"] == "v1"))),
    row!(Rest, "cap-stock-hooks-unlisted", &["CAP-TRADE"], "the hooks of quote assets are not among the tradeable deployments", Response(CAPABILITIES, |_, response| responses::unlist(response, |deployment| !deployment["quoteAsset"].is_null()))),
    row!(Rest, "cap-parts-exchanged", &["FIG-KINDS"], "quoter and universalRouter change places", Response(CAPABILITIES, responses::parts_exchanged)),
];
