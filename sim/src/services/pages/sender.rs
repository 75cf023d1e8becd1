//! The part of a form that sends a transaction: the signing account, the prepared call, and the steps.
//!
//! A page holds no key: its script passes the call to the chain's node, which signs it for the chosen funded account, or to a connected
//! wallet, which signs it for its own account.
use alloy::primitives::{Address, Bytes, U256};
use axum::http::{HeaderMap, Uri};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Pages;
use crate::address::short;
use crate::api::refusal::Refusal;
use crate::services::input::kinds::AccountAddress;
use crate::services::input::query;

/// Scripts of a page with such a form.
pub(super) const SCRIPTS: &[&str] = &["node.js", "send.js", "wallet.js"];

#[derive(Deserialize, JsonSchema)]
struct SenderParameters {
    /// the account of a connected wallet, instead of a funded one
    #[schemars(extend("x-cause" = "page-wallet"))]
    wallet: Option<AccountAddress>,
    /// one of the funded accounts, or else the first one
    #[schemars(extend("x-cause" = "page-account"))]
    account: Option<AccountAddress>,
}

pub(super) struct Sender {
    pub(super) chain_id: u64,
    /// The account that sends the call: a connected wallet's, or a funded one.
    pub(super) account: Option<Address>,
    wallet: Option<Address>,
    funded: Option<Address>,
    pub(super) node: String,
}

/// Formats a call for the node.
pub(super) fn call(from: Address, to: Address, data: &Bytes, value: U256) -> Value {
    json!({ "from": from, "to": to, "data": data, "value": format!("{value:#x}") })
}

/// A call that the form may send.
pub(super) struct Prepared {
    /// Its name among the steps.
    pub(super) name: &'static str,
    pub(super) call: Value,
    /// What it has done once it is mined.
    pub(super) done: String,
    /// Whether it only grants permission for the next call of the form.
    pub(super) more: bool,
}

impl Prepared {
    pub(super) fn new(name: &'static str, from: Address, to: Address, data: &Bytes, value: U256) -> Self {
        Self { name, call: call(from, to, data, value), done: "Done".into(), more: false }
    }
}

impl Sender {
    pub(super) fn asked(
        pages: &Pages,
        uri: &Uri,
        headers: &HeaderMap,
        chain_id: u64,
    ) -> Result<Self, Refusal> {
        let asked: SenderParameters = query(uri)?;
        let wallet = asked.wallet.map(|wallet| wallet.0);
        let mut accounts = pages.api.funded_accounts();
        let funded = match asked.account {
            None => accounts.next(),
            Some(AccountAddress(named)) if accounts.any(|account| account == named) => Some(named),
            Some(_) => {
                let rule = "account must be one of the platform's funded accounts";
                return Err(Refusal::bad_input("page-account", rule));
            }
        };
        let node = pages.node_url(chain_id, headers);
        Ok(Self { chain_id, account: wallet.or(funded), wallet, funded, node })
    }

    /// The choice of a funded account.
    pub(super) fn accounts(&self, pages: &Pages) -> Markup {
        html! {
            label {
                "Funded account"
                select name="account" {
                    @for (number, account) in pages.api.funded_accounts().enumerate() {
                        option value=(account.to_checksum(None)) selected[self.funded == Some(account)] {
                            (number) " · " (short(account))
                        }
                    }
                }
            }
        }
    }

    /// The list of the browser's wallets, filled in by the script, and the connected one.
    pub(super) fn wallets(&self) -> Markup {
        html! {
            input type="hidden" name="wallet" value=(self.wallet.map(|wallet| wallet.to_checksum(None)).unwrap_or_default());
            ul #wallets data-chain=(chain(self.chain_id, &self.node)) {}
            p #wallet role="status" {}
        }
    }

    /// The preview, with the call that the form's script sends.
    pub(super) fn prepared(&self, prepared: Option<&Prepared>, content: &Markup) -> Markup {
        html! {
            div #quote data-live aria-live="polite" data-node=(self.node)
                data-account=[self.account.map(|account| account.to_checksum(None))]
                data-name=[prepared.map(|prepared| prepared.name)] data-call=[prepared.map(|prepared| prepared.call.to_string())]
                data-done=[prepared.map(|prepared| &prepared.done)]
                data-more[prepared.is_some_and(|prepared| prepared.more)] {
                (content)
                @if self.account.is_none() { p { "The platform has no funded account." } }
            }
        }
    }

    /// The button, and the steps and the outcome of the transaction.
    pub(super) fn button(text: &str) -> Markup {
        html! {
            button type="submit" { (text) }
            noscript { p { "Without a script this page sends nothing." } }
            ol #steps {}
            p #outcome role="status" {}
        }
    }
}

/// The reason why the form cannot send anything.
pub(super) fn refused(refusal: &Refusal) -> Markup {
    html! {
        p.warning { (refusal.message) }
        @if let Some(details) = &refusal.details { p { (details) } }
    }
}

/// The chain's description for a wallet (EIP-3085); the script adds the page's origin, which shows transactions.
fn chain(id: u64, node: &str) -> String {
    let ether = json!({ "name": "Ether", "symbol": "ETH", "decimals": 18 });
    let chain = json!({
        "chainId": format!("{id:#x}"), "chainName": format!("slipway {id}"), "nativeCurrency": ether, "rpcUrls": [node],
    });
    chain.to_string()
}
