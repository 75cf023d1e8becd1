//! The launch hook as checks use it: creating, trading, reading, and failures that come with a command to reproduce them.
use alloy::primitives::{B256, Bytes};
use alloy::rpc::types::TransactionReceipt;
use alloy::sol_types::{SolCall, SolEvent};
use num_bigint::BigInt;

use crate::answers::reads::CAPABILITIES;
use crate::client::chain::{Chain, TransactionOutcome};
use crate::client::wire::{CaptchaAuth, CreateLaunchParams, LaunchConfig, LaunchHook, Token};
use crate::model::conventions::undeclared;
use crate::model::seed::Choices;
use crate::prelude::*;
use crate::truth::reference::curve::{Curve, Position};
use crate::truth::reference::{amount, integer};

/// The hook that takes new launches on one chain.
#[derive(Debug)]
pub(crate) struct LaunchFixture<'a> {
    pub(crate) trial: Trial<'a>,
    pub(crate) chain: &'a Chain,
    pub(crate) hook: Address,
    /// The capabilities that named the hook; null if the target file declares it.
    pub(crate) capabilities: Value,
}

/// A mined launch.
#[derive(Debug)]
pub(crate) struct Launched {
    pub(crate) id: U256,
    pub(crate) token: Address,
    pub(crate) receipt: TransactionReceipt,
}

judges_as_its_trial!(LaunchFixture);

impl<'a> LaunchFixture<'a> {
    /// Reads from the service which hook takes launches on a chain; without a service the declared hook is used.
    pub(crate) async fn open(trial: &Trial<'a>, chain_id: u64) -> Result<Self, Stop> {
        let chain = trial.world.chain(chain_id)?;
        if !trial.has(Need::Rest) {
            let declared = trial.target().conventions.hook.filter(|_| chain_id == PRIMARY);
            let hook = declared.ok_or_else(|| undeclared("the launch hook", "hook"))?;
            let has_code = !chain.code(hook).await?.is_empty();
            need_material(has_code, format!("the declared launch hook {hook} has no code"))?;
            speaks_ours(chain, hook).await?;
            return Ok(Self { trial: *trial, chain, hook, capabilities: Value::Null });
        }
        let response = trial.read(CAPABILITIES, &[param("chainId", chain_id.to_string())]).await?;
        let capabilities = response.json().unwrap_or_default();
        let hook = parsed(&capabilities["activeCreationDeployment"]["hook"]);
        let Some(hook) = hook.filter(|_| response.code() == 200) else {
            let code = response.code();
            let reason = format!("GET {CAPABILITIES} answers {code} without a hook to launch with");
            return Err(no_material(reason));
        };
        speaks_ours(chain, hook).await?;
        Ok(Self { trial: *trial, chain, hook, capabilities })
    }

    /// Returns a contract of the deployment's V4 parts, if the capabilities give it this name.
    pub(crate) fn part(&self, name: &str) -> Option<Address> {
        parsed(&self.capabilities["activeCreationDeployment"]["v4"][name])
    }

    /// Reads the hook; an error breaks the clause.
    pub(crate) async fn read<C: SolCall>(&self, call: &C) -> Verdict<C::Return> {
        self.read_from(self.hook, call).await
    }

    /// Reads any contract; an error breaks the clause.
    pub(crate) async fn read_from<C: SolCall>(&self, contract: Address, call: &C) -> Verdict<C::Return> {
        self.chain.call(contract, call).await?.map_err(|error| {
            let reproduce = self.cast(contract, None, U256::ZERO, call);
            self.failure(&reproduce, format!("{} answers", C::SIGNATURE), error.to_string())
        })
    }

    pub(crate) async fn state(&self, launch: U256) -> Verdict<LaunchConfig> {
        self.read(&LaunchHook::getLaunchStateCall { launchId: launch }).await
    }

    /// Returns the token balance of an account.
    pub(crate) async fn tokens_of(&self, token: Address, account: Address) -> Verdict<U256> {
        self.read_from(token, &Token::balanceOfCall { account }).await
    }

