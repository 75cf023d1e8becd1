//! Locks between writes of several processes. Writes run in parallel; a checkpoint or a revert waits until none is in progress. Decisions
//! that must be made only once have their own locks: a rate limit locks its key, a captcha and the name of a fact lock their row.
//!
//! A database file has one connection and so one write at a time; only a server needs these locks.
use sqlx::{AnyConnection, Row};

use super::{InTime as _, StoreError};

/// Shared by every write in progress, exclusive for a checkpoint or a revert.
const WRITES: i64 = 0x051b_3a9e;

/// Starts a write; returns its number.
///
/// The number is assigned under the lock: at a checkpoint, every smaller number is either committed or never will be.
pub(super) async fn enter(sql: &mut AnyConnection, shared: bool) -> Result<i64, StoreError> {
    if !shared {
        return number(sql, shared).await;
    }
    let begun = "SELECT nextval('numbers') FROM (SELECT pg_advisory_xact_lock_shared($1) IS NULL) AS entered";
    Ok(sqlx::query(begun).bind(WRITES).fetch_one(sql).in_time().await?.try_get(0)?)
}

/// Waits until no write is in progress, and blocks new ones until the transaction ends.
pub(super) async fn exclude(sql: &mut AnyConnection, shared: bool) -> Result<(), StoreError> {
    if shared {
        let alone = sqlx::query("SELECT pg_advisory_xact_lock($1) IS NULL").bind(WRITES);
        alone.execute(sql).in_time().await?;
    }
    Ok(())
}

/// Locks a name against other writes until the transaction ends.
pub(super) async fn name(sql: &mut AnyConnection, shared: bool, name: &str) -> Result<(), StoreError> {
    if shared {
        let own = sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0)) IS NULL").bind(name);
        own.execute(sql).in_time().await?;
    }
    Ok(())
}

/// The next number, which is never reused.
pub(super) async fn number(sql: &mut AnyConnection, shared: bool) -> Result<i64, StoreError> {
    let next = if shared {
        "SELECT nextval('numbers')"
    } else {
        "UPDATE progress SET last = last + 1 RETURNING last"
    };
    Ok(sqlx::query(next).fetch_one(sql).in_time().await?.try_get(0)?)
}

/// Continues after the numbers of another database; returns whether no number was assigned before.
pub(super) async fn start_after(
    sql: &mut AnyConnection,
    shared: bool,
    last: i64,
) -> Result<bool, StoreError> {
    if shared {
        let unused = "SELECT setval('numbers', GREATEST($1, 1)) FROM numbers WHERE NOT is_called";
        return Ok(sqlx::query(unused).bind(last).fetch_optional(sql).in_time().await?.is_some());
    }
    let unused = sqlx::query("UPDATE progress SET last = $1 WHERE last = 0").bind(last);
    Ok(unused.execute(sql).in_time().await?.rows_affected() == 1)
}
