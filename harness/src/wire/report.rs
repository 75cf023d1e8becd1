//! The report of a run of mutants: its JSON and its text.
use serde::Serialize;
use serde_json::{Number, Value};
use slipway_defects::wire::Mutant;

use super::{Tally, Verdict};
use crate::colour::Colour;
use crate::drill_report::Said;
use crate::exit::Exit;
use crate::printable::{Printable, serialized};

/// A run of mutants that has ended.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireReport {
    version: u8,
    /// Whether the target was started for the drill: every check then has to be green without a mutant.
    local: bool,
    /// Decides the mutants.
    seed: u64,
    summary: Summary,
    /// Mutants for which no check failed, in the order in which they were drawn.
    survivors: Vec<Survivor>,
    /// Checks that are not green without any mutant.
    not_green: Vec<Said>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    /// All that changed an answer: caught, survived and inconclusive.
    tried: usize,
    caught: usize,
    survived: usize,
    /// No check failed, and one reached no verdict.
    inconclusive: usize,
    /// The request was not sent again; not among those tried.
    not_applied: usize,
    /// Percent of those tried that were caught; 0 if there were none.
    score: Number,
}

#[derive(Debug, Serialize)]
struct Survivor {
    service: String,
    endpoint: String,
    /// The JSON pointer; empty for the whole body or the status.
    pointer: String,
    kind: String,
    request: String,
    /// Whether a check reached no verdict.
    inconclusive: bool,
}

impl Survivor {
    fn of((mutant, verdict): &(Mutant, Verdict)) -> Option<Self> {
        let inconclusive = match verdict {
            Verdict::Survived => false,
            Verdict::Inconclusive => true,
            Verdict::Caught | Verdict::NotApplied => return None,
        };
        let Mutant { service, endpoint, request, pointer, kind } = mutant.clone();
        let (service, kind) = (service.to_owned(), kind.to_string());
        Some(Self { service, endpoint, pointer, kind, request, inconclusive })
    }
}

impl WireReport {
    pub(crate) fn new(tally: &Tally, local: bool, seed: u64) -> Self {
        let of = |wanted| tally.mutants.iter().filter(|(_, verdict)| *verdict == wanted).count();
        let (caught, survived) = (of(Verdict::Caught), of(Verdict::Survived));
        let (inconclusive, not_applied) = (of(Verdict::Inconclusive), of(Verdict::NotApplied));
        let tried = caught + survived + inconclusive;
        let hundredths = (caught * 10_000).checked_div(tried).unwrap_or_default();
        let score = format!("{}.{:02}", hundredths / 100, hundredths % 100);
        let score = score.parse().expect("two whole numbers around a point are one");
        Self {
            version: 2,
            local,
            seed,
            summary: Summary { tried, caught, survived, inconclusive, not_applied, score },
            survivors: tally.mutants.iter().filter_map(Survivor::of).collect(),
            not_green: tally.not_green.iter().map(Said::of).collect(),
        }
    }
}

impl Printable for WireReport {
    fn exit(&self) -> Exit {
        if self.local && !self.not_green.is_empty() {
            Exit::SelfCheck
        } else if self.summary.tried > 0 && self.summary.caught == 0 {
            Exit::Inconclusive
        } else {
            Exit::Conformant
        }
    }

    fn json(&self) -> Value {
        serialized(self)
    }

    fn text(&self, _: Colour) -> String {
        let mut text = String::new();
        for one in &self.survivors {
            let word = if one.inconclusive { "INCONCLUSIVE" } else { "SURVIVED" };
            let Survivor { kind, endpoint, pointer, request, .. } = one;
            text.push_str(&format!("{word} {kind:<12} {endpoint} {pointer}: {request}\n"));
        }
        for Said { id, said } in &self.not_green {
            text.push_str(&format!("NOT GREEN {id} without any mutant: {said}\n"));
        }
        let Summary { tried, caught, inconclusive, not_applied, score, .. } = &self.summary;
        text.push_str(&format!(
            "\n{caught} of {tried} mutants caught ({score} %), {inconclusive} inconclusive, {not_applied} not applied; seed {}\n",
            self.seed
        ));
        text
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use slipway_defects::wire::ChangeKind;

    use super::*;

    #[test]
    fn only_a_failed_check_catches() {
        use Verdict::{Caught, Inconclusive, NotApplied, Survived};
        let report = |verdicts: &[Verdict]| {
            let (endpoint, request, pointer) = ("GET /".to_owned(), "GET /".to_owned(), String::new());
            let mutant = Mutant { service: "rest", endpoint, request, pointer, kind: ChangeKind::Moved };
            let mutants = verdicts.iter().map(|verdict| (mutant.clone(), *verdict)).collect();
            WireReport::new(&Tally { mutants, not_green: Vec::new() }, true, 1)
        };
        let all = report(&[Survived, Caught, Caught, Inconclusive, NotApplied]);
        assert_eq!(
            serde_json::to_value(&all.summary).unwrap(),
            json!({"tried": 4, "caught": 2, "survived": 1, "inconclusive": 1, "notApplied": 1, "score": 50.0})
        );
        assert_eq!(all.survivors.len(), 2);
        assert_eq!(report(&[Inconclusive]).exit(), Exit::Inconclusive);
        assert_eq!(report(&[]).exit(), Exit::Conformant);
    }
}
