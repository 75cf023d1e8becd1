//! `slipway fuzz`: requests made from the OpenAPI documents of a target, and a report of the answers that are not as they say.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use slipway_scenarios::Target;
use slipway_scenarios::check::Inconclusive;
use slipway_scenarios::client::account::Account;
use slipway_scenarios::client::control::Control;
use slipway_scenarios::client::http::{Http, Request};
use slipway_scenarios::fuzz::{Document, Finding, Fuzz, Outcome};
use url::Url;

use crate::arguments::{FuzzArguments, TargetArguments};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::local::{Front, LocalPlatform};
use crate::{external, local, output};

/// Where a service tells its document.
const DOCUMENT: &str = "/openapi.json";

pub(super) async fn run(arguments: FuzzArguments) -> Result<Exit, CommandError> {
    if arguments.base_url.is_none() && arguments.swap_url.is_none() {
        for (given, option) in
            [(arguments.document.is_some(), "--document"), (arguments.control_url.is_some(), "--control-url")]
        {
            if given {
                return Err(CommandError::ExternalOnly { option });
            }
        }
        let front = Front::of(&arguments.platform)?;
        let platform = local::start_for_checks(&arguments.platform, front).await?;
        let target = platform.target(arguments.rate.policy())?;
        let exit = tokio::select! {
            exit = fuzz(target, &arguments, Some(&platform)) => exit,
            death = platform.died() => Err(CommandError::Died { reason: death.to_string() }),
        };
        platform.stop().await;
        return exit;
    }
    if !arguments.platform.defects.is_empty() {
        return Err(CommandError::LocalOnly { option: "--defect" });
    }
    if arguments.document.is_some() && arguments.base_url.is_some() && arguments.swap_url.is_some() {
        return Err(CommandError::DocumentOfTwo);
    }
    let target = external::target(&TargetArguments {
        base_url: arguments.base_url.clone(),
        swap_url: arguments.swap_url.clone(),
        control_url: arguments.control_url.clone(),
        operator_key: arguments.operator_key.clone(),
        rate: arguments.rate.clone(),
        ..TargetArguments::default()
    })?;
    fuzz(target, &arguments, None).await
}

async fn fuzz(
    target: Target,
    arguments: &FuzzArguments,
    platform: Option<&LocalPlatform>,
) -> Result<Exit, CommandError> {
    let http = Http::within(target.rate_policy.clone(), target.control_url.clone())?;
    let control = target.control_url.clone().map(|url| Control::new(http.clone(), url));
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
            only_reads: platform.is_none() && !arguments.write,
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
        return Err(CommandError::UnknownOperation { id });
    }
    let mut text = if arguments.dry_run {
        requests.join("\n") + "\n"
    } else if arguments.json {
        format!("{:#}\n", as_json(&ran, arguments))
    } else {
        as_text(&ran, arguments)
    };
    if let Some(platform) = platform {
        for (now, lasting) in platform.lasting_addresses() {
            text = text.replace(&now, &lasting);
        }
    }
    output::data(&text)?;
    let sound = ran.iter().all(|(_, outcome)| outcome.findings.is_empty());
    Ok(if sound { Exit::Conformant } else { Exit::Failure })
}

fn document_file(path: &Path) -> Result<Value, CommandError> {
    let shown = || path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|source| CommandError::DocumentFile { path: shown(), source })?;
    serde_json::from_str(&text).map_err(|source| CommandError::DocumentText { path: shown(), source })
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
    let mut line = format!("slipway fuzz --seed {}", arguments.platform.seed);
    let mut add = |option: &str, value: &str| {
        let _ = write!(line, " {option} {}", shlex::try_quote(value).unwrap_or_default());
    };
    for id in &arguments.platform.defects {
        add("--defect", id);
    }
    for (option, value) in [
        ("--base-url", &arguments.base_url),
        ("--swap-url", &arguments.swap_url),
        ("--control-url", &arguments.control_url),
    ] {
        if let Some(value) = value {
            add(option, value);
        }
    }
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
