//! One launch from its logs and state, and the derived figures: price, volume, counts, change, holders.
use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::{Address, B256, U256};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

use crate::client::wire::LaunchConfig;
use crate::client::wire::LaunchHook::LaunchMetadata;
use crate::model::bounds::Bounds;
use crate::model::figure::Figure;

/// The position of a log on its chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LogPosition {
    pub(crate) block: u64,
    /// Unix seconds of the block.
    pub(crate) time: u64,
    pub(crate) transaction: B256,
}

/// A contract that launches and trades.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Deployment {
    pub(crate) chain_id: u64,
    /// The launch hook, or the token factory of V1.
    pub(crate) hook: Address,
    pub(crate) is_v1: bool,
    /// The v4 pool manager of its pools, if known.
    pub(crate) pool_manager: Option<Address>,
    /// The v4 state view of its pools, if known.
    pub(crate) state_view: Option<Address>,
    /// The first block that can hold its logs, according to the service.
    pub(crate) start_block: u64,
}

/// Name, symbol and decimals of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Described {
    pub(crate) name: String,
    pub(crate) symbol: String,
    pub(crate) decimals: u8,
}

/// Supply of every launch in whole tokens.
const SUPPLY: u64 = 1_000_000_000;
/// Number of the largest holders in `top_10_percentage`.
const TOP: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    Buy,
    Sell,
}

/// A trade on the curve, in the pool or in the pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trade {
    pub(crate) at: LogPosition,
    pub(crate) trader: Address,
    pub(crate) side: Side,
    /// Traded smallest units of the quote asset, fees included.
    pub(crate) volume: BigInt,
    pub(crate) on_curve: bool,
}

impl Trade {
    /// Creates a trade in a pool or a pair.
    pub(crate) fn outside(at: LogPosition, trader: Address, buys: bool, quote: &BigInt) -> Self {
        let side = if buys { Side::Buy } else { Side::Sell };
        Self { at, trader, side, volume: quote.abs(), on_curve: false }
    }
}

/// A price from this position on: ether (10^18 units of the quote asset) per whole token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) at: LogPosition,
    pub(crate) price: BigRational,
}

/// A quote asset other than the native coin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asset {
    pub(crate) address: Address,
    pub(crate) described: Described,
    /// Ether per whole unit in the v4 pool that prices it; `None` without such a pool.
    pub(crate) price: Option<BigRational>,
}

/// Where a token trades after graduation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaunchPool {
    V4(B256),
    Pair(Address),
}

/// A token with its whole history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Launch {
    pub(crate) chain_id: u64,
    pub(crate) hook: Address,
    pub(crate) token: Address,
    pub(crate) creator: Address,
    pub(crate) created: LogPosition,
    /// As given by the creator; a missing link is empty.
    pub(crate) texts: LaunchMetadata,
    /// The id of a launch and its stored state; `None` for a V1 token.
    pub(crate) v2: Option<(U256, LaunchConfig)>,
    pub(crate) target: BigInt,
    pub(crate) contributions: BigInt,
    pub(crate) sold: BigInt,
    pub(crate) graduated: Option<LogPosition>,
    /// Where it trades after graduation.
    pub(crate) pool: Option<LaunchPool>,
    pub(crate) asset: Option<Asset>,
    /// In chain order.
    pub(crate) trades: Vec<Trade>,
    /// Unix times of the hook's own swaps; `None` if the swaps in its pool cannot be seen.
    pub(crate) own_swaps: Option<Vec<u64>>,
    /// In chain order.
    pub(crate) marks: Vec<Mark>,
    /// Price before the first trade.
    pub(crate) opening: BigRational,
    /// Price at the named block, from the state if possible.
    pub(crate) price: BigRational,
    /// The balance of every account.
    pub(crate) balances: BTreeMap<Address, BigInt>,
    /// Accounts of the platform that hold tokens for others.
    pub(crate) keepers: BTreeSet<Address>,
}

/// Returns the token price for a market cap, in whole wei.
pub(crate) fn price_of(market_cap: &Figure) -> Bounds {
    Bounds::exact(market_cap.value() / BigInt::from(SUPPLY)).whole_at(18)
}

impl Launch {
    /// Creates a token without trades, with its target and the price before the first trade.
    pub(crate) fn begun(
        deployment: &Deployment,
        (token, creator): (Address, Address),
        created: LogPosition,
        (target, opening): (BigInt, BigRational),
    ) -> Self {
        let (chain_id, hook, price, own_swaps) =
            (deployment.chain_id, deployment.hook, opening.clone(), Some(Vec::new()));
        Self { chain_id, hook, token, creator, created, target, price, opening, own_swaps, ..Self::default() }
    }

    pub(crate) fn is_graduated(&self) -> bool {
        self.graduated.is_some()
    }

    /// Returns the token price in its quote asset, in whole units.
    pub(crate) fn price(&self) -> Bounds {
        Bounds::exact(self.price.clone()).whole_at(18)
    }

    /// Returns the price times the total supply, in whole units of the quote asset.
    pub(crate) fn market_cap(&self) -> Bounds {
        Bounds::exact(&self.price * BigInt::from(SUPPLY)).whole_at(18)
    }

