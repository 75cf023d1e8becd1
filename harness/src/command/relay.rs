//! `slipway relay-tools`: standard streams to a rehearsal's tool server and back. Started by agents under rehearsal, not by users.
use std::process;

use tokio::io::{copy, stdin, stdout};
use tokio::net::TcpStream;

use crate::arguments::RelayArguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::rehearse::RehearseError;

pub(super) async fn run(arguments: RelayArguments) -> Result<Exit, CommandError> {
    let failed = |source| RehearseError::Relay { address: arguments.address.clone(), source };
    let stream = TcpStream::connect(&arguments.address).await.map_err(failed)?;
    let (mut from_server, mut to_server) = stream.into_split();
    let asking = tokio::spawn(async move {
        // The side that closes first ends the connection.
        _ = copy(&mut stdin(), &mut to_server).await;
    });
    _ = copy(&mut from_server, &mut stdout()).await;
    asking.abort();
    // A blocked read of standard input would delay the shutdown of the runtime.
    process::exit(0);
}
