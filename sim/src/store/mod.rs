//! Off-chain facts in SQL, SQLite or PostgreSQL: every write has its own number, so that everything after a number can be rolled back. The
//! fold interprets the facts.
mod captchas;
mod chat;
mod dump;
mod facts;
mod file;
mod held;
mod images;
mod journal;
mod limits;
mod locks;
mod peers;
mod schema;
mod shared;
mod sql;

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Once};
use std::time::Duration;

use sqlx::any::AnyPoolOptions;
use sqlx::{AnyPool, Executor, Row};
use tokio::sync::watch;
use tokio::time::timeout;

pub use captchas::CaptchaRefusal;
pub(crate) use chat::{LONGEST_MESSAGE, Message};
pub(crate) use dump::{Dump, IMPORTING};
pub(crate) use held::Held;
pub use images::Image;
pub(crate) use journal::{Entry, Kind};
pub use limits::{RateLimit, RateLimitStatus, RateLimited};
pub(crate) use peers::{Inbox, LEASE};
use peers::{Patience, Peers};
pub(crate) use shared::Progress;
use sql::Sql;

/// Connections to a database server; a database of our own has one, which keeps its writes in order.
const SERVER_CONNECTIONS: u32 = 8;
/// Time limit of one query.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time limit for a start to reach the database server, which may be starting too.
const ARRIVAL: Duration = Duration::from_secs(5);
/// Tables whose rows contain the number of the write that created them.
const NUMBERED: [&str; 6] = ["facts", "uses", "captchas", "captcha_uses", "messages", "images"];

/// The place where the facts are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend<'a> {
    /// In this process, until it exits.
    Memory,
    /// In `store.sqlite` of a folder, for one process at a time.
    Folder(&'a Path),
    /// On a PostgreSQL server, for any number of processes: `postgres://…`.
    Server(&'a str),
}

/// An error of the database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database returned an error or could not be reached.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
    /// The database did not respond in time.
    #[error("the database did not answer within {0} s")]
    Silent(u64),
    /// A start could not reach the database server.
    #[error("the database server cannot be reached: {0}")]
    Unreachable(String),
    /// The schema could not be brought up to date.
    #[error("the schema of the database could not be brought up to date")]
    Schema(#[from] sqlx::migrate::MigrateError),
    /// A later version has written to the database.
    #[error(
        "it was written by a later version of slipway: continue it with that version, or name another folder or database"
    )]
    Newer,
    /// Another process has the database file open.
    #[error("the state in {0} is in use by another process: end that one, or name another folder")]
    InUse(String),
    /// The URL is not the address of a PostgreSQL database.
    #[error("a database address begins with postgres:// or postgresql://")]
    Address,
    /// This version cannot read a stored fact.
    #[error("fact {number} cannot be read")]
    Fact {
        /// The fact's number.
        number: i64,
        /// The cause.
        source: serde_json::Error,
    },
    /// The database for an import is not empty.
    #[error("the database has been written to: an export is imported into an empty one")]
    NotEmpty,
    /// The folder of the database could not be created.
    #[error("the folder {path} of the database could not be made")]
    Folder {
        /// The folder.
        path: String,
        /// The cause.
        source: std::io::Error,
    },
    /// The database file cannot be opened, read or written.
    #[error("the state in {path} cannot be used: {reason}")]
    Unusable {
        /// The folder.
        path: String,
        /// The cause, in the words of the database or the system.
        reason: String,
    },
    /// The database reported that it is damaged.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// The database file is missing or empty, although the folder had one before.
    #[error(
        "the state in {0} is lost: its store.sqlite is missing or empty. Restore that file from a copy, or delete {0}/store.lock to begin anew"
    )]
    Lost(String),
}

/// Time limits for queries: a hanging database never responds.
trait InTime<T> {
    /// Awaits the result. Without a response it is unknown whether a write happened, and nothing is guaranteed.
    async fn in_time(self) -> Result<T, StoreError>;
}

