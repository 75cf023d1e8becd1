//! Rate limits of uploads, per wallet and per address.
use image::ImageFormat;

use super::images::picture;
use super::{Uploads, request};
use crate::client::message::FormPart;
use crate::prelude::*;
use crate::sections::service::limits::{Limit, at_the_edge, next_free, rate_limited, used_up};

const MINUTE: u64 = 60;
/// More uploads from one address than any limit allows at once.
const MOST_UPLOADS: usize = 200;

const WALLET: Limit = Limit { cause: "upload-rate-wallet", uses: 3, span: MINUTE };

clause! {
    UP_RATE_WALLET = "UP-RATE-WALLET" (S186, S304, S305, S319): "A wallet may upload three images a minute; the fourth is 429.";
    check!("upload-rate-wallet" [Exclusive; Rest, Control] wallet:
        "uploads three images for a wallet, the fourth, one for another wallet, and again around the minute");
}
pub(super) async fn wallet(trial: &Trial<'_>) -> Verdict {
    let mut uploads = Uploads::open(trial).await?;
    let (wallet, other) = (uploads.wallet(), uploads.wallet());
    let file = picture(ImageFormat::Png, 6)?;
    let free = used_up(trial, &WALLET, 9, |_| taken(&uploads, &file, wallet)).await?;
    refused(&uploads, &uploads.form(&file, wallet).await?, free).await?;
    // A wallet in lower case is the same wallet.
    refused(&uploads, &in_small_letters(&uploads, &file, wallet).await?, free).await?;
    taken(&uploads, &file, other).await?;
    let early = request(trial.rest()?, &in_small_letters(&uploads, &file, wallet).await?);
    let later = request(trial.rest()?, &in_small_letters(&uploads, &file, wallet).await?);
    let response = at_the_edge(trial, &WALLET, free, [early, later]).await?;
    trial.ok_json(&response)?;
    let next = next_free(trial, &response, free + 9)?;
    refused(&uploads, &uploads.form(&file, wallet).await?, next).await
}

/// Builds a form whose wallet is in lower case.
async fn in_small_letters(
    uploads: &Uploads<'_>,
    file: &[u8],
    wallet: Address,
) -> Verdict<Vec<FormPart<'static>>> {
    let mut form = uploads.form(file, wallet).await?;
    form[2].2 = format!("{wallet:#x}").into();
    Ok(form)
}

/// An upload is refused by the wallet's limit until a time.
async fn refused(uploads: &Uploads<'_>, form: &[FormPart<'_>], free: u64) -> Verdict {
    let (response, now) = uploads.trial.control()?.timed(uploads.send_once(form)).await?;
    uploads.trial.status(&response, 429)?;
    rate_limited(&uploads.trial, &WALLET, &response, &(free..=free), &now).await
}

/// The limits of one address, each with a longer window than the one before.
const ADDRESS: [Limit; 3] = [
    limit("upload-rate-ip-minute", 10, MINUTE),
    limit("upload-rate-ip-hour", 30, 60 * MINUTE),
    limit("upload-rate-ip-day", 100, 24 * 60 * MINUTE),
];

const fn limit(cause: &'static str, uses: u64, span: u64) -> Limit {
    Limit { cause, uses, span }
}

clause! {
    UP_RATE_IP = "UP-RATE-IP" (choice S7, S304, S320): "Limits per IP address grow stricter over longer windows.";
    check!("upload-rate-address" [Exclusive; Rest, Control] address:
        "uploads for a new wallet each time until the limits of a minute, an hour and a day are reached");
}
pub(super) async fn address(trial: &Trial<'_>) -> Verdict {
    trial.undone(of_an_address(trial)).await
}

