//! `slipway fuzz`: requests made from the OpenAPI documents of a target, and a report of the answers that violate them.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use slipway_scenarios::Target;
use slipway_scenarios::client::account::Account;
use slipway_scenarios::client::control::Control;
use slipway_scenarios::client::http::Http;
use slipway_scenarios::client::message::Request;
use slipway_scenarios::fuzz::{Document, Finding, Fuzz, Outcome};
use slipway_scenarios::verdict::Inconclusive;
use url::Url;

use crate::arguments::{FuzzArguments, LaneArgument};
use crate::error::{CommandError, UsageError};
use crate::exit::Exit;
use crate::local::Front;
use crate::{external, local, output, target_file};

/// Where a service publishes its document.
const DOCUMENT: &str = "/openapi.json";

pub(super) async fn run(mut arguments: FuzzArguments) -> Result<Exit, CommandError> {
    // Switching on a defect implies the local platform.
    if arguments.platform.defects.is_empty() || arguments.target.target_file.is_some() {
        let settings = target_file::apply(&mut arguments.target)?;
        arguments.write |= settings.lane == Some(LaneArgument::Write);
    }
    let given = &arguments.target;
    if given.image.is_none() && given.base_url.is_none() && given.swap_url.is_none() {
        for (given, option) in [
            (arguments.document.is_some(), "--document"),
            (given.control_url.is_some(), "--control-url"),
            (!given.rpc_urls.is_empty(), "--rpc-url"),
            (given.mcp.is_some(), "--mcp"),
        ] {
            if given {
                return Err(UsageError::ExternalOnly { option }.into());
            }
        }
        let front = Front::of(&arguments.platform)?;
        let platform = local::start_for_checks(&arguments.platform, front).await?;
        let target = platform.target(arguments.target.rate.policy())?;
        let terms = Terms { only_reads: false, lasting: platform.lasting_addresses() };
        let exit = platform.alive(fuzz(target, &arguments, terms)).await;
        platform.stop().await;
        return exit;
    }
    if !arguments.platform.defects.is_empty() {
        return Err(UsageError::LocalOnly { option: "--defect" }.into());
    }
    let external = external::start(&arguments.target).await?;
    let target = external.target.clone();
    if arguments.document.is_some() && target.base_url.is_some() && target.swap_url.is_some() {
        return Err(UsageError::DocumentOfTwo.into());
    }
    let only_reads = external.lane() == LaneArgument::Read && !arguments.write;
    let terms = Terms { only_reads, lasting: external.lasting.clone() };
    external.alive(fuzz(target, &arguments, terms)).await
}

/// The settings of a run that depend on the kind of target.
struct Terms {
    only_reads: bool,
    /// Pairs of an address that is valid only during the run and the one that the report contains in its place.
    lasting: Vec<(String, String)>,
}

async fn fuzz(target: Target, arguments: &FuzzArguments, terms: Terms) -> Result<Exit, CommandError> {
    let token = target.control_token.clone();
    let http = Http::within(target.rate_policy.clone(), target.control_url.clone(), token.clone())?;
    let control = target.control_url.clone().map(|url| Control::new(http.clone(), url, token));
    let accounts = target.private_keys.iter().map(Account::lent);
    let wallets: Vec<_> =
        accounts.map(|account| account.map(|account| account.address())).collect::<Result<_, _>>()?;
    let bearer = match (&control, wallets.first()) {
        (Some(control), Some(wallet)) => Some(control.bearer(*wallet).await?),
        _ => None,
    };
    let wallets: Vec<String> = wallets.iter().map(ToString::to_string).collect();
    let given = BTreeMap::from([("userAddress".to_owned(), wallets)]);
    let operator = target.operator_key.clone().map(|key| ("x-operator-key".to_owned(), key));
    let credentials: BTreeMap<String, String> = operator.into_iter().collect();
    let (mut ran, mut requests) = (Vec::new(), Vec::new());
    for (service, origin) in [("rest", &target.base_url), ("swap", &target.swap_url)] {
        let Some(origin) = origin.clone() else { continue };
        let written = match &arguments.document {
            Some(path) => document_file(path)?,
            None => document_of(&http, &origin).await?,
        };
        let document = Document::read(&written)?;
        if arguments.operation.as_ref().is_some_and(|id| !document.has(id)) {
            continue;
        }
        let fuzz = Fuzz {
            document,
            origin,
            control: control.clone(),
            bearer: bearer.clone(),
            credentials: credentials.clone(),
            given: given.clone(),
            seed: arguments.platform.seed,
            only_reads: terms.only_reads,
            only: arguments.operation.clone(),
        };
        let numbers = arguments.case.map_or(0..arguments.cases, |case| case..case.saturating_add(1));
        if arguments.dry_run {
            requests.extend(fuzz.requests(&http, numbers).await?);
        } else {
            ran.push((service, fuzz.run(&http, numbers).await?));
        }
    }
    if let Some(id) = arguments.operation.clone().filter(|_| ran.is_empty() && requests.is_empty()) {
        return Err(UsageError::UnknownOperation { id }.into());
    }
    let mut text = if arguments.dry_run {
        requests.join("\n") + "\n"
    } else if arguments.json {
        format!("{:#}\n", as_json(&ran, arguments))
    } else {
        as_text(&ran, arguments)
    };
    for (now, lasting) in &terms.lasting {
        text = text.replace(now, lasting);
    }
    output::data(&text)?;
    let sound = ran.iter().all(|(_, outcome)| outcome.findings.is_empty());
    Ok(if sound { Exit::Conformant } else { Exit::Failure })
}

