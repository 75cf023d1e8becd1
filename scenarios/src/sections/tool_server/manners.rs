//! What a tool server takes where the interface leaves it open, found out once a run: the host of a sound link, and how a key is
//! written.
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::fixture::{PUBLIC_HOST, ToolServerFixture, with};
use crate::fake_servers::dns::FakeDns;
use crate::prelude::*;
use crate::trial::manners::Manners;

/// The variable by which a tool server of this project finds another name server.
pub(super) const NAME_SERVER: &str = "SLIPWAY_DNS_SERVER";
/// A name that our name server knows, and one that every name server knows.
const SCRIPTED: &str = "images.slipway-probe.dev";
const KNOWN: &str = "www.iana.org";
/// Where the scripted name leads.
const PUBLIC: &str = "8.8.8.8";
/// How a raw key may begin.
const PREFIXES: [&str; 2] = ["", "0x"];

impl Manners {
    /// What most take: an address as host, and a key without a prefix.
    const fn usual() -> Self {
        Self { host: PUBLIC_HOST, prefix: PREFIXES[0], dns: None }
    }

    /// The variable that names our name server, where that is asked.
    pub(super) fn name_server(&self) -> Option<String> {
        Some(self.dns.as_ref()?.address.to_string())
    }

    /// Finds out what the tool server of a target takes. Where it takes nothing of all this, the checks say so.
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

    /// Arguments with this host in the place of the public one.
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
    /// Whether it previewed a launch with a link.
    previews: bool,
}

/// Starts a tool server that is spoken to so, and has it preview a launch; none where it does not start.
async fn starts(trial: &Trial<'_>, manners: Manners) -> Verdict<Option<Started>> {
    let account = Account::fresh(&mut trial.choices("manners"));
    let fixture = ToolServerFixture::with(trial, account, Arc::new(manners)).await?;
    let manners = Arc::clone(&fixture.manners);
    let Ok(mut session) = fixture.try_open(&[]).await? else { return Ok(None) };
    let previews = !session.call("preview_launch", &with(&json!({}))).await?.is_error();
    Ok(Some(Started { manners, previews }))
}
