//! Uploads that are refused because of their fields, file, size or captcha.
use image::ImageFormat;

use super::images::{UP_SERVED, picture, png_of};
use super::{LARGEST, PATH, Uploads, form, read_back, request};
use crate::client::message::FormPart;
use crate::prelude::*;
use crate::sections::service::answers::SVC_CHOSEN;
use crate::sections::service::limits::around_expiry;

clause! {
    UP_FIELDS = "UP-FIELDS" (S185, S186, S191, S304): "File, captcha token and wallet address are required.";
    check!("upload-fields" [Exclusive; Rest, Control] fields:
        "leaves each field out, doubles it, and sends what it cannot be");
}
pub(super) async fn fields(trial: &Trial<'_>) -> Verdict {
    let mut uploads = Uploads::open(trial).await?;
    let wallet = uploads.wallet();
    let file = picture(ImageFormat::Png, 1)?;
    let causes = ["upload-file", "upload-captcha-field", "upload-wallet"];
    for (place, cause) in causes.into_iter().enumerate() {
        let mut without = uploads.form(&file, wallet).await?;
        without.remove(place);
        let mut empty = uploads.form(&file, wallet).await?;
        empty[place].2.clear();
        for form in [without, empty] {
            uploads.refused(&uploads.send(&form).await?, &[cause]).await?;
        }
        let mut twice = uploads.form(&file, wallet).await?;
        twice.push(twice[place].clone());
        odd(&uploads, &twice, cause).await?;
    }
    for text in ["wallet", "0x12", "0xzz00000000000000000000000000000000000000"] {
        let mut form = uploads.form(&file, wallet).await?;
        form[2].2 = text.into();
        odd(&uploads, &form, "upload-wallet").await?;
    }
    let mut form = uploads.form(&file, wallet).await?;
    form.push(("socialCreatorProof", None, "perhaps".into()));
    odd(&uploads, &form, "upload-social").await?;
    let mut cut = request(trial.rest()?, &uploads.form(&file, wallet).await?);
    let length = cut.body.as_ref().map_or(0, Vec::len);
    cut.body.as_mut().expect("a form has a body").truncate(length - 20);
    uploads.refused(&trial.http().send(cut).await?, &["upload-form"]).await?;
    let bare = Request::post_json(trial.rest()?, PATH, &json!({ "walletAddress": wallet }));
    uploads.refused(&trial.http().send(bare).await?, &["upload-content-type"]).await?;
    let wallet = uploads.wallet();
    uploads.upload(&file, wallet).await.map(drop)
}

/// Sends a form that the interface does not forbid: refusing it is a choice.
async fn odd(uploads: &Uploads<'_>, form: &[FormPart<'_>], cause: &str) -> Verdict {
    let response = uploads.send(form).await?;
    if response.status.is_success() {
        return uploads.trial.by(&SVC_CHOSEN).require(&response, false, "a refusal");
    }
    uploads.refused(&response, &[cause]).await.map(drop)
}

clause! {
    UP_IMAGE = "UP-IMAGE" (S183, S304): "Only a file that decodes as an image is accepted, whatever its name.";
    check!("upload-image" [Exclusive; Rest, Control] image:
        "sends images of four formats under other names, and other files named as images");
}
pub(super) async fn image(trial: &Trial<'_>) -> Verdict {
    let mut uploads = Uploads::open(trial).await?;
    let mut taken = 0;
    for (format, name) in [
        (ImageFormat::Png, "notes.txt"),
        (ImageFormat::Jpeg, "logo.svg"),
        (ImageFormat::Gif, "page.html"),
        (ImageFormat::WebP, "logo"),
    ] {
        let wallet = uploads.wallet();
        let mut form = uploads.form(&picture(format, 2)?, wallet).await?;
        form[0].1 = Some(name);
        let response = uploads.send(&form).await?;
        // Which formats are taken is left open.
        if response.code() == 400 {
            trial.by(&UP_SERVED).require(&response, false, &format!("{format:?} is taken"))?;
            continue;
        }
        trial.ok_json(&response)?;
        taken += 1;
    }
    trial.require("four files under other names", taken != 0, "an image of one of four formats is taken")?;
    let wallet = uploads.wallet();
    for file in no_pictures()? {
        let response = uploads.send(&uploads.form(&file, wallet).await?).await?;
        uploads.refused(&response, &["upload-image"]).await?;
    }
    // A refused form does not use up its captcha; this is a choice.
    let captcha = uploads.trial.captcha().await?;
    uploads.send(&form(b"no image", &captcha, wallet)).await?;
    let response = uploads.send(&form(&picture(ImageFormat::Png, 3)?, &captcha, wallet)).await?;
    trial.by(&SVC_CHOSEN).succeeded(&response)?;
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
        trailer(trial, &mut uploads, &picture(format, 5)?).await?;
    }
    Ok(())
}

