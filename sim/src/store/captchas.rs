//! Captcha tokens: minted with an end, good once. Only their hashes are kept, so a look-up tells nothing by its time.
use alloy::primitives::keccak256;
use sqlx::Row;

use super::{InTime as _, Store, StoreError, Transaction, seconds};

/// Why a captcha token does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptchaRefusal {
    /// It was never minted.
    Unknown,
    /// Its time is over.
    Expired,
    /// It was used.
    Used,
}

impl Store {
    /// Mints a token that is good before `expires_at`; equal secrets give equal rows of tokens, none of them twice.
    pub async fn mint_captcha(&self, secret: &str, expires_at: u64, now: u64) -> Result<String, StoreError> {
        let mut transaction = self.write(now).await?;
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
}

impl Transaction {
    /// Uses a token up, if it is still good.
    pub async fn use_captcha(
        &mut self,
        token: &str,
        now: u64,
    ) -> Result<Result<(), CaptchaRefusal>, StoreError> {
        let hash = hash(token);
        let row = sqlx::query("SELECT expires_at FROM captchas WHERE hash = $1")
            .bind(&hash)
            .fetch_optional(&mut *self.sql)
            .in_time()
            .await?;
        let Some(row) = row else {
            return Ok(Err(CaptchaRefusal::Unknown));
        };
        if row.try_get::<i64, _>(0)? <= seconds(now) {
            return Ok(Err(CaptchaRefusal::Expired));
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

fn hash(token: &str) -> String {
    alloy::hex::encode(keccak256(token))
}
