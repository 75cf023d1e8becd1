//! Off-chain facts in SQL, numbered in the order they were stored; what they mean is decided by the fold.
use std::path::Path;
use std::str::FromStr;

use alloy::primitives::Address;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{Row, SqlSafeStr};
use tokio::sync::watch;

/// Every step of the schema, oldest first; a step that was released is never edited.
const SCHEMA: &[(i64, &str, &str)] = &[(
    1,
    "facts",
    "CREATE TABLE facts (number INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL) STRICT",
)];

/// Something that is true of the platform and is not on a chain.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case")]
pub enum Fact {
    /// The operator took a token out of the usual lists, or put it back.
    TokenDisabled {
        /// The launch token.
        token: Address,
        /// Whether it is out.
        disabled: bool,
    },
}

/// What went wrong with the database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refused or could not be reached.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
    /// The schema could not be brought up to date.
    #[error("the schema of the database could not be brought up to date")]
    Schema(#[from] sqlx::migrate::MigrateError),
    /// A stored fact is not one that this version knows.
    #[error("fact {number} cannot be read")]
    Fact {
        /// Its number.
        number: i64,
        /// Why.
        source: serde_json::Error,
    },
    /// The folder of the database could not be made.
    #[error("the folder {path} of the database could not be made")]
    Folder {
        /// The folder.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}

/// The database; copies share it.
#[derive(Clone, Debug)]
pub struct Store {
    pool: SqlitePool,
    latest: watch::Sender<i64>,
}

impl Store {
    /// Opens `store.sqlite` in the folder, or a database in memory.
    pub async fn open(folder: Option<&Path>) -> Result<Self, StoreError> {
        let options = match folder {
            Some(folder) => file_options(folder)?,
            None => SqliteConnectOptions::from_str("sqlite::memory:")?,
        };
        // One connection: a database in memory lives and dies with it, and writes have one order.
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .connect_with(options)
            .await?;
        migrations().run(&pool).await?;
        let row = sqlx::query("SELECT COALESCE(MAX(number), 0) FROM facts")
            .fetch_one(&pool)
            .await?;
        Ok(Self {
            pool,
            latest: watch::Sender::new(row.try_get(0)?),
        })
    }

    /// Stores a fact and answers its number; readers are told.
    pub async fn append(&self, fact: &Fact) -> Result<i64, StoreError> {
        let body = serde_json::to_string(fact).expect("a fact has only string keys");
        let row = sqlx::query("INSERT INTO facts (body) VALUES (?) RETURNING number")
            .bind(body)
            .fetch_one(&self.pool)
            .await?;
        let number = row.try_get(0)?;
        self.latest.send_replace(number);
        Ok(number)
    }

    /// The facts with a number above this one, in order.
    pub async fn facts_after(&self, number: i64) -> Result<Vec<(i64, Fact)>, StoreError> {
        let rows = sqlx::query("SELECT number, body FROM facts WHERE number > ? ORDER BY number")
            .bind(number)
            .fetch_all(&self.pool)
            .await?;
        rows.iter()
            .map(|row| {
                let number: i64 = row.try_get(0)?;
                let body: &str = row.try_get(1)?;
                let fact =
                    serde_json::from_str(body).map_err(|source| StoreError::Fact { number, source })?;
                Ok((number, fact))
            })
            .collect()
    }

    /// The number of the latest fact, 0 when there is none, as it changes.
    #[must_use]
    pub fn latest(&self) -> watch::Receiver<i64> {
        self.latest.subscribe()
    }

    /// Forgets every fact with a number above this one; the numbers of what was forgotten are not given again.
    pub async fn forget_after(&self, number: i64) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM facts WHERE number > ?")
            .bind(number)
            .execute(&self.pool)
            .await?;
        self.latest.send_replace(number);
        Ok(())
    }
}

fn file_options(folder: &Path) -> Result<SqliteConnectOptions, StoreError> {
    std::fs::create_dir_all(folder).map_err(|source| StoreError::Folder {
        path: folder.display().to_string(),
        source,
    })?;
    Ok(SqliteConnectOptions::new()
        .filename(folder.join("store.sqlite"))
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal))
}

fn migrations() -> Migrator {
    let steps = SCHEMA.iter().map(|&(version, description, statements)| {
        Migration::new(
            version,
            description.into(),
            MigrationType::Simple,
            statements.into_sql_str(),
            false,
        )
    });
    Migrator::with_migrations(steps.collect())
}

#[cfg(test)]
mod tests {
    use super::{Fact, Store};
    use alloy::primitives::Address;

    fn fact(byte: u8, disabled: bool) -> Fact {
        Fact::TokenDisabled {
            token: Address::repeat_byte(byte),
            disabled,
        }
    }

    #[tokio::test]
    async fn facts_are_numbered_and_read_back_in_order() {
        let store = Store::open(None).await.unwrap();
        let latest = store.latest();
        assert_eq!(*latest.borrow(), 0);
        assert_eq!(store.append(&fact(1, true)).await.unwrap(), 1);
        assert_eq!(store.append(&fact(2, true)).await.unwrap(), 2);
        assert_eq!(*latest.borrow(), 2);
        assert_eq!(store.facts_after(1).await.unwrap(), [(2, fact(2, true))]);
    }

    #[tokio::test]
    async fn a_forgotten_number_is_not_given_again() {
        let store = Store::open(None).await.unwrap();
        store.append(&fact(1, true)).await.unwrap();
        store.append(&fact(1, false)).await.unwrap();
        store.forget_after(1).await.unwrap();
        assert_eq!(store.facts_after(0).await.unwrap(), [(1, fact(1, true))]);
        assert_eq!(store.append(&fact(3, true)).await.unwrap(), 3);
    }

    #[tokio::test]
    async fn a_file_keeps_its_facts() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(Some(folder.path())).await.unwrap();
        store.append(&fact(7, true)).await.unwrap();
        drop(store);
        let again = Store::open(Some(folder.path())).await.unwrap();
        assert_eq!(again.facts_after(0).await.unwrap(), [(1, fact(7, true))]);
        assert_eq!(*again.latest().borrow(), 1);
    }
}
