//! Token objects on the wire: one table of fields says which answer carries which.
use alloy::primitives::Address;
use jiff::Timestamp;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use slipway_contracts::deploy::QuoteAsset;

use crate::api::tokens::view::TokenView;
use crate::state::figure::{Change, Figure};
use crate::state::token::{Pool, Version};

/// The list.
pub(super) const LIST: u8 = 1;
/// An owner's tokens.
pub(super) const OWNER: u8 = 2;
/// A batch, always.
pub(super) const BATCH: u8 = 4;
/// A batch that includes metrics.
pub(super) const METRICS: u8 = 8;
/// A batch that includes holders.
pub(super) const HOLDERS: u8 = 16;
/// A batch that includes social links.
pub(super) const SOCIALS: u8 = 32;
/// The Emperor token.
pub(super) const EMPEROR: u8 = 64;
/// The whole record: one token, recent launches.
pub(super) const RECORD: u8 = 128;

/// A value of a field.
enum Value<'a> {
    Text(&'a str),
    Link(&'a str),
    Owned(String),
    Address(Address),
    OptionalAddress(Address),
    Figure(Figure),
    Change(Change),
    Count(u64),
    Flag(bool),
    Nothing,
}

struct Field {
    name: &'static str,
    answers: u8,
    value: for<'a> fn(&'a TokenView) -> Value<'a>,
}

/// A table row; the macro only spares the type of the function.
macro_rules! fields {
    ($($name:literal in $answers:expr => |$token:ident| $value:expr;)*) => {
        &[$(Field { name: $name, answers: $answers, value: |$token| $value }),*]
    };
}

const FIELDS: &[Field] = fields! {
    "address" in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Address(token.launch.token);
    "created_at" in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Owned(instant(token.birth.created_at));
    "owner" in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Address(token.launch.creator);
    "name" in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Text(&token.launch.metadata.name);
    "ticker" in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Text(&token.launch.metadata.ticker);
    "description" in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Text(&token.launch.metadata.description);
    "image_url" in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Text(&token.launch.metadata.image_url);
    "messenger" in SOCIALS | EMPEROR | RECORD => |token| Value::Link(&token.launch.metadata.messenger);
    "microblog" in SOCIALS | EMPEROR | RECORD => |token| Value::Link(&token.launch.metadata.microblog);
    "website" in SOCIALS | EMPEROR | RECORD => |token| Value::Link(&token.launch.metadata.website);
    "market_cap" in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Figure(token.market_cap);
    "funding_progress" in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Figure(token.progress);
    "price_eth" in LIST | BATCH | EMPEROR | RECORD => |token| Value::Figure(token.price);
    "volume_24h" in LIST | OWNER | METRICS | EMPEROR | RECORD => |token| Value::Figure(token.day.volume);
    "price_change_24h" in LIST | METRICS | EMPEROR | RECORD => |token| Value::Change(token.day.price_change);
    "txns_24h_buys" in METRICS | EMPEROR | RECORD => |token| Value::Count(token.day.buys);
    "txns_24h_sells" in METRICS | EMPEROR | RECORD => |token| Value::Count(token.day.sells);
    "volume_1h" in EMPEROR | RECORD => |token| Value::Figure(token.hour.volume);
    "price_change_1h" in EMPEROR | RECORD => |token| Value::Change(token.hour.price_change);
    "txns_1h_buys" in EMPEROR | RECORD => |token| Value::Count(token.hour.buys);
    "txns_1h_sells" in EMPEROR | RECORD => |token| Value::Count(token.hour.sells);
    "txns_total" in RECORD => |token| Value::Count(token.trade_count);
    "total_holders" in LIST | OWNER | HOLDERS | EMPEROR | RECORD => |token| Value::Count(token.holders);
    "top_10_percentage" in HOLDERS | EMPEROR | RECORD => |token| Value::Figure(token.top_ten);
    "dev_holding_percentage" in HOLDERS | EMPEROR | RECORD => |token| Value::Figure(token.developer);
    "is_graduated" in OWNER | BATCH | RECORD => |token| Value::Flag(token.is_graduated());
    "version" in RECORD => |token| Value::Text(if is_first(token) { "v1" } else { "v2" });
    "chain_id" in RECORD => |token| Value::Count(token.birth.chain_id);
    "hook_address" in RECORD => |token| Value::Address(token.launch.hook);
    "launch_id" in RECORD => |token| launched(token, token.launch.launch_id);
    "target_raise" in RECORD => |token| Value::Owned(token.launch.target_raise.to_string());
    "gain_bps" in RECORD => |token| launched(token, token.launch.gain_bps);
    "creator_fee_split_bps" in RECORD => |token| launched(token, token.creator_fee_split_bps);
    "anti_snipe_seconds" in RECORD => |token| launched(token, token.launch.anti_snipe_seconds);
    "start_time" in RECORD => |token| launched(token, token.launch.start_time);
    "transaction_hash" in RECORD => |token| Value::Owned(token.launch.transaction.to_string());
    "block_number" in RECORD => |token| Value::Count(token.birth.block);
    "pool" in RECORD => |token| match token.pool {
        Some(Pool::Managed(id)) => Value::Owned(id.to_string()),
        Some(Pool::Pair(pair)) => Value::Address(pair),
        None => Value::Nothing,
    };
    "quote_asset" in RECORD => |token| Value::OptionalAddress(token.launch.quote_asset);
    "quote_asset_symbol" in RECORD => |token| quoted(token, |asset| Value::Text(&asset.symbol));
    "quote_asset_name" in RECORD => |token| quoted(token, |asset| Value::Text(&asset.name));
    "quote_asset_decimals" in RECORD => |token| quoted(token, |asset| Value::Count(asset.decimals.into()));
};

