//! The market that golden files are made on, and the form of an answer in one.
use std::fmt::Write as _;

use serde_json::json;
use slipway_scenarios::client::http::Http;
use slipway_scenarios::client::message::{Request, Response};
use slipway_sim::clock::ClockMode;
use slipway_sim::{Config, Platform, Ready};
use url::Url;

/// Headers that are part of an answer's form; the others belong to the transport.
const HEADERS: [&str; 11] = [
    "content-type",
    "cache-control",
    "content-disposition",
    "x-content-type-options",
    "etag",
    "allow",
    "retry-after",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-service-image-storage",
];

/// The service that gets the request.
#[derive(Clone, Copy)]
pub(super) enum Door {
    Rest,
    Swap,
}

/// The seeded market at its end, where time stands still.
pub(super) struct Market {
    platform: Platform,
    http: Http,
}

impl Market {
    pub(super) async fn start() -> Self {
        let config = Config { seed: 1, clock: ClockMode::Manual, ..Config::default() };
        Self { platform: Platform::start(config).await.unwrap(), http: Http::new().unwrap() }
    }

    pub(super) async fn stop(self) {
        self.platform.stop().await;
    }

    pub(super) fn ready(&self) -> &Ready {
        self.platform.ready()
    }

    pub(super) fn http(&self) -> &Http {
        &self.http
    }

    /// A service's address followed by a path with its query.
    pub(super) fn url(&self, client: Door, path: &str) -> Url {
        let origin = match client {
            Door::Rest => &self.ready().base_url,
            Door::Swap => &self.ready().swap_base_url,
        };
        Url::parse(&format!("{origin}{path}")).unwrap()
    }

    pub(super) async fn get(&self, client: Door, path: &str) -> Response {
        let url = self.url(client, path);
        let mut ask = Request::get(&url, "", &[]);
        ask.url = url;
        self.http.send(ask).await.unwrap()
    }

    /// The answer as text below its request.
    pub(super) fn shown(&self, asked: &str, answer: &Response) -> String {
        let mut text = format!("{asked}\n{}\n", answer.status.as_u16());
        for name in HEADERS {
            if let Some(value) = answer.header(name) {
                let _ = writeln!(text, "{name}: {value}");
            }
        }
        let body = answer.json().unwrap_or_else(|| json!(answer.excerpt()));
        let _ = write!(text, "\n{body:#}");
        self.redacted(text)
    }

    /// Replaces the ports of this run with the names of their services.
    pub(super) fn redacted(&self, text: String) -> String {
        let ready = self.ready();
        text.replace(&ready.base_url, "{rest}").replace(&ready.swap_base_url, "{swap}")
    }
}

/// The cases of one golden file, in their order, each under its id.
#[derive(Default)]
pub(super) struct Golden(String);

impl Golden {
    pub(super) fn add(&mut self, id: &str, text: &str) {
        let _ = writeln!(self.0, "=== {id}\n{text}\n");
    }

    /// Compares them with the file `golden/NAME.snap` of this crate's tests.
    pub(super) fn compare(self, name: &str) {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../golden");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, self.0));
    }
}
