//! The token of the day with the auction for the next one, and the leading token on its curve.
use alloy::primitives::{Address, U256};

use super::Api;
use super::schema::{AddressText, Coins, Instant, Units, instant};
use super::tokens::view::TokenView;

pub(crate) use crate::state::auction::{FLOOR, Standing, Win};

impl Api {
    /// The Emperor token of today, `None` if no bid won the day, and the auction at the same moment.
    ///
    /// Clause: EOTI-CHAIN
    #[must_use]
    pub(crate) fn emperor(&self) -> (Option<TokenView>, BidData) {
        let (state, now) = (self.read(), self.now());
        let emperor = state.auction().emperor(now).and_then(|token| state.token(token));
        (emperor.map(|token| TokenView::at(&state, token, now)), bid_data(state.auction().at(now)))
    }

    /// The token on its curve with the highest progress; `None` if no token is on its curve.
    ///
    /// Clause: KOTI-TOP, KOTI-CURVE
    #[must_use]
    pub(crate) fn king(&self) -> Option<TokenView> {
        let state = self.read();
        state.king().map(|token| TokenView::at(&state, token, self.now()))
    }

    /// The current state of the auction.
    pub(crate) fn auction_standing(&self) -> Standing {
        self.read().auction().at(self.now())
    }

    /// The days with their winners, latest first, at most `most`.
    pub(crate) fn auction_wins(&self, most: usize) -> Vec<(u64, Win)> {
        self.read().auction().wins().rev().take(most).map(|(epoch, win)| (epoch, *win)).collect()
    }

    /// The tokens of a chain with the highest market cap, with their names.
    pub(crate) fn candidates(&self, chain_id: u64, most: usize) -> Vec<(Address, String)> {
        let state = self.read();
        let mut tokens: Vec<_> = state
            .tokens()
            .filter(|token| token.birth.chain_id == chain_id && !state.is_disabled(token))
            .map(|token| (std::cmp::Reverse(token.market_cap), token.launch.token, &token.launch.metadata))
            .collect();
        tokens.sort_unstable_by_key(|(cap, token, _)| (*cap, *token));
        tokens.truncate(most);
        tokens.into_iter().map(|(_, token, texts)| (token, texts.name.clone())).collect()
    }
}

/// The auction at one second, by the field names of the interface; a day without a winner has the zero address.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BidData {
    /// The winning bid once the epoch is won, else the price of this second; wei.
    pub current_bid: Units,
    /// Price at which the epoch began, wei.
    pub start_bid: Units,
    /// The latest winning bid of any epoch, wei; `0` before the first.
    pub last_bid_amount: Units,
    /// Time of that bid, ISO 8601; null before the first.
    pub last_bid_time: Option<Instant>,
    /// The same bid in ether and Unix seconds; null before the first.
    pub last_bid: Option<LastBid>,
    /// Tomorrow's token.
    pub next_boosted_token: AddressText,
    /// Today's token.
    pub current_boosted_token: AddressText,
    /// Yesterday's token.
    pub last_boosted_token: AddressText,
    /// Whether the epoch is won.
    pub is_epoch_taken: bool,
}

/// The latest winning bid.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct LastBid {
    /// In ether, every digit.
    pub amount: Coins,
    /// Unix seconds.
    pub timestamp: u64,
}

/// Clause: FIG-BIDS, FIG-DUTCH
fn bid_data(standing: Standing) -> BidData {
    let Standing { current_bid, start_bid, last, next, current, previous, is_taken } = standing;
    let boosted = |token: Option<Address>| AddressText(token.unwrap_or_default());
    BidData {
        current_bid: Units(current_bid),
        start_bid: Units(start_bid),
        last_bid_amount: Units(last.map(|win| win.amount).unwrap_or_default()),
        last_bid_time: last.map(|win| instant(win.at)),
        last_bid: last.map(|Win { amount, at, .. }| LastBid { amount: Coins(ether(amount)), timestamp: at }),
        next_boosted_token: boosted(next),
        current_boosted_token: boosted(current),
        last_boosted_token: boosted(previous),
        is_epoch_taken: is_taken,
    }
}

/// Formats wei as ether, with exactly the significant digits.
fn ether(wei: U256) -> String {
    let text = alloy::primitives::utils::format_ether(wei);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