async fn of_an_address(trial: &Trial<'_>) -> Verdict {
    let mut uploads = Uploads::open(trial).await?;
    // Afterwards every earlier upload of this address is a day old.
    uploads.trial.control()?.advance(24 * 60 * MINUTE).await?;
    let file = picture(ImageFormat::Png, 7)?;
    // Uses of the address since each window last ended.
    let mut used = [0_u64; ADDRESS.len()];
    for (place, limit) in ADDRESS.iter().enumerate() {
        while used[place] < limit.uses {
            leave_room(&uploads, place, &mut used).await?;
            let wallet = uploads.wallet();
            taken(&uploads, &file, wallet).await?;
            used.iter_mut().for_each(|uses| *uses += 1);
        }
        leave_room(&uploads, place, &mut used).await?;
        full(&mut uploads, limit, &file).await?;
        used.iter_mut().for_each(|uses| *uses += 1);
        uploads.trial.control()?.advance(limit.span).await?;
        used[..=place].fill(0);
    }
    Ok(())
}

clause! {
    UP_RATE_ANY = "UP-RATE-ANY" (S304, S320): "Uploads from one address are limited, whatever wallets they name.";
    check!("upload-rate-any" [Exclusive; Rest, Control] any_limit:
        "uploads for a new wallet each time, more often than a progressive limit of an address can allow within a minute");
}
pub(super) async fn any_limit(trial: &Trial<'_>) -> Verdict {
    trial.undone(is_limited_at_last(trial)).await
}

async fn is_limited_at_last(trial: &Trial<'_>) -> Verdict {
    let mut uploads = Uploads::open(trial).await?;
    uploads.trial.control()?.advance(24 * 60 * MINUTE).await?;
    let file = picture(ImageFormat::Png, 8)?;
    let mut last = None;
    for _ in 0..MOST_UPLOADS {
        let wallet = uploads.wallet();
        let response = uploads.send_once(&uploads.form(&file, wallet).await?).await?;
        if response.code() == 429 {
            return Ok(());
        }
        last = Some(response);
    }
    let last = last.expect("something was uploaded");
    trial.require(&last, false, &format!("429 after {MOST_UPLOADS} uploads from one address"))
}

/// Before a shorter window is full, waits until it has ended; the longest such window first.
async fn leave_room(uploads: &Uploads<'_>, place: usize, used: &mut [u64; ADDRESS.len()]) -> Verdict {
    if let Some(full) = (0..place).rev().find(|shorter| used[*shorter] + 1 >= ADDRESS[*shorter].uses) {
        uploads.trial.control()?.advance(ADDRESS[full].span).await?;
        used[..=full].fill(0);
    }
    Ok(())
}

/// Uploads a file, which no limit may refuse, and returns the answer.
async fn taken(uploads: &Uploads<'_>, file: &[u8], wallet: Address) -> Verdict<Response> {
    let response = uploads.send_once(&uploads.form(file, wallet).await?).await?;
    uploads.trial.succeeded(&response)?;
    Ok(response)
}

/// A limit is reached: it refuses the next upload, even for a new wallet, until a use is a window old; then an upload is accepted.
async fn full(uploads: &mut Uploads<'_>, limit: &Limit, file: &[u8]) -> Verdict {
    let wallet = uploads.wallet();
    let form = uploads.form(file, wallet).await?;
    let (response, now) = uploads.trial.control()?.timed(uploads.send_once(&form)).await?;
    let body = uploads.refused(&response, &[limit.cause]).await?;
    let reported = response.header_number("x-ratelimit-limit");
    uploads.trial.require_equal(&response, "X-RateLimit-Limit", &Some(limit.uses), &reported)?;
    let wait = body["retryAfter"].as_u64().unwrap_or_default();
    let within = (1..=limit.span).contains(&wait);
    uploads.trial.require_or(&response, within, "retryAfter within the window", || body.to_string())?;
    let free = now.start() + wait..=now.end() + wait;
    uploads.trial.control()?.reach(free.start() - 1).await?;
    let form = uploads.form(file, wallet).await?;
    let (response, now) = uploads.trial.control()?.timed(uploads.send_once(&form)).await?;
    // On a running clock, the use may already be available.
    if response.status.is_success() && now.end() >= free.start() {
        return Ok(());
    }
    rate_limited(&uploads.trial, limit, &response, &free, &now).await?;
    uploads.trial.control()?.reach(*free.end()).await?;
    taken(uploads, file, wallet).await.map(drop)
}
