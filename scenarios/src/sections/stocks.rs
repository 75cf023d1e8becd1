//! `GET /api/stocks/quote-assets`, and launches that are sold for the listed assets.
use std::collections::{BTreeMap, BTreeSet};

use alloy::sol_types::SolCall as _;

use super::chain::launch_fixture::{LaunchFixture, buy_call, plain_launch};
use crate::answers::members::{excerpt, is_address, members_within};
use crate::answers::reads::{CAPABILITIES, QUOTE_ASSETS, RECENT};
use crate::answers::refusals;
use crate::client::chain::Sending;
use crate::client::wire::{CaptchaAuth, LaunchHook, Token};
use crate::model::target::CHAINS;
use crate::prelude::*;
use crate::sections::meaning::tokens::records_hold;

section! {
    STOCK_HOOKS, STOCK_ASSETS,
}

struct Asset {
    address: Address,
    hook: Address,
    symbol: String,
    name: String,
    decimals: u64,
    active: bool,
}

async fn listed(trial: &Trial<'_>, chain_id: u64) -> Verdict<(Response, Vec<Asset>)> {
    let (response, body) = trial.read_json(QUOTE_ASSETS, &[param("chainId", chain_id.to_string())]).await?;
    trial.require_equal(&response, "chainId", &json!(chain_id), &body["chainId"])?;
    let rows = body["quoteAssets"]
        .as_array()
        .ok_or_else(|| trial.failure(&response, "an array quoteAssets", response.excerpt()))?;
    let assets: Option<Vec<Asset>> = rows.iter().map(asset).collect();
    let assets = assets.ok_or_else(|| {
        let expected = "address, symbol, name, decimals, hook and status of each asset";
        trial.failure(&response, expected, response.excerpt())
    })?;
    Ok((response, assets))
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

clause! {
    STOCK_HOOKS = "STOCK-HOOKS" (S198):
        "Hooks of launches for tokenized stocks are listed by quote-assets, and none is the active native one.";
    check!("stocks-hooks" [Read; Rest] hooks: "compares every hook of the quote assets with the active deployment of its chain, and looks for the hooks of recent launches");
}
async fn hooks(trial: &Trial<'_>) -> Verdict {
    let mut seen = 0;
    for chain_id in CHAINS {
        let query = [param("chainId", chain_id.to_string())];
        // The parameters, and the answer for a chain without stocks, are left open.
        let mut response = trial.read(QUOTE_ASSETS, &query).await?;
        if !response.status.is_success() {
            response = trial.read(QUOTE_ASSETS, &[]).await?;
        }
        all_listed(trial, &response, chain_id).await?;
        let Some(body) = response.json().filter(|_| response.status.is_success()) else { continue };
        let (_, capabilities) = trial.read_json(CAPABILITIES, &query).await?;
        let native = capabilities["activeCreationDeployment"]["hook"].as_str().map(str::to_lowercase);
        for hook in hooks_within(&body) {
            seen += 1;
            let apart = Some(hook.to_lowercase()) != native;
            trial
                .require_or(&response, apart, "hooks other than the active native one", || hook.to_owned())?;
        }
    }
    // A platform without stocks is correct, but then the statement was not examined.
    trial.looks_at((seen != 0).then_some("S198"));
    Ok(())
}

/// The hook of each recent launch for a stock is somewhere in the answer; rows that name neither hook nor asset, as they may, tell nothing.
async fn all_listed(trial: &Trial<'_>, response: &Response, chain_id: u64) -> Verdict {
    let query = [param("chainId", chain_id.to_string()), param("limit", "50")];
    let (_, recent) = trial.read_json(RECENT, &query).await?;
    let listed = response.json().unwrap_or_default().to_string().to_lowercase();
    for row in recent["tokens"].as_array().into_iter().flatten() {
        let asset = parsed::<Address>(&row["quote_asset"]).filter(|asset| !asset.is_zero());
        let Some(hook) = parsed::<Address>(&row["hook_address"]).filter(|_| asset.is_some()) else {
            continue;
        };
        let expected = format!("{hook}, the hook of the launch {}, among the hooks", row["address"]);
        trial.require(response, listed.contains(&format!("{hook:#x}")), &expected)?;
    }
    Ok(())
}

/// Returns every text in a member whose name contains "hook".
fn hooks_within(value: &Value) -> impl Iterator<Item = &str> {
    let named = |(name, _): &(&str, &Value)| name.to_lowercase().contains("hook");
    let texts = members_within(value).into_iter().filter(named).filter_map(|(_, member)| member.as_str());
    texts.filter(|text| is_address(text))
}

clause! {
    STOCK_ASSETS = "STOCK-ASSETS" (choice S198):
        "Each quote asset names its own hook, whose launches name their quote asset.";
    check!("stocks-quote-assets" [Read; Rest] quote_assets:
        "compares each quote asset with its token, its hook and the launches that are sold for it");
    check!("stocks-launch" [Write; Rest, SecondChain, Accounts] launch:
        "launches by the hook of each quote asset, buys with the asset, and reads the launch back");
}
async fn quote_assets(trial: &Trial<'_>) -> Verdict {
    trial.refuses_each(refusals::QUOTE_ASSET_CHAINS, &[]).await?;
    let mut seen = 0;
    for chain_id in CHAINS {
        let Some((response, assets)) = trial.part(listed(trial, chain_id).await)? else { continue };
        seen += assets.len();
        hooks_are_apart(trial, chain_id, &response, &assets).await?;
        on_chain(trial, chain_id, &response, &assets).await?;
        rows_agree(trial, chain_id, &assets).await?;
    }
    need_material(seen != 0, "no chain has a quote asset")
}

/// Each asset has a separate hook among the tradeable deployments, different from the native coin's.
async fn hooks_are_apart(trial: &Trial<'_>, chain_id: u64, response: &Response, assets: &[Asset]) -> Verdict {
    let (_, capabilities) = trial.read_json(CAPABILITIES, &[param("chainId", chain_id.to_string())]).await?;
    let hook = |deployment: &Value| parsed::<Address>(&deployment["hook"]);
    let native = hook(&capabilities["activeCreationDeployment"]);
    let tradeable: BTreeSet<Address> =
        capabilities["tradeableDeployments"].as_array().into_iter().flatten().filter_map(hook).collect();
    let mut hooks = BTreeSet::new();
    for asset in assets {
        let own = Some(asset.hook) != native && hooks.insert(asset.hook);
        let known = tradeable.contains(&asset.hook);
        let expected = "a separate hook among the tradeable deployments, not the native one";
        trial.require_or(response, own && known, expected, || {
            format!("{} for {}", asset.hook, asset.symbol)
        })?;
    }
    Ok(())
}

async fn on_chain(trial: &Trial<'_>, chain_id: u64, response: &Response, assets: &[Asset]) -> Verdict {
    let Ok(chain) = trial.chain(chain_id) else {
        return Ok(());
    };
    for asset in assets {
        let symbol = chain.call(asset.address, &Token::symbolCall {}).await?.ok();
        let name = chain.call(asset.address, &Token::nameCall {}).await?.ok();
        let decimals = chain.call(asset.address, &Token::decimalsCall {}).await?.ok();
        trial.require_equal(response, "symbol", &symbol, &Some(asset.symbol.clone()))?;
        trial.require_equal(response, "name", &name, &Some(asset.name.clone()))?;
        trial.require_equal(response, "decimals", &decimals.map(u64::from), &Some(asset.decimals))?;
        let sold_for = chain.call(asset.hook, &LaunchHook::quoteAssetCall {}).await?.ok();
        trial.require_equal(response, "quoteAsset() of the hook", &Some(asset.address), &sold_for)?;
    }
    Ok(())
}

/// Recent launches name the quote asset for which their hook sells, and no other.
async fn rows_agree(trial: &Trial<'_>, chain_id: u64, assets: &[Asset]) -> Verdict {
    let by_hook: BTreeMap<Address, &Asset> = assets.iter().map(|asset| (asset.hook, asset)).collect();
    let query = [param("chainId", chain_id.to_string()), param("limit", "50")];
    let (response, body) = trial.read_json(RECENT, &query).await?;
    for row in body["tokens"].as_array().into_iter().flatten() {
        let hook = parsed(&row["hook_address"]);
        let expected = hook.and_then(|hook: Address| by_hook.get(&hook).copied());
        names(trial, &response, row, expected)?;
    }
    Ok(())
}

/// A row names its quote asset, or null for the native coin.
fn names(trial: &Trial<'_>, response: &Response, row: &Value, expected: Option<&Asset>) -> Verdict {
    let reported: Option<Address> = parsed(&row["quote_asset"]);
    trial.require_equal(response, "quote_asset", &expected.map(|asset| asset.address), &reported)?;
    let Some(asset) = expected else {
        let named = &row["quote_asset"];
        return trial.require_or(response, named.is_null(), "null for the native coin", || excerpt(named));
    };
    // The names of the members other than the address are a choice of this project.
    for (name, value) in [
        ("quote_asset_symbol", json!(asset.symbol)),
        ("quote_asset_name", json!(asset.name)),
        ("quote_asset_decimals", json!(asset.decimals)),
    ] {
        if let Some(reported) = row.get(name) {
            trial.require_equal(response, name, &value, reported)?;
        }
    }
    Ok(())
}

async fn launch(trial: &Trial<'_>) -> Verdict {
    let mut launched = 0;
    for chain_id in CHAINS {
        let Some((_, assets)) = trial.part(listed(trial, chain_id).await)? else { continue };
        for asset in assets.iter().filter(|asset| asset.active) {
            trial.part(launch_for(trial, chain_id, asset).await)?;
            launched += 1;
        }
    }
    need_material(launched != 0, "no quote asset takes launches")
}

async fn launch_for(trial: &Trial<'_>, chain_id: u64, asset: &Asset) -> Verdict {
    let mut fixture = LaunchFixture::open(trial, chain_id).await?;
    fixture.hook = asset.hook;
    let mut choices = trial.choices(&format!("stocks-{}", asset.symbol));
    let creator = trial.account(chain_id, &mut choices, ether(1)).await?;
    let params = plain_launch(&mut choices, ether(2), 60_000, 5_000);
    let with_value = LaunchHook::createLaunchCall { params: params.clone() };
    let half = ether(1) / U256::from(2);
    fixture.reverts::<_, LaunchHook::ValueNotAccepted>(creator.address(), half, &with_value).await?;
    let call = LaunchHook::createLaunchWithQuoteCall {
        params,
        prebuyAmount: U256::ZERO,
        referralCode: String::new(),
    };
    let mut receipt = fixture.must_mine(&creator, U256::ZERO, &call).await?;
    let created = fixture.only_event::<LaunchHook::LaunchCreated>(&receipt)?;
    let native = buy_call(created.launchId, CaptchaAuth::default());
    fixture.reverts::<_, LaunchHook::ValueNotAccepted>(creator.address(), half, &native).await?;
    // The payer may also have shares to lend.
    let (payer, quote) = (trial.payer()?, ether(1));
    let has_shares = fixture.tokens_of(asset.address, payer.address()).await? >= quote;
    if has_shares {
        let lend = Token::transferCall { to: creator.address(), amount: quote };
        let lending =
            Sending { to: Some(asset.address), input: lend.abi_encode().into(), ..Sending::default() };
        fixture.chain.send_shared(&payer, lending).await?;
        let allow = Token::approveCall { spender: asset.hook, amount: quote };
        fixture.chain.transact(&creator, asset.address, U256::ZERO, &allow).await?;
        // Native value is refused even if the caller holds shares and has approved them.
        fixture.reverts::<_, LaunchHook::ValueNotAccepted>(creator.address(), half, &native).await?;
        let held = fixture.tokens_of(asset.address, asset.hook).await?;
        let buy = LaunchHook::buyWithQuoteCall {
            launchId: created.launchId,
            quoteAmount: quote,
            minTokensOut: U256::ZERO,
            auth: CaptchaAuth::default(),
            referralCode: String::new(),
        };
        receipt = fixture.must_mine(&creator, U256::ZERO, &buy).await?;
        let taken = fixture.tokens_of(asset.address, asset.hook).await? - held;
        fixture.require_equal(
            &fixture.cast_receipt(receipt.transaction_hash),
            "units that are taken",
            &quote,
            &taken,
        )?;
    }
    let has_raised = |row: &Value| row["funding_progress"].as_f64().is_some_and(|progress| progress > 0.0);
    let seen = |row: &Value| has_raised(row) == has_shares;
    let (response, row) = trial.token_after(chain_id, &receipt, created.token, seen).await?;
    names(trial, &response, &row, Some(asset))?;
    trial.require_equal(&response, "hook_address", &Some(asset.hook), &parsed(&row["hook_address"]))?;
    trial.require_equal(&response, "whether it raised anything", &has_shares, &has_raised(&row))?;
    records_hold(trial, vec![created.token]).await
}
