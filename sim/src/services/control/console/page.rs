//! The console's page. Each form describes its call in attributes; the script sends it and shows the `curl` line.
use axum::http::Uri;
use maud::{Markup, html};

use super::{Console, timeline};
use crate::api::refusal::Refusal;
use crate::api::{Api, Engine};
use crate::faults::{Effect, Fault};
use crate::services::input::Query;
use crate::services::pages::amount::DECIMALS;
use crate::services::pages::layout::{Frame, address, cell, heads, page, standing, table};
use crate::services::pages::number::{ago, moment, number};

/// A field of a form: its name in the call, its label, and its initial value. An empty field is not sent.
#[derive(Clone, Copy)]
enum Field<'a> {
    /// Sent as text.
    Text(&'a str, &'a str, &'a str),
    /// Sent as a number.
    Number(&'a str, &'a str, &'a str),
    /// One of these texts.
    Choice(&'a str, &'a str, &'a [(&'a str, &'a str)]),
    /// One of these numbers or booleans.
    JsonChoice(&'a str, &'a str, &'a [(&'a str, &'a str)]),
}

const CHAINS: Field<'_> = Field::JsonChoice("chainId", "Chain", &[("57073", "57073"), ("4663", "4663")]);
/// A token has at most one address per chain, and usually the address is unique.
const TOKEN_CHAIN: Field<'_> =
    Field::JsonChoice("chainId", "Chain", &[("", "the token's"), ("57073", "57073"), ("4663", "4663")]);

/// A form that makes a call; `{name}` in the path is the value of that field.
fn form(method: &str, path: &str, button: &str, fields: &[Field<'_>]) -> Markup {
    forms(path, &[(method, button)], fields)
}

/// A form whose action only a checkpoint can undo.
fn dangerous(method: &str, path: &str, button: &str, fields: &[Field<'_>]) -> Markup {
    html! { div.dangerous { (form(method, path, button, fields)) } }
}

/// A button that makes one call with this body.
fn preset(method: &str, path: &str, body: &str, text: &str) -> Markup {
    html! { button.plain type="button" data-method=(method) data-path=(path) data-body=(body) { (text) } }
}

/// A form whose buttons make calls of different methods with the same fields.
fn forms(path: &str, buttons: &[(&str, &str)], fields: &[Field<'_>]) -> Markup {
    html! {
        form.filters data-path=(path) {
            @for field in fields {
                @match *field {
                    Field::Text(name, label, value) => {
                        label { (label) input name=(name) value=(value) autocomplete="off"; }
                    },
                    Field::Number(name, label, value) => {
                        label { (label) input name=(name) value=(value) inputmode="numeric" autocomplete="off" data-json; }
                    },
                    Field::Choice(name, label, values) => { label { (label) (choice(name, values, false)) } },
                    Field::JsonChoice(name, label, values) => { label { (label) (choice(name, values, true)) } },
                }
            }
            @for (method, button) in buttons { button.plain type="submit" data-method=(method) { (button) } }
        }
    }
}

fn choice(name: &str, values: &[(&str, &str)], is_json: bool) -> Markup {
    html! {
        select name=(name) data-json[is_json] {
            @for (value, text) in values { option value=(value) { (text) } }
        }
    }
}

pub(super) async fn render(console: &Console, uri: &Uri) -> Result<Markup, Refusal> {
    let Console { api, page_token, is_authorized, .. } = console;
    let engine = &api.engine;
    let show = Query::decode(uri)?.read(&timeline::SHOW)?;
    let now = api.clock.now();
    let content = html! {
        h1 { "Console" }
        div #token hidden data-token=(page_token) data-authorized[*is_authorized] {}
        section.tile aria-labelledby="call-title" {
            h2 #call-title { "Last call" }
            pre #call tabindex="0" role="region" aria-label="The call as a curl line" { "Every button below is a call; it is shown here as the curl line that does the same." }
            pre #answer tabindex="0" role="region" aria-label="Its answer" aria-live="polite" {}
        }
        div.panels {
            (clock(now))
            (checkpoints(engine, now).await)
            (faults(api))
            (market())
            (credentials())
            (switches())
            (export())
            div #panels {}
        }
        (accounts(engine).await?)
        (timeline::section(console, show, now, uri))
    };
    let frame = Frame {
        title: "Console",
        source: Some("/live".into()),
        scripts: &["console.js"],
        links: &[("/", "Console")],
    };
    Ok(page(&frame, &standing(engine, now), &content))
}

fn clock(now: u64) -> Markup {
    html! {
        section.tile aria-labelledby="clock-title" {
            h2 #clock-title { "Clock" }
            p #clock data-live { (moment(now)) " (" (now) ")" }
            div.presets {
                @for (seconds, text) in [(60, "+1 min"), (3_600, "+1 h"), (86_400, "+1 d"), (604_800, "+7 d")] {
                    (preset("POST", "/_sim/clock/advance", &format!("{{\"seconds\":{seconds}}}"), text))
                }
            }
            (form("POST", "/_sim/clock/advance", "Jump", &[Field::Number("seconds", "Seconds ahead", "3600")]))
            (form("POST", "/_sim/clock/set", "Set", &[Field::Number("timestamp", "Unix seconds", "")]))
        }
    }
}

async fn checkpoints(engine: &Engine, now: u64) -> Markup {
    let kept = engine.checkpoints().await;
    let rows = html! {
        @for checkpoint in &kept {
            tr {
                (cell("Id", "n", &html! { (checkpoint.id) }))
                (cell("Name", "", &html! { bdi { (checkpoint.name.as_deref().unwrap_or("")) } }))
                (cell("Time", "", &ago(checkpoint.at, now)))
                td {
                    button.danger type="button" data-method="POST"
                        data-path={ "/_sim/checkpoints/" (checkpoint.id) "/revert" }
                        aria-label={ "Return to checkpoint " (checkpoint.id) } { "Return" }
                }
            }
        }
    };
    html! {
        section.tile aria-labelledby="checkpoints-title" {
            h2 #checkpoints-title { "Checkpoints" }
            (form("POST", "/_sim/checkpoints", "Take", &[Field::Text("name", "Name", "")]))
            div #checkpoints data-live {
                @if kept.is_empty() { p.muted { "None yet." } } @else {
                    (table("Checkpoints", &heads(&[("Id", "n"), ("Name", ""), ("Time", ""), ("Return", "")]), &rows))
                }
            }
        }
    }
}

async fn accounts(engine: &Engine) -> Result<Markup, Refusal> {
    let balances = engine.balances().await?;
    let chains: Vec<String> =
        engine.chains().map(|(chain, _)| format!("Chain {}, ETH", chain.id())).collect();
    let rows = html! {
        @for (account, on_chains) in &balances {
            tr {
                (cell("Account", "", &address(*account)))
                @for (chain, wei) in chains.iter().zip(on_chains.values()) { (cell(chain, "n", &number(*wei, DECIMALS))) }
            }
        }
    };
    let columns: Vec<_> =
        std::iter::once(("Account", "")).chain(chains.iter().map(|chain| (chain.as_str(), "n"))).collect();
    Ok(html! {
        section aria-labelledby="accounts-title" {
            h2 #accounts-title { "Funded accounts" }
            div #accounts data-live { (table("Funded accounts", &heads(&columns), &rows)) }
        }
    })
}

fn market() -> Markup {
    let account = Field::Text("account", "Account (empty: the first)", "");
    html! {
        section.tile aria-labelledby="market-title" {
            h2 #market-title { "Launch, trade, graduate" }
            (form("POST", "/_sim/launches", "Launch", &[
                CHAINS,
                Field::Text("name", "Name", "Console token"),
                Field::Text("ticker", "Ticker", "CON"),
                Field::Text("targetRaise", "Target (ETH)", "1"),
                Field::Text("prebuy", "Prebuy (ETH)", ""),
                Field::Number("antiSnipeDuration", "Protected for seconds", ""),
                account,
            ]))
            (form("POST", "/_sim/trades", "Trade", &[
                TOKEN_CHAIN,
                Field::Text("token", "Token", ""),
                Field::Choice("side", "Side", &[("buy", "buy"), ("sell", "sell")]),
                Field::Text("amount", "Amount (whole units)", "0.1"),
                account,
            ]))
            (dangerous("POST", "/_sim/tokens/{token}/graduate", "Graduate", &[
                TOKEN_CHAIN,
                Field::Text("token", "Token", ""),
                account,
            ]))
        }
    }
}

fn credentials() -> Markup {
    html! {
        section.tile aria-labelledby="credentials-title" {
            h2 #credentials-title { "Captchas and authorisations" }
            (form("POST", "/_sim/captchas", "Mint captcha token", &[Field::Number("ttlSeconds", "Valid for seconds", "300")]))
            (form("POST", "/_sim/captcha-auths", "Mint authorisation", &[
                CHAINS,
                Field::Text("trader", "Trader", ""),
                Field::Number("launchId", "Launch", ""),
                Field::Text("hook", "Hook (empty: native)", ""),
            ]))
            (form("POST", "/_sim/bearers", "Mint bearer token", &[Field::Text("address", "Wallet", "")]))
        }
    }
}

fn switches() -> Markup {
    html! {
        section.tile aria-labelledby="switches-title" {
            h2 #switches-title { "Switches" }
            div.dangerous {
                (forms("/_sim/tokens/{token}/disabled", &[("PUT", "Disable token"), ("DELETE", "Restore token")], &[
                    Field::Text("token", "Token", ""),
                ]))
                (forms("/_sim/creation-paused?chainId={chainId}", &[("PUT", "Pause creation"), ("DELETE", "Resume creation")], &[
                    CHAINS,
                ]))
            }
        }
    }
}

fn export() -> Markup {
    html! {
        section.tile aria-labelledby="export-title" {
            h2 #export-title { "Export" }
            (form("POST", "/_sim/export", "Export everything", &[
                Field::Text("file", "Name of the file (empty: that of --export)", ""),
            ]))
        }
    }
}

/// Buttons for faults: the name, the effect and the label.
const FAULTS: [(&str, &str, &str); 4] = [
    ("busy", r#""status":429"#, "429 once"),
    ("down", r#""status":503"#, "503 once"),
    ("slow", r#""delayMilliseconds":2000"#, "2 s late once"),
    ("broken", r#""cut":true"#, "broken off once"),
];

fn faults(api: &Api) -> Markup {
    let set = api.faults.all();
    let rows = html! {
        @for (name, ordered) in &set {
            tr {
                (cell("Name", "", &html! { bdi { (name) } }))
                (cell("Fault", "", &fault(&ordered.fault)))
                (cell("Struck", "n", &html! {
                    span.(if ordered.hits > 0 { "fell" } else { "muted" }) {
                        @if ordered.hits > 0 { (ordered.hits) " of " (ordered.fault.times) } @else { "not yet" }
                    }
                }))
                td {
                    button.plain type="button" data-method="DELETE" data-path={ "/_sim/faults/" (encoded(name)) }
                        aria-label={ "Remove fault " (name) } { "Remove" }
                }
            }
        }
    };
    let columns = [("Name", ""), ("Fault", ""), ("Struck", "n"), ("Remove", "")];
    html! {
        section.tile aria-labelledby="faults-title" {
            h2 #faults-title { "Faults" }
            div.presets {
                span.muted { "The list of tokens: " }
                @for (name, effect, text) in FAULTS {
                    (preset(
                        "PUT",
                        &format!("/_sim/faults/{name}"),
                        &format!(r#"{{"service":"rest","path":"/api/tokens","effect":{{{effect}}}}}"#),
                        text,
                    ))
                }
            }
            div #faults data-live {
                @if set.is_empty() { p.muted { "None." } } @else { (table("Faults", &heads(&columns), &rows)) }
            }
            (form("PUT", "/_sim/faults/{fault}", "Set", &[
                Field::Text("fault", "Name", "busy"),
                Field::Choice("service", "Service", &[("rest", "rest"), ("swap", "swap"), ("", "either")]),
                Field::Text("method", "Method (empty: any)", ""),
                Field::Text("path", "Path", "/api/tokens"),
                Field::Number("effect.status", "Status", "429"),
                Field::Number("effect.delayMilliseconds", "or delay (ms)", ""),
                Field::JsonChoice("effect.cut", "or break off", &[("", "no"), ("true", "yes")]),
                Field::Number("nth", "From call", "1"),
                Field::Number("times", "Calls", "1"),
            ]))
        }
    }
}

/// The effect of a fault and the affected calls, in words.
fn fault(fault: &Fault) -> Markup {
    html! {
        (fault.method.as_deref().unwrap_or("any")) " " code { (fault.path) }
        @if let Some(service) = &fault.service { " of " (service) }
        ": "
        @match fault.effect {
            Effect::Status(status) => (status),
            Effect::DelayMilliseconds(delay) => { (delay) " ms late" },
            Effect::Cut(_) => "broken off",
        }
        " from call " (fault.nth) ", " (fault.times) " in all"
    }
}

fn encoded(name: &str) -> String {
    url::form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>().replace('+', "%20")
}
