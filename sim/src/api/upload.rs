//! Uploaded images: rate limits for uploads, and the URLs of images.
//!
//! Clause: UP-RATE-WALLET, UP-RATE-ANY, UP-RATE-IP
use std::net::IpAddr;

use alloy::primitives::{Address, keccak256};
use sha2::{Digest, Sha256};

use super::Api;
use super::limits::{RateLimit, RateLimitStatus};
use super::picture::{PictureKind, stored};
use super::refusal::{Reason, Refusal};
use super::transfer_slots::{Slot, Transfer};
use crate::store::Image;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

const WALLET: RateLimit = rule("upload-rate-wallet", 3, MINUTE);
/// Upload limits for one address, stricter for longer spans.
const ADDRESS: [RateLimit; 3] = [
    rule("upload-rate-ip-minute", 10, MINUTE),
    rule("upload-rate-ip-hour", 30, HOUR),
    rule("upload-rate-ip-day", 100, DAY),
];

/// Limit on refused images from one address, since each takes the decoder's time.
const REFUSED: RateLimit = rule("upload-rate-refused", 20, MINUTE);

const fn rule(name: &'static str, limit: u32, span: u64) -> RateLimit {
    RateLimit { name, limit, span }
}

#[derive(Clone, Debug)]
pub(crate) struct Upload {
    pub file: Vec<u8>,
    pub captcha: String,
    pub wallet: Address,
    /// Whether the caller requests a proof that a human uploaded it.
    pub social_proof: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Uploaded {
    pub url: String,
    pub social_proof: Option<String>,
    pub rate_limit: RateLimitStatus,
}

/// Message of the refusal when the decoder itself fails.
pub(crate) const UNEXAMINED: &str = "the image could not be examined";

impl Api {
    /// Accepts an image. The captcha token is used up and the upload counted only if every other check passes; images that are refused have
    /// a limit of their own.
    ///
    /// Clause: UP-CAPTCHA
    pub(crate) async fn upload(&self, upload: Upload, caller: IpAddr) -> Result<Uploaded, Refusal> {
        let Upload { file, captcha, wallet, social_proof } = upload;
        let now = self.clock.now();
        let (wallet_key, caller_key) = (wallet.to_string(), caller.to_string());
        let mut rules = vec![(&WALLET, &*wallet_key)];
        rules.extend(ADDRESS.iter().map(|rule| (rule, &*caller_key)));
        // Decoding is expensive, so callers over a limit are refused before it.
        let before = [&rules[..], &[(&REFUSED, &caller_key)]].concat();
        self.store.check_limits(&before, now).await??;
        self.store.check_captcha(&captcha, now).await??;
        let (kind, bytes) = match self.decoded(file).await {
            Err(refusal) if refusal.reason == Reason::BadInput => {
                self.count(&REFUSED, &caller_key).await?;
                return Err(refusal);
            }
            decoded => decoded?,
        };
        let hash = alloy::hex::encode(Sha256::digest(&bytes));
        let stay = self.engine.stay().await;
        let now = self.clock.now();
        let mut transaction = self.engine.write(&stay, now).await?;
        let rate_limit = transaction.take(&rules, now).await??;
        transaction.use_captcha(&captcha, now).await??;
        let image = Image { media_type: kind.media_type.to_owned(), bytes };
        transaction.add_image(&hash, &image).await?;
        transaction.commit().await?;
        Ok(Uploaded {
            url: format!("{}/cdn/{hash}.{}", self.settings.image_origin, kind.ending),
            social_proof: social_proof.then(|| self.social_proof(wallet, &hash, now)),
            rate_limit,
        })
    }

    /// An uploaded image by its hash.
    pub(crate) async fn image(&self, hash: &str) -> Result<Option<Image>, Refusal> {
        Ok(self.store.image(hash).await?)
    }

    /// A slot for an upload or a download by this caller.
    pub(crate) async fn transfer_slot(&self, transfer: Transfer, caller: IpAddr) -> Result<Slot, Refusal> {
        self.transfer_slots.acquire(transfer, caller).await
    }

    async fn decoded(&self, file: Vec<u8>) -> Result<(PictureKind, Vec<u8>), Refusal> {
        let examined = self.decoder.run(move || stored(&file)).await;
        let picture = examined.ok_or_else(|| Refusal::internal("upload-decoder", UNEXAMINED))?;
        picture.map_err(|error| Refusal::bad_input("upload-image", error.to_string()))
    }

    /// Signs with the operator's key that a wallet's image came with a solved captcha.
    fn social_proof(&self, wallet: Address, hash: &str, now: u64) -> String {
        let said = format!("{wallet}.{hash}.{now}");
        let seal = keccak256(format!("social human proof {} {said}", self.settings.operator_key));
        format!("{said}.{}", alloy::hex::encode(seal))
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::Address;

    use super::{Api, REFUSED, Upload};
    use crate::state::State;

    #[tokio::test]
    async fn refused_images_are_limited_too() {
        let api = Api::for_test(State::default(), 1_800_000_000).await;
        let captcha = api.mint_captcha(300).await.unwrap().token;
        let refused = async |address: &str| {
            let upload = Upload {
                file: b"no image".to_vec(),
                captcha: captcha.clone(),
                wallet: Address::repeat_byte(1),
                social_proof: false,
            };
            api.upload(upload, address.parse().unwrap()).await.unwrap_err().cause
        };
        for _ in 0..REFUSED.limit {
            assert_eq!(refused("192.0.2.1").await, "upload-image");
        }
        assert_eq!(refused("192.0.2.1").await, REFUSED.name);
        assert_eq!(refused("192.0.2.2").await, "upload-image");
        api.show_time(1_800_000_000 + REFUSED.span);
        assert_eq!(refused("192.0.2.1").await, "upload-image");
    }
}
