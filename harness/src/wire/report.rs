//! What a run of mutants came to: its JSON, its text, and what the shards of one that was split come to together.
use serde::{Deserialize, Serialize};
use serde_json::Number;
use slipway_defects::wire::{Mutant, Part, Scope};

use super::{Tally, free};
use crate::drill_report::Said;
use crate::exit::Exit;
use crate::shard::Shard;

/// A run of mutants that has ended, or one shard of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WireReport {
    version: u8,
    /// Whether the target was started for the drill: every check then has to be green without a mutant.
    local: bool,
    /// Decides the mutants, each with its number.
    seed: u64,
    /// How many mutants were asked for, of all shards together.
    count: usize,
    /// Which part of them was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shard: Option<Shard>,
    summary: Summary,
    /// Mutants that turned nothing red, in the order of their numbers.
    survivors: Vec<Survivor>,
    /// Checks that are not green without any mutant.
    not_green: Vec<Said>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Summary {
    mutants: usize,
    caught: usize,
    unconstrained: usize,
    /// Percent of the mutants that were caught; all of none.
    score: Number,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Survivor {
    number: usize,
    service: String,
    endpoint: String,
    /// The JSON pointer; of a status or a header, what stands for one.
    pointer: String,
    kind: String,
    request: String,
    reason: Option<String>,
}

impl Survivor {
    fn of(number: usize, mutant: &Mutant) -> Self {
        let pointer = match &mutant.part {
            Part::Body(pointer) => pointer.clone(),
            Part::Status => "#status".to_owned(),
            Part::Header(name) => format!("#header/{name}"),
        };
        let request = match &mutant.scope {
            Scope::Answer(request) => request.clone(),
            Scope::Everywhere(_) => "every answer".to_owned(),
        };
        Self {
            number,
            service: mutant.service.clone(),
            endpoint: mutant.endpoint.clone(),
            pointer,
            kind: mutant.kind.to_string(),
            request,
            reason: free::reason(mutant).map(str::to_owned),
        }
    }
}

impl Summary {
    fn of(caught: usize, unconstrained: usize) -> Self {
        let mutants = caught + unconstrained;
        let hundredths = (caught * 10_000).checked_div(mutants).unwrap_or(10_000);
        let score = format!("{}.{:02}", hundredths / 100, hundredths % 100);
        let score = score.parse().expect("two whole numbers around a point are one");
        Self { mutants, caught, unconstrained, score }
    }
}

impl WireReport {
    pub(crate) fn new(tally: &Tally, local: bool, seed: u64, count: usize, shard: Option<Shard>) -> Self {
        let said = |(id, said): &(&str, String)| Said { id: (*id).to_owned(), said: said.clone() };
        Self {
            version: 1,
            local,
            seed,
            count,
            shard,
            summary: Summary::of(tally.caught, tally.survivors.len()),
            survivors: tally.survivors.iter().map(|(number, mutant)| Survivor::of(*number, mutant)).collect(),
            not_green: tally.not_green.iter().map(said).collect(),
        }
    }

    /// Puts the shards of a run together.
    pub(crate) fn merge(shards: Vec<Self>) -> Result<Self, String> {
        Shard::complete(&shards.iter().map(|shard| shard.shard).collect::<Vec<_>>())?;
        let mut shards = shards.into_iter();
        let first = shards.next().ok_or("there is no shard")?;
        let mut whole = Self { shard: None, ..first };
        for shard in shards {
            if (shard.local, shard.seed, shard.count) != (whole.local, whole.seed, whole.count) {
                return Err("the shards differ in their target, their seed or their count".to_owned());
            }
            let caught = whole.summary.caught + shard.summary.caught;
            whole.survivors.extend(shard.survivors);
            whole.summary = Summary::of(caught, whole.survivors.len());
            whole.not_green.extend(shard.not_green);
        }
        whole.survivors.sort_by_key(|survivor| survivor.number);
        Said::together(&mut whole.not_green);
        Ok(whole)
    }

    /// The mutants that this part runs, by number.
    pub(crate) fn numbers(count: usize, shard: Option<Shard>) -> Vec<usize> {
        Shard::select(shard, (0..count).collect(), |_| false)
    }

    pub(crate) fn exit(&self) -> Exit {
        let asked = Self::numbers(self.count, self.shard).len();
        if self.local && !self.not_green.is_empty() {
            Exit::SelfCheck
        } else if asked > 0 && self.summary.caught == 0 {
            Exit::Inconclusive
        } else {
            Exit::Conformant
        }
    }

    pub(crate) fn json(&self) -> String {
        format!("{:#}\n", serde_json::to_value(self).expect("a report is JSON"))
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for one in &self.survivors {
            let line = format!("{:<12} {} {} {}", one.kind, one.endpoint, one.pointer, one.request);
            let reason = one.reason.as_deref().unwrap_or("no reason is known");
            text.push_str(&format!("UNCONSTRAINED {line}: {reason}\n"));
        }
        for Said { id, said } in &self.not_green {
            text.push_str(&format!("NOT GREEN {id} without any mutant: {said}\n"));
        }
        let Summary { mutants, caught, unconstrained, score } = &self.summary;
        let shard = self.shard.map(|shard| format!("; shard {shard}")).unwrap_or_default();
        text.push_str(&format!(
            "\n{caught} of {mutants} mutants caught, {unconstrained} unconstrained, score {score} %{shard}; seed {}\n",
            self.seed
        ));
        text
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use slipway_defects::wire::Kind;

    use super::*;

    fn report(caught: usize, survivors: &[usize], shard: Option<&str>) -> WireReport {
        let mutant = Mutant {
            service: "rest".to_owned(),
            endpoint: "GET /".to_owned(),
            scope: Scope::Everywhere("name".to_owned()),
            part: Part::Status,
            kind: Kind::Moved,
        };
        let survivors = survivors.iter().map(|number| (*number, mutant.clone())).collect();
        let tally = Tally { caught, survivors, ..Tally::default() };
        WireReport::new(&tally, true, 1, 6, shard.map(|shard| shard.parse().unwrap()))
    }

    #[test]
    fn scores_are_hundredths_of_a_percent() {
        let summary = |caught, survived| serde_json::to_value(Summary::of(caught, survived)).unwrap();
        assert_eq!(summary(2, 1), json!({"mutants": 3, "caught": 2, "unconstrained": 1, "score": 66.66}));
        assert_eq!(summary(0, 0)["score"], 100.0);
        assert_eq!(summary(19, 1)["score"], 95.0);
    }

    #[test]
    fn shards_merge_into_the_unsplit_run() {
        let whole = report(3, &[0, 3, 5], None);
        let (one, two) = (report(2, &[0], Some("1/2")), report(1, &[3, 5], Some("2/2")));
        let read: WireReport = serde_json::from_str(&one.json()).unwrap();
        assert_eq!(read, one);
        assert_eq!(WireReport::merge(vec![two.clone(), one.clone()]), Ok(whole));
        assert!(WireReport::merge(vec![one.clone()]).unwrap_err().contains("2/2 is missing"));
        let other = WireReport { seed: 2, ..two };
        assert!(WireReport::merge(vec![one, other]).unwrap_err().contains("differ"));
        assert_eq!(WireReport::numbers(5, Some("2/2".parse().unwrap())), [1, 3]);
    }

    #[test]
    fn a_shard_without_mutants_is_no_failure() {
        assert_eq!(report(0, &[], None).exit(), Exit::Inconclusive);
        assert_eq!(WireReport { count: 1, ..report(0, &[], Some("2/2")) }.exit(), Exit::Conformant);
    }
}
