//! Token objects in answers: one table defines which answer has which fields.
use std::borrow::Cow;

use alloy::primitives::Address;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Map;
use slipway_contracts::deploy::QuoteAsset;

use crate::api::capabilities::CHAINS;
use crate::api::figure::{Change, Figure};
use crate::api::schema::{AddressText, Hash, Instant, Units, instant};
use crate::api::tokens::view::TokenView;
use crate::api::tokens::{Pool, Version};

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
/// The full record: one token, recent launches.
pub(super) const RECORD: u8 = 128;

/// Versions of the contracts, oldest first.
const VERSIONS: [&str; 2] = ["v1", "v2"];

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

/// The type of a field's values.
#[derive(Clone, Copy)]
enum ValueKind {
    Text,
    OptionalText,
    Moment,
    Address,
    OptionalAddress,
    Units,
    Hash,
    Pool,
    Version,
    Chain,
    Figure,
    Share,
    Percentage,
    Change,
    Count,
    OptionalCount,
    OptionalFigure,
    Flag,
}

struct Field {
    name: &'static str,
    kind: ValueKind,
    meaning: &'static str,
    answers: u8,
    value: for<'a> fn(&'a TokenView) -> Value<'a>,
}

/// Saves writing the type of the functions in the table.
macro_rules! fields {
    ($($name:literal, $kind:ident, $meaning:literal, in $answers:expr => |$token:ident| $value:expr;)*) => {
        &[$(Field {
            name: $name, kind: ValueKind::$kind, meaning: $meaning, answers: $answers, value: |$token| $value
        }),*]
    };
}

