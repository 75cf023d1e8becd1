//! Exports of a whole platform, and platforms started from one.
use std::io::Write as _;
use std::path::Path;

use alloy::primitives::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use reqwest::Client;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use slipway_sim::{Config, Platform, StartError};

use crate::platform::{PRIMARY, SECOND, config, found, get, launch, order, ordered};

/// All REST answers that do not depend on the address of the service.
async fn reported(platform: &Platform) -> Vec<Value> {
    let mut reported = Vec::new();
    for path in ["/api/tokens?page=1", "/api/leaderboard", "/api/capabilities?chainId=57073", "/api/koti"] {
        reported.push(get(platform, path).await);
    }
    reported
}

fn importing(path: &Path) -> Config {
    Config { import: Some(path.to_owned()), ..config() }
}

/// A platform whose control plane may write exports into this folder.
fn exporting(folder: &Path) -> Config {
    Config { export_dir: Some(folder.to_owned()), ..config() }
}

/// Only a regular file with a bare name in the given folder is written.
#[tokio::test]
async fn exports_go_nowhere_but_into_their_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (inside, outside) = (folder.path().join("exports"), folder.path().join("outside"));
    let config = Config { state_dir: Some(inside.clone()), ..config() };
    let platform = Platform::start(config).await.unwrap();
    let exports = inside.join("exports");
    ordered(&platform, "POST /_sim/export", json!({ "file": "first" })).await;
    assert!(exports.join("first").is_file());
    std::fs::write(&outside, "mine").unwrap();
    std::os::unix::fs::symlink(&outside, exports.join("link")).unwrap();
    std::os::unix::fs::symlink(exports.join("nothing"), exports.join("dangling")).unwrap();
    std::fs::create_dir(exports.join("folder")).unwrap();
    let absolute = outside.display().to_string();
    let long = "x".repeat(101);
    for name in [
        &*absolute,
        &*long,
        "",
        ".",
        "..",
        "../outside",
        "a/b",
        "a\\b",
        ".hidden",
        "a b",
        "a\0",
        "link",
        "dangling",
        "folder",
    ] {
        let (status, refused) = order(&platform, "POST /_sim/export", json!({ "file": name })).await;
        assert_eq!(status, 400, "{name}: {refused}");
        assert!(refused["error"].as_str().unwrap().contains("file"), "{name}: {refused}");
    }
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "mine");
    assert_eq!(std::fs::read_dir(&exports).unwrap().count(), 4);
    platform.stop().await;
    let platform = Platform::start(crate::platform::config()).await.unwrap();
    let (status, refused) = order(&platform, "POST /_sim/export", json!({ "file": "first" })).await;
    assert_eq!(status, 400, "{refused}");
    assert!(refused["error"].as_str().unwrap().contains("--export DIR/"), "{refused}");
    platform.stop().await;
}

#[tokio::test]
async fn imported_platform_goes_on_where_the_exported_one_was() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("whole.slipway");
    let config = Config { seed: 5, export: Some(file.clone()), ..config() };
    let exported = Platform::start(config).await.unwrap();
    launch(&exported, PRIMARY, "Qcarried").await;
    launch(&exported, SECOND, "Qcarried two").await;
    ordered(&exported, "POST /_sim/clock/advance", json!({ "seconds": 90_000 })).await;
    let captcha = ordered(&exported, "POST /_sim/captchas", json!({ "ttlSeconds": 600 })).await;
    let fault = json!({ "path": "/api/eoti", "effect": { "status": 503 } });
    ordered(&exported, "PUT /_sim/faults/kept", fault).await;
    let checkpoint = ordered(&exported, "POST /_sim/checkpoints", json!({ "name": "carried" })).await["id"]
        .as_u64()
        .unwrap();
    let written = ordered(&exported, "POST /_sim/export", json!({})).await;
    assert_eq!(written["file"], file.to_str().unwrap());
    assert_eq!(written["bytes"], std::fs::metadata(&file).unwrap().len());
    let expected = reported(&exported).await;
    let now = exported.engine().clock().now();
    let (accounts, operator) = (exported.ready().accounts.clone(), exported.ready().operator_key.clone());
    // It continues after an export.
    launch(&exported, PRIMARY, "Qlater").await;
    exported.stop().await;

    let platform = Platform::start(importing(&file)).await.unwrap();
    assert_eq!(reported(&platform).await, expected);
    assert_eq!((found(&platform, "Qcarried").await, found(&platform, "Qlater").await), (2, 0));
    assert_eq!((platform.ready().seed, platform.engine().clock().now()), (5, now));
    assert_eq!((&platform.ready().accounts, &platform.ready().operator_key), (&accounts, &operator));
    let eoti = reqwest::get(format!("{}/api/eoti", platform.ready().base_url)).await.unwrap();
    assert_eq!(eoti.status(), 503, "a fault is carried");
    // A captcha from before is accepted once, and the chains continue.
    let form = Client::new()
        .post(format!("{}/api/upload", platform.ready().base_url))
        .header("content-type", "multipart/form-data; boundary=b")
        .body(format!(
            "--b\r\ncontent-disposition: form-data; name=\"captchaToken\"\r\n\r\n{}\r\n--b--\r\n",
            captcha["token"].as_str().unwrap()
        ));
    assert_eq!(form.send().await.unwrap().status(), 400, "the file is missing, not the captcha");
    launch(&platform, PRIMARY, "Qafter").await;
    assert_eq!(found(&platform, "Qafter").await, 1);
    let (status, refused) =
        order(&platform, &format!("POST /_sim/checkpoints/{checkpoint}/revert"), json!({})).await;
    assert_eq!(status, 410, "{refused}");
    let known = ordered(&platform, "GET /_sim/checkpoints", "").await;
    let carried = json!([{ "id": checkpoint, "name": "carried", "at": now }]);
    assert_eq!(known, json!({ "checkpoints": [], "imported": carried }));
    let next = ordered(&platform, "POST /_sim/checkpoints", json!({})).await["id"].as_u64().unwrap();
    assert_eq!(next, checkpoint + 1);
    platform.stop().await;
}

