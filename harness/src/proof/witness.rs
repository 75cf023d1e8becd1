//! Watches a drill: keeps each check's exchanges with the sound platform, and makes its proof from those under a defect.
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use slipway_defects::Defect;
use slipway_scenarios::{Check, Target, checks};

use super::difference::{compared, exchanges};
use super::{
    Kills, MANIFEST, MATRIX, Manifest, Matrix, PICTURE, Proof, ProofError, Subject, VERSION, file_of,
    interface_of, json, read, seal, sha256, shown, write,
};
use crate::baseline::Baseline;
use crate::proof::Look;
use crate::report::ReportError;
use crate::report::events::{Event, Exchange, Run, Word};
use crate::report::recording::{Kept, Recording};
use crate::report::run::run;
use crate::runner::Finished;

/// The observations so far.
#[derive(Debug)]
pub(crate) struct Witness {
    addresses: Vec<(String, String)>,
    seed: u64,
    /// The exchanges of each check with the sound platform.
    sound: BTreeMap<String, Vec<Exchange>>,
    proofs: BTreeMap<String, Proof>,
}

impl Witness {
    /// A witness of a platform; each address is written as the second one of its pair.
    pub(crate) fn new(addresses: Vec<(String, String)>, seed: u64) -> Self {
        Self { addresses, seed, sound: BTreeMap::new(), proofs: BTreeMap::new() }
    }

    /// Whether a check under a defect still has to be proven.
    pub(crate) fn lacks(&self, check: &Check, defect: &Defect) -> bool {
        defect.clauses.contains(&check.clause.id) && !self.proofs.contains_key(check.id)
    }

    /// Records one run of checks.
    pub(crate) fn recording(
        &self,
        target: &Target,
        chosen: &[&'static Check],
    ) -> Result<Arc<Recording>, ReportError> {
        let run =
            Run { lane: "write".to_owned(), seed: self.seed, ..run(target, true, &self.addresses, chosen) };
        Recording::begin(run, target, self.addresses.clone(), Baseline::default(), None, Kept::Whole)
    }

    /// Records a run on the sound platform; a check's new exchanges replace its earlier ones.
    pub(crate) fn sound(&mut self, recording: &Recording) -> Result<(), ReportError> {
        let mut seen: BTreeMap<String, Vec<Exchange>> = BTreeMap::new();
        for event in recording.end(None)? {
            if let Event::Exchange(exchange) = event {
                seen.entry(exchange.check.clone()).or_default().push(*exchange);
            }
        }
        self.sound.extend(seen);
        Ok(())
    }

    /// Records a run with a defect on.
    pub(crate) fn broken(
        &mut self,
        defect: &Defect,
        finished: &[Finished],
        recording: &Recording,
    ) -> Result<(), ReportError> {
        for item in finished {
            recording.verdict(item);
        }
        let events = recording.end(None)?;
        for event in &events {
            let Event::Verdict(verdict) = event else { continue };
            let (Some(failure), Word::Failed) = (&verdict.failure, verdict.verdict) else { continue };
            let check = checks().find(|check| check.id == verdict.check).expect("a check that ran exists");
            if failure.clause != check.clause.id || !self.lacks(check, defect) {
                continue;
            }
            let evidence = exchanges(&events).find(|item| Some(item.number) == failure.exchange);
            // A check of all answers may cite an exchange of another check.
            let asker = evidence.map_or(check.id, |evidence| evidence.check.as_str());
            let own: Vec<&Exchange> = exchanges(&events).filter(|item| item.check == asker).collect();
            let sound = self.sound.get(asker).map(Vec::as_slice).unwrap_or_default();
            let (request, difference) = compared(evidence, sound, &own);
            let proof = Proof {
                check: check.id.to_owned(),
                clause: failure.clause.clone(),
                interface: interface_of(check.clause),
                defect: defect.id.to_owned(),
                expected: failure.expected.clone(),
                actual: failure.actual.clone(),
                request,
                difference,
            };
            self.proofs.insert(check.id.to_owned(), proof);
        }
        Ok(())
    }

    /// Writes the folder and returns how many checks it proves. If only some defects were on, files that another run has written about the
    /// same subject stay.
    pub(crate) fn write(
        &self,
        folder: &Path,
        kills: BTreeMap<String, Kills>,
        whole: bool,
    ) -> Result<usize, ProofError> {
        std::fs::create_dir_all(folder)
            .map_err(|source| ProofError::Unwritable { path: shown(folder), source })?;
        let before =
            read(folder, MANIFEST).ok().and_then(|text| serde_json::from_slice::<Manifest>(&text).ok());
        let subject = Subject::own(self.seed);
        let (mut files, mut matrix) = (BTreeMap::new(), Matrix::default());
        if let Some(before) = before {
            if before.version == VERSION && before.subject == subject && !whole {
                matrix = serde_json::from_slice(&read(folder, MATRIX)?).unwrap_or_default();
                files = before.files;
            } else {
                for name in before.files.keys().filter(|name| is_plain(name)) {
                    // A missing file needs no removal; `slipway verify` reports a file that stays.
                    let _ = std::fs::remove_file(folder.join(name));
                }
            }
        }
        matrix.defects.extend(kills);
        let mut texts: BTreeMap<String, String> =
            self.proofs.values().map(|proof| (file_of(&proof.check), json(proof))).collect();
        texts.insert(MATRIX.to_owned(), json(&matrix));
        texts.insert(PICTURE.to_owned(), matrix.picture().svg(Look::File));
        for (name, text) in texts {
            write(folder, &name, &text)?;
            files.insert(name, sha256(text.as_bytes()));
        }
        let proven = checks().filter(|check| files.contains_key(&file_of(check.id))).count();
        let complete =
            whole || matrix.is_complete() && checks().all(|check| files.contains_key(&file_of(check.id)));
        seal(folder, &Manifest { version: VERSION, subject, complete, files })?;
        Ok(proven)
    }
}

/// A name that cannot lead out of the folder.
fn is_plain(name: &str) -> bool {
    Path::new(name).file_name().is_some_and(|last| last == name)
}
