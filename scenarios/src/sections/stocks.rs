//! `GET /api/stocks/quote-assets`, and launches that are sold for what it lists.
use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::{Address, U256};
use alloy::sol_types::{SolCall as _, SolError};
use serde_json::{Value, json};

use super::chain::{LaunchFixture, ether, plain_launch};
use crate::check::{Check, Inconclusive, Lane, Need, Verdict};
use crate::client::chain::Sending;
use crate::client::http::{Answer, Ask};
use crate::expect::fields::{excerpt, is_address};
use crate::expect::{equal, failure, holds, ok_json, status};
use crate::reads::{CAPABILITIES, CHAINS, QUOTE_ASSETS, RECENT, TOKEN, param};
use crate::wire::{CaptchaAuth, LaunchHook, Token};
use crate::world::World;

const CLAUSE: &str = "STOCK-ASSETS";

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "stocks-quote-assets",
        clauses: &[CLAUSE],
        summary: "compares each quote asset with its token, its hook and the launches that are sold for it",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(quote_assets(world)),
    },
    Check {
        id: "stocks-launch",
        clauses: &[CLAUSE],
        summary: "launches by the hook of each quote asset, buys with the asset, and reads the launch back",
        lane: Lane::Write,
        needs: &[Need::Rest, Need::SecondChain, Need::Accounts],
        run: |world| Box::pin(launch(world)),
    },
];

/// A quote asset as it is listed.
struct Asset {
    address: Address,
    hook: Address,
    symbol: String,
    name: String,
    decimals: u64,
    active: bool,
}

async fn listed(world: &World, chain_id: u64) -> Verdict<(Answer, Vec<Asset>)> {
    let answer = world.read(QUOTE_ASSETS, &[param("chainId", chain_id.to_string())]).await?;
    let body = ok_json(CLAUSE, &answer)?;
    equal(CLAUSE, &answer, "chainId", &json!(chain_id), &body["chainId"])?;
    let rows = body["quoteAssets"]
        .as_array()
        .ok_or_else(|| failure(CLAUSE, &answer, "an array quoteAssets", answer.excerpt()))?;
    let assets: Option<Vec<Asset>> = rows.iter().map(asset).collect();
    let assets = assets.ok_or_else(|| {
        let expected = "address, symbol, name, decimals, hook and status of each asset";
        failure(CLAUSE, &answer, expected, answer.excerpt())
    })?;
    Ok((answer, assets))
}

fn asset(row: &Value) -> Option<Asset> {
    let text = |name: &str| row[name].as_str();
    let address = |name: &str| text(name).filter(|text| is_address(text))?.parse().ok();
    Some(Asset {
        address: address("address")?,
        hook: address("hook")?,
        symbol: text("symbol")?.to_owned(),
        name: text("name")?.to_owned(),
        decimals: row["decimals"].as_u64()?,
        active: text("status")? == "active",
    })
}

/// STOCK-ASSETS, as far as reading goes.
async fn quote_assets(world: &World) -> Verdict {
    for bad in [None, Some(""), Some("1"), Some("57074"), Some("abc"), Some("4663,57073")] {
        let query: Vec<_> = bad.map(|text| param("chainId", text)).into_iter().collect();
        let answer = world.read(QUOTE_ASSETS, &query).await?;
        status(CLAUSE, &answer, 400)?;
        let caused = world.refused_for_a_cause(&answer).await?;
        holds(CLAUSE, &answer, caused, "a cause in the journal", || "none".to_owned())?;
    }
    let mut seen = 0;
    for chain_id in CHAINS {
        let (answer, assets) = listed(world, chain_id).await?;
        seen += assets.len();
        hooks_are_apart(world, chain_id, &answer, &assets).await?;
        on_chain(world, chain_id, &answer, &assets).await?;
        rows_agree(world, chain_id, &assets).await?;
    }
    if seen == 0 {
        let reason = "no chain has a quote asset".to_owned();
        return Err(Inconclusive::NoMaterial { reason }.into());
    }
    Ok(())
}

