//! What several processes over one database tell each other: that there are new facts, that writes were forgotten, and what
//! the clock shows. Each looks for it often.
use std::sync::Weak;
use std::time::Duration;

use sqlx::{AnyPool, Row};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use super::{Store, StoreError};

/// How often a process looks at what the others have written.
const LOOK: Duration = Duration::from_millis(100);

/// What others have done, as this process knows it.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// How often writes were forgotten.
    pub(super) rewinds: watch::Sender<i64>,
    /// The clock as its owner has told of it last.
    pub(super) clock: watch::Sender<Option<String>>,
}

impl Store {
    /// Tells the other processes what the clock shows; nothing where there are none.
    pub async fn tell_clock(&self, reading: &str) -> Result<(), StoreError> {
        if self.shared {
            sqlx::query("UPDATE progress SET clock = $1").bind(reading).execute(&self.pool).await?;
        }
        Ok(())
    }

    /// The clock as its owner has told of it last, nothing before it has.
    pub async fn clock(&self) -> Result<Option<String>, StoreError> {
        let row = sqlx::query("SELECT clock FROM progress").fetch_one(&self.pool).await?;
        Ok(row.try_get(0)?)
    }

    /// The clock as its owner tells of it, as it changes.
    #[must_use]
    pub fn clock_told(&self) -> watch::Receiver<Option<String>> {
        self.told.clock.subscribe()
    }

    /// How often another process has gone back to a mark, as it changes.
    #[must_use]
    pub fn rewinds(&self) -> watch::Receiver<i64> {
        self.told.rewinds.subscribe()
    }
}

/// Looks at what the others have written until the store is dropped.
pub(super) async fn look(pool: AnyPool, told: Weak<Told>, latest: watch::Sender<i64>) {
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        look.tick().await;
        let Some(told) = told.upgrade() else {
            return;
        };
        match seen(&pool).await {
            Ok((rewinds, clock, fact)) => {
                let change = |known: &mut i64, now: i64| std::mem::replace(known, now) != now;
                told.rewinds.send_if_modified(|known| change(known, rewinds));
                latest.send_if_modified(|known| change(known, fact));
                told.clock.send_if_modified(|known| {
                    let changed = *known != clock;
                    *known = clock;
                    changed
                });
            }
            Err(error) => tracing::warn!(%error, "the shared database cannot be looked at"),
        }
    }
}

async fn seen(pool: &AnyPool) -> Result<(i64, Option<String>, i64), sqlx::Error> {
    let row =
        sqlx::query("SELECT rewinds, clock, (SELECT COALESCE(MAX(number), 0) FROM facts) FROM progress")
            .fetch_one(pool)
            .await?;
    Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))
}
