//! The figures of tokens: each field on each endpoint that shows it equals the ledger.
use std::collections::BTreeMap;
use std::sync::Arc;

use alloy::primitives::Bytes;
use num_bigint::BigInt;
use num_rational::BigRational;
use serde_json::value::RawValue;

use super::shown::{Shown, every_token, of_each, records};
use super::timed::seconds;
use crate::answers::fields::{self, TokenField};
use crate::answers::reads::RawRow;
use crate::model::bounds::Bounds;
use crate::model::figure::Figure;
use crate::model::moment;
use crate::prelude::*;
use crate::truth::ledger::launch::{Asset, LaunchPool};
use crate::truth::ledger::{Launch, Ledger, Side};
use crate::truth::steady::on_steady;

const HOUR: u64 = 3_600;
const DAY: u64 = 86_400;

/// The expected value of a field.
#[derive(Clone, Debug)]
enum Expected {
    /// One of these values, as written in JSON.
    OneOf(&'static [&'static str]),
    Text(String),
    /// An address or a hash.
    Bytes(Bytes),
    Number(Bounds),
    /// Unix seconds, written as ISO 8601.
    Moment(u64),
    /// The chain could not be read far enough.
    Unknown,
}

/// Judges every field that the running check's clause covers, on every endpoint that shows it, by the chain.
pub(super) async fn fields_of_its_clause(trial: &Trial<'_>, ledger: &Ledger) -> Verdict {
    let own: Vec<_> = fields::tokens().filter(|field| field.clause == trial.check.clause.id).collect();
    for shown in of_each(&every_token(trial, ledger).await?.shown) {
        let mut exact = Exact::default();
        for one in shown {
            if let Some(launch) = trial.part(of_ledger(trial, ledger, one))?.flatten() {
                let row = one.row();
                own.iter().try_for_each(|field| agrees(trial, field, (one, &row), launch, &mut exact))?;
            }
        }
    }
    Ok(())
}

/// The expected fields of one token, computed once per second.
type Exact = BTreeMap<(&'static str, u64), Expected>;

/// Every field of a shown token equals the chain, each judged by the clause that covers it.
pub(super) fn agrees_in_all(trial: &Trial<'_>, shown: &Shown, launch: &Launch) -> Verdict {
    let (row, mut exact) = (shown.row(), Exact::default());
    fields::tokens().try_for_each(|field| agrees(trial, field, (shown, &row), launch, &mut exact))
}

fn agrees(
    trial: &Trial<'_>,
    field: &TokenField,
    (shown, row): (&Shown, &RawRow),
    launch: &Launch,
    exact: &mut Exact,
) -> Verdict {
    let name = field.name;
    let own = |second| move || expected(name, launch, second);
    let Some(raw) = row.raw(name) else { return Ok(()) };
    // The answer can have been made in any second of its window.
    if seconds(shown.window).any(|second| exact.entry((name, second)).or_insert_with(own(second)).is(raw)) {
        return Ok(());
    }
    let trial = trial.by(crate::clause(field.clause).expect("every field names a clause"));
    let expected = expected(name, launch, shown.window.1);
    let expected = format!("{name} = {expected} for {} ({})", shown.address, shown.endpoint);
    trial.require_or(&*shown.response, false, &expected, || format!("{name} = {raw}"))
}

/// Judges the record of each of these launched tokens by the chain. A wrong figure breaks the clause that covers it.
pub(crate) async fn records_hold(trial: &Trial<'_>, tokens: Vec<Address>) -> Verdict {
    let tokens: Arc<[Address]> = tokens.into();
    let verdict = on_steady::<Ledger, _>(trial, move |trial, ledger| {
        let tokens = Arc::clone(&tokens);
        Box::pin(async move {
            for shown in records(trial, &tokens).await? {
                if let Some(launch) = of_ledger(trial, ledger, &shown)? {
                    agrees_in_all(trial, &shown, launch)?;
                }
            }
            Ok(())
        })
    });
    as_far_as_read(verdict.await)
}

/// Passes a skipped verdict: what could be read of the chains was judged.
pub(super) fn as_far_as_read(verdict: Verdict) -> Verdict {
    match verdict {
        Err(Stop::Skipped(_)) => Ok(()),
        other => other,
    }
}

/// Returns the launch of a shown token; `None` if its chain could not be read completely.
pub(super) fn of_ledger<'a>(
    trial: &Trial<'_>,
    ledger: &'a Ledger,
    shown: &Shown,
) -> Verdict<Option<&'a Launch>> {
    match ledger.token(shown.address) {
        None if ledger.is_whole() => {
            let actual = format!("{} was launched by no deployment", shown.address);
            Err(trial.failure(&*shown.response, "tokens that were launched", actual))
        }
        found => Ok(found),
    }
}

