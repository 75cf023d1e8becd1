//! Puts the published contracts and our own on a fresh chain, at addresses that follow from their code. Leaves out what happens on them after.
//!
//! Everything goes through the deterministic deployer that every anvil chain has, so that an address depends on nothing
//! but the code, its arguments and a salt; the hook's salt is searched for until the address carries its permission bit.
mod plan;

use std::collections::BTreeMap;

use alloy::network::TransactionBuilder as _;
use alloy::primitives::{Address, B256, Bytes, U256, address, keccak256};
use alloy::providers::Provider as _;
use alloy::rpc::types::TransactionRequest;
use alloy::signers::local::PrivateKeySigner;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::ChainId;
use crate::artifacts::{ArtifactError, Artifacts};
use crate::node::{Node, NodeError};
use crate::toolchain::{Toolchain, ToolchainError};
use plan::{Plan, Step};

/// The deployer that takes a salt and a creation code, at its usual address.
const DEPLOYER: Address = address!("0x4e59b44847b379578588920cA78FbF26c0B4956C");
/// Enough for the largest contract there is.
const GAS: u64 = 12_000_000;
/// Above the price of a fresh chain's first blocks; fixed, so that equal runs send equal transactions.
const GAS_PRICE: u128 = 2_000_000_000;
/// This module's own text: a change of the deployment changes its fingerprint.
const SOURCES: [&str; 2] = [include_str!("deploy.rs"), include_str!("deploy/plan.rs")];

/// An account the contracts give a part to. The keys are public knowledge: they guard nothing outside this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// May pause the creation of launches, closes that of V1 tokens, and issues the tokenised stocks.
    Owner,
    /// Signs what opens the anti-snipe window.
    CaptchaSigner,
    /// Earns the protocol fee, the V1 fees and the proceeds of the auction.
    ProtocolFeeRecipient,
}

/// An asset other than the native one that launches are sold for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteAsset {
    /// Its token.
    pub address: Address,
    /// Its symbol.
    pub symbol: String,
    /// Its name.
    pub name: String,
    /// Digits after the point of a whole one.
    pub decimals: u8,
    /// The launch hook that sells for it.
    pub hook: Address,
    /// Id of the v4 pool of the native coin and the asset, without a hook: its price is that of the asset.
    pub price_pool: B256,
    /// What a whole one costs when it is deployed, in wei.
    pub price: u128,
}

impl Role {
    /// The account that plays this part.
    #[must_use]
    pub fn signer(self) -> PrivateKeySigner {
        let name = match self {
            Self::Owner => "slipway owner",
            Self::CaptchaSigner => "slipway captcha signer",
            Self::ProtocolFeeRecipient => "slipway protocol fee recipient",
        };
        PrivateKeySigner::from_bytes(&keccak256(name)).expect("the hash of a fixed text is a valid key")
    }

    /// The address of that account.
    #[must_use]
    pub fn address(self) -> Address {
        self.signer().address()
    }
}

/// The contracts of a chain and their addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deployment {
    /// The chain.
    pub chain: ChainId,
    /// The launch hook whose quote asset is the native one.
    pub hook: Address,
    /// Every contract by its name.
    pub contracts: BTreeMap<String, Address>,
    /// The quote assets of launches besides the native one, each with its own hook.
    pub quote_assets: Vec<QuoteAsset>,
    /// Block after which everything is deployed.
    pub start_block: u64,
}

impl Deployment {
    /// The address of a contract by its name.
    #[must_use]
    pub fn contract(&self, name: &str) -> Option<Address> {
        self.contracts.get(name).copied()
    }

    /// Every launch hook, the one for the native asset first.
    pub fn hooks(&self) -> impl Iterator<Item = Address> + '_ {
        std::iter::once(self.hook).chain(self.quote_assets.iter().map(|asset| asset.hook))
    }

    /// The V1 token factory, where the chain has one.
    #[must_use]
    pub fn token_factory(&self) -> Option<Address> {
        self.contract("TokenFactory")
    }

    /// The auction of the daily token, where the chain has one.
    #[must_use]
    pub fn auction(&self) -> Option<Address> {
        self.contract("EmperorAuction")
    }
}

