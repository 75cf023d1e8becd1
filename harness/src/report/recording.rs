//! Makes numbered events of a run and writes them as they occur.
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
pub(crate) use slipway_redaction::exchange::Kept;
use slipway_redaction::exchange::Redaction;
use slipway_scenarios::client::record::{Content, Recorder};
use slipway_scenarios::model::target::PrivateKey;
use slipway_scenarios::model::verdict::cut;
use slipway_scenarios::{Failure, Target};

use super::ReportError;
use super::escape::visible_json;
use super::events::{Broken, End, Event, Exchange, ExchangeKind, Message, Run, Verdict, Word};
use crate::run::baseline::Baseline;
use crate::run::runner::{Finished, Outcome};
use crate::terminal::secrets;

/// Maximum bytes kept of a message's headers.
const MOST_OF_HEADERS: usize = 8 * 1024;

#[derive(Debug)]
pub(crate) struct Recording {
    started: Instant,
    redaction: Redaction,
    replay: String,
    rpc: Vec<String>,
    numbers: AtomicU64,
    baseline: Baseline,
    log: Mutex<Log>,
}

#[derive(Debug, Default)]
struct Log {
    events: Vec<Event>,
    file: Option<BufWriter<File>>,
    /// The first write failure; nothing is written after it.
    broken: Option<std::io::Error>,
    /// The number of exchanges of each running check.
    made: BTreeMap<&'static str, u64>,
}

impl Log {
    fn add(&mut self, mut event: Event) {
        let text = |event: &Event| serde_json::to_string(event).expect("events are texts, numbers and lists");
        if secrets::any() {
            let line = text(&event);
            let clean = secrets::hidden(&line);
            if clean != line {
                event = serde_json::from_str(&clean).expect("the clean text of an event is one");
            }
        }
        if let Some(file) = &mut self.file {
            let line = visible_json(&text(&event));
            if let Err(error) = writeln!(file, "{line}") {
                self.file = None;
                self.broken = Some(error);
            }
        }
        self.events.push(event);
    }
}

impl Recording {
    /// Begins with the description of the run; credentials are never written, and each address is replaced by the second of its pair.
    pub(crate) fn begin(
        run: Run,
        target: &Target,
        addresses: Vec<(String, String)>,
        baseline: Baseline,
        file: Option<&Path>,
        kept: Kept,
    ) -> Result<Arc<Self>, ReportError> {
        let redaction = Redaction::new(addresses, kept);
        let keys = target.private_keys.iter().chain(&target.control_token).map(PrivateKey::expose);
        for secret in keys.chain(target.operator_key.as_deref()) {
            redaction.conceal(secret);
        }
        // Before a text is cut, which may leave a part of them.
        secrets::parts().iter().for_each(|part| redaction.conceal_part(part));
        let file = file
            .map(|path| {
                slipway_contracts::create(path)
                    .map_err(|source| ReportError::Unwritable { path: path.display().to_string(), source })
            })
            .transpose()?;
        let mut log = Log { file: file.map(BufWriter::new), ..Log::default() };
        let replay = run.replay.clone();
        log.add(Event::Run(Box::new(run)));
        Ok(Arc::new(Self {
            started: Instant::now(),
            redaction,
            replay,
            rpc: target.rpc_urls.values().map(ToString::to_string).collect(),
            numbers: AtomicU64::new(0),
            baseline,
            log: Mutex::new(log),
        }))
    }

    pub(crate) fn of(self: &Arc<Self>, check: &'static str) -> Arc<dyn Recorder> {
        Arc::new(OfCheck { recording: Arc::clone(self), check, last: AtomicU64::new(0) })
    }

    /// Records the end of a check, judged against the baseline.
    pub(crate) fn verdict(&self, finished: &Finished) {
        let id = finished.check.id;
        let mut log = self.log.lock();
        let exchanges = log.made.remove(id).unwrap_or_default();
        let known = self.baseline.entry(id);
        let (word, failure, reason) = match &finished.outcome {
            Outcome::Passed => (Word::Passed, None, None),
            Outcome::Failed(failure) if known.is_some() => (Word::Known, Some(failure), None),
            Outcome::Failed(failure) => (Word::Failed, Some(failure), None),
            Outcome::Difference(failure) => (Word::Difference, Some(failure), None),
            Outcome::Skipped(reason) => (Word::Skipped, None, Some(reason)),
            Outcome::Inconclusive(reason) => (Word::Inconclusive, None, Some(reason)),
        };
        let text = |text: &str| cut(self.redaction.text(text));
        let broken = |failure: &Failure| Broken {
            clause: failure.clause.to_owned(),
            binding: failure.binding.to_string(),
            expected: text(&failure.expected),
            actual: text(&failure.actual),
            reproduce: text(&failure.reproduce),
            replay: format!("{} --only {id}", self.replay),
            exchange: failure.exchange,
        };
        // For a check without a verdict, the reason names what is missing.
        let reached = matches!(word, Word::Passed | Word::Difference | Word::Known | Word::Failed);
        let lacking = finished.lacking.iter().filter(|_| reached).map(ToString::to_string);
        log.add(Event::Verdict(Box::new(Verdict {
            check: id.to_owned(),
            verdict: word,
            at: micros(self.started.elapsed()),
            took: micros(finished.took),
            exchanges,
            known: known.filter(|_| word == Word::Known).cloned(),
            failure: failure.map(broken),
            differences: finished.differences.iter().map(broken).collect(),
            statements: Some(finished.statements.iter().map(|&id| id.to_owned()).collect()),
            lacking: lacking.collect(),
            reason: reason.map(|reason| text(reason)),
        })));
    }

