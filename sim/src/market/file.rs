//! The market file: the launches, accounts and pairs that a platform begins with. The default market is one too.
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use slipway_contracts::{ChainId, Quantity, Span};

/// The market that a platform begins with. It ends when the platform starts, with `--clock real` at the full hour before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[schemars(title = "market file")]
pub struct MarketFile {
    /// Accounts of the ready line by name: each has the number of one, from 0 to 9. Any other name has an account drawn from the seed;
    /// `creator-0` to `creator-11` and `trader-0` to `trader-31` are those of the launches in `draw`.
    pub accounts: BTreeMap<String, u8>,
    /// Launches whose names, times and trades are drawn from the seed.
    pub draw: Vec<DrawRow>,
    /// Launches that are written out.
    pub launch: Vec<LaunchRow>,
    /// Tokens of the exchange on chain 57073, besides WETH.
    pub asset: Vec<AssetRow>,
    /// Pairs of the exchange.
    pub pair: Vec<PairRow>,
    /// Number of swaps in the two days before the end, drawn from the seed.
    pub swaps: u16,
    /// Days of the auction that are won.
    pub auction: Vec<AuctionRow>,
    /// Accounts that registered with a referrer.
    pub referral: Vec<ReferralRow>,
}

/// How many launches are drawn, by their state at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct DrawRow {
    /// The chain (default: 57073).
    pub chain: Option<u64>,
    /// Symbol of the quote asset that they are sold for (default: the native coin).
    pub quote: Option<String>,
    /// Launched in the last hours.
    pub new: u32,
    /// Less than a third of the raise; the first on a chain is disabled by the operator.
    pub early: u32,
    /// Around the middle.
    pub half: u32,
    /// Only the last few percent are missing.
    pub nearly: u32,
    /// Trading in their pools.
    pub graduated: u32,
}

/// The version of the contracts of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LaunchVersion {
    /// The factory that creates no tokens any more; on chain 57073.
    V1,
    /// The present contracts.
    #[default]
    V2,
}

/// The outcome of the drawn trades of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LaunchOutcome {
    /// Launched recently, with few trades or none.
    New,
    /// Less than a third of the target.
    Early,
    /// Around the middle.
    Half,
    /// Only the last few percent are missing.
    Nearly,
    /// Trading in its pool.
    Graduated,
}

/// A launch that is written out, or several alike.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct LaunchRow {
    /// Its name, of 1 to 192 bytes.
    pub name: String,
    /// Its ticker, of 1 to 48 bytes.
    pub ticker: String,
    /// Its description, of at most 2000 bytes.
    pub description: String,
    /// Address of its picture; this and each link has at most 2000 bytes.
    pub picture: String,
    /// Its website.
    pub website: String,
    /// Its channel in a messenger.
    pub messenger: String,
    /// Its page in a microblog.
    pub microblog: String,
    /// The chain (default: 57073).
    pub chain: Option<u64>,
    /// Version of its contracts (default: `"v2"`). A launch of `"v1"` began before the two days, and takes none of the fields `age`, `raise`,
    /// `gain-bps`, `creator-split-bps`, `anti-snipe`, `quote`, `prebuy` and `referrer`.
    pub version: LaunchVersion,
    /// Account that launches it (default: `"creator-0"`).
    pub creator: Option<String>,
    /// Number of such launches: `{n}` in the texts is the number of each, from 1 (default: 1).
    pub count: Option<u32>,
    /// Target raise, in the quote asset, from 1 to 5 (default: 1).
    pub raise: Option<Quantity>,
    /// How much the price grows over the curve, in hundredths of a percent, at most 200000 (default: 50000).
    pub gain_bps: Option<u32>,
    /// The creator's part of the variable fee, in hundredths of a percent (default: 5000).
    pub creator_split_bps: Option<u16>,
    /// Seconds in which trades need a captcha: 0, 20, 40 or 60 (default: 0).
    pub anti_snipe: Option<u32>,
    /// Symbol of the quote asset that it is sold for: NRTH, ORCH or QUAY on chain 4663 (default: the native coin).
    pub quote: Option<String>,
    /// Amount that the creator pays for tokens in the launch, fee included.
    pub prebuy: Option<Quantity>,
    /// Account whose referral code the creator uses.
    pub referrer: Option<String>,
    /// How long before the end it is launched, at most two days (default: 24 hours).
    pub age: Option<Span>,
    /// Percent of the raise that buys have paid in at the end, to the wei; 100 opens its pool. Not beside `trades`.
    pub progress: Option<Quantity>,
    /// Accounts that hold it at the end, at most 500: they share the progress equally, and the creator with a `prebuy` is one (default:
    /// 1 with a progress).
    pub holders: Option<u32>,
    /// Its trades, in order.
    pub trades: Vec<TradeRow>,
    /// Draw the trades of a `"v1"` launch from the seed. Not beside `trades` and `progress`.
    pub drawn: Option<LaunchOutcome>,
    /// Whether the operator removed it from the usual lists.
    pub disabled: bool,
    /// Messages about it, in order.
    pub chat: Vec<ChatRow>,
}

