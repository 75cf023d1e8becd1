//! `slipway quotes`: cases with exact answers, and measurements of quoters in any language against the platform's own quotes.
mod answer;
mod cases;
mod measure;
mod quoter;
mod report;

use slipway_sim::vectors::CaseKind;

use crate::arguments::{BenchArguments, QuoteKind, QuotesCommand};
use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::target::tool_server::this_program;
use crate::terminal::colour::Colour;
use crate::terminal::output;
use crate::terminal::printable::Printable as _;
use crate::terminal::signals::shutdown_signal;
use measure::{Cases, Measurement};
use quoter::{Groups, Quoter};

/// Why there are no cases or no figures.
#[derive(Debug, thiserror::Error)]
pub(crate) enum QuotesError {
    #[error("line {number} is no case of this kind: {line}")]
    Case { number: u64, line: String },
    #[error("the quoter {program:?} cannot be run: {source}; give the path of a program, or one on PATH")]
    Spawn { program: String, source: std::io::Error },
    #[error(
        "the quoter {name:?} ended after {given} of {asked} answers; it must answer every line that `slipway quotes cases` prints"
    )]
    Ended { name: String, given: usize, asked: usize },
    #[error("the quoter {name:?} gave {given} of {asked} answers and then none for {seconds} s")]
    Silent { name: String, given: usize, asked: usize, seconds: u64 },
    #[error("the report {path} cannot be written: {source}")]
    Unwritable { path: String, source: std::io::Error },
}

impl Fatal for QuotesError {
    fn exit(&self) -> Exit {
        match self {
            Self::Case { .. } => Exit::Usage,
            Self::Unwritable { source, .. } => Exit::of_unwritable(source),
            Self::Spawn { .. } | Self::Ended { .. } | Self::Silent { .. } => Exit::Inconclusive,
        }
    }
}

impl From<QuoteKind> for CaseKind {
    fn from(kind: QuoteKind) -> Self {
        match kind {
            QuoteKind::Curve => Self::Curve,
            QuoteKind::Inverse => Self::Inverse,
            QuoteKind::Route => Self::Route,
            QuoteKind::Pool => Self::Pool,
            QuoteKind::V1 => Self::V1,
            QuoteKind::Swap => Self::Swap,
        }
    }
}

pub(crate) async fn run(command: QuotesCommand) -> Result<Exit, CommandError> {
    let groups = Groups::default();
    let is_bench = matches!(command, QuotesCommand::Bench(_));
    let of_bench = groups.clone();
    let mut ended = tokio::task::spawn_blocking(move || match command {
        QuotesCommand::Cases(arguments) => Ok(cases::run(&arguments)?),
        QuotesCommand::Bench(arguments) => bench(&arguments, &of_bench),
        QuotesCommand::Answer(arguments) => answer::run(&arguments),
    });
    if is_bench {
        tokio::select! {
            ended = &mut ended => return ended.expect(NO_PANIC),
            () = shutdown_signal() => groups.end(),
        }
        // Without its quoters, the measurement ends too.
        _ = ended.await.expect(NO_PANIC);
        return Ok(Exit::Interrupted);
    }
    ended.await.expect(NO_PANIC)
}

const NO_PANIC: &str = "a measurement does not panic";

fn bench(arguments: &BenchArguments, groups: &Groups) -> Result<Exit, CommandError> {
    let asked = &arguments.cases;
    let count = usize::try_from(asked.count).unwrap_or(usize::MAX);
    let cases = Cases::new(asked.kind.into(), asked.seed, count);
    let own = vec![this_program()?, "quotes".into(), "answer".into(), cases.kind.name().into()];
    let quoters = vec![
        Quoter::new("native, by the same pipe", own, groups),
        Quoter::new(&arguments.command.join(" "), arguments.command.clone(), groups),
    ];
    let measured = Measurement::make(cases, asked.seed, quoters)?;
    if let Some(folder) = &arguments.write {
        let failed = |source| QuotesError::Unwritable { path: folder.display().to_string(), source };
        std::fs::create_dir_all(folder).map_err(failed)?;
        for (name, content) in [
            ("quotes.md", measured.text(Colour::never())),
            ("quotes.svg", measured.svg()),
            ("quotes.json", format!("{:#}\n", measured.json())),
        ] {
            slipway_contracts::write(&folder.join(name), content.as_bytes()).map_err(failed)?;
        }
    }
    output::print(&measured, arguments.print.json)
}
