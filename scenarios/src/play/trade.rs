//! Launches and trades of a play: calls of the launch hook that the accounts sign.
use alloy::primitives::{Address, B256, U256};
use alloy::rpc::types::TransactionReceipt;
use alloy::sol_types::SolCall;
use serde_json::Value;
use slipway_contracts::Quantity;

use super::file::{LaunchTable, StepRow};
use super::player::Player;
use super::refusal::{Halt, Refusal};
use crate::answers::members::parsed;
use crate::answers::reads::{get, param, record};
use crate::client::account::Account;
use crate::client::chain::TransactionOutcome;
use crate::client::paths::{LIST, TOKEN};
use crate::client::wire::{CaptchaAuth, CreateLaunchParams, LaunchHook, Token};
use crate::model::verdict::Inconclusive;
use crate::sections::chain::launch_fixture::{buy_call, events_of, reference, wei};
use crate::truth::reference::curve::least_gross;
use crate::truth::reference::integer;

const GAIN_BPS: u32 = 50_000;
const CREATOR_SPLIT_BPS: u16 = 5_000;

/// A launch that steps refer to.
#[derive(Clone, Debug)]
pub(super) struct Launched {
    pub(super) chain_id: u64,
    hook: Address,
    id: U256,
    pub(super) address: Address,
}

impl Player {
    pub(super) async fn launch(&mut self, step: &StepRow, launch: &LaunchTable) -> Result<String, Halt> {
        let chain_id = launch.chain();
        let hook = *self.hooks.get(&chain_id).ok_or_else(|| Inconclusive::NoMaterial {
            reason: format!("the capabilities name no hook to launch with on {chain_id}"),
        })?;
        let creator = self.account(step, chain_id).await?;
        let raise = launch.raise.unwrap_or(Quantity::of_whole(1));
        let params = CreateLaunchParams {
            name: launch.name.clone().unwrap_or_else(|| launch.ticker.clone()),
            ticker: launch.ticker.clone(),
            description: launch.description.clone(),
            imageUrl: launch.picture.clone(),
            messenger: launch.messenger.clone(),
            microblog: launch.microblog.clone(),
            website: launch.website.clone(),
            creatorFeeSplitBps: launch.creator_split_bps.unwrap_or(CREATOR_SPLIT_BPS),
            gainBps: launch.gain_bps.unwrap_or(GAIN_BPS),
            targetRaise: U256::from(raise.atto()).to(),
            antiSnipeDuration: launch.anti_snipe.unwrap_or_default(),
            startTime: 0,
        };
        let prebuy = U256::from(launch.prebuy.unwrap_or_default().atto());
        let call = LaunchHook::createLaunchCall { params };
        let receipt = self.send(chain_id, &creator, hook, prebuy, &call).await?;
        let created = events_of::<LaunchHook::LaunchCreated>(hook, &receipt).pop();
        let created = created.ok_or_else(|| Halt::differs("an event LaunchCreated", "none"))?;
        let launched = Launched { chain_id, hook, id: created.launchId, address: created.token };
        self.tokens.insert(launch.ticker.clone(), launched);
        Ok(format!("launch {} at {}{}", created.launchId, created.token, sent(&receipt)))
    }

    pub(super) async fn buy(&mut self, step: &StepRow, wei: U256) -> Result<String, Halt> {
        let launched = self.token(step).await?;
        let trader = self.account(step, launched.chain_id).await?;
        let auth = self.authorisation(step, &launched, &trader).await?;
        let call = buy_call(launched.id, auth);
        let receipt = self.send(launched.chain_id, &trader, launched.hook, wei, &call).await?;
        let trade = traded(&launched, &receipt)?;
        let refund = match trade.refund {
            U256::ZERO => String::new(),
            refund => format!(", {} ETH back", units(refund)),
        };
        Ok(format!("{} tokens{refund}{}", units(trade.amounts.tokenAmount), sent(&receipt)))
    }

    pub(super) async fn sell(&mut self, step: &StepRow, tokens: U256) -> Result<String, Halt> {
        let launched = self.token(step).await?;
        let trader = self.account(step, launched.chain_id).await?;
        let auth = self.authorisation(step, &launched, &trader).await?;
        let approve = Token::approveCall { spender: launched.hook, amount: tokens };
        self.send(launched.chain_id, &trader, launched.address, U256::ZERO, &approve).await?;
        let call = LaunchHook::sellCall {
            launchId: launched.id,
            tokenAmount: tokens.to(),
            minEthOut: U256::ZERO,
            auth,
        };
        let receipt = self.send(launched.chain_id, &trader, launched.hook, U256::ZERO, &call).await?;
        let amounts = traded(&launched, &receipt)?.amounts;
        Ok(format!("{} ETH{}", units(amounts.ethAmount - amounts.fee), sent(&receipt)))
    }

