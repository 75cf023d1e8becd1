//! The first event of a run: the target and the selection of checks.
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use slipway_defects::catalogue;
use slipway_scenarios::model::interface::{statements, why_not_judged};
use slipway_scenarios::{Check, Clause, Target, checks};

use super::events::{
    CheckInfo, ClauseInfo, DefectInfo, ProofInfo, Run, Section, TargetInfo, Tool, VERSION, interface,
};
use crate::prove::{Kill, embedded};

/// The first event of a run of these checks, without what the command line decides. Each address is replaced by the second of its pair.
pub(crate) fn run(
    target: &Target,
    local: bool,
    addresses: &[(String, String)],
    checks: &[&'static Check],
) -> Run {
    let shown = |url: &url::Url| {
        let mut url = url.clone();
        // Neither fails on an address with a host, which all of these are.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let text = url.as_str().trim_end_matches('/').to_owned();
        let lasting = addresses.iter().find(|(in_use, _)| *in_use == text);
        lasting.map_or(text, |(_, lasting)| lasting.clone())
    };
    Run {
        version: VERSION,
        tool: Tool { name: "slipway".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        interface: interface(),
        target: TargetInfo {
            local,
            rest: target.base_url.as_ref().map(shown),
            swap: target.swap_url.as_ref().map(shown),
            control: target.control_url.as_ref().map(shown),
            rpc: target.rpc_urls.iter().map(|(id, url)| (id.to_string(), shown(url))).collect(),
            tool_server: target.tool_server.is_some(),
        },
        lane: String::new(),
        seed: 0,
        strict: true,
        replay: String::new(),
        started: Timestamp::now().as_millisecond().try_into().unwrap_or_default(),
        sections: sections(checks),
        statements: statements().count(),
        testable: Some(statements().filter(|statement| why_not_judged(statement.id).is_none()).count()),
        not_judged: not_judged(checks),
        parts: parts(),
        required: Vec::new(),
    }
}

fn sections(checks: &[&'static Check]) -> Vec<Section> {
    let section = |(title, clauses): (&str, Vec<&'static Clause>)| {
        let clauses: Vec<ClauseInfo> = clauses.into_iter().filter_map(|info| clause(info, checks)).collect();
        (!clauses.is_empty()).then(|| Section { title: title.to_owned(), clauses })
    };
    slipway_scenarios::sections().filter_map(section).collect()
}

fn clause(clause: &Clause, checks: &[&'static Check]) -> Option<ClauseInfo> {
    let selected = clause.checks.iter().filter(|check| checks.iter().any(|chosen| chosen.id == check.id));
    let checks: Vec<CheckInfo> = selected.map(check_info).collect();
    (!checks.is_empty()).then(|| ClauseInfo {
        id: clause.id.to_owned(),
        text: clause.text.to_owned(),
        binding: clause.binding().to_string(),
        statements: clause.statements().iter().map(|&id| id.to_owned()).collect(),
        location: clause.location.to_string(),
        checks,
        proven_by: proving(clause.id),
    })
}

/// The parts of the interface, each with the number of its binding checks.
fn parts() -> BTreeMap<String, usize> {
    let mut parts = BTreeMap::new();
    for check in checks().filter(|check| check.clause.binding().binds_every_platform()) {
        *parts.entry(check.part().to_string()).or_default() += 1;
    }
    parts
}

/// The statements that none of these checks judges, each with the reason.
fn not_judged(checks: &[&'static Check]) -> BTreeMap<String, String> {
    let binding = checks.iter().filter(|check| check.clause.binding().binds_every_platform());
    let judged: BTreeSet<&str> = binding.flat_map(|check| check.statements()).copied().collect();
    let others = statements().map(|statement| statement.id).filter(|id| !judged.contains(id));
    let reason = |id| why_not_judged(id).unwrap_or("its checks were not selected").to_owned();
    others.map(|id| (id.to_owned(), reason(id))).collect()
}

fn check_info(check: &Check) -> CheckInfo {
    let info = |(defect, kill): (&str, &Kill)| ProofInfo {
        defect: defect.to_owned(),
        expected: kill.expected.clone(),
        actual: kill.actual.clone(),
    };
    CheckInfo {
        id: check.id.to_owned(),
        summary: check.summary.to_owned(),
        part: check.part().to_string(),
        statements: check.statements().iter().map(|&id| id.to_owned()).collect(),
        location: check.location.to_string(),
        proof: embedded().of_check(check.id).map(info),
        kills: embedded().kills(check.id).map(|(defect, _)| defect.to_owned()).collect(),
    }
}

fn proving(clause: &str) -> Vec<DefectInfo> {
    let defects = catalogue().iter().filter(|defect| defect.clauses.contains(&clause));
    let info = |defect: &slipway_defects::Defect| DefectInfo {
        id: defect.id.to_owned(),
        summary: defect.summary.to_owned(),
        location: format!("{}:{}", defect.file, defect.line),
    };
    defects.map(info).collect()
}
