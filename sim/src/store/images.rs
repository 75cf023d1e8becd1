//! Uploaded images by the hash of their content; an image that already exists is not stored again.
use sqlx::Row;

use super::{InTime as _, Store, StoreError, Transaction};

/// An uploaded image.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// Its decoded format: `image/png`.
    pub media_type: String,
    /// The bytes as stored.
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for Image {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Image({}, {} bytes)", self.media_type, self.bytes.len())
    }
}

impl Store {
    /// The image with this hash.
    pub async fn image(&self, hash: &str) -> Result<Option<Image>, StoreError> {
        let row = sqlx::query("SELECT media_type, body FROM images WHERE hash = $1")
            .bind(hash)
            .fetch_optional(&self.pool)
            .in_time()
            .await?;
        row.map(|row| Ok(Image { media_type: row.try_get(0)?, bytes: row.try_get(1)? })).transpose()
    }
}

impl Transaction {
    /// Adds an image under its hash.
    pub async fn add_image(&mut self, hash: &str, image: &Image) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO images (hash, media_type, body, number) VALUES ($1, $2, $3, $4) ON CONFLICT (hash) DO NOTHING",
        )
        .bind(hash)
        .bind(&image.media_type)
        .bind(&image.bytes)
        .bind(self.number)
        .execute(&mut *self.sql)
        .in_time().await?;
        Ok(())
    }
}
