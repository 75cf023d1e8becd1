//! Judges the form of one answer: its status, headers, fields and their types.
use serde_json::Value;

use super::operations::{FLAGGED, Form, Header, LIMITED, OPERATIONS, Operation, REFUSAL, STATUSES, header};
use super::{laws, tool};
use crate::answers::fields;
use crate::answers::fields::shape::{Misshapen, misspelled};
use crate::answers::members::excerpt;
use crate::answers::reads::{BATCH, EOTI, REFERRAL_STATS, has_no_token};
use crate::client::kept::{Audit, Seen, Service};
use crate::client::message::Response;
use crate::model::evidence::Evidence;
use crate::model::figure::Figure;
use crate::model::shown::readable;
use crate::model::verdict::{Binding, Failure};
use crate::trial::Trial;
use crate::trial::clause::Clause;
use crate::truth::reference::points;

/// Members that echo the caller's input.
const ECHOES: [&str; 1] = ["notFound"];
/// The path under which this project's service serves uploaded images.
const UPLOADS: &str = "/cdn/";
/// Headers of an image.
const UPLOAD: [&str; 6] = [
    "cache-control",
    "content-security-policy",
    "content-type",
    "cross-origin-resource-policy",
    "etag",
    "x-content-type-options",
];
/// The header that marks a CORS preflight request (Fetch standard).
const PREFLIGHT: &str = "access-control-request-method";
/// The header of every answer of this project's services.
const REQUEST_ID: Header = header("x-request-id", Form::Present, Binding::Choice);

/// The clauses by which answers are judged: one for binding demands, one for choices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forms {
    pub(crate) binding: &'static Clause,
    pub(crate) chosen: &'static Clause,
}

impl Forms {
    fn of(&self, binding: Binding) -> &'static Clause {
        if binding.binds_every_platform() { self.binding } else { self.chosen }
    }
}

/// The failures of one answer.
struct Judgement<'t, 'w> {
    trial: &'t Trial<'w>,
    forms: Forms,
    seen: &'t Seen,
    found: Vec<Failure>,
}

/// Returns every deviation of an answer from the form of its endpoint and status, binding or not.
pub(crate) fn form(trial: &Trial<'_>, forms: Forms, seen: &Seen) -> Vec<Failure> {
    let mut judgement = Judgement { trial, forms, seen, found: Vec::new() };
    judgement.form();
    judgement.found
}

/// Returns every deviation of the tool servers' answers from the form of the protocol, and every difference between two descriptions of a
/// server, its versions or its tools.
pub(crate) fn calls(trial: &Trial<'_>, forms: Forms) -> Vec<Failure> {
    let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok();
    let calls = trial.audit().map(Audit::calls).unwrap_or_default();
    let mut read = Vec::new();
    let mut found = Vec::new();
    for (request, answer) in &calls {
        if let Some((asked, reported)) = json(request).zip(json(answer)) {
            let evidence = String::from_utf8_lossy(request).trim().to_owned();
            let bad = tool::judge(&asked, &reported).into_iter();
            found.extend(bad.map(|bad| misshapen(trial, forms, &evidence, bad)));
            read.push((asked, reported));
        }
    }
    let bad = tool::agree(&read).into_iter();
    found.extend(bad.map(|bad| misshapen(trial, forms, "what a tool server reports of itself", bad)));
    found
}

/// Builds the failure of a misshapen place, by the binding clause or the clause of choices.
fn misshapen(
    trial: &Trial<'_>,
    forms: Forms,
    evidence: &(impl Evidence + ?Sized),
    bad: Misshapen,
) -> Failure {
    let place = if bad.pointer.is_empty() { "the body".to_owned() } else { bad.pointer };
    let (expected, actual) = (format!("{place}: {}", bad.expected), format!("{place} = {}", bad.actual));
    Failure::of(trial.world, forms.of(bad.binding), evidence, (expected, actual))
}

/// Whether an answer refuses a path or a method that the service does not have.
fn refuses_endpoint(seen: &Seen) -> bool {
    let known = OPERATIONS.iter().any(|one| one.service == seen.service && one.path == seen.path);
    let code = seen.response.code();
    code == 405 || (code == 404 && !known && !seen.path.starts_with(UPLOADS))
}

impl Judgement<'_, '_> {
    fn holds(&mut self, binding: Binding, fits: bool, expected: &str, actual: impl FnOnce() -> String) {
        if !fits {
            let (clause, response) = (self.forms.of(binding), &*self.seen.response);
            let texts = (expected.to_owned(), actual());
            self.found.push(Failure::of(self.trial.world, clause, response, texts));
        }
    }

    fn chosen(&mut self, fits: bool, expected: &str) {
        let response = &self.seen.response;
        self.holds(Binding::Choice, fits, expected, || response.excerpt());
    }

    fn misshapen(&mut self, bad: Vec<Misshapen>) {
        let response = &*self.seen.response;
        self.found.extend(bad.into_iter().map(|bad| misshapen(self.trial, self.forms, response, bad)));
    }

    fn form(&mut self) {
        let seen = self.seen;
        let response = &*seen.response;
        let known = OPERATIONS.iter().filter(|one| one.service == seen.service && one.path == seen.path);
        let method = response.request.method.as_str();
        let asked = if method == "HEAD" { "GET" } else { method };
        let operation = known.clone().find(|one| one.method == asked);
        self.has(&REQUEST_ID);
        if LIMITED.iter().any(|header| response.header(header.name).is_some()) {
            LIMITED.iter().for_each(|header| self.has(header));
        }
        if method == "OPTIONS" {
            self.options();
            return;
        }
        if seen.service == Service::Rest && seen.path.starts_with(UPLOADS) && response.status.is_success() {
            self.chosen(response.code() == 200, "status 200");
            UPLOAD.iter().for_each(|name| self.has(&header(name, Form::Present, Binding::Choice)));
            return;
        }
        let is_api = seen.path == "/api" || seen.path.starts_with("/api/");
        match (operation, response.status.is_success()) {
            (Some(operation), true) => self.success(operation, method == "HEAD"),
            (_, false) if is_api => self.refusal(method == "HEAD"),
            (None, false) if refuses_endpoint(seen) && !is_page(response) => {
                self.refusal(method == "HEAD");
            }
            _ => {}
        }
    }

