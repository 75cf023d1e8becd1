//! `slipway wrap-tool-server`: a tool server inside the wrapper that injects its seeded defects. Started by the drill, not by users.
use std::process;

use slipway_defects::tool::{self, WrapperError, WrapperOptions};

use crate::arguments::WrapArguments;
use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::target::external::variable;

impl Fatal for WrapperError {
    fn exit(&self) -> Exit {
        if matches!(self, Self::Unknown(_) | Self::OtherLayer { .. } | Self::Changes(_)) {
            Exit::Usage
        } else {
            Exit::Inconclusive
        }
    }
}

pub(super) async fn run(arguments: WrapArguments) -> Result<Exit, CommandError> {
    let mut command = arguments.command.into_iter();
    let options = WrapperOptions {
        defects: arguments.defects,
        changes: arguments.changes,
        variables: arguments.variables.iter().map(|text| variable(text)).collect::<Result<_, _>>()?,
        program: command.next().expect("the command line demands at least one word"),
        arguments: command.collect(),
    };
    let code = tool::run(options).await?;
    // A blocked read of standard input would delay the shutdown of the runtime.
    process::exit(code);
}
