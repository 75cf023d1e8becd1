//! Each way to forge a proof by hand is caught, tested one at a time.
use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use super::*;
use crate::proof::difference::Difference;
use crate::proof::{Asked, Kill, json as json_of, seal, write};

/// A proof in which every defect breaks each clause that it declares, and each check is proven.
struct Forgery {
    manifest: Value,
    matrix: Matrix,
    proofs: BTreeMap<String, Proof>,
    variants: Option<String>,
}

impl Forgery {
    fn new() -> Self {
        let mut matrix = Matrix::default();
        let mut proofs = BTreeMap::new();
        for defect in catalogue() {
            let concerned: Vec<&Check> =
                checks().filter(|check| defect.clauses.contains(&check.clause.id)).collect();
            let kill =
                |check: &&Check| Kill { check: check.id.to_owned(), clause: check.clause.id.to_owned() };
            let declared = concerned.iter().map(kill).collect();
            matrix
                .defects
                .insert(defect.id.to_owned(), Kills { declared, undeclared: Vec::new(), every: true });
            proofs.extend(concerned.into_iter().map(|check| (file_of(check.id), proof(check, defect.id))));
        }
        let manifest =
            Manifest { version: VERSION, subject: Subject::own(1), complete: true, files: BTreeMap::new() };
        let variants = Some(json_of(&variants::sound()));
        Self { manifest: json!(manifest), matrix, proofs, variants }
    }

    /// The faults that `slipway verify` reports after it is sealed as if it were sound.
    fn faults(mut self) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let mut texts: BTreeMap<String, String> =
            self.proofs.iter().map(|(name, proof)| (name.clone(), json_of(proof))).collect();
        texts.insert(MATRIX.to_owned(), json_of(&self.matrix));
        texts.insert(PICTURE.to_owned(), self.matrix.picture().svg(Look::File));
        texts.extend(self.variants.take().map(|text| (variants::FILE.to_owned(), text)));
        for (name, text) in &texts {
            write(folder.path(), name, text).unwrap();
            self.manifest["files"][name] = json!(sha256(text.as_bytes()));
        }
        seal(folder.path(), &serde_json::from_value(self.manifest).unwrap()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), texts.len() + 2);
        verify(folder.path()).unwrap().1
    }

    fn proof(&mut self, check: &str) -> &mut Proof {
        self.proofs.get_mut(&file_of(check)).unwrap()
    }
}

fn proof(check: &Check, defect: &str) -> Proof {
    let text = |text: &str| text.to_owned();
    Proof {
        check: text(check.id),
        clause: text(check.clause.id),
        interface: interface_of(check.clause),
        defect: text(defect),
        expected: text("one"),
        actual: text("two"),
        request: Some(Asked { head: text("GET /"), body: String::new() }),
        difference: Some(Difference { at: text("body"), sound: json!(1), broken: json!(2) }),
    }
}

#[track_caller]
fn refused(trick: impl FnOnce(&mut Forgery), fault: &str) {
    let mut forgery = Forgery::new();
    trick(&mut forgery);
    assert_eq!(forgery.faults(), [fault]);
}

#[test]
fn a_proof_without_a_trick_holds() {
    assert_eq!(Forgery::new().faults(), Vec::<String>::new());
}

#[test]
fn an_incomplete_proof_is_refused() {
    let fault = "the proof is not complete: run `slipway drill --proof` without a selection";
    refused(|proof| proof.manifest["complete"] = json!(false), fault);
}

#[test]
fn a_proof_of_other_sources_is_refused() {
    for (name, what) in [("checks", "source of the checks"), ("defects", "source of the defects")] {
        let fault = format!("the proof was made with another {what}: run `slipway drill --proof proof/`");
        refused(|proof| proof.manifest[name] = json!("0".repeat(64)), &fault);
    }
}

#[test]
fn a_kill_without_a_difference_is_refused() {
    let fault = |why: &str| format!("the proof of list-totals does not hold: {why}");
    refused(
        |proof| proof.proof("list-totals").difference = None,
        &fault("it shows no difference between the answers"),
    );
    refused(|proof| proof.proof("list-totals").request = None, &fault("it differs without a request"));
    let alike =
        |proof: &mut Forgery| proof.proof("list-totals").difference.as_mut().unwrap().broken = json!(1);
    refused(alike, &fault("both answers are alike at body"));
}

#[test]
fn a_removed_file_is_refused() {
    let fault = "list-totals has no proof: run `slipway drill --proof`";
    refused(|proof| _ = proof.proofs.remove("list-totals.json"), fault);
    let mut forgery = Forgery::new();
    forgery.proofs.remove("list-totals.json");
    forgery.manifest["complete"] = json!(false);
    assert!(forgery.faults().contains(&fault.to_owned()), "also of a proof that is not complete");
}

#[test]
fn a_defect_that_does_not_break_each_of_its_clauses_is_refused() {
    let defect = catalogue().iter().find(|defect| defect.clauses.len() > 1).unwrap();
    let (kept, dropped) = (defect.clauses[0], &defect.clauses[1..]);
    let mut forgery = Forgery::new();
    // Other defects prove the checks of the clauses that are dropped.
    let other = |check: &str| {
        let mut others = forgery.matrix.defects.iter().filter(|(id, _)| *id != defect.id);
        others
            .find(|(_, kills)| kills.declared.iter().any(|kill| kill.check == check))
            .map(|(id, _)| id.clone())
    };
    let moved: Vec<(String, Option<String>)> = forgery
        .proofs
        .iter()
        .filter(|(_, proof)| proof.defect == defect.id && proof.clause != kept)
        .map(|(name, proof)| (name.clone(), other(&proof.check)))
        .collect();
    for (name, other) in moved {
        forgery.proofs.get_mut(&name).unwrap().defect = other.unwrap();
    }
    forgery.matrix.defects.get_mut(defect.id).unwrap().declared.retain(|kill| kill.clause == kept);
    let fault = |clause: &&str| {
        format!("the matrix does not hold: {} kills no check of {clause}, which it names", defect.id)
    };
    assert_eq!(forgery.faults(), dropped.iter().map(fault).collect::<Vec<_>>());
}

#[test]
fn a_defect_or_a_check_that_was_left_out_or_made_up_is_refused() {
    let foreign = |proof: &mut Forgery| {
        let kill = Kill { check: "list-totals".to_owned(), clause: "CHAT-RATE".to_owned() };
        proof.matrix.defects.get_mut("list-count-everything").unwrap().declared.push(kill);
    };
    let fault =
        "the matrix does not hold: list-count-everything does not name CHAT-RATE, which list-totals reported";
    refused(foreign, fault);
    let mut forgery = Forgery::new();
    forgery.matrix.defects.remove("list-count-everything");
    let untried = "list-count-everything was not switched on: run `slipway drill --proof`".to_owned();
    assert!(forgery.faults().contains(&untried));
}

#[test]
fn an_undeclared_kill_is_no_fault() {
    let mut forgery = Forgery::new();
    let kill = Kill { check: "chat-rate".to_owned(), clause: "CHAT-RATE".to_owned() };
    forgery.matrix.defects.get_mut("list-count-everything").unwrap().undeclared.push(kill);
    assert_eq!(forgery.faults(), Vec::<String>::new());
}
