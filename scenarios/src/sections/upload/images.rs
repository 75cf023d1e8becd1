//! Images for uploads, and how accepted ones are served.
use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use url::Url;

use super::{Uploads, read_back, url};
use crate::model::shown::readable;
use crate::prelude::*;
use crate::sections::meaning::FIG_UPLOAD;

/// Least cache lifetime that counts as long, in seconds.
const LONG: u64 = 24 * 60 * 60;

/// Generates a different picture for each number.
pub(in crate::sections) fn picture(format: ImageFormat, number: u32) -> Verdict<Vec<u8>> {
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

/// Generates a PNG of exactly this many bytes, padded by one chunk that readers skip.
pub(super) fn png_of(length: usize) -> Verdict<Vec<u8>> {
    const HEADER: usize = 33;
    let mut bytes = picture(ImageFormat::Png, 0)?;
    let filling = length.saturating_sub(bytes.len() + 12);
    let mut chunk = u32::try_from(filling).unwrap_or(u32::MAX).to_be_bytes().to_vec();
    let body = [b"slIp", vec![0x5a; filling].as_slice()].concat();
    chunk.extend(&body);
    chunk.extend(crc32fast::hash(&body).to_be_bytes());
    bytes.splice(HEADER..HEADER, chunk);
    Ok(bytes)
}

clause! {
    UP_OK = "UP-OK" (S187, S188, S189):
        "The returned address serves the image to anyone, and the answer has a social proof, or null.";
    check!("upload-serves" [Exclusive; Rest, Control] serves:
        "reads what was uploaded back from its address, with and without the social flag, and again after another image");
}
pub(super) async fn serves(trial: &Trial<'_>) -> Verdict {
    let mut uploads = Uploads::open(trial).await?;
    trial.looks_at(["S187", "S189"]);
    // Only the target file says which address is the image CDN's.
    trial.looks_at(trial.target().conventions.image_cdn.is_some().then_some("S188"));
    let (wallet, chosen) = (uploads.wallet(), trial.by(&UP_SERVED));
    let mut stored = 0;
    for (format, media_type) in [
        (ImageFormat::Png, "image/png"),
        (ImageFormat::Jpeg, "image/jpeg"),
        (ImageFormat::WebP, "image/webp"),
    ] {
        let file = picture(format, 1)?;
        let response = uploads.send(&uploads.form(&file, wallet).await?).await?;
        // Which formats are taken is left open.
        if response.code() == 400 {
            chosen.require(&response, false, &format!("{media_type} is taken"))?;
            continue;
        }
        let body = trial.ok_json(&response)?;
        stored += 1;
        let proof = body.get("socialHumanProof");
        trial.require(&response, proof.is_some(), "socialHumanProof")?;
        // When there is a proof is left open.
        chosen.require_equal(&response, "socialHumanProof", &Some(&Value::Null), &proof)?;
        is_of_the_cdn(trial, &response, &body)?;
        served(trial, &response, &body, &file, media_type).await?;
    }
    trial.require("the answers above", stored != 0, "an image of one of three formats is taken")?;
    keeps_its_address(trial, &mut uploads).await?;
    let wallet = uploads.wallet();
    let file = picture(ImageFormat::Png, 2)?;
    for flag in ["false", "true"] {
        let (response, body) = with_flag(&uploads, &file, wallet, flag).await?;
        let proof = body.get("socialHumanProof");
        trial.require(&response, proof.is_some(), "socialHumanProof")?;
        let fits = flag == "true" || proof.is_some_and(Value::is_null);
        chosen.require_or(&response, fits, "no social proof unless asked for", || readable(&proof))?;
        is_of_the_cdn(trial, &response, &body)?;
        served(trial, &response, &body, &file, "image/png").await?;
    }
    Ok(())
}

/// The URL of an image still serves it once the wallet has uploaded another one.
async fn keeps_its_address(trial: &Trial<'_>, uploads: &mut Uploads<'_>) -> Verdict {
    let wallet = uploads.wallet();
    let (response, body) = uploads.upload(&picture(ImageFormat::Png, 10)?, wallet).await?;
    let first = read_back(trial, &response, &body).await?;
    uploads.upload(&picture(ImageFormat::Png, 11)?, wallet).await?;
    let again = read_back(trial, &response, &body).await?;
    let expected = "the same image after the wallet has uploaded another one";
    trial.require_or(&again, again.body == first.body, expected, || {
        format!("{} other bytes", again.body.len())
    })
}

/// The URL of an image is under the declared base URL of the image CDN.
fn is_of_the_cdn(trial: &Trial<'_>, response: &Response, body: &Value) -> Verdict {
    let Some(cdn) = &trial.target().conventions.image_cdn else { return Ok(()) };
    let image = url(trial, response, body)?;
    trial
        .require_or(response, is_under(cdn, &image), &format!("an address under {cdn}"), || image.to_string())
}

/// Whether a URL is below another one, by whole path segments.
fn is_under(cdn: &Url, image: &Url) -> bool {
    let rest = image.path().strip_prefix(cdn.path().trim_end_matches('/'));
    cdn.origin() == image.origin() && rest.is_some_and(|rest| rest.starts_with('/') && rest.len() > 1)
}

/// Uploads an image with the social flag.
pub(in crate::sections) async fn with_flag(
    uploads: &Uploads<'_>,
    file: &[u8],
    wallet: Address,
    flag: &str,
) -> Verdict<(Response, Value)> {
    let mut form = uploads.form(file, wallet).await?;
    form.push(("socialCreatorProof", None, flag.into()));
    uploads.trial.with_json(uploads.send(&form).await?)
}

/// The URL serves an image to anyone; that its bytes are unchanged is a choice.
pub(in crate::sections) async fn served(
    trial: &Trial<'_>,
    response: &Response,
    body: &Value,
    file: &[u8],
    media_type: &str,
) -> Verdict<Response> {
    let image = read_back(trial, response, body).await?;
    trial.succeeded(&image)?;
    let shown = image.header("content-type").unwrap_or_default();
    trial.require_or(&image, shown.starts_with("image/"), "an image", || readable(&shown))?;
    let chosen = trial.by_choice(&FIG_UPLOAD);
    let other = || format!("{} other bytes", image.body.len());
    chosen.require_or(&image, image.body == file, "the bytes that were uploaded", other)?;
    chosen.require_equal(&image, "Content-Type", &media_type, &shown)?;
    Ok(image)
}

clause! {
    UP_SERVED = "UP-SERVED" (choice S187, S188):
        "Images may be cached for long and are served as images only; the social flag brings a social proof.";
    check!("upload-kept" [Exclusive; Rest, Control] kept:
        "uploads with the social flag and looks at the proof and at the headers of the image");
}
pub(super) async fn kept(trial: &Trial<'_>) -> Verdict {
    let mut uploads = Uploads::open(trial).await?;
    let wallet = uploads.wallet();
    let file = picture(ImageFormat::Png, 8)?;
    let (response, body) = with_flag(&uploads, &file, wallet, "true").await?;
    let proof = body["socialHumanProof"].as_str().is_some_and(|proof| !proof.is_empty());
    trial.require_or(&response, proof, "a social proof when asked for", || body.to_string())?;
    let image = served(trial, &response, &body, &file, "image/png").await?;
    let cache = image.header("cache-control").unwrap_or_default();
    let age = cache.split(',').find_map(|part| part.trim().strip_prefix("max-age=")?.parse::<u64>().ok());
    let open = !cache.contains("private") && !cache.contains("no-store");
    let cached = open && age.is_some_and(|age| age >= LONG);
    trial.require_or(&image, cached, "a public Cache-Control of a day or longer", || cache.to_owned())?;
    trial.require_equal(
        &image,
        "X-Content-Type-Options",
        &Some("nosniff"),
        &image.header("x-content-type-options"),
    )
}

clause! {
    UP_HEADER = "UP-HEADER" (S190): "A header names how the image was stored.";
    check!("upload-header" [Exclusive; Rest, Control] header:
        "uploads and looks for the header that names the storage");
}
pub(super) async fn header(trial: &Trial<'_>) -> Verdict {
    let mut uploads = Uploads::open(trial).await?;
    let wallet = uploads.wallet();
    let (response, _) = uploads.upload(&picture(ImageFormat::Png, 3)?, wallet).await?;
    let storage = response.header("x-service-image-storage").unwrap_or_default();
    trial
        .require_or(&response, !storage.is_empty(), "X-Service-Image-Storage", || "no such header".to_owned())
}

#[cfg(test)]
mod tests {
    use super::is_under;

    #[test]
    fn images_are_below_their_cdn() {
        let under = |cdn: &str, image: &str| is_under(&cdn.parse().unwrap(), &image.parse().unwrap());
        for (cdn, image) in [
            ("https://img.example/cdn", "https://img.example/cdn/a.png"),
            ("https://img.example/cdn/", "https://img.example:443/cdn/a/b.png?v=1"),
            ("https://img.example", "https://IMG.example/a.png"),
        ] {
            assert!(under(cdn, image), "{image}");
        }
        for (cdn, image) in [
            ("https://img.example/cdn", "https://img.example/cdns/a.png"),
            ("https://img.example/cdn", "https://img.example/cdn/"),
            ("https://img.example/cdn", "https://img.example/cdn/../a.png"),
            ("https://img.example/cdn", "http://img.example/cdn/a.png"),
            ("https://img.example/cdn", "https://img.example:8443/cdn/a.png"),
            ("https://img.example/cdn", "https://img.example.org/cdn/a.png"),
        ] {
            assert!(!under(cdn, image), "{image}");
        }
    }
}
