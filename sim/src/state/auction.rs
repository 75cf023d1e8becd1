//! The auction of the daily token, folded from its wins: the Emperor of each epoch, and the price of a bid at any second.
//!
//! An epoch is a day that begins at midnight UTC; a bid in it is for the next epoch.
use std::collections::BTreeMap;

use alloy::primitives::{Address, U256};

use super::token::DAY;
use crate::event::{Event, EventKind};

/// Minimum price, in wei.
pub const FLOOR: U256 = U256::from_limbs([1_000_000_000_000_000, 0, 0, 0]);

/// A won epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Win {
    /// Token that the next epoch belongs to.
    pub token: Address,
    /// Time at which the bid was mined, Unix seconds.
    pub at: u64,
    /// The bidder.
    pub bidder: Address,
    /// The bid, in wei.
    pub amount: U256,
    /// The price at which the epoch began, in wei.
    pub start_bid: U256,
}

/// Every won epoch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Auction {
    wins: BTreeMap<u64, Win>,
}

/// The auction at one second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The winning bid once the epoch is won, else the price at this second; in wei.
    pub current_bid: U256,
    /// Price at which the epoch began, in wei.
    pub start_bid: U256,
    /// The latest win of any epoch.
    pub last: Option<Win>,
    /// Tomorrow's token.
    pub next: Option<Address>,
    /// Today's token.
    pub current: Option<Address>,
    /// Yesterday's token.
    pub previous: Option<Address>,
    /// Whether the epoch is won.
    pub is_taken: bool,
}

impl Auction {
    /// Records a winning bid; other events change nothing.
    pub(super) fn apply(&mut self, event: &Event) {
        if let EventKind::BidWon { epoch, token, bidder, amount, start_bid } = event.kind {
            let win = Win { token, at: event.timestamp, bidder, amount, start_bid };
            self.wins.insert(epoch, win);
        }
    }

    /// The token of the epoch that contains `now` (Unix seconds).
    #[must_use]
    pub fn emperor(&self, now: u64) -> Option<Address> {
        self.winner((now / DAY).checked_sub(1)?)
    }

    /// The auction at `now`, Unix seconds.
    ///
    /// Clause: EOTI-EPOCH
    #[must_use]
    pub fn at(&self, now: u64) -> Standing {
        let epoch = now / DAY;
        let win = self.wins.get(&epoch);
        let last = self.wins.range(..=epoch).next_back().map(|(_, win)| *win);
        let start_bid = match (win, &last) {
            (Some(win), _) => win.start_bid,
            (None, Some(last)) => (last.amount.saturating_mul(U256::from(2))).max(least_opening()),
            (None, None) => least_opening(),
        };
        Standing {
            current_bid: win.map_or_else(|| price_up(start_bid, now % DAY), |win| win.amount),
            start_bid,
            last,
            next: self.winner(epoch),
            current: self.emperor(now),
            previous: epoch.checked_sub(2).and_then(|epoch| self.winner(epoch)),
            is_taken: win.is_some(),
        }
    }

    /// Every won epoch, earliest first.
    pub fn wins(&self) -> impl DoubleEndedIterator<Item = (u64, &Win)> {
        self.wins.iter().map(|(epoch, win)| (*epoch, win))
    }

    fn winner(&self, epoch: u64) -> Option<Address> {
        self.wins.get(&epoch).map(|win| win.token)
    }
}

fn least_opening() -> U256 {
    FLOOR * U256::from(10)
}

/// The price after part of the epoch, rounded up: the decrease is rounded down.
fn price_up(opening: U256, passed: u64) -> U256 {
    let whole = opening.saturating_sub(FLOOR);
    // The opening price is at most twice an existing amount of wei, so the product stays far below 256 bits.
    let fallen = whole.saturating_mul(U256::from(passed)) / U256::from(DAY);
    opening - fallen
}
