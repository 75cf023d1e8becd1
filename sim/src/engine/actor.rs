//! Actions of accounts: launches, trades and other calls. Each account signs its own transactions.
use std::collections::BTreeMap;

use alloy::primitives::{Address, B256, U256};
use alloy::providers::Provider;
use alloy::signers::local::PrivateKeySigner;
use alloy::sol_types::{SolCall, SolEvent};
use futures::future::try_join_all;
use slipway_contracts::bindings::{CaptchaAuth, CreateLaunchParams, ILaunchHook};

use super::operator::SignedCall;
use super::{Engine, EngineError, SLIPPAGE_BPS, TradeCall, TradeMarket};
use crate::account::Account;
use crate::chain::{BLOCK_GAS, Chain, MinedTransaction};
use crate::event::Side;
use crate::state::token::Version;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    pub transaction: B256,
    /// The transaction's block, which is indexed.
    pub block: u64,
}

impl Engine {
    /// The funded account at an address, by default the first one.
    pub fn funded(&self, address: Option<Address>) -> Result<&Account, EngineError> {
        let mut accounts = self.accounts().iter();
        accounts
            .find(|account| address.is_none_or(|address| account.address == address))
            .ok_or(EngineError::UnknownAccount(address.unwrap_or_default()))
    }

    /// The native balance of every funded account, in wei by chain id.
    pub async fn balances(&self) -> Result<Vec<(Address, BTreeMap<u64, U256>)>, EngineError> {
        let accounts = self.accounts().iter().map(async |account| {
            let chains = self
                .all()
                .map(async |chain| Ok::<_, EngineError>((chain.id(), chain.balance(account.address).await?)));
            Ok((account.address, try_join_all(chains).await?.into_iter().collect()))
        });
        try_join_all(accounts).await
    }

    /// Launches a token for the native coin from an account and buys for `prebuy` wei; also returns the token.
    pub async fn launch(
        &self,
        chain_id: u64,
        account: &Account,
        params: CreateLaunchParams,
        prebuy: U256,
    ) -> Result<(Address, Done), EngineError> {
        let account = account.clone();
        self.acting(chain_id, async move |engine: Self| {
            let (_, deployment) = engine.chain(chain_id)?;
            let data = ILaunchHook::createLaunchCall { params }.abi_encode().into();
            let call = TradeCall { to: deployment.hook, data, value: prebuy };
            let mined = engine.act(chain_id, &account, call).await?;
            let created =
                mined.logs.iter().find_map(|log| ILaunchHook::LaunchCreated::decode_log(&log.inner).ok());
            let token = created.map(|created| created.token).ok_or(EngineError::NotLaunched(chain_id))?;
            Ok((token, engine.indexed(&mined).await?))
        })
        .await
    }

    /// Trades from an account, with a captcha authorisation if the launch is protected now.
    pub async fn trade(
        &self,
        market: TradeMarket,
        account: &Account,
        side: Side,
        units: U256,
    ) -> Result<Done, EngineError> {
        let account = account.clone();
        self.acting(market.chain_id, async move |engine: Self| {
            let auth = engine.authorisation(&market, account.address)?;
            let order = engine.trade_order(&market, side, units, account.address, auth, SLIPPAGE_BPS).await?;
            let mut last = None;
            for call in order.calls {
                last = Some(engine.act(market.chain_id, &account, call).await?);
            }
            let mined = last.ok_or(EngineError::AmountTooLarge)?;
            engine.indexed(&mined).await
        })
        .await
    }

    /// Sends one call from an account.
    pub(crate) async fn call(
        &self,
        chain_id: u64,
        account: &Account,
        call: TradeCall,
    ) -> Result<Done, EngineError> {
        let account = account.clone();
        self.acting(chain_id, async move |engine: Self| {
            let mined = engine.act(chain_id, &account, call).await?;
            engine.indexed(&mined).await
        })
        .await
    }

    fn authorisation(&self, market: &TradeMarket, trader: Address) -> Result<CaptchaAuth, EngineError> {
        let launch = &market.launch;
        let end = launch.start_time.saturating_add(launch.anti_snipe_seconds.into());
        let is_protected = market.pool.is_none() && self.clock().now() < end;
        if launch.version == Version::V1 || !is_protected {
            return Ok(CaptchaAuth::default());
        }
        let hook = Some(launch.hook);
        let signed = self.captcha_auth(market.chain_id, hook, trader, launch.launch_id)?;
        Ok(CaptchaAuth { deadline: signed.deadline, nonce: signed.nonce, signature: signed.signature })
    }

    /// Sends a call from an account.
    async fn act(
        &self,
        chain_id: u64,
        account: &Account,
        call: TradeCall,
    ) -> Result<MinedTransaction, EngineError> {
        let (chain, _) = self.chain(chain_id)?;
        let signer =
            PrivateKeySigner::from_bytes(&account.private_key).expect("the key of an account is a valid key");
        let gas = self.estimate(chain_id, signer.address(), &call).await?;
        let TradeCall { to, data, value } = call;
        let fee = 2 * chain.gas_price().await?;
        SignedCall { to, value, input: data, gas, fee }.send(self, chain, &signer).await
    }

    /// The gas for a call in the next block with a fifth to spare, or the reason why the call would fail.
    pub(crate) async fn estimate(
        &self,
        chain_id: u64,
        from: Address,
        call: &TradeCall,
    ) -> Result<u64, EngineError> {
        let (chain, _) = self.chain(chain_id)?;
        let estimated = chain.estimate_gas(from, call.to, call.data.clone(), call.value, BLOCK_GAS).await;
        estimated.map(|gas| gas + gas / 5).map_err(refused)
    }

    async fn indexed(&self, mined: &MinedTransaction) -> Result<Done, EngineError> {
        self.catch_up().await?;
        Ok(Done { transaction: mined.transaction_hash, block: mined.block_number.to() })
    }
}

/// The error of a call or a transaction that the node refuses, with the contract's error or the node's message.
pub(super) fn refused(error: crate::chain::ChainError) -> EngineError {
    match error.refusal() {
        Some(message) => EngineError::refused(error.reverted(), || message),
        None => error.into(),
    }
}

impl Chain {
    /// The native balance of an account, in wei.
    pub(crate) async fn balance(&self, account: Address) -> Result<U256, crate::chain::ChainError> {
        let balance = self.provider().get_balance(account).await;
        balance.map_err(|source| crate::chain::ChainError::Call {
            chain_id: self.id(),
            method: "eth_getBalance",
            source,
        })
    }
}
