//! Rehearsals: the user's own client runs against the platform under one permitted fault at a time; the journal of its requests shows where
//! it violated the interface.
mod agent;
mod agent_rules;
mod canary;
mod client;
mod fault;
#[cfg(test)]
mod innocent;
pub(crate) mod operator;
mod record;
mod report;
mod rules;
mod stage;
mod tools;
mod trade;
mod trade_rules;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use slipway_contracts::ChainId;
use tempfile::TempDir;

pub(crate) use self::client::Outcome;
pub(crate) use self::fault::Fault;

use self::agent::Agent;
use self::agent_rules::AGENT_RULES;
use self::canary::Canaries;
use self::client::Client;
use self::operator::{Operator, OperatorError};
use self::record::{Exchange, Part};
use self::rules::{Case, Finding, RULES};
use self::stage::{Listeners, Stage};
use crate::arguments::RehearseArguments;
use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::report::escape::visible;
use crate::report::events::Word;
use crate::run::watch;
use crate::target::local::{self, Front, LocalPlatform};
use crate::target::variables::SpawnError;
use crate::terminal::output;
use crate::terminal::progress::Progress;
use crate::terminal::signals::Signals;

/// Why a rehearsal cannot begin.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RehearseError {
    #[error("{fault} {} --agent", if *.is_agent { "goes without" } else { "goes with" })]
    Foreign { fault: &'static str, is_agent: bool },
    #[error("nothing can listen in front of the platform: {source}")]
    Listener { source: std::io::Error },
    #[error("there is no tool server for the agent: {source}")]
    ToolServer { source: std::io::Error },
    #[error("what the client prints cannot be kept: {source}")]
    Log { source: std::io::Error },
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error("the tool server of the rehearsal at {address} does not answer: {source}")]
    Relay { address: String, source: std::io::Error },
}

impl Fatal for RehearseError {
    fn exit(&self) -> Exit {
        if matches!(self, Self::Foreign { .. }) { Exit::Usage } else { Exit::Inconclusive }
    }
}

/// The results of all runs.
pub(crate) struct Rehearsal {
    pub(crate) seed: u64,
    pub(crate) command: Vec<String>,
    /// Whether the client is an agent with a tool server.
    is_agent: bool,
    pub(crate) runs: Vec<Run>,
    pub(crate) took: Duration,
    /// The folder of the client's output, unless it went to standard error.
    logs: Option<PathBuf>,
    /// The number of runs planned, if the rehearsal was interrupted before the last.
    stopped_of: Option<usize>,
}

pub(crate) struct Run {
    fault: Fault,
    outcome: Outcome,
    /// How many exchanges the fault affected.
    injected: usize,
    exchanges: Vec<Exchange>,
    findings: Vec<Finding>,
    took: Duration,
}

impl Run {
    /// Skipped if the fault did not apply to anything the client did; inconclusive if the client did not end in time, or fails without a
    /// fault.
    pub(crate) fn word(&self) -> Word {
        match (&self.outcome, self.fault) {
            _ if !self.findings.is_empty() => Word::Failed,
            (Outcome::TimedOut { .. }, _) => Word::Inconclusive,
            (outcome, Fault::Nothing) if !outcome.is_success() => Word::Inconclusive,
            (_, Fault::Nothing | Fault::CreationPaused) => Word::Passed,
            _ if self.injected == 0 => Word::Skipped,
            _ => Word::Passed,
        }
    }
}

/// Rehearses, and again after each change of the watched files.
pub(crate) async fn run(arguments: &RehearseArguments) -> Result<Exit, CommandError> {
    let Some(mut watched) = arguments.watch.clone() else { return once(arguments).await };
    watched.extend(arguments.command.iter().map(PathBuf::from).filter(|word| word.is_file()));
    watch::again(&watched, async || once(arguments).await).await
}

async fn once(arguments: &RehearseArguments) -> Result<Exit, CommandError> {
    match rehearse(arguments).await? {
        None => output::stopped_before("run of the client"),
        Some(rehearsal) => match rehearsal.stopped_of {
            Some(all) => {
                output::narrate(&visible(&rehearsal.stopped(all)));
                Ok(Exit::Interrupted)
            }
            None => {
                if let Some(kept) = rehearsal.kept().filter(|_| arguments.print.json) {
                    output::narrate(&visible(&kept));
                }
                output::print(&rehearsal, arguments.print.json)
            }
        },
    }
}

