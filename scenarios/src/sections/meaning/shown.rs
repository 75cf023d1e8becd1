//! Reads what the service shows of tokens: every row of every endpoint that shows tokens, with its response.
use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::answers::pages::{self, Page, Pagination, Paging};
use crate::answers::reads::{BATCH, EOTI, KOTI, LIST, OWNER, RECENT, RawRow, TOKEN, has_no_token};
use crate::model::target::CHAINS;
use crate::prelude::*;
use crate::truth::ledger::{Launch, Ledger};

use super::timed::{TimedReads, Window};

/// Most tokens and owners that are requested one by one; of more, the seed picks some.
const MOST_SINGLE: usize = 120;
/// Most pages of one listing.
const MOST_PAGES: u64 = 2_000;
/// Most addresses of one batch.
const BATCH_SIZE: usize = 50;

/// Endpoints whose record shape the interface leaves open: a record without an address is skipped.
const OPEN: [&str; 2] = [TOKEN, KOTI];

/// One token in one answer of an endpoint.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) endpoint: &'static str,
    pub(super) response: Arc<Response>,
    /// When the answer can have been made.
    pub(super) window: Window,
    pub(super) address: Address,
    /// The row as it was written, a slice of the response.
    text: Bytes,
}

impl Shown {
    pub(super) fn row(&self) -> RawRow {
        serde_json::from_slice(&self.text).expect("it was read as a row before")
    }
}

/// What a platform may treat apart: tokens of a chain and a version, before and after graduation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind {
    chain: u64,
    is_v2: bool,
    is_graduated: bool,
}

impl Kind {
    pub(super) fn of(launch: &Launch) -> Self {
        Self { chain: launch.chain_id, is_v2: launch.v2.is_some(), is_graduated: launch.is_graduated() }
    }
}

/// Groups the rows by token, in the order in which they were read.
pub(super) fn of_each(shown: &[Shown]) -> Vec<Vec<&Shown>> {
    let (mut each, mut places): (Vec<Vec<&Shown>>, BTreeMap<Address, usize>) = Default::default();
    for one in shown {
        let place = *places.entry(one.address).or_insert(each.len());
        if place == each.len() {
            each.push(Vec::new());
        }
        each[place].push(one);
    }
    each
}

/// The rows of every token on every endpoint.
#[derive(Debug)]
pub(super) struct EveryToken {
    pub(super) shown: Vec<Shown>,
    /// Whether the clock moved in the meantime.
    pub(super) moved: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageOfTokens<'a> {
    #[serde(borrow)]
    tokens: Vec<&'a RawValue>,
    #[serde(default)]
    total_pages: u64,
    #[serde(default)]
    pagination: Value,
    #[serde(default)]
    next_offset: Option<u64>,
}

/// The rows of a page, and how to get to the next page.
pub(super) struct Rows {
    pub(super) shown: Vec<Shown>,
    pages: u64,
    next_offset: Option<u64>,
}

impl Page for Rows {
    fn rows(&self) -> usize {
        self.shown.len()
    }

    fn pages(&self) -> u64 {
        self.pages
    }

    fn next_offset(&self) -> Option<u64> {
        self.next_offset
    }
}

/// Reads what every endpoint shows of the tokens at these blocks, once for all checks that share reads.
pub(super) async fn every_token(trial: &Trial<'_>, ledger: &Ledger) -> Verdict<Arc<EveryToken>> {
    trial.http().read_together(&format!("{:?}", ledger.heads), || read_every_token(trial, ledger)).await
}

