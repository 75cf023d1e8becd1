//! Exports the whole content of a database as data, and imports it into an empty one. Blobs are written as hexadecimal text.
use alloy::primitives::Bytes;
use serde::{Deserialize, Serialize};
use sqlx::{Any, query_as};

use super::{Held, InTime as _, NUMBERED, Sql, Store, StoreError, locks};

/// Rows of every table, and the counters of the progress row.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Dump {
    last: i64,
    at: i64,
    rewinds: i64,
    /// Number, unique name if any, body.
    facts: Vec<(i64, Option<String>, String)>,
    /// Rule, key, time, number.
    uses: Vec<(String, String, i64, i64)>,
    /// Hash, expiry, number.
    captchas: Vec<(String, i64, i64)>,
    /// Hash, number.
    captcha_uses: Vec<(String, i64)>,
    /// Number, token, sender, body, time.
    messages: Vec<(i64, String, String, Bytes, i64)>,
    /// Hash, media type, body, number.
    images: Vec<(String, String, Bytes, i64)>,
}

impl Dump {
    /// The latest time of a write in it, Unix seconds.
    pub(crate) fn last_time(&self) -> u64 {
        let uses = self.uses.iter().map(|(_, _, at, _)| *at);
        let messages = self.messages.iter().map(|(.., at)| *at);
        u64::try_from(uses.chain(messages).fold(self.at, i64::max)).unwrap_or_default()
    }

    /// Whether its counters are at most this, and no row has a number that is still to be assigned.
    pub(crate) fn is_countable(&self, most: u64) -> bool {
        let counters = [self.last, self.rewinds];
        let is_counted = |count: i64| u64::try_from(count).is_ok_and(|count| count <= most);
        let facts = self.facts.iter().map(|(number, ..)| number);
        let uses = self.uses.iter().map(|(.., number)| number);
        let captchas = self.captchas.iter().map(|(.., number)| number);
        let captcha_uses = self.captcha_uses.iter().map(|(_, number)| number);
        let messages = self.messages.iter().map(|(number, ..)| number);
        let images = self.images.iter().map(|(.., number)| number);
        let mut rows = facts.chain(uses).chain(captchas).chain(captcha_uses).chain(messages).chain(images);
        counters.into_iter().all(is_counted) && rows.all(|number| (0..=self.last).contains(number))
    }
}

impl Held {
    pub(crate) async fn dump(&mut self) -> Result<Dump, StoreError> {
        let sql = &mut self.sql;
        let last = self.savepoint;
        let (at, rewinds) =
            query_as::<Any, (i64, i64)>("SELECT at, rewinds FROM progress").fetch_one(&mut **sql).await?;
        let facts =
            query_as("SELECT number, once, body FROM facts ORDER BY number").fetch_all(&mut **sql).await?;
        let uses =
            query_as("SELECT rule, key, at, number FROM uses ORDER BY number").fetch_all(&mut **sql).await?;
        let captchas = query_as("SELECT hash, expires_at, number FROM captchas ORDER BY number")
            .fetch_all(&mut **sql)
            .await?;
        let captcha_uses =
            query_as("SELECT hash, number FROM captcha_uses ORDER BY number").fetch_all(&mut **sql).await?;
        let messages = query_as::<Any, (i64, String, String, Vec<u8>, i64)>(
            "SELECT number, token, sender, body, at FROM messages ORDER BY number",
        )
        .fetch_all(&mut **sql)
        .await?;
        let images = query_as::<Any, (String, String, Vec<u8>, i64)>(
            "SELECT hash, media_type, body, number FROM images ORDER BY number",
        )
        .fetch_all(&mut **sql)
        .await?;
        let message = |(number, token, sender, body, at): (_, _, _, Vec<u8>, _)| {
            (number, token, sender, Bytes::from(body), at)
        };
        let image = |(hash, media_type, body, number): (_, _, Vec<u8>, _)| {
            (hash, media_type, Bytes::from(body), number)
        };
        Ok(Dump {
            last,
            at,
            rewinds,
            facts,
            uses,
            captchas,
            captcha_uses,
            messages: messages.into_iter().map(message).collect(),
            images: images.into_iter().map(image).collect(),
        })
    }
}

/// Stands in a folder for the description of its platform while an import into it is not finished.
pub(crate) const IMPORTING: &str = "importing";

impl Store {
    /// Imports a dump into a database that has never been written to, or by an import that was not finished; all or nothing. In a folder it
    /// counts as unfinished until the folder's description of its platform takes the place of [`IMPORTING`].
    pub(crate) async fn fill(&self, dump: &Dump) -> Result<(), StoreError> {
        let mut sql = Sql::begin(&self.pool).await?;
        if self.is_kept() {
            let begun = sqlx::query("DELETE FROM platform WHERE body = $1").bind(IMPORTING);
            if begun.execute(&mut *sql).in_time().await?.rows_affected() > 0 {
                for table in NUMBERED {
                    let all = sqlx::query(sqlx::AssertSqlSafe(format!("DELETE FROM {table}")));
                    all.execute(&mut *sql).in_time().await?;
                }
                sqlx::query("UPDATE progress SET last = 0").execute(&mut *sql).in_time().await?;
            }
            let begins = sqlx::query("INSERT INTO platform (body) VALUES ($1)").bind(IMPORTING);
            begins.execute(&mut *sql).in_time().await?;
        }
        if !locks::start_after(&mut sql, self.is_shared(), dump.last).await? {
            return Err(StoreError::NotEmpty);
        }
        let counted = sqlx::query("UPDATE progress SET at = $1, rewinds = $2");
        counted.bind(dump.at).bind(dump.rewinds).execute(&mut *sql).await?;
        for (number, once, body) in &dump.facts {
            let row = sqlx::query("INSERT INTO facts (number, once, body) VALUES ($1, $2, $3)");
            row.bind(number).bind(once).bind(body).execute(&mut *sql).await?;
        }
        for (rule, key, at, number) in &dump.uses {
            let row = sqlx::query("INSERT INTO uses (rule, key, at, number) VALUES ($1, $2, $3, $4)");
            row.bind(rule).bind(key).bind(at).bind(number).execute(&mut *sql).await?;
        }
        for (hash, expires_at, number) in &dump.captchas {
            let row = sqlx::query("INSERT INTO captchas (hash, expires_at, number) VALUES ($1, $2, $3)");
            row.bind(hash).bind(expires_at).bind(number).execute(&mut *sql).await?;
        }
        for (hash, number) in &dump.captcha_uses {
            let row = sqlx::query("INSERT INTO captcha_uses (hash, number) VALUES ($1, $2)");
            row.bind(hash).bind(number).execute(&mut *sql).await?;
        }
        for (number, token, sender, body, at) in &dump.messages {
            let row = sqlx::query(
                "INSERT INTO messages (number, token, sender, body, at) VALUES ($1, $2, $3, $4, $5)",
            );
            let row = row.bind(number).bind(token).bind(sender).bind(body.to_vec()).bind(at);
            row.execute(&mut *sql).await?;
        }
        for (hash, media_type, body, number) in &dump.images {
            let row =
                sqlx::query("INSERT INTO images (hash, media_type, body, number) VALUES ($1, $2, $3, $4)");
            row.bind(hash).bind(media_type).bind(body.to_vec()).bind(number).execute(&mut *sql).await?;
        }
        sql.commit().await?;
        self.latest.send_replace(dump.facts.last().map_or(0, |(number, ..)| *number));
        Ok(())
    }
}
