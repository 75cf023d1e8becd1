//! The market as seen from outside at one time: every token of the unfiltered list, or of a sample of a long one, with its figures from a
//! batch, or from its record where the service has no batches. Expected results of filters and orders are computed from it.
pub(crate) mod activity;
pub(crate) mod filter;
pub(crate) mod order;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::Address;
use axum::body::Bytes;
use serde::Deserialize;
use serde_json::json;

use crate::answers::reads::{RawRow, TOKEN, param, walk};
use crate::client::message::ABSENT;
use crate::model::figure::Figure;
use crate::model::verdict::{Verdict, no_material};
use crate::trial::Trial;
use crate::truth::steady::{Snapshot, prerequisite};

/// Most addresses of one batch.
const BATCH_SIZE: usize = 50;
/// Most tokens that are read one by one.
const MOST_RECORDS: usize = 200;

/// A token with the values of the list and of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) address: Address,
    /// As written in the answer.
    pub(crate) address_text: String,
    pub(crate) owner: Address,
    /// As written in the answer.
    pub(crate) owner_text: String,
    pub(crate) name: String,
    pub(crate) ticker: String,
    pub(crate) description: String,
    /// In nanoseconds since 1970.
    pub(crate) created: i128,
    pub(crate) market_cap: Figure,
    pub(crate) funding_progress: Figure,
    pub(crate) volume: Figure,
    /// Trades in the last day.
    pub(crate) trades: Figure,
    pub(crate) graduated: bool,
    /// Whether it has a link to a messenger, a microblog and a website.
    pub(crate) links: [bool; 3],
}

/// All tokens, or those on a sample of the pages of a long list, by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Market {
    tokens: BTreeMap<Address, Token>,
    whole: bool,
}

/// The addresses of the unfiltered list, or of a sample of its pages, and the bodies of the pages to detect changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listing {
    pub(crate) addresses: BTreeSet<Address>,
    /// Whether every page was read.
    pub(crate) whole: bool,
    bodies: Vec<Bytes>,
}

impl Listing {
    /// Ends the check without a verdict if no token is listed.
    pub(crate) fn some(&self) -> Verdict {
        if self.addresses.is_empty() {
            return Err(no_material("no token is listed"));
        }
        Ok(())
    }

    pub(crate) fn knows(&self, address: &Address) -> bool {
        self.addresses.contains(address)
    }
}

#[derive(Deserialize)]
struct Found {
    tokens: Vec<RawRow>,
}

impl Market {
    async fn read_listed(trial: &Trial<'_>) -> Verdict<Self> {
        let listed = walk(trial, &Vec::new()).await?;
        let mut market = Self { tokens: BTreeMap::new(), whole: listed.whole };
        market.add(trial, &listed.addresses).await?;
        let count = u64::try_from(market.len()).is_ok_and(|count| count == listed.total_count);
        if (count || !listed.whole)
            && market.len() == listed.addresses.len()
            && listed.addresses.iter().all(|one| market.tokens.contains_key(one))
        {
            return Ok(market);
        }
        let actual = format!("{} listed, {} distinct ones found", listed.addresses.len(), market.len());
        Err(trial.failure(&listed.first, "every listed token, once", actual))
    }

    /// Reads tokens in batches, or one by one where the service has no batches.
    async fn add(&mut self, trial: &Trial<'_>, addresses: &[Address]) -> Verdict {
        for chunk in addresses.chunks(BATCH_SIZE) {
            let response = trial.batch(&json!({ "addresses": chunk })).await?;
            let has_batches = !ABSENT.contains(&response.code());
            if !has_batches && addresses.len() <= MOST_RECORDS && self.add_records(trial, chunk).await? {
                continue;
            }
            let found: Found = trial.decoded(&response, "token objects")?;
            for row in &found.tokens {
                let token = Token::of(row)
                    .ok_or_else(|| trial.failure(&response, "all fields of a token", format!("{row:?}")))?;
                self.tokens.insert(token.address, token);
            }
        }
        Ok(())
    }