/// Clause: FIG-IDENTITY, FIG-CREATED, FIG-RECORD
const FIELDS: &[Field] = fields! {
    "address", Address, "token contract address", in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Address(token.launch.token);
    "created_at", Moment, "creation time", in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Owned(instant(token.birth.created_at).0.to_string());
    "owner", Address, "creator wallet address", in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Address(token.launch.creator);
    "name", Text, "token name", in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Text(&token.launch.metadata.name);
    "ticker", Text, "token symbol", in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Text(&token.launch.metadata.ticker);
    "description", Text, "token description", in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Text(&token.launch.metadata.description);
    "image_url", Text, "logo URL", in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Text(&token.launch.metadata.image_url);
    "messenger", OptionalText, "messaging-channel URL", in SOCIALS | EMPEROR | RECORD => |token| Value::Link(&token.launch.metadata.messenger);
    "microblog", OptionalText, "microblog profile URL", in SOCIALS | EMPEROR | RECORD => |token| Value::Link(&token.launch.metadata.microblog);
    "website", OptionalText, "official website URL", in SOCIALS | EMPEROR | RECORD => |token| Value::Link(&token.launch.metadata.website);
    "market_cap", Figure, "market capitalization in ETH", in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Figure(token.market_cap);
    "funding_progress", Share, "funding progress; 1 means fully funded", in LIST | OWNER | BATCH | EMPEROR | RECORD => |token| Value::Figure(token.progress);
    "price_eth", Figure, "current price in ETH", in LIST | BATCH | EMPEROR | RECORD => |token| Value::Figure(token.price);
    "volume_24h", Figure, "trading volume of 24 hours", in LIST | OWNER | METRICS | EMPEROR | RECORD => |token| Value::Figure(token.day.volume);
    "price_change_24h", Change, "change of the price in 24 hours, percent", in LIST | METRICS | EMPEROR | RECORD => |token| Value::Change(token.day.price_change);
    "txns_24h_buys", Count, "purchases in 24 hours", in METRICS | EMPEROR | RECORD => |token| Value::Count(token.day.buys);
    "txns_24h_sells", Count, "sales in 24 hours", in METRICS | EMPEROR | RECORD => |token| Value::Count(token.day.sells);
    "volume_1h", Figure, "trading volume of an hour", in EMPEROR | RECORD => |token| Value::Figure(token.hour.volume);
    "price_change_1h", Change, "change of the price in an hour, percent", in EMPEROR | RECORD => |token| Value::Change(token.hour.price_change);
    "txns_1h_buys", Count, "purchases in an hour", in EMPEROR | RECORD => |token| Value::Count(token.hour.buys);
    "txns_1h_sells", Count, "sales in an hour", in EMPEROR | RECORD => |token| Value::Count(token.hour.sells);
    "txns_total", Count, "trades ever", in RECORD => |token| Value::Count(token.trade_count);
    "total_holders", Count, "accounts that hold the token", in LIST | OWNER | HOLDERS | EMPEROR | RECORD => |token| Value::Count(token.holders);
    "top_10_percentage", Percentage, "percent of the supply that the ten largest holders have", in HOLDERS | EMPEROR | RECORD => |token| Value::Figure(token.top_ten);
    "dev_holding_percentage", Percentage, "percent of the supply that the developer has", in HOLDERS | EMPEROR | RECORD => |token| Value::Figure(token.developer);
    "is_graduated", Flag, "whether funding is complete", in OWNER | BATCH | RECORD => |token| Value::Flag(token.is_graduated());
    "version", Version, "generation of the contracts", in RECORD => |token| Value::Text(VERSIONS[usize::from(!is_v1(token))]);
    "chain_id", Chain, "chain of the token", in RECORD => |token| Value::Count(token.birth.chain_id);
    "hook_address", Address, "launch hook, or the V1 token factory", in RECORD => |token| Value::Address(token.launch.hook);
    "launch_id", OptionalCount, "number of the launch on its hook", in RECORD => |token| launched(token, token.launch.launch_id);
    "target_raise", Units, "what the launch is to raise, smallest units", in RECORD => |token| Value::Owned(token.launch.target_raise.to_string());
    "gain_bps", OptionalCount, "how far the price rises on the curve, basis points", in RECORD => |token| launched(token, token.launch.gain_bps);
    "creator_fee_split_bps", OptionalCount, "creator share of the variable fee, basis points", in RECORD => |token| launched(token, token.creator_fee_split_bps);
    "anti_snipe_seconds", OptionalCount, "how long trades need a captcha proof", in RECORD => |token| launched(token, token.launch.anti_snipe_seconds);
    "start_time", OptionalCount, "when trading starts, Unix seconds", in RECORD => |token| launched(token, token.launch.start_time);
    "transaction_hash", Hash, "creating transaction", in RECORD => |token| Value::Owned(token.launch.transaction.to_string());
    "block_number", Count, "its block", in RECORD => |token| Value::Count(token.birth.block);
    "pool", Pool, "pool or pair after graduation", in RECORD => |token| match token.pool {
        Some(Pool::Managed(id)) => Value::Owned(id.to_string()),
        Some(Pool::Pair(pair)) => Value::Address(pair),
        None => Value::Nothing,
    };
    "quote_asset", OptionalAddress, "what the launch is sold for; null for the native coin", in RECORD => |token| Value::OptionalAddress(token.launch.quote_asset);
    "quote_asset_symbol", OptionalText, "its symbol", in RECORD => |token| quoted(token, |asset| Value::Text(&asset.symbol));
    "quote_asset_name", OptionalText, "its name", in RECORD => |token| quoted(token, |asset| Value::Text(&asset.name));
    "quote_asset_decimals", OptionalCount, "its decimals", in RECORD => |token| quoted(token, |asset| Value::Count(asset.decimals.into()));
    "quote_asset_price_eth", OptionalFigure, "price of that asset in ETH", in RECORD => |token| quoted(token, |asset| Value::Figure(Figure::of_units(asset.price)));
    "market_cap_in_asset", OptionalFigure, "market capitalization in that asset", in RECORD => |token| in_asset(token, token.market_cap_in_asset);
    "price_in_asset", OptionalFigure, "current price in that asset", in RECORD => |token| in_asset(token, token.price_in_asset);
    "volume_24h_in_asset", OptionalFigure, "trading volume of 24 hours in that asset", in RECORD => |token| in_asset(token, token.day.volume_in_asset);
    "volume_1h_in_asset", OptionalFigure, "trading volume of an hour in that asset", in RECORD => |token| in_asset(token, token.hour.volume_in_asset);
};

