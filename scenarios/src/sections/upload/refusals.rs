//! Uploads that are refused: for their fields, their file, its size, their captcha.
use image::ImageFormat;

use super::images::{picture, png_of};
use super::{LARGEST, PATH, Part, Uploads, form, request, url};
use crate::limits::around_expiry;
use crate::prelude::*;

clause! {
    UP_FIELDS = "UP-FIELDS" (S7, S185, S186, S191, S304): "File, captcha token and wallet address must be given, else 400.";
    check!("upload-fields" [Exclusive; Rest, Control] fields:
        "leaves each field out, doubles it, and sends what it cannot be");
}
pub(super) async fn fields(trial: &Trial<'_>) -> Verdict {
    let mut uploads = Uploads::open(trial)?;
    let wallet = uploads.wallet();
    let file = picture(ImageFormat::Png, 1)?;
    let whole = uploads.form(&file, wallet).await?;
    let causes = ["upload-file", "upload-captcha-field", "upload-wallet"];
    for (place, cause) in causes.into_iter().enumerate() {
        let mut without = whole.clone();
        without.remove(place);
        let mut empty = whole.clone();
        empty[place].2.clear();
        let mut twice = whole.clone();
        twice.push(whole[place].clone());
        for form in [without, empty, twice] {
            trial.refused(&uploads.send(&form).await?, 400, &[cause]).await?;
        }
    }
    for wallet in ["wallet", "0x12", "0xzz00000000000000000000000000000000000000"] {
        let mut form = whole.clone();
        form[2].2 = wallet.into();
        trial.refused(&uploads.send(&form).await?, 400, &["upload-wallet"]).await?;
    }
    let mut form = whole.clone();
    form.push(("socialCreatorProof", None, "perhaps".into()));
    trial.refused(&uploads.send(&form).await?, 400, &["upload-social"]).await?;
    let mut cut = request(trial.rest()?, &whole);
    let length = cut.body.as_ref().map_or(0, Vec::len);
    cut.body.as_mut().expect("a form has a body").truncate(length - 20);
    trial.refused(&trial.http().send(cut).await?, 400, &["upload-form"]).await?;
    let bare = Request::post_json(trial.rest()?, PATH, &json!({ "walletAddress": wallet }));
    let response = trial.http().send(bare).await?;
    let code = response.code();
    trial.shows(&response, matches!(code, 400 | 415), "a refusal: 400 or 415")?;
    trial.refused(&response, code, &["upload-content-type"]).await?;
    trial.ok_json(&uploads.send(&whole).await?).map(drop)
}

clause! {
    UP_IMAGE = "UP-IMAGE" (S7, S183, S304): "Only what decodes as an image is taken, whatever it is called.";
    check!("upload-image" [Exclusive; Rest, Control] image:
        "sends images of four formats under other names, and other files named as images");
}
pub(super) async fn image(trial: &Trial<'_>) -> Verdict {
    let mut uploads = Uploads::open(trial)?;
    for (format, name) in [
        (ImageFormat::Png, "notes.txt"),
        (ImageFormat::Jpeg, "logo.svg"),
        (ImageFormat::Gif, "page.html"),
        (ImageFormat::WebP, "logo"),
    ] {
        let wallet = uploads.wallet();
        let mut form = uploads.form(&picture(format, 2)?, wallet).await?;
        form[0].1 = Some(name);
        trial.ok_json(&uploads.send(&form).await?)?;
    }
    let wallet = uploads.wallet();
    let captcha = uploads.control.captcha().await?;
    for file in no_pictures()? {
        let response = uploads.send(&form(&file, &captcha, wallet)).await?;
        trial.refused(&response, 400, &["upload-image"]).await?;
    }
    // None of these has used the captcha up.
    let response = uploads.send(&form(&picture(ImageFormat::Png, 3)?, &captcha, wallet)).await?;
    trial.ok_json(&response)?;
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
        trailer(trial, &mut uploads, &picture(format, 5)?).await?;
    }
    Ok(())
}

