//! An account: its state on one chain according to the node and the deployment, its holdings, and its history.
use std::cmp::Reverse;
use std::collections::HashSet;

use alloy::primitives::{Address, B256, U256};
use alloy::providers::Provider as _;
use futures::future::try_join_all;
use slipway_contracts::bindings::IERC20;
use slipway_contracts::deploy::QuoteAsset;

use super::Api;
use super::explain::Names;
use super::holding::unread;
use super::market::TradeMarket;
use super::refusal::Refusal;
use super::tokens::view::TokenView;
use crate::event::{Event, EventKind};
use crate::state::State;
use crate::state::token::{Token, WHOLE};

/// An account's state on one chain.
#[derive(Clone, Debug)]
pub(crate) struct OnChain {
    /// Its name, if it is a contract of the platform.
    pub(crate) name: Option<String>,
    /// Whether it has code.
    pub(crate) is_contract: bool,
    /// Number of transactions sent, or of contracts created.
    pub(crate) nonce: u64,
    /// In wei.
    pub(crate) balance: U256,
    /// Balances of the wrapped coin and the quote assets: symbol, decimals, units.
    pub(crate) assets: Vec<(String, u8, U256)>,
}

/// An account's holding of a token.
#[derive(Clone, Debug)]
pub(crate) struct HeldToken {
    pub(crate) token: TokenView,
    pub(crate) units: U256,
    /// In wei, rounded down.
    pub(crate) worth: U256,
}

/// One event in which an account acted or was affected.
#[derive(Clone, Debug)]
pub(crate) struct Deed {
    pub(crate) event: Event,
    /// The token that the event is about.
    pub(crate) token: Option<TradeMarket>,
    /// The asset that it is paid in; `None` for the native coin.
    pub(crate) asset: Option<QuoteAsset>,
}

impl Api {
    /// The tokens that an account holds, the most valuable first, at most `most`, and the number of all.
    pub(crate) fn holdings(&self, account: Address, most: usize) -> (Vec<HeldToken>, usize) {
        let (state, now) = (self.read(), self.now());
        let worth = |token: &Token, units: u128| {
            U256::from(token.in_ether(token.price).units()) * U256::from(units) / U256::from(WHOLE)
        };
        let all = state.tokens().map(|token| (token, state.balance(token, account)));
        let mut held: Vec<_> = all
            .filter(|(_, units)| *units > 0)
            .map(|(token, units)| (worth(token, units), units, token))
            .collect();
        held.sort_by_key(|(worth, _, token)| (Reverse(*worth), token.birth));
        let count = held.len();
        let shown = held.into_iter().take(most).map(|(worth, units, token)| HeldToken {
            token: TokenView::at(&state, token, now),
            units: U256::from(units),
            worth,
        });
        (shown.collect(), count)
    }

    /// The latest events of an account on all chains, newest first, at most `most`. A transfer is left out if another event explains it.
    pub(crate) fn deeds(&self, account: Address, most: usize) -> Vec<Deed> {
        let concerns = |event: &Event| concerns(event, account);
        let latest = |chain_id| self.engine.latest_events(chain_id, 0, 2 * most, concerns);
        let mut events: Vec<Event> = self.chain_ids().into_iter().flat_map(latest).collect();
        let is_transfer = |event: &Event| matches!(event.kind, EventKind::Transfer { .. });
        let explained: HashSet<B256> =
            events.iter().filter(|event| !is_transfer(event)).map(|event| event.transaction).collect();
        events.retain(|event| !is_transfer(event) || !explained.contains(&event.transaction));
        events.sort_by_key(|event| Reverse(event.timestamp));
        events.truncate(most);
        let state = self.read();
        events.into_iter().map(|event| self.deed(&state, event)).collect()
    }

    fn deed(&self, state: &State, event: Event) -> Deed {
        let at = |token: Address| state.token_on(event.chain_id, token);
        let token = match event.kind {
            EventKind::LaunchCreated { token, .. }
            | EventKind::TokenCreated { token, .. }
            | EventKind::BidWon { token, .. } => at(token),
            EventKind::Trade { launch_id, .. } => {
                state.token_of_launch(event.chain_id, event.emitter, launch_id)
            }
            EventKind::Transfer { .. } => at(event.emitter),
            _ => None,
        };
        let asset = match event.kind {
            EventKind::Trade { .. } => token.and_then(|token| state.quote_asset(token)),
            EventKind::FeesWithdrawn { .. } => {
                let deployment = self.engine.chain(event.chain_id).ok().map(|(_, deployment)| deployment);
                let mut assets = deployment.into_iter().flat_map(|deployment| &deployment.quote_assets);
                assets.find(|asset| asset.hook == event.emitter)
            }
            _ => None,
        };
        Deed { token: token.map(TradeMarket::of), asset: asset.cloned(), event }
    }

    /// Reads an account's state on a chain from its node.
    pub(crate) async fn account_on(&self, chain_id: u64, account: Address) -> Result<OnChain, Refusal> {
        let (chain, deployment) = self.engine.chain(chain_id)?;
        let provider = chain.provider();
        let wrapped = deployment.contract("WETH9").map(|address| ("WETH".to_owned(), 18, address));
        let quotes = deployment.quote_assets.iter();
        let known = quotes.map(|asset| (asset.symbol.clone(), asset.decimals, asset.address));
        let assets = wrapped.into_iter().chain(known).map(async |(symbol, decimals, address)| {
            let units = IERC20::new(address, provider).balanceOf(account).call().await;
            units.map(|units| (symbol, decimals, units))
        });
        let assets = async { try_join_all(assets).await.map_err(|error| unread(chain_id, &error)) };
        let node = async {
            let answers = tokio::try_join!(
                provider.get_balance(account),
                provider.get_transaction_count(account),
                provider.get_code_at(account),
            );
            answers.map_err(|error| Refusal::of_call(chain_id, &error))
        };
        let ((balance, nonce, code), assets) = tokio::try_join!(node, assets)?;
        let name = Names::on(self.read(), chain_id, deployment).party(account).name;
        Ok(OnChain { name, is_contract: !code.is_empty(), nonce, balance, assets })
    }
}

fn concerns(event: &Event, account: Address) -> bool {
    match event.kind {
        EventKind::LaunchCreated { creator, .. } | EventKind::TokenCreated { creator, .. } => {
            creator == account
        }
        EventKind::Trade { trader, .. } => trader == account,
        EventKind::BidWon { bidder, .. } => bidder == account,
        EventKind::FeesWithdrawn { account: owner, .. } => owner == account,
        EventKind::Transfer { from, to, .. } => from == account || to == account,
        _ => false,
    }
}
