//! Links of a launch: those that break a rule are replaced by valid ones.
use std::net::IpAddr;

use serde_json::Value;
use url::{Host, Url};

use super::effect::Launch;

/// The arguments that hold a link.
const LINKS: [&str; 4] = ["imageUrl", "messenger", "microblog", "website"];
/// A valid link without a name to look up.
const PUBLIC: &str = "https://1.1.1.1/logo.png";
/// Host suffixes that the interface reserves.
const RESERVED: [&str; 6] = ["local", "internal", "localhost", "test", "example", "invalid"];

/// Replaces each link for which `replacement` returns one.
fn each(launch: &mut Launch<'_>, replacement: impl Fn(&str) -> Option<String>) {
    for name in LINKS {
        if let Some(Value::String(link)) = launch.arguments.get_mut(name)
            && let Some(other) = replacement(link)
        {
            *link = other;
        }
    }
}

fn public_if(breaks: bool) -> Option<String> {
    breaks.then(|| PUBLIC.to_owned())
}

/// Replaces links with a scheme other than https.
pub(super) fn any_scheme(launch: &mut Launch<'_>) {
    each(launch, |link| {
        let (scheme, _) = link.split_once(':')?;
        let letters = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
        let is_scheme =
            scheme.starts_with(|first: char| first.is_ascii_alphabetic()) && scheme.chars().all(letters);
        public_if(is_scheme && !scheme.eq_ignore_ascii_case("https"))
    });
}

/// Removes user name and password from links.
pub(super) fn without_credentials(launch: &mut Launch<'_>) {
    each(launch, |link| {
        let (_, host) = authority(link).rsplit_once('@')?;
        Some(link.replacen(authority(link), host, 1))
    });
}

/// Replaces hosts with a reserved suffix, in any spelling.
pub(super) fn reserved(launch: &mut Launch<'_>) {
    each(launch, |link| public_if(is_reserved(link)));
}

/// Replaces hosts with a reserved suffix and a trailing dot.
pub(super) fn reserved_with_dot(launch: &mut Launch<'_>) {
    each(launch, |link| public_if(is_reserved(link) && name(link).is_some_and(|name| name.ends_with('.'))));
}

/// Replaces hosts whose reserved suffix is spelled otherwise than in the rule.
pub(super) fn reserved_in_disguise(launch: &mut Launch<'_>) {
    each(launch, |link| public_if(is_reserved(link) && !has_reserved_ending(authority(link))));
}

/// Replaces hosts that are an address of this kind.
pub(super) fn address(launch: &mut Launch<'_>, kind: fn(IpAddr) -> bool) {
    each(launch, |link| {
        let address = match Url::parse(link).ok()?.host()? {
            Host::Ipv4(address) => IpAddr::V4(address),
            Host::Ipv6(address) => IpAddr::V6(address),
            Host::Domain(_) => return None,
        };
        public_if(kind(address))
    });
}

/// Replaces hosts that are an address with a name that no server accepts.
pub(super) fn names_only(launch: &mut Launch<'_>) {
    each(launch, |link| {
        let is_name = matches!(Url::parse(link).ok()?.host()?, Host::Domain(_));
        (!is_name).then(|| "https://address.invalid/logo.png".to_owned())
    });
}

/// Replaces links of an earlier call that succeeded.
pub(super) fn remembered(launch: &mut Launch<'_>) {
    let judged = launch.judged;
    each(launch, |link| public_if(judged.contains(link)));
}

/// The links of these arguments.
pub(super) fn of(arguments: &serde_json::Map<String, Value>) -> impl Iterator<Item = &str> {
    LINKS.iter().filter_map(|name| arguments.get(*name)?.as_str())
}

/// The part between the scheme and the path, as written.
fn authority(link: &str) -> &str {
    link.split_once("//").map_or("", |(_, rest)| rest).split(['/', '?', '#']).next().unwrap_or_default()
}

fn name(link: &str) -> Option<String> {
    match Url::parse(link).ok()?.host()? {
        Host::Domain(name) => Some(name.to_owned()),
        Host::Ipv4(_) | Host::Ipv6(_) => None,
    }
}

fn is_reserved(link: &str) -> bool {
    name(link).is_some_and(|name| has_reserved_ending(name.trim_end_matches('.')))
}

fn has_reserved_ending(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|last| RESERVED.contains(&last))
}

/// Private, loopback, link-local and shared IPv4; all IPv6 outside the global block.
pub(super) fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => {
            four.is_private()
                || four.is_loopback()
                || four.is_link_local()
                || four.octets()[0] == 0
                || is_shared(address)
        }
        IpAddr::V6(six) => six.segments()[0] & 0xe000 != 0x2000,
    }
}

/// Carrier-grade NAT.
pub(super) fn is_shared(address: IpAddr) -> bool {
    matches!(address, IpAddr::V4(four) if four.octets()[0] == 100 && four.octets()[1] & 0xc0 == 64)
}

/// Unique-local and link-local IPv6.
pub(super) fn is_local_six(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(six) if six.segments()[0] & 0xfe00 == 0xfc00 || six.segments()[0] & 0xffc0 == 0xfe80)
}

/// IPv4 inside IPv6.
pub(super) fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(six) if six.to_ipv4_mapped().is_some())
}

/// NAT64.
pub(super) fn is_translated(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(six) if six.segments()[..2] == [0x64, 0xff9b])
}