fn document_file(path: &Path) -> Result<Value, UsageError> {
    let failed = |source| UsageError::DocumentText { path: path.display().to_string(), source };
    serde_json::from_str(&external::read(path, "the document")?).map_err(failed)
}

async fn document_of(http: &Http, origin: &Url) -> Result<Value, CommandError> {
    let answer = http.send(Request::get(origin, DOCUMENT, &[])).await?;
    answer.json().filter(|_| answer.status.is_success()).ok_or_else(|| {
        let reason = format!("{}: {}", answer.request.reproduce(), answer.excerpt());
        Inconclusive::Unreachable { endpoint: "the document of the service", reason }.into()
    })
}

/// The command line that sends one case again.
fn replay(finding: &Finding, arguments: &FuzzArguments) -> String {
    let mut line = super::command_line("fuzz", &arguments.platform, &arguments.target);
    let mut add = |option: &str, value: &str| super::add_option(&mut line, option, value);
    if let Some(path) = &arguments.document {
        add("--document", &path.display().to_string());
    }
    if let Some(id) = &arguments.operation {
        add("--operation", id);
    }
    add("--case", &finding.case.to_string());
    if arguments.write {
        line.push_str(" --write");
    }
    line
}

fn as_text(ran: &[(&str, Outcome)], arguments: &FuzzArguments) -> String {
    let mut text = String::new();
    for (service, outcome) in ran {
        let sent: u64 = outcome.responses.values().flat_map(BTreeMap::values).sum();
        let _ = writeln!(
            text,
            "{service}: {sent} requests to {} operations, {} findings, {} not judged for a limit",
            outcome.responses.len(),
            outcome.findings.len(),
            outcome.limited
        );
        for (operation, statuses) in &outcome.responses {
            let statuses: Vec<String> =
                statuses.iter().map(|(status, times)| format!("{status} x {times}")).collect();
            let _ = writeln!(text, "  {operation:<24} {}", statuses.join(", "));
        }
        for finding in &outcome.findings {
            let _ = writeln!(
                text,
                "\nFAILED {} ({service}, case {}, {} like it): {}\n  expected:  {}\n  actual:    {}\n  reproduce: {}\n  replay:    {}\n",
                finding.operation,
                finding.case,
                finding.times,
                finding.request,
                finding.expected,
                finding.actual,
                finding.reproduce,
                replay(finding, arguments)
            );
        }
    }
    let _ = writeln!(text, "seed {}", arguments.platform.seed);
    text
}

fn as_json(ran: &[(&str, Outcome)], arguments: &FuzzArguments) -> Value {
    let services = ran.iter().map(|(service, outcome)| {
        let findings = outcome.findings.iter().map(|finding| {
            json!({
                "operation": finding.operation,
                "case": finding.case,
                "times": finding.times,
                "request": finding.request,
                "expected": finding.expected,
                "actual": finding.actual,
                "reproduce": finding.reproduce,
                "replay": replay(finding, arguments),
            })
        });
        let report = json!({
            "findings": findings.collect::<Vec<_>>(),
            "responses": outcome.responses,
            "limited": outcome.limited,
        });
        ((*service).to_owned(), report)
    });
    json!({ "seed": arguments.platform.seed, "services": services.collect::<serde_json::Map<_, _>>() })
}