impl Expected {
    fn is(&self, raw: &RawValue) -> bool {
        let text = || serde_json::from_str::<String>(raw.get()).ok();
        match self {
            Self::OneOf(expected) => expected.contains(&raw.get()),
            Self::Text(expected) => text().as_ref() == Some(expected),
            Self::Bytes(expected) => text().and_then(|text| text.parse().ok()).as_ref() == Some(expected),
            Self::Number(bounds) => Figure::parse(raw.get()).is_some_and(|shown| bounds.shown_by(&shown)),
            Self::Moment(expected) => {
                // Blocks have no time within their second.
                text().and_then(|text| moment::seconds(&text)) == Some(i128::from(*expected))
            }
            Self::Unknown => true,
        }
    }

    const NULL: Self = Self::OneOf(&["null"]);

    fn bytes(bytes: &[u8]) -> Self {
        Self::Bytes(Bytes::copy_from_slice(bytes))
    }

    /// A missing link is null or an empty text.
    fn link(text: &str) -> Self {
        if text.is_empty() { Self::OneOf(&["null", "\"\""]) } else { Self::Text(text.to_owned()) }
    }

    fn whole(number: impl Into<BigInt>) -> Self {
        Self::Number(Bounds::exact(BigRational::from_integer(number.into())))
    }

    fn known(number: Option<Bounds>) -> Self {
        number.map_or(Self::Unknown, Self::Number)
    }
}

impl std::fmt::Display for Expected {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OneOf(values) => formatter.write_str(&values.join(" or ")),
            Self::Text(text) => write!(formatter, "{text:?}"),
            Self::Bytes(bytes) => write!(formatter, "{bytes}"),
            Self::Number(bounds) => write!(formatter, "{bounds}"),
            Self::Moment(seconds) => {
                formatter.write_str(&moment::text(i64::try_from(*seconds).unwrap_or_default()))
            }
            Self::Unknown => formatter.write_str("unknown"),
        }
    }
}

