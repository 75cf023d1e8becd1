//! Defects of `POST /api/upload` and of the images it has taken.
use super::super::Act::{Everywhere, Tell};
use super::super::uploads;
use super::{Seed, seed};

const UPLOAD: &str = "/api/upload";

#[rustfmt::skip]
pub(super) const SEEDS: &[Seed] = &[
    seed("up-wallet-optional", &["UP-FIELDS"], "a form without a wallet is taken", Tell(UPLOAD, uploads::without_wallet)),
    seed("up-image-by-name", &["UP-IMAGE"], "what is named as an image is taken for one", Tell(UPLOAD, uploads::image_by_name)),
    seed("up-any-size", &["UP-SIZE"], "no file is too large", Tell(UPLOAD, uploads::any_size)),
    seed("up-size-decimal", &["UP-SIZE"], "five million bytes are the most", Tell(UPLOAD, uploads::decimal_size)),
    seed("up-captcha-again", &["UP-CAPTCHA"], "a captcha serves as often as one likes", Tell(UPLOAD, uploads::captcha_again)),
    seed("up-captcha-untold", &["UP-CAPTCHA"], "a client is not told that its captcha is used up", Tell(UPLOAD, uploads::captcha_untold)),
    seed("up-uncached", &["UP-OK"], "images must not be kept by anyone", Everywhere(uploads::uncached)),
    seed("up-proof-always", &["UP-OK"], "a social proof is there although nobody asked", Tell(UPLOAD, uploads::proof_always)),
    seed("up-storage-untold", &["UP-HEADER"], "the storage is not named", Tell(UPLOAD, uploads::storage_untold)),
    seed("up-wallet-unlimited", &["UP-RATE-WALLET"], "a wallet uploads as often as it likes", Tell(UPLOAD, uploads::wallet_unlimited)),
    seed("up-hours-unlimited", &["UP-RATE-IP"], "the uploads of an hour are not counted", Tell(UPLOAD, uploads::hours_unlimited)),
    seed("up-days-unlimited", &["UP-RATE-IP"], "the uploads of a day are not counted", Tell(UPLOAD, uploads::days_unlimited)),
];
