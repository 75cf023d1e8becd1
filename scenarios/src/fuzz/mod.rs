//! Requests made from an OpenAPI document, valid ones and broken ones, whose answers are held to it. It knows the document
//! and nothing of who serves it; of one seed and one document follow the same requests.
mod document;
mod encode;
mod judge;
mod plan;
mod values;

use std::collections::BTreeMap;
use std::ops::Range;

use futures::future::BoxFuture;
use serde_json::Value;
use url::Url;

pub use document::{Document, DocumentError};

use self::document::{Operation, ParameterLocation, Proof, Shape};
use self::encode::{Content, plain, quoted};
use self::judge::{Mismatch, judge};
use self::plan::{Expected, Plan, Planner};
use self::values::{CAPTCHA, Pool};
use crate::client::control::Control;
use crate::client::http::Http;
use crate::client::message::{Request, Response};
use crate::verdict::Inconclusive;

/// The most requests that make a failing one smaller.
const MOST_SHRINKS: usize = 40;

/// A service under test and what the caller was given for it.
#[derive(Debug)]
pub struct Fuzz {
    /// The service's own OpenAPI document.
    pub document: Document,
    /// Its address.
    pub origin: Url,
    /// The control plane, where there is one: it mints captcha tokens.
    pub control: Option<Control>,
    /// A bearer token.
    pub bearer: Option<String>,
    /// Credentials by the name of the header that carries them, in lower case.
    pub credentials: BTreeMap<String, String>,
    /// Texts by the name of the parameter or field that they may be sent as, besides those that the service returns.
    pub given: BTreeMap<String, Vec<String>>,
    /// Decides every request.
    pub seed: u64,
    /// Leave out what writes.
    pub only_reads: bool,
    /// Send only the operation of this id.
    pub only: Option<String>,
}

/// A request whose answer is not as the document has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The operation.
    pub operation: String,
    /// The number of the case.
    pub case: u64,
    /// What is broken or odd about the request, in words.
    pub request: String,
    /// What the document demands.
    pub expected: String,
    /// What came.
    pub actual: String,
    /// A command line that shows it again.
    pub reproduce: String,
    /// How many cases showed the same.
    pub times: u64,
}

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// One finding for each operation and demand that was not met.
    pub findings: Vec<Finding>,
    /// Answers by operation and status.
    pub responses: BTreeMap<String, BTreeMap<u16, u64>>,
    /// Requests that met a limit again and again, and were not judged.
    pub limited: u64,
}

/// Why a run came to no outcome.
#[derive(Debug, thiserror::Error)]
pub enum FuzzError {
    /// The document cannot be used.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The target could not be reached.
    #[error(transparent)]
    Inconclusive(#[from] Inconclusive),
}

impl Fuzz {
    /// Sends the cases of these numbers, one after the other.
    pub fn run<'a>(&'a self, http: &'a Http, cases: Range<u64>) -> BoxFuture<'a, Result<Outcome, FuzzError>> {
        Box::pin(async move {
            let candidates = self.document.candidates(self.only_reads, self.only.as_deref())?;
            let pool = self.known(http).await?;
            let planner = self.planner(&candidates, &pool);
            let mut outcome = Outcome::default();
            for number in cases {
                let plan = planner.case(number);
                let response = self.send(http, &plan).await?;
                let operation = &self.document.operations[plan.operation];
                let statuses = outcome.responses.entry(operation.id.clone()).or_default();
                *statuses.entry(response.status.as_u16()).or_default() += 1;
                if is_limited(&self.document, &plan, &response) {
                    outcome.limited += 1;
                    continue;
                }
                if let Err(mismatch) = judge(&self.document, &plan, &response) {
                    self.found(http, number, plan, mismatch, response, &mut outcome).await?;
                }
            }
            Ok(outcome)
        })
    }