impl<T, F: Future<Output = Result<T, sqlx::Error>>> InTime<T> for F {
    async fn in_time(self) -> Result<T, StoreError> {
        match timeout(PATIENCE, self).await {
            Ok(answer) => Ok(answer?),
            Err(_) => Err(StoreError::Silent(PATIENCE.as_secs())),
        }
    }
}

/// The database; copies share it.
#[derive(Clone, Debug)]
pub struct Store {
    pool: AnyPool,
    latest: watch::Sender<i64>,
    /// The other processes, if there can be any.
    peers: Option<Peers>,
    /// The folder's lock, if the database is in one.
    lock: Option<Arc<File>>,
}

/// A write in progress: all of it happens, or nothing. While it runs, no other process can take the limits, the captcha and the name that
/// it uses. If it is dropped without a commit, it has no effect.
#[derive(Debug)]
pub struct Transaction {
    sql: Sql,
    store: Store,
    number: i64,
    now: u64,
    /// Number of the last fact of this write.
    fact: Option<i64>,
}

impl Store {
    /// Opens a database and brings its schema up to date.
    pub async fn open(place: Backend<'_>) -> Result<Self, StoreError> {
        static DRIVERS: Once = Once::new();
        DRIVERS.call_once(sqlx::any::install_default_drivers);
        let (pool, lock) = match place {
            Backend::Memory => {
                let pool = own("sqlite::memory:", "").await?;
                schema::bring_up_to_date(&pool, false).await?;
                (pool, None)
            }
            Backend::Folder(path) => {
                let (pool, lock) = file::open(path).await?;
                (pool, Some(Arc::new(lock)))
            }
            Backend::Server(address) => {
                let pool = server(address).await?;
                schema::bring_up_to_date(&pool, true).await?;
                (pool, None)
            }
        };
        let peers = match place {
            Backend::Server(address) => Some(Peers::new(address, &pool).await?),
            Backend::Memory | Backend::Folder(_) => None,
        };
        let row = sqlx::query("SELECT COALESCE(MAX(number), 0) FROM facts").fetch_one(&pool).await?;
        Ok(Self { pool, latest: watch::Sender::new(row.try_get(0)?), peers, lock })
    }

    /// Ends all use of the database: work that outlives the platform writes nothing more, and the folder is free for another platform.
    pub async fn close(&self) {
        if timeout(PATIENCE, self.pool.close()).await.is_err() {
            tracing::warn!("a write is left in progress");
        }
        if let Some(Err(error)) = self.lock.as_ref().map(|lock| lock.unlock()) {
            tracing::warn!(%error, "the folder stays locked until this process ends");
        }
    }

    /// Starts a write with a time, Unix seconds.
    ///
    /// Clause: HIST-ORDER
    pub async fn write(&self, now: u64) -> Result<Transaction, StoreError> {
        let mut sql = Sql::begin(&self.pool).await?;
        let number = locks::enter(&mut sql, self.is_shared()).await?;
        Ok(Transaction { number, now, sql, store: self.clone(), fact: None })
    }

