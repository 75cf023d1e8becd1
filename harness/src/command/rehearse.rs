//! `slipway rehearse -- COMMAND`: runs the user's client under every fault that the interface permits.
use crate::arguments::RehearseArguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::output;
use crate::rehearse;
use crate::report::events::Word;
use crate::report::text::Colour;

pub(super) async fn run(arguments: RehearseArguments) -> Result<Exit, CommandError> {
    let rehearsal = rehearse::rehearse(&arguments).await?;
    let text = if arguments.json {
        format!("{:#}\n", rehearse::json(&rehearsal))
    } else {
        rehearse::text(&rehearsal, Colour::of_stdout())
    };
    output::data(&text)?;
    let any = |word: Word| rehearsal.runs.iter().any(|run| run.word() == word);
    Ok(match (any(Word::Failed), any(Word::Inconclusive)) {
        (true, _) => Exit::Failure,
        (false, true) => Exit::Inconclusive,
        (false, false) => Exit::Conformant,
    })
}