/// Returns the expected value of a token's field at a second.
fn expected(field: &str, launch: &Launch, second: u64) -> Expected {
    let texts = &launch.texts;
    match field {
        "price_eth" => Expected::known(launch.in_ether(launch.price())),
        "market_cap" => Expected::known(launch.in_ether(launch.market_cap())),
        "funding_progress" => Expected::Number(Bounds::exact(launch.progress())),
        "is_graduated" => Expected::OneOf(if launch.is_graduated() { &["true"] } else { &["false"] }),
        "volume_24h" => Expected::known(launch.in_ether(launch.volume(second, DAY))),
        "volume_1h" => Expected::known(launch.in_ether(launch.volume(second, HOUR))),
        "price_in_asset" => in_asset(launch, launch.price()),
        "market_cap_in_asset" => in_asset(launch, launch.market_cap()),
        "volume_24h_in_asset" => in_asset(launch, launch.volume(second, DAY)),
        "volume_1h_in_asset" => in_asset(launch, launch.volume(second, HOUR)),
        "price_change_24h" => Expected::Number(launch.change(second, DAY)),
        "price_change_1h" => Expected::Number(launch.change(second, HOUR)),
        "txns_24h_buys" => Expected::Number(launch.count(second, DAY, Side::Buy)),
        "txns_24h_sells" => Expected::Number(launch.count(second, DAY, Side::Sell)),
        "txns_1h_buys" => Expected::Number(launch.count(second, HOUR, Side::Buy)),
        "txns_1h_sells" => Expected::Number(launch.count(second, HOUR, Side::Sell)),
        "txns_total" => Expected::whole(launch.trades.len()),
        "total_holders" => Expected::whole(launch.holders().len()),
        "top_10_percentage" => Expected::Number(Bounds::exact(launch.top_percentage())),
        "dev_holding_percentage" => Expected::Number(Bounds::exact(launch.creator_percentage())),
        "name" => Expected::Text(texts.name.clone()),
        "ticker" => Expected::Text(texts.ticker.clone()),
        "description" => Expected::Text(texts.description.clone()),
        "image_url" => Expected::Text(texts.imageUrl.clone()),
        "messenger" => Expected::link(&texts.messenger),
        "microblog" => Expected::link(&texts.microblog),
        "website" => Expected::link(&texts.website),
        "address" => Expected::bytes(launch.token.as_slice()),
        "owner" => Expected::bytes(launch.creator.as_slice()),
        "created_at" => Expected::Moment(launch.created.time),
        "block_number" => Expected::whole(launch.created.block),
        "transaction_hash" => Expected::bytes(launch.created.transaction.as_slice()),
        _ => of_record(field, launch),
    }
}

/// Returns a figure in the launch's quote asset; null for the native coin.
fn in_asset(launch: &Launch, figure: Bounds) -> Expected {
    if launch.asset.is_some() { Expected::Number(figure) } else { Expected::NULL }
}

/// Returns the expected value of a field of the full record.
fn of_record(field: &str, launch: &Launch) -> Expected {
    let v2 = launch.v2.as_ref();
    let of_v2 = |number: Option<BigInt>| number.map_or(Expected::NULL, Expected::whole);
    match field {
        "version" => Expected::Text(if v2.is_some() { "v2" } else { "v1" }.to_owned()),
        "chain_id" => Expected::whole(launch.chain_id),
        // Only launches of V2 contracts have a hook.
        "hook_address" => v2.map_or(Expected::Unknown, |_| Expected::bytes(launch.hook.as_slice())),
        "target_raise" => Expected::Text(launch.target.to_string()),
        "launch_id" => of_v2(v2.map(|(id, _)| crate::truth::reference::integer(*id))),
        "gain_bps" => of_v2(v2.map(|(_, state)| state.gainBps.into())),
        "creator_fee_split_bps" => of_v2(v2.map(|(_, state)| state.creatorFeeSplitBps.into())),
        "anti_snipe_seconds" => of_v2(v2.map(|(_, state)| state.antiSnipeDuration.into())),
        "start_time" => of_v2(v2.map(|(_, state)| state.launchTime.into())),
        "pool" => match launch.pool {
            None => Expected::NULL,
            Some(LaunchPool::V4(pool)) => Expected::bytes(pool.as_slice()),
            Some(LaunchPool::Pair(pair)) => Expected::bytes(pair.as_slice()),
        },
        _ => launch.asset.as_ref().map_or(Expected::NULL, |asset| of_asset(field, asset)),
    }
}

/// Returns the expected value of a field of the launch's quote asset.
fn of_asset(field: &str, asset: &Asset) -> Expected {
    match field {
        "quote_asset" => Expected::bytes(asset.address.as_slice()),
        "quote_asset_symbol" => Expected::Text(asset.described.symbol.clone()),
        "quote_asset_name" => Expected::Text(asset.described.name.clone()),
        "quote_asset_price_eth" => Expected::known(asset.price.clone().map(Bounds::exact)),
        "quote_asset_decimals" => Expected::whole(asset.described.decimals),
        other => {
            unreachable!("{other} is in docs/reference/meaning.md and has no second source in {}", file!())
        }
    }
}