/// Why a deployment failed.
#[derive(Debug, thiserror::Error)]
pub enum DeployError {
    /// The node failed.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// A published contract is missing.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// One of our contracts is missing.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// A constructor reverted.
    #[error("{name} was not deployed on chain {chain}: its constructor or its first call reverted")]
    Refused {
        /// The contract.
        name: &'static str,
        /// The chain.
        chain: ChainId,
    },
}

/// Deploys everything on a fresh node, our own contracts without defects, in as few blocks as the gas limit allows.
///
/// # Errors
/// When the node fails, a contract's code is missing, or a constructor reverts.
pub async fn deploy(node: &Node, toolchain: &Toolchain) -> Result<Deployment, DeployError> {
    let plan = Plan::of(node.chain(), toolchain)?;
    for role in [Role::Owner, Role::CaptchaSigner, Role::ProtocolFeeRecipient] {
        node.set_balance(role.address(), U256::from(10).pow(U256::from(21))).await?;
    }
    let sender = node.ask(node.provider().get_accounts()).await?.first().copied().unwrap_or_default();
    // A node that mines by itself answers before it has mined, and how it cuts blocks would depend on the moment.
    let automine = node.automine().await?;
    node.set_automine(false).await?;
    let mut sent = Vec::new();
    for (name, step) in &plan.steps {
        match step {
            Step::Create { salt, code, .. } => sent.push((*name, create(node, sender, *salt, code).await?)),
            Step::Place { at, code, storage } => {
                node.set_code(*at, code).await?;
                for (slot, word) in storage {
                    node.set_storage(*at, U256::from(*slot), *word).await?;
                }
            }
            Step::Within { .. } => {}
        }
    }
    for (to, input) in plan.prices() {
        sent.push(("PoolManager", send(node, sender, to, input).await?));
    }
    while node.pending_transactions().await? > 0 {
        node.mine(1).await?;
    }
    node.set_automine(automine).await?;
    for (name, hash) in sent {
        let receipt = node.ask(node.provider().get_transaction_receipt(hash).into_future()).await?;
        if !receipt.is_some_and(|receipt| receipt.status()) {
            return Err(DeployError::Refused { name, chain: node.chain() });
        }
    }
    Ok(Deployment {
        chain: node.chain(),
        hook: plan.address("LaunchHook"),
        contracts: plan.steps.iter().map(|(name, step)| ((*name).to_owned(), step.address())).collect(),
        quote_assets: plan.quote_assets(),
        start_block: node.ask(node.provider().get_block_number()).await?,
    })
}

/// Where [`deploy`] puts every contract of a chain, by its name: addresses follow from the codes alone.
///
/// # Errors
/// When a contract's code is missing.
pub fn addresses(chain: ChainId, toolchain: &Toolchain) -> Result<BTreeMap<String, Address>, DeployError> {
    let plan = Plan::of(chain, toolchain)?;
    Ok(plan.steps.iter().map(|(name, step)| ((*name).to_owned(), step.address())).collect())
}

/// Names everything that [`deploy`] would put on a chain: equal text, equal state.
///
/// # Errors
/// When a contract's code is missing.
pub fn fingerprint(chain: ChainId, toolchain: &Toolchain) -> Result<String, DeployError> {
    let mut hash = Sha256::new();
    for source in SOURCES {
        hash.update(source);
    }
    hash.update(toolchain.identity());
    for name in plan::OWN_CONTRACTS {
        hash.update(Artifacts::sound().contract(name)?.bytecode);
    }
    hash.update(chain.0.to_be_bytes());
    Ok(alloy::hex::encode(hash.finalize()))
}

async fn create(node: &Node, sender: Address, salt: B256, code: &Bytes) -> Result<B256, NodeError> {
    send(node, sender, DEPLOYER, [salt.as_slice(), code].concat().into()).await
}

async fn send(node: &Node, sender: Address, to: Address, input: Bytes) -> Result<B256, NodeError> {
    let mut request = TransactionRequest::default().with_from(sender).with_to(to).with_input(input);
    request.set_gas_limit(GAS);
    request.set_gas_price(GAS_PRICE);
    node.command("eth_sendTransaction", (request,)).await
}
