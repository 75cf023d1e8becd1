//! Builds the services and their state.
use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use slipway_contracts::ChainId;

use super::config::Config;
use super::error::StartError;
use super::ready::Ready;
use crate::api::limits::RateLimit;
use crate::api::quote::{SwapApi, Venue};
use crate::api::{Api, Settings};
use crate::engine::{Engine, Exporter};
use crate::services;
use crate::services::elsewhere::Elsewhere;

/// Fixed price of the native coin for dollar figures.
const NATIVE_PRICE_USD: u64 = 3_000;
const MINUTE: u64 = 60;
/// The build: the commit from this variable at build time, else the version.
const RELEASE: &str = match option_env!("SLIPWAY_COMMIT") {
    Some(commit) if !commit.is_empty() => commit,
    _ => env!("CARGO_PKG_VERSION"),
};

pub(super) struct AllServices {
    pub(super) api: Arc<Api>,
    pub(super) rest: Router,
    pub(super) swap: Router,
    pub(super) control: Router,
}

/// Builds the services over an engine.
pub(super) fn services(
    config: &Config,
    engine: &Engine,
    exporter: Exporter,
    ready: &Ready,
    node_urls: BTreeMap<u64, String>,
) -> Result<AllServices, StartError> {
    let base_url = config.public.rest.as_deref().unwrap_or(&ready.base_url);
    let api = Arc::new(Api::new(engine, exporter, settings(config, base_url)));
    let swap_api = Arc::new(swap_api(engine)?);
    let pages = services::pages::router(
        &api,
        Arc::clone(&swap_api),
        services::pages::Nodes {
            urls: node_urls,
            console: ready.control_url.clone(),
            is_everywhere: config.host.is_unspecified(),
            is_writable: config.control && config.host.is_loopback(),
        },
    );
    let public_pages = services::control::PublicPages {
        origin: base_url.to_owned(),
        follows_host: config.host.is_unspecified() && config.public.rest.is_none(),
    };
    let token = config.control_token.as_deref();
    let swap_url = config.public.swap.as_ref().unwrap_or(&ready.swap_base_url);
    let mut documents = vec![
        ("rest", base_url.to_owned(), services::rest::document as _),
        ("swap", swap_url.clone(), services::swap::document as _),
    ];
    documents.extend(ready.control_url.clone().map(|url| ("control", url, services::control::document as _)));
    let elsewhere = Elsewhere::of(documents);
    Ok(AllServices {
        rest: services::rest::service(
            &api,
            server(&config.public.rest),
            pages,
            services::pages::refused,
            elsewhere.clone(),
        ),
        swap: services::swap::service(
            Arc::clone(&api),
            swap_api,
            server(&config.public.swap),
            elsewhere.clone(),
        ),
        control: services::control::router(&api, ready.to_value(), public_pages, token, elsewhere),
        api,
    })
}

/// The server address in a document: the public one, otherwise the origin from which the document was read.
fn server(public: &Option<String>) -> &str {
    public.as_deref().unwrap_or("/")
}

fn settings(config: &Config, base_url: &str) -> Settings {
    let limit = |limit| RateLimit { name: "standard-limit", limit, span: MINUTE };
    Settings {
        release_commit: RELEASE.to_owned(),
        image_origin: base_url.to_owned(),
        operator_key: config.operator_key(),
        trust_forwarded: config.trust_forwarded,
        standard_limit: config.standard_limit.map(limit),
    }
}

fn swap_api(engine: &Engine) -> Result<SwapApi, StartError> {
    let (chain, deployment) = engine.chain(ChainId::PRIMARY.0)?;
    let contract =
        |name| deployment.contract(name).ok_or(StartError::NoContract { chain: ChainId::PRIMARY, name });
    let venue = Venue {
        wrapped: contract("WETH9")?,
        router: contract("UniswapV2Router02")?,
        native_price_usd: NATIVE_PRICE_USD,
    };
    Ok(SwapApi::new(venue, engine.exchange(), engine.clock().clone(), chain.clone()))
}

#[cfg(test)]
mod tests {
    use super::RELEASE;

    #[test]
    fn release_is_the_named_commit_or_the_version() {
        let named = option_env!("SLIPWAY_COMMIT").filter(|commit| !commit.is_empty());
        assert_eq!(RELEASE, named.unwrap_or(env!("CARGO_PKG_VERSION")));
    }
}
