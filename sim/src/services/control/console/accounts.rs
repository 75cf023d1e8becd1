//! The accounts in the console: balances, the faucet, and credentials.
use alloy::primitives::Address;
use maud::{Markup, html};

use super::form::{Field, form, tile};
use super::market::{CHAINS, tokens};
use super::{Console, PublicPages};
use crate::address::short;
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::services::pages::amount::DECIMALS;
use crate::services::pages::layout::{cell, heads, table};
use crate::services::pages::number::balance;

/// The funded accounts, as choices.
pub(super) struct Accounts(Vec<(String, String)>);

impl Accounts {
    pub(super) fn of(api: &Api) -> Self {
        let named = |(place, address): (usize, Address)| {
            (address.to_checksum(None), format!("{place}: {}", short(address)))
        };
        Self(api.funded_accounts().enumerate().map(named).collect())
    }

    /// The accounts as choices, preceded by one for no account.
    pub(super) fn choices<'a>(&'a self, none: &'a str) -> Vec<(&'a str, &'a str)> {
        let accounts = self.0.iter().map(|(address, name)| (address.as_str(), name.as_str()));
        std::iter::once(("", none)).chain(accounts).collect()
    }
}

pub(super) async fn tab(console: &Console, pages: &PublicPages) -> Result<Markup, Refusal> {
    let accounts = Accounts::of(&console.api);
    let names = accounts.choices("the first");
    let faucet = form(
        "POST",
        "/_sim/faucet",
        "Send",
        &[
            CHAINS,
            Field::Picked("address", "To", "accounts-known"),
            Field::Text("amount", "Amount (ETH)", "1"),
            Field::Choice("account", "From", &names),
        ],
    );
    let credentials = html! {
        (form("POST", "/_sim/captchas", "Mint captcha token", &[Field::Number("ttlSeconds", "Valid for seconds", "300")]))
        (form("POST", "/_sim/captcha-auths", "Mint authorisation", &[
            CHAINS,
            Field::Picked("trader", "Trader", "accounts-known"),
            Field::PickedNumber("launchId", "Launch", "launches"),
            Field::Text("hook", "Hook (empty: native)", ""),
        ]))
        (form("POST", "/_sim/bearers", "Mint bearer token", &[Field::Picked("address", "Wallet", "accounts-known")]))
    };
    Ok(html! {
        (balances(&console.api, pages).await?)
        (tile("faucet-title", "Faucet", &faucet))
        (tile("credentials-title", "Captchas and authorisations", &credentials))
        datalist #accounts-known {
            @for (address, name) in accounts.choices("").iter().skip(1) { option value=(address) { (name) } }
        }
        (tokens(&console.api))
    })
}

async fn balances(api: &Api, pages: &PublicPages) -> Result<Markup, Refusal> {
    let balances = api.balances().await?;
    let chains: Vec<String> = api.chain_ids().iter().map(|chain| format!("Chain {chain}, ETH")).collect();
    let rows = html! {
        @for (account, on_chains) in &balances {
            tr {
                (cell("Account", "", &pages.account(*account)))
                @for (chain, wei) in chains.iter().zip(on_chains.values()) { (cell(chain, "n", &balance(*wei, DECIMALS))) }
            }
        }
    };
    let columns: Vec<_> =
        std::iter::once(("Account", "")).chain(chains.iter().map(|chain| (chain.as_str(), "n"))).collect();
    let content = html! { div #accounts data-live { (table("Funded accounts", &heads(&columns), &rows)) } };
    Ok(tile("accounts-title", "Funded accounts", &content))
}
