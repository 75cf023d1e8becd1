//! Rehearsals: the user's own client runs against the platform under one permitted fault at a time; the journal of its requests shows where
//! it violated the interface.
mod agent_rules;
mod canary;
mod client;
mod engine;
mod fault;
#[cfg(test)]
mod innocent;
pub(crate) mod operator;
mod record;
mod report;
mod rules;
mod tools;
mod trade_rules;

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;
use slipway_defects::http::Listeners;
use tempfile::TempDir;

pub(crate) use self::fault::Fault;

use self::agent_rules::AGENT_RULES;
use self::canary::Canaries;
use self::client::{Client, Outcome};
use self::engine::Engine;
use self::fault::Act;
use self::operator::{Operator, OperatorError};
use self::record::{Exchange, Part};
use self::rules::{Case, Finding, RULES, Rule};
use self::tools::Tools;
use crate::arguments::RehearseArguments;
use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::report::escape::visible;
use crate::report::events::Word;
use crate::run::watch;
use crate::target::local::{self, Front, LocalPlatform};
use crate::target::variables::{SpawnError, environment};
use crate::terminal::output;
use crate::terminal::progress::Progress;
use crate::terminal::signals::Signals;

/// A fault or a rule of rehearsals, as it is told elsewhere.
pub(crate) struct Told {
    pub(crate) id: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) clause: Option<&'static str>,
    /// Whether it is of rehearsals with `--agent` only.
    pub(crate) is_of_agents: bool,
}

/// Every fault once.
pub(crate) fn faults() -> impl Iterator<Item = Told> {
    let clients = Fault::of_rehearsal(false).len();
    let all = Fault::of_rehearsal(false).into_iter().chain(Fault::of_rehearsal(true).into_iter().skip(1));
    all.enumerate().map(move |(place, fault)| Told {
        id: fault.id,
        summary: fault.summary,
        clause: None,
        is_of_agents: place >= clients,
    })
}

/// Every rule.
pub(crate) fn rules() -> impl Iterator<Item = Told> {
    let told = |is_of_agents| {
        move |rule: &'static Rule| Told {
            id: rule.id,
            summary: rule.sentence,
            clause: rule.clause,
            is_of_agents,
        }
    };
    RULES.iter().map(told(false)).chain(AGENT_RULES.iter().map(told(true)))
}

/// Why a rehearsal cannot begin.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RehearseError {
    #[error("{fault} {} --agent", if *.is_agent { "goes without" } else { "goes with" })]
    Foreign { fault: &'static str, is_agent: bool },
    #[error("nothing can listen in front of the platform: {source}")]
    Listener { source: io::Error },
    #[error("there is no tool server for the agent: {source}")]
    ToolServer { source: io::Error },
    #[error("what the client prints cannot be kept: {source}")]
    Log { source: io::Error },
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error("the tool server of the rehearsal at {address} does not answer: {source}")]
    Relay { address: String, source: io::Error },
}

impl Fatal for RehearseError {
    fn exit(&self) -> Exit {
        if matches!(self, Self::Foreign { .. }) { Exit::Usage } else { Exit::Inconclusive }
    }
}

/// The results of all runs.
struct Rehearsal {
    seed: u64,
    command: Vec<String>,
    /// Whether the client is an agent with a tool server.
    is_agent: bool,
    runs: Vec<Run>,
    took: Duration,
    /// The folder of the client's output, unless it went to standard error.
    logs: Option<PathBuf>,
    /// The number of runs planned, if the rehearsal was interrupted before the last.
    stopped_of: Option<usize>,
}

struct Run {
    fault: &'static Fault,
    outcome: Outcome,
    /// How many exchanges the fault affected.
    injected: usize,
    exchanges: Vec<Exchange>,
    /// Whether the client did nothing that a rehearsal could judge: it asked nothing of the platform, or as an agent called no tool.
    is_idle: bool,
    findings: Vec<Finding>,
    took: Duration,
}

