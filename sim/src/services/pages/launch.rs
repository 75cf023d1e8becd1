//! Prepares the transaction of a launch: its quote asset, whether the account can pay, and the chain's result of a simulation.
use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall;
use axum::http::Uri;
use slipway_contracts::bindings::{IERC20, ILaunchHook};
use slipway_contracts::deploy::QuoteAsset;

use super::amount::{Asset, exact};
use super::draft::{Draft, QUOTE};
use super::sender::Prepared;
use super::{Pages, sent};
use crate::api::market::{Gas, TradeCall};
use crate::api::quote::NATIVE;
use crate::api::refusal::Refusal;

/// The quote asset of a launch, and the contract that accepts such launches.
pub(super) struct Venue {
    chain_id: u64,
    pub(super) asset: Asset,
    /// The quote asset's contract; the zero address is the native coin.
    contract: Address,
    hook: Address,
    /// Symbols of the chain's quote assets other than the native coin.
    pub(super) others: Vec<String>,
}

impl Venue {
    /// Finds the asset whose symbol is in the query of the page; the native coin if it has none.
    pub(super) fn asked(pages: &Pages, uri: &Uri, chain_id: u64) -> Result<Self, Refusal> {
        let (native_hook, assets) = pages.api.launch_hooks(chain_id)?;
        let others: Vec<String> = assets.iter().map(|asset| asset.symbol.clone()).collect();
        let symbol = sent(uri, QUOTE.name);
        let chosen = assets.iter().find(|asset| asset.symbol == symbol);
        if chosen.is_none() && !symbol.is_empty() {
            let rule = format!("{} must be a quote asset of chain {chain_id}", QUOTE.name);
            let known = if others.is_empty() { "it has none".to_owned() } else { others.join(", ") };
            return Err(Refusal::bad_input("page-quote", rule).with_details(known));
        }
        let (contract, hook) = match chosen {
            Some(QuoteAsset { address, hook, .. }) => (*address, *hook),
            None => (NATIVE, native_hook),
        };
        Ok(Self { chain_id, asset: Asset::of(chosen), contract, hook, others })
    }

    /// The launch as a call of the hook; a native prebuy is sent as its value, and without a referral code it calls the plain function.
    fn call(&self, draft: &Draft, prebuy: U256) -> TradeCall {
        let (params, referral) = (draft.params.clone(), draft.referral.clone());
        let (value, data) = if self.contract != NATIVE {
            let launch = ILaunchHook::createLaunchWithQuoteCall {
                params,
                prebuyAmount: prebuy,
                referralCode: referral,
            };
            (U256::ZERO, launch.abi_encode())
        } else if referral.is_empty() {
            (prebuy, ILaunchHook::createLaunchCall { params }.abi_encode())
        } else {
            let launch = ILaunchHook::createLaunchWithReferralCall { params, referralCode: referral };
            (prebuy, launch.abi_encode())
        };
        TradeCall { to: self.hook, data: data.into(), value }
    }
}

/// The account's next call, and its balance.
pub(super) struct Ready {
    pub(super) prepared: Prepared,
    /// The account's balance of the asset.
    pub(super) balance: U256,
    /// Maximum cost of the launch's gas at present, in wei; unknown before an approval.
    pub(super) gas: Option<U256>,
}

/// Prepares the account's next transaction: the launch, or the approval that its prebuy needs first; the chain simulates it.
pub(super) async fn prepare(
    pages: &Pages,
    venue: &Venue,
    account: Address,
    draft: &Draft,
) -> Result<Ready, Refusal> {
    let Venue { chain_id, contract, hook, ref asset, .. } = *venue;
    let held = pages.api.holding(chain_id, contract, account, hook).await?;
    let balance = held.balance;
    if balance < draft.prebuy {
        let has = exact(balance, asset.decimals);
        let rule = format!("the account has {has} {} only", asset.symbol);
        return Err(Refusal::conflict("page-balance", rule));
    }
    if held.allowance < draft.prebuy {
        // Anything that the hook would refuse is refused without the prebuy too, so that nothing is approved for an impossible launch.
        pages.api.try_call(chain_id, account, &venue.call(draft, U256::ZERO)).await?;
        let data: Bytes = IERC20::approveCall { spender: hook, amount: draft.prebuy }.abi_encode().into();
        let approval = Prepared::new("Approval", account, contract, &data, U256::ZERO);
        return Ok(Ready { prepared: Prepared { more: true, ..approval }, balance, gas: None });
    }
    let call = venue.call(draft, draft.prebuy);
    let Gas { gas, price } = pages.api.try_call(chain_id, account, &call).await?;
    let mut prepared = Prepared::new("Launch", account, call.to, &call.data, call.value);
    prepared.call["gas"] = format!("{gas:#x}").into();
    prepared.done = format!("Launched {} ({})", draft.params.name, draft.params.ticker);
    Ok(Ready { prepared, balance, gas: Some(U256::from(gas) * U256::from(price)) })
}
