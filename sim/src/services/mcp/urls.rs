//! Rules for links that will be shown to others: https, no credentials, a real public host. Nothing is fetched.
use std::net::{IpAddr, SocketAddr};
use std::sync::OnceLock;
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use url::{Host, Url};

use super::addresses::is_public;
use super::faults::Faults;
use super::guards::Guards;
use super::refusal::Refusal;

/// Longest URL the launch contract stores, in bytes.
const LONGEST_URL: usize = 512;
/// Longest wait for all of a host's addresses.
const RESOLUTION_WAIT: Duration = Duration::from_secs(5);
/// Host endings that never lead to the internet.
const RESERVED_ENDINGS: [&str; 6] = ["local", "internal", "localhost", "test", "example", "invalid"];

/// Judges URLs with one resolver, made at first use.
pub(crate) struct UrlRules {
    guards: Guards,
    faults: Faults,
    name_server: Option<SocketAddr>,
    resolver: OnceLock<Option<TokioResolver>>,
}

impl UrlRules {
    /// Asks the given name server, or the system's.
    pub(crate) fn new(guards: Guards, faults: Faults, name_server: Option<SocketAddr>) -> Self {
        Self { guards, faults, name_server, resolver: OnceLock::new() }
    }

    /// Refuses a URL that breaks a rule; `argument` is the name under which the caller knows it.
    pub(crate) async fn check(&self, argument: &'static str, text: &str) -> Result<(), Refusal> {
        if self.faults.remembers(text) {
            return Ok(());
        }
        self.guards.hold(text.len() <= LONGEST_URL, Refusal::UrlLength { argument })?;
        let plain = !text
            .chars()
            .any(|character| character.is_control() || character.is_whitespace() || character == '\\');
        self.guards.hold(plain, Refusal::UrlMalformed { argument })?;
        let url = Url::parse(text).map_err(|_| Refusal::UrlMalformed { argument })?;
        self.guards.hold(url.scheme() == "https", Refusal::UrlScheme { argument })?;
        self.guards.hold(!has_credentials(&url, text), Refusal::UrlCredentials { argument })?;
        let host = url.host().ok_or(Refusal::UrlMalformed { argument })?;
        let addresses = match host {
            Host::Ipv4(address) => vec![IpAddr::V4(address)],
            Host::Ipv6(address) => vec![IpAddr::V6(address)],
            Host::Domain(name) => {
                let judged = self.faults.judged_name(name, authority(text));
                self.guards.hold(!is_reserved(judged), Refusal::UrlReserved { argument })?;
                let addresses = self.resolve(name).await.unwrap_or_default();
                self.guards.hold(!addresses.is_empty(), Refusal::UrlUnresolved { argument })?;
                addresses
            }
        };
        self.guards.hold(self.are_public(&addresses), Refusal::UrlAddress { argument })?;
        self.faults.judged_well(text);
        Ok(())
    }

    /// One private address among public ones spoils them all: the next look-up may give it first.
    fn are_public(&self, addresses: &[IpAddr]) -> bool {
        let public = |address: &IpAddr| is_public(*address) || self.faults.takes_for_public(*address);
        addresses.iter().all(public) || (self.faults.one_is_enough() && addresses.iter().any(public))
    }

    /// Every address of the host, asked anew each time; nothing when there is none.
    async fn resolve(&self, name: &str) -> Option<Vec<IpAddr>> {
        let resolver = self.resolver.get_or_init(|| resolver(self.name_server)).as_ref()?;
        let absolute = format!("{}.", name.trim_end_matches('.'));
        let answer = tokio::time::timeout(RESOLUTION_WAIT, resolver.lookup_ip(absolute)).await.ok()?.ok()?;
        let addresses: Vec<IpAddr> = answer.iter().collect();
        (!addresses.is_empty()).then_some(addresses)
    }
}

/// Whether the text before the path holds a user name or a password, even an empty one.
fn has_credentials(url: &Url, text: &str) -> bool {
    !url.username().is_empty() || url.password().is_some() || authority(text).contains('@')
}

/// What stands between the scheme and the path, as written.
fn authority(text: &str) -> &str {
    text.split_once("//").map_or("", |(_, rest)| rest).split(['/', '?', '#']).next().unwrap_or_default()
}

/// Whether the host is, or lies under, a reserved ending. The name is in ASCII lower case and has no final dot.
fn is_reserved(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    RESERVED_ENDINGS.contains(&last)
}

/// Without a cache, so that each judgement is a fresh look; both families, so that neither hides the other.
fn resolver(name_server: Option<SocketAddr>) -> Option<TokioResolver> {
    let mut builder = match name_server {
        None => TokioResolver::builder_tokio().ok()?,
        Some(server) => {
            let mut connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()];
            for connection in &mut connections {
                connection.port = server.port();
            }
            let server = NameServerConfig::new(server.ip(), true, connections.into());
            let config = ResolverConfig::from_parts(None, Vec::new(), vec![server]);
            let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
            builder.options_mut().use_hosts_file = ResolveHosts::Never;
            builder
        }
    };
    let options: &mut ResolverOpts = builder.options_mut();
    options.cache_size = 0;
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.timeout = Duration::from_secs(2);
    options.attempts = 1;
    builder.build().ok()
}
