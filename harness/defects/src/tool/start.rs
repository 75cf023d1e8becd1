//! The start of a session: environment, proxies, process.
use std::net::SocketAddr;

use super::effect::{Effect, Plan};
use super::environment::{BASE_URL, Environment, NAME_SERVER, RPC_URL};
use super::flow::Flow;
use super::process::Server;
use super::rpc::Rpc;
use super::service::{Mode, Service};
use super::session::{Proxies, Streams, converse, log};
use super::{WrapperError, WrapperOptions, names};

/// Runs the server on the standard streams of this process until it ends.
pub(super) async fn run(options: &WrapperOptions, plan: Plan) -> Result<i32, WrapperError> {
    let mut environment = Environment::of_process(&options.variables);
    if plan.has(Flow::LogSettings) {
        log(&environment.settings());
    }
    let secrets = environment.secrets();
    plan.pick(|effect| if let Effect::Environment(change) = effect { Some(change) } else { None })
        .for_each(|change| change(&mut environment));
    let proxies = proxies(&plan, &mut environment).await?;
    let mut server = Server::start(options, &environment).await?;
    let (input, output) = server.streams();
    let conversation = converse(
        plan,
        environment,
        secrets,
        proxies,
        Streams {
            from_peer: tokio::io::stdin(),
            to_peer: tokio::io::stdout(),
            from_server: output,
            to_server: input,
        },
    );
    let (code, ()) = tokio::join!(server.ended(), conversation);
    code.map_err(|source| WrapperError::Start { program: options.program.clone(), source })
}

/// Starts the proxies that the plan needs, and puts their addresses into the environment.
async fn proxies(plan: &Plan, environment: &mut Environment) -> Result<Proxies, WrapperError> {
    let mut proxies = Proxies::default();
    let effects = plan.rpc();
    if let Some(url) = environment.url(RPC_URL).filter(|_| !effects.is_empty()) {
        let (rpc, own) = Rpc::listen(&url, effects, environment.secrets().key()).await?;
        environment.set(RPC_URL, own.as_str());
        proxies.origins.push((own.origin().ascii_serialization(), url.origin().ascii_serialization()));
        proxies.rpc = Some(rpc);
    }
    let mode = [
        (plan.has(Flow::ReadAll), Mode::ReadAll),
        (plan.has(Flow::AwaitService), Mode::Watch),
        (plan.has_rows(), Mode::Record),
    ];
    let mode = mode.into_iter().find_map(|(wanted, mode)| wanted.then_some(mode));
    let mode = mode.or_else(|| plan.capabilities().map(Mode::Capabilities));
    let mode = mode.or_else(|| plan.query().map(Mode::Query));
    if let (Some(mode), Some(url)) = (mode, environment.url(BASE_URL)) {
        let (service, own) = Service::listen(&url, mode).await?;
        environment.set(BASE_URL, own.as_str());
        proxies.origins.push((own.origin().ascii_serialization(), url.origin().ascii_serialization()));
        proxies.service = Some(service);
    }
    let effects = plan.names();
    let upstream: Option<SocketAddr> = environment.get(NAME_SERVER).and_then(|text| text.parse().ok());
    if let Some(upstream) = upstream.filter(|_| !effects.is_empty()) {
        let own = names::listen(upstream, effects).await;
        let own = own.map_err(|error| WrapperError::Proxy { reason: error.to_string() })?;
        environment.set(NAME_SERVER, &own.to_string());
    }
    Ok(proxies)
}
