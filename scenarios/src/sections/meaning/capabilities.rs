//! Capabilities: every named contract is of the named kind, judged on its own chain.
use std::sync::atomic::AtomicU32;

use alloy::primitives::keccak256;
use alloy::sol_types::SolCall;

use crate::answers::members::members_within;
use crate::answers::reads::{CAPABILITIES, QUOTE_ASSETS};
use crate::client::chain::Chain;
use crate::client::wire::{
    EmperorAuction, Exchange, LaunchHook, Parts, Permits, Pools, QuoteExactSingleParams, Token,
};
use crate::model::shown::readable;
use crate::model::target::CHAINS;
use crate::prelude::*;
use crate::sections::capabilities::{deployments, is_truthy};
use crate::sections::chain::launch_fixture::{plain_launch, speaks_ours};
use crate::truth::ledger::deployments::auction_of;

/// Most requests for logs from before a deployment's start block.
const REQUESTS: u32 = 64;

/// Version, ABI family and fee-withdrawal mode of a launch hook (V2).
const SECOND: [&str; 3] = ["v2", "launch-hook-v2", "pull"];
/// Version, ABI family and fee-withdrawal mode of a token factory (V1).
const FIRST: [&str; 3] = ["v1", "token-factory-v1", "push"];

/// The capabilities of one chain under judgement.
struct Capabilities<'a> {
    trial: Trial<'a>,
    chain: &'a Chain,
    response: Response,
    body: Value,
}

/// The active deployment is on the requested chain, and launches succeed exactly if the capabilities say so.
pub(super) async fn works(trial: &Trial<'_>) -> Verdict {
    for capabilities in Capabilities::of_each_chain(trial, CAPABILITIES).await? {
        let chain = capabilities.chain;
        let named = &capabilities.body["chainId"];
        let reported = json!(chain.reported_chain_id().await?);
        trial.require_equal(&capabilities.response, "chainId", &reported, named)?;
        capabilities.active().await?;
    }
    Ok(())
}

/// The contracts that the capabilities of both chains name exist and are of that kind.
pub(super) async fn named(trial: &Trial<'_>) -> Verdict {
    for capabilities in Capabilities::of_each_chain(trial, CAPABILITIES).await? {
        for deployment in capabilities.body["tradeableDeployments"].as_array().into_iter().flatten() {
            capabilities.deployment(deployment).await?;
        }
        capabilities.flags().await?;
        if capabilities.chain.chain_id() == PRIMARY {
            let works = match auction_of(trial, &capabilities.body) {
                Some(auction) => {
                    capabilities.chain.call(auction, &EmperorAuction::bidDataCall {}).await?.is_ok()
                }
                None => false,
            };
            let stated = &capabilities.body["flags"]["eoti"];
            trial.require_equal(&capabilities.response, "flags.eoti", &json!(works), stated)?;
        }
    }
    Ok(())
}

/// Every contract of every deployment is of the kind that its name says. Missing names are skipped: names are choices.
pub(super) async fn kinds(trial: &Trial<'_>) -> Verdict {
    for capabilities in Capabilities::of_each_chain(trial, CAPABILITIES).await? {
        for deployment in deployments(&capabilities.body) {
            trial.looks_at(["S101"].into_iter().chain(deployment["v4"].is_object().then_some("S98")));
            capabilities.kinds_of_v4(&deployment["v4"]).await?;
            let v2 = &deployment["v2"];
            capabilities.kind("factory", &v2["factory"], Exchange::allPairsLengthCall {}).await?;
            capabilities.kind("router", &v2["router"], Exchange::WETHCall {}).await?;
        }
    }
    Ok(())
}

