//! Signatures that only the operator can make: proofs of solved captchas, and transactions to the hook.
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use alloy::consensus::TxEip1559;
use alloy::primitives::{Address, B256, Bytes, TxKind, U256, keccak256};
use alloy::signers::SignerSync;
use alloy::signers::local::PrivateKeySigner;
use alloy::sol_types::{SolCall, SolStruct, SolValue, eip712_domain};
use slipway_contracts::bindings::ILaunchHook;
use tokio::time::timeout;

use super::actor::refused;
use super::{Engine, EngineError};
use crate::account::signed;
use crate::chain::{Chain, ChainError, Frame, MinedTransaction};

alloy::sol! {
    /// The data that the captcha signer signs.
    struct Captcha {
        address trader;
        uint256 launchId;
        uint64 deadline;
        bytes32 nonce;
    }
}

/// Validity of a signed captcha, seconds.
const CAPTCHA_LIFE: u64 = 300;
const ORDER_GAS: u64 = 200_000;
const ORDER_FEE: u128 = 20_000_000_000;

/// A signed proof of a solved captcha, in the format of the hook.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SignedCaptcha {
    /// Last second of its validity, Unix seconds.
    pub deadline: u64,
    /// Valid once.
    pub nonce: B256,
    pub signature: Bytes,
}

impl Engine {
    /// Signs that a trader has solved a captcha for a launch of a hook, by default the one for the native coin; every
    /// proof has its own nonce.
    ///
    /// Clause: CH-SNIPE
    pub fn captcha_auth(
        &self,
        chain_id: u64,
        hook: Option<Address>,
        trader: Address,
        launch_id: u64,
    ) -> Result<SignedCaptcha, EngineError> {
        let (_, hook) = self.hook(chain_id, hook)?;
        let deadline = self.inner.clock.now() + CAPTCHA_LIFE;
        let launch = U256::from(launch_id);
        let signed = self.inner.captchas.fetch_add(1, Ordering::SeqCst) + 1;
        let nonce = keccak256((U256::from(chain_id), deadline, U256::from(signed)).abi_encode());
        let domain = eip712_domain! {
            name: "LaunchHook",
            version: "1",
            chain_id: chain_id,
            verifying_contract: hook,
        };
        let digest = Captcha { trader, launchId: launch, deadline, nonce }.eip712_signing_hash(&domain);
        let signature =
            self.inner.captcha_signer.sign_hash_sync(&digest).expect("a local key signs any hash");
        Ok(SignedCaptcha { deadline, nonce, signature: signature.as_bytes().into() })
    }

    /// Pauses or resumes the creation of launches by a hook, by default the one for the native coin; returns the hook and
    /// the block of the transaction.
    pub async fn pause_creation(
        &self,
        chain_id: u64,
        hook: Option<Address>,
        paused: bool,
    ) -> Result<(Address, u64), EngineError> {
        self.acting(chain_id, async move |engine: Self| {
            let (chain, hook) = engine.hook(chain_id, hook)?;
            let call = SignedCall {
                to: hook,
                value: U256::ZERO,
                input: ILaunchHook::setCreationPausedCall { paused }.abi_encode().into(),
                gas: ORDER_GAS,
                fee: ORDER_FEE,
            };
            let mined = call.send(&engine, chain, &engine.inner.owner).await?;
            Ok((hook, mined.block_number.to()))
        })
        .await
    }

    /// Why a transaction that was sent to a node is not mined; one that waits there is kept.
    async fn unmined(&self, chain: &Chain, transaction: B256, error: ChainError) -> EngineError {
        let is_silent = matches!(error, ChainError::Silent { .. });
        if !is_silent || !matches!(chain.waiting(transaction).await, Ok(Some(_))) {
            return refused(error);
        }
        match self.keep_sent(chain.id(), transaction).await {
            Ok(()) => EngineError::Waits { chain_id: chain.id(), transaction },
            Err(error) => error,
        }
    }

    /// A launch hook of a chain, by default the one for the native coin.
    fn hook(&self, chain_id: u64, hook: Option<Address>) -> Result<(&Chain, Address), EngineError> {
        let (chain, deployment) = self.chain(chain_id)?;
        let hook = hook.unwrap_or(deployment.hook);
        if deployment.hooks().any(|known| known == hook) {
            Ok((chain, hook))
        } else {
            Err(EngineError::UnknownHook { chain_id, hook })
        }
    }
}

/// Attempts to send a transaction whose nonce another one of the same account takes.
const NONCE_ATTEMPTS: u32 = 8;

/// Time within which a node has taken a transaction.
const SENT: Duration = Duration::from_secs(1);

/// Whether a node refuses a transaction because another one of its account has its nonce.
fn is_nonce_taken(error: &ChainError) -> bool {
    const TAKEN: [&str; 3] = ["nonce too low", "replacement transaction underpriced", "already imported"];
    error.refusal().is_some_and(|told| TAKEN.iter().any(|known| told.contains(known)))
}

/// Sends a transaction with the account's next nonce, which nobody else gets meanwhile, and waits until it is mined.
async fn in_turn(
    chain: &Chain,
    signer: &PrivateKeySigner,
    transaction: &mut TxEip1559,
) -> Result<MinedTransaction, ChainError> {
    let turn = chain.hold_nonces().await;
    transaction.nonce = chain.nonce(signer.address()).await?;
    let mut sent = pin!(chain.send_and_wait(signed(transaction.clone(), signer)));
    // By then the node has it, and if it mines on demand it may have it for long.
    let soon = timeout(SENT, &mut sent).await;
    drop(turn);
    match soon {
        Ok(sent) => sent,
        Err(_) => sent.await,
    }
}

pub(super) struct SignedCall {
    pub(super) to: Address,
    pub(super) value: U256,
    pub(super) input: Bytes,
    pub(super) gas: u64,
    /// Maximum wei per gas.
    pub(super) fee: u128,
}

impl SignedCall {
    /// Signs, sends and waits until it is mined; a revert is an error.
    pub(super) async fn send(
        self,
        engine: &Engine,
        chain: &Chain,
        signer: &PrivateKeySigner,
    ) -> Result<MinedTransaction, EngineError> {
        let chain_id = chain.id();
        let mut transaction = TxEip1559 {
            chain_id,
            nonce: 0,
            gas_limit: self.gas,
            max_fee_per_gas: self.fee,
            max_priority_fee_per_gas: 0,
            to: TxKind::Call(self.to),
            value: self.value,
            access_list: Default::default(),
            input: self.input,
        };
        let mut attempts = 1;
        let mined = loop {
            match in_turn(chain, signer, &mut transaction).await {
                // A caller with the same key has sent another one meanwhile.
                Err(error) if attempts < NONCE_ATTEMPTS && is_nonce_taken(&error) => attempts += 1,
                Err(error) => {
                    let sent = keccak256(signed(transaction, signer));
                    return Err(engine.unmined(chain, sent, error).await);
                }
                Ok(mined) => break mined,
            }
        };
        if mined.status.is_zero() {
            let transaction = mined.transaction_hash;
            let frame = chain.trace(transaction).await.ok().flatten();
            let reason = frame.as_ref().and_then(Frame::failure);
            let reason = reason.unwrap_or_else(|| "its node cannot tell why".to_owned());
            let error = frame.as_ref().and_then(Frame::revert).map(Box::new);
            return Err(EngineError::Reverted { chain_id, transaction, reason, error });
        }
        Ok(mined)
    }
}
