//! The form that bids for the next day.
use alloy::primitives::{Address, U256};
use axum::http::{HeaderMap, Uri};
use maud::{Markup, html};

use super::amount::Asset;
use super::sender::{Prepared, Sender, refused};
use super::{Pages, sent};
use crate::address as addresses;
use crate::api::refusal::Refusal;

/// Number of tokens that the field offers.
const OFFERED: usize = 50;

pub(super) struct Bid {
    token: String,
    sender: Sender,
    /// The bid, or the reason why the chain would refuse it; `None` while no token is named.
    prepared: Option<Result<Prepared, Refusal>>,
}

impl Bid {
    pub(super) async fn asked(pages: &Pages, uri: &Uri, headers: &HeaderMap) -> Result<Self, Refusal> {
        let sender = Sender::asked(pages, uri, headers, pages.swap_api.chain_id())?;
        let token = sent(uri, "token").trim().to_owned();
        let prepared = match sender.account {
            Some(account) if !token.is_empty() => Some(prepare(pages, &sender, account, &token).await),
            _ => None,
        };
        Ok(Self { token, sender, prepared })
    }

    /// The form; `price` is the current one, in wei, and `winner` the token that has won the day already.
    pub(super) fn section(&self, pages: &Pages, price: U256, winner: Option<&Markup>) -> Markup {
        let prepared = self.prepared.as_ref().filter(|_| winner.is_none());
        let content = html! {
            @if let Some(winner) = winner { p #won { "Tomorrow is won by " (winner) "." } }
            @match prepared {
                None if winner.is_some() => {}
                None => p.muted { "Name a token to bid for it." },
                Some(Err(refusal)) => (refused(refusal)),
                Some(Ok(_)) => dl.terms {
                    dt { "Pays at most" } dd #pays { (Asset::native().amount(price)) }
                    dt { "What the price falls meanwhile" } dd { "refunded" }
                },
            }
        };
        let prepared = prepared.and_then(|prepared| prepared.as_ref().ok());
        html! {
            section.tile aria-labelledby="bid-title" {
                h2 #bid-title { "Bid" }
                form #order method="get" action="/auction" data-asks data-sends {
                    label {
                        "Address of the token of the next day"
                        input name="token" list="offered" autocomplete="off" placeholder="0x…" value=(self.token);
                    }
                    datalist #offered {
                        @for (token, name) in pages.api.candidates(self.sender.chain_id, OFFERED) {
                            option value=(token.to_checksum(None)) { (name) }
                        }
                    }
                    (self.sender.accounts(pages))
                    (self.sender.wallets())
                    (self.sender.prepared(prepared, &content))
                    (Sender::button("Bid"))
                }
            }
        }
    }
}

/// Prepares a bid and has the chain simulate it.
async fn prepare(pages: &Pages, sender: &Sender, account: Address, token: &str) -> Result<Prepared, Refusal> {
    let token = addresses::parse(token)
        .ok_or_else(|| Refusal::bad_input("page-bid-token", "token must be the address of a token"))?;
    let call = pages.api.try_bid(sender.chain_id, account, token).await?;
    let call = call.ok_or_else(|| Refusal::not_found("page-auction", "this chain has no auction"))?;
    let name = pages
        .api
        .token(None, token)
        .map_or_else(|| addresses::short(token), |known| known.launch.metadata.name.clone());
    let bid = Prepared::new("Bid", account, call.to, &call.data, call.value);
    Ok(Prepared { done: format!("Bid for {name}"), ..bid })
}
