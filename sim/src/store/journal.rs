//! The journal: what happened on the chains since their last whole state. It is in the same database and numbered with the facts, so that
//! one commit keeps both, and one rollback undoes both.
use std::collections::BTreeSet;

use alloy::primitives::B256;
use sqlx::{Any, query_as};

use super::{Held, InTime as _, Sql, Store, StoreError, locks, seconds};

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A mined block.
    Block,
    /// A call that changed the state of a node without a block.
    Call,
    /// A checkpoint; its number is the savepoint that a revert rolls back to.
    Checkpoint,
    /// A transaction that a node has accepted but not mined; it outlives the state that the journal begins with.
    Waiting,
    /// A setting of a node, which is not part of its state; it outlives the state too.
    Setting,
}

/// One entry of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) number: i64,
    /// Chain id; 0 if the entry concerns all chains.
    pub(crate) chain: u64,
    pub(crate) kind: Kind,
    /// A later entry with the same name replaces this one.
    pub(crate) name: Option<String>,
    /// The content as JSON.
    pub(crate) body: String,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Block, Self::Call, Self::Checkpoint, Self::Waiting, Self::Setting];

    fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Call => "call",
            Self::Checkpoint => "checkpoint",
            Self::Waiting => "waiting",
            Self::Setting => "setting",
        }
    }
}

/// How the name of a waiting transaction begins; its hash follows.
const WAITING: &str = "waiting ";

fn waiting_name(transaction: B256) -> String {
    format!("{WAITING}{transaction}")
}

type Row = (i64, i64, String, Option<String>, String);

impl Entry {
    pub(crate) fn new(chain: u64, kind: Kind, name: Option<String>, body: String) -> Self {
        Self { number: 0, chain, kind, name, body }
    }

    /// A transaction that a node has accepted but not mined.
    pub(crate) fn of_waiting(chain: u64, transaction: B256, body: String) -> Self {
        Self::new(chain, Kind::Waiting, Some(waiting_name(transaction)), body)
    }

    /// The transaction that waits, if the entry is one.
    pub(crate) fn waiting_transaction(&self) -> Option<B256> {
        self.name.as_deref()?.strip_prefix(WAITING)?.parse().ok()
    }

    fn of((number, chain, kind, name, body): Row) -> Result<Self, StoreError> {
        let known = Kind::ALL.into_iter().find(|known| known.name() == kind);
        let kind = known.ok_or_else(|| StoreError::Damaged(format!("entry {number} is a {kind:?}")))?;
        Ok(Self { number, chain: u64::try_from(chain).unwrap_or_default(), kind, name, body })
    }

    async fn insert(&self, sql: &mut Sql, number: i64) -> Result<(), StoreError> {
        let row = sqlx::query(
            "INSERT INTO journal (number, chain, kind, once, body) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (once) DO UPDATE SET number = excluded.number, kind = excluded.kind, body = excluded.body",
        );
        let row = row.bind(number).bind(seconds(self.chain)).bind(self.kind.name());
        row.bind(self.name.as_deref()).bind(&self.body).execute(&mut **sql).in_time().await?;
        Ok(())
    }
}

impl Store {
    /// Whether the database is in a folder, which keeps the whole platform.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.lock.is_some()
    }

    /// The folder's description of its platform, as JSON; `None` before a platform was kept in it.
    pub(crate) async fn platform(&self) -> Result<Option<String>, StoreError> {
        let row = query_as::<Any, (String,)>("SELECT body FROM platform").fetch_optional(&self.pool);
        Ok(row.in_time().await?.map(|(body,)| body))
    }

    /// Replaces the folder's description of its platform.
    pub(crate) async fn set_platform(&self, body: &str) -> Result<(), StoreError> {
        let mut sql = Sql::begin(&self.pool).await?;
        state_platform(&mut sql, body).await?;
        sql.commit().await
    }

    /// The whole journal, in order.
    pub(crate) async fn journal(&self) -> Result<Vec<Entry>, StoreError> {
        let rows = query_as("SELECT number, chain, kind, once, body FROM journal ORDER BY number");
        rows.fetch_all(&self.pool).in_time().await?.into_iter().map(Entry::of).collect()
    }

    /// Adds entries in order, all or none; they are durable when this returns.
    pub(crate) async fn enter(&self, entries: &[Entry]) -> Result<(), StoreError> {
        self.enter_blocks(entries, &[]).await
    }

    /// Like [`Self::enter`], for blocks that have these transactions, which wait no more.
    pub(crate) async fn enter_blocks(&self, blocks: &[Entry], mined: &[B256]) -> Result<(), StoreError> {
        let mut sql = Sql::begin(&self.pool).await?;
        for entry in blocks {
            let number = locks::number(&mut sql, false).await?;
            entry.insert(&mut sql, number).await?;
        }
        if !mined.is_empty() {
            // By the names, which have an index; most blocks have none that waited.
            let waiting = query_as("SELECT once FROM journal WHERE once > 'waiting ' AND once < 'waiting!'");
            let waiting: Vec<(String,)> = waiting.fetch_all(&mut *sql).in_time().await?;
            let mined: BTreeSet<String> =
                mined.iter().map(|transaction| waiting_name(*transaction)).collect();
            for (name,) in waiting.iter().filter(|(name,)| mined.contains(name)) {
                strike(&mut sql, name).await?;
            }
        }
        sql.commit().await
    }

    /// Removes the entries with these names.
    pub(crate) async fn strike(&self, names: &[String]) -> Result<(), StoreError> {
        let mut sql = Sql::begin(&self.pool).await?;
        for name in names {
            strike(&mut sql, name).await?;
        }
        sql.commit().await
    }
}

impl Held {
    /// Adds a checkpoint at this moment, and replaces the folder's description of its platform.
    pub(crate) async fn enter(&mut self, checkpoint: &Entry, platform: &str) -> Result<(), StoreError> {
        checkpoint.insert(&mut self.sql, self.savepoint).await?;
        state_platform(&mut self.sql, platform).await
    }

    /// The number of the held moment.
    pub(crate) fn number(&self) -> i64 {
        self.savepoint
    }

    /// Restarts the journal with these entries, and replaces the folder's description of its platform.
    pub(crate) async fn begin_journal(mut self, platform: &str, entries: &[Entry]) -> Result<(), StoreError> {
        let ended = sqlx::query("DELETE FROM journal WHERE kind IN ('block', 'call', 'checkpoint')");
        ended.execute(&mut *self.sql).in_time().await?;
        for entry in entries {
            let number = locks::number(&mut self.sql, false).await?;
            entry.insert(&mut self.sql, number).await?;
        }
        state_platform(&mut self.sql, platform).await?;
        self.sql.commit().await
    }
}

async fn strike(sql: &mut Sql, name: &str) -> Result<(), StoreError> {
    let struck = sqlx::query("DELETE FROM journal WHERE once = $1").bind(name);
    struck.execute(&mut **sql).in_time().await?;
    Ok(())
}

async fn state_platform(sql: &mut Sql, body: &str) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM platform").execute(&mut **sql).in_time().await?;
    sqlx::query("INSERT INTO platform (body) VALUES ($1)").bind(body).execute(&mut **sql).in_time().await?;
    Ok(())
}