/// Quote assets match their hooks and their token contracts.
pub(super) async fn assets(trial: &Trial<'_>) -> Verdict {
    for capabilities in Capabilities::of_each_chain(trial, QUOTE_ASSETS).await? {
        let chain = capabilities.chain;
        let named = &capabilities.body["chainId"];
        trial.require_equal(&capabilities.response, "chainId", &json!(chain.chain_id()), named)?;
        for row in capabilities.body["quoteAssets"].as_array().into_iter().flatten() {
            let (asset, hook) = (parsed(&row["address"]), parsed(&row["hook"]));
            capabilities.is("address", &row["address"], hook, LaunchHook::quoteAssetCall {}).await?;
            let asset = asset.unwrap_or_default();
            for (field, stated) in [
                ("symbol", json!(chain.call(asset, &Token::symbolCall {}).await?.unwrap_or_default())),
                ("name", json!(chain.call(asset, &Token::nameCall {}).await?.unwrap_or_default())),
                ("decimals", json!(chain.call(asset, &Token::decimalsCall {}).await?.unwrap_or_default())),
            ] {
                trial.require_equal(&capabilities.response, field, &stated, &row[field])?;
            }
            capabilities.status(row, hook.unwrap_or_default(), true).await?;
        }
    }
    Ok(())
}

impl<'a> Capabilities<'a> {
    /// Reads the capabilities of each chain whose RPC is known.
    async fn of_each_chain(trial: &Trial<'a>, path: &str) -> Verdict<Vec<Self>> {
        let mut each = Vec::new();
        for chain_id in CHAINS {
            if let Ok(chain) = trial.world.chain(chain_id) {
                each.push(Self::read(trial, chain, path).await?);
            }
        }
        Ok(each)
    }

    async fn read(trial: &Trial<'a>, chain: &'a Chain, path: &str) -> Verdict<Self> {
        let query = [param("chainId", chain.chain_id().to_string())];
        let (response, body) = trial.read_json(path, &query).await?;
        Ok(Self { trial: *trial, chain, response, body })
    }

    /// A member names the address that a contract returns.
    async fn is<C: SolCall<Return = Address>>(
        &self,
        name: &str,
        stated: &Value,
        of: Option<Address>,
        call: C,
    ) -> Verdict {
        let Some(contract) = of else {
            let expected = format!("a contract to ask for {name}");
            return self.trial.require_or(&self.response, false, &expected, || "none".to_owned());
        };
        match self.chain.call(contract, &call).await? {
            Ok(real) => self.trial.require_equal(&self.response, name, &Some(real), &parsed(stated)),
            Err(error) => {
                let expected = format!("{contract} returns its {name} ({})", C::SIGNATURE);
                self.trial.require_or(&self.response, false, &expected, || error.to_string())
            }
        }
    }

    async fn has_code(&self, name: &str, value: &Value) -> Verdict {
        let address = parsed(value);
        let code = match address {
            Some(address) => self.chain.code(address).await?,
            None => Default::default(),
        };
        self.trial
            .require_or(&self.response, !code.is_empty(), &format!("{name} has code"), || value.to_string())
    }

    async fn deployment(&self, deployment: &Value) -> Verdict {
        let (trial, response) = (&self.trial, &self.response);
        self.has_code("hook", &deployment["hook"]).await?;
        let hook = parsed(&deployment["hook"]).unwrap_or_default();
        let hash = keccak256(self.chain.code(hook).await?);
        let stated = parsed(&deployment["runtimeHash"]);
        trial.require_equal(response, &format!("runtimeHash of {hook}"), &Some(hash), &stated)?;
        self.start_block(hook, deployment).await?;
        let is_hook = self.chain.call(hook, &LaunchHook::launchCountCall {}).await?.is_ok();
        let kind = if is_hook { SECOND } else { FIRST };
        for (name, expected) in ["version", "abiFamily", "feeWithdrawalMode"].into_iter().zip(kind) {
            trial.require_equal(
                response,
                &format!("{name} of {hook}"),
                &json!(expected),
                &deployment[name],
            )?;
        }
        if !is_hook {
            let v2 = &deployment["v2"];
            self.is("v2.factory", &v2["factory"], Some(hook), Parts::pairsCall {}).await?;
            let router = parsed(&v2["router"]);
            return self.is("v2.factory", &v2["factory"], router, Exchange::factoryCall {}).await;
        }
        let v4 = &deployment["v4"];
        let manager = &v4["poolManager"];
        self.is("poolManager", manager, Some(hook), LaunchHook::poolManagerCall {}).await?;
        for part in ["positionManager", "stateView", "quoter", "universalRouter"] {
            self.has_code(part, &v4[part]).await?;
            let what = format!("poolManager of the {part}");
            self.is(&what, manager, parsed(&v4[part]), Parts::poolManagerCall {}).await?;
        }
        self.has_code("permit2", &v4["permit2"]).await?;
        let positions = parsed(&v4["positionManager"]);
        self.is("permit2", &v4["permit2"], positions, Parts::permit2Call {}).await?;
        let asset = self.chain.call(hook, &LaunchHook::quoteAssetCall {}).await?.unwrap_or_default();
        let expected = (!asset.is_zero()).then_some(asset);
        trial.require_equal(response, "quoteAsset", &expected, &parsed(&deployment["quoteAsset"]))?;
        self.status(deployment, hook, expected.is_some()).await
    }