/// Bytes after an image in its file are refused with it, or dropped, so that only the image is ever served; this is a choice.
async fn trailer(trial: &Trial<'_>, uploads: &mut Uploads<'_>, image: &[u8]) -> Verdict {
    let wallet = uploads.wallet();
    let file = [image, b"<script>alert(1)</script>"].concat();
    let response = uploads.send(&uploads.form(&file, wallet).await?).await?;
    if !response.status.is_success() {
        return uploads.refused(&response, &["upload-image"]).await.map(drop);
    }
    let body = trial.ok_json(&response)?;
    let served = read_back(trial, &response, &body).await?;
    let other = || format!("{} bytes of {}", served.body.len(), file.len());
    let expected = "the image alone, without what followed it in the file";
    trial.by(&SVC_CHOSEN).require_or(&served, served.body == image, expected, other)
}

/// Returns files that claim to be images but are not.
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
    // A small file whose header declares four billion pixels.
    let mut bomb = picture(ImageFormat::Gif, 4)?;
    bomb[6..10].copy_from_slice(&[0xff; 4]);
    files.push(bomb);
    Ok(files)
}

clause! {
    UP_SIZE = "UP-SIZE" (S184, S304, S321): "A file of five MiB is accepted, one byte more is not.";
    check!("upload-size" [Exclusive; Rest, Control] size: "sends images of exactly 5 MiB and of one byte more");
}
pub(super) async fn size(trial: &Trial<'_>) -> Verdict {
    let mut uploads = Uploads::open(trial).await?;
    let wallet = uploads.wallet();
    let over = uploads.form(&png_of(LARGEST + 1)?, wallet).await?;
    uploads.refused(&uploads.send(&over).await?, &["upload-size"]).await?;
    uploads.upload(&png_of(LARGEST)?, wallet).await.map(drop)
}

clause! {
    UP_CAPTCHA = "UP-CAPTCHA" (S105, S106, S185, S295, S304, S306):
        "A captcha token is accepted once and expires; after that the refusal says so.";
    check!("upload-captcha" [Exclusive; Rest, Control] captcha:
        "uploads with a captcha that is unknown, used, expired, left by a refusal, and 64 times at once");
}
pub(super) async fn captcha(trial: &Trial<'_>) -> Verdict {
    const RUNNERS: usize = 64;
    let mut uploads = Uploads::open(trial).await?;
    let wallet = uploads.wallet();
    let file = picture(ImageFormat::Png, 5)?;
    let unknown = uploads.send(&form(&file, &"0".repeat(64), wallet)).await?;
    uploads.refused(&unknown, &["captcha-unknown"]).await?;

    let used = uploads.form(&file, wallet).await?;
    trial.ok_json(&uploads.send(&used).await?)?;
    spent(&uploads, &uploads.send(&used).await?, "captcha-used").await?;

    let origin = trial.rest()?;
    let responses =
        around_expiry(trial, |captcha| Ok(request(origin, &form(&file, &captcha, uploads.wallet()))));
    let [taken, late] = responses.await?;
    trial.succeeded(&taken)?;
    spent(&uploads, &late, "captcha-expired").await?;

    let wallet = uploads.wallet();
    let race = uploads.form(&file, wallet).await?;
    let responses = all_settled((0..RUNNERS).map(|_| uploads.send(&race))).await?;
    let (won, lost): (Vec<&Response>, Vec<&Response>) =
        responses.iter().partition(|response| response.status.is_success());
    trial.require_equal(&responses[0], "uploads that were taken", &1, &won.len())?;
    for response in lost {
        spent(&uploads, response, "captcha-used").await?;
    }
    Ok(())
}

/// Requires a refusal that asks the client for a new captcha.
async fn spent(uploads: &Uploads<'_>, response: &Response, cause: &str) -> Verdict {
    let plain = || String::from_utf8_lossy(&response.body).into_owned();
    let text = response.json().map_or_else(plain, |body| body.to_string());
    uploads.trial.require(
        response,
        text.contains("timeout-or-duplicate"),
        "timeout-or-duplicate in the body",
    )?;
    uploads.refused(response, &[cause]).await.map(drop)
}