/// Runs the client without a fault, then once with each; `None` if interrupted before the first run. A running client gets the signal
/// first, and may end because of it.
pub(crate) async fn rehearse(arguments: &RehearseArguments) -> Result<Option<Rehearsal>, CommandError> {
    let faults = Fault::of_rehearsal(arguments.agent);
    if let Some(foreign) = arguments.only.iter().find(|fault| !faults.contains(fault)) {
        return Err(RehearseError::Foreign { fault: foreign.id(), is_agent: arguments.agent }.into());
    }
    let listen = |source| RehearseError::Listener { source };
    let listeners = Listeners::bind(&ChainId::ALL.map(|chain| chain.0)).await.map_err(listen)?;
    let mut config = local::config(&arguments.platform, arguments.time.clock.into());
    config.public.rest = Some(listeners.origin(Part::Rest).map_err(listen)?);
    let front = Front::of(&arguments.platform)?;
    let mut signals = Signals::listen().map_err(listen)?;
    let platform = tokio::select! {
        platform = local::start(config, front) => platform?,
        _ = signals.next() => return Ok(None),
    };
    let performed = platform.alive(perform(arguments, &faults, listeners, &platform, &mut signals)).await;
    platform.stop().await;
    performed
}

async fn perform(
    arguments: &RehearseArguments,
    faults: &[Fault],
    listeners: Listeners,
    platform: &LocalPlatform,
    signals: &mut Signals,
) -> Result<Option<Rehearsal>, CommandError> {
    let begun = Instant::now();
    let operator = Operator::new(platform.ready())?;
    let listen = |source| RehearseError::Listener { source };
    let key = platform.ready().accounts.first().map(|account| account.private_key.to_string());
    let canaries = Canaries::new(arguments.platform.seed, &key.unwrap_or_default());
    let stage = listeners.start(&operator, canaries, platform.ready()).map_err(listen)?;
    let agent = if arguments.agent { Some(Agent::start(&stage).await?) } else { None };
    let checkpoint = operator.control.checkpoint().await.map_err(OperatorError::from)?;
    // With -v all output goes to standard error.
    let is_kept = !tracing::enabled!(tracing::Level::INFO);
    let logs = is_kept.then(|| tempfile::Builder::new().prefix("slipway-rehearse-").tempdir());
    let logs = logs.transpose().map_err(|source| RehearseError::Log { source })?;
    let (words, patience) = (&arguments.command, Duration::from_secs(arguments.wait));
    let mut client = Client::new(words, &stage.ready, patience, logs.as_ref().map(TempDir::path));
    client.variables.extend(agent.iter().flat_map(|agent| agent.variables.clone()));
    let is_chosen = |fault: &Fault| {
        *fault == Fault::Nothing || arguments.only.is_empty() || arguments.only.contains(fault)
    };
    let chosen: Vec<Fault> = faults.iter().copied().filter(is_chosen).collect();
    let progress = Progress::new(chosen.len(), "runs");
    let (mut runs, mut stopped_of) = (Vec::<Run>::new(), None);
    for &fault in &chosen {
        operator.control.revert(&checkpoint).await.map_err(OperatorError::from)?;
        let undisturbed = runs.first().map(|run| run.exchanges.as_slice());
        let Some(run) = one(fault, &client, &stage, &operator, undisturbed, arguments.agent, signals).await?
        else {
            stopped_of = Some(chosen.len());
            break;
        };
        progress.step(fault.id());
        let is_hopeless = fault == Fault::Nothing && run.word() == Word::Inconclusive;
        runs.push(run);
        if is_hopeless {
            break;
        }
    }
    progress.clear();
    let is_good = |run: &Run| matches!(run.word(), Word::Passed | Word::Skipped);
    Ok(Some(Rehearsal {
        seed: arguments.platform.seed,
        command: arguments.command.clone(),
        is_agent: arguments.agent,
        logs: logs.filter(|_| stopped_of.is_none() && !runs.iter().all(is_good)).map(TempDir::keep),
        runs,
        took: begun.elapsed(),
        stopped_of,
    }))
}

async fn one(
    fault: Fault,
    client: &Client<'_>,
    stage: &Stage,
    operator: &Operator,
    undisturbed: Option<&[Exchange]>,
    is_agent: bool,
    signals: &mut Signals,
) -> Result<Option<Run>, CommandError> {
    let journal = operator.control.journal_end().await.map_err(OperatorError::from)?;
    if fault == Fault::CreationPaused {
        operator.pause_creation().await?;
    }
    stage.begin(fault);
    let begun = Instant::now();
    let Some(outcome) = client.run(fault.id(), signals).await? else { return Ok(None) };
    let (mut exchanges, injected) = stage.end()?;
    let causes: BTreeMap<String, String> = operator.causes(journal).await?;
    for exchange in &mut exchanges {
        exchange.cause = exchange.request_id.as_ref().and_then(|id| causes.get(id).cloned());
    }
    let case = Case {
        fault,
        exchanges: &exchanges,
        undisturbed,
        canaries: is_agent.then_some(&stage.shared.canaries),
        timed_out: matches!(outcome, Outcome::TimedOut { .. }),
    };
    let findings = rules::judge(if is_agent { &AGENT_RULES[..] } else { &RULES[..] }, &case);
    Ok(Some(Run { fault, outcome, injected, exchanges, findings, took: begun.elapsed() }))
}
