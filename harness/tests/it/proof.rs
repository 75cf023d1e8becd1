//! `slipway drill --proof` and `slipway verify`: what was seen is written down, sealed, and judged again without a platform.
use std::fs;
use std::path::Path;

use crate::program::{expect_code, listed};

fn verify(folder: &Path, code: i32) -> String {
    String::from_utf8(expect_code(&["verify", folder.to_str().unwrap()], code).stdout).unwrap()
}

#[test]
fn changed_byte_refutes_a_proof() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    expect_code(&["drill", "--only", "list-count-*", "--proof", path], 0);
    assert!(verify(folder.path(), 0).contains(" 0 faults"));
    let names: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for name in ["manifest.json", "manifest.sha256", "matrix.json", "matrix.svg"] {
        assert!(names.iter().any(|known| known == name), "{name} is not in {names:?}");
    }
    let proof = names.iter().find(|name| name.starts_with("list-") && name.ends_with(".json")).unwrap();
    let text = fs::read(folder.path().join(proof)).unwrap();
    let held: serde_json::Value = serde_json::from_slice(&text).unwrap();
    assert_ne!(held["difference"]["sound"], held["difference"]["broken"], "{held:#}");
    for name in &names {
        let file = folder.path().join(name);
        let sound = fs::read(&file).unwrap();
        let mut changed = sound.clone();
        changed[sound.len() / 2] ^= 1;
        fs::write(&file, changed).unwrap();
        verify(folder.path(), 5);
        fs::remove_file(&file).unwrap();
        let is_named = name.starts_with("manifest");
        expect_code(&["verify", path], if is_named { 2 } else { 5 });
        fs::write(&file, sound).unwrap();
    }
    fs::write(folder.path().join("more.json"), "{}").unwrap();
    assert!(verify(folder.path(), 5).contains("more.json is no part of the proof"));
    fs::remove_file(folder.path().join("more.json")).unwrap();

    // Another drill of the same platform adds to it.
    expect_code(&["drill", "--only", "list-page-zero", "--proof", path], 0);
    verify(folder.path(), 0);
    assert!(fs::read_dir(folder.path()).unwrap().count() > names.len());
}

/// The committed proof is one of this program: who adds a check or a defect, or changes a clause or a contract, drills again.
#[test]
fn committed_proof_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proof");
    let report = verify(&folder, 0);
    assert_eq!(report, format!("{} checks proven, 0 faults of the proof\n", listed(&[])));
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["complete"], true);
    for name in manifest["files"].as_object().unwrap().keys().filter(|name| name.ends_with(".json")) {
        let proof: serde_json::Value = serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap();
        assert!(name == "matrix.json" || proof["difference"].is_object(), "{name} shows no difference");
    }
}

#[test]
fn only_the_local_platform_is_witnessed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    expect_code(&["drill", "--proof", path, "--base-url", "http://127.0.0.1:1"], 2);
    expect_code(&["drill", "--proof", path, "--wire", "3"], 2);
    expect_code(&["verify", path], 2);
}
