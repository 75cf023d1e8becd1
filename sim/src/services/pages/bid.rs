//! The form that bids for the next day.
use alloy::primitives::Address;
use alloy::sol_types::SolCall;
use axum::http::{HeaderMap, Uri};
use maud::{Markup, html};
use slipway_contracts::bindings::IEmperorAuction;

use super::amount::Asset;
use super::sender::{Prepared, Sender, refused};
use super::{Pages, sent};
use crate::address as addresses;
use crate::api::TradeCall;
use crate::api::refusal::Refusal;
use crate::state::State as Fold;

/// Number of tokens that the field offers.
const OFFERED: usize = 50;

pub(super) struct Bid {
    token: String,
    sender: Sender,
    /// The bid, or why the chain would refuse it; none while no token is named.
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

    pub(super) fn section(&self, pages: &Pages, state: &Fold, now: u64) -> Markup {
        let standing = state.auction().at(now);
        let content = html! {
            @match &self.prepared {
                None => p.muted { "Name a token to bid for it." },
                Some(Err(refusal)) => (refused(refusal)),
                Some(Ok(_)) => dl.terms {
                    dt { "Pays at most" } dd #pays { (Asset::native().amount(standing.current_bid)) }
                    dt { "What the price falls meanwhile" } dd { "refunded" }
                },
            }
        };
        let prepared = self.prepared.as_ref().and_then(|prepared| prepared.as_ref().ok());
        html! {
            section.tile aria-labelledby="bid-title" {
                h2 #bid-title { "Bid" }
                form #order method="get" action="/auction" data-asks data-sends {
                    label {
                        "Address of the token of the next day"
                        input name="token" list="offered" autocomplete="off" placeholder="0x…" value=(self.token);
                    }
                    datalist #offered {
                        @for (address, name) in offered(state, self.sender.chain_id) { option value=(address) { (name) } }
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

/// The tokens with the highest market cap.
fn offered(state: &Fold, chain_id: u64) -> Vec<(String, String)> {
    let mut tokens: Vec<_> = state
        .tokens()
        .filter(|token| token.birth.chain_id == chain_id && !state.is_disabled(token))
        .map(|token| (std::cmp::Reverse(token.market_cap), token.launch.token, &token.launch.metadata))
        .collect();
    tokens.sort_unstable_by_key(|(cap, token, _)| (*cap, *token));
    tokens.truncate(OFFERED);
    tokens.into_iter().map(|(_, token, texts)| (token.to_checksum(None), texts.name.clone())).collect()
}

/// A bid at the price of now, which falls until the bid is mined.
async fn prepare(pages: &Pages, sender: &Sender, account: Address, token: &str) -> Result<Prepared, Refusal> {
    let token = addresses::parse(token)
        .ok_or_else(|| Refusal::bad_input("page-bid-token", "token must be the address of a token"))?;
    let engine = &pages.api.engine;
    let (_, deployment) = engine.chain(sender.chain_id)?;
    let to = deployment
        .auction()
        .ok_or_else(|| Refusal::not_found("page-auction", "this chain has no auction"))?;
    let value = pages.api.read().auction().at(pages.now()).current_bid;
    let call = TradeCall { to, data: IEmperorAuction::bidCall { token }.abi_encode().into(), value };
    engine.estimate(sender.chain_id, account, &call).await?;
    Ok(Prepared::new("Bid", account, to, &call.data, value))
}
