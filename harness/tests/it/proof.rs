//! `slipway drill --proof` and `slipway verify`: observations are written, sealed, and verified without a platform.
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::program::{expect_code, json as json_of, list, run};

/// The faults that `slipway verify` reports of a proof of some defects, except that it is incomplete.
fn faults(folder: &Path) -> Vec<String> {
    let report = String::from_utf8(expect_code(&["verify", folder.to_str().unwrap()], 5).stdout).unwrap();
    let is_fault =
        |line: &&str| !line.contains("the proof is not complete") && !line.contains("checks proven, ");
    report.lines().filter(is_fault).map(str::to_owned).collect()
}

/// Changes the matrix of a folder and seals it as if it were sound.
fn forge(folder: &Path, change: impl FnOnce(&mut Value)) {
    let hash = |text: &str| format!("{:x}", Sha256::digest(text));
    let read =
        |name: &str| -> Value { serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap() };
    let (mut matrix, mut manifest) = (read("matrix.json"), read("manifest.json"));
    change(&mut matrix["defects"]);
    let text = format!("{matrix:#}\n");
    manifest["files"]["matrix.json"] = json!(hash(&text));
    fs::write(folder.join("matrix.json"), text).unwrap();
    let text = format!("{manifest:#}\n");
    fs::write(folder.join("manifest.sha256"), format!("{}\n", hash(&text))).unwrap();
    fs::write(folder.join("manifest.json"), text).unwrap();
}

#[test]
fn changed_byte_refutes_a_proof() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    expect_code(&["drill", "--only", "list-count-*", "--proof", path], 0);
    assert_eq!(faults(folder.path()), Vec::<String>::new());
    let names: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for name in ["manifest.json", "manifest.sha256", "matrix.json", "matrix.svg"] {
        assert!(names.iter().any(|known| known == name), "{name} is not in {names:?}");
    }
    let proof = names.iter().find(|name| name.starts_with("list-") && name.ends_with(".json")).unwrap();
    let text = fs::read(folder.path().join(proof)).unwrap();
    let held: Value = serde_json::from_slice(&text).unwrap();
    assert_ne!(held["difference"]["sound"], held["difference"]["broken"], "{held:#}");
    for name in &names {
        let file = folder.path().join(name);
        let sound = fs::read(&file).unwrap();
        let mut changed = sound.clone();
        changed[sound.len() / 2] ^= 1;
        fs::write(&file, changed).unwrap();
        assert!(!faults(folder.path()).is_empty(), "{name}");
        fs::remove_file(&file).unwrap();
        if name.starts_with("manifest") {
            expect_code(&["verify", path], 2);
        } else {
            assert!(faults(folder.path()).contains(&format!("{name} is missing")));
        }
        fs::write(&file, sound).unwrap();
    }
    fs::write(folder.path().join("more.json"), "{}").unwrap();
    assert_eq!(faults(folder.path()), ["more.json is no part of the proof"]);
    fs::remove_file(folder.path().join("more.json")).unwrap();

    // Another drill of the same platform adds to it.
    expect_code(&["drill", "--only", "list-page-zero", "--proof", path], 0);
    assert_eq!(faults(folder.path()), Vec::<String>::new());
    assert!(fs::read_dir(folder.path()).unwrap().count() > names.len());
}

/// A kill that was added or removed by hand is found by a drill of a sample.
#[test]
fn sampled_entries_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let (one, other) = ("list-count-everything", "list-page-zero");
    expect_code(&["drill", "--only", one, "--only", other, "--proof", path], 0);
    let sample = |count, code| {
        let sample = ["drill", "--sample", count, "--seed", "7", "--proof", path, "--json"];
        json_of(&expect_code(&sample, code))
    };
    assert_eq!(sample("9", 0), json!({"sampled": [one, other], "differing": []}));
    assert_eq!(sample("1", 0)["sampled"].as_array().unwrap().len(), 1);
    forge(folder.path(), |defects| defects[other]["declared"][0]["clause"] = json!("LIST-COUNT"));
    forge(folder.path(), |defects| defects[one]["declared"] = json!([]));
    let differing = sample("9", 5)["differing"].clone();
    assert_eq!(differing.as_array().unwrap().len(), 2, "{differing:#}");
    assert_eq!(differing[1]["id"], other);
    expect_code(&["drill", "--sample", "1", "--proof", path, "--only", one], 2);
    expect_code(&["matrix", "--sample", "1", "--proof", path], 2);
}

/// The committed proof is that of this program: a change of a check, a defect, a clause or a contract needs another drill.
#[test]
fn committed_proof_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proof");
    let verified = run(&["verify", folder.to_str().unwrap()]);
    let report = String::from_utf8(verified.stdout).unwrap();
    let expected = format!("{} checks proven, 0 faults of the proof\n", list("checks").len());
    assert!(
        report == expected,
        "the committed proof is stale: run `slipway drill --proof proof/`, then `slipway drill --variants --proof proof/`\n{report}"
    );
}

/// Some entries of the committed proof come out the same when they are reproduced.
#[test]
fn sampled_entries_of_the_committed_proof_are_made_again() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proof");
    let sample = ["drill", "--sample", "3", "--seed", "1", "--proof", folder.to_str().unwrap(), "--json"];
    let remade = json_of(&expect_code(&sample, 0));
    assert_eq!(remade["differing"], json!([]));
    assert_eq!(remade["sampled"].as_array().unwrap().len(), 3);
}

/// A check of all answers has a difference, even if the answers that it judged without a defect were those of other checks.
#[test]
fn a_check_of_all_answers_shows_a_difference_among_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let spelled = "lie-owner-spelled-otherwise";
    expect_code(&["drill", "--only", "lie-owner", "--only", spelled, "--proof", path], 0);
    let proof: Value =
        serde_json::from_slice(&fs::read(folder.path().join("service-choices.json")).unwrap()).unwrap();
    assert_eq!(
        (&proof["defect"], &proof["difference"]["at"]),
        (&json!(spelled), &json!("body /tokens/0/owner"))
    );
}