    /// A deployment or an asset is active exactly if its hook takes launches.
    async fn status(&self, stated: &Value, hook: Address, for_an_asset: bool) -> Verdict {
        let works = self.takes_launches(hook, for_an_asset).await?;
        let status = stated["status"] == "active";
        self.trial.require_equal(
            &self.response,
            &format!("whether the status of {hook} is active"),
            &works,
            &status,
        )
    }

    /// Whether a hook takes a launch, by simulation.
    async fn takes_launches(&self, hook: Address, for_an_asset: bool) -> Verdict<bool> {
        // The launch is simulated and never sent.
        let params = plain_launch(&mut self.trial.choices("capability"), ether(1), 50_000, 5_000);
        let somebody = Some(Address::repeat_byte(0x5b));
        if !for_an_asset {
            let call = LaunchHook::createLaunchCall { params };
            return Ok(self.chain.call_as(somebody, hook, U256::ZERO, &call).await?.is_ok());
        }
        let call = LaunchHook::createLaunchWithQuoteCall {
            params,
            prebuyAmount: U256::ZERO,
            referralCode: String::new(),
        };
        Ok(self.chain.call_as(somebody, hook, U256::ZERO, &call).await?.is_ok())
    }

    /// The contract has no code before its start block, and has code from that block or the next one on.
    async fn start_block(&self, hook: Address, deployment: &Value) -> Verdict {
        let Some(start) = deployment["startBlock"].as_u64() else {
            let stated = || deployment["startBlock"].to_string();
            return self.trial.require_or(&self.response, false, "startBlock", stated);
        };
        let head = self.chain.head().await?.header.number;
        // Two blocks are enough in most cases; the block of creation is only searched for if they are not.
        let lacks_code = async |block: u64| -> Verdict<Option<bool>> {
            Ok(self.chain.code_at(hook, block.min(head)).await?.ok().map(|code| code.is_empty()))
        };
        let is_new = start <= 1 || lacks_code(start - 1).await? == Some(true);
        if is_new && lacks_code(start.saturating_add(1)).await? == Some(false) {
            return Ok(());
        }
        let first = first_block_with_code(self.chain, hook, head).await?;
        let Some(first) = first else {
            // The node does not keep state that old; the contract's logs still show when it existed.
            let requests = AtomicU32::new(REQUESTS);
            let before = (0, start.saturating_sub(1).min(head));
            let older = self.chain.logs_within(&[hook], &json!([]), before, &requests).await?;
            let older = older.and_then(|logs| logs.first().and_then(|log| log.block_number));
            return self.trial.require_or(
                &self.response,
                older.is_none(),
                "no log before startBlock",
                || format!("startBlock {start} of {hook}, which logged in block {}", readable(&older)),
            );
        };
        // Then no log of the contract is older; for a contract that exists since genesis, block 1 is as good as 0.
        let made = start <= first.max(1) && start + 1 >= first;
        let seen = || format!("startBlock {start} of {hook}, whose code is there since {first}");
        self.trial.require_or(&self.response, made, "the block it was made in", seen)
    }

