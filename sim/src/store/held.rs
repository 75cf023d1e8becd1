//! The store at one moment: while it is held, no process can write.
use crate::fact::Fact;

use super::{InTime as _, Sql, Store, StoreError, facts, locks};

/// The held store: no process can write until this is dropped.
#[derive(Debug)]
pub struct Held {
    pub(super) sql: Sql,
    pub(super) savepoint: i64,
}

impl Store {
    /// Waits until the writes in progress have ended, and blocks further ones.
    pub async fn hold(&self) -> Result<Held, StoreError> {
        let mut sql = Sql::begin(&self.pool).await?;
        locks::exclude(&mut sql, self.is_shared()).await?;
        let savepoint = locks::number(&mut sql, self.is_shared()).await?;
        sqlx::query("UPDATE progress SET pinned = $1").bind(savepoint).execute(&mut *sql).in_time().await?;
        Ok(Held { savepoint, sql })
    }
}

impl Held {
    /// The facts with a number above `number`, in order.
    pub async fn facts_after(&mut self, number: i64) -> Result<Vec<(i64, Fact)>, StoreError> {
        facts::after(&mut *self.sql, number).await
    }

    /// Allows writes again; returns the number of the latest one. From now on nothing up to that number is deleted for its age, so that
    /// [`Store::rollback_to`] finds everything unchanged.
    pub async fn savepoint(self) -> Result<i64, StoreError> {
        self.sql.commit().await?;
        Ok(self.savepoint)
    }
}