    /// Ends the run; returns its events in order.
    pub(crate) fn end(&self, file: Option<&Path>) -> Result<Vec<Event>, ReportError> {
        let mut log = self.log.lock();
        let verdicts = log.events.iter().filter_map(|event| match event {
            Event::Verdict(verdict) => Some((verdict.check.as_str(), verdict.verdict)),
            _ => None,
        });
        let verdicts = verdicts.collect();
        let stale = self.baseline.stale(&verdicts);
        let expired = self.baseline.expired().to_vec();
        log.add(Event::End(End { took: micros(self.started.elapsed()), stale, expired }));
        Self::close(&mut log, file)?;
        Ok(std::mem::take(&mut log.events))
    }

    /// Stops recording: the file ends like that of a run that was cut off, while the events returned end as if the run were over.
    pub(crate) fn cut(&self, file: Option<&Path>) -> Result<Vec<Event>, ReportError> {
        let mut log = self.log.lock();
        Self::close(&mut log, file)?;
        let mut events = std::mem::take(&mut log.events);
        events.push(Event::End(End { took: micros(self.started.elapsed()), ..End::default() }));
        Ok(events)
    }

    /// Flushes the file, and reports the first write failure.
    fn close(log: &mut Log, file: Option<&Path>) -> Result<(), ReportError> {
        let flushed = log.file.take().map_or(Ok(()), |mut file| file.flush());
        log.broken.take().or_else(|| flushed.err()).map_or(Ok(()), |source| {
            let path = file.map(|path| path.display().to_string()).unwrap_or_default();
            Err(ReportError::Unwritable { path, source })
        })
    }

    fn exchange(&self, check: &'static str, started: Instant, content: &Content<'_>) -> u64 {
        let redaction = &self.redaction;
        let (kind, request, response, error) = match content {
            Content::Http { request, response } => {
                let url = request.url.as_str();
                let is_rpc =
                    self.rpc.iter().any(|rpc| url.trim_end_matches('/') == rpc.trim_end_matches('/'));
                let sent = message(
                    redaction,
                    format!("{} {url}", request.method),
                    request.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())),
                    request.body.as_deref().unwrap_or_default(),
                );
                let came = response.ok().map(|response| {
                    let headers = response
                        .headers
                        .iter()
                        .map(|(name, value)| (name.as_str(), value.to_str().unwrap_or("[no text]")));
                    message(redaction, response.status.to_string(), headers, &response.body)
                });
                let error = response.err().map(|error| redaction.text(&error.to_string()));
                (if is_rpc { ExchangeKind::Rpc } else { ExchangeKind::Http }, sent, came, error)
            }
            Content::Tool { request, answer } => {
                let of = |bytes: &[u8]| message(redaction, String::new(), std::iter::empty(), bytes);
                let error = answer.is_none().then(|| "no answer".to_owned());
                (ExchangeKind::Tool, of(request), answer.map(of), error)
            }
        };
        let mut log = self.log.lock();
        // Numbered under the lock, so that the file is in numerical order.
        let number = self.numbers.fetch_add(1, Ordering::Relaxed) + 1;
        *log.made.entry(check).or_default() += 1;
        log.add(Event::Exchange(Box::new(Exchange {
            number,
            check: check.to_owned(),
            kind,
            at: micros(started.saturating_duration_since(self.started)),
            took: micros(started.elapsed()),
            request,
            response,
            error,
        })));
        number
    }
}

fn message<'a>(
    redaction: &Redaction,
    head: String,
    headers: impl Iterator<Item = (&'a str, &'a str)>,
    body: &[u8],
) -> Message {
    // The body first: secrets that it issues must be redacted in the rest too.
    let (text, mut of_headers) = (redaction.body(body), 0);
    Message {
        head: cut(redaction.text(&head)),
        headers: headers
            .map(|(name, value)| (name.to_owned(), redaction.header(name, value)))
            .take_while(|(name, value)| {
                of_headers += name.len() + value.len();
                of_headers <= MOST_OF_HEADERS
            })
            .collect(),
        body: text,
        bytes: body.len() as u64,
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[derive(Debug)]
struct OfCheck {
    recording: Arc<Recording>,
    check: &'static str,
    last: AtomicU64,
}

impl Recorder for OfCheck {
    fn exchanged(&self, started: Instant, content: &Content<'_>) -> u64 {
        let number = self.recording.exchange(self.check, started, content);
        self.last.store(number, Ordering::Relaxed);
        number
    }

    fn last(&self) -> Option<u64> {
        Some(self.last.load(Ordering::Relaxed)).filter(|number| *number > 0)
    }

    fn reveal(&self, text: &str) {
        self.recording.redaction.reveal(text);
    }

    fn conceal(&self, secret: &str) {
        self.recording.redaction.conceal(secret);
    }
}
