//! How often may be uploaded: by a wallet, and from an address.
use image::ImageFormat;

use super::Uploads;
use super::images::picture;
use crate::check::Verdict;
use crate::expect::{equal, holds, ok_json};
use crate::limits::{Limit, told, used_up};
use crate::world::World;

const MINUTE: u64 = 60;

const WALLET: Limit = Limit { clause: "UP-RATE-WALLET", cause: "upload-rate-wallet", uses: 3, span: MINUTE };

pub(super) async fn wallet(world: &World) -> Verdict {
    const CLAUSE: &str = "UP-RATE-WALLET";
    let mut uploads = Uploads::open(world, "upload-rate-wallet")?;
    let (wallet, other) = (uploads.wallet(), uploads.wallet());
    let file = picture(ImageFormat::Png, 6)?;
    let first = uploads.control.now().await?;
    let mut free = 0;
    for number in 0..3 {
        if number == 1 {
            uploads.control.advance(9).await?;
        }
        let (answer, _) = uploads.upload(CLAUSE, &file, wallet).await?;
        free = told(&WALLET, &answer, 2 - number, first..=first + 1)?;
    }
    let mut fourth = uploads.form(&file, wallet).await?;
    let now = uploads.control.now().await?;
    used_up(world, &WALLET, &uploads.send(&fourth).await?, free - now).await?;
    // The same wallet in other letters is the same wallet.
    fourth[2].2.make_ascii_lowercase();
    fourth[2].2[1] = b'x';
    used_up(world, &WALLET, &uploads.send(&fourth).await?, free - now).await?;
    uploads.upload(CLAUSE, &file, other).await?;
    uploads.control.set_clock(free - 1).await?;
    used_up(world, &WALLET, &uploads.send(&fourth).await?, 1).await?;
    uploads.control.set_clock(free).await?;
    ok_json(CLAUSE, &uploads.send(&fourth).await?)?;
    let fifth = uploads.form(&file, wallet).await?;
    used_up(world, &WALLET, &uploads.send(&fifth).await?, 9).await
}

/// The limits of one address, each longer and stricter than the one before.
const ADDRESS: [Limit; 3] = [
    limit("upload-rate-ip-minute", 10, MINUTE),
    limit("upload-rate-ip-hour", 30, 60 * MINUTE),
    limit("upload-rate-ip-day", 100, 24 * 60 * MINUTE),
];

const fn limit(cause: &'static str, uses: u64, span: u64) -> Limit {
    Limit { clause: "UP-RATE-IP", cause, uses, span }
}

pub(super) async fn address(world: &World) -> Verdict {
    const CLAUSE: &str = "UP-RATE-IP";
    let mut uploads = Uploads::open(world, "upload-rate-address")?;
    // Whatever this address has uploaded before is a day old then.
    uploads.control.advance(24 * 60 * MINUTE).await?;
    let file = picture(ImageFormat::Png, 7)?;
    let mut taken = 0_u64;
    for limit in ADDRESS {
        while taken < limit.uses {
            let wallet = uploads.wallet();
            uploads.upload(CLAUSE, &file, wallet).await?;
            taken += 1;
            // A shorter window is waited out as soon as it is full.
            let shorter = ADDRESS.iter().rev().filter(|other| other.uses < limit.uses);
            if let Some(shorter) = shorter.into_iter().find(|other| taken.is_multiple_of(other.uses)) {
                uploads.control.advance(shorter.span).await?;
            }
        }
        full(&mut uploads, &limit, &file).await?;
    }
    let wallet = uploads.wallet();
    uploads.upload(CLAUSE, &file, wallet).await.map(drop)
}

/// A limit is reached: the next upload is refused by it, also for a wallet of its own, until a use is a window old.
async fn full(uploads: &mut Uploads<'_>, limit: &Limit, file: &[u8]) -> Verdict {
    const CLAUSE: &str = "UP-RATE-IP";
    let wallet = uploads.wallet();
    let form = uploads.form(file, wallet).await?;
    let answer = uploads.send(&form).await?;
    let body = uploads.world.refused(CLAUSE, &answer, 429, &[limit.cause]).await?;
    let told = answer.header("x-ratelimit-limit");
    equal(CLAUSE, &answer, "X-RateLimit-Limit", &Some(&*limit.uses.to_string()), &told)?;
    let wait = body["retryAfter"].as_u64().unwrap_or_default();
    holds(CLAUSE, &answer, (1..=limit.span).contains(&wait), "retryAfter within the window", || {
        body.to_string()
    })?;
    uploads.control.advance(wait - 1).await?;
    let form = uploads.form(file, wallet).await?;
    let answer = uploads.send(&form).await?;
    used_up(uploads.world, limit, &answer, 1).await?;
    uploads.control.advance(1).await?;
    Ok(())
}
