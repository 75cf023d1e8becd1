//! Defects of the stdio tool server, applied by a wrapper around its process: it rewrites messages, environment, RPC, service and name
//! server. It knows the interface and nothing of the server's internals.
pub(crate) mod acts;
mod arguments;
pub(crate) mod effect;
mod environment;
mod flow;
mod frames;
mod http;
mod links;
mod names;
mod plan;
mod process;
mod results;
mod rpc;
mod service;
mod session;
mod spelling;
mod start;
mod unbound;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use self::plan::Plan;
use crate::changes::{self, ChangesError};
use crate::{Defects, Layer, UnknownDefect};

/// The tool server to wrap, and the changes to apply.
#[derive(Clone, Debug, Default)]
pub struct WrapperOptions {
    /// Ids of the defects and variants; with none the wrapper is byte-transparent.
    pub defects: Vec<String>,
    /// A user's file that defines some of them.
    pub changes: Option<PathBuf>,
    /// Variables that the server knows by another name: the interface's name to the server's.
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
    /// The file of changes cannot be used.
    #[error(transparent)]
    Changes(#[from] ChangesError),
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
        /// The reason.
        source: std::io::Error,
    },
    /// A proxy of the wrapper cannot listen or connect.
    #[error("cannot open a proxy: {reason}")]
    Proxy {
        /// The reason.
        reason: String,
    },
}

/// Runs a tool server behind the wrapper on this process's standard streams, until the server ends. Returns its exit code, or 128 plus the
/// number of the signal that ended it.
///
/// With no defect selected this process becomes the server: streams, signals and exit status are the server's own. A blocked read of
/// standard input can outlive this call: end the process with `std::process::exit`.
///
/// # Errors
/// If an id does not name a defect of the tool server, or the server or a proxy cannot be started.
pub fn run(options: WrapperOptions) -> BoxFuture<'static, Result<i32, WrapperError>> {
    async move {
        let plan = planned(&options)?;
        if plan.is_empty() { Err(process::become_server(&options)) } else { start::run(&options, plan).await }
    }
    .boxed()
}

/// The changes of these defects and variants, in the order of their file.
fn planned(options: &WrapperOptions) -> Result<Plan, WrapperError> {
    let users = options.changes.as_deref().map(changes::read).transpose()?;
    let (mut known, mut others) = (Vec::new(), Vec::new());
    for changes in [changes::ours()].into_iter().chain(users) {
        let defects = changes
            .defects
            .iter()
            .map(|defect| (defect.id, std::slice::from_ref(&defect.layer), defect.change));
        let variants = changes.variants.iter().map(|variant| (variant.id, variant.layers, variant.change));
        for (id, layers, change) in defects.chain(variants) {
            let of = if *layers == [Layer::ToolServer] { &mut known } else { &mut others };
            of.push((id, change));
        }
    }
    let is_known = |id: &&String| known.iter().any(|(known, _)| known == id);
    if let Some(id) = options.defects.iter().find(|id| !is_known(id)) {
        let is_other = others.iter().any(|(other, _)| other == id) || Defects::select([id]).is_ok();
        return Err(if is_other {
            WrapperError::OtherLayer { id: id.clone() }
        } else {
            UnknownDefect { id: id.clone() }.into()
        });
    }
    let selected = known.into_iter().filter(|(known, _)| options.defects.iter().any(|id| id == known));
    Ok(Plan::new(selected.filter_map(|(_, change)| change).collect()))
}
