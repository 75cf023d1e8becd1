//! Mutation on the wire: changes one thing in one answer at a time and sees whether a check turns red.
mod confirm;
mod free;
mod jury;
mod plan;
mod stage;
mod survey;

use serde_json::{Value, json};
use slipway_defects::wire::{Mutant, Part, Scope};

pub(crate) use stage::{Slot, Stage, run};

/// What came of a run of mutants.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) seed: u64,
    /// Mutants that turned a check red.
    pub(crate) caught: usize,
    /// Mutants that turned no check red, not even one of all checks.
    pub(crate) survivors: Vec<Mutant>,
    /// Checks that were not green although no mutant was in force; they catch nothing.
    pub(crate) not_green: Vec<(&'static str, String)>,
}

impl Tally {
    fn mutants(&self) -> usize {
        self.caught + self.survivors.len()
    }

    /// Hundredths of a percent of the mutants that were caught; all of none.
    fn score(&self) -> usize {
        (self.caught * 10_000).checked_div(self.mutants()).unwrap_or(10_000)
    }

    pub(crate) fn json(&self) -> Value {
        let score = self.score();
        let percent: Value = serde_json::from_str(&format!("{}.{:02}", score / 100, score % 100))
            .expect("two whole numbers around a point are one");
        json!({
            "version": 1,
            "seed": self.seed,
            "summary": {
                "mutants": self.mutants(),
                "caught": self.caught,
                "unconstrained": self.survivors.len(),
                "score": percent,
            },
            "survivors": self.survivors.iter().map(row).collect::<Vec<_>>(),
            "notGreen": self.not_green.iter().map(|(id, said)| json!({"id": id, "said": said})).collect::<Vec<_>>(),
        })
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for mutant in &self.survivors {
            let line =
                format!("{:<12} {} {} {}", mutant.kind, mutant.endpoint, pointer(mutant), request(mutant));
            let reason = free::reason(mutant).unwrap_or("no reason is known");
            text.push_str(&format!("UNCONSTRAINED {line}: {reason}\n"));
        }
        for (id, said) in &self.not_green {
            text.push_str(&format!("NOT GREEN {id} without any mutant: {said}\n"));
        }
        let score = self.score();
        text.push_str(&format!(
            "\n{} of {} mutants caught, {} unconstrained, score {}.{:02} %; seed {}\n",
            self.caught,
            self.mutants(),
            self.survivors.len(),
            score / 100,
            score % 100,
            self.seed
        ));
        text
    }
}

fn row(mutant: &Mutant) -> Value {
    json!({
        "service": mutant.service,
        "endpoint": mutant.endpoint,
        "pointer": pointer(mutant),
        "kind": mutant.kind.to_string(),
        "request": request(mutant),
        "reason": free::reason(mutant),
    })
}

/// The JSON pointer; of a status or a header, what stands for one.
fn pointer(mutant: &Mutant) -> String {
    match &mutant.part {
        Part::Body(pointer) => pointer.clone(),
        Part::Status => "#status".to_owned(),
        Part::Header(name) => format!("#header/{name}"),
    }
}

fn request(mutant: &Mutant) -> &str {
    match &mutant.scope {
        Scope::Answer(request) => request,
        Scope::Everywhere(_) => "every answer",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_hundredths_of_a_percent() {
        let tally = |caught, survived: usize| {
            let survivors = vec![
                Mutant {
                    service: "rest".to_owned(),
                    endpoint: "GET /".to_owned(),
                    scope: Scope::Everywhere("name".to_owned()),
                    part: Part::Status,
                    kind: slipway_defects::wire::Kind::Moved,
                };
                survived
            ];
            Tally { caught, survivors, ..Tally::default() }.json()["summary"].clone()
        };
        assert_eq!(tally(2, 1), json!({"mutants": 3, "caught": 2, "unconstrained": 1, "score": 66.66}));
        assert_eq!(tally(0, 0)["score"], 100.0);
        assert_eq!(tally(19, 1)["score"], 95.0);
    }
}
