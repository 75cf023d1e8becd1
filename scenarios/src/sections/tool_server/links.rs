//! Links that a launch may carry: rules for scheme, credentials, host, and the addresses of the host.
use std::collections::BTreeMap;
use std::net::IpAddr;

use super::fixture::{PUBLIC_HOST, Session, ToolServerFixture, WRITES, with};
use super::manners::NAME_SERVER;
use super::strict::MCP_STRICT;
use crate::fake_servers::dns::FakeDns;
use crate::prelude::*;

/// Arguments that hold a link.
const LINKS: &[&str] = &["imageUrl", "messenger", "microblog", "website"];
/// A domain under which our name server resolves every configured name.
const DOMAIN: &str = "slipway-probe.dev";

clause! {
    MCP_URL_SCHEME = "MCP-URL-SCHEME" (S243, S247, S262, S263): "Only https URLs without credentials are accepted.";
    check!("tool-server-link-scheme" [Read; ToolServer, Rest, PrimaryChain] only_https_without_credentials:
        "links are https and hold no credentials");
}
pub(super) async fn only_https_without_credentials(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, U256::ZERO, &[]).await?;
    let mut taken = vec![format!("https://{PUBLIC_HOST}/a.png"), format!("HTTPS://{PUBLIC_HOST}/a.png")];
    taken.push(format!("https://{PUBLIC_HOST}:8443/a.png?size=1#top"));
    let refused: &[&[&str]] = &[
        &["http://H/a.png", "HTTP://H/a.png", "ftp://H/a.png", "ws://H/a.png"],
        &["file:///etc/passwd", "data:image/png;base64,iVBORw0KGgo=", "javascript:alert(1)"],
        &["//H/a.png", "H/a.png", "https:///a.png", "https://", "not a link"],
        &["https://user:word@H/a.png", "https://user@H/a.png", "https://:word@H/a.png"],
        &["https://@H/a.png", "https://user%40mail:word@H/a.png"],
    ];
    let refused: Vec<String> = refused.concat().iter().map(|text| text.replace('H', PUBLIC_HOST)).collect();
    every_link(&mut session, &taken, &refused, LINKS).await
}

clause! {
    MCP_URL_HOST = "MCP-URL-HOST" (S243, S247, S264): "Hosts under the reserved names are refused.";
    check!("tool-server-link-host" [Read; ToolServer, Rest, PrimaryChain] reserved_endings_are_refused:
        "reserved host endings are refused in every spelling");
}
pub(super) async fn reserved_endings_are_refused(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, U256::ZERO).await?;
    let (mut names, mut refused, mut bare) = (BTreeMap::new(), Vec::new(), Vec::new());
    let public: Vec<IpAddr> = vec!["8.8.8.8".parse().expect("an address")];
    for ending in ["local", "internal", "localhost", "test", "example", "invalid"] {
        for name in [format!("images.{ending}"), format!("a.b.{ending}")] {
            names.insert(name.clone(), public.clone());
            refused.push(format!("https://{name}/a.png"));
        }
        // The bare ending is judged separately: a name that ends in `.test` has a label before it.
        names.insert(ending.to_owned(), public.clone());
        bare.push(format!("https://{ending}/a.png"));
        refused.push(format!("https://images.{}/a.png", ending.to_uppercase()));
        refused.push(format!("https://images.{ending}./a.png"));
        refused.push(format!("https://images.{ending}:8443/a.png"));
        // Spellings that a URL parser normalises to the ending: full-width letters, other dots, escapes, soft hyphens.
        let (head, tail) = ending.split_at(1);
        refused.push(format!("https://images.{}/a.png", full_width(ending)));
        refused.push(format!("https://images\u{3002}{ending}/a.png"));
        refused.push(format!("https://images.%{:02x}{tail}/a.png", ending.as_bytes()[0]));
        refused.push(format!("https://images.{head}\u{ad}{tail}/a.png"));
    }
    let mut taken = vec![format!("https://{PUBLIC_HOST}/a.png")];
    let mut resolved = Vec::new();
    for ending in ["local", "test", "example", "localhost"] {
        let name = format!("{ending}.{DOMAIN}");
        names.insert(name.clone(), public.clone());
        resolved.push(format!("https://{name}/a.png"));
        names.insert(format!("my{ending}.dev"), public.clone());
        resolved.push(format!("https://my{ending}.dev/a.png"));
    }
    // The name that replaces the public host is known here too.
    names.insert(fixture.manners.host.to_owned(), public.clone());
    let dns = FakeDns::start(names).await?;
    let address = dns.address.to_string();
    let mut session = fixture.open(&[(NAME_SERVER, &address)]).await?;
    if scripted(&mut session, &dns, &resolved[0]).await? {
        taken.extend(resolved);
    }
    every_link(&mut session, &taken, &refused, &["imageUrl"]).await?;
    chosen_links(&mut session, &[], &bare).await
}