    /// The requests of these cases as command lines; sends only the requests for the target's documents.
    pub fn requests<'a>(
        &'a self,
        http: &'a Http,
        cases: Range<u64>,
    ) -> BoxFuture<'a, Result<Vec<String>, FuzzError>> {
        Box::pin(async move {
            let candidates = self.document.candidates(self.only_reads, self.only.as_deref())?;
            let pool = self.known(http).await?;
            let planner = self.planner(&candidates, &pool);
            Ok(cases.map(|number| self.request(&planner.case(number)).reproduce()).collect())
        })
    }

    fn planner<'a>(&'a self, candidates: &'a [usize], pool: &'a Pool) -> Planner<'a> {
        Planner { document: &self.document, pool, seed: self.seed, candidates }
    }

    /// Asks what can be asked without knowing anything, and keeps what can be sent again.
    async fn known(&self, http: &Http) -> Result<Pool, Inconclusive> {
        let operations = &self.document.operations;
        let parameters = operations.iter().flat_map(|operation| &operation.parameters);
        let mut wanted: Vec<(String, &Shape)> =
            parameters.map(|parameter| (parameter.name.clone(), &parameter.shape)).collect();
        let fields: Vec<(String, Shape)> = operations.iter().flat_map(body_fields).collect();
        wanted.extend(fields.iter().map(|(name, shape)| (name.clone(), shape)));
        let mut pool = Pool::given(&self.given);
        for operation in
            operations.iter().filter(|operation| operation.method.is_safe() && operation.is_open())
        {
            for query in plain_queries(operation) {
                let pairs: Vec<(&str, &str)> =
                    query.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
                let response = http.send(Request::get(&self.origin, &operation.path, &pairs)).await?;
                if let Some(body) = response.json().filter(|_| response.status.is_success()) {
                    pool.learn(&body, &wanted);
                }
            }
        }
        Ok(pool)
    }

    async fn found(
        &self,
        http: &Http,
        case: u64,
        plan: Plan,
        mismatch: Mismatch,
        response: Response,
        outcome: &mut Outcome,
    ) -> Result<(), Inconclusive> {
        let operation = self.document.operations[plan.operation].id.clone();
        let same =
            |finding: &&mut Finding| finding.operation == operation && finding.expected == mismatch.expected;
        if let Some(finding) = outcome.findings.iter_mut().find(same) {
            finding.times += 1;
            return Ok(());
        }
        let (plan, mismatch, response) = self.shrink(http, plan, mismatch, response).await?;
        outcome.findings.push(Finding {
            operation,
            case,
            request: plan.what,
            expected: mismatch.expected,
            actual: mismatch.actual,
            reproduce: response.request.reproduce(),
            times: 1,
        });
        Ok(())
    }

    /// The same failure with as few parameters and fields as show it.
    async fn shrink(
        &self,
        http: &Http,
        mut plan: Plan,
        mut mismatch: Mismatch,
        mut response: Response,
    ) -> Result<(Plan, Mismatch, Response), Inconclusive> {
        let operation = &self.document.operations[plan.operation];
        let ruled = !operation.rules.is_empty();
        let needed =
            |name: &str| ruled || operation.parameters.iter().any(|one| one.required && one.name == name);
        let names: Vec<String> = plan.query.iter().map(|(name, _)| name.clone()).collect();
        let spare = names.into_iter().filter(|name| !needed(name) && plan.subject.as_ref() != Some(name));
        for name in spare.collect::<Vec<_>>().into_iter().take(MOST_SHRINKS) {
            let mut less = plan.clone();
            less.query.retain(|(one, _)| *one != name);
            let tried = self.send(http, &less).await?;
            if let Err(still) = judge(&self.document, &less, &tried)
                && still.expected == mismatch.expected
            {
                (plan, mismatch, response) = (less, still, tried);
            }
        }
        Ok((plan, mismatch, response))
    }

    /// Sends a request; one that meets a declared limit is sent once more when its time has come.
    async fn send(&self, http: &Http, plan: &Plan) -> Result<Response, Inconclusive> {
        let mut patience = http.patience();
        let response = self.send_once(http, plan).await?;
        if response.status != 429
            || judge(&self.document, plan, &response).is_err()
            || http.wait_out(&mut patience, &response).await.is_err()
        {
            return Ok(response);
        }
        self.send_once(http, plan).await
    }

    async fn send_once(&self, http: &Http, plan: &Plan) -> Result<Response, Inconclusive> {
        let mut request = self.request(plan);
        self.mint(&mut request).await?;
        http.send_once(request).await
    }

    /// Puts a captcha token wherever a request names one that is to be minted.
    async fn mint(&self, request: &mut Request) -> Result<(), Inconclusive> {
        let Some((control, body)) = self.control.as_ref().zip(request.body.as_mut()) else {
            return Ok(());
        };
        let place = body.windows(CAPTCHA.len()).position(|window| window == CAPTCHA.as_bytes());
        if let Some(place) = place {
            let token = control.captcha().await?;
            body.splice(place..place + CAPTCHA.len(), token.into_bytes());
        }
        Ok(())
    }

    fn request(&self, plan: &Plan) -> Request {
        let mut request = Request::get(&self.origin, &plan.path, &[]);
        request.method = plan.method.clone();
        let mut query: Vec<String> =
            plan.query.iter().map(|(name, text)| format!("{}={}", quoted(name), quoted(text))).collect();
        query.extend(plan.raw_query.clone());
        if !query.is_empty() {
            request.url.set_query(Some(&query.join("&")));
        }
        request.headers.clone_from(&plan.headers);
        for proof in &plan.proofs {
            let header = match proof {
                Proof::Bearer => {
                    self.bearer.as_ref().map(|token| ("authorization".to_owned(), format!("Bearer {token}")))
                }
                Proof::Header(name) => {
                    let credential = self.credentials.get(&name.to_ascii_lowercase());
                    credential.map(|credential| (name.clone(), credential.clone()))
                }
                Proof::Unknown => None,
            };
            request.headers.extend(header);
        }
        if let Some(content) = plan.content.as_ref().map(Content::encoded) {
            let (media_type, bytes) = content;
            if !media_type.is_empty() {
                request.headers.push(("content-type".to_owned(), media_type));
            }
            request.body = Some(bytes);
        }
        request
    }
}