#[tokio::test]
async fn only_a_whole_export_is_imported_and_only_into_an_empty_store() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("whole.slipway");
    let platform = Platform::start(exporting(folder.path())).await.unwrap();
    let (status, refused) = order(&platform, "POST /_sim/export", json!({})).await;
    assert_eq!(status, 400, "{refused}");
    assert!(refused["error"].as_str().unwrap().contains("--export"), "{refused}");
    ordered(&platform, "POST /_sim/export", json!({ "file": "whole.slipway" })).await;
    platform.stop().await;

    let text = std::fs::read_to_string(&file).unwrap();
    let other = folder.path().join("other.slipway");
    for (content, part) in [
        (text.replacen("\"version\":3", "\"version\":4", 1), "version 4"),
        (text[..text.len() - 9].to_owned(), "damaged"),
        ("hello".to_owned(), "not an export"),
    ] {
        std::fs::write(&other, content).unwrap();
        match Platform::start(importing(&other)).await {
            Err(error @ StartError::Import(_)) => {
                let error = error.to_string();
                assert!(error.contains(part) && error.contains("other.slipway"), "{error}");
            }
            other => panic!("{part}: {other:?}"),
        }
    }
    refuses_what_no_platform_exports(&text, &other).await;
    refuses_what_is_no_file(folder.path()).await;
    let used = Config { state_dir: Some(folder.path().join("state")), ..importing(&file) };
    Platform::start(used.clone()).await.unwrap().stop().await;
    let error = Platform::start(used).await.unwrap_err().to_string();
    assert!(error.contains("empty"), "{error}");
}

/// The reason why a file is not imported; it must name the file.
async fn refusal(file: &Path) -> String {
    match Platform::start(importing(file)).await {
        Err(error @ StartError::Import(_)) => {
            let error = error.to_string();
            assert!(error.contains(file.to_str().unwrap()), "{error}");
            error
        }
        other => panic!("{other:?}"),
    }
}

/// Checks that content with a valid hash is refused if no platform can have written it.
async fn refuses_what_no_platform_exports(text: &str, file: &Path) {
    let state = format!("\"{}\"", packed(b"{}"));
    // The text before a value, the replacement of the value, and the reason.
    let forgeries = [
        ("\"clock\":", "\"fixed 99999999999999\"", "its clock cannot be read"),
        ("\"clock\":", "\"running 99999999999999\"", "its clock cannot be read"),
        ("\"now\":", "18446744073709551615", "now in it is 18446744073709551615"),
        ("\"now\":", "253402207201", "now in it is 253402207201"),
        ("\"lastCheckpoint\":", "18446744073709551615", "lastCheckpoint in it is a number that no platform"),
        ("\"captchas\":", "18446744073709551615", "captchas in it is a number that no platform"),
        ("\"last\":", "9223372036854775807", "a number of the store in it is a number that no platform"),
        ("\"last\":", "0", "a number of the store in it is a number that no platform"),
        ("\"rewinds\":", "-1", "a number of the store in it is a number that no platform"),
        ("\"operatorKey\":", "\"\"", "operatorKey in it is not 1 to 256 visible ASCII characters"),
        ("\"at\":", "9223372036854775807", "the store's time in it is 9223372036854775807"),
        ("\"state\":", state.as_str(), "a node cannot continue chain 4663"),
    ];
    let (header, content) = text.split_once('\n').unwrap();
    for (before, value, reason) in forgeries {
        let start = content.find(before).unwrap() + before.len();
        let end = start + content[start..].find([',', '}']).unwrap();
        let content = format!("{}{value}{}", &content[..start], &content[end..]);
        let mut header: Value = serde_json::from_str(header).unwrap();
        header["sha256"] = json!(alloy::hex::encode(Sha256::digest(&content)));
        std::fs::write(file, format!("{header}\n{content}")).unwrap();
        let refused = refusal(file).await;
        assert!(refused.contains(reason) && !refused.contains("Usage"), "{refused}");
    }
}

fn packed(state: &[u8]) -> Bytes {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(state).unwrap();
    packed.finish().unwrap().into()
}

async fn refuses_what_is_no_file(folder: &Path) {
    let pipe = folder.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for (path, reason) in [
        (pipe.as_path(), "it is not a regular file"),
        (Path::new("/dev/zero"), "it is not a regular file"),
        (folder, "it is a folder"),
    ] {
        let refused = refusal(path).await;
        assert!(refused.contains(reason), "{refused}");
    }
}

/// An existing file stays until the new one is complete: a write that fails halfway does not change it.
#[tokio::test]
async fn older_export_stands_until_the_new_one_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("whole.slipway");
    let platform = Platform::start(exporting(folder.path())).await.unwrap();
    ordered(&platform, "POST /_sim/export", json!({ "file": "whole.slipway" })).await;
    let old = std::fs::read(&file).unwrap();
    let mut writing = Box::pin(platform.exporter().write(&file));
    // Cancelled at any moment, the write has not touched the file.
    let _ = futures::poll!(&mut writing);
    drop(writing);
    assert!(std::fs::read(&file).unwrap() == old);
    launch(&platform, PRIMARY, "More").await;
    ordered(&platform, "POST /_sim/export", json!({ "file": "whole.slipway" })).await;
    assert!(std::fs::read(&file).unwrap() != old);
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    platform.stop().await;
}
