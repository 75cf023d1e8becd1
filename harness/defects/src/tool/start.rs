//! Starts a session: environment, proxies, process.
use std::net::SocketAddr;
use std::sync::Arc;

use super::environment::{BASE_URL, Environment, NAME_SERVER, RPC_URL};
use super::flow::Flow;
use super::http::listen;
use super::plan::{Plan, of_kind};
use super::process::Server;
use super::rpc::Rpc;
use super::service::{Mode, Service};
use super::session::{Proxies, converse, log};
use super::{WrapperError, WrapperOptions, names};

/// Runs the server on the standard streams of this process until it ends.
pub(super) async fn run(options: &WrapperOptions, plan: Plan) -> Result<i32, WrapperError> {
    let mut environment = Environment::of_process(&options.variables);
    if plan.has(Flow::LogSettings) {
        log(&environment.settings());
    }
    let secrets = environment.secrets();
    of_kind!(plan, Environment).for_each(|change| change(&mut environment));
    plan.variables().for_each(|(name, value)| environment.set(name, value));
    let proxies = proxies(&plan, &mut environment).await?;
    let mut server = Server::start(options, &environment).await?;
    let conversation = converse(plan, environment, secrets, proxies, server.streams());
    let (code, ()) = tokio::join!(server.ended(), conversation);
    code.map_err(|source| WrapperError::Start { program: options.program.clone(), source })
}

/// Starts the proxies that the plan needs, and sets their addresses in the environment.
async fn proxies(plan: &Plan, environment: &mut Environment) -> Result<Proxies, WrapperError> {
    let mut proxies = Proxies::default();
    let effects = Vec::from_iter(of_kind!(plan, Rpc));
    let changes = plan.of_rpc();
    if let Some(url) = environment.url(RPC_URL).filter(|_| !effects.is_empty() || !changes.is_empty()) {
        let rpc = Arc::new(Rpc::new(&url, effects, changes, environment.secrets().key.as_deref())?);
        let own = listen(&mut proxies.servers, &url, &rpc).await?;
        environment.set(RPC_URL, own.as_str());
        proxies.origins.push((own.origin().ascii_serialization(), url.origin().ascii_serialization()));
        proxies.rpc = Some(rpc);
    }
    let mode = [
        (plan.has(Flow::ReadAll), Mode::ReadAll),
        (plan.has(Flow::AwaitService), Mode::Watch),
        (of_kind!(plan, Row).next().is_some(), Mode::Record),
    ];
    let mode = mode.into_iter().find_map(|(wanted, mode)| wanted.then_some(mode));
    let changes = plan.of_service();
    let mode = mode.or_else(|| (!changes.is_empty()).then_some(Mode::Change(changes)));
    if let (Some(mode), Some(url)) = (mode, environment.url(BASE_URL)) {
        let service = Arc::new(Service::new(mode));
        let own = listen(&mut proxies.servers, &url, &service).await?;
        environment.set(BASE_URL, own.as_str());
        proxies.origins.push((own.origin().ascii_serialization(), url.origin().ascii_serialization()));
        proxies.service = Some(service);
    }
    let effects = Vec::from_iter(of_kind!(plan, Names));
    let upstream: Option<SocketAddr> = environment.get(NAME_SERVER).and_then(|text| text.parse().ok());
    if let Some(upstream) = upstream.filter(|_| !effects.is_empty()) {
        let own = names::listen(upstream, effects).await;
        let own = own.map_err(|error| WrapperError::Proxy { reason: error.to_string() })?;
        environment.set(NAME_SERVER, &own.to_string());
    }
    Ok(proxies)
}
