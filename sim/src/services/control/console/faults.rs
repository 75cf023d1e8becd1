//! The faults in the console: the configured ones, and a form for another one, which may start from a request of the timeline.
use axum::http::Uri;
use maud::{Markup, html};

use super::form::{Field, form, preset, tile};
use crate::api::Api;
use crate::api::faults::{Effect, Fault};
use crate::services::pages::layout::{cell, heads, table};
use crate::services::pages::sent;

/// Buttons for faults: the name, the effect and the label.
const PRESETS: [(&str, &str, &str); 4] = [
    ("busy", r#""status":429"#, "429 once"),
    ("down", r#""status":503"#, "503 once"),
    ("slow", r#""delayMilliseconds":2000"#, "2 s late once"),
    ("broken", r#""cut":true"#, "broken off once"),
];
const SERVICES: [(&str, &str); 3] = [("rest", "rest"), ("swap", "swap"), ("", "either")];

pub(super) fn tab(api: &Api, uri: &Uri) -> Markup {
    let content = html! {
        div.presets {
            span.muted { "The list of tokens: " }
            @for (name, effect, text) in PRESETS {
                (preset(
                    "PUT",
                    &format!("/_sim/faults/{name}"),
                    &format!(r#"{{"service":"rest","path":"/api/tokens","effect":{{{effect}}}}}"#),
                    text,
                ))
            }
        }
        (set(api))
    };
    html! {
        (tile("faults-title", "Faults", &content))
        (tile("new-fault-title", "A new fault", &new(uri)))
        div #panels {}
    }
}

/// The form, filled in from the query of the page.
fn new(uri: &Uri) -> Markup {
    let [service, method, path] = ["service", "method", "path"].map(|name| sent(uri, name));
    let mut services = SERVICES.to_vec();
    // The first choice is the initial one.
    services.sort_by_key(|(value, _)| *value != service && !service.is_empty());
    let name = path.rsplit('/').find(|part| !part.is_empty()).unwrap_or("busy");
    form(
        "PUT",
        "/_sim/faults/{fault}",
        "Set",
        &[
            Field::Text("fault", "Name", name),
            Field::Choice("service", "Service", &services),
            Field::Text("method", "Method (empty: any)", &method),
            Field::Text("path", "Path", if path.is_empty() { "/api/tokens" } else { &path }),
            Field::Number("effect.status", "Status", "429"),
            Field::Number("effect.delayMilliseconds", "or delay (ms)", ""),
            Field::JsonChoice("effect.cut", "or break off", &[("", "no"), ("true", "yes")]),
            Field::Number("nth", "From call", "1"),
            Field::Number("times", "Calls", "1"),
        ],
    )
}

fn set(api: &Api) -> Markup {
    let set = api.all_faults();
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
        div #faults data-live {
            @if set.is_empty() { p.muted { "None." } } @else { (table("Faults", &heads(&columns), &rows)) }
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