    /// The hook is a contract, and launches succeed exactly if the deployment is active and `create` is truthy.
    async fn active(&self) -> Verdict {
        let active = &self.body["activeCreationDeployment"];
        let create = &self.body["flags"]["create"];
        let truthy = is_truthy(create);
        if active.is_null() {
            return self.trial.require_equal(
                &self.response,
                "whether flags.create is truthy",
                &false,
                &truthy,
            );
        }
        self.has_code("hook", &active["hook"]).await?;
        let hook = parsed(&active["hook"]).unwrap_or_default();
        // The member that holds the contract is left open.
        let mut members = members_within(&self.body["tradeableDeployments"]).into_iter();
        let same = members.any(|(_, member)| parsed(member) == Some(hook));
        let expected = "the active hook among the tradeable ones";
        self.trial.require_or(&self.response, same, expected, || active.to_string())?;
        speaks_ours(self.chain, hook).await?;
        let works = self.takes_launches(hook, false).await?;
        self.trial.require_equal(&self.response, "whether flags.create is truthy", &works, &truthy)?;
        let status = active["status"] == "active";
        self.trial.require_equal(&self.response, "whether status is active", &works, &status)
    }

    /// The tradeable deployments contain the active one with the same description, reads succeed, and trades succeed exactly if the flag
    /// says so.
    async fn flags(&self) -> Verdict {
        let active = &self.body["activeCreationDeployment"];
        let Some(hook) = parsed(&active["hook"]) else { return Ok(()) };
        let mut known = self.body["tradeableDeployments"].as_array().into_iter().flatten();
        self.trial.require_or(&self.response, known.any(|one| one == active), "one description", || {
            active.to_string()
        })?;
        self.trial.require_equal(&self.response, "flags.read", &json!(true), &self.body["flags"]["read"])?;
        let count = self.chain.call(hook, &LaunchHook::launchCountCall {}).await?.unwrap_or_default();
        if count.is_zero() {
            return Ok(());
        }
        let preview =
            LaunchHook::previewBuyCall { launchId: count, ethIn: U256::from(20_000_000_000_000_u64) };
        let state = self.chain.call(hook, &LaunchHook::getLaunchStateCall { launchId: count }).await?;
        let trades =
            state.is_ok_and(|state| state.finalized) || self.chain.call(hook, &preview).await?.is_ok();
        self.trial.require_equal(&self.response, "flags.trade", &json!(trades), &self.body["flags"]["trade"])
    }

    async fn kinds_of_v4(&self, v4: &Value) -> Verdict {
        let (user, token, spender) = Default::default();
        let params = QuoteExactSingleParams { zeroForOne: true, exactAmount: 1, ..Default::default() };
        let nothing =
            Pools::executeCall { commands: Default::default(), inputs: Vec::new(), deadline: U256::MAX };
        self.kind("poolManager", &v4["poolManager"], Parts::extsloadCall { slot: Default::default() })
            .await?;
        self.kind("positionManager", &v4["positionManager"], Parts::nextTokenIdCall {}).await?;
        self.kind("stateView", &v4["stateView"], Pools::getSlot0Call { poolId: Default::default() }).await?;
        self.kind("quoter", &v4["quoter"], Pools::quoteExactInputSingleCall { params }).await?;
        self.kind("universalRouter", &v4["universalRouter"], nothing).await?;
        self.kind("permit2", &v4["permit2"], Permits::allowanceCall { user, token, spender }).await
    }

    /// A contract implements a function: a call returns, or reverts with an error selector.
    async fn kind<C: SolCall>(&self, name: &str, stated: &Value, call: C) -> Verdict {
        let Some(address) = parsed(stated) else { return Ok(()) };
        let answer = match self.chain.code(address).await? {
            code if code.is_empty() => Err("it has no code".to_owned()),
            _ => match self.chain.call(address, &call).await? {
                Err(error) if error.selector().is_none() => Err(error.to_string()),
                _ => Ok(()),
            },
        };
        answer.map_err(|reason| {
            let expected = format!("a {name}, which answers {}", C::SIGNATURE);
            self.trial.failure(&self.response, expected, format!("{address}: {reason}"))
        })
    }
}

/// Finds the first block after which a contract has code, by bisection; `None` if the node does not keep old states.
async fn first_block_with_code(chain: &Chain, address: Address, head: u64) -> Verdict<Option<u64>> {
    let (mut low, mut high) = (0, head);
    while low < high {
        let middle = low + (high - low) / 2;
        match chain.code_at(address, middle).await? {
            Ok(code) if code.is_empty() => low = middle + 1,
            Ok(_) => high = middle,
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(low))
}