/// Whether an answer only reports that a declared limit is used up, which leaves the request unjudged.
fn is_limited(document: &Document, plan: &Plan, response: &Response) -> bool {
    response.status == 429
        && plan.expected != Expected::Declared
        && document.operations[plan.operation].responses.contains_key(&429)
        && judge(document, &Plan { expected: Expected::Declared, ..plan.clone() }, response).is_ok()
}

/// Fields of a body that are text of some form.
fn body_fields(operation: &Operation) -> Vec<(String, Shape)> {
    let schema = operation.body.as_ref().map(|body| &body.shape.schema);
    let properties = schema.and_then(|schema| schema["properties"].as_object());
    let of_text = properties.into_iter().flatten().filter(|(_, property)| property["type"] == "string");
    of_text.filter_map(|(name, property)| Some((name.clone(), Shape::alone(property)?))).collect()
}

/// Queries that ask an operation without knowing anything: none but required parameters, each of them one of few values.
fn plain_queries(operation: &Operation) -> Vec<Vec<(String, String)>> {
    let mut queries = vec![Vec::new()];
    for parameter in operation.parameters.iter().filter(|parameter| parameter.required) {
        let values =
            parameter.shape.schema["enum"].as_array().filter(|_| parameter.place == ParameterLocation::Query);
        let extended = |query: &Vec<(String, String)>| -> Vec<_> {
            let with = |value: &Value| [&query[..], &[(parameter.name.clone(), plain(value))]].concat();
            values.into_iter().flatten().map(with).collect()
        };
        queries = queries.iter().flat_map(extended).collect();
    }
    queries
}

#[cfg(test)]
mod tests;
