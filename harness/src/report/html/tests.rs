//! The page of made-up runs: its order, its links, and its size.
use std::collections::BTreeMap;
use std::path::Path;

use slipway_scenarios::{Target, checks};

use super::super::events::{End, Event, Section, Verdict, Word};
use super::super::run;
use super::super::tests::{check, clause, failing, report, run as begun, verdict};
use super::stretches;

fn ran(at: u64, took: u64) -> Verdict {
    Verdict {
        check: String::new(),
        verdict: Word::Passed,
        at,
        took,
        exchanges: 0,
        failure: None,
        differences: Vec::new(),
        statements: None,
        lacking: Vec::new(),
        reason: None,
        known: None,
    }
}

#[test]
fn moments_in_which_several_checks_ran_count_once() {
    let verdicts = [ran(30, 10), ran(10, 10), ran(25, 20), ran(60, 10), ran(70, 10)];
    assert_eq!(stretches(verdicts.iter()), [0..30, 50..70]);
    assert_eq!(stretches([].iter()), []);
}

/// A run with one check per clause, each with its verdict.
fn with(words: &[Word]) -> String {
    let clauses = (0..words.len()).map(|number| clause(number, vec![check(number)])).collect();
    let mut events = vec![begun(vec![Section { title: "GET /api/tokens".to_owned(), clauses }])];
    if let Event::Run(run) = &mut events[0] {
        run.not_judged.insert("S331".to_owned(), "a duty of clients".to_owned());
    }
    for (number, word) in words.iter().enumerate() {
        events.push(verdict(&format!("check-{number}"), *word, "name = \"other\"", None));
    }
    events.push(Event::End(End { took: 6_400_000, ..End::default() }));
    super::render(&report(events))
}

/// The colours that a style sheet gives each scheme, by name.
fn palette(style: &str) -> Vec<BTreeMap<String, String>> {
    let blocks = style.split(":root").skip(1).take(2).filter_map(|rest| rest.split(['{', '}']).nth(1));
    let colours = |block: &str| {
        let named = block.split(';').filter_map(|line| line.trim().strip_prefix("--")?.split_once(':'));
        named.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect()
    };
    blocks.map(colours).collect()
}

#[test]
fn report_and_book_have_the_colours_of_the_pages() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let style = |path: &str| palette(&std::fs::read_to_string(root.join(path)).unwrap());
    let pages = style("sim/src/services/pages/assets/style.css");
    for (named, least) in [(palette(super::STYLE), 9), (style("docs/book.css"), 8)] {
        assert_eq!((pages.len(), named.len()), (2, 2));
        for (pages, named) in pages.iter().zip(&named) {
            let shared: Vec<_> = named.iter().filter(|(name, _)| pages.contains_key(*name)).collect();
            assert!(shared.len() >= least, "{shared:?}");
            for (name, value) in shared {
                assert_eq!(&pages[name], value, "{name}");
            }
        }
    }
    let icon = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    assert_eq!(icon("docs/theme/favicon.svg"), icon("sim/src/services/pages/assets/icon.svg"));
}

#[test]
fn the_report_has_the_head_of_the_pages_and_links_within_itself() {
    let icon = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/src/services/pages/assets/icon.svg");
    let icon = std::fs::read_to_string(icon).unwrap();
    let drawn = super::LOGO.split_once("<path").unwrap().1;
    assert!(icon.trim_end().ends_with(drawn), "{icon}");
    for words in [&[Word::Passed][..], &[Word::Passed, Word::Difference, Word::Failed]] {
        let page = with(words);
        let (_, head) = page.split_once("<nav class=\"head\"").unwrap();
        let (head, _) = head.split_once("</nav>").unwrap();
        let links: Vec<_> =
            head.split("href=\"").skip(1).map(|link| link.split('"').next().unwrap()).collect();
        assert!(links.len() >= 3, "{head}");
        for link in links {
            let id = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} leads out of the file"));
            assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
        }
    }
}

#[test]
fn addresses_of_the_target_lead_there() {
    let linked = |address: &str| super::linked(address).into_string();
    assert!(linked("http://127.0.0.1:4700/").contains("href=\"http://127.0.0.1:4700/\""));
    for text in ["javascript:alert(1)", "data:text/html,x", "nothing", "[concealed]", ""] {
        assert!(!linked(text).contains("href"), "{text}");
    }
    assert!(!linked("http://host/\"><script>").contains("<script>"));
}

#[test]
fn failures_stand_first_and_every_clause_once() {
    let page = with(&[Word::Passed, Word::Difference, Word::Failed, Word::Inconclusive]);
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is missing in {page}"));
    let order = ["CLAUSE-2", "CLAUSE-3", "CLAUSE-1", "CLAUSE-0"];
    let places: Vec<_> =
        order.iter().map(|id| place(&format!("<article class=\"clause\" id=\"{id}\""))).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(
        places[2] < place("<details class=\"section\">") && place("<details class=\"section\">") < places[3]
    );
    for id in order {
        assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
    }
    // Each is one line in its section.
    assert_eq!(page.matches("<p class=\"moved\">").count(), 3);
}

#[test]
fn every_statement_is_a_square_that_leads_to_its_judge() {
    let page = with(&[Word::Passed, Word::Difference, Word::Failed, Word::Skipped]);
    for square in [
        "<a class=\"passed\" href=\"#CLAUSE-0\" title=\"S0 passed\" tabindex=\"-1\">",
        "<a class=\"difference\" href=\"#CLAUSE-1\" title=\"S1 beside a choice that differs\" tabindex=\"-1\">",
        "<a class=\"failed\" href=\"#CLAUSE-2\" title=\"S2 failed\" tabindex=\"-1\">",
        "<a class=\"unseen\" href=\"#not-S3\" title=\"S3 not looked at\" tabindex=\"-1\">",
        "<a class=\"unseen\" href=\"#not-S331\" title=\"S331 not looked at\" tabindex=\"-1\">",
    ] {
        assert_eq!(page.matches(square).count(), 1, "{square}\n{page}");
    }
    assert!(page.contains("5 statements: ") && page.contains(" 1 beside a choice that differs"), "{page}");
    assert!(page.contains("Proven by 1 seeded defect<"), "{page}");
    for id in ["not-S3", "not-S331"] {
        assert_eq!(page.matches(&format!("<div id=\"{id}\">")).count(), 1, "{id}\n{page}");
    }
}

#[test]
fn a_page_says_when_the_run_was() {
    let events = failing(1);
    let page = super::render(&report(events.clone()));
    let time = "<time datetime=\"2023-11-14T22:13:20Z\">2023-11-14 22:13:20 UTC</time>, 3.0 s";
    assert!(page.contains(time), "{page}");
    // Earlier releases did not record it.
    let mut earlier = events;
    if let Event::Run(run) = &mut earlier[0] {
        run.started = 0;
    }
    assert!(!super::render(&report(earlier)).contains("<time"));
}

/// Every check with its proof, all passed, as on this project's platform.
#[test]
fn a_page_of_every_check_is_below_400_kilobytes() {
    let all: Vec<_> = checks().collect();
    let mut events = vec![Event::Run(Box::new(run::run(&Target::default(), true, &[], &all)))];
    events.extend(all.iter().map(|check| verdict(check.id, Word::Passed, "", None)));
    events.push(Event::End(End::default()));
    let page = super::render(&report(events));
    assert!(all.len() > 200 && page.matches("class=\"check\"").count() == all.len());
    assert!(page.contains("331 statements: "));
    assert!(page.len() < 400_000, "{} bytes", page.len());
}
