//! The token of the day with the auction of the next one, and the token that leads on its curve.
use alloy::primitives::{Address, U256};

use super::schema::{AddressText, Coins, Instant, Units};
use super::tokens::view::TokenView;
use crate::state::State;
use crate::state::auction::{Standing, Win};

/// The Emperor token of today; `None` when no bid won the day.
///
/// Clause: EOTI-CHAIN
#[must_use]
pub(crate) fn emperor(state: &State, now: u64) -> Option<TokenView> {
    let token = state.token(state.auction().emperor(now)?)?;
    Some(TokenView::at(state, token, now))
}

/// The token on its curve with the highest progress; none when no token is on its curve.
///
/// Clause: KOTI-TOP
#[must_use]
pub(crate) fn king(state: &State, now: u64) -> Option<TokenView> {
    let token = state.king()?;
    Some(TokenView::at(state, token, now))
}

/// The auction at one second, by the field names of the interface; a day without a winner has the zero address.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BidData {
    /// The winning bid once the epoch is won, else the price of this second; wei.
    #[schemars(with = "Units")]
    pub current_bid: String,
    /// Price at which the epoch began, wei.
    #[schemars(with = "Units")]
    pub start_bid: String,
    /// The latest winning bid of any epoch, wei; `0` before the first.
    #[schemars(with = "Units")]
    pub last_bid_amount: String,
    /// When that was, ISO 8601; none before the first.
    #[schemars(with = "Option<Instant>")]
    pub last_bid_time: Option<String>,
    /// The same bid in ether and Unix seconds; none before the first.
    pub last_bid: Option<LastBid>,
    /// Tomorrow's token.
    #[schemars(with = "AddressText")]
    pub next_boosted_token: String,
    /// Today's token.
    #[schemars(with = "AddressText")]
    pub current_boosted_token: String,
    /// Yesterday's token.
    #[schemars(with = "AddressText")]
    pub last_boosted_token: String,
    /// Whether the epoch is won.
    pub is_epoch_taken: bool,
}

/// The latest winning bid.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct LastBid {
    /// In ether, every digit.
    #[schemars(with = "Coins")]
    pub amount: String,
    /// Unix seconds.
    pub timestamp: u64,
}

/// The auction at `now`; `instant` writes a time as text.
///
/// Clause: FIG-BIDS, FIG-DUTCH
#[must_use]
pub(crate) fn bid_data(state: &State, now: u64, instant: fn(u64) -> String) -> BidData {
    let Standing { current_bid, start_bid, last, next, current, previous, is_taken } =
        state.auction().at(now);
    BidData {
        current_bid: current_bid.to_string(),
        start_bid: start_bid.to_string(),
        last_bid_amount: last.map(|win| win.amount).unwrap_or_default().to_string(),
        last_bid_time: last.map(|win| instant(win.at)),
        last_bid: last.map(|Win { amount, at, .. }| LastBid { amount: ether(amount), timestamp: at }),
        next_boosted_token: checksummed(next),
        current_boosted_token: checksummed(current),
        last_boosted_token: checksummed(previous),
        is_epoch_taken: is_taken,
    }
}

fn checksummed(token: Option<Address>) -> String {
    token.unwrap_or_default().to_checksum(None)
}

/// Wei as ether, with all significant digits and no more.
fn ether(wei: U256) -> String {
    let text = alloy::primitives::utils::format_ether(wei);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
