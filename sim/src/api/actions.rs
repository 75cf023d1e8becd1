//! Actions of the funded accounts on behalf of the operator, and actions reserved to the operator.
use std::collections::BTreeMap;
use std::path::PathBuf;

use alloy::primitives::{Address, Bytes, U256};
use slipway_contracts::bindings::CreateLaunchParams;

use super::market::{TradeCall, TradeMarket};
use super::refusal::Refusal;
use super::{Api, proof};
use crate::event::Side;
use crate::fact::Fact;

/// The refusal of an address that is no token, for orders.
pub(crate) fn no_token() -> Refusal {
    Refusal::not_found("control-token", "no token has this address")
}

pub(crate) use crate::engine::{Done, SignedCaptcha};

impl Api {
    /// The funded accounts, in their order.
    pub(crate) fn funded_accounts(&self) -> impl ExactSizeIterator<Item = Address> {
        self.engine.accounts().iter().map(|account| account.address)
    }

    /// The native balance of every funded account, in wei by chain id.
    pub(crate) async fn balances(&self) -> Result<Vec<(Address, BTreeMap<u64, U256>)>, Refusal> {
        Ok(self.engine.balances().await?)
    }

    /// Launches a token from a funded account, by default the first one, and buys for `prebuy` wei; also returns the token.
    pub(crate) async fn launch(
        &self,
        chain_id: u64,
        account: Option<Address>,
        params: CreateLaunchParams,
        prebuy: U256,
    ) -> Result<(Address, Done), Refusal> {
        let account = self.engine.funded(account)?;
        Ok(self.engine.launch(chain_id, account, params, prebuy).await?)
    }

    /// Trades from a funded account, by default the first one.
    pub(crate) async fn trade(
        &self,
        market: TradeMarket,
        account: Option<Address>,
        side: Side,
        units: U256,
    ) -> Result<Done, Refusal> {
        let account = self.engine.funded(account)?;
        Ok(self.engine.trade(market, account, side, units).await?)
    }

    /// Sends native coins from a funded account, by default the first one, in a transaction like any other.
    pub(crate) async fn send_coins(
        &self,
        chain_id: u64,
        account: Option<Address>,
        to: Address,
        value: U256,
    ) -> Result<Done, Refusal> {
        let account = self.engine.funded(account)?;
        Ok(self.engine.call(chain_id, account, TradeCall { to, data: Bytes::new(), value }).await?)
    }

    /// Hides a token, or shows it again; every process over the database has applied it when this returns.
    pub(crate) async fn set_disabled(&self, token: Address, disabled: bool) -> Result<(), Refusal> {
        let stay = self.engine.stay().await;
        if self.market(None, token).is_none() {
            return Err(no_token());
        }
        self.record(&stay, &Fact::TokenDisabled { token, disabled }, None).await?;
        drop(stay);
        self.engine.everywhere().await;
        Ok(())
    }

    /// Pauses or resumes the creation of launches by a hook, by default the one for the native coin; returns the hook and the block of the
    /// transaction, which is indexed.
    pub(crate) async fn set_creation_paused(
        &self,
        chain_id: u64,
        hook: Option<Address>,
        paused: bool,
    ) -> Result<(Address, u64), Refusal> {
        let done = self.engine.pause_creation(chain_id, hook, paused).await?;
        self.engine.catch_up().await?;
        Ok(done)
    }

    /// Signs that a trader has solved a captcha for a launch of a hook, by default the one for the native coin.
    pub(crate) fn captcha_auth(
        &self,
        chain_id: u64,
        hook: Option<Address>,
        trader: Address,
        launch_id: u64,
    ) -> Result<SignedCaptcha, Refusal> {
        Ok(self.engine.captcha_auth(chain_id, hook, trader, launch_id)?)
    }

    /// Whether the presented credential is the operator's.
    pub(crate) fn is_operator(&self, shown: &str) -> bool {
        proof::is_secret(shown, &self.settings.operator_key)
    }

    /// Exports the whole platform to a file of this name, or to the one given at the start; returns the file and its length in bytes.
    pub(crate) async fn export(&self, name: Option<&str>) -> Result<(PathBuf, u64), Refusal> {
        let file = self.exporter.target(name)?;
        let bytes = self.exporter.write(&file).await?;
        Ok((file, bytes))
    }
}