    /// Converts a figure to ether, in whole wei; `None` if its quote asset has no price.
    pub(crate) fn in_ether(&self, figure: Bounds) -> Option<Bounds> {
        match &self.asset {
            None => Some(figure),
            Some(asset) => Some(figure.times(asset.price.as_ref()?).whole_at(18)),
        }
    }

    /// Returns `funding_progress`: net contributions over the target; 1 after graduation.
    pub(crate) fn progress(&self) -> BigRational {
        if self.is_graduated() {
            return BigRational::from_integer(1.into());
        }
        BigRational::new(self.contributions.clone(), self.target.clone())
    }

    /// Returns the trades younger than a window at a moment; one of exactly that age is excluded.
    pub(crate) fn within(&self, now: u64, window: u64) -> impl Iterator<Item = &Trade> {
        self.trades.iter().filter(move |trade| trade.at.time + window > now)
    }

    /// Returns the volume of a window in the quote asset.
    pub(crate) fn volume(&self, now: u64, window: u64) -> Bounds {
        let units: BigInt = self.within(now, window).map(|trade| &trade.volume).sum();
        Bounds::exact(BigRational::new(units, BigInt::from(10).pow(18)))
    }

    /// Returns the trades of a side in a window, or the transactions that hold them: whether several trades in one transaction count once
    /// is left open.
    pub(crate) fn count(&self, now: u64, window: u64, side: Side) -> Bounds {
        let transactions = self.within(now, window).filter(|trade| trade.side == side);
        let transactions: Vec<B256> = transactions.map(|trade| trade.at.transaction).collect();
        let distinct: BTreeSet<&B256> = transactions.iter().collect();
        let whole = |count: usize| BigRational::from_integer(BigInt::from(count));
        Bounds::between(whole(distinct.len()), whole(transactions.len()))
    }

    /// Returns the price change over a window in percent: against the last price before it, else the opening price. Prices are shown in
    /// whole wei, so each may be one wei low.
    pub(crate) fn change(&self, now: u64, window: u64) -> Bounds {
        let before = self.marks.iter().rev().find(|mark| mark.at.time + window <= now);
        let reference = before.map_or(&self.opening, |mark| &mark.price);
        if *reference == self.price {
            return Bounds::exact(BigRational::zero());
        }
        let wei = BigRational::new(1.into(), BigInt::from(10).pow(18));
        let percent = |price: BigRational, reference: BigRational| {
            (price / reference - BigRational::from_integer(1.into())) * BigInt::from(100)
        };
        let least = percent(&self.price - &wei, reference.clone());
        let below = reference - &wei;
        let most = percent(self.price.clone(), if below.is_zero() { reference.clone() } else { below });
        Bounds::between(least, most)
    }

    /// Returns the balances of all holders except the platform's accounts, largest first.
    pub(crate) fn holders(&self) -> Vec<&BigInt> {
        let balances = self.balances.iter();
        let held = balances.filter(|(account, held)| !held.is_zero() && !self.keepers.contains(*account));
        let mut held: Vec<&BigInt> = held.map(|(_, held)| held).collect();
        held.sort_unstable_by(|one, other| other.cmp(one));
        held
    }

    /// Returns the share of the ten largest holders in percent of the unburned supply.
    pub(crate) fn top_percentage(&self) -> BigRational {
        self.percentage(self.holders().into_iter().take(TOP).sum())
    }

    /// Returns the share of the ten largest balances, of contracts of the platform too, in percent of the unburned supply.
    pub(crate) fn top_percentage_of_all(&self) -> BigRational {
        let mut held: Vec<&BigInt> = self.balances.values().collect();
        held.sort_unstable_by(|one, other| other.cmp(one));
        self.percentage(held.into_iter().take(TOP).sum())
    }

    /// Returns the creator's share in percent of the unburned supply.
    pub(crate) fn creator_percentage(&self) -> BigRational {
        self.percentage(self.balances.get(&self.creator).cloned().unwrap_or_default())
    }

    fn percentage(&self, part: BigInt) -> BigRational {
        let supply: BigInt = self.balances.values().sum();
        if supply.is_zero() { BigRational::zero() } else { BigRational::new(part * 100, supply) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: u64) -> LogPosition {
        LogPosition { time, ..LogPosition::default() }
    }

    /// A window contains what is younger than it; the change is against the last price before it.
    #[test]
    fn a_window_ends_before_its_far_edge() {
        let price = |percent: u64| BigRational::new(percent.into(), 100.into());
        let mut launch =
            Launch::begun(&Deployment::default(), Default::default(), at(0), (1.into(), price(100)));
        for (time, percent) in [(10, 110), (20, 132), (30, 264)] {
            launch.trades.push(Trade::outside(at(time), Address::ZERO, true, &1.into()));
            launch.marks.push(Mark { at: at(time), price: price(percent) });
        }
        launch.price = price(264);
        for (window, trades, change) in [(10, 1, "100"), (11, 2, "140"), (20, 2, "140"), (100, 3, "164")] {
            // All are in one transaction, which may count once.
            let bounds = Bounds::between(price(100), BigRational::from_integer(trades.into()));
            assert_eq!(launch.count(30, window, Side::Buy), bounds, "{window}");
            assert!(launch.change(30, window).shown_by(&Figure::parse(change).unwrap()), "{window}");
        }
    }
}