    /// Buys or sells until this percentage of the raise is paid in: a purchase reaches it exactly, a sale ends at or below it.
    pub(super) async fn trade_to(&mut self, step: &StepRow, percent: Quantity) -> Result<String, Halt> {
        let launched = self.token(step).await?;
        let call = LaunchHook::getLaunchStateCall { launchId: launched.id };
        let state = self.world.chain(launched.chain_id)?.call(launched.hook, &call).await?;
        let state = state.map_err(|error| Halt::Refused(Refusal::of_node(&error)))?;
        let (curve, position) = reference(&state);
        let target: u128 = state.targetRaise.to();
        let wanted = U256::from(percent.percent_of_down(target).unwrap_or(target));
        let (wanted, paid) = (integer(wanted), position.net);
        if wanted > paid {
            self.buy(step, wei(&least_gross(&(wanted - paid)))).await
        } else if wanted < paid {
            self.sell(step, wei(&(position.sold - curve.sold_for(&wanted)))).await
        } else {
            Ok("it is there already".to_owned())
        }
    }

    /// Returns the token of a step: one of the play, else one that the services list.
    pub(super) async fn token(&mut self, step: &StepRow) -> Result<Launched, Halt> {
        let name = step.token.as_deref().unwrap_or_default();
        if let Some(known) = self.tokens.get(name) {
            return Ok(known.clone());
        }
        let address = match name.parse() {
            Ok(address) => address,
            Err(_) => self.listed(name).await?,
        };
        let query = [param("address", address.to_string())];
        let answer = self.asked(get(self.world.rest()?, TOKEN, &query)).await?;
        let record = record(&answer.json().unwrap_or_default(), address);
        let text = |name: &str| record[name].clone();
        let found = record["chain_id"].as_u64().zip(parsed(&text("hook_address")));
        let found = found.zip(record["launch_id"].as_u64());
        let ((chain_id, hook), id) = found.ok_or_else(|| {
            Halt::differs(format!("{name} is a launch of the present contracts"), answer.excerpt())
        })?;
        let launched = Launched { chain_id, hook, id: U256::from(id), address };
        self.tokens.insert(name.to_owned(), launched.clone());
        Ok(launched)
    }

    /// Returns the address of the only token with a ticker.
    async fn listed(&self, ticker: &str) -> Result<Address, Halt> {
        let query = [param("search", ticker)];
        let body = self.asked(get(self.world.rest()?, LIST, &query)).await?.json().unwrap_or_default();
        let rows = body["tokens"].as_array().into_iter().flatten();
        let alike: Vec<&Value> = rows.filter(|row| row["ticker"] == ticker).collect();
        match alike[..] {
            [only] => parsed(&only["address"]).ok_or_else(|| Halt::differs("an address", only.to_string())),
            _ => {
                let known: Vec<&str> = self.tokens.keys().map(String::as_str).collect();
                let known = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
                let actual = format!("{} of them; steps have launched {known}", alike.len());
                Err(Halt::differs(format!("one token with the ticker {ticker}"), actual))
            }
        }
    }

    /// Returns a proof of a solved captcha, if the step sends one.
    async fn authorisation(
        &self,
        step: &StepRow,
        launched: &Launched,
        trader: &Account,
    ) -> Result<CaptchaAuth, Halt> {
        if !step.captcha {
            return Ok(CaptchaAuth::default());
        }
        let control = self.world.control()?;
        let proof = control.captcha_proof(launched.chain_id, trader.address(), launched.id.to()).await?;
        Ok(CaptchaAuth { deadline: proof.deadline, nonce: proof.nonce, signature: proof.signature })
    }

    /// Sends a call that must succeed, and waits until the services show its block.
    async fn send<C: SolCall>(
        &self,
        chain_id: u64,
        account: &Account,
        to: Address,
        value: U256,
        call: &C,
    ) -> Result<TransactionReceipt, Halt> {
        match self.world.chain(chain_id)?.transact(account, to, value, call).await? {
            TransactionOutcome::Mined(receipt) if receipt.status() => {
                self.world.settled(chain_id, receipt.block_number.unwrap_or_default()).await?;
                Ok(*receipt)
            }
            TransactionOutcome::Refused(error) => Err(Halt::Refused(Refusal::of_node(&error))),
            mined @ TransactionOutcome::Mined(_) => Err(Halt::Refused(Refusal::mined(mined.describe()))),
        }
    }
}

/// Returns the trade event of a receipt.
fn traded(launched: &Launched, receipt: &TransactionReceipt) -> Result<LaunchHook::Trade, Halt> {
    let trade = events_of::<LaunchHook::Trade>(launched.hook, receipt).pop();
    trade.ok_or_else(|| Halt::differs("an event Trade", "none"))
}

/// Formats an amount in whole coins or tokens, which all have 18 decimals here.
pub(super) fn units(amount: U256) -> String {
    match u128::try_from(amount) {
        Ok(amount) => Quantity::of_atto(amount).to_string(),
        Err(_) => format!("{amount} smallest units"),
    }
}

/// Formats a receipt as `, block 12, 0x1234…abcd`.
fn sent(receipt: &TransactionReceipt) -> String {
    let short = |hash: B256| {
        let hash = hash.to_string();
        format!("{}…{}", &hash[..6], &hash[hash.len() - 4..])
    };
    let block = receipt.block_number.unwrap_or_default();
    format!(", block {block}, {}", short(receipt.transaction_hash))
}