impl Run {
    /// Skipped if the fault did not apply to anything the client did; inconclusive if the client did not end in time, or without a fault
    /// fails or does nothing. What is as without a fault fails that run only, so that a run shows what its fault did.
    fn word(&self) -> Word {
        match (self.outcome, self.fault.act) {
            _ if self.findings.iter().any(|finding| !finding.is_as_in_nothing) => Word::Failed,
            (Outcome::TimedOut(_), _) => Word::Inconclusive,
            (outcome, Act::Nothing) if outcome != Outcome::Code(0) || self.is_idle => Word::Inconclusive,
            (_, Act::Nothing | Act::Pause) => Word::Passed,
            _ if self.injected == 0 => Word::Skipped,
            _ => Word::Passed,
        }
    }

    /// Whether it breaks the same rule in the same way.
    fn has(&self, finding: &Finding) -> bool {
        let is_alike = |own: &Finding| own.rule.id == finding.rule.id && own.clause() == finding.clause();
        self.findings.iter().any(is_alike)
    }
}

/// Rehearses, and again after each change of the watched files.
pub(crate) async fn run(arguments: &RehearseArguments) -> Result<Exit, CommandError> {
    let Some(mut watched) = arguments.watch.clone() else { return once(arguments).await };
    watched.extend(arguments.command.iter().map(PathBuf::from).filter(|word| word.is_file()));
    watch::again(&watched, async || once(arguments).await).await
}

async fn once(arguments: &RehearseArguments) -> Result<Exit, CommandError> {
    let Some(rehearsal) = rehearse(arguments).await? else {
        return output::stopped_before("run of the client");
    };
    if let Some(all) = rehearsal.stopped_of {
        output::narrate(&visible(&rehearsal.stopped(all)));
        return Ok(Exit::Interrupted);
    }
    if let Some(kept) = rehearsal.kept().filter(|_| arguments.print.json) {
        output::narrate(&visible(&kept));
    }
    output::print(&rehearsal, arguments.print.json)
}

/// Runs the client without a fault, then once with each; `None` if interrupted before the first run. A running client gets the signal
/// first, and may end because of it.
async fn rehearse(arguments: &RehearseArguments) -> Result<Option<Rehearsal>, CommandError> {
    let faults = Fault::of_rehearsal(arguments.agent);
    let is_foreign = |fault: &&&Fault| faults.iter().all(|known| known.id != fault.id);
    if let Some(foreign) = arguments.only.iter().find(is_foreign) {
        return Err(RehearseError::Foreign { fault: foreign.id, is_agent: arguments.agent }.into());
    }
    let is_chosen = |fault: &&Fault| {
        let mut only = arguments.only.iter();
        fault.act == Act::Nothing || arguments.only.is_empty() || only.any(|chosen| chosen.id == fault.id)
    };
    let chosen: Vec<_> = faults.iter().copied().filter(is_chosen).collect();
    let listen = |source| RehearseError::Listener { source };
    let listeners = engine::listeners().await.map_err(|error| listen(error.source))?;
    let mut config = local::config(&arguments.platform, arguments.time.clock.into());
    config.public.rest = listeners.addresses().rest.as_ref().map(local::text);
    let front = Front::of(&arguments.platform)?;
    let mut signals = Signals::listen().map_err(listen)?;
    let platform = tokio::select! {
        platform = local::start(config, front) => platform?,
        () = signals.asked_to_end() => return Ok(None),
    };
    let performed = platform.alive(perform(arguments, &chosen, listeners, &platform, &mut signals)).await;
    platform.stop().await;
    performed.map(Some)
}