/// Converts letters to full width, which host names treat as the plain ones.
fn full_width(text: &str) -> String {
    let wide = |letter: char| char::from_u32(u32::from(letter) + 0xfee0).unwrap_or(letter);
    text.chars().map(wide).collect()
}

clause! {
    MCP_URL_IP = "MCP-URL-IP" (S243, S247, S265, S266, S267): "Hosts that resolve to an address that is not public are refused.";
    check!("tool-server-link-address" [Read; ToolServer, Rest, PrimaryChain; S243, S247, S266, S267] private_addresses_are_refused:
        "addresses that are not public are refused in every spelling");
    check!("tool-server-link-name" [Read; ToolServer, Rest, PrimaryChain; S243, S265, S266] names_of_private_addresses_are_refused:
        "names that lead to such addresses are refused, also among public ones");
    check!("tool-server-link-again" [Write; ToolServer, Rest, PrimaryChain, Accounts; S243, S265, S266] names_are_looked_up_again:
        "a name is looked up again for the launch, and what it leads to then counts");
}
pub(super) async fn private_addresses_are_refused(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, U256::ZERO, &[]).await?;
    let link = |host: &&str| format!("https://{host}/a.png");
    let links = |hosts: &[&str]| hosts.iter().map(link).collect::<Vec<String>>();
    let refused: Vec<String> = PRIVATE.iter().chain(SPELLINGS).copied().flatten().map(link).collect();
    every_link(&mut session, &links(&[PUBLIC_HOST]), &refused, &["imageUrl"]).await?;
    let refused = ["127.0.0.1", "10.0.0.1", "192.168.1.1"].map(|host| link(&host));
    every_link(&mut session, &links(&[PUBLIC_HOST]), &refused, LINKS).await?;
    chosen_links(&mut session, &links(&PUBLIC.concat()), &links(FURTHER)).await
}

pub(super) async fn names_of_private_addresses_are_refused(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, U256::ZERO).await?;
    let (mut names, mut taken, mut refused, mut open) = (BTreeMap::new(), Vec::new(), Vec::new(), Vec::new());
    let parse = |text: &str| text.trim_matches(['[', ']']).parse::<IpAddr>().expect("an address");
    let (public, private) = (PUBLIC.concat(), PRIVATE.concat());
    for (index, host) in public.iter().enumerate() {
        let name = format!("public-{index}.{DOMAIN}");
        taken.push(format!("https://{name}/a.png"));
        names.insert(name, vec![parse(host)]);
    }
    for (index, host) in private.iter().enumerate() {
        let name = format!("private-{index}.{DOMAIN}");
        refused.push(format!("https://{name}/a.png"));
        names.insert(name, vec![parse(host)]);
        // Which of several addresses decides is left open.
        let name = format!("mixed-{index}.{DOMAIN}");
        open.push(format!("https://{name}/a.png"));
        names.insert(name, vec![parse(public[0]), parse(host), parse(public[1])]);
    }
    refused.push(format!("https://unknown.{DOMAIN}/a.png"));
    let dns = FakeDns::start(names).await?;
    let address = dns.address.to_string();
    let mut session = fixture.open(&[(NAME_SERVER, &address)]).await?;
    if !scripted(&mut session, &dns, &taken[0]).await? {
        return Err(no_name_server());
    }
    every_link(&mut session, &taken, &refused, &["imageUrl"]).await?;
    chosen_links(&mut session, &[], &open).await
}

