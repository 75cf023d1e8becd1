//! Compiles our contracts, all their seeded defects and all mutants of the laws into the folder of committed artifacts.
//!
//! `cargo run -p slipway-contracts --example build_artifacts` compiles the sound contracts and the defects whose sources changed; ids of
//! defects after `--` compile only those, changed or not.

use std::error::Error;
use std::io::{Write, stderr};
use std::path::Path;

use slipway_contracts::compile::{
    Law, MUTATED, Mutants, Mutation, Workspace, committed, committed_mutants, replace_committed,
    replace_mutants,
};
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
    for (name, listed) in [("defects.json", defects), ("mutants.json", mutants)] {
        let file = artifacts.join(MUTATED).join(name);
        let mut before = if file.is_file() { committed_mutants(&file)? } else { Mutants::new() };
        let mut compiled = Mutants::new();
        for mutation in listed {
            let workspace = base.fork(contracts, &tools)?;
            workspace.mutate(&mutation)?;
            let sources = workspace.sources_hash()?;
            let kept = before.remove(&mutation.id).filter(|old| {
                if wanted.is_empty() { old.sources == sources } else { !wanted.contains(&mutation.id) }
            });
            let mutant = if let Some(kept) = kept {
                kept
            } else {
                writeln!(stderr(), "compiling {}", mutation.id)?;
                workspace.build_mutant(&sound).await?
            };
            compiled.insert(mutation.id, mutant);
        }
        replace_mutants(&file, &compiled)?;
    }
    Ok(())
}
