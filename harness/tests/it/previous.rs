//! This release reads files written by earlier ones, as `docs/stability.md` promises. Each release adds a folder.
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::program::{Running, expect_code, json as json_of};

/// The folders of `tests/previous`, one for each release.
fn releases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/previous");
    let found: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!found.is_empty());
    found
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn events_of_earlier_releases_make_every_report() {
    for release in releases() {
        let folder = tempfile::tempdir().unwrap();
        let (events, page) = (release.join("events.ndjson"), folder.path().join("report.html"));
        let output = expect_code(&["report", text(&events), "--json", "--html", text(&page)], 1);
        let report = json_of(&output);
        let failed: Vec<_> = report["checks"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| row["verdict"] == "failed")
            .map(|row| row["id"].clone())
            .collect();
        assert_eq!(failed, ["owner-required"], "{}", release.display());
        assert!(fs::read_to_string(page).unwrap().contains("owner-required"));
    }
}

#[test]
fn baselines_of_earlier_releases_forgive() {
    for release in releases() {
        let run = ["check", "--only", "owner-required", "--defect", "owner-missing-empty", "--baseline"];
        expect_code(&[&run[..], &[text(&release.join("baseline.toml"))]].concat(), 0);
    }
}

/// Chain states contain third-party code that is not committed: this program's own export supplies it.
#[test]
fn exports_of_earlier_releases_are_imported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.slipway");
    let empty = ["--clock", "fixed", "--market", "empty", "--export", text(&file)];
    let mut up = Running::up_until_eof(&empty);
    up.ready();
    up.close_stdin();
    assert!(up.end().1.success());
    let own = fs::read_to_string(&file).unwrap();
    let own: Value = serde_json::from_str(own.lines().nth(1).unwrap()).unwrap();

    for release in releases() {
        let kept = fs::read_to_string(release.join("state.json")).unwrap();
        let mut kept: Value = serde_json::from_str(&kept).unwrap();
        let content = &mut kept["content"];
        content["chains"] = own["chains"].clone();
        let content = format!("{content}\n");
        let sha256 = format!("{:x}", Sha256::digest(&content));
        let header = json!({ "format": "slipway-export", "version": kept["version"], "sha256": sha256 });
        let file = folder.path().join("kept.slipway");
        fs::write(&file, format!("{header}\n{content}")).unwrap();

        let mut up = Running::up_until_eof(&["--import", text(&file)]);
        let ready = up.ready();
        assert_eq!(ready["operatorKey"], kept["content"]["operatorKey"]);
        let get = |origin: &str, path: &str| {
            let response = minreq::get(format!("{}{path}", ready[origin].as_str().unwrap())).send().unwrap();
            assert_eq!(response.status_code, 200, "{path}");
            response.into_bytes()
        };
        let asked = |path: &str| serde_json::from_slice::<Value>(&get("controlUrl", path)).unwrap();
        assert_eq!(asked("/_sim/clock")["now"], kept["content"]["now"]);
        assert_eq!(asked("/_sim/checkpoints")["imported"][0]["name"], "kept");
        assert_eq!(asked("/_sim/faults")["unused"], json!(["kept"]));
        let image = kept["content"]["store"]["images"][0][0].as_str().unwrap();
        let image = get("baseUrl", &format!("/cdn/{image}.png"));
        assert!(image.starts_with(b"\x89PNG"));
        up.close_stdin();
        assert!(up.end().1.success());
    }
}
