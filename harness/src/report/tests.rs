//! Reports of made-up runs: hostile names, many failures, every format recreated from the same events.
use serde_json::Value;

use super::events::*;
use super::*;
use crate::reference::golden::golden_folder;

const HOSTILE: [&str; 6] = [
    "</script><img src=x onerror=alert(1)>",
    "::error::owned",
    "a\n::error title=x::owned\r\n##[error]owned",
    "| cell | `code` **bold** [link](https://example.org) @team #1",
    "\u{1b}[31mred\u{202e}txt.exe",
    "<![CDATA[ ]]> &amp; \u{0} \u{ffff}",
];

pub(super) fn check(number: usize) -> CheckInfo {
    CheckInfo {
        id: format!("check-{number}"),
        summary: "It tries.".to_owned(),
        part: "rest".to_owned(),
        statements: Vec::new(),
        location: "a.rs:1".to_owned(),
        proof: Some(ProofInfo {
            defect: "defect-1".to_owned(),
            expected: "\"token\"".to_owned(),
            actual: format!("{:?}", HOSTILE[number % HOSTILE.len()]),
        }),
        kills: vec!["defect-1".to_owned()],
    }
}

pub(super) fn clause(number: usize, checks: Vec<CheckInfo>) -> ClauseInfo {
    ClauseInfo {
        id: format!("CLAUSE-{number}"),
        text: "It holds.".to_owned(),
        binding: "interface".to_owned(),
        statements: vec![format!("S{number}")],
        location: "a.rs:1".to_owned(),
        checks,
        proven_by: vec![DefectInfo {
            id: "defect-1".to_owned(),
            summary: "It breaks.".to_owned(),
            location: "b.rs:2".to_owned(),
        }],
    }
}

pub(super) fn run(sections: Vec<Section>) -> Event {
    Event::Run(Box::new(Run {
        version: VERSION,
        tool: Tool { name: "slipway".to_owned(), version: "1".to_owned() },
        interface: "00".to_owned(),
        target: TargetInfo::default(),
        lane: "write".to_owned(),
        seed: 7,
        strict: true,
        replay: "slipway check --seed 7".to_owned(),
        started: 1_700_000_000_000,
        statements: 331,
        testable: Some(308),
        not_judged: BTreeMap::new(),
        parts: [
            (
                "rest".to_owned(),
                sections.iter().flat_map(|one| &one.clauses).map(|one| one.checks.len()).sum(),
            ),
            ("swap".to_owned(), 1),
        ]
        .into_iter()
        .collect(),
        required: Vec::new(),
        sections,
    }))
}

pub(super) fn verdict(check: &str, word: Word, actual: &str, exchange: Option<u64>) -> Event {
    let failure = Broken {
        binding: "interface".to_owned(),
        clause: "CLAUSE-0".to_owned(),
        expected: "name = \"token\"".to_owned(),
        actual: actual.to_owned(),
        reproduce: format!("curl -sS -i 'http://127.0.0.1:4700/?q={actual}'"),
        replay: format!("slipway check --seed 7 --only {check}"),
        exchange,
    };
    Event::Verdict(Box::new(Verdict {
        differences: Vec::new(),
        check: check.to_owned(),
        verdict: word,
        at: 2_000,
        took: 1_000,
        exchanges: 1,
        failure: (word == Word::Failed).then_some(failure),
        statements: None,
        lacking: Vec::new(),
        reason: (word == Word::Skipped).then(|| "the target has not been given it".to_owned()),
        known: None,
    }))
}

pub(super) fn exchange(number: u64, check: &str, body: &str) -> Event {
    let message = |head: &str, body: &str| Message {
        head: head.to_owned(),
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: body.to_owned(),
        bytes: body.len() as u64,
    };
    Event::Exchange(Box::new(Exchange {
        number,
        check: check.to_owned(),
        kind: ExchangeKind::Http,
        at: 1_000,
        took: 500,
        request: message("GET http://127.0.0.1:4700/api/tokens", ""),
        response: Some(message("200 OK", body)),
        error: None,
    }))
}

/// A run in which this many checks fail, each on one of the hostile names.
pub(super) fn failing(count: usize) -> Vec<Event> {
    let clauses = (0..count).map(|number| clause(number, vec![check(number)])).collect();
    let mut events = vec![run(vec![Section { title: "GET /api/tokens".to_owned(), clauses }])];
    for number in 0..count {
        let (id, name) = (format!("check-{number}"), HOSTILE[number % HOSTILE.len()]);
        let body = serde_json::json!({ "name": name }).to_string();
        events.push(exchange(number as u64 + 1, &id, &body));
        events.push(verdict(&id, Word::Failed, &format!("name = {name:?} {name}"), Some(number as u64 + 1)));
    }
    events.push(Event::End(End { took: 3_000_000, stale: Vec::new(), expired: Vec::new() }));
    events
}

