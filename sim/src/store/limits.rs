//! Rate limits across processes: a maximum number of uses of a key in a sliding window of time.
use sqlx::{Any, Executor, Row};

use super::{InTime as _, Store, StoreError, Transaction, locks, seconds};

/// A maximum number of uses per key in any window of a given length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Stable name under which uses are counted; also the cause id of its refusals.
    pub name: &'static str,
    /// Uses in a window.
    pub limit: u32,
    /// Length of the window, seconds; a use expires exactly this long after it was counted.
    pub span: u64,
}

/// State of a rate limit for one key after a use was counted or refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimitStatus {
    /// Uses in a window.
    pub limit: u32,
    /// Uses left now.
    pub remaining: u32,
    /// The time at which the oldest use leaves the window, Unix seconds.
    pub reset: u64,
}

/// The limit is exhausted; nothing was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimited {
    /// Name of the rule that refused.
    pub rule: &'static str,
    /// State of the limit.
    pub status: RateLimitStatus,
    /// Seconds until one use is available again, at least one.
    pub retry_after: u64,
}

impl Store {
    /// Counts one use of a key at a time, Unix seconds, or refuses it.
    pub async fn take(
        &self,
        rule: &RateLimit,
        key: &str,
        now: u64,
    ) -> Result<Result<RateLimitStatus, RateLimited>, StoreError> {
        let mut transaction = self.write(now).await?;
        let taken = transaction.take(&[(rule, key)], now).await?;
        if taken.is_ok() {
            transaction.commit().await?;
        }
        Ok(taken)
    }

    /// Checks whether one use under each of several rules would be refused now; counts nothing.
    pub async fn check_limits(
        &self,
        rules: &[(&RateLimit, &str)],
        now: u64,
    ) -> Result<Result<(), RateLimited>, StoreError> {
        for (rule, key) in rules {
            if let Err(limited) = status(&self.pool, rule, key, now).await? {
                return Ok(Err(limited));
            }
        }
        Ok(Ok(()))
    }
}

impl Transaction {
    /// Counts one use under each of several rules, or under none if one of them is exhausted; returns the status of the limit with the
    /// fewest uses left. At least one rule is required.
    pub async fn take(
        &mut self,
        rules: &[(&RateLimit, &str)],
        now: u64,
    ) -> Result<Result<RateLimitStatus, RateLimited>, StoreError> {
        let mut tightest: Option<RateLimitStatus> = None;
        let mut names: Vec<String> = rules.iter().map(|(rule, key)| format!("{} {key}", rule.name)).collect();
        // The same order everywhere, so that no two writes deadlock.
        names.sort_unstable();
        for name in names {
            locks::name(&mut self.sql, self.store.is_shared(), &name).await?;
        }
        for (rule, key) in rules {
            let status = match status(&mut *self.sql, rule, key, now).await? {
                Ok(status) => status,
                Err(limited) => return Ok(Err(limited)),
            };
            if tightest.is_none_or(|tightest| status.remaining < tightest.remaining) {
                tightest = Some(status);
            }
        }
        for (rule, key) in rules {
            self.count(rule, key, now).await?;
        }
        Ok(Ok(tightest.expect("there is at least one rule")))
    }

    async fn count(&mut self, rule: &RateLimit, key: &str, now: u64) -> Result<(), StoreError> {
        // Deletes uses that no window includes any more, unless a savepoint may still go back to their time.
        sqlx::query(
            "DELETE FROM uses
            WHERE rule = $1 AND key = $2 AND at <= $3 AND number > (SELECT pinned FROM progress)",
        )
        .bind(rule.name)
        .bind(key)
        .bind(window(rule, now))
        .execute(&mut *self.sql)
        .in_time()
        .await?;
        sqlx::query("INSERT INTO uses (rule, key, at, number) VALUES ($1, $2, $3, $4)")
            .bind(rule.name)
            .bind(key)
            .bind(seconds(now))
            .bind(self.number)
            .execute(&mut *self.sql)
            .in_time()
            .await?;
        Ok(())
    }
}

/// The status of a key's limit once one more use is counted.
async fn status<'c>(
    database: impl Executor<'c, Database = Any>,
    rule: &RateLimit,
    key: &str,
    now: u64,
) -> Result<Result<RateLimitStatus, RateLimited>, StoreError> {
    let row = sqlx::query("SELECT COUNT(*), MIN(at) FROM uses WHERE rule = $1 AND key = $2 AND at > $3")
        .bind(rule.name)
        .bind(key)
        .bind(window(rule, now))
        .fetch_one(database)
        .in_time()
        .await?;
    let used = u32::try_from(row.try_get::<i64, _>(0)?).unwrap_or(u32::MAX);
    let oldest = row.try_get::<Option<i64>, _>(1)?;
    let oldest = oldest.and_then(|at| u64::try_from(at).ok()).unwrap_or(now);
    let reset = oldest + rule.span;
    let remaining = rule.limit.saturating_sub(used);
    let status = RateLimitStatus { limit: rule.limit, remaining: remaining.saturating_sub(1), reset };
    Ok(if remaining == 0 {
        Err(RateLimited { rule: rule.name, status, retry_after: reset.saturating_sub(now).max(1) })
    } else {
        Ok(status)
    })
}

/// The last second before the window.
fn window(rule: &RateLimit, now: u64) -> i64 {
    seconds(now) - seconds(rule.span)
}