impl ValueKind {
    fn schema(self, generator: &mut SchemaGenerator) -> Schema {
        match self {
            Self::Text => json_schema!({ "type": "string" }),
            Self::OptionalText => json_schema!({ "type": ["string", "null"] }),
            Self::Moment => generator.subschema_for::<Instant>(),
            Self::Address => generator.subschema_for::<AddressText>(),
            Self::OptionalAddress => generator.subschema_for::<Option<AddressText>>(),
            Self::Units => generator.subschema_for::<Units>(),
            Self::Hash => generator.subschema_for::<Hash>(),
            Self::Pool => json_schema!({
                "anyOf": [
                    generator.subschema_for::<Hash>(),
                    generator.subschema_for::<AddressText>(),
                    { "type": "null" }
                ]
            }),
            Self::Version => json_schema!({ "type": "string", "enum": VERSIONS }),
            Self::Chain => json_schema!({ "type": "integer", "enum": CHAINS }),
            Self::Figure => json_schema!({ "type": "number", "minimum": 0 }),
            Self::Share => json_schema!({ "type": "number", "minimum": 0, "maximum": 1 }),
            Self::Percentage => json_schema!({ "type": "number", "minimum": 0, "maximum": 100 }),
            Self::Change => json_schema!({ "type": "number" }),
            Self::Count => json_schema!({ "type": "integer", "minimum": 0 }),
            Self::OptionalCount => json_schema!({ "type": ["integer", "null"], "minimum": 0 }),
            Self::OptionalFigure => json_schema!({ "type": ["number", "null"], "minimum": 0 }),
            Self::Flag => json_schema!({ "type": "boolean" }),
        }
    }
}

/// A token in some of the answers: fields of `ALWAYS` are required, those of `SOMETIMES` optional.
pub(super) struct Shown<const ALWAYS: u8, const SOMETIMES: u8 = 0>;

impl<const ALWAYS: u8, const SOMETIMES: u8> JsonSchema for Shown<ALWAYS, SOMETIMES> {
    fn schema_name() -> Cow<'static, str> {
        match ALWAYS {
            LIST => "ListedToken",
            OWNER => "OwnedToken",
            BATCH => "BatchedToken",
            EMPEROR => "EmperorToken",
            _ => "TokenRecord",
        }
        .into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for field in FIELDS.iter().filter(|field| field.answers & (ALWAYS | SOMETIMES) != 0) {
            let mut schema = field.kind.schema(generator);
            schema.insert("description".to_owned(), field.meaning.into());
            properties.insert(field.name.to_owned(), schema.into());
            if field.answers & ALWAYS != 0 {
                required.push(field.name);
            }
        }
        json_schema!({ "type": "object", "properties": properties, "required": required })
    }
}

fn is_v1(token: &TokenView) -> bool {
    token.launch.version == Version::V1
}

/// A value that only launches of the second version have.
fn launched(token: &TokenView, value: impl Into<u64>) -> Value<'_> {
    if is_v1(token) { Value::Nothing } else { Value::Count(value.into()) }
}

/// A value that only launches with a quote asset other than the native coin have.
fn quoted(token: &TokenView, value: for<'a> fn(&'a QuoteAsset) -> Value<'a>) -> Value<'_> {
    token.quote_asset.as_ref().map_or(Value::Nothing, value)
}

/// A figure in the quote asset of a launch; absent for the native coin, which the other figures are in.
fn in_asset(token: &TokenView, figure: Figure) -> Value<'_> {
    if token.quote_asset.is_some() { Value::Figure(figure) } else { Value::Nothing }
}

pub(super) struct TokenRow<'a> {
    token: &'a TokenView,
    answers: u8,
}

/// Tokens with the fields of these answers.
pub(super) fn rows(tokens: &[TokenView], answers: u8) -> Vec<TokenRow<'_>> {
    tokens.iter().map(|token| row(token, answers)).collect()
}

/// One token with the fields of these answers.
pub(super) fn row(token: &TokenView, answers: u8) -> TokenRow<'_> {
    TokenRow { token, answers }
}

impl Serialize for TokenRow<'_> {
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
