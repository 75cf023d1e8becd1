//! Images to upload, and what becomes of those that are taken.
use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

use super::{Uploads, url};
use crate::prelude::*;

/// Least lifetime that counts as long, seconds.
const LONG: u64 = 24 * 60 * 60;

/// A picture of its own for each number.
pub(super) fn picture(format: ImageFormat, number: u32) -> Verdict<Vec<u8>> {
    let [first, second, third, _] = number.to_le_bytes();
    let pixels = RgbImage::from_fn(24, 16, |x, y| {
        let [x, y] = [x, y].map(|place| place.to_le_bytes()[0]);
        Rgb([x.wrapping_mul(9) ^ first, y.wrapping_mul(13) ^ second, x ^ y ^ third])
    });
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::from(pixels)
        .write_to(&mut bytes, format)
        .map_err(|error| Inconclusive::Harness { reason: format!("no image could be made: {error}") })?;
    Ok(bytes.into_inner())
}

/// A PNG of exactly so many bytes: one chunk that readers pass over fills it up.
pub(super) fn png_of(length: usize) -> Verdict<Vec<u8>> {
    const HEADER: usize = 33;
    let mut bytes = picture(ImageFormat::Png, 0)?;
    let filling = length.saturating_sub(bytes.len() + 12);
    let mut chunk = u32::try_from(filling).unwrap_or(u32::MAX).to_be_bytes().to_vec();
    let body: Vec<u8> = b"slIp".iter().copied().chain((0..filling).map(|_| 0x5a)).collect();
    chunk.extend(&body);
    chunk.extend(crc(&body).to_be_bytes());
    bytes.splice(HEADER..HEADER, chunk);
    Ok(bytes)
}

/// The check sum of a PNG chunk.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
    })
}

clause! {
    UP_OK = "UP-OK" (S7, S187, S188, S189, S304):
        "The address answered serves the very bytes to anyone for long; no social proof unless asked.";
    check!("upload-serves" [Exclusive; Rest, Control] serves:
        "reads what was uploaded back from its address, to the byte, and asks for the social proof");
}
pub(super) async fn serves(trial: &Trial<'_>) -> Verdict {
    let mut uploads = Uploads::open(trial)?;
    let wallet = uploads.wallet();
    for (format, media_type) in [
        (ImageFormat::Png, "image/png"),
        (ImageFormat::Jpeg, "image/jpeg"),
        (ImageFormat::WebP, "image/webp"),
    ] {
        let file = picture(format, 1)?;
        let (response, body) = uploads.upload(&file, wallet).await?;
        trial.equal(&response, "socialHumanProof", &Some(&Value::Null), &body.get("socialHumanProof"))?;
        served(trial, &response, &body, &file, media_type).await?;
    }
    let wallet = uploads.wallet();
    let file = picture(ImageFormat::Gif, 2)?;
    let mut addresses = Vec::new();
    for flag in ["false", "true"] {
        let mut form = uploads.form(&file, wallet).await?;
        form.push(("socialCreatorProof", None, flag.into()));
        let response = uploads.send(&form).await?;
        let body = trial.ok_json(&response)?;
        let proof = &body["socialHumanProof"];
        let fits = if flag == "true" {
            proof.as_str().is_some_and(|proof| !proof.is_empty())
        } else {
            proof.is_null()
        };
        trial.holds(&response, fits, &format!("a social proof only when asked for: {flag}"), || {
            proof.to_string()
        })?;
        served(trial, &response, &body, &file, "image/gif").await?;
        addresses.push(body["url"].clone());
    }
    Ok(())
}

/// The address serves the very bytes to anyone, as the image they are, for long, and not as anything else.
async fn served(
    trial: &Trial<'_>,
    response: &Response,
    body: &Value,
    file: &[u8],
    media_type: &str,
) -> Verdict {
    let mut request = Request::get(trial.rest()?, "/", &[]);
    request.url = url(trial, response, body)?;
    let image = trial.http().send(request).await?;
    trial.equal(&image, "the status", &200, &image.code())?;
    trial.holds(&image, image.body == file, "the bytes that were uploaded", || {
        format!("{} other bytes", image.body.len())
    })?;
    trial.equal(&image, "Content-Type", &Some(media_type), &image.header("content-type"))?;
    let cache = image.header("cache-control").unwrap_or_default();
    let age =
        cache.split(',').filter_map(|part| part.trim().strip_prefix("max-age=")?.parse::<u64>().ok()).next();
    let open = !cache.contains("private") && !cache.contains("no-store");
    if !open || age.is_none_or(|age| age < LONG) {
        return Err(trial.failure(&image, "a public Cache-Control of a day or longer", cache));
    }
    trial.equal(&image, "X-Content-Type-Options", &Some("nosniff"), &image.header("x-content-type-options"))
}

clause! {
    UP_HEADER = "UP-HEADER" (S7, S190, S304): "A header names how the image was stored.";
    check!("upload-header" [Exclusive; Rest, Control] header:
        "uploads and looks for the header that names the storage");
}
pub(super) async fn header(trial: &Trial<'_>) -> Verdict {
    let mut uploads = Uploads::open(trial)?;
    let wallet = uploads.wallet();
    let (response, _) = uploads.upload(&picture(ImageFormat::Png, 3)?, wallet).await?;
    let storage = response.header("x-service-image-storage").unwrap_or_default();
    trial.holds(&response, !storage.is_empty(), "X-Service-Image-Storage", || "no such header".to_owned())
}
