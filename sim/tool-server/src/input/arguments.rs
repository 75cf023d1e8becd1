//! The arguments of every tool, in the order in which they are read. The doc comment of an argument is its description in the schema.
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

use super::kinds::{Amount, AntiSnipe, LaunchNumber, Link, OptionalLink, ReferralCode, Text, Ticker, Whole};
use crate::decimal::ETHER;

/// Decimal places of a basis point over a ratio.
const BASIS_POINT: usize = 4;
const ONE_ETHER: u128 = 1_000_000_000_000_000_000;
const FIVE_ETHER: u128 = 5 * ONE_ETHER;
/// Smallest value of a buy that the launch contract accepts, in wei.
const MIN_BUY: u128 = 10_000_000_000_000;
/// Largest whole number that every JSON reader represents exactly.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Arguments of a launch.
///
/// Clause: MCP-LAUNCH-ARGS, MCP-DEFAULTS, MCP-CALL, MCP-GAIN
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LaunchArguments {
    /// Name of the token: 1 to 48 characters, counted as Unicode scalar values.
    #[schemars(extend("x-codes" = ["name-length"]))]
    pub(super) name: Text<1, 48>,
    /// Symbol of the token: 1 to 12 characters, without a dollar sign.
    #[schemars(extend("x-codes" = ["ticker-length", "ticker-dollar"]))]
    pub(super) ticker: Ticker,
    /// Description: 1 to 500 characters.
    #[schemars(extend("x-codes" = ["description-length"]))]
    pub(super) description: Text<1, 500>,
    /// Logo: a public https URL without credentials, at most 2,000 bytes. Its host must resolve to public addresses only.
    pub(super) image_url: Link,
    /// ETH to raise: 1 to 5, to 18 decimal places; the operator's SERVICE_MCP_MAX_RAISE_ETH may be lower.
    #[schemars(extend("x-codes" = ["raise-range"]))]
    pub(super) target_raise_eth: Amount<ETHER, ONE_ETHER, FIVE_ETHER>,
    /// Link to a messaging channel, under the rules of imageUrl; an empty string means none.
    #[serde(default)]
    pub(super) messenger: OptionalLink,
    /// Link to a microblog profile, under the rules of imageUrl; an empty string means none.
    #[serde(default)]
    pub(super) microblog: OptionalLink,
    /// Link to an official website, under the rules of imageUrl; an empty string means none.
    #[serde(default)]
    pub(super) website: OptionalLink,
    /// Price at the end of the curve over the price at its start: 1 is flat, 21 is the contract's maximum.
    #[serde(default = "default_gain")]
    #[schemars(extend("x-codes" = ["gain-range"]))]
    pub(super) curve_gain_multiplier: Amount<BASIS_POINT, 10_000, 210_000>,
    /// The creator's share of the variable fee in basis points; the rest buys back and burns. 10000 is all.
    #[serde(default)]
    #[schemars(extend("x-codes" = ["split-range"]))]
    pub(super) creator_fee_split_bps: Whole<0, 10_000, 5_000>,
    /// Seconds during which trades need a captcha proof: 0 (none), 20, 40 or 60.
    #[serde(default)]
    #[schemars(extend("x-codes" = ["anti-snipe-choice"]))]
    pub(super) anti_snipe_seconds: AntiSnipe,
    /// Unix time in seconds at which trading opens, not in the past; 0 is at once.
    #[serde(default)]
    #[schemars(extend("x-codes" = ["start-range"]))]
    pub(super) start_timestamp: Whole<0, MAX_SAFE_INTEGER, 0>,
    /// ETH to buy with at once, to 18 decimal places: 0 for none, or at least the contract's minimum buy of 0.00001; at most targetRaiseEth and SERVICE_MCP_MAX_PREBUY_ETH.
    #[serde(default)]
    #[schemars(extend("x-codes" = ["prebuy-range"]))]
    pub(super) prebuy_eth: Amount<ETHER, MIN_BUY, FIVE_ETHER, true>,
    /// Referral code: 1 to 64 letters, digits, hyphens or underscores; an empty string means none.
    #[serde(default)]
    #[schemars(extend("x-codes" = ["referral-shape"]))]
    pub(super) referral_code: ReferralCode,
}

fn default_gain() -> Amount<BASIS_POINT, 10_000, 210_000> {
    Amount(60_000)
}

/// The further arguments of `launch_token`.
///
/// Clause: MCP-CONFIRM
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Confirmation {
    /// The literal text YES, given by the user after seeing the preview.
    #[schemars(extend("const" = "YES", "x-codes" = ["not-confirmed"]))]
    confirm: String,
}

impl Confirmation {
    pub(crate) fn is_given(&self) -> bool {
        self.confirm == "YES"
    }
}

/// Arguments of `launch_token`, of which the confirmation is read first.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct ConfirmedLaunch {
    #[serde(flatten)]
    launch: LaunchArguments,
    #[serde(flatten)]
    confirmation: Confirmation,
}

#[derive(JsonSchema)]
pub(crate) struct NoArguments {}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct RecentArguments {
    /// How many launches: 1 to 50.
    #[serde(default)]
    #[schemars(extend("x-codes" = ["limit-range"]))]
    pub(crate) limit: Whole<1, 50, 10>,
    /// How many of the newest launches to leave out; pass the nextOffset of the previous page.
    #[serde(default)]
    #[schemars(extend("x-codes" = ["offset-range"]))]
    pub(crate) offset: Whole<0, MAX_SAFE_INTEGER, 0>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StatusArguments {
    /// Number of the launch on the launch hook, from 1: a number, or decimal text when it is large.
    #[schemars(extend("x-codes" = ["launch-id-shape"]))]
    pub(crate) launch_id: LaunchNumber,
}