/// A trade of a launch: one of `buy`, `sell` and `to`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct TradeRow {
    /// Account that trades.
    pub by: String,
    /// Buys for this much of the quote asset, fee included.
    pub buy: Option<Quantity>,
    /// Sells this many tokens.
    pub sell: Option<Quantity>,
    /// Buys or sells until this percent of the raise is paid in; 100 opens the pool.
    pub to: Option<Quantity>,
    /// How long before the end (default: trades are spread from the launch to the end).
    pub age: Option<Span>,
    /// Account whose referral code a buy uses.
    pub referrer: Option<String>,
}

/// A message about a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ChatRow {
    /// Account that writes it.
    pub by: String,
    /// The message, of 1 to 500 characters.
    pub text: String,
    /// How long before the end (default: at the end).
    pub age: Option<Span>,
}

/// The contract of an exchange's token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AssetKind {
    /// The maker can mint more at any time.
    #[default]
    Mintable,
    /// A published token that burns a part of every transfer: DTT, with its own name and 18 decimals.
    Deflating,
    /// A contract whose calls never end; its symbol is known to this file only.
    Endless,
}

/// A token of the exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct AssetRow {
    /// Its symbol, of at most 48 bytes, by which pairs name it.
    pub symbol: String,
    /// Its name, of at most 192 bytes (default: its symbol).
    pub name: Option<String>,
    /// Its decimals, at most 18 (default: 18).
    pub decimals: Option<u8>,
    /// Its contract (default: `"mintable"`).
    pub kind: AssetKind,
}

/// A pair of the exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct PairRow {
    /// The symbols of its tokens.
    pub tokens: [String; 2],
    /// Initial balance of each (default: nothing).
    pub reserves: [Quantity; 2],
}

/// A day of the auction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuctionDay {
    /// The day before the market's end; won in the day before it.
    Yesterday,
    /// The day of the market's end; won yesterday.
    #[default]
    Today,
    /// The day after; won today.
    Tomorrow,
}

/// A day of the auction that is won for a token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct AuctionRow {
    /// The day (default: `"today"`).
    pub day: AuctionDay,
    /// Ticker of a launch on chain 57073 in this file (default: one that the seed draws, around the middle of its raise).
    pub token: Option<String>,
    /// Account that bids (default: one that the seed draws).
    pub by: Option<String>,
}

/// An account that registered with a referrer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ReferralRow {
    /// The account.
    pub account: String,
    /// Its referrer.
    pub referrer: String,
    /// How long before the end (default: 24 hours).
    pub age: Option<Span>,
}

impl MarketFile {
    /// The default market.
    pub(super) fn usual() -> Self {
        toml::from_str(include_str!("default.toml")).expect("a test reads the default market")
    }
}

impl DrawRow {
    pub(super) fn chain(&self) -> u64 {
        self.chain.unwrap_or(ChainId::PRIMARY.0)
    }

    /// The outcomes in the order in which they are drawn, with their counts.
    pub(super) fn outcomes(&self) -> [(LaunchOutcome, u32); 5] {
        [
            (LaunchOutcome::New, self.new),
            (LaunchOutcome::Early, self.early),
            (LaunchOutcome::Half, self.half),
            (LaunchOutcome::Nearly, self.nearly),
            (LaunchOutcome::Graduated, self.graduated),
        ]
    }

    /// Every launch's outcome.
    pub(super) fn each(&self) -> impl Iterator<Item = LaunchOutcome> {
        let repeated =
            |(outcome, count)| std::iter::repeat_n(outcome, usize::try_from(count).unwrap_or(usize::MAX));
        self.outcomes().into_iter().flat_map(repeated)
    }

    pub(super) fn total(&self) -> u64 {
        self.outcomes().iter().map(|(_, count)| u64::from(*count)).sum()
    }
}

impl LaunchRow {
    pub(super) fn chain(&self) -> u64 {
        self.chain.unwrap_or(ChainId::PRIMARY.0)
    }

    pub(super) fn count(&self) -> u32 {
        self.count.unwrap_or(1)
    }
}
