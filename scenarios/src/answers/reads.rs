//! Reads of a world's endpoints: one request, every page of the list, and the recent launches of a chain.
use std::collections::BTreeMap;
use std::fmt;

use alloy::primitives::Address;
use alloy::rpc::types::TransactionReceipt;
use axum::body::Bytes;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use url::Url;

use crate::answers::members::{array_instead, members_within};
use crate::answers::pages::{self, Page, Paging};
use crate::client::message::{Request, Response};
pub(crate) use crate::client::paths::{
    BATCH, CAPABILITIES, CHAT, EOTI, KOTI, LEADERBOARD, LIST, OWNER, PAIRS, QUOTE, QUOTE_ASSETS, RECENT,
    REFERRAL_STATS, REFERRERS, TOKEN,
};
use crate::model::figure::Figure;
use crate::model::moment;
use crate::model::seed::Choices;
use crate::model::target::{CHAINS, Need};
use crate::model::verdict::{Inconclusive, Verdict};
use crate::trial::Trial;

/// Whether an answer of the Emperor or the King has no token. The interface leaves its status and body open, and bids may still be in it.
pub(crate) fn has_no_token(response: &Response) -> bool {
    let is_token =
        |body: &Value| body.as_object().is_some_and(|members| members.keys().any(|name| name != "bidData"));
    !response.status.is_server_error()
        && (!response.status.is_success() || !response.json().is_some_and(|body| is_token(&body)))
}

/// Returns the record of a token wherever it is in an answer; the whole answer if it has no such record.
pub(crate) fn record(body: &Value, address: Address) -> Value {
    let is_record =
        |value: &&Value| value["address"].as_str().and_then(|text| text.parse().ok()) == Some(address);
    let inner = members_within(body).into_iter().map(|(_, member)| member);
    std::iter::once(body).chain(inner).find(is_record).unwrap_or(body).clone()
}

/// Up to this many pages of the list are all read; a longer list is sampled.
const MOST_PAGES: u64 = 60;

pub(crate) type Params = [(&'static str, String)];
pub(crate) type Query = Vec<(&'static str, String)>;

pub(crate) fn param(name: &'static str, value: impl Into<String>) -> (&'static str, String) {
    (name, value.into())
}

pub(crate) fn get(origin: &Url, path: &str, query: &Params) -> Request {
    let pairs: Vec<(&str, &str)> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
    Request::get(origin, path, &pairs)
}

/// Returns an address in lower case, in upper case and with its checksum.
pub(crate) fn spellings(address: Address) -> [String; 3] {
    let lower = format!("{address:#x}");
    let upper = format!("0x{}", lower[2..].to_uppercase());
    [lower, upper, address.to_checksum(None)]
}

impl Trial<'_> {
    /// Sends a request, and sends it again in time if a limit refuses it.
    /// A read that is never answered although the service takes its connections breaks the clause.
    pub(crate) async fn request(&self, request: Request) -> Verdict<Response> {
        let (is_read, line) = (request.method.is_safe(), request.reproduce());
        match self.http().send(request).await {
            Err(Inconclusive::Dropped { .. }) if is_read => {
                Err(self.failure(&line, "an answer", "the connection is closed without an answer"))
            }
            answered => Ok(answered?),
        }
    }

    /// Returns the platform's time in Unix seconds: from its control plane, else from its leaderboard and the newest block.
    pub(crate) async fn now(&self) -> Verdict<u64> {
        if let Ok(control) = self.control() {
            match control.now().await {
                Err(Inconclusive::NoCall { .. }) => {}
                now => return Ok(now?),
            }
        }
        let (block, told) = self.clocks().await?;
        Ok(told.unwrap_or_default().max(block))
    }

    /// Returns the time of the newest block and, if the leaderboard tells it, that of the platform, in Unix seconds.
    pub(crate) async fn clocks(&self) -> Verdict<(u64, Option<u64>)> {
        // Answers that other checks have read are from an earlier second.
        let world = self.alone();
        let this = self.within(&world);
        let mut told = None;
        if self.has(Need::Rest) {
            let board = this.read(LEADERBOARD, &[]).await?.json().unwrap_or_default();
            let updated = board["updated_at"].as_str().and_then(moment::seconds);
            told = updated.and_then(|updated| u64::try_from(updated).ok());
        }
        let mut newest = 0;
        for chain_id in CHAINS {
            if let Ok(chain) = this.chain(chain_id) {
                newest = newest.max(chain.head().await?.header.timestamp);
            }
        }
        Ok((newest, told))
    }

    /// Returns choices that differ from those of earlier runs with the same seed, because they also depend on the platform's time.
    pub(crate) async fn new_choices(&self, label: &str) -> Verdict<Choices> {
        Ok(self.choices(&format!("{label}-{}", self.now().await?)))
    }

    /// Runs a judgement, then reverts to a checkpoint if the control plane has checkpoints: a clock that stays moved by days would have
    /// left behind the Emperor's day and every one-day window.
    pub(crate) async fn undone(&self, judged: impl Future<Output = Verdict>) -> Verdict {
        let control = self.control()?;
        let checkpoint = control.checkpoint().await.ok();
        let verdict = judged.await;
        if let Some(checkpoint) = checkpoint {
            self.reverted(&control, &checkpoint).await?;
        }
        verdict
    }

    pub(crate) async fn read(&self, path: &str, query: &Params) -> Verdict<Response> {
        self.request(get(self.rest()?, path, query)).await
    }

    /// Sends a GET to the REST service, which must answer 200 with a JSON body.
    pub(crate) async fn read_json(&self, path: &str, query: &Params) -> Verdict<(Response, Value)> {
        self.with_json(self.read(path, query).await?)
    }

    pub(crate) async fn batch(&self, body: &Value) -> Verdict<Response> {
        self.request(Request::post_json(self.rest()?, BATCH, body)).await
    }

    /// Reads a token by its address; returns the answer and the record in it.
    pub(crate) async fn token(&self, address: Address) -> Verdict<(Response, Value)> {
        let (response, body) = self.read_json(TOKEN, &[param("address", address.to_string())]).await?;
        Ok((response, record(&body, address)))
    }

    /// Like [`Trial::token`], once the service has seen a transaction. If it does not report its height, repeats until the record is
    /// accepted.
    pub(crate) async fn token_after(
        &self,
        chain_id: u64,
        receipt: &TransactionReceipt,
        address: Address,
        accept: impl Fn(&Value) -> bool,
    ) -> Verdict<(Response, Value)> {
        let request = get(self.rest()?, TOKEN, &[param("address", address.to_string())]);
        let block = receipt.block_number.unwrap_or_default();
        let accept = |response: &Response| {
            response.status.is_success()
                && response.json().is_some_and(|body| accept(&record(&body, address)))
        };
        let (response, body) =
            self.with_json(self.request_settled(chain_id, block, &request, accept).await?)?;
        Ok((response, record(&body, address)))
    }
}

/// A row of a list whose numbers are kept as they were written.
#[derive(Deserialize)]
pub(crate) struct RawRow(BTreeMap<String, Box<RawValue>>);

/// Prints its JSON, as in a report.
impl fmt::Debug for RawRow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&serde_json::to_string(&self.0).map_err(|_| fmt::Error)?)
    }
}