    /// Creates a launch, with a referral code if given (it may be empty), and buys with `value`.
    pub(crate) async fn launch(
        &self,
        creator: &Account,
        params: &CreateLaunchParams,
        referral: Option<&str>,
        value: U256,
    ) -> Verdict<Launched> {
        let params = params.clone();
        let receipt = match referral {
            None => self.must_mine(creator, value, &LaunchHook::createLaunchCall { params }).await?,
            Some(code) => {
                let code = code.to_owned();
                let call = LaunchHook::createLaunchWithReferralCall { params, referralCode: code };
                self.must_mine(creator, value, &call).await?
            }
        };
        let created = self.only_event::<LaunchHook::LaunchCreated>(&receipt)?;
        Ok(Launched { id: created.launchId, token: created.token, receipt })
    }

    /// Creates a launch with this target, gain and split, and buys with `value`.
    pub(crate) async fn launch_plain(
        &self,
        creator: &Account,
        choices: &mut Choices,
        (target, gain, split): (U256, u32, u16),
        value: U256,
    ) -> Verdict<Launched> {
        self.launch(creator, &plain_launch(choices, target, gain, split), None, value).await
    }

    /// Buys outside the protected time.
    pub(crate) async fn buy(
        &self,
        trader: &Account,
        launch: U256,
        value: U256,
    ) -> Verdict<TransactionReceipt> {
        self.must_mine(trader, value, &buy_call(launch, CaptchaAuth::default())).await
    }

    /// Like [`Self::buy`], with a referral code.
    pub(crate) async fn buy_with_code(
        &self,
        trader: &Account,
        launch: U256,
        code: &str,
    ) -> Verdict<TransactionReceipt> {
        let call = LaunchHook::buyWithReferralCall {
            launchId: launch,
            minTokensOut: U256::ZERO,
            auth: CaptchaAuth::default(),
            referralCode: code.to_owned(),
        };
        self.must_mine(trader, U256::from(ETHER / 7), &call).await
    }

    /// Approves the hook for the tokens and sells them.
    pub(crate) async fn sell(
        &self,
        trader: &Account,
        launched: &Launched,
        tokens: U256,
    ) -> Verdict<TransactionReceipt> {
        self.allow(trader, launched.token, tokens).await?;
        self.must_mine(trader, U256::ZERO, &sell_call(launched.id, tokens, U256::ZERO)).await
    }

    /// Like [`Self::sell`], with a referral code.
    pub(crate) async fn sell_with_code(
        &self,
        trader: &Account,
        launched: &Launched,
        tokens: U256,
        code: &str,
    ) -> Verdict<TransactionReceipt> {
        self.allow(trader, launched.token, tokens).await?;
        let call = LaunchHook::sellWithReferralCall {
            launchId: launched.id,
            tokenAmount: tokens.saturating_to(),
            minEthOut: U256::ZERO,
            auth: CaptchaAuth::default(),
            referralCode: code.to_owned(),
        };
        self.must_mine(trader, U256::ZERO, &call).await
    }

    pub(crate) async fn allow(&self, trader: &Account, token: Address, tokens: U256) -> Verdict {
        let approve = Token::approveCall { spender: self.hook, amount: tokens };
        let outcome = self.chain.transact(trader, token, U256::ZERO, &approve).await?;
        let reproduce = self.cast(token, Some(trader.address()), U256::ZERO, &approve);
        let taken = outcome.success().is_some();
        self.require_or(&reproduce, taken, "an approval is taken", || outcome.describe())
    }

    /// Sends a call to the hook, which must succeed.
    pub(crate) async fn must_mine<C: SolCall>(
        &self,
        account: &Account,
        value: U256,
        call: &C,
    ) -> Verdict<TransactionReceipt> {
        let outcome = self.chain.transact(account, self.hook, value, call).await?;
        match outcome {
            TransactionOutcome::Mined(receipt) if receipt.status() => Ok(*receipt),
            outcome => {
                let reproduce = self.cast(self.hook, Some(account.address()), value, call);
                let expected = format!("{} is mined with success", C::SIGNATURE);
                Err(self.failure(&reproduce, expected, outcome.describe()))
            }
        }
    }

    /// Simulates a call of the hook, which must succeed.
    pub(crate) async fn succeeds<C: SolCall>(
        &self,
        from: Address,
        value: U256,
        call: &C,
        why: &str,
    ) -> Verdict<C::Return> {
        let result = self.chain.call_as(Some(from), self.hook, value, call).await?;
        result.map_err(|refused| {
            let reproduce = self.cast(self.hook, Some(from), value, call);
            self.failure(&reproduce, format!("{} succeeds: {why}", C::SIGNATURE), refused.to_string())
        })
    }

