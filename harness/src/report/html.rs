//! The report as one HTML page that needs no network. Texts of a target are escaped, and only our script may run.
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use super::difference::{self, Piece};
use super::escape::escaped;
use super::events::{ClauseInfo, Exchange, ExchangeKind, Message, ProofInfo, Section, Verdict, Word};
use super::scope::Headline;
use super::{Report, millis, seconds, worst};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

pub(super) fn render(report: &Report) -> String {
    let allowed = |content: &str| STANDARD.encode(Sha256::digest(content));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>Conformance report</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
        allowed(STYLE),
        allowed(SCRIPT),
    );
    head(report, &mut page);
    page.push_str("<main id=\"sections\">\n");
    for section in &report.run.sections {
        self::section(report, section, &mut page);
    }
    page.push_str("<p id=\"nothing\" role=\"status\" hidden>Nothing matches.</p>\n</main>\n");
    let _ = write!(page, "<script>{SCRIPT}</script>\n</body>\n</html>\n");
    page
}

fn head(report: &Report, page: &mut String) {
    let run = &report.run;
    let counts = report.counts();
    let all = report.verdicts.len();
    let headline = report.headline();
    let title = headline.title();
    let word = match headline {
        Headline::NotConformant => "failed",
        Headline::Conformant => "passed",
        Headline::InPart => "difference",
        Headline::NothingJudged | Headline::NoVerdict | Headline::StaleBaseline => "inconclusive",
    };
    let _ = write!(
        page,
        "<header>\n<h1 class=\"{word}\">{title}</h1>\n<p>{}</p>\n<p>{} {} · seed {} · lane {} · {} · {all} checks</p>\n<dl>",
        escaped(&report.sentence()),
        escaped(&run.tool.name),
        escaped(&run.tool.version),
        run.seed,
        escaped(&run.lane),
        seconds(report.end.took),
    );
    let target = &run.target;
    let mut pair = |name: &str, value: &str| {
        let _ = write!(page, "<div><dt>{name}</dt><dd>{}</dd></div>", escaped(value));
    };
    for (name, address) in
        [("REST service", &target.rest), ("swap service", &target.swap), ("control plane", &target.control)]
    {
        if let Some(address) = address {
            pair(name, address);
        }
    }
    for (chain, address) in &target.rpc {
        pair(&format!("chain {}", escaped(chain)), address);
    }
    pair("interface", &run.interface);
    pair("replay", &run.replay);
    page.push_str("</dl>\n");
    for (name, entries) in
        [("Stale in the baseline", &report.end.stale), ("Expired in the baseline", &report.end.expired)]
    {
        for entry in entries {
            let _ = writeln!(page, "<p class=\"known\">{name}: {}</p>", escaped(entry));
        }
    }
    not_judged(report, page);
    page.push_str("<form id=\"filter\" role=\"search\">\n<label>Search <input id=\"search\" type=\"search\" autocomplete=\"off\" placeholder=\"check, clause, text\"></label>\n<fieldset><legend>Show</legend>\n");
    for (word, count) in [
        (Word::Failed, counts.failed),
        (Word::Inconclusive, counts.inconclusive),
        (Word::Known, counts.known),
        (Word::Difference, counts.differences),
        (Word::Passed, counts.passed),
        (Word::Skipped, counts.skipped),
    ] {
        if count > 0 {
            let word = word.as_str();
            let _ = writeln!(
                page,
                "<label><input type=\"checkbox\" name=\"verdict\" value=\"{word}\" checked> <span class=\"{word}\">{word}</span> {count}</label>"
            );
        }
    }
    page.push_str("</fieldset>\n</form>\n</header>\n");
}

/// The statements that were not judged, each with the reason.
fn not_judged(report: &Report, page: &mut String) {
    let statements = report.scope().not_judged;
    if statements.is_empty() {
        return;
    }
    let _ = writeln!(page, "<details><summary>{} statements not judged</summary><dl>", statements.len());
    for (statement, reason) in &statements {
        let _ = writeln!(page, "<div><dt>{}</dt><dd>{}</dd></div>", escaped(statement), escaped(reason));
    }
    page.push_str("</dl></details>\n");
}

fn section(report: &Report, section: &Section, page: &mut String) {
    let verdicts = || section.clauses.iter().flat_map(|clause| report.of_clause(clause));
    let word = worst(verdicts()).map_or("skipped", Word::as_str);
    let took: u64 = verdicts().map(|verdict| verdict.took).sum();
    let open = if word == "failed" || word == "inconclusive" { " open" } else { "" };
    let _ = writeln!(
        page,
        "<details class=\"section\"{open}><summary><h2>{}</h2> <span class=\"{word}\">{word}</span> <span class=\"quiet\">{} clauses, {} checks, {} ms</span></summary>",
        escaped(&section.title),
        section.clauses.len(),
        verdicts().count(),
        millis(took),
    );
    for clause in &section.clauses {
        self::clause(report, clause, page);
    }
    page.push_str("</details>\n");
}

