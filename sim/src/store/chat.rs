//! Chat messages, by token.
use alloy::primitives::Address;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::{InTime as _, Store, StoreError, Transaction, seconds};

/// Longest message, in Unicode scalar values.
pub(crate) const LONGEST_MESSAGE: usize = 500;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Unique id, never reused.
    pub id: i64,
    pub token: Address,
    pub sender: Address,
    /// The text, any Unicode.
    pub text: String,
    /// Time of posting, Unix seconds.
    pub at: u64,
}

impl Store {
    /// The messages about a token, newest first.
    pub async fn messages(
        &self,
        token: Address,
        offset: u64,
        limit: u64,
    ) -> Result<Vec<Message>, StoreError> {
        let rows = sqlx::query(
            "SELECT number, sender, body, at FROM messages WHERE token = $1 ORDER BY number DESC LIMIT $2 OFFSET $3",
        )
        .bind(token.to_string())
        .bind(seconds(limit))
        .bind(seconds(offset))
        .fetch_all(&self.pool)
        .in_time().await?;
        rows.iter().map(|row| Ok(message(token, row)?)).collect()
    }
}

impl Transaction {
    /// Adds a message.
    pub async fn add_message(
        &mut self,
        token: Address,
        sender: Address,
        text: &str,
        now: u64,
    ) -> Result<Message, StoreError> {
        // Stored as bytes, because a database server does not accept text with a NUL.
        sqlx::query("INSERT INTO messages (number, token, sender, body, at) VALUES ($1, $2, $3, $4, $5)")
            .bind(self.number)
            .bind(token.to_string())
            .bind(sender.to_string())
            .bind(text.as_bytes())
            .bind(seconds(now))
            .execute(&mut *self.sql)
            .in_time()
            .await?;
        Ok(Message { id: self.number, token, sender, text: text.to_owned(), at: now })
    }
}

fn message(token: Address, row: &AnyRow) -> Result<Message, sqlx::Error> {
    let decoded = |error| sqlx::Error::Decode(Box::new(error));
    Ok(Message {
        id: row.try_get(0)?,
        token,
        sender: row.try_get::<&str, _>(1)?.parse().map_err(|error| sqlx::Error::Decode(Box::new(error)))?,
        text: String::from_utf8(row.try_get(2)?).map_err(decoded)?,
        at: u64::try_from(row.try_get::<i64, _>(3)?).unwrap_or_default(),
    })
}