async fn perform(
    arguments: &RehearseArguments,
    faults: &[&'static Fault],
    listeners: Listeners,
    platform: &LocalPlatform,
    signals: &mut Signals,
) -> Result<Rehearsal, CommandError> {
    let begun = Instant::now();
    let (ready, addresses) = (platform.ready(), local::addresses_of(platform.ready()));
    let key = ready.accounts.first().map(|account| account.private_key.to_string()).unwrap_or_default();
    let canaries = Canaries::new(arguments.platform.seed, &key);
    let engine = Engine::new(Operator::new(ready, &addresses)?, canaries);
    let mut variables = environment(&local::behind(ready, &listeners.addresses()).to_value());
    let servers = engine.stand_before(&addresses, listeners).map_err(io::Error::other);
    let _servers = servers.map_err(|source| RehearseError::Listener { source })?;
    let tools = if arguments.agent { Some(Tools::start(&engine, &variables, &key).await?) } else { None };
    variables.extend(tools.iter().flat_map(|tools| tools.variables.clone()));
    let checkpoint = engine.operator.control.checkpoint().await.map_err(OperatorError::from)?;
    // With -v all output goes to standard error.
    let is_kept = !tracing::enabled!(tracing::Level::INFO);
    let logs = is_kept.then(|| tempfile::Builder::new().prefix("slipway-rehearse-").tempdir());
    let logs = logs.transpose().map_err(|source| RehearseError::Log { source })?;
    let (words, patience) = (&arguments.command, Duration::from_secs(arguments.wait));
    let client = Client { words, variables, patience, logs: logs.as_ref().map(TempDir::path) };
    let progress = Progress::new(faults.len(), "runs");
    let (mut runs, mut stopped_of) = (Vec::<Run>::new(), None);
    for &fault in faults {
        engine.operator.revert(&checkpoint).await?;
        let Some(run) = one(fault, &client, &engine, runs.first(), arguments.agent, signals).await? else {
            stopped_of = Some(faults.len());
            break;
        };
        progress.step(fault.id);
        let is_hopeless = fault.act == Act::Nothing && run.word() == Word::Inconclusive;
        runs.push(run);
        if is_hopeless {
            break;
        }
    }
    progress.clear();
    let is_good = |run: &Run| matches!(run.word(), Word::Passed | Word::Skipped);
    Ok(Rehearsal {
        seed: arguments.platform.seed,
        command: arguments.command.clone(),
        is_agent: arguments.agent,
        logs: logs.filter(|_| stopped_of.is_none() && !runs.iter().all(is_good)).map(TempDir::keep),
        runs,
        took: begun.elapsed(),
        stopped_of,
    })
}

async fn one(
    fault: &'static Fault,
    client: &Client<'_>,
    engine: &Engine,
    undisturbed: Option<&Run>,
    is_agent: bool,
    signals: &mut Signals,
) -> Result<Option<Run>, CommandError> {
    let journal = engine.operator.control.journal_end().await.map_err(OperatorError::from)?;
    if fault.act == Act::Pause {
        engine.operator.pause_creation().await?;
    }
    engine.begin(fault);
    let begun = Instant::now();
    let Some(outcome) = client.run(fault.id, signals).await? else { return Ok(None) };
    let mut exchanges = engine.end()?;
    let causes = engine.operator.causes(journal).await?;
    for exchange in &mut exchanges {
        exchange.cause = exchange.request_id.as_ref().and_then(|id| causes.get(id).cloned());
    }
    let injected = exchanges.iter().filter(|exchange| exchange.act != Act::Nothing).count();
    let (canaries, timed_out) = (&engine.canaries, matches!(outcome, Outcome::TimedOut(_)));
    let before = undisturbed.map(|run| run.exchanges.as_slice());
    let case = Case { fault, exchanges: &exchanges, undisturbed: before, canaries, timed_out };
    let mut findings = rules::judge(if is_agent { &AGENT_RULES[..] } else { &RULES[..] }, &case);
    for finding in &mut findings {
        finding.is_as_in_nothing = undisturbed.is_some_and(|run| run.has(finding));
    }
    // Other runs are compared with what was asked.
    for exchange in &mut exchanges {
        exchange.answer = Value::Null;
    }
    let is_idle = !exchanges.iter().any(|exchange| !is_agent || exchange.asked.part == Part::Tools);
    Ok(Some(Run { fault, outcome, injected, exchanges, is_idle, findings, took: begun.elapsed() }))
}
