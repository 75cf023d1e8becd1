//! The market as it shows from outside, once: every token of the unfiltered list with what a batch says of it. What
//! filters and orders must answer is worked out from this.
pub(crate) mod activity;
pub(crate) mod filter;
pub(crate) mod order;

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;

use alloy::primitives::Address;
use serde::Deserialize;
use serde_json::json;

use crate::check::{Differences, Run, Stop, Verdict, no_material};
use crate::expect::figure::Figure;
use crate::reads::{Row, walk};
use crate::trial::Trial;

/// How often a check is tried again on a market that moves.
const ATTEMPTS: usize = 4;
/// Most addresses of one batch.
const BATCH_SIZE: usize = 50;

/// A token as the list and a batch show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) address: Address,
    pub(crate) owner: Address,
    pub(crate) name: String,
    pub(crate) ticker: String,
    pub(crate) description: String,
    /// Nanoseconds since 1970.
    pub(crate) created: i128,
    pub(crate) market_cap: Figure,
    pub(crate) funding_progress: Figure,
    pub(crate) volume: Figure,
    /// Trades of the last day.
    pub(crate) trades: Figure,
    pub(crate) graduated: bool,
    /// Whether it has a messenger, microblog and website link.
    pub(crate) links: [bool; 3],
}

/// All tokens, by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Market {
    tokens: BTreeMap<Address, Token>,
}

/// The addresses of the unfiltered list, and all it says to tell whether it moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listing {
    pub(crate) addresses: BTreeSet<Address>,
    bodies: Vec<Vec<u8>>,
}

impl Listing {
    /// Stops the check when no token is listed.
    pub(crate) fn some(&self) -> Verdict {
        if self.addresses.is_empty() {
            return Err(no_material("no token is listed"));
        }
        Ok(())
    }

    /// Whether a token is listed.
    pub(crate) fn knows(&self, address: &Address) -> bool {
        self.addresses.contains(address)
    }
}

#[derive(Deserialize)]
struct Found {
    tokens: Vec<Row>,
}

impl Market {
    async fn read_listed(trial: &Trial<'_>) -> Verdict<Self> {
        let listed = walk(trial, &Vec::new()).await?;
        let mut tokens = BTreeMap::new();
        for addresses in listed.addresses.chunks(BATCH_SIZE) {
            let response = trial.batch(&json!({ "addresses": addresses })).await?;
            trial.ok_json(&response)?;
            let found: Found = serde_json::from_slice(&response.body)
                .map_err(|error| trial.failure(&response, "token objects", error.to_string()))?;
            for row in &found.tokens {
                let token = Token::of(row)
                    .ok_or_else(|| trial.failure(&response, "all fields of a token", format!("{row:?}")))?;
                tokens.insert(token.address, token);
            }
        }
        let whole = u64::try_from(tokens.len()).is_ok_and(|count| count == listed.total_count);
        if whole
            && tokens.len() == listed.addresses.len()
            && listed.addresses.iter().all(|one| tokens.contains_key(one))
        {
            return Ok(Self { tokens });
        }
        let actual = format!("{} listed, {} distinct ones found", listed.addresses.len(), tokens.len());
        Err(trial.failure(&listed.first, "every listed token, once", actual))
    }

    /// All tokens, in the order of their addresses.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = &Token> {
        self.tokens.values()
    }

    /// How many tokens there are.
    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// A token by its address.
    pub(crate) fn get(&self, address: &Address) -> Option<&Token> {
        self.tokens.get(address)
    }

    /// The tokens that another reading shows unchanged.
    pub(crate) fn unmoved(&self, after: &Self) -> Self {
        let unmoved = self.tokens().filter(|token| after.get(&token.address) == Some(token));
        Self { tokens: unmoved.map(|token| (token.address, token.clone())).collect() }
    }

    /// Stops the check when there are fewer tokens than it needs.
    pub(crate) fn at_least(&self, count: usize) -> Verdict {
        if self.len() >= count {
            return Ok(());
        }
        Err(no_material(format!("{} tokens where {count} are needed", self.len())))
    }

    /// The distinct values of a figure, ascending.
    pub(crate) fn distinct(&self, figure: impl Fn(&Token) -> &Figure) -> Vec<Figure> {
        let mut values: Vec<Figure> = self.tokens().map(|token| figure(token).clone()).collect();
        values.sort();
        values.dedup();
        values
    }

    /// The tokens of each owner.
    pub(crate) fn owners(&self) -> BTreeMap<Address, Vec<&Token>> {
        let mut owners: BTreeMap<Address, Vec<&Token>> = BTreeMap::new();
        for token in self.tokens() {
            owners.entry(token.owner).or_default().push(token);
        }
        owners
    }
}

impl Token {
    fn of(row: &Row) -> Option<Self> {
        let linked = |name: &str| row.text(name).is_some();
        let (buys, sells) = (row.figure("txns_24h_buys")?, row.figure("txns_24h_sells")?);
        Some(Self {
            address: row.address("address")?,
            owner: row.address("owner")?,
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

/// Something read from the target that shows whether it moved.
pub(crate) trait Snapshot: PartialEq + Sized + Send + Sync {
    /// Reads it, once.
    fn read_once(trial: &Trial<'_>) -> impl Future<Output = Verdict<Self>> + Send;

    /// Reads it. A failure to read is no verdict: other checks judge it.
    fn read(trial: &Trial<'_>) -> impl Future<Output = Verdict<Self>> + Send {
        async move {
            let mut last = Self::read_once(trial).await;
            for _ in 1..ATTEMPTS {
                if !matches!(last, Err(Stop::Failed(_))) {
                    return last;
                }
                last = Self::read_once(trial).await;
            }
            last.map_err(as_no_verdict)
        }
    }
}

impl Snapshot for Market {
    fn read_once(trial: &Trial<'_>) -> impl Future<Output = Verdict<Self>> + Send {
        Self::read_listed(trial)
    }
}

impl Snapshot for Listing {
    async fn read_once(trial: &Trial<'_>) -> Verdict<Self> {
        let walk = walk(trial, &Vec::new()).await?;
        Ok(Self { addresses: walk.addresses.into_iter().collect(), bodies: walk.bodies })
    }
}

/// A failure of what a check only builds on: other checks judge that.
pub(crate) fn as_no_verdict(stop: Stop) -> Stop {
    match stop {
        Stop::Failed(failure) => no_material(format!(
            "what this builds on is wrong already: {} where {} ({})",
            failure.actual, failure.expected, failure.reproduce
        )),
        other => other,
    }
}

/// Judges against a snapshot; what is not green counts only if it stood still meanwhile, else it is tried again.
pub(crate) async fn on_steady<S: Snapshot, F>(trial: &Trial<'_>, judge: F) -> Verdict
where
    F: for<'a> Fn(&'a Trial<'a>, &'a S) -> Run<'a> + Send + Sync,
{
    let mut before = S::read(trial).await?;
    for _ in 0..ATTEMPTS {
        let differences = Differences::default();
        let verdict = judge(&trial.collecting(&differences), &before).await;
        let found = differences.into_inner();
        if verdict.is_ok() && found.is_empty() {
            return verdict;
        }
        let after = S::read(trial).await?;
        if after == before {
            trial.adopt(found)?;
            return verdict;
        }
        before = after;
    }
    Err(no_material(format!("the market moved during each of {ATTEMPTS} attempts")))
}
