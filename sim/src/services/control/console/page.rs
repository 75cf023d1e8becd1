//! The console's page: a tab each for time, market, faults, requests, accounts and state.
use axum::http::Uri;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::form::{Field, form, preset, tile};
use super::{Console, PublicPages, accounts, faults, market, timeline};
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::services::input::{query, word};
use crate::services::pages::REFERENCE;
use crate::services::pages::layout::{Frame, page, standing, tabs, with};
use crate::services::pages::number::{ago, moment};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tab {
    Time,
    Market,
    Faults,
    #[default]
    Requests,
    Accounts,
    State,
}

const TABS: [Tab; 6] = [Tab::Time, Tab::Market, Tab::Faults, Tab::Requests, Tab::Accounts, Tab::State];

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct ConsoleParameters {
    /// what the console shows
    #[schemars(extend("x-cause" = "console-tab"))]
    tab: Tab,
}

pub(super) async fn render(console: &Console, uri: &Uri, pages: &PublicPages) -> Result<Markup, Refusal> {
    let Console { api, page_token, is_authorized, .. } = console;
    let now = api.now();
    let ConsoleParameters { tab: shown } = query(uri)?;
    let parts = match shown {
        Tab::Time => clock(now),
        Tab::Market => market::tab(console),
        Tab::Faults => faults::tab(api, uri),
        Tab::Requests => timeline::tab(console, pages, now, uri)?,
        Tab::Accounts => accounts::tab(console, pages).await?,
        Tab::State => state(api, now).await,
    };
    let root = Uri::from_static("/");
    let links = TABS.map(|tab| (with(&root, "tab", &word(tab)), word(tab), tab == shown));
    let content = html! {
        h1 { "Console" }
        (tabs("Parts of the console", &links))
        div #token hidden data-token=(page_token) data-authorized[*is_authorized] {}
        @if shown == Tab::Requests { (parts) } @else { div.panels { (parts) } }
        section #last.tile aria-labelledby="call-title" {
            h2 #call-title { "Last call" }
            pre #call tabindex="0" role="region" aria-label="The call as a curl line" { "Every button is a call; it is shown here as the curl line that does the same." }
            pre #answer tabindex="0" role="region" aria-label="Its answer" aria-live="polite" {}
        }
    };
    let (tokens, reference) = (pages.at("/"), pages.at(REFERENCE));
    let places = [("/", "Console"), (tokens.as_str(), "Pages"), (reference.as_str(), "API reference")];
    let frame =
        Frame { title: "Console", source: Some("/live".into()), scripts: &["console.js"], links: &places };
    let standing = standing(&api.status(), |chain_id, number| pages.height(chain_id, number));
    Ok(page(&frame, &standing, &content))
}

fn clock(now: u64) -> Markup {
    let content = html! {
        p #clock data-live { (moment(now)) " (" (now) ")" }
        div.presets {
            @for (seconds, text) in [(60, "+1 min"), (3_600, "+1 h"), (86_400, "+1 d"), (604_800, "+7 d")] {
                (preset("POST", "/_sim/clock/advance", &format!("{{\"seconds\":{seconds}}}"), text))
            }
        }
        (form("POST", "/_sim/clock/advance", "Jump", &[Field::Number("seconds", "Seconds ahead", "3600")]))
        (form("POST", "/_sim/clock/set", "Set", &[Field::Number("timestamp", "Unix seconds", "")]))
    };
    tile("clock-title", "Clock", &content)
}

async fn state(api: &Api, now: u64) -> Markup {
    let export = form(
        "POST",
        "/_sim/export",
        "Export everything",
        &[Field::Text("file", "Name of the file (empty: that of --export)", "")],
    );
    html! { (checkpoints(api, now).await) (tile("export-title", "Export", &export)) }
}

/// The checkpoints as points on a line, from now back.
async fn checkpoints(api: &Api, now: u64) -> Markup {
    let kept = api.checkpoints().await;
    let content = html! {
        (form("POST", "/_sim/checkpoints", "Take", &[Field::Text("name", "Name", "")]))
        div #checkpoints data-live {
            ol.past {
                li { strong { "Now" } " " span.muted { (moment(now)) } }
                @for checkpoint in kept.iter().rev() {
                    li {
                        bdi { (checkpoint.name.as_deref().unwrap_or("unnamed")) } " " span.muted { "checkpoint " (checkpoint.id) ", " (ago(checkpoint.at, now)) }
                        div.presets {
                            button.danger type="button" data-method="POST"
                                data-path={ "/_sim/checkpoints/" (checkpoint.id) "/revert" }
                                aria-label={ "Return to checkpoint " (checkpoint.id) } { "Return here" }
                            button.plain type="button" data-method="DELETE"
                                data-path={ "/_sim/checkpoints/" (checkpoint.id) }
                                aria-label={ "Discard checkpoint " (checkpoint.id) } { "Discard" }
                        }
                    }
                }
            }
            @if kept.is_empty() { p.muted { "No checkpoints yet: nothing to return to." } }
        }
    };
    tile("checkpoints-title", "Checkpoints", &content)
}
