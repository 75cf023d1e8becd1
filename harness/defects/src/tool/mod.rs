//! Defects of the stdio tool server, applied by a wrapper around its process: it rewrites frames, environment, RPC, service and
//! name server. It knows the interface and nothing of the server inside.
mod arguments;
mod effect;
mod environment;
mod flow;
mod frames;
mod http;
mod links;
mod names;
mod process;
mod results;
mod rpc;
mod service;
mod session;
mod start;
mod table;
mod unbound;
mod variants;

use std::collections::BTreeMap;
use std::ffi::OsString;

use futures::FutureExt as _;
use futures::future::BoxFuture;

pub(crate) use variants::variants;

use self::effect::Plan;
use crate::{Defect, Defects, Layer, UnknownDefect};

/// What is wrapped, and what is broken.
#[derive(Clone, Debug, Default)]
pub struct WrapperOptions {
    /// Ids of the defects and variants; none makes the wrapper byte-transparent.
    pub defects: Vec<String>,
    /// Variables that the server knows by another name: the interface's name to its own.
    pub variables: BTreeMap<String, String>,
    /// The program of the tool server.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

/// The wrapper itself failed.
#[derive(Debug, thiserror::Error)]
pub enum WrapperError {
    /// An id names no defect.
    #[error(transparent)]
    Unknown(#[from] UnknownDefect),
    /// A defect belongs to another layer.
    #[error("defect {id:?} is not one of the tool server")]
    OtherLayer {
        /// Its id.
        id: String,
    },
    /// The server cannot be started.
    #[error("cannot start {program:?}: {source}")]
    Start {
        /// The program.
        program: OsString,
        /// Why.
        source: std::io::Error,
    },
    /// A proxy of the wrapper cannot listen or connect.
    #[error("cannot open a proxy: {reason}")]
    Proxy {
        /// Why.
        reason: String,
    },
}

/// The defects of the tool server.
pub(crate) fn defects() -> impl Iterator<Item = Defect> {
    table::ROWS.iter().map(|(clause, row)| Defect {
        id: row.id,
        layer: Layer::ToolServer,
        summary: row.summary,
        clauses: std::slice::from_ref(clause),
        file: row.place.file(),
        line: row.place.line(),
    })
}

/// Runs a tool server behind the wrapper on this process's standard streams, until the server ends. Returns its exit code,
/// or 128 and the number of the signal that ended it.
///
/// With no defect selected this process becomes the server: streams, signals and exit status are the server's own. A blocked
/// read of standard input can outlive this call: leave the process by `std::process::exit`.
///
/// # Errors
/// When an id names no defect of the tool server, or the server or a proxy cannot be started.
pub fn run(options: WrapperOptions) -> BoxFuture<'static, Result<i32, WrapperError>> {
    async move {
        let plan = planned(&options.defects)?;
        if plan.is_empty() { Err(process::become_server(&options)) } else { start::run(&options, plan).await }
    }
    .boxed()
}

/// The effects of these defects and variants.
fn planned(ids: &[String]) -> Result<Plan, WrapperError> {
    let known = || table::ROWS.iter().map(|(_, row)| row).chain(variants::rows());
    let (_, unknown): (Vec<&String>, Vec<&String>) =
        ids.iter().partition(|id| known().any(|row| row.id == **id));
    let other = Defects::select(&unknown)?;
    if let Some(id) = other.ids().next() {
        return Err(WrapperError::OtherLayer { id: id.to_owned() });
    }
    Ok(Plan::of(known().filter(|row| ids.iter().any(|id| id == row.id))))
}
