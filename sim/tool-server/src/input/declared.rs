//! The arguments of every tool, declared.
use super::kinds::{Alphabet, Choice, Decimal, Integer, LaunchNumber, Link, Literal, Rounding, Text};
use super::{Argument, Arguments};
use crate::decimal::ETHER;

const ONE_ETHER: u128 = 1_000_000_000_000_000_000;
/// Smallest value of a buy that the launch contract accepts, in wei.
const MIN_BUY: u128 = 10_000_000_000_000;
/// Largest whole number that every JSON reader represents exactly.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;
/// Decimal places of a basis point over a ratio.
const BASIS_POINT: usize = 4;

pub(super) static NAME: Text = Text {
    name: "name",
    meaning: "Name of the token: 1 to 48 characters, counted as Unicode scalar values.",
    length: 1..=48,
    alphabet: None,
    required: true,
    code: "name-length",
};

pub(super) static TICKER: Text = Text {
    name: "ticker",
    meaning: "Symbol of the token: 1 to 12 characters, without a dollar sign.",
    length: 1..=12,
    alphabet: Some(Alphabet {
        pattern: "^[^$]*$",
        allows: |character| character != '$',
        constraint: "not contain a dollar sign",
        code: "ticker-dollar",
    }),
    required: true,
    code: "ticker-length",
};

pub(super) static DESCRIPTION: Text = Text {
    name: "description",
    meaning: "Description: 1 to 500 characters.",
    length: 1..=500,
    alphabet: None,
    required: true,
    code: "description-length",
};

pub(super) static IMAGE_URL: Link = Link {
    name: "imageUrl",
    meaning: "Logo: a public https URL without credentials, at most 2,000 bytes. Its host must resolve to public addresses only.",
    required: true,
};

pub(super) static TARGET_RAISE: Decimal = Decimal {
    name: "targetRaiseEth",
    meaning: "ETH to raise: 1 to 5, to 18 decimal places; the operator's SERVICE_MCP_MAX_RAISE_ETH may be lower.",
    places: ETHER,
    rounding: Rounding::Exact,
    range: ONE_ETHER..=5 * ONE_ETHER,
    default: None,
    code: "raise-range",
};

pub(super) static MESSENGER: Link = Link {
    name: "messenger",
    meaning: "Link to a messaging channel, under the rules of imageUrl; an empty string means none.",
    required: false,
};

pub(super) static MICROBLOG: Link = Link {
    name: "microblog",
    meaning: "Link to a microblog profile, under the rules of imageUrl; an empty string means none.",
    required: false,
};

pub(super) static WEBSITE: Link = Link {
    name: "website",
    meaning: "Link to an official website, under the rules of imageUrl; an empty string means none.",
    required: false,
};

/// Scaled to basis points: `gainBps` is this number minus 10000.
pub(super) static GAIN_MULTIPLIER: Decimal = Decimal {
    name: "curveGainMultiplier",
    meaning: "Price at the end of the curve over the price at its start: 1 is flat, 21 is the contract's maximum.",
    places: BASIS_POINT,
    rounding: Rounding::HalfUp,
    range: 10_000..=210_000,
    default: Some(60_000),
    code: "gain-range",
};

pub(super) static CREATOR_FEE_SPLIT: Integer = Integer {
    name: "creatorFeeSplitBps",
    meaning: "The creator's share of the variable fee in basis points; the rest buys back and burns. 10000 is all.",
    range: 0..=10_000,
    default: 5_000,
    code: "split-range",
};

pub(super) static ANTI_SNIPE: Choice = Choice {
    name: "antiSnipeSeconds",
    meaning: "Seconds during which trades need a captcha proof: 0 (none), 20, 40 or 60.",
    options: &[0, 20, 40, 60],
    default: 0,
    code: "anti-snipe-choice",
};

pub(super) static START: Integer = Integer {
    name: "startTimestamp",
    meaning: "Unix time in seconds at which trading opens, not in the past; 0 is at once.",
    range: 0..=MAX_SAFE_INTEGER,
    default: 0,
    code: "start-range",
};

pub(super) static PREBUY: Decimal = Decimal {
    name: "prebuyEth",
    meaning: "ETH to buy with at once, to 18 decimal places: 0 for none, or at least the contract's minimum buy of 0.00001; at \
        most targetRaiseEth and SERVICE_MCP_MAX_PREBUY_ETH.",
    places: ETHER,
    rounding: Rounding::Exact,
    range: MIN_BUY..=5 * ONE_ETHER,
    default: Some(0),
    code: "prebuy-range",
};

pub(super) static REFERRAL_CODE: Text = Text {
    name: "referralCode",
    meaning: "Referral code: 1 to 64 letters, digits, hyphens or underscores; an empty string means none.",
    length: 1..=64,
    alphabet: Some(Alphabet {
        pattern: "^[A-Za-z0-9_-]*$",
        allows: |character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_'),
        constraint: "hold only letters, digits, hyphens and underscores",
        code: "referral-shape",
    }),
    required: false,
    code: "referral-shape",
};

/// Clause: MCP-CONFIRM
pub(crate) static CONFIRM: Literal = Literal {
    name: "confirm",
    meaning: "The literal text YES, given by the user after seeing the preview.",
    text: "YES",
};

pub(crate) static LIMIT: Integer = Integer {
    name: "limit",
    meaning: "How many launches: 1 to 50.",
    range: 1..=50,
    default: 10,
    code: "limit-range",
};

pub(crate) static OFFSET: Integer = Integer {
    name: "offset",
    meaning: "How many of the newest launches to leave out; pass the nextOffset of the previous page.",
    range: 0..=MAX_SAFE_INTEGER,
    default: 0,
    code: "offset-range",
};

pub(crate) static LAUNCH_ID: LaunchNumber = LaunchNumber {
    name: "launchId",
    meaning: "Number of the launch on the launch hook, from 1: a number, or decimal text when it is large.",
    code: "launch-id-shape",
};

/// All arguments of `launch_token`; the confirmation is the last.
///
/// Clause: MCP-LAUNCH-ARGS, MCP-DEFAULTS, MCP-CALL, MCP-GAIN
static LAUNCH: [&dyn Argument; 15] = [
    &NAME,
    &TICKER,
    &DESCRIPTION,
    &IMAGE_URL,
    &TARGET_RAISE,
    &MESSENGER,
    &MICROBLOG,
    &WEBSITE,
    &GAIN_MULTIPLIER,
    &CREATOR_FEE_SPLIT,
    &ANTI_SNIPE,
    &START,
    &PREBUY,
    &REFERRAL_CODE,
    &CONFIRM,
];

pub(crate) static LAUNCH_TOKEN: Arguments = &LAUNCH;
pub(crate) static PREVIEW_LAUNCH: Arguments = LAUNCH.split_at(14).0;
pub(crate) static WALLET_INFO: Arguments = &[];
pub(crate) static RECENT_LAUNCHES: Arguments = &[&LIMIT, &OFFSET];
pub(crate) static LAUNCH_STATUS: Arguments = &[&LAUNCH_ID];
