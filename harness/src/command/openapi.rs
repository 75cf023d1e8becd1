//! `slipway show openapi`: the document of a service, generated from the code.
use slipway_sim::{control_document, ports, rest_document, swap_document};

use crate::arguments::{OpenapiArguments, ServiceArgument};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::terminal::output;

pub(super) fn run(arguments: &OpenapiArguments) -> Result<Exit, CommandError> {
    let server = |port: u16| format!("http://127.0.0.1:{port}");
    let document = match arguments.service {
        ServiceArgument::Rest => rest_document(&server(ports::BASE)),
        ServiceArgument::Swap => swap_document(&server(ports::BASE + 1)),
        ServiceArgument::Control => control_document(&server(ports::BASE + 2)),
    };
    output::done(&format!("{document:#}\n"))
}
