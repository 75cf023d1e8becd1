//! `slipway report` and `show schema`: recreate and compare reports, keep baselines.
use slipway_defects::changes;

use crate::arguments::{
    BaselineArguments, DiffArguments, ReportArguments, ReportCommand, SchemaArgument, SchemaArguments,
};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::files::market_file;
use crate::files::platform_settings;
use crate::files::play_file;
use crate::report::count::counted;
use crate::report::{Comparison, Outcomes, Report, json};
use crate::run::baseline::{self, Baseline, BaselineError};
use crate::terminal::output;

pub(super) fn run(arguments: &ReportArguments) -> Result<Exit, CommandError> {
    match (&arguments.command, &arguments.events) {
        (Some(ReportCommand::Diff(arguments)), _) => diff(arguments),
        (Some(ReportCommand::Baseline(arguments)), _) => baseline(arguments),
        (None, events) => {
            let events = events.as_deref().expect("the command line demands events without a command");
            let report = Report::read(events)?.with_all_differences(arguments.files.differences);
            arguments.files.write(&report)?;
            output::print(&report, arguments.print.json)
        }
    }
}

fn diff(arguments: &DiffArguments) -> Result<Exit, CommandError> {
    let comparison = Comparison::of(&Outcomes::read(&arguments.before)?, &Outcomes::read(&arguments.after)?);
    output::print(&comparison, arguments.print.json)
}

fn baseline(arguments: &BaselineArguments) -> Result<Exit, CommandError> {
    let BaselineArguments { baseline: path, report, reason, until } = arguments;
    let today = baseline::today();
    let outcomes = Outcomes::read(report)?;
    let mut known = if path.exists() { Baseline::read(path, today)? } else { Baseline::default() };
    let until = until.as_deref().map(baseline::parse_date).transpose()?;
    known.update(&outcomes, today, reason.as_deref(), until)?;
    slipway_contracts::write(path, known.render().as_bytes())
        .map_err(|source| BaselineError::Unwritable { path: path.display().to_string(), source })?;
    output::done(&format!("{}: {}\n", path.display(), counted(known.len(), "known failure")))
}

pub(super) fn schema(arguments: &SchemaArguments) -> Result<Exit, CommandError> {
    let schema = match arguments.form {
        SchemaArgument::Events => json::schema_of_events(),
        SchemaArgument::Report => json::schema_of_report(),
        SchemaArgument::Target => platform_settings::schema(),
        SchemaArgument::Changes => changes::schema(),
        SchemaArgument::Market => market_file::schema(),
        SchemaArgument::Play => play_file::schema(),
    };
    output::done(&format!("{schema:#}\n"))
}
