//! Makes the packages of slipway and prepares releases.
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use slipway_packages::{Failure, Part, make, release};

#[derive(Parser)]
enum Task {
    /// Makes the packages of this system
    Make {
        /// Folder for them
        out: PathBuf,
        /// The program to pack; without it `cargo build --release` makes one
        #[arg(long, env = "SLIPWAY_BINARY")]
        binary: Option<PathBuf>,
        /// Which packages; without it every one of this system
        #[arg(long, env = "SLIPWAY_PARTS", value_delimiter = ' ')]
        parts: Vec<Part>,
    },
    /// Writes SHA256SUMS for the files of a folder
    Checksums { folder: PathBuf },
    /// Takes the changes of one release out of the changelog
    Changes { version: String, changelog: PathBuf, out: PathBuf },
    /// Writes the address of the repository into manifests and documents, and the licences into what is published
    Prepare { address: String },
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "these are for who runs it")]
fn main() -> ExitCode {
    match run(Task::parse()) {
        Ok(said) => {
            print!("{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<String, Failure> {
    match task {
        Task::Make { out, binary, parts } => return make(&out, binary.as_deref(), &parts),
        Task::Checksums { folder } => return release::checksums(&folder),
        Task::Changes { version, changelog, out } => {
            fs_err::write(out, release::changes(&version, &fs_err::read_to_string(changelog)?)?)?;
        }
        Task::Prepare { address } => {
            release::prepare(&address, &Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))?;
        }
    }
    Ok(String::new())
}
