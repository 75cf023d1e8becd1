//! What several processes over one database tell each other: how far the facts go, that writes were forgotten, and what the
//! clock shows. Whoever answers for the platform asks for it first.
use sqlx::Row;

use super::{InTime as _, Store, StoreError};

/// What the database knows and a process may not have seen yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of the latest fact, 0 when there is none.
    pub latest_fact: i64,
    /// How often writes were forgotten.
    pub rollbacks: i64,
    /// The clock as its owner has stated it last, as [`Clock`](crate::clock::Clock) is written.
    pub clock: Option<String>,
}

impl Store {
    /// Whether other processes may write to the database.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.shared
    }

    /// What is true of the database now.
    pub async fn progress(&self) -> Result<Progress, StoreError> {
        let row =
            sqlx::query("SELECT (SELECT COALESCE(MAX(number), 0) FROM facts), rewinds, clock FROM progress")
                .fetch_one(&self.pool)
                .in_time()
                .await?;
        Ok(Progress { latest_fact: row.try_get(0)?, rollbacks: row.try_get(1)?, clock: row.try_get(2)? })
    }

    /// States what the clock shows, for the other processes; nothing where there are none.
    pub async fn publish_clock(&self, clock: &str) -> Result<(), StoreError> {
        if self.shared {
            sqlx::query("UPDATE progress SET clock = $1").bind(clock).execute(&self.pool).in_time().await?;
        }
        Ok(())
    }
}