/// What follows an image in its file is refused with it, or dropped: nobody is ever served anything but the image.
async fn trailer(trial: &Trial<'_>, uploads: &mut Uploads<'_>, image: &[u8]) -> Verdict {
    let wallet = uploads.wallet();
    let file = [image, b"<script>alert(1)</script>"].concat();
    let response = uploads.send(&uploads.form(&file, wallet).await?).await?;
    if response.code() == 400 {
        return trial.refused(&response, 400, &["upload-image"]).await.map(drop);
    }
    let body = trial.ok_json(&response)?;
    let mut request = Request::get(trial.rest()?, "/", &[]);
    request.url = url(trial, &response, &body)?;
    let served = trial.http().send(request).await?;
    trial.shows(&served, served.body == image, "the image alone, without what followed it in the file")
}

/// Files that are called images and are none.
fn no_pictures() -> Verdict<Vec<Vec<u8>>> {
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
    let mut files: Vec<Vec<u8>> =
        ["text", svg, "<html></html>", "%PDF-1.7\n", "GIF89a", "\u{89}PNG\r\n\u{1a}\n", "RIFF\0\0\0\0WEBP"]
            .map(|text| text.as_bytes().to_vec())
            .into();
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
        let whole = picture(format, 4)?;
        files.push(whole[..whole.len() / 2].to_vec());
    }
    // A small file that says it is four thousand million pixels.
    let mut bomb = picture(ImageFormat::Gif, 4)?;
    bomb[6..10].copy_from_slice(&[0xff; 4]);
    files.push(bomb);
    Ok(files)
}

clause! {
    UP_SIZE = "UP-SIZE" (S7, S184, S304, S321): "Five MiB are taken, one byte more is not.";
    check!("upload-size" [Exclusive; Rest, Control] size: "sends images of exactly 5 MiB and of one byte more");
}
pub(super) async fn size(trial: &Trial<'_>) -> Verdict {
    let mut uploads = Uploads::open(trial)?;
    let wallet = uploads.wallet();
    let over = uploads.form(&png_of(LARGEST + 1)?, wallet).await?;
    trial.refused(&uploads.send(&over).await?, 413, &["upload-size"]).await?;
    uploads.upload(&png_of(LARGEST)?, wallet).await.map(drop)
}

clause! {
    UP_CAPTCHA = "UP-CAPTCHA" (S7, S105, S106, S185, S295, S304, S306):
        "A captcha token serves once and expires; after that it is 403 and named as such.";
    check!("upload-captcha" [Exclusive; Rest, Control] captcha:
        "uploads with a captcha that is unknown, used, expired, left by a refusal, and 64 times at once");
}
pub(super) async fn captcha(trial: &Trial<'_>) -> Verdict {
    const RUNNERS: usize = 64;
    let mut uploads = Uploads::open(trial)?;
    let wallet = uploads.wallet();
    let file = picture(ImageFormat::Png, 5)?;
    let unknown = uploads.send(&form(&file, &"0".repeat(64), wallet)).await?;
    trial.refused(&unknown, 403, &["captcha-unknown"]).await?;

    let used = uploads.form(&file, wallet).await?;
    trial.ok_json(&uploads.send(&used).await?)?;
    spent(trial, &uploads.send(&used).await?, "captcha-used").await?;

    let origin = trial.rest()?;
    let responses =
        around_expiry(trial, |captcha| Ok(request(origin, &form(&file, &captcha, uploads.wallet()))));
    let [taken, late] = responses.await?;
    trial.status(&taken, 200)?;
    spent(trial, &late, "captcha-expired").await?;

    let wallet = uploads.wallet();
    let race: Vec<Part> = uploads.form(&file, wallet).await?;
    let responses = all_settled((0..RUNNERS).map(|_| uploads.send(&race))).await?;
    let (won, lost): (Vec<&Response>, Vec<&Response>) =
        responses.iter().partition(|response| response.code() == 200);
    trial.equal(&responses[0], "uploads that were taken", &1, &won.len())?;
    for response in lost {
        spent(trial, response, "captcha-used").await?;
    }
    Ok(())
}

/// 403, and the answer asks the client for a new captcha.
async fn spent(trial: &Trial<'_>, response: &Response, cause: &str) -> Verdict {
    trial.status(response, 403)?;
    let text = String::from_utf8_lossy(&response.body);
    trial.shows(response, text.contains("timeout-or-duplicate"), "timeout-or-duplicate in the body")?;
    trial.refused(response, 403, &[cause]).await.map(drop)
}
