//! The play file: accounts, and what they do step by step.
use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use slipway_contracts::{Quantity, Span};

use crate::model::target::PRIMARY;

/// A play: what accounts do on a platform, step by step, and what it should say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[schemars(title = "play file")]
pub struct PlayFile {
    /// The market that a platform started for it begins with, as `--market` takes it; a file is named from the folder of this one
    /// (default: `"empty"`).
    pub market: Option<String>,
    /// Accounts of the ready line by name: each has the number of one, from 0 to 9. Any other name has an account drawn from the seed,
    /// which gets 100 ether when it first acts on a chain.
    pub accounts: BTreeMap<String, u8>,
    /// The steps in order; at most 10000.
    pub step: Vec<StepRow>,
}

/// A step does one thing. `by` says who does it, `token` with which token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct StepRow {
    /// Account that launches, trades or writes, or whose balance is expected.
    pub by: Option<String>,
    /// Ticker of a token that was launched before, or of one of the market; or its address.
    pub token: Option<String>,
    /// Launches a token.
    pub launch: Option<LaunchTable>,
    /// Buys for this much of the native coin, fee included.
    pub buy: Option<Quantity>,
    /// Sells this many tokens.
    pub sell: Option<Quantity>,
    /// Buys or sells until this percent of the raise is paid in; 100 opens the pool.
    pub to: Option<Quantity>,
    /// Sends a captcha authorisation with the trade, as the anti-snipe window demands.
    pub captcha: bool,
    /// Writes this message about the token.
    pub chat: Option<String>,
    /// Mines this many empty blocks, and waits until the services show the last of them; at most 1000.
    pub wait: Option<u64>,
    /// Waits until the services show the block of this height; the blocks that are missing are mined, at most 1000.
    pub height: Option<u64>,
    /// Moves the clock forward by this time.
    pub jump: Option<Span>,
    /// Orders a fault of the services.
    pub fault: Option<FaultTable>,
    /// Takes back every fault that this play has ordered: `true`.
    pub clear_faults: bool,
    /// Takes back this many blocks, at most 1000, or 64 on a chain of slipway: empty ones replace them, and one more is mined.
    pub reorg: Option<u64>,
    /// Keeps everything as it is now under this name, which no other checkpoint of the play has.
    pub checkpoint: Option<String>,
    /// Goes back to the checkpoint of this name.
    pub revert: Option<String>,
    /// Compares what the platform says.
    pub expect: Option<ExpectTable>,
    /// Chain of `wait`, `height`, `reorg`, and of an expected balance of the native coin (default: 57073).
    pub chain: Option<u64>,
    /// The step is refused: with the name of the contract's error, with the cause that the journal of the control plane has, with this HTTP
    /// status, or by an answer that breaks off (`"cut"`).
    pub fails: Option<FailsWith>,
}

/// A launch, in the words of a market file; `by` is its creator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct LaunchTable {
    /// Its name (default: its ticker).
    pub name: Option<String>,
    /// Its ticker, by which later steps name it.
    pub ticker: String,
    /// Its description.
    pub description: String,
    /// Address of its picture.
    pub picture: String,
    /// Its website.
    pub website: String,
    /// Its channel in a messenger.
    pub messenger: String,
    /// Its page in a microblog.
    pub microblog: String,
    /// The chain (default: 57073).
    pub chain: Option<u64>,
    /// Target raise, in the native coin (default: 1); the contract accepts 1 to 5.
    pub raise: Option<Quantity>,
    /// How much the price grows over the curve, in hundredths of a percent (default: 50000).
    pub gain_bps: Option<u32>,
    /// The creator's part of the variable fee, in hundredths of a percent (default: 5000).
    pub creator_split_bps: Option<u16>,
    /// Seconds in which trades need a captcha (default: 0); the contract takes 0, 20, 40 and 60.
    pub anti_snipe: Option<u32>,
    /// Amount that the creator pays for tokens in the launch, fee included.
    pub prebuy: Option<Quantity>,
}

/// A rule by which requests of the services fail, as the control plane takes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct FaultTable {
    /// Its name, of letters, digits, dots, dashes and underscores; a fault of the same name is replaced (default: `"play"`).
    pub name: Option<String>,
    /// The service whose requests match: `"rest"` or `"swap"` (default: either).
    pub service: Option<String>,
    /// Their method (default: any).
    pub method: Option<String>,
    /// Their path, without a query.
    pub path: String,
    /// The first matching request that is hit (default: 1).
    pub nth: Option<u64>,
    /// How many are hit from there on (default: 1).
    pub times: Option<u64>,
    /// The change.
    pub effect: EffectTable,
}

/// The effect of a fault: one of the three.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct EffectTable {
    /// The request is refused with this status, from 400 to 599.
    pub status: Option<u16>,
    /// The answer is delayed by this many milliseconds.
    pub delay_milliseconds: Option<u64>,
    /// The answer breaks off after its headers: `true`.
    pub cut: bool,
}

/// What the platform should say of the token, or of a balance of `by`. A number that a service shows agrees when it is equal, or shows nine
/// digits or more of what is expected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ExpectTable {
    /// Price of a token, in ETH.
    pub price: Option<Quantity>,
    /// Market capitalisation, in ETH.
    pub market_cap: Option<Quantity>,
    /// Percent of the raise that is paid in.
    pub progress: Option<Quantity>,
    /// Accounts that hold it.
    pub holders: Option<u64>,
    /// Trades ever.
    pub trades: Option<u64>,
    /// Whether it trades in its pool.
    pub graduated: Option<bool>,
    /// Other fields of its record, by the names that `GET /api/token` has.
    pub record: BTreeMap<String, FieldValue>,
    /// The balance of the account `by`: of the token where the step names one, else of the native coin.
    pub balance: Option<Quantity>,
}

