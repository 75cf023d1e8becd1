//! Rules for links that other people see: https, no credentials, a public host. Fetches nothing.
use std::net::{IpAddr, SocketAddr};
use std::sync::OnceLock;
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use url::{Host, Url};

use crate::ensure::ensure;
use crate::public_ip::is_public;
use crate::refusal::Refusal;

/// Maximum length of a URL stored by the launch contract, in bytes.
pub(crate) const MAX_URL: usize = 2_000;
/// Timeout of one host look-up.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);
/// Top-level names that never exist on the internet.
const RESERVED_NAMES: [&str; 6] = ["local", "internal", "localhost", "test", "example", "invalid"];

/// Checks links with one resolver, created on first use.
pub(crate) struct LinkRules {
    name_server: Option<SocketAddr>,
    resolver: OnceLock<Option<TokioResolver>>,
}

impl LinkRules {
    /// Uses the given name server, or the system's.
    pub(crate) fn new(name_server: Option<SocketAddr>) -> Self {
        Self { name_server, resolver: OnceLock::new() }
    }

    /// Refuses a link that breaks a rule; `argument` is its name in the call.
    ///
    /// Clause: MCP-URL-SCHEME, MCP-URL-HOST, MCP-URL-IP
    pub(crate) async fn check(&self, argument: &'static str, text: &str) -> Result<(), Refusal> {
        ensure(text.len() <= MAX_URL, Refusal::UrlLength { argument })?;
        let plain = !text
            .chars()
            .any(|character| character.is_control() || character.is_whitespace() || character == '\\');
        ensure(plain, Refusal::UrlMalformed { argument })?;
        let url = Url::parse(text).map_err(|_| Refusal::UrlMalformed { argument })?;
        ensure(url.scheme() == "https", Refusal::UrlScheme { argument })?;
        ensure(!has_credentials(&url, text), Refusal::UrlCredentials { argument })?;
        let host = url.host().ok_or(Refusal::UrlMalformed { argument })?;
        let addresses = match host {
            Host::Ipv4(address) => vec![IpAddr::V4(address)],
            Host::Ipv6(address) => vec![IpAddr::V6(address)],
            Host::Domain(name) => {
                ensure(!is_reserved(name.trim_end_matches('.')), Refusal::UrlReserved { argument })?;
                let addresses = self.resolve(name).await.unwrap_or_default();
                ensure(!addresses.is_empty(), Refusal::UrlUnresolved { argument })?;
                addresses
            }
        };
        // One private address invalidates the public ones: the next look-up may return it first.
        ensure(addresses.into_iter().all(is_public), Refusal::UrlAddress { argument })
    }

    /// Looks up every address of the host, each time anew; `None` if it has none.
    async fn resolve(&self, name: &str) -> Option<Vec<IpAddr>> {
        let resolver = self.resolver.get_or_init(|| resolver(self.name_server)).as_ref()?;
        let absolute = format!("{}.", name.trim_end_matches('.'));
        let lookup = tokio::time::timeout(LOOKUP_TIMEOUT, resolver.lookup_ip(absolute));
        let answer = lookup.await.ok()?.ok()?;
        let addresses: Vec<IpAddr> = answer.iter().collect();
        (!addresses.is_empty()).then_some(addresses)
    }
}

/// Whether the link has a user name or a password, even an empty one.
fn has_credentials(url: &Url, text: &str) -> bool {
    !url.username().is_empty() || url.password().is_some() || authority(text).contains('@')
}

/// The authority of a URL, as written.
fn authority(text: &str) -> &str {
    text.split_once("//").map_or("", |(_, rest)| rest).split(['/', '?', '#']).next().unwrap_or_default()
}

/// Whether the host is a reserved name or below one. The name is in ASCII lower case and has no final dot.
fn is_reserved(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    RESERVED_NAMES.contains(&last)
}

/// Creates a resolver without a cache, so that each check looks the name up again, and for both address families, so that neither hides the
/// other.
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
