//! `slipway rehearse -- COMMAND`: runs the user's client under every fault that the interface permits.
use crate::arguments::RehearseArguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::output;
use crate::rehearse;

pub(super) async fn run(arguments: RehearseArguments) -> Result<Exit, CommandError> {
    match rehearse::rehearse(&arguments).await? {
        Some(rehearsal) => output::print(&rehearsal, arguments.print.json),
        None => Ok(Exit::Interrupted),
    }
}
