//! Compiles our contracts, and every seeded defect of them, into the folder of committed artifacts. Leaves out nothing that a test compares.
//!
//! `cargo run -p slipway-contracts --example build_artifacts` compiles the sound contracts and all defects; ids of defects after `--`
//! compile only those.

use std::error::Error;
use std::fs;
use std::io::{Write, stderr};
use std::path::Path;

use slipway_contracts::compile::{Files, MANIFEST, Mutation, Workspace, committed, replace_committed};
use slipway_contracts::toolchain::{Toolchain, ToolchainOptions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let contracts = Path::new(env!("CARGO_MANIFEST_DIR"));
    let artifacts = contracts.join("artifacts");
    let toolchain = Toolchain::locate(&ToolchainOptions::from_environment(), &|_| {}).await?;
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if wanted.is_empty() {
        writeln!(stderr(), "compiling the sound contracts")?;
        replace_committed(
            &artifacts,
            &Workspace::copy(contracts, &toolchain)?.build().await?,
        )?;
    }
    let sound = committed(&artifacts)?;
    let listed = Mutation::listed(contracts)?;
    remove_unlisted(&artifacts.join("defects"), &listed)?;
    for mutation in listed
        .iter()
        .filter(|mutation| wanted.is_empty() || wanted.contains(&mutation.id))
    {
        writeln!(stderr(), "compiling defect {}", mutation.id)?;
        let workspace = Workspace::copy(contracts, &toolchain)?;
        workspace.mutate(mutation)?;
        let changed = changed(workspace.build().await?, &sound);
        replace_committed(&artifacts.join("defects").join(&mutation.id), &changed)?;
    }
    Ok(())
}

/// A defect's folder has the contracts that differ from the sound ones, and its own manifest.
fn changed(mut files: Files, sound: &Files) -> Files {
    files.retain(|name, text| name == MANIFEST || sound.get(name) != Some(text));
    files
}

fn remove_unlisted(folder: &Path, listed: &[Mutation]) -> Result<(), Box<dyn Error>> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !listed.iter().any(|mutation| entry.file_name() == *mutation.id) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}