fn clause(report: &Report, clause: &ClauseInfo, page: &mut String) {
    let word = worst(report.of_clause(clause)).map_or("skipped", Word::as_str);
    let _ = writeln!(
        page,
        "<article class=\"clause\"><h3><code>{}</code> <span class=\"{word}\">{word}</span></h3>\n<p>{}</p>\n<p class=\"quiet\">{} · {}</p>",
        escaped(&clause.id),
        escaped(&clause.text),
        escaped(&clause.binding),
        escaped(&clause.location),
    );
    for verdict in report.of_clause(clause) {
        check(report, verdict, page);
    }
    if !clause.proven_by.is_empty() {
        let _ = write!(
            page,
            "<details><summary>Proven by {} seeded defects</summary><ul>",
            clause.proven_by.len()
        );
        for defect in &clause.proven_by {
            let _ = write!(
                page,
                "<li><code>{}</code> {} <span class=\"quiet\">{}</span></li>",
                escaped(&defect.id),
                escaped(&defect.summary),
                escaped(&defect.location)
            );
        }
        page.push_str("</ul></details>\n");
    }
    page.push_str("</article>\n");
}

fn check(report: &Report, verdict: &Verdict, page: &mut String) {
    let (word, id) = (verdict.verdict.as_str(), escaped(&verdict.check));
    let info = report.check(&verdict.check).map(|(_, info)| info);
    let (summary, location) = info.map_or(("", ""), |info| (info.summary.as_str(), info.location.as_str()));
    let _ = writeln!(
        page,
        "<section class=\"check\" id=\"{id}\" data-verdict=\"{word}\" data-section=\"{}\"><h4><a href=\"#{id}\">{id}</a> <span class=\"{word}\">{word}</span> <span class=\"quiet\">{} ms, {} exchanges</span></h4>\n<p>{} <span class=\"quiet\">{}</span></p>",
        escaped(report.section(&verdict.check)),
        millis(verdict.took),
        verdict.exchanges,
        escaped(summary),
        escaped(location),
    );
    if let Some(reason) = &verdict.reason {
        let _ = writeln!(page, "<p>{}</p>", escaped(reason));
    }
    if let Some(known) = &verdict.known {
        let date = |name: &str, date: &Option<String>| {
            date.as_ref().map(|date| format!(", {name} {}", escaped(date))).unwrap_or_default()
        };
        let (since, until) = (date("since", &known.since), date("forgiven until", &known.until));
        let _ = writeln!(page, "<p class=\"known\">{}{since}{until}</p>", escaped(&known.reason));
    }
    if let Some(failure) = &verdict.failure {
        let (expected, actual) = difference::pieces(&failure.expected, &failure.actual);
        let _ = writeln!(
            page,
            "<dl class=\"failure\"><div><dt>clause</dt><dd>{}</dd></div><div><dt>expected</dt><dd>{}</dd></div><div><dt>actual</dt><dd>{}</dd></div><div><dt>reproduce</dt><dd><code>{}</code></dd></div><div><dt>replay</dt><dd><code>{}</code></dd></div></dl>",
            escaped(&failure.clause),
            marked(&expected),
            marked(&actual),
            escaped(&failure.reproduce),
            escaped(&failure.replay),
        );
    }
    if let Some(proof) = info.and_then(|info| info.proof.as_ref()) {
        self::proof(proof, page);
    }
    for exchange in report.exchanges(&verdict.check) {
        self::exchange(exchange, verdict, page);
    }
    page.push_str("</section>\n");
}

/// The defect that kills a check, and how the check fails.
fn proof(proof: &ProofInfo, page: &mut String) {
    let _ = write!(
        page,
        "<details class=\"proof\"><summary>Proven by <code>{}</code></summary><dl>",
        escaped(&proof.defect)
    );
    let (expected, actual) = difference::pieces(&proof.expected, &proof.actual);
    for (name, value) in [("expected", marked(&expected)), ("with the defect", marked(&actual))] {
        let _ = write!(page, "<div><dt>{name}</dt><dd><code>{value}</code></dd></div>");
    }
    page.push_str("</dl></details>\n");
}

fn exchange(exchange: &Exchange, verdict: &Verdict, page: &mut String) {
    let kind = match exchange.kind {
        ExchangeKind::Http => "HTTP",
        ExchangeKind::Rpc => "RPC",
        ExchangeKind::Tool => "tool call",
    };
    let failure = verdict.failure.as_ref().filter(|failure| failure.exchange == Some(exchange.number));
    let (open, evidence) = if failure.is_some() { (" open", " · the evidence") } else { ("", "") };
    let _ = write!(
        page,
        "<details class=\"exchange\"{open}><summary>{kind} exchange {} · {} ms{evidence} · <code>{}</code></summary><pre tabindex=\"0\">",
        exchange.number,
        millis(exchange.took),
        escaped(&exchange.request.head),
    );
    message(&exchange.request, &escaped(&exchange.request.body), page);
    page.push_str("</pre><pre tabindex=\"0\">");
    if let Some(response) = &exchange.response {
        let body = match failure {
            Some(failure) => marked(&difference::marks(&failure.expected, &failure.actual, &response.body)),
            None => escaped(&response.body),
        };
        message(response, &body, page);
    }
    if let Some(error) = &exchange.error {
        page.push_str(&escaped(error));
    }
    page.push_str("</pre></details>\n");
}

fn message(message: &Message, body: &str, page: &mut String) {
    if !message.head.is_empty() {
        let _ = writeln!(page, "<b>{}</b>", escaped(&message.head));
    }
    for (name, value) in &message.headers {
        let _ = writeln!(page, "{}: {}", escaped(name), escaped(value));
    }
    let _ = write!(page, "\n{body}");
}

fn marked(pieces: &[Piece]) -> String {
    let piece = |piece: &Piece| {
        let text = escaped(&piece.text);
        if piece.differs { format!("<mark>{text}</mark>") } else { text }
    };
    pieces.iter().map(piece).collect()
}
