//! Puts the code of defects in the place of sound contracts that stand already. Leaves out what their constructors did.
use alloy::primitives::Bytes;
use alloy::providers::Provider as _;

use super::plan::OWN_CONTRACTS;
use super::{DeployError, Deployment};
use crate::artifacts::{Artifact, Artifacts};
use crate::node::Node;

/// Changes the code of every contract of the deployment that the artifacts have a defect of; storage and immutable values stay.
///
/// # Errors
/// When the node fails, or a contract to change stands nowhere.
pub async fn put_defects(
    node: &Node,
    deployment: &Deployment,
    artifacts: &Artifacts,
) -> Result<(), DeployError> {
    for name in artifacts.defective() {
        let (sound, defective) = (Artifacts::sound().contract(name)?, artifacts.contract(name)?);
        let mut changed = false;
        for &address in deployment.contracts.values() {
            let standing = node.ask(node.provider().get_code_at(address).into_future()).await?;
            if let Some(code) = exchanged(&standing, &sound, &defective) {
                node.set_code(address, &code).await?;
                changed = true;
            }
        }
        // What one contract creates from another's code carries it along and need not stand by itself.
        let carried = || artifacts.defective().any(|other| other != name);
        // Some contracts stand on one chain only.
        let elsewhere = OWN_CONTRACTS.contains(&name) && deployment.contract(name).is_none();
        if !changed && !elsewhere && !carried() {
            return Err(DeployError::NotDeployed { name, chain: deployment.chain });
        }
    }
    Ok(())
}

/// The defective code with the immutable values of the standing one; nothing when something else stands there.
fn exchanged(standing: &Bytes, sound: &Artifact, defective: &Artifact) -> Option<Bytes> {
    if standing.len() != sound.deployed_bytecode.len() {
        return None;
    }
    let mut blank = standing.to_vec();
    let mut code = defective.deployed_bytecode.to_vec();
    for (name, from) in &sound.immutable_references {
        let value = standing.get(from.first()?.range())?;
        for place in defective.immutable_references.get(name)? {
            code.get_mut(place.range())?.copy_from_slice(value);
        }
        for place in from {
            blank.get_mut(place.range())?.fill(0);
        }
    }
    (blank == sound.deployed_bytecode).then(|| code.into())
}