/// Reads every endpoint that shows tokens.
async fn read_every_token(trial: &Trial<'_>, ledger: &Ledger) -> Verdict<EveryToken> {
    let reads = TimedReads::begin(trial).await?;
    let before = reads.since();
    let mut shown = listed(&reads).await?;
    for chain in CHAINS {
        if ledger.heads.contains_key(&chain) {
            shown.extend(recent(&reads, chain).await?);
        }
    }
    let mut addresses: Vec<Address> = ledger.launches.values().map(|launch| launch.token).collect();
    let mut owners: Vec<Address> = ledger.launches.values().map(|launch| launch.creator).collect();
    for some in [&mut addresses, &mut owners] {
        some.sort_unstable();
        some.dedup();
    }
    shown.extend(batches(&reads, &addresses).await?);
    shown.extend(one_by_one(&reads, &chosen(trial, "meaning-tokens", addresses)).await?);
    let owners = chosen(trial, "meaning-owners", owners);
    let of_owners = owners.into_iter().map(|owner| of_owner(&reads, owner, true)).collect();
    let of_owners = trial.read_all(of_owners).await?;
    shown.extend(of_owners.into_iter().flatten());
    for path in [EOTI, KOTI] {
        let answer = reads.read(path, &[]).await?;
        // A day without a winner and a market without a funding token show no token, with any status.
        if !has_no_token(&answer.0) {
            shown.extend(single(trial, path, answer)?);
        }
    }
    need_material(!shown.is_empty(), "no endpoint shows a token")?;
    let moved = trial.now().await? != before;
    Ok(EveryToken { shown, moved })
}

/// Reads the record of each of these tokens.
pub(super) async fn records(trial: &Trial<'_>, tokens: &[Address]) -> Verdict<Vec<Shown>> {
    one_by_one(&TimedReads::begin(trial).await?, tokens).await
}

async fn record(reads: &TimedReads<'_>, token: Address) -> Verdict<Option<Shown>> {
    let answer = reads.read(TOKEN, &[param("address", token.to_string())]).await?;
    single(&reads.trial, TOKEN, answer)
}

async fn one_by_one(reads: &TimedReads<'_>, tokens: &[Address]) -> Verdict<Vec<Shown>> {
    let records = tokens.iter().map(|token| record(reads, *token)).collect();
    Ok(reads.trial.read_all(records).await?.into_iter().flatten().collect())
}

/// Picks at most [`MOST_SINGLE`] of them by the seed.
fn chosen(trial: &Trial<'_>, label: &str, mut all: Vec<Address>) -> Vec<Address> {
    let mut choices = trial.choices(label);
    while all.len() > MOST_SINGLE {
        let index = choices.index(all.len());
        all.swap_remove(index);
    }
    all
}

async fn listed(reads: &TimedReads<'_>) -> Verdict<Vec<Shown>> {
    let pages = pages::walk(&reads.trial, Paging::Number, MOST_PAGES, |number| async move {
        rows(reads, LIST, &[param("page", number.to_string())]).await
    });
    Ok(pages.await?.read.into_iter().flat_map(|(_, rows)| rows.shown).collect())
}

/// Reads the tokens of an owner, to the last page.
pub(super) async fn of_owner(reads: &TimedReads<'_>, owner: Address, inactive: bool) -> Verdict<Vec<Shown>> {
    let pages = pages::walk(&reads.trial, Paging::Number, MOST_PAGES, |number| async move {
        let query = [
            param("owner", owner.to_string()),
            param("limit", "100"),
            param("includeInactive", inactive.to_string()),
            param("page", number.to_string()),
        ];
        rows(reads, OWNER, &query).await
    });
    Ok(pages.await?.read.into_iter().flat_map(|(_, rows)| rows.shown).collect())
}

async fn recent(reads: &TimedReads<'_>, chain: u64) -> Verdict<Vec<Shown>> {
    let pages = pages::walk(&reads.trial, Paging::NextOffset, MOST_PAGES, |offset| async move {
        let limits = [param("limit", "50"), param("offset", offset.to_string())];
        rows(reads, RECENT, &[&[param("chainId", chain.to_string())], &limits[..]].concat()).await
    });
    Ok(pages.await?.read.into_iter().flat_map(|(_, rows)| rows.shown).collect())
}