pub(super) fn report(events: Vec<Event>) -> Report {
    Report::of_events(events).unwrap()
}

#[test]
fn lines_count_clauses_and_checks_and_leave_out_what_was_not_selected() {
    let section = Section {
        title: "GET /api/tokens".to_owned(),
        clauses: vec![
            clause(0, vec![check(0), check(1)]),
            clause(1, vec![check(2)]),
            clause(2, vec![check(3)]),
        ],
    };
    let words = [Word::Passed, Word::Passed, Word::Failed, Word::Skipped];
    let mut events = vec![run(vec![section])];
    events.extend(
        words
            .iter()
            .enumerate()
            .map(|(number, word)| verdict(&format!("check-{number}"), *word, "name = \"other\"", None)),
    );
    events.push(Event::End(End { took: 6_400_000, ..End::default() }));
    let report = report(events);
    let text = text::render(&report, Colour::never());
    let first = text.lines().next().unwrap();
    assert_eq!(
        first,
        "GET /api/tokens  1 clause, 2 checks passed; 1 clause, 1 check skipped; 1 clause, 1 check failed"
    );
    let failure = text.find("FAILED check-2").unwrap();
    assert!(text.find("skipped because").unwrap() < failure, "{text}");
    assert!(text.ends_with("2 passed, 1 failed, 1 skipped; seed 7, 6.4 s\nnot judged: 1 statement whose checks reached no verdict, 23 statements that cannot be tested; --html, --summary and --json say why\nnot conformant: 1 of 3 checks failed; 2 of the 308 statements that can be tested; looked at in part: rest; not looked at: swap\n"), "{text}");
    assert_eq!(report.exit(), Exit::Failure);
}

#[test]
fn streams_that_are_not_whole_are_refused() {
    let whole = failing(1);
    for (events, why) in [
        (Vec::new(), "first event"),
        (whole[1..].to_vec(), "first event"),
        (whole[..whole.len() - 1].to_vec(), "cut off"),
        ([&whole[..1], &whole[..]].concat(), "two runs"),
    ] {
        assert!(Report::of_events(events).unwrap_err().contains(why), "{why}");
    }
}

#[test]
fn hostile_names_stay_text() {
    let report = report(failing(HOSTILE.len()));
    let page = html::render(&report);
    assert!(!page.contains("<img"), "a name became an element");
    assert_eq!(page.matches("<script").count(), 1);
    assert!(!page.contains('\u{202e}') && !page.contains('\u{1b}'));
    let text = text::render(&report, Colour::never());
    assert!(text.lines().all(|line| !line.trim_start().starts_with("::")), "{text}");
    assert!(!text.contains("##[") && !text.contains('\u{1b}'), "{text}");
    let summary = summary::render(&report);
    assert!(!summary.contains("<img") && !summary.contains("**bold**") && !summary.contains("[link]"));
    let annotations = annotations::render(&report);
    assert_eq!(annotations.lines().count(), HOSTILE.len());
    assert!(annotations.lines().all(|line| line.starts_with("::error title=check-")), "{annotations}");
    assert!(!annotations.contains('\r'));
    assert!(junit::render(&report).unwrap().contains("testcase"));
}

#[test]
fn job_summaries_and_annotations_keep_the_limits_of_github() {
    for count in [10, 11, 171, 5_000] {
        let report = report(failing(count));
        assert!(summary::render(&report).len() < 1024 * 1024);
        assert_eq!(annotations::render(&report).lines().count(), count.min(10));
    }
    let many = summary::render(&report(failing(5_000)));
    assert!(many.contains("more are in the other reports"), "not all of them fit");
    assert!(!summary::render(&report(failing(171))).contains("more are in the other reports"));
}