/// How a step is refused: a name or a status.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "the name of an error or a cause as text, or an HTTP status")]
pub enum FailsWith {
    /// The HTTP status.
    Status(u16),
    /// The contract's error, such as `RaiseOutOfRange`, or the cause, such as `chat-rate`.
    Name(String),
}

/// The value of a field: a text, an integer, a decimal as text, or whether something holds.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "an integer, a text (decimals too), or true or false")]
pub enum FieldValue {
    /// Whether something holds.
    Flag(bool),
    /// An integer.
    Number(u64),
    /// A text, or a decimal.
    Text(String),
}

/// The act of a step.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act<'f> {
    Launch(&'f LaunchTable),
    Buy(Quantity),
    Sell(Quantity),
    To(Quantity),
    Chat(&'f str),
    Wait(u64),
    Height(u64),
    Jump(Span),
    Fault(&'f FaultTable),
    ClearFaults,
    Reorg(u64),
    Checkpoint(&'f str),
    Revert(&'f str),
    Expect(&'f ExpectTable),
}

/// The names of all acts of a step.
pub(super) const ACTS: &str = "launch, buy, sell, to, chat, wait, height, jump, fault, clear-faults, reorg, checkpoint, revert and expect";

impl StepRow {
    /// Returns the acts with their names; a valid step has exactly one.
    pub(super) fn acts(&self) -> impl Iterator<Item = (&'static str, Act<'_>)> {
        let known = [
            ("launch", self.launch.as_ref().map(Act::Launch)),
            ("buy", self.buy.map(Act::Buy)),
            ("sell", self.sell.map(Act::Sell)),
            ("to", self.to.map(Act::To)),
            ("chat", self.chat.as_deref().map(Act::Chat)),
            ("wait", self.wait.map(Act::Wait)),
            ("height", self.height.map(Act::Height)),
            ("jump", self.jump.map(Act::Jump)),
            ("fault", self.fault.as_ref().map(Act::Fault)),
            ("clear-faults", self.clear_faults.then_some(Act::ClearFaults)),
            ("reorg", self.reorg.map(Act::Reorg)),
            ("checkpoint", self.checkpoint.as_deref().map(Act::Checkpoint)),
            ("revert", self.revert.as_deref().map(Act::Revert)),
            ("expect", self.expect.as_ref().map(Act::Expect)),
        ];
        known.into_iter().filter_map(|(name, act)| Some((name, act?)))
    }

    pub(super) fn chain(&self) -> u64 {
        self.chain.unwrap_or(PRIMARY)
    }
}

fn counted(blocks: u64) -> String {
    format!("{blocks} block{}", if blocks == 1 { "" } else { "s" })
}

/// Describes a step in a few words, for example `buy 0.5 ETH of DOGE`, without its account.
impl fmt::Display for StepRow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = self.token.as_deref().unwrap_or_default();
        match self.acts().next().map(|(_, act)| act) {
            None => formatter.write_str("nothing"),
            Some(Act::Launch(launch)) => write!(formatter, "launch {} on {}", launch.ticker, launch.chain()),
            Some(Act::Buy(amount)) => write!(formatter, "buy {token} for {amount} ETH"),
            Some(Act::Sell(amount)) => write!(formatter, "sell {amount} {token}"),
            Some(Act::To(percent)) => write!(formatter, "trade {token} to {percent} %"),
            Some(Act::Chat(text)) => write!(formatter, "chat about {token}: {text}"),
            Some(Act::Wait(blocks)) => write!(formatter, "wait for {} of {}", counted(blocks), self.chain()),
            Some(Act::Height(height)) => write!(formatter, "wait for block {height} of {}", self.chain()),
            Some(Act::Jump(span)) => write!(formatter, "jump {} s", span.seconds()),
            Some(Act::Fault(fault)) => write!(formatter, "fault {} at {}", fault.name(), fault.path),
            Some(Act::ClearFaults) => formatter.write_str("clear faults"),
            Some(Act::Reorg(depth)) => write!(formatter, "reorg of {} of {}", counted(depth), self.chain()),
            Some(Act::Checkpoint(name)) => write!(formatter, "checkpoint {name}"),
            Some(Act::Revert(name)) => write!(formatter, "revert to {name}"),
            Some(Act::Expect(_)) if token.is_empty() => formatter.write_str("expect"),
            Some(Act::Expect(_)) => write!(formatter, "expect of {token}"),
        }
    }
}

impl LaunchTable {
    pub(super) fn chain(&self) -> u64 {
        self.chain.unwrap_or(PRIMARY)
    }
}

impl FaultTable {
    pub(super) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("play")
    }
}

impl ExpectTable {
    /// Whether it compares a field of the token's record.
    pub(super) fn is_about_record(&self) -> bool {
        *self != Self { balance: self.balance, ..Self::default() }
    }
}

impl fmt::Display for FailsWith {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(formatter, "{status}"),
            Self::Name(name) => formatter.write_str(name),
        }
    }
}

impl fmt::Display for FieldValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(formatter, "{flag}"),
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Text(text) => formatter.write_str(text),
        }
    }
}