    /// Reads the records of tokens; `false` if the service has none of a token, or not every field in it.
    async fn add_records(&mut self, trial: &Trial<'_>, addresses: &[Address]) -> Verdict<bool> {
        let query = |address: &Address| [param("address", address.to_string())];
        let reads = addresses.iter().map(|address| async { trial.read(TOKEN, &query(address)).await });
        for response in trial.read_all(reads.collect()).await? {
            let Ok(row) = trial.decoded::<RawRow>(&response, "a record") else { return Ok(false) };
            let inner = row.inner_token().and_then(|(_, text)| serde_json::from_str(text).ok());
            let Some(token) = Token::of(&row).or_else(|| Token::of(&inner?)) else { return Ok(false) };
            self.tokens.insert(token.address, token);
        }
        Ok(true)
    }

    /// Returns the market with these tokens too, if only a sample was read.
    pub(crate) async fn with(&self, trial: &Trial<'_>, addresses: &[Address]) -> Verdict<Cow<'_, Self>> {
        if self.whole {
            return Ok(Cow::Borrowed(self));
        }
        let unknown: Vec<Address> =
            addresses.iter().copied().filter(|address| !self.tokens.contains_key(address)).collect();
        let mut market = self.clone();
        market.add(trial, &unknown).await?;
        Ok(Cow::Owned(market))
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Returns all tokens, ordered by address.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = &Token> {
        self.tokens.values()
    }

    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(crate) fn get(&self, address: &Address) -> Option<&Token> {
        self.tokens.get(address)
    }

    /// Returns the tokens that are equal in another reading.
    pub(crate) fn unmoved(&self, after: &Self) -> Self {
        let unmoved = self.tokens().filter(|token| after.get(&token.address) == Some(token));
        let tokens = unmoved.map(|token| (token.address, token.clone())).collect();
        Self { tokens, whole: self.whole }
    }

    /// Ends the check without a verdict if there are too few tokens.
    pub(crate) fn at_least(&self, count: usize) -> Verdict {
        if self.len() >= count {
            return Ok(());
        }
        Err(no_material(format!("{} tokens where {count} are needed", self.len())))
    }

    /// Returns the distinct values of a figure, in ascending order.
    pub(crate) fn distinct(&self, figure: impl Fn(&Token) -> &Figure) -> Vec<Figure> {
        let mut values: Vec<Figure> = self.tokens().map(|token| figure(token).clone()).collect();
        values.sort();
        values.dedup();
        values
    }

    pub(crate) fn owners(&self) -> BTreeMap<Address, Vec<&Token>> {
        let mut owners: BTreeMap<Address, Vec<&Token>> = BTreeMap::new();
        for token in self.tokens() {
            owners.entry(token.owner).or_default().push(token);
        }
        owners
    }
}

impl Token {
    fn of(row: &RawRow) -> Option<Self> {
        let linked = |name: &str| row.text(name).is_some();
        let (buys, sells) = (row.figure("txns_24h_buys")?, row.figure("txns_24h_sells")?);
        Some(Self {
            address: row.address("address")?,
            address_text: row.text("address")?,
            owner: row.address("owner")?,
            owner_text: row.text("owner")?,
            name: row.text("name")?,
            ticker: row.text("ticker")?,
            description: row.text("description")?,
            created: row.moment("created_at")?,
            market_cap: row.figure("market_cap")?,
            funding_progress: row.figure("funding_progress")?,
            volume: row.figure("volume_24h")?,
            trades: Figure::of(buys.value() + sells.value()),
            graduated: row.flag("is_graduated")?,
            links: [linked("messenger"), linked("microblog"), linked("website")],
        })
    }
}

impl Snapshot for Market {
    async fn read(trial: &Trial<'_>) -> Verdict<Self> {
        let trial = &trial.stopping();
        prerequisite(|| Self::read_listed(trial)).await
    }

    fn is_unchanged(&self, after: &Self) -> bool {
        self == after
    }
}

impl Snapshot for Listing {
    async fn read(trial: &Trial<'_>) -> Verdict<Self> {
        let trial = &trial.stopping();
        let walk = prerequisite(|| async { walk(trial, &Vec::new()).await }).await?;
        let addresses = walk.addresses.into_iter().collect();
        Ok(Self { addresses, whole: walk.whole, bodies: walk.bodies })
    }

    fn is_unchanged(&self, after: &Self) -> bool {
        self == after
    }
}