impl RawRow {
    pub(crate) fn raw(&self, name: &str) -> Option<&RawValue> {
        self.0.get(name).map(AsRef::as_ref)
    }

    /// Returns each member by its name, as it was written.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, raw)| (name.as_str(), raw.get()))
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.raw(name)?.get()).ok()
    }

    pub(crate) fn figure(&self, name: &str) -> Option<Figure> {
        Figure::parse(self.raw(name)?.get())
    }

    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        serde_json::from_str(self.raw(name)?.get()).ok()
    }

    pub(crate) fn address(&self, name: &str) -> Option<Address> {
        self.text(name)?.parse().ok()
    }

    /// Returns the first member that is an object with an address: the address, and the object as it was written.
    pub(crate) fn inner_token(&self) -> Option<(Address, &str)> {
        let mut objects = self.0.values().map(|raw| raw.get());
        objects.find_map(|text| {
            let row: Self = serde_json::from_str(text).ok()?;
            Some((row.address("address")?, text))
        })
    }

    /// Returns a member that is a point in time, in nanoseconds since 1970.
    pub(crate) fn moment(&self, name: &str) -> Option<i128> {
        moment::nanoseconds(&self.text(name)?)
    }
}

/// A page of the list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListPage {
    pub(crate) tokens: Vec<RawRow>,
    /// The number of matching tokens on all pages.
    pub(crate) total_count: u64,
    pub(crate) total_pages: u64,
}

impl Page for (Response, ListPage) {
    fn rows(&self) -> usize {
        self.1.tokens.len()
    }

    /// Also counts by the rows of the page, so that a wrong totalPages hides no token.
    fn pages(&self) -> u64 {
        let full = u64::try_from(self.rows()).unwrap_or(u64::MAX).max(1);
        self.1.total_count.div_ceil(full).max(self.1.total_pages.min(MOST_PAGES))
    }
}

/// All pages of one query of the list, or a sample.
#[derive(Debug)]
pub(crate) struct Walk {
    /// The answer with the first page.
    pub(crate) first: Response,
    pub(crate) whole: bool,
    /// Addresses in page order.
    pub(crate) addresses: Vec<Address>,
    /// The number of each page that was read, with its number of tokens.
    pub(crate) pages: Vec<(u64, usize)>,
    /// The bodies of all pages, to detect changes.
    pub(crate) bodies: Vec<Bytes>,
    pub(crate) total_count: u64,
    pub(crate) total_pages: u64,
}