/// Each asset has a hook of its own, which is not that of the native coin, and which trades are routed by.
async fn hooks_are_apart(world: &World, chain_id: u64, answer: &Answer, assets: &[Asset]) -> Verdict {
    let query = [param("chainId", chain_id.to_string())];
    let capabilities = ok_json(CLAUSE, &world.read(CAPABILITIES, &query).await?)?;
    let hook = |deployment: &Value| deployment["hook"].as_str()?.parse::<Address>().ok();
    let native = hook(&capabilities["activeCreationDeployment"]);
    let tradeable: BTreeSet<Address> =
        capabilities["tradeableDeployments"].as_array().into_iter().flatten().filter_map(hook).collect();
    let mut hooks = BTreeSet::new();
    for asset in assets {
        let own = Some(asset.hook) != native && hooks.insert(asset.hook);
        let known = tradeable.contains(&asset.hook);
        holds(
            CLAUSE,
            answer,
            own && known,
            "a hook of its own among the tradeable deployments, not the native one",
            || format!("{} for {}", asset.hook, asset.symbol),
        )?;
    }
    Ok(())
}

async fn on_chain(world: &World, chain_id: u64, answer: &Answer, assets: &[Asset]) -> Verdict {
    let Ok(chain) = world.chain(chain_id) else {
        return Ok(());
    };
    for asset in assets {
        let symbol = chain.call(asset.address, &Token::symbolCall {}).await?.ok();
        let name = chain.call(asset.address, &Token::nameCall {}).await?.ok();
        let decimals = chain.call(asset.address, &Token::decimalsCall {}).await?.ok();
        equal(CLAUSE, answer, "symbol", &symbol, &Some(asset.symbol.clone()))?;
        equal(CLAUSE, answer, "name", &name, &Some(asset.name.clone()))?;
        equal(CLAUSE, answer, "decimals", &decimals.map(u64::from), &Some(asset.decimals))?;
        let sold_for = chain.call(asset.hook, &LaunchHook::quoteAssetCall {}).await?.ok();
        equal(CLAUSE, answer, "quoteAsset() of the hook", &Some(asset.address), &sold_for)?;
    }
    Ok(())
}

/// Recent launches name the quote asset that their hook sells for, and no other.
async fn rows_agree(world: &World, chain_id: u64, assets: &[Asset]) -> Verdict {
    let by_hook: BTreeMap<Address, &Asset> = assets.iter().map(|asset| (asset.hook, asset)).collect();
    let query = [param("chainId", chain_id.to_string()), param("limit", "50")];
    let answer = world.read(RECENT, &query).await?;
    let body = ok_json(CLAUSE, &answer)?;
    for row in body["tokens"].as_array().into_iter().flatten() {
        let hook = row["hook_address"].as_str().and_then(|text| text.parse().ok());
        let expected = hook.and_then(|hook: Address| by_hook.get(&hook).copied());
        names(&answer, row, expected)?;
    }
    Ok(())
}

/// A row names its quote asset, or none.
fn names(answer: &Answer, row: &Value, expected: Option<&Asset>) -> Verdict {
    let told: Option<Address> = row["quote_asset"].as_str().and_then(|text| text.parse().ok());
    equal(CLAUSE, answer, "quote_asset", &expected.map(|asset| asset.address), &told)?;
    let Some(asset) = expected else {
        return holds(CLAUSE, answer, row["quote_asset"].is_null(), "null for the native coin", || {
            excerpt(&row["quote_asset"])
        });
    };
    // How the data beside the address is called is a choice of this project.
    for (name, value) in [
        ("quote_asset_symbol", json!(asset.symbol)),
        ("quote_asset_name", json!(asset.name)),
        ("quote_asset_decimals", json!(asset.decimals)),
    ] {
        if let Some(told) = row.get(name) {
            equal(CLAUSE, answer, name, &value, told)?;
        }
    }
    Ok(())
}

