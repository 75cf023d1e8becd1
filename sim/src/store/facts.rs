//! The facts that the state is folded from, in the order in which they were stored.
use sqlx::any::AnyRow;
use sqlx::{Any, Executor, Row};
use tokio::sync::watch;

use super::{InTime as _, Store, StoreError, Transaction, locks, seconds};
use crate::fact::Fact;

impl Store {
    /// Stores a fact with a time, Unix seconds, notifies readers and returns the fact's number.
    pub async fn append(&self, fact: &Fact, now: u64) -> Result<i64, StoreError> {
        let mut transaction = self.write(now).await?;
        let number = transaction.append(fact, None).await?.unwrap_or(transaction.number);
        transaction.commit().await?;
        Ok(number)
    }

    /// The facts with a number above `number`, in order.
    pub async fn facts_after(&self, number: i64) -> Result<Vec<(i64, Fact)>, StoreError> {
        after(&self.pool, number).await
    }

    /// The number of the latest fact, 0 if there is none, as a watched value.
    #[must_use]
    pub fn latest(&self) -> watch::Receiver<i64> {
        self.latest.subscribe()
    }
}

pub(super) async fn after<'c>(
    database: impl Executor<'c, Database = Any>,
    number: i64,
) -> Result<Vec<(i64, Fact)>, StoreError> {
    let rows = sqlx::query("SELECT number, body FROM facts WHERE number > $1 ORDER BY number")
        .bind(number)
        .fetch_all(database)
        .in_time()
        .await?;
    rows.iter().map(read).collect()
}

fn read(row: &AnyRow) -> Result<(i64, Fact), StoreError> {
    let number: i64 = row.try_get(0)?;
    let body: &str = row.try_get(1)?;
    let fact = serde_json::from_str(body).map_err(|source| StoreError::Fact { number, source })?;
    Ok((number, fact))
}

impl Transaction {
    /// Adds a fact and returns its number. With a name, the fact is stored only if none was stored under that name before; otherwise
    /// nothing happens and the result is `None`.
    ///
    /// Facts come last in a write. Their numbers are assigned by one write at a time, from here to the commit, so that a reader who
    /// continues after a fact misses none with a smaller number.
    pub async fn append(&mut self, fact: &Fact, once: Option<&str>) -> Result<Option<i64>, StoreError> {
        self.stamp().await?;
        let shared = self.store.is_shared();
        // A single connection runs one write at a time, so the write's number is free for its first fact.
        let number = match self.fact {
            None if !shared => self.number,
            _ => locks::number(&mut self.sql, shared).await?,
        };
        let body = serde_json::to_string(fact).expect("a fact has only string keys");
        let done = sqlx::query(
            "INSERT INTO facts (number, once, body) VALUES ($1, $2, $3) ON CONFLICT (once) DO NOTHING",
        )
        .bind(number)
        .bind(once)
        .bind(body)
        .execute(&mut *self.sql)
        .in_time()
        .await?;
        if done.rows_affected() == 0 {
            return Ok(None);
        }
        self.fact = Some(number);
        Ok(self.fact)
    }

    /// The fact that is stored under a name, as it stays until this write ends: from here on no other process stores one.
    pub async fn fact(&mut self, once: &str) -> Result<Option<Fact>, StoreError> {
        self.stamp().await?;
        let found = sqlx::query("SELECT number, body FROM facts WHERE once = $1")
            .bind(once)
            .fetch_optional(&mut *self.sql)
            .in_time()
            .await?;
        found.as_ref().map(read).transpose().map(|found| found.map(|(_, fact)| fact))
    }

    /// Stores the time of this write; until the commit no other process stores one.
    pub(super) async fn stamp(&mut self) -> Result<(), StoreError> {
        sqlx::query("UPDATE progress SET at = CASE WHEN at < $1 THEN $1 ELSE at END")
            .bind(seconds(self.now))
            .execute(&mut *self.sql)
            .in_time()
            .await?;
        Ok(())
    }
}