    /// Returns the hook's events of one kind, in order.
    pub(crate) fn events<E: SolEvent>(&self, receipt: &TransactionReceipt) -> Vec<E> {
        events_of(self.hook, receipt)
    }

    /// Returns the only event of a kind.
    pub(crate) fn only_event<E: SolEvent>(&self, receipt: &TransactionReceipt) -> Verdict<E> {
        let only: Result<[E; 1], _> = self.events::<E>(receipt).try_into();
        only.map(|[event]| event).map_err(|events| {
            let hash = receipt.transaction_hash;
            let expected = format!("one {} from {}", E::SIGNATURE, self.hook);
            self.failure(&self.cast_receipt(hash), expected, format!("{} of them in {hash}", events.len()))
        })
    }

    /// Requires that named figures agree; reports the first that does not.
    pub(crate) fn agree(&self, reproduce: &str, figures: &[(&str, BigInt, BigInt)]) -> Verdict {
        figures
            .iter()
            .try_for_each(|(name, expected, actual)| self.require_equal(reproduce, name, expected, actual))
    }

    /// Returns a command that makes the same call.
    pub(crate) fn cast<C: SolCall>(
        &self,
        to: Address,
        from: Option<Address>,
        value: U256,
        call: &C,
    ) -> String {
        let from = from.map_or_else(String::new, |from| format!(" --from {from}"));
        let input = Bytes::from(call.abi_encode());
        let url = self.chain.url();
        format!("cast call --rpc-url '{url}'{from} --value {value} {to} --data {input}")
    }

    pub(crate) fn cast_receipt(&self, hash: B256) -> String {
        format!("cast receipt --rpc-url '{}' {hash}", self.chain.url())
    }
}

/// Builds a purchase that accepts any number of tokens.
pub(crate) fn buy_call(launch: U256, auth: CaptchaAuth) -> LaunchHook::buyCall {
    LaunchHook::buyCall { launchId: launch, minTokensOut: U256::ZERO, auth }
}

/// Builds a sale outside the protected time.
pub(super) fn sell_call(launch: U256, tokens: U256, least: U256) -> LaunchHook::sellCall {
    LaunchHook::sellCall {
        launchId: launch,
        tokenAmount: tokens.saturating_to(),
        minEthOut: least,
        auth: CaptchaAuth::default(),
    }
}

/// Skips the check if a contract does not answer like this project's hook: its struct fields and events are left open, so that the checks
/// cannot call any other hook. An address without code is left to the checks of the capabilities.
pub(crate) async fn speaks_ours(chain: &Chain, hook: Address) -> Verdict {
    let answers = chain.call(hook, &LaunchHook::launchCountCall {}).await?.is_ok();
    if answers || chain.code(hook).await?.is_empty() {
        return Ok(());
    }
    let id = chain.chain_id();
    Err(Stop::Skipped(format!("the hook {hook} of chain {id} has another ABI and was not tested")))
}

/// Returns a contract's events of one kind, in order.
pub(crate) fn events_of<E: SolEvent>(contract: Address, receipt: &TransactionReceipt) -> Vec<E> {
    receipt
        .logs()
        .iter()
        .filter(|log| log.address() == contract)
        .filter_map(|log| E::decode_log(&log.inner).ok().map(|decoded| decoded.data))
        .collect()
}

/// Returns the reference curve of a launch, and the launch's position on it.
pub(crate) fn reference(state: &LaunchConfig) -> (Curve, Position) {
    let curve = Curve::new(integer(U256::from(state.targetRaise)), BigInt::from(state.gainBps));
    let position = Position { sold: BigInt::from(state.sold), net: BigInt::from(state.netContributions) };
    (curve, position)
}

/// Converts an amount of the reference, which always fits.
pub(crate) fn wei(integer: &BigInt) -> U256 {
    amount(integer).expect("amounts of the reference are amounts")
}

/// Returns parameters of a launch that any platform accepts.
pub(crate) fn plain_launch(choices: &mut Choices, target: U256, gain: u32, split: u16) -> CreateLaunchParams {
    let word = alloy::hex::encode(&choices.word()[..4]);
    CreateLaunchParams {
        name: format!("Probe {word}"),
        ticker: format!("P{}", word[..5].to_uppercase()),
        description: format!("A launch made by a conformance check, {word}."),
        imageUrl: format!("https://images.slipway.dev/{word}.png"),
        creatorFeeSplitBps: split,
        gainBps: gain,
        targetRaise: target.to(),
        ..CreateLaunchParams::default()
    }
}
