//! Captcha tokens: minted with an expiry, valid once. Only their hashes are stored, so the time of a look-up reveals nothing.
use alloy::primitives::keccak256;
use sqlx::{Any, Executor, Row};

use super::{InTime as _, Store, StoreError, Transaction, seconds};

/// The reason why a captcha token is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptchaRefusal {
    /// The token was never minted.
    Unknown,
    /// The token has expired.
    Expired,
    /// The token was already used.
    Used,
}

impl Store {
    /// Mints a token that is valid before `expires_at`; equal secrets yield equal sequences of tokens, without duplicates.
    pub async fn mint_captcha(&self, secret: &str, expires_at: u64, now: u64) -> Result<String, StoreError> {
        let mut transaction = self.write(now).await?;
        transaction.stamp().await?;
        let token = alloy::hex::encode(keccak256(format!("captcha {secret} {}", transaction.number)));
        sqlx::query("INSERT INTO captchas (hash, expires_at, number) VALUES ($1, $2, $3)")
            .bind(hash(&token))
            .bind(seconds(expires_at))
            .bind(transaction.number)
            .execute(&mut *transaction.sql)
            .in_time()
            .await?;
        transaction.commit().await?;
        Ok(token)
    }

    /// Whether a token is valid now; it is not used up.
    pub async fn check_captcha(
        &self,
        token: &str,
        now: u64,
    ) -> Result<Result<(), CaptchaRefusal>, StoreError> {
        standing(&self.pool, &hash(token), now).await
    }
}

impl Transaction {
    /// Uses a token up, if it is still valid.
    pub async fn use_captcha(
        &mut self,
        token: &str,
        now: u64,
    ) -> Result<Result<(), CaptchaRefusal>, StoreError> {
        let hash = hash(token);
        if let Err(refusal) = standing(&mut *self.sql, &hash, now).await? {
            return Ok(Err(refusal));
        }
        let done = sqlx::query(
            "INSERT INTO captcha_uses (hash, number) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING",
        )
        .bind(hash)
        .bind(self.number)
        .execute(&mut *self.sql)
        .in_time()
        .await?;
        Ok(if done.rows_affected() == 1 { Ok(()) } else { Err(CaptchaRefusal::Used) })
    }
}

async fn standing<'c>(
    database: impl Executor<'c, Database = Any>,
    hash: &str,
    now: u64,
) -> Result<Result<(), CaptchaRefusal>, StoreError> {
    let row = sqlx::query(
        "SELECT expires_at, (SELECT COUNT(*) FROM captcha_uses WHERE hash = $1) FROM captchas WHERE hash = $1",
    )
    .bind(hash)
    .fetch_optional(database)
    .in_time()
    .await?;
    let Some(row) = row else {
        return Ok(Err(CaptchaRefusal::Unknown));
    };
    if row.try_get::<i64, _>(0)? <= seconds(now) {
        return Ok(Err(CaptchaRefusal::Expired));
    }
    Ok(if row.try_get::<i64, _>(1)? == 0 { Ok(()) } else { Err(CaptchaRefusal::Used) })
}

fn hash(token: &str) -> String {
    alloy::hex::encode(keccak256(token))
}
