//! Commands for packagers: completions and man pages.
use std::path::Path;

use crate::arguments::{Arguments, CompletionsArguments, ManArguments};
use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::terminal::output::{self, OutputError};

#[derive(Debug, thiserror::Error)]
#[error("the folder {path} cannot be written: {source}")]
pub(super) struct FolderError {
    path: String,
    source: std::io::Error,
}

impl FolderError {
    pub(super) fn of(folder: &Path) -> impl FnOnce(std::io::Error) -> Self {
        |source| Self { path: folder.display().to_string(), source }
    }
}

impl Fatal for FolderError {
    fn exit(&self) -> Exit {
        Exit::of_unwritable(&self.source)
    }
}

pub(super) fn completions(arguments: &CompletionsArguments) -> Result<Exit, CommandError> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::definition(), "slipway", &mut text);
    output::done(&String::from_utf8_lossy(&text))
}

/// `slipway man`: prints the page of the program, or writes the pages of all commands into a folder.
pub(super) fn man(arguments: &ManArguments) -> Result<Exit, CommandError> {
    if let Some(folder) = &arguments.directory {
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(Arguments::definition(), folder));
        written.map_err(FolderError::of(folder))?;
        return Ok(Exit::Conformant);
    }
    let mut text = Vec::new();
    let page = clap_mangen::Man::new(Arguments::definition());
    page.render(&mut text).map_err(|source| OutputError { source })?;
    output::done(&String::from_utf8_lossy(&text))
}