fn is_first(token: &TokenView) -> bool {
    token.launch.version == Version::First
}

/// What only launches of the second version have.
fn launched(token: &TokenView, value: impl Into<u64>) -> Value<'_> {
    if is_first(token) {
        Value::Nothing
    } else {
        Value::Count(value.into())
    }
}

/// What only launches that are sold for another asset than the native coin have.
fn quoted(token: &TokenView, value: for<'a> fn(&'a QuoteAsset) -> Value<'a>) -> Value<'_> {
    token.quote_asset.as_ref().map_or(Value::Nothing, value)
}

/// A token as an answer shows it.
pub(super) struct Row<'a> {
    token: &'a TokenView,
    answers: u8,
}

/// Tokens as the fields of these answers.
pub(super) fn rows(tokens: &[TokenView], answers: u8) -> Vec<Row<'_>> {
    tokens.iter().map(|token| row(token, answers)).collect()
}

/// One token as the fields of these answers.
pub(super) fn row(token: &TokenView, answers: u8) -> Row<'_> {
    Row { token, answers }
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for field in FIELDS.iter().filter(|field| field.answers & self.answers != 0) {
            map.serialize_entry(field.name, &(field.value)(self.token))?;
        }
        map.end()
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Link("") | Self::Nothing | Self::OptionalAddress(Address::ZERO) => {
                serializer.serialize_none()
            }
            Self::Text(text) | Self::Link(text) => serializer.serialize_str(text),
            Self::Owned(text) => serializer.serialize_str(text),
            Self::Address(address) | Self::OptionalAddress(address) => {
                serializer.serialize_str(address.to_checksum_buffer(None).as_str())
            }
            Self::Figure(figure) => figure.serialize(serializer),
            Self::Change(change) => change.serialize(serializer),
            Self::Count(count) => serializer.serialize_u64(*count),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
        }
    }
}

/// ISO 8601 in UTC with whole seconds.
pub(super) fn instant(seconds: u64) -> String {
    let instant = i64::try_from(seconds)
        .ok()
        .and_then(|seconds| Timestamp::from_second(seconds).ok());
    instant.unwrap_or(Timestamp::MAX).to_string()
}