/// Returns a member of a row that must be a number.
pub(crate) fn figure(trial: &Trial<'_>, response: &Response, row: &RawRow, name: &str) -> Verdict<Figure> {
    row.figure(name).ok_or_else(|| trial.failure(response, format!("{name} as a number"), response.excerpt()))
}

/// Decodes a body as a page of the list.
pub(crate) fn page(trial: &Trial<'_>, response: &Response) -> Verdict<ListPage> {
    const EXPECTED: &str = "tokens (objects), totalCount and totalPages (whole numbers)";
    // Serde would read the fields from an array in their order.
    if response.code() == 200 && response.body.trim_ascii_start().starts_with(b"[") {
        return Err(trial.failure(response, EXPECTED, array_instead(response)));
    }
    trial.decoded(response, EXPECTED)
}

pub(crate) fn addresses(trial: &Trial<'_>, response: &Response, rows: &[RawRow]) -> Verdict<Vec<Address>> {
    rows.iter()
        .map(|row| {
            row.address("address")
                .ok_or_else(|| trial.failure(response, "an address in every token", response.excerpt()))
        })
        .collect()
}

/// Reads every page of a query of the list, or a sample if there are many.
pub(crate) async fn walk(trial: &Trial<'_>, query: &Query) -> Verdict<Walk> {
    let pages = pages::walk(trial, Paging::Number, MOST_PAGES, |number| async move {
        let mut query = query.clone();
        query.extend((number > 1).then(|| param("page", number.to_string())));
        let response = trial.read(LIST, &query).await?;
        let page = page(trial, &response)?;
        Ok((response, page))
    });
    let pages = pages.await?;
    let mut read = pages.read.into_iter();
    let (_, (first, head)) = read.next().expect("the first page is always read");
    let totals = (head.total_count, head.total_pages);
    let mut walk = Walk {
        whole: pages.whole,
        addresses: addresses(trial, &first, &head.tokens)?,
        pages: vec![(1, head.tokens.len())],
        bodies: vec![first.body.clone()],
        total_count: head.total_count,
        total_pages: head.total_pages,
        first,
    };
    for (number, (response, next)) in read {
        let reported = (next.total_count, next.total_pages);
        trial.require_equal(&response, "totalCount and totalPages of every page", &totals, &reported)?;
        walk.addresses.extend(addresses(trial, &response, &next.tokens)?);
        walk.pages.push((number, next.tokens.len()));
        walk.bodies.push(response.body);
    }
    Ok(walk)
}

/// A page of the recent launches of a chain.
#[derive(Debug)]
pub(crate) struct RecentPage {
    pub(crate) response: Response,
    pub(crate) tokens: Vec<Value>,
    next: Option<u64>,
}

impl Page for RecentPage {
    fn rows(&self) -> usize {
        self.tokens.len()
    }

    fn next_offset(&self) -> Option<u64> {
        self.next
    }
}

/// Builds the query for a page of recent launches.
pub(crate) fn recent(chain: u64, limit: Option<usize>, offset: Option<usize>) -> Query {
    let mut query = vec![param("chainId", chain.to_string())];
    query.extend(limit.map(|limit| param("limit", limit.to_string())));
    query.extend(offset.map(|offset| param("offset", offset.to_string())));
    query
}

pub(crate) async fn recent_page(trial: &Trial<'_>, query: &Query) -> Verdict<RecentPage> {
    let (response, body) = trial.read_json(RECENT, query).await?;
    let tokens = trial.tokens(&response, &body)?.clone();
    Ok(RecentPage { next: body["nextOffset"].as_u64(), tokens, response })
}

/// The most launches of a chain that a walk reads; of more, only the newest are read.
pub(crate) const MOST_WALKED: usize = 2_000;
/// Rows of a page if the request has no limit.
const RECENT_ROWS: usize = 10;

/// Reads the recent launches of a chain, newest first, in pages of `limit` rows.
pub(crate) async fn walk_recent(
    trial: &Trial<'_>,
    chain: u64,
    limit: Option<usize>,
) -> Verdict<Vec<RecentPage>> {
    let most = MOST_WALKED / limit.unwrap_or(RECENT_ROWS).max(1) + 1;
    let pages = pages::walk(trial, Paging::NextOffset, most as u64, |offset| async move {
        let offset = Some(usize::try_from(offset).unwrap_or(usize::MAX)).filter(|offset| *offset > 0);
        recent_page(trial, &recent(chain, limit, offset)).await
    });
    Ok(pages.await?.read.into_iter().map(|(_, page)| page).collect())
}
