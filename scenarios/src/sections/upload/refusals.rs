//! Uploads that are refused: for their fields, their file, its size, their captcha.
use futures::future::try_join_all;
use image::ImageFormat;
use serde_json::json;

use super::images::{picture, png_of};
use super::{LARGEST, PATH, Part, Uploads, ask, form};
use crate::check::Verdict;
use crate::client::http::{Answer, Ask};
use crate::expect::{equal, holds, ok_json, status};
use crate::world::World;

pub(super) async fn fields(world: &World) -> Verdict {
    const CLAUSE: &str = "UP-FIELDS";
    let mut uploads = Uploads::open(world, "upload-fields")?;
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
            world.refused(CLAUSE, &uploads.send(&form).await?, 400, &[cause]).await?;
        }
    }
    for wallet in ["wallet", "0x12", "0xzz00000000000000000000000000000000000000"] {
        let mut form = whole.clone();
        form[2].2 = wallet.into();
        world.refused(CLAUSE, &uploads.send(&form).await?, 400, &["upload-wallet"]).await?;
    }
    let mut form = whole.clone();
    form.push(("socialCreatorProof", None, "perhaps".into()));
    world.refused(CLAUSE, &uploads.send(&form).await?, 400, &["upload-social"]).await?;
    let mut cut = ask(world.rest()?, &whole);
    let length = cut.body.as_ref().map_or(0, Vec::len);
    cut.body.as_mut().expect("a form has a body").truncate(length - 20);
    world.refused(CLAUSE, &world.http().send(cut).await?, 400, &["upload-form"]).await?;
    let bare = Ask::post_json(world.rest()?, PATH, &json!({ "walletAddress": wallet }));
    let answer = world.http().send(bare).await?;
    let code = answer.status.as_u16();
    holds(CLAUSE, &answer, matches!(code, 400 | 415), "a refusal: 400 or 415", || answer.excerpt())?;
    world.refused(CLAUSE, &answer, code, &["upload-content-type"]).await?;
    ok_json(CLAUSE, &uploads.send(&whole).await?).map(drop)
}

pub(super) async fn image(world: &World) -> Verdict {
    const CLAUSE: &str = "UP-IMAGE";
    let mut uploads = Uploads::open(world, "upload-image")?;
    for (format, name) in [
        (ImageFormat::Png, "notes.txt"),
        (ImageFormat::Jpeg, "logo.svg"),
        (ImageFormat::Gif, "page.html"),
        (ImageFormat::WebP, "logo"),
    ] {
        let wallet = uploads.wallet();
        let mut form = uploads.form(&picture(format, 2)?, wallet).await?;
        form[0].1 = Some(name);
        ok_json(CLAUSE, &uploads.send(&form).await?)?;
    }
    let wallet = uploads.wallet();
    let captcha = uploads.control.captcha().await?;
    for file in no_pictures()? {
        let answer = uploads.send(&form(&file, &captcha, wallet)).await?;
        world.refused(CLAUSE, &answer, 400, &["upload-image"]).await?;
    }
    // None of these has used the captcha up.
    let answer = uploads.send(&form(&picture(ImageFormat::Png, 3)?, &captcha, wallet)).await?;
    ok_json(CLAUSE, &answer).map(drop)
}

/// Files that are called images and are none, or are not only that.
fn no_pictures() -> Verdict<Vec<Vec<u8>>> {
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
    let mut files: Vec<Vec<u8>> =
        ["text", svg, "<html></html>", "%PDF-1.7\n", "GIF89a", "\u{89}PNG\r\n\u{1a}\n", "RIFF\0\0\0\0WEBP"]
            .map(|text| text.as_bytes().to_vec())
            .into();
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
        let whole = picture(format, 4)?;
        files.push(whole[..whole.len() / 2].to_vec());
        files.push([&whole[..], b"<script>alert(1)</script>"].concat());
    }
    // A small file that says it is four thousand million pixels.
    let mut bomb = picture(ImageFormat::Gif, 4)?;
    bomb[6..10].copy_from_slice(&[0xff; 4]);
    files.push(bomb);
    Ok(files)
}

pub(super) async fn size(world: &World) -> Verdict {
    const CLAUSE: &str = "UP-SIZE";
    let mut uploads = Uploads::open(world, "upload-size")?;
    let wallet = uploads.wallet();
    let over = uploads.form(&png_of(LARGEST + 1)?, wallet).await?;
    world.refused(CLAUSE, &uploads.send(&over).await?, 413, &["upload-size"]).await?;
    uploads.upload(CLAUSE, &png_of(LARGEST)?, wallet).await.map(drop)
}

pub(super) async fn captcha(world: &World) -> Verdict {
    const CLAUSE: &str = "UP-CAPTCHA";
    const RUNNERS: usize = 64;
    let mut uploads = Uploads::open(world, "upload-captcha")?;
    let wallet = uploads.wallet();
    let file = picture(ImageFormat::Png, 5)?;
    let unknown = uploads.send(&form(&file, &"0".repeat(64), wallet)).await?;
    world.refused(CLAUSE, &unknown, 403, &["captcha-unknown"]).await?;

    let used = uploads.form(&file, wallet).await?;
    ok_json(CLAUSE, &uploads.send(&used).await?)?;
    spent(world, &uploads.send(&used).await?, "captcha-used").await?;

    let captcha = uploads.control.captcha_for(30).await?;
    let late = form(&file, &captcha, wallet);
    let captcha = uploads.control.captcha_for(31).await?;
    let in_time = form(&file, &captcha, wallet);
    uploads.control.advance(30).await?;
    spent(world, &uploads.send(&late).await?, "captcha-expired").await?;
    ok_json(CLAUSE, &uploads.send(&in_time).await?)?;

    let wallet = uploads.wallet();
    let race: Vec<Part> = uploads.form(&file, wallet).await?;
    let answers = try_join_all((0..RUNNERS).map(|_| uploads.send(&race))).await?;
    let (won, lost): (Vec<&Answer>, Vec<&Answer>) =
        answers.iter().partition(|answer| answer.status.as_u16() == 200);
    equal(CLAUSE, &answers[0], "uploads that were taken", &1, &won.len())?;
    for answer in lost {
        spent(world, answer, "captcha-used").await?;
    }
    Ok(())
}

/// 403, and a client is told to ask for a new captcha.
async fn spent(world: &World, answer: &Answer, cause: &str) -> Verdict {
    const CLAUSE: &str = "UP-CAPTCHA";
    status(CLAUSE, answer, 403)?;
    let text = String::from_utf8_lossy(&answer.body);
    holds(CLAUSE, answer, text.contains("timeout-or-duplicate"), "timeout-or-duplicate in the body", || {
        answer.excerpt()
    })?;
    world.refused(CLAUSE, answer, 403, &[cause]).await.map(drop)
}
