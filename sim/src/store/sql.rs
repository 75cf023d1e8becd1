//! A transaction that is certain to have ended before its connection is used again.
//!
//! The library's own transactions count their nesting depth. A database that rolls back by itself, as SQLite does on a full disk, makes
//! that count wrong: the next transactions become savepoints inside one that nobody commits, and a later error undoes all of them.
use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, AnyPool, Database as _, Executor, Sqlite};

use super::{InTime as _, StoreError};

/// A transaction in progress. If it is dropped without a commit, as after any error, it is rolled back.
#[derive(Debug)]
pub(super) struct Sql {
    /// Present until the transaction has ended.
    connection: Option<PoolConnection<Any>>,
}

impl Sql {
    pub(super) async fn begin(pool: &AnyPool) -> Result<Self, StoreError> {
        let mut sql = Self { connection: Some(pool.acquire().in_time().await?) };
        sql.execute("BEGIN").in_time().await?;
        Ok(sql)
    }

    pub(super) async fn commit(mut self) -> Result<(), StoreError> {
        self.execute("COMMIT").in_time().await?;
        self.connection = None;
        Ok(())
    }
}

impl Deref for Sql {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        self.connection.as_ref().expect("a transaction that has not ended has a connection")
    }
}

impl DerefMut for Sql {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        self.connection.as_mut().expect("a transaction that has not ended has a connection")
    }
}

impl Drop for Sql {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            tokio::spawn(roll_back(connection));
        }
    }
}

/// Returns the connection to its pool without a transaction, or closes it.
async fn roll_back(mut connection: PoolConnection<Any>) {
    let rolled_back = async {
        // Whether SQLite has already rolled back is unknown; after this it has a transaction in either case. PostgreSQL never has.
        if connection.backend_name() == Sqlite::NAME {
            let _ = connection.execute("BEGIN").await;
        }
        connection.execute("ROLLBACK").await
    };
    if let Err(error) = rolled_back.in_time().await {
        tracing::warn!(%error, "a connection to the database is closed: its transaction may not have ended");
        connection.close_on_drop();
    }
}