#[test]
fn a_failure_shows_its_exchange_with_the_differing_part_marked() {
    let mut events = failing(1);
    let body = r#"{"totalCount":7315}"#;
    events[1] = exchange(1, "check-0", body);
    if let Event::Verdict(verdict) = &mut events[2] {
        let failure = verdict.failure.as_mut().unwrap();
        (failure.expected, failure.actual) = ("totalCount = 80".to_owned(), "totalCount = 7315".to_owned());
    }
    let report = report(events);
    let page = html::render(&report);
    let judged =
        "<b class=\"k judged\">&quot;totalCount&quot;</b>: <span class=\"n\"><mark>7315</mark></span>";
    assert!(page.contains(judged), "{page}");
    let text = text::render(&report, Colour::never());
    assert!(text.contains("    > GET http://127.0.0.1:4700/api/tokens\n    < 200 OK\n"), "{text}");
    let json = json::render(&report);
    assert_eq!(json["checks"][0]["exchange"]["response"]["body"], body);
}

#[test]
fn badges_tell_how_much_holds() {
    let value: Value =
        serde_json::from_str(&badge::render(&report(failing(3)), Path::new("badge.json"))).unwrap();
    assert_eq!((value["message"].as_str(), value["color"].as_str()), (Some("3 failed"), Some("red")));
    assert!(badge::render(&report(failing(3)), Path::new("badge.svg")).starts_with("<svg "));
}

/// A run of two checks of the part `rest` with these outcomes, in an interface that also has the part `swap`.
pub(super) fn judged(words: [Word; 2], required: &[&str]) -> Report {
    let clauses = vec![clause(0, vec![check(0)]), clause(1, vec![check(1)])];
    let mut events = vec![run(vec![Section { title: "GET /api/tokens".to_owned(), clauses }])];
    if let Event::Run(run) = &mut events[0] {
        run.required = required.iter().map(|&part| part.to_owned()).collect();
    }
    let numbered = words.iter().enumerate();
    events.extend(numbered.map(|(number, word)| verdict(&format!("check-{number}"), *word, "", None)));
    events.push(Event::End(End::default()));
    report(events)
}

#[test]
fn every_report_has_the_same_headline() {
    use Word::{Failed, Inconclusive, Passed, Skipped};
    let whole = |mut report: Report| {
        report.run.parts.remove("swap");
        report
    };
    let stale = |mut report: Report| {
        report.end.stale.push("check-9".to_owned());
        report
    };
    for (report, exit, title) in [
        (whole(judged([Passed, Passed], &[])), Exit::Conformant, "Conformant"),
        (judged([Passed, Passed], &[]), Exit::Conformant, "Judged in part"),
        (judged([Passed, Failed], &["swap"]), Exit::Failure, "Not conformant"),
        (judged([Skipped, Skipped], &[]), Exit::Failure, "Nothing judged"),
        (judged([Skipped, Skipped], &["rest"]), Exit::Inconclusive, "No verdict"),
        (judged([Passed, Inconclusive], &[]), Exit::Inconclusive, "No verdict"),
        (judged([Passed, Passed], &["rest", "swap"]), Exit::Inconclusive, "No verdict"),
        (stale(judged([Passed, Passed], &[])), Exit::StaleBaseline, "Stale baseline"),
    ] {
        assert_eq!((report.exit(), report.headline().title()), (exit, title));
        assert!(html::render(&report).contains(&format!(">{title}</h1>")), "{title}");
        assert!(summary::render(&report).starts_with(&format!("## Conformance: {}\n", title.to_lowercase())));
        assert_eq!(json::render(&report)["headline"], title);
        assert!(junit::render(&report).unwrap().contains(&format!("value=\"{title}\"")));
        let badge: Value = serde_json::from_str(&badge::render(&report, Path::new("badge.json"))).unwrap();
        assert_eq!(badge["color"] == "brightgreen", title == "Conformant");
        assert_eq!(
            text::render(&report, Colour::never()).contains("\nconformant to"),
            report.sentence().starts_with("conformant")
        );
    }
    assert!(
        judged([Skipped, Skipped], &[])
            .sentence()
            .starts_with("nothing was judged: 0 of the 308 statements that can be tested")
    );
}

