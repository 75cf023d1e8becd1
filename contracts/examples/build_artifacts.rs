//! Compiles our contracts, all their seeded defects and all mutants of the laws into the folder of committed artifacts.
//!
//! `cargo run -p slipway-contracts --example build_artifacts` compiles the sound contracts and the defects whose sources changed; ids of
//! defects after `--` compile only those, changed or not.

use std::error::Error;
use std::fs;
use std::io::{Write, stderr};
use std::path::Path;

use slipway_contracts::compile::{Files, Law, MANIFEST, Mutation, Workspace, committed, replace_committed};
use slipway_contracts::toolchain::{TestTools, ToolchainOptions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let contracts = Path::new(env!("CARGO_MANIFEST_DIR"));
    let artifacts = contracts.join("artifacts");
    let tools = TestTools::locate(&ToolchainOptions::from_environment(), &|_| {}).await?;
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    writeln!(stderr(), "compiling the sound contracts")?;
    let base = Workspace::copy(contracts, &tools)?;
    let sound = base.build().await?;
    if wanted.is_empty() {
        replace_committed(&artifacts, &sound)?;
    } else if committed(&artifacts)? != sound {
        return Err("the sound artifacts are stale: run this without ids".into());
    }
    let defects = Mutation::listed(contracts)?;
    let mutants: Vec<Mutation> = Law::listed(contracts)?.into_iter().flat_map(|law| law.mutants).collect();
    let folders = [("defects", defects), ("mutants", mutants)];
    for (folder, listed) in &folders {
        remove_unlisted(&artifacts.join(folder), listed)?;
    }
    for (folder, mutation) in folders
        .iter()
        .flat_map(|(folder, listed)| listed.iter().map(move |mutation| (folder, mutation)))
        .filter(|(_, mutation)| wanted.is_empty() || wanted.contains(&mutation.id))
    {
        let workspace = base.fork(contracts, &tools)?;
        workspace.mutate(mutation)?;
        let folder = artifacts.join(folder).join(&mutation.id);
        if wanted.is_empty() && is_current(&folder, &workspace)? {
            continue;
        }
        writeln!(stderr(), "compiling {}", mutation.id)?;
        replace_committed(&folder, &changed(workspace.build().await?, &sound))?;
    }
    Ok(())
}

/// Whether a folder was compiled from these very sources.
fn is_current(folder: &Path, workspace: &Workspace) -> Result<bool, Box<dyn Error>> {
    let manifest = folder.join(MANIFEST);
    Ok(manifest.is_file() && fs::read_to_string(manifest)?.contains(&workspace.sources_hash()?))
}

/// Keeps the contracts that differ from the sound ones, and the defect's manifest.
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