pub(super) async fn names_are_looked_up_again(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, ether(1)).await?;
    let name = format!("turning.{DOMAIN}");
    let lists = ["8.8.8.8", "127.0.0.1"].map(|text| vec![text.parse::<IpAddr>().expect("an address")]);
    let dns = FakeDns::changing(BTreeMap::from([(name.clone(), lists.to_vec())])).await?;
    let address = dns.address.to_string();
    let mut session = fixture.open(&[WRITES, (NAME_SERVER, &address)]).await?;
    let link = json!({"imageUrl": format!("https://{name}/a.png")});
    let reply = session.call("preview_launch", &with(&link)).await?;
    if dns.asked().is_empty() {
        return Err(no_name_server());
    }
    fixture.served(&reply, "the name leads to a public address")?;
    session.refuses_launch(&link, "the name leads to this machine now").await.map(drop)
}

fn no_name_server() -> Stop {
    no_material(format!("the tool server does not ask the name server that {NAME_SERVER} names"))
}

/// Addresses just outside the non-public blocks, block by block.
const PUBLIC: &[&[&str]] = &[
    &["1.1.1.1"],
    &["9.255.255.255", "11.0.0.1"],
    &["100.63.255.255", "100.128.0.1"],
    &["126.255.255.255"],
    &["169.253.255.255", "169.255.0.1"],
    &["172.15.255.255", "172.32.0.1"],
    &["192.167.255.255", "192.169.0.1"],
    &["[2606:4700:4700::1111]"],
];

/// Loopback, private, link-local, carrier-grade NAT, unique-local and mapped addresses, at the ends of their blocks.
const PRIVATE: &[&[&str]] = &[
    &["127.0.0.1", "127.255.255.254", "[::1]"],
    &["10.0.0.1", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.1.1", "192.168.255.255"],
    &["169.254.0.1", "169.254.169.254", "[fe80::1]", "[febf::1]"],
    &["100.64.0.0", "100.127.255.255"],
    &["[fc00::1]", "[fdff:ffff::1]"],
    &["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:a9fe:a9fe]", "[::ffff:0a00:0001]"],
    &["[0:0:0:0:0:ffff:c0a8:1]"],
];

/// Addresses of further ranges: unspecified ones, and private ones behind a NAT64 prefix.
const FURTHER: &[&str] = &["0.0.0.0", "[::]", "[64:ff9b::7f00:1]", "[64:ff9b::10.0.0.1]"];

/// Other spellings of loopback, private and link-local addresses that browsers accept.
const SPELLINGS: &[&[&str]] = &[
    &["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.1", "127.0.0.1."],
    &["10.1", "0300.0250.1", "3232235777", "\u{ff11}\u{ff10}.0.0.1"],
    &["0xa9fea9fe"],
];

/// Each link is accepted or refused in every argument.
async fn every_link(
    session: &mut Session<'_>,
    taken: &[String],
    refused: &[String],
    arguments: &[&str],
) -> Verdict {
    for argument in arguments {
        for link in taken {
            let why = format!("{argument} {link} is a public https link");
            session.previews(&json!({ *argument: link }), &why).await?;
        }
        for link in refused {
            let reply = session.call("preview_launch", &with(&json!({ *argument: link }))).await?;
            session.tool_error(&reply, &format!("{argument} {link:?} breaks a rule of links"))?;
        }
    }
    Ok(())
}

/// Judges links of an image that are accepted or refused as a choice.
async fn chosen_links(session: &mut Session<'_>, taken: &[String], refused: &[String]) -> Verdict {
    let chosen = session.by(&MCP_STRICT);
    let links = taken.iter().map(|link| (link, true)).chain(refused.iter().map(|link| (link, false)));
    for (link, is_taken) in links {
        let reply = session.call("preview_launch", &with(&json!({ "imageUrl": link }))).await?;
        let expected = format!("imageUrl {link:?} is {}", if is_taken { "taken" } else { "refused" });
        chosen.require(&reply, reply.is_error() != is_taken, &expected)?;
    }
    Ok(())
}

/// Whether the tool server uses our name server at all.
async fn scripted(session: &mut Session<'_>, dns: &FakeDns, link: &str) -> Verdict<bool> {
    session.call("preview_launch", &with(&json!({ "imageUrl": link }))).await?;
    Ok(!dns.asked().is_empty())
}
