//! Verifies a proof without a platform: its bytes are the sealed ones, it was made with the checks and defects of this program, and
//! each defect breaks each clause that it declares.
use std::collections::BTreeSet;
use std::path::Path;

use slipway_defects::catalogue;
use slipway_scenarios::{Check, checks};

use super::{
    Kills, Look, MANIFEST, MATRIX, Manifest, Matrix, PICTURE, Proof, ProofError, SEAL, Subject, VERSION,
    file_of, interface_of, read, sha256, variants,
};

/// How many checks a folder proves, and its faults.
pub(crate) fn verify(folder: &Path) -> Result<(usize, Vec<String>), ProofError> {
    let text = read(folder, MANIFEST)?;
    let seal = read(folder, SEAL)?;
    if seal != format!("{}\n", sha256(&text)).as_bytes() {
        return Ok((0, vec![changed(MANIFEST)]));
    }
    let manifest: Manifest = match serde_json::from_slice(&text) {
        Ok(manifest) => manifest,
        Err(error) => return Ok((0, vec![malformed(MANIFEST, &error)])),
    };
    let mut drifts = Vec::new();
    let (subject, own) = (&manifest.subject, Subject::own(manifest.subject.seed));
    for (what, is_same) in [
        ("version", manifest.version == VERSION),
        ("interface", subject.interface == own.interface),
        ("set of contracts", subject.contracts == own.contracts),
        ("source of the checks", subject.checks == own.checks),
        ("source of the defects", subject.defects == own.defects),
    ] {
        if !is_same {
            drifts
                .push(format!("the proof was made with another {what}: run `slipway drill --proof proof/`"));
        }
    }
    foreign(folder, &manifest, &mut drifts)?;
    let texts: Vec<(&String, Vec<u8>)> = manifest
        .files
        .iter()
        .filter_map(|(file, hash)| match read(folder, file) {
            Err(_) => {
                drifts.push(format!("{file} is missing"));
                None
            }
            Ok(text) if sha256(&text) != *hash => {
                drifts.push(changed(file));
                None
            }
            Ok(text) => Some((file, text)),
        })
        .collect();
    let matrix = matrix(&texts, &mut drifts);
    let proven = proofs(&texts, &matrix, &mut drifts);
    if manifest.complete {
        let untried = catalogue().iter().filter(|defect| !matrix.defects.contains_key(defect.id));
        let untried =
            untried.map(|defect| format!("{} was not switched on: run `slipway drill --proof`", defect.id));
        drifts.extend(untried);
        let tried = texts.iter().find(|(file, _)| *file == variants::FILE);
        let faults = variants::faults(tried.map_or(&[][..], |(_, text)| text));
        let remedy = "run `slipway drill --variants --proof proof/`";
        drifts.extend(faults.iter().map(|why| format!("the legal variants do not hold: {why}: {remedy}")));
    } else {
        drifts.push("the proof is not complete: run `slipway drill --proof` without a selection".to_owned());
    }
    let is_demanded = |check: &&Check| {
        let of_own_clause = |kills: &Kills| kills.breaks(check.clause.id, Some(check.id));
        manifest.complete || matrix.defects.values().any(of_own_clause)
    };
    let missing =
        checks().filter(is_demanded).filter(|check| !manifest.files.contains_key(&file_of(check.id)));
    drifts.extend(missing.map(|check| format!("{} has no proof: run `slipway drill --proof`", check.id)));
    Ok((proven, drifts))
}

fn changed(file: &str) -> String {
    format!("{file} is not the file that was sealed")
}

fn malformed(file: &str, error: &serde_json::Error) -> String {
    format!("{file} cannot be understood: {error}")
}

fn foreign(folder: &Path, manifest: &Manifest, drifts: &mut Vec<String>) -> Result<(), ProofError> {
    let unreadable = |source| ProofError::Unreadable { path: super::shown(folder), source };
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
        if file != MANIFEST && file != SEAL && !manifest.files.contains_key(&file) {
            drifts.push(format!("{file} is no part of the proof"));
        }
    }
    Ok(())
}

/// The matrix, which may contain only existing checks and defects; its picture must match it.
fn matrix(texts: &[(&String, Vec<u8>)], drifts: &mut Vec<String>) -> Matrix {
    let text = |name: &str| texts.iter().find(|(file, _)| *file == name).map(|(_, text)| text);
    let mut fault = |why: String| drifts.push(format!("the matrix does not hold: {why}"));
    let Some(matrix) = text(MATRIX).and_then(|text| serde_json::from_slice::<Matrix>(text).ok()) else {
        fault(format!("{MATRIX} is not there or not to be understood"));
        return Matrix::default();
    };
    for id in matrix.strangers() {
        fault(format!("there is no {id}"));
    }
    for defect in catalogue() {
        let Some(kills) = matrix.defects.get(defect.id) else { continue };
        for clause in defect.clauses.iter().filter(|clause| !kills.breaks(clause, None)) {
            fault(format!("{} kills no check of {clause}, which it names", defect.id));
        }
        for kill in &kills.declared {
            if !defect.clauses.contains(&kill.clause.as_str()) {
                fault(format!("{} does not name {}, which {} reported", defect.id, kill.clause, kill.check));
            }
        }
    }
    if text(PICTURE).is_none_or(|text| *text != matrix.picture().svg(Look::File).as_bytes()) {
        fault(format!("{PICTURE} is not its picture"));
    }
    matrix
}

/// Judges each proof; returns how many hold.
fn proofs(texts: &[(&String, Vec<u8>)], matrix: &Matrix, drifts: &mut Vec<String>) -> usize {
    let mut proven = BTreeSet::new();
    let is_of_all = |file: &str| [MATRIX, PICTURE, variants::FILE].contains(&file);
    for (file, text) in texts.iter().filter(|(file, _)| !is_of_all(file)) {
        match serde_json::from_slice::<Proof>(text) {
            Err(error) => drifts.push(malformed(file, &error)),
            Ok(proof) => match judge(&proof, file, matrix) {
                Ok(()) => _ = proven.insert(proof.check),
                Err(why) => drifts.push(format!("the proof of {} does not hold: {why}", proof.check)),
            },
        }
    }
    proven.len()
}

/// Whether a proof is valid for an existing check and defect of this program.
fn judge(proof: &Proof, file: &str, matrix: &Matrix) -> Result<(), String> {
    let check = checks()
        .find(|check| check.id == proof.check && file == file_of(check.id))
        .ok_or("there is no such check")?;
    let defect = catalogue()
        .iter()
        .find(|defect| defect.id == proof.defect)
        .ok_or_else(|| format!("there is no defect {}", proof.defect))?;
    if proof.clause != check.clause.id || !defect.clauses.contains(&check.clause.id) {
        return Err(format!("{} is not a defect of {}", defect.id, check.clause.id));
    }
    if proof.interface != interface_of(check.clause) {
        return Err(format!("{} reads differently now", check.clause.id));
    }
    let kills = matrix.defects.get(defect.id);
    if !kills.is_some_and(|kills| kills.breaks(check.clause.id, Some(check.id))) {
        return Err(format!("{} does not kill it in the matrix", defect.id));
    }
    if proof.expected == proof.actual {
        return Err("what was expected is what came".to_owned());
    }
    match (&proof.difference, &proof.request) {
        (None, _) => Err("it shows no difference between the answers".to_owned()),
        (Some(_), None) => Err("it differs without a request".to_owned()),
        (Some(difference), _) if difference.sound == difference.broken => {
            Err(format!("both answers are alike at {}", difference.at))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