/// STOCK-ASSETS on the chain: what is launched by the hook of an asset is sold for it, and is shown so.
async fn launch(world: &World) -> Verdict {
    let mut launched = 0;
    for chain_id in CHAINS {
        let (_, assets) = listed(world, chain_id).await?;
        for asset in assets.iter().filter(|asset| asset.active) {
            launch_for(world, chain_id, asset).await?;
            launched += 1;
        }
    }
    if launched == 0 {
        let reason = "no quote asset takes launches".to_owned();
        return Err(Inconclusive::NoMaterial { reason }.into());
    }
    Ok(())
}

async fn launch_for(world: &World, chain_id: u64, asset: &Asset) -> Verdict {
    let mut pad = LaunchFixture::open(world, chain_id, CLAUSE).await?;
    pad.hook = asset.hook;
    let mut choices = world.choices(&format!("stocks-{}", asset.symbol));
    let creator = world.account(chain_id, &mut choices, ether(1)).await?;
    let params = plain_launch(&mut choices, ether(2), 60_000, 5_000);
    let error = ("ValueNotAccepted()", LaunchHook::ValueNotAccepted::SELECTOR);
    let with_value = LaunchHook::createLaunchCall { params: params.clone() };
    let half = ether(1) / U256::from(2);
    pad.reverts(creator.address(), half, &with_value, error).await?;
    let call = LaunchHook::createLaunchWithQuoteCall {
        params,
        prebuyAmount: U256::ZERO,
        referralCode: String::new(),
    };
    let mut receipt = pad.must_mine(&creator, U256::ZERO, &call).await?;
    let created = pad.only_event::<LaunchHook::LaunchCreated>(&receipt)?;
    let native = LaunchHook::buyCall {
        launchId: created.launchId,
        minTokensOut: U256::ZERO,
        auth: CaptchaAuth::default(),
    };
    pad.reverts(creator.address(), half, &native, error).await?;
    // Whoever lends the accounts may have shares to lend as well.
    let (payer, quote) = (world.payer()?, ether(1));
    let has_shares = pad.tokens_of(asset.address, payer.address()).await? >= quote;
    if has_shares {
        let lend = Token::transferCall { to: creator.address(), amount: quote };
        let lending =
            Sending { to: Some(asset.address), input: lend.abi_encode().into(), ..Sending::default() };
        pad.chain.send_shared(&payer, lending).await?;
        let allow = Token::approveCall { spender: asset.hook, amount: quote };
        pad.chain.transact(&creator, asset.address, U256::ZERO, &allow).await?;
        // Also of who has the shares at hand and has allowed them to be taken.
        pad.reverts(creator.address(), half, &native, error).await?;
        let held = pad.tokens_of(asset.address, asset.hook).await?;
        let buy = LaunchHook::buyWithQuoteCall {
            launchId: created.launchId,
            quoteAmount: quote,
            minTokensOut: U256::ZERO,
            auth: CaptchaAuth::default(),
            referralCode: String::new(),
        };
        receipt = pad.must_mine(&creator, U256::ZERO, &buy).await?;
        let taken = pad.tokens_of(asset.address, asset.hook).await? - held;
        if taken != quote {
            let reproduce = pad.cast_receipt(receipt.transaction_hash);
            return Err(pad.failed(format!("{quote} units are taken"), taken.to_string(), reproduce));
        }
    }
    let address = created.token.to_string();
    let ask = Ask::get(world.rest()?, TOKEN, &[("address", &address)]);
    let block = receipt.block_number.unwrap_or_default();
    let answer = world.ask_settled(chain_id, block, &ask, |answer| answer.status.as_u16() == 200).await?;
    let row = ok_json(CLAUSE, &answer)?;
    names(&answer, &row, Some(asset))?;
    let hook = row["hook_address"].as_str().and_then(|text| text.parse().ok());
    equal(CLAUSE, &answer, "hook_address", &Some(asset.hook), &hook)?;
    let raised = row["funding_progress"].as_f64().is_some_and(|progress| progress > 0.0);
    equal(CLAUSE, &answer, "whether it raised anything", &has_shares, &raised)
}