async fn batch(reads: &TimedReads<'_>, addresses: &[Address]) -> Verdict<Rows> {
    let posted = Request::post_json(reads.trial.rest()?, BATCH, &json!({ "addresses": addresses }));
    rows_of(&reads.trial, BATCH, reads.answer(posted).await?)
}

async fn batches(reads: &TimedReads<'_>, addresses: &[Address]) -> Verdict<Vec<Shown>> {
    let found = addresses.chunks(BATCH_SIZE).map(|some| batch(reads, some)).collect();
    let found = reads.trial.read_all(found).await?;
    let mut shown: Vec<Shown> = found.into_iter().flat_map(|rows| rows.shown).collect();
    let joined: Vec<String> = addresses.iter().take(BATCH_SIZE).map(ToString::to_string).collect();
    if !joined.is_empty() {
        let answer = reads.read(BATCH, &[param("addresses", joined.join(","))]).await?;
        // The form and shape by GET are left open.
        if answer.0.status.is_success() && serde_json::from_slice::<PageOfTokens<'_>>(&answer.0.body).is_ok()
        {
            shown.extend(rows_of(&reads.trial, BATCH, answer)?.shown);
        }
    }
    Ok(shown)
}

pub(super) async fn rows(reads: &TimedReads<'_>, endpoint: &'static str, query: &Params) -> Verdict<Rows> {
    let answer = reads.read(endpoint, query).await?;
    rows_of(&reads.trial, endpoint, answer)
}

fn rows_of(
    trial: &Trial<'_>,
    endpoint: &'static str,
    (mut response, window): (Response, Window),
) -> Verdict<Rows> {
    trial.http().lighten(&mut response)?;
    let response = Arc::new(response);
    let page: PageOfTokens<'_> = trial.decoded(&response, "tokens (objects)")?;
    let mut shown = Vec::new();
    for row in page.tokens {
        shown.extend(of_text(trial, endpoint, (&response, window), row.get().as_bytes())?);
    }
    let of_owner = serde_json::from_value::<Pagination>(page.pagination);
    let pages = of_owner.map_or(page.total_pages, |pagination| pagination.filled());
    Ok(Rows { shown, pages, next_offset: page.next_offset })
}

fn single(
    trial: &Trial<'_>,
    endpoint: &'static str,
    (response, window): (Response, Window),
) -> Verdict<Option<Shown>> {
    trial.ok_json(&response)?;
    let response = Arc::new(response);
    of_text(trial, endpoint, (&response, window), &response.body)
}

/// Parses a row as it was written; `None` if its endpoint's shape is left open and it shows no token.
pub(super) fn of_text(
    trial: &Trial<'_>,
    endpoint: &'static str,
    (response, window): (&Arc<Response>, Window),
    text: &[u8],
) -> Verdict<Option<Shown>> {
    match serde_json::from_slice::<RawRow>(text) {
        Ok(row) => of_row(trial, endpoint, (response, window), text, &row),
        Err(_) if OPEN.contains(&endpoint) => Ok(None),
        Err(error) => Err(trial.failure(&**response, "a token object", error.to_string())),
    }
}

fn of_row(
    trial: &Trial<'_>,
    endpoint: &'static str,
    (response, window): (&Arc<Response>, Window),
    text: &[u8],
    row: &RawRow,
) -> Verdict<Option<Shown>> {
    let shown = |address: Address, text: Bytes| Shown {
        endpoint,
        response: Arc::clone(response),
        window,
        address,
        text,
    };
    match row.address("address") {
        Some(address) => Ok(Some(shown(address, response.body.slice_ref(text)))),
        // The wrapping of a record is left open as well.
        None if OPEN.contains(&endpoint) => {
            Ok(row.inner_token().map(|(address, inner)| shown(address, inner.to_owned().into())))
        }
        None => Err(trial.failure(&**response, "an address in every token", response.excerpt())),
    }
}