    fn options(&mut self) {
        let response = &*self.seen.response;
        if !response.status.is_success() {
            return;
        }
        self.chosen([200, 204].contains(&response.code()), "status 204");
        if response.request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(PREFLIGHT)) {
            self.has(&header("access-control-allow-methods", Form::Present, Binding::Choice));
        }
        self.has(&header("allow", Form::Present, Binding::Choice));
    }

    fn success(&mut self, operation: &Operation, only_head: bool) {
        let response = &*self.seen.response;
        self.chosen(response.code() == 200, "status 200");
        let may_be_nothing = operation.service == Service::Rest && operation.path == EOTI;
        if may_be_nothing && !only_head && has_no_token(response) {
            return;
        }
        self.is_json(Binding::Interface);
        operation.headers.iter().for_each(|header| self.has(header));
        if only_head {
            return;
        }
        let Some(body) = response.json() else {
            self.holds(Binding::Interface, false, "a JSON body", || response.excerpt());
            return;
        };
        self.misshapen(operation.body.judge(&body));
        self.misshapen(misspelled(&body, &ECHOES).into_iter().collect());
        self.misshapen(laws::judge(self.seen, &body));
        match operation.path {
            // The GET form is left open.
            BATCH if operation.method == "POST" => self.flagged(&body),
            REFERRAL_STATS => self.summed(&body["stats"]),
            _ => {}
        }
    }

    /// The points of a referrer are the sum of their parts; this is a choice.
    fn summed(&mut self, stats: &Value) {
        let part = |name: &str| Figure::parse(&stats[name].to_string());
        let parts = ["points_from_trading", "points_from_token_creation", "points_from_milestones"];
        let parts: Option<Vec<Figure>> = parts.into_iter().map(part).collect();
        let Some((total, parts)) = part("total_points_earned").zip(parts) else { return };
        let sum = parts.iter().map(Figure::value).sum();
        let expected = format!("total_points_earned = {sum}");
        self.holds(Binding::Choice, points::shows(&total, &sum), &expected, || total.text().to_owned());
    }

    /// The fields of a flag are in every token of the batch, unless the flag is `false`: then no token has them.
    fn flagged(&mut self, body: &Value) {
        let asked = self.seen.response.asked();
        for (flag, place) in FLAGGED {
            let wanted = match &asked[flag] {
                Value::Null => true,
                Value::Bool(wanted) => *wanted,
                // Other values of a flag are left to the checks of the batch.
                _ => continue,
            };
            let tokens = body["tokens"].as_array().into_iter().flatten().filter_map(Value::as_object);
            let fields = fields::token(&[place]);
            for (token, field) in tokens.flat_map(|token| fields.iter().map(move |field| (token, field))) {
                let reported = token.get(field.name);
                let fits = reported.map_or(!wanted, |value| wanted && field.shape.judge(value).is_empty());
                let expected = format!("{} where {flag} is {wanted}", field.name);
                self.holds(Binding::Interface, fits, &expected, || {
                    reported.map_or_else(|| "none".to_owned(), excerpt)
                });
            }
        }
    }

    /// A refusal or a server error: its status, headers and body are choices.
    fn refusal(&mut self, only_head: bool) {
        let response = &*self.seen.response;
        let code = response.code();
        self.chosen(STATUSES.contains(&code), "a status of the interface");
        self.is_json(Binding::Choice);
        match code {
            405 => self.has(&header("allow", Form::Present, Binding::Choice)),
            429 => self.has(&header("retry-after", Form::Number, Binding::Choice)),
            _ => {}
        }
        if only_head {
            return;
        }
        let Some(body) = response.json() else {
            self.chosen(false, "a JSON body");
            return;
        };
        self.misshapen(REFUSAL.judge(&body));
        let reports = |name: &str| body[name].as_u64();
        self.chosen(reports("status") == Some(u64::from(code)), "the status in the body");
        let words = body["error"].as_str().is_some_and(|text| !text.trim().is_empty());
        self.chosen(words, "an error in words");
        let waits = code != 429 || reports("retryAfter") == response.header_number("retry-after");
        self.chosen(waits, "retryAfter as Retry-After has it");
    }

    fn is_json(&mut self, binding: Binding) {
        let response = &self.seen.response;
        let reported = response.header("content-type").unwrap_or_default();
        self.holds(binding, response.is_json(), "content-type: application/json", || readable(&reported));
    }

    fn has(&mut self, header: &Header) {
        let response = &self.seen.response;
        let reported = response.header(header.name);
        let fits = match header.form {
            Form::Present => reported.is_some_and(|text| !text.is_empty()),
            Form::Number => response.header_number(header.name).is_some(),
            Form::Directives(directives) => response.lists(header.name, directives),
        };
        let expected = format!("the header {}", header.name);
        self.holds(header.binding, fits, &expected, || readable(&reported));
    }
}

/// Whether an answer is an HTML page for people.
fn is_page(response: &Response) -> bool {
    response.header("content-type").is_some_and(|reported| reported.to_lowercase().starts_with("text/html"))
}
