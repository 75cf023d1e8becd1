//! Finds out, once a run, what a tool server accepts where the interface leaves it open: the host of a valid link, and the format of a key.
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::fixture::{PUBLIC_HOST, ToolServerFixture, with};
use crate::fake_servers::dns::FakeDns;
use crate::prelude::*;
use crate::trial::manners::Manners;

/// The variable that sets another name server in this project's tool server.
pub(super) const NAME_SERVER: &str = "SLIPWAY_DNS_SERVER";
/// A name that our name server knows, and one that every name server knows.
const SCRIPTED: &str = "images.slipway-probe.dev";
const KNOWN: &str = "www.iana.org";
/// The address of the scripted name.
const PUBLIC: &str = "8.8.8.8";
/// Possible prefixes of a raw key.
const PREFIXES: [&str; 2] = ["", "0x"];

impl Manners {
    /// Returns the usual manners: an address as host, and a key without a prefix.
    const fn usual() -> Self {
        Self { host: PUBLIC_HOST, prefix: PREFIXES[0], dns: None }
    }

    /// Returns the address of our name server, if the tool server uses it.
    pub(super) fn name_server(&self) -> Option<String> {
        Some(self.dns.as_ref()?.address.to_string())
    }

    /// Finds out what the target's tool server accepts. If it accepts none of the alternatives, the checks report it.
    pub(super) async fn find(trial: &Trial<'_>) -> Verdict<Arc<Self>> {
        let names = BTreeMap::from([(SCRIPTED.to_owned(), vec![PUBLIC.parse().expect("an address")])]);
        for prefix in PREFIXES {
            let Some(usual) = starts(trial, Self { prefix, ..Self::usual() }).await? else { continue };
            if usual.previews {
                return Ok(usual.manners);
            }
            let scripted = Some(FakeDns::start(names).await?);
            for manners in
                [Self { prefix, host: SCRIPTED, dns: scripted }, Self { prefix, host: KNOWN, dns: None }]
            {
                if let Some(taken) = starts(trial, manners).await?
                    && taken.previews
                {
                    return Ok(taken.manners);
                }
            }
            return Ok(usual.manners);
        }
        Ok(Arc::new(Self::usual()))
    }

    /// Replaces the public host in arguments by this host.
    pub(super) fn adapted(&self, arguments: &Value) -> Value {
        if self.host == PUBLIC_HOST {
            return arguments.clone();
        }
        match arguments {
            Value::String(text) => json!(text.replace(PUBLIC_HOST, self.host)),
            Value::Array(items) => items.iter().map(|item| self.adapted(item)).collect(),
            Value::Object(members) => {
                members.iter().map(|(name, member)| (name.clone(), self.adapted(member))).collect()
            }
            other => other.clone(),
        }
    }
}

/// A tool server that started.
struct Started {
    manners: Arc<Manners>,
    /// Whether it previewed a launch with a link successfully.
    previews: bool,
}

/// Starts a tool server with these manners and requests a preview of a launch; `None` if it does not start.
async fn starts(trial: &Trial<'_>, manners: Manners) -> Verdict<Option<Started>> {
    let account = Account::fresh(&mut trial.choices("manners"));
    let fixture = ToolServerFixture::with(trial, account, Arc::new(manners)).await?;
    let manners = Arc::clone(&fixture.manners);
    let Ok(mut session) = fixture.try_open(&[]).await? else { return Ok(None) };
    let previews = !session.call("preview_launch", &with(&json!({}))).await?.is_error();
    Ok(Some(Started { manners, previews }))
}