#[test]
fn only_what_a_check_looked_at_is_counted_and_the_rest_has_a_reason() {
    let looked_at = |statements: &[&str]| statements.iter().map(|&id| id.to_owned()).collect::<Vec<_>>();
    let checks = vec![
        CheckInfo { statements: looked_at(&["S1", "S2"]), ..check(0) },
        CheckInfo { statements: looked_at(&["S2", "S3"]), ..check(1) },
        CheckInfo { statements: looked_at(&["S4"]), ..check(2) },
    ];
    let clause = ClauseInfo { statements: looked_at(&["S1", "S2", "S3", "S4"]), ..clause(0, checks) };
    let mut events = vec![run(vec![Section { title: "GET /api/tokens".to_owned(), clauses: vec![clause] }])];
    if let Event::Run(run) = &mut events[0] {
        for id in ["S5", "S10"] {
            run.not_judged.insert(id.to_owned(), "a duty of clients".to_owned());
        }
    }
    for (id, word, statements) in [
        ("check-0", Word::Passed, &["S1"][..]),
        ("check-1", Word::Skipped, &[]),
        ("check-2", Word::Failed, &["S4"]),
    ] {
        let mut event = verdict(id, word, "", None);
        if let Event::Verdict(verdict) = &mut event {
            verdict.statements = Some(looked_at(statements));
        }
        events.push(event);
    }
    events.push(Event::End(End::default()));
    let report = report(events);
    let json = json::render(&report);
    assert_eq!(json["scope"]["judgedStatements"], 2);
    assert_eq!(json["checks"][0]["statements"], serde_json::json!(["S1"]));
    let skipped = "check-1 was skipped: the target has not been given it";
    let reasons = serde_json::json!({"S2": "nothing that check-0 saw shows it", "S3": skipped, "S5": "a duty of clients", "S10": "a duty of clients"});
    assert_eq!(json["scope"]["notJudged"], reasons);
    for shown in [html::render(&report), summary::render(&report)] {
        assert!(shown.contains("4 statements not judged") && shown.contains("a duty of clients"), "{shown}");
    }
    let shown = summary::render(&report);
    assert!(shown.contains("S5, S10: <code>a duty of clients"), "by number: {shown}");
    assert!(report.sentence().contains("2 of the 308 statements that can be tested"));
}

#[test]
fn differences_follow_the_failures_in_a_line_each() {
    let mut events = failing(3);
    if let Event::Run(run) = &mut events[0] {
        run.replay = format!("slipway check --base-url http://{}.example", "a".repeat(60));
    }
    for event in &mut events {
        if let Event::Verdict(verdict) = event
            && verdict.check != "check-0"
        {
            verdict.verdict = Word::Difference;
        }
    }
    let report = report(events);
    let text = text::render(&report, Colour::never());
    let (failure, difference) =
        (text.find("FAILED check-0").unwrap(), text.find("  check-1: expected").unwrap());
    assert!(failure < difference, "{text}");
    assert!(
        text.lines().filter(|line| line.contains("check-1") || line.contains("check-2")).count() == 2,
        "{text}"
    );
    // The long command line appears once, as a function of the shell, before the first line that uses it.
    assert!(text.contains("  replay:    RUN --only check-0\n"), "{text}");
    let function = text.lines().find(|line| line.starts_with("RUN() { slipway check ")).unwrap();
    assert!(function.ends_with(" \"$@\"; }") && text.find(function).unwrap() < failure, "{text}");
    assert_eq!(text.matches(".example").count() - text.matches("example.org").count(), 1, "{text}");
    let all = text::render(&report.with_all_differences(true), Colour::never());
    assert!(all.contains("DIFFERENCE check-1") && all.contains("RUN --only check-2"), "{all}");
}

#[test]
fn failures_of_one_missing_endpoint_are_told_together() {
    let mut events = failing(3);
    let answered = |events: &mut Vec<Event>, number: usize, head: &str| {
        if let Event::Exchange(exchange) = &mut events[number] {
            exchange.response.as_mut().unwrap().head = head.to_owned();
        }
    };
    for number in [1, 3] {
        answered(&mut events, number, "404 Not Found");
    }
    if let Event::Exchange(exchange) = &mut events[5] {
        exchange.request.head = "POST http://127.0.0.1:4700/api/tokens?a=b".to_owned();
    }
    let text = |events: &[Event]| text::render(&report(events.to_vec()), Colour::never());
    let told = text(&events);
    let group = "FAILED GET /api/tokens is not there (404): 2 checks\n  checks:    check-0, check-1\n";
    assert!(told.contains(group) && !told.contains("FAILED check-0"), "{told}");
    assert!(told.contains("FAILED check-2") && told.contains("; seed 7"), "{told}");
    assert_eq!(json::render(&report(events.clone()))["checks"].as_array().unwrap().len(), 3);
    // An endpoint that answers anything else is there.
    if let Event::Exchange(exchange) = &mut events[5] {
        exchange.request.head = "GET http://127.0.0.1:4700/api/tokens?a=b".to_owned();
    }
    assert!(text(&events).contains("FAILED check-0"), "{}", text(&events));
}

