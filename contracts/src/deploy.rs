//! Deploys the published contracts and our own on a fresh chain, at addresses derived from their code. Leaves out all later calls.
//!
//! Everything goes through the deterministic deployer that every anvil chain has, so that an address depends only on
//! the code, its arguments and a salt; the hook's salt is searched until the address has the required permission bit.
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
/// Enough for the largest contract that can exist.
const GAS: u64 = 12_000_000;
/// Above the gas price of a fresh chain's first blocks; fixed, so that equal runs send equal transactions.
const GAS_PRICE: u128 = 2_000_000_000;
/// This module's own source: a change to the deployment changes the fingerprint.
const SOURCES: [&str; 2] = [include_str!("deploy.rs"), include_str!("deploy/plan.rs")];

/// An account with a role in the contracts. The keys are public: they protect nothing outside this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// May pause the creation of launches, close that of V1 tokens, and issue the tokenised stocks.
    Owner,
    /// Signs the captcha proofs that trades in the anti-snipe window need.
    CaptchaSigner,
    /// Receives the protocol fee, the V1 fees and the auction proceeds.
    ProtocolFeeRecipient,
}

/// An asset other than the native coin that launches are sold for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteAsset {
    /// Its token contract.
    pub address: Address,
    /// Its symbol.
    pub symbol: String,
    /// Its name.
    pub name: String,
    /// Number of decimals.
    pub decimals: u8,
    /// The launch hook that uses it.
    pub hook: Address,
    /// Id of the v4 pool without a hook of the native coin and the asset: it sets the asset's price.
    pub price_pool: B256,
    /// Price of a whole unit at deployment, in wei.
    pub price: u128,
}

impl Role {
    /// The account with this role.
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
    /// Block at which the deployment is complete.
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

/// Deploys everything on a fresh node, with sound contracts of our own, in as few blocks as the gas limit allows.
///
/// # Errors
/// When the node fails, a contract's code is missing, or a constructor reverts.
pub async fn deploy(node: &Node, toolchain: &Toolchain) -> Result<Deployment, DeployError> {
    let plan = Plan::of(node.chain(), toolchain)?;
    for role in [Role::Owner, Role::CaptchaSigner, Role::ProtocolFeeRecipient] {
        node.set_balance(role.address(), U256::from(10).pow(U256::from(21))).await?;
    }
    let sender = node.ask(node.provider().get_accounts()).await?.first().copied().unwrap_or_default();
    // A node with automine responds before it mines, so how transactions are split into blocks would depend on timing.
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

/// The address that [`deploy`] gives every contract of a chain, by name: addresses depend on the code only.
///
/// # Errors
/// When a contract's code is missing.
pub fn addresses(chain: ChainId, toolchain: &Toolchain) -> Result<BTreeMap<String, Address>, DeployError> {
    let plan = Plan::of(chain, toolchain)?;
    Ok(plan.steps.iter().map(|(name, step)| ((*name).to_owned(), step.address())).collect())
}

/// The symbols of the quote assets that launches of a chain can be sold for, besides its native coin, in the order of a deployment.
#[must_use]
pub fn quote_symbols(chain: ChainId) -> Vec<&'static str> {
    let stocks: &[plan::Stock] = if chain == ChainId::SECOND { &plan::STOCKS } else { &[] };
    stocks.iter().map(plan::Stock::symbol).collect()
}

/// Identifies everything that [`deploy`] would put on a chain: equal texts mean equal states.
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