    /// The latest time of any write, Unix seconds; 0 before the first.
    pub async fn last_time(&self) -> Result<u64, StoreError> {
        let row = sqlx::query(
            "SELECT MAX(at) FROM (
                SELECT at FROM progress UNION ALL SELECT MAX(at) FROM uses UNION ALL SELECT MAX(at) FROM messages
            ) AS times",
        )
        .fetch_one(&self.pool)
        .in_time()
        .await?;
        Ok(u64::try_from(row.try_get::<i64, _>(0)?).unwrap_or_default())
    }

    /// Rolls back every write after a savepoint once [`Rollback::commit`] is called; until then no process can write.
    /// The numbers of rolled-back writes are not reused.
    pub async fn rollback_to(&self, savepoint: i64, now: u64) -> Result<Rollback, StoreError> {
        let mut sql = Sql::begin(&self.pool).await?;
        locks::exclude(&mut sql, self.is_shared()).await?;
        let row = sqlx::query("UPDATE progress SET at = $1, rewinds = rewinds + 1 RETURNING rewinds")
            .bind(seconds(now))
            .fetch_one(&mut *sql)
            .in_time()
            .await?;
        let rollbacks = row.try_get(0)?;
        // Nodes' settings are not rolled back.
        let own = (!self.is_shared()).then_some("journal WHERE kind <> 'setting' AND");
        let numbered = NUMBERED.map(|table| format!("{table} WHERE"));
        for rows in numbered.into_iter().chain(own.map(str::to_owned)) {
            sqlx::query(sqlx::AssertSqlSafe(format!("DELETE FROM {rows} number > $1")))
                .bind(savepoint)
                .execute(&mut *sql)
                .in_time()
                .await?;
        }
        let row =
            sqlx::query("SELECT COALESCE(MAX(number), 0) FROM facts").fetch_one(&mut *sql).in_time().await?;
        Ok(Rollback { rollbacks, latest_fact: row.try_get(0)?, sql, latest: self.latest.clone() })
    }
}

/// A pending rollback; if it is dropped without a commit, nothing is rolled back.
#[derive(Debug)]
pub struct Rollback {
    sql: Sql,
    latest: watch::Sender<i64>,
    rollbacks: i64,
    latest_fact: i64,
}

impl Rollback {
    /// Rolls back; returns the number of rollbacks so far.
    pub async fn commit(self) -> Result<i64, StoreError> {
        self.sql.commit().await?;
        self.latest.send_replace(self.latest_fact);
        Ok(self.rollbacks)
    }
}

impl Transaction {
    /// The number of rollbacks so far; there is none while the write is in progress.
    pub(crate) async fn rollbacks(&mut self) -> Result<i64, StoreError> {
        let row = sqlx::query("SELECT rewinds FROM progress").fetch_one(&mut *self.sql).in_time().await?;
        Ok(row.try_get(0)?)
    }

    /// Commits the write; it is durable when this returns, whatever happens to the process. By then the other processes have folded its
    /// fact, unless one of them is late.
    pub async fn commit(mut self) -> Result<(), StoreError> {
        let announced = match (self.fact, &self.store.peers) {
            (Some(_), Some(peers)) => Some(peers.announce(&mut *self.sql).await?),
            _ => None,
        };
        self.sql.commit().await?;
        if let Some(fact) = self.fact {
            self.store.latest.send_modify(|latest| *latest = fact.max(*latest));
        }
        if let Some(announced) = announced {
            announced.taken_in(Patience::Short).await;
        }
        Ok(())
    }
}

/// Converts seconds and counts to the database's integer type.
fn seconds(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

async fn own(address: &str, settings: &'static str) -> Result<AnyPool, sqlx::Error> {
    // One connection: a database in memory exists as long as its connection, and writes have one order.
    AnyPoolOptions::new()
        .max_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .after_connect(move |connection, _| {
            Box::pin(async move { connection.execute(settings).await.map(drop) })
        })
        .connect(address)
        .await
}

async fn server(address: &str) -> Result<AnyPool, StoreError> {
    if !address.starts_with("postgres://") && !address.starts_with("postgresql://") {
        return Err(StoreError::Address);
    }
    let connecting = AnyPoolOptions::new().max_connections(SERVER_CONNECTIONS).connect(address);
    let unreachable = |reason| StoreError::Unreachable(reason);
    match timeout(ARRIVAL, connecting).await {
        Ok(connected) => connected.map_err(|error| unreachable(error.to_string())),
        Err(_) => Err(unreachable(format!("it takes no connection within {} s", ARRIVAL.as_secs()))),
    }
}

#[cfg(test)]
mod tests;