#[test]
fn a_run_without_any_verdict_is_told_in_a_few_lines() {
    let clauses = (0..40).map(|number| clause(number, vec![check(number)])).collect();
    let mut events = vec![run(vec![Section { title: "GET /api/tokens".to_owned(), clauses }])];
    for number in 0..40 {
        let mut event = verdict(&format!("check-{number}"), Word::Inconclusive, "", None);
        if let Event::Verdict(verdict) = &mut event {
            verdict.reason = Some("http://127.0.0.1:1 takes no connection: refused".to_owned());
        }
        events.push(event);
    }
    events.push(Event::End(End::default()));
    let report = report(events);
    let text = text::render(&report, Colour::never());
    assert!(text.lines().count() <= 8, "{text}");
    assert!(
        text.starts_with("40 checks without a verdict: http://127.0.0.1:1 takes no connection"),
        "{text}"
    );
    assert!(text.contains("--wait SECONDS"), "{text}");
    assert_eq!(
        annotations::render(&report),
        "::warning title=40 checks without a verdict::http://127.0.0.1:1 takes no connection: refused\n"
    );
    assert_eq!(report.exit(), Exit::Inconclusive);
}

#[test]
fn verdicts_claim_only_what_was_judged() {
    use Word::{Inconclusive, Known, Passed, Skipped};
    for (words, required, exit, sentence) in [
        (
            [Passed, Known],
            &[][..],
            Exit::Conformant,
            "conformant to rest: 2 of the 308 statements that can be tested, but for 1 known failure; not looked at: swap",
        ),
        (
            [Passed, Passed],
            &[][..],
            Exit::Conformant,
            "conformant to rest: 2 of the 308 statements that can be tested; not looked at: swap",
        ),
        (
            [Passed, Passed],
            &["rest"],
            Exit::Conformant,
            "conformant to rest: 2 of the 308 statements that can be tested; not looked at: swap",
        ),
        (
            [Passed, Passed],
            &["rest", "swap"],
            Exit::Inconclusive,
            "conformant to rest: 2 of the 308 statements that can be tested; demanded and not judged in full: swap; not looked at: swap",
        ),
        (
            [Passed, Skipped],
            &[],
            Exit::Conformant,
            "no part of the interface was judged in full: 1 of the 308 statements that can be tested; looked at in part: rest; not looked at: swap",
        ),
        (
            [Passed, Skipped],
            &["rest"],
            Exit::Inconclusive,
            "no part of the interface was judged in full: 1 of the 308 statements that can be tested; demanded and not judged in full: rest; looked at in part: rest; not looked at: swap",
        ),
        (
            [Passed, Inconclusive],
            &[],
            Exit::Inconclusive,
            "no part of the interface was judged in full: 1 of the 308 statements that can be tested; looked at in part: rest; not looked at: swap",
        ),
    ] {
        let report = judged(words, required);
        assert_eq!((report.exit(), report.sentence().as_str()), (exit, sentence), "{words:?} {required:?}");
        assert_eq!(json::render(&report)["verdict"], sentence);
        assert!(!html::render(&report).contains(">Conformant</h1>"));
        assert!(!badge::render(&report, Path::new("badge.json")).contains("brightgreen"));
    }
}

/// Two failures of four checks, in each format for people and in CTRF.
#[test]
fn reports_are_the_committed_ones() {
    let clauses =
        vec![clause(0, vec![check(0), check(1)]), clause(1, vec![check(2)]), clause(2, vec![check(3)])];
    let mut events = vec![run(vec![Section { title: "GET /api/tokens".to_owned(), clauses }])];
    events.push(exchange(1, "check-0", r#"{"name":"other"}"#));
    events.push(verdict("check-0", Word::Failed, "name = \"other\"", Some(1)));
    let mut passed = verdict("check-1", Word::Passed, "", None);
    if let Event::Verdict(verdict) = &mut passed {
        verdict.lacking = vec!["the control plane (--control-url)".to_owned()];
    }
    events.push(passed);
    events.push(verdict("check-2", Word::Failed, "name = \"\\u{202e}\"", None));
    events.push(verdict("check-3", Word::Skipped, "", None));
    events.push(Event::End(End { took: 6_400_000, ..End::default() }));
    let report = report(events);
    let _golden = golden_folder();
    insta::assert_snapshot!("report-text", text::render(&report, Colour::never()));
    insta::assert_snapshot!("report-summary", summary::render(&report));
    insta::assert_snapshot!("report-ctrf", ctrf::render(&report));
}
