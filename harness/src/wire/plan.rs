//! Drawing mutants: first a group of requests, then a part of its answers, then one answer, so that long lists do not crowd the rest out.
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use slipway_defects::wire::{Kind, Mutant, Part, Scope, concrete, general, is_word, kinds_for, places};
use slipway_scenarios::seed::Choices;

use super::survey::{Seen, Whole};

/// Services and how often each is drawn.
const WEIGHTS: [(&str, usize); 4] = [("rest", 8), ("swap", 3), ("tool-server", 2), ("node", 2)];
/// One mutant of so many lies about a field everywhere, changes a status, or takes a header out.
const EVERYWHERE: usize = 6;
const STATUS: usize = 16;
const HEADER: usize = 16;
/// Draws of a mutant, before the target is taken to have none left.
const DRAWS: usize = 30;
/// A field of more values than these is no enumeration.
const LARGEST_ENUMERATION: usize = 8;
/// Headers that belong to the connection, not to the answer.
const TRANSPORT: [&str; 6] =
    ["connection", "content-length", "date", "keep-alive", "transfer-encoding", "vary"];

/// Everything that can be drawn.
pub(super) struct Plan<'a> {
    answers: &'a [Seen],
    /// Answers to each group of requests to each service: an endpoint, or all that a method is refused for.
    groups: BTreeMap<&'static str, BTreeMap<&'a str, Vec<usize>>>,
    /// Answers that have a value at each general pointer of a group.
    pointers: BTreeMap<(&'static str, &'a str), BTreeMap<String, Vec<usize>>>,
    /// Texts and truth values that a general pointer of a group has somewhere.
    values: BTreeMap<(&'static str, &'a str, String), BTreeSet<String>>,
    /// Fields of the HTTP services by name, each with a value.
    fields: BTreeMap<String, Value>,
    seed: u64,
}

/// The draws of one mutant, decided by the seed and its number: whoever draws it draws the same.
pub(super) struct Draws {
    pub(super) number: usize,
    choices: Choices,
    left: usize,
}

/// Who reads what a mutant changes.
type Readers = BTreeSet<&'static str>;

/// A mutant with those that read what it changes.
pub(super) struct Drawn {
    pub(super) mutant: Mutant,
    pub(super) readers: Readers,
}

impl<'a> Plan<'a> {
    pub(super) fn new(answers: &'a [Seen], seed: u64) -> Self {
        let mut plan = Self {
            answers,
            groups: BTreeMap::new(),
            pointers: BTreeMap::new(),
            values: BTreeMap::new(),
            fields: BTreeMap::new(),
            seed,
        };
        let telling: BTreeSet<(&str, &str)> =
            answers.iter().filter(|seen| tells(seen)).map(|seen| (seen.service, &*seen.endpoint)).collect();
        for (index, seen) in answers.iter().enumerate() {
            let endpoint = seen.endpoint.as_str();
            // Refusals of what is no endpoint, and preflights, are alike wherever they come from: one group for each method.
            let group = match endpoint.split_once(' ') {
                Some((method, _)) if !telling.contains(&(seen.service, endpoint)) => method,
                _ => endpoint,
            };
            plan.groups.entry(seen.service).or_default().entry(group).or_default().push(index);
            plan.read(index, seen, group);
        }
        plan
    }

    fn read(&mut self, index: usize, seen: &'a Seen, group: &'a str) {
        let group = (seen.service, group);
        for pointer in places(&seen.body) {
            let value = seen.body.pointer(&pointer).expect("a place of a value is in it");
            let wide = general(&pointer);
            // The frame of JSON-RPC is the transport of an answer.
            if seen.body.is_null() || is_frame(seen.service, &pointer) {
                continue;
            }
            // Prose is no value of an enumeration.
            if value.is_boolean() || value.as_str().is_some_and(is_word) {
                let values = self.values.entry((group.0, group.1, wide.clone())).or_default();
                if values.len() <= LARGEST_ENUMERATION {
                    values.insert(value.to_string());
                }
            }
            if let Some(name) = pointer.rsplit('/').next().filter(|_| matches!(seen.service, "rest" | "swap"))
                && !value.is_array()
                && !value.is_object()
                && !value.is_null()
                && !general(&format!("/{name}")).ends_with('*')
                && !name.is_empty()
            {
                self.fields.entry(name.to_owned()).or_insert_with(|| value.clone());
            }
            let pointers = self.pointers.entry(group).or_default();
            let answers = pointers.entry(wide).or_default();
            if answers.last() != Some(&index) {
                answers.push(index);
            }
        }
    }

    /// The draws of the mutant with this number.
    fn draws(&self, number: usize) -> Draws {
        Draws { number, choices: Choices::new(self.seed, &format!("wire-{number}")), left: DRAWS }
    }

    /// So many mutants by their numbers, each another; fewer where the target has no more.
    pub(super) fn distinct(&self, count: usize) -> Vec<(Draws, Drawn)> {
        let mut known = BTreeSet::new();
        let mut all = Vec::new();
        for number in 0..count {
            let mut draws = self.draws(number);
            if let Some(drawn) = self.next(&mut draws, |mutant| known.contains(mutant)) {
                known.insert(drawn.mutant.clone());
                all.push((draws, drawn));
            }
        }
        all
    }

    /// The next mutant that is not known; none after as many draws as there are.
    pub(super) fn next(&self, draws: &mut Draws, is_known: impl Fn(&Mutant) -> bool) -> Option<Drawn> {
        while draws.left > 0 {
            draws.left -= 1;
            if let Some((mutant, readers)) = self.draw(&mut draws.choices)
                && !is_known(&mutant)
            {
                return Some(Drawn { mutant, readers });
            }
        }
        None
    }

    /// A mutant; none where the draw came to nothing.
    fn draw(&self, choices: &mut Choices) -> Option<(Mutant, Readers)> {
        if choices.index(EVERYWHERE) == 0 {
            return self.everywhere(choices);
        }
        let available: Vec<&'static str> = WEIGHTS
            .into_iter()
            .filter(|(service, _)| self.groups.contains_key(service))
            .flat_map(|(service, weight)| std::iter::repeat_n(service, weight))
            .collect();
        if available.is_empty() {
            return None;
        }
        let service = *choices.pick(&available);
        let groups: Vec<&str> = self.groups[service].keys().copied().collect();
        let group = *choices.pick(&groups);
        if service == "rest" || service == "swap" {
            if choices.index(STATUS) == 0 {
                return self.of_head(choices, service, group, true);
            }
            if choices.index(HEADER) == 0 {
                return self.of_head(choices, service, group, false);
            }
        }
        self.of_body(choices, service, group)
    }

    fn of_head(
        &self,
        choices: &mut Choices,
        service: &'static str,
        group: &str,
        status: bool,
    ) -> Option<(Mutant, Readers)> {
        let seen = &self.answers[*choices.pick(&self.groups[service][group])];
        let (part, kind) = if status {
            (Part::Status, Kind::Moved)
        } else {
            let own: Vec<&String> =
                seen.headers.iter().filter(|name| !TRANSPORT.contains(&name.as_str())).collect();
            if own.is_empty() {
                return None;
            }
            (Part::Header((*choices.pick(&own)).clone()), Kind::Dropped)
        };
        seen.has_status.then(|| (mutant(seen, part, kind), seen.checks.clone()))
    }

    fn of_body(
        &self,
        choices: &mut Choices,
        service: &'static str,
        group: &str,
    ) -> Option<(Mutant, Readers)> {
        let pointers = self.pointers.get(&(service, group))?;
        let wides: Vec<&String> = pointers.keys().collect();
        let wide = (*choices.pick(&wides)).clone();
        let seen = &self.answers[*choices.pick(&pointers[&wide])];
        let found = concrete(&seen.body, &wide);
        let pointer = choices.pick(&found).clone();
        let value = seen.body.pointer(&pointer)?;
        let mut kinds = kinds_for(value);
        let in_object = pointer.rsplit_once('/').and_then(|(parent, _)| seen.body.pointer(parent));
        if in_object.is_some_and(Value::is_object) {
            kinds.push(Kind::Dropped);
        }
        if let Some(values) = self.values.get(&(service, group, wide))
            && values.len() <= LARGEST_ENUMERATION
        {
            let own = value.to_string();
            let others: Vec<&String> = values.iter().filter(|text| **text != own).collect();
            if !others.is_empty() {
                kinds.push(Kind::OtherValue((*choices.pick(&others)).clone()));
            }
        }
        if kinds.is_empty() {
            return None;
        }
        let kind = choices.pick(&kinds).clone();
        Some((mutant(seen, Part::Body(pointer), kind), seen.checks.clone()))
    }

    fn everywhere(&self, choices: &mut Choices) -> Option<(Mutant, Readers)> {
        if self.fields.is_empty() {
            return None;
        }
        let names: Vec<&String> = self.fields.keys().collect();
        let name = (*choices.pick(&names)).clone();
        let mut kinds = kinds_for(&self.fields[&name]);
        kinds.push(Kind::Dropped);
        let kind = choices.pick(&kinds).clone();
        let mutant = Mutant {
            service: "rest".to_owned(),
            endpoint: "every endpoint".to_owned(),
            part: Part::Body(format!("/**/{name}")),
            scope: Scope::Everywhere(name.clone()),
            kind,
        };
        let has = |seen: &&Seen| {
            matches!(seen.service, "rest" | "swap")
                && places(&seen.body).iter().any(|pointer| pointer.rsplit('/').next() == Some(&name))
        };
        let readers = self.answers.iter().filter(has).flat_map(|seen| seen.checks.iter().copied()).collect();
        Some((mutant, readers))
    }
}

/// Whether an answer tells more than that a request was refused.
fn tells(seen: &Seen) -> bool {
    match &seen.whole {
        Whole::Http(response) => response.status.is_success() && !seen.body.is_null(),
        Whole::Tool(_) => true,
    }
}

fn is_frame(service: &str, pointer: &str) -> bool {
    let frame = ["", "/jsonrpc", "/id"];
    let inner = pointer.strip_prefix('/').and_then(|rest| rest.split_once('/'));
    let of_batch = inner.is_some_and(|(at, rest)| {
        at.bytes().all(|byte| byte.is_ascii_digit()) && ["jsonrpc", "id"].contains(&rest)
    });
    matches!(service, "node" | "tool-server") && (frame.contains(&pointer) || of_batch)
}

fn mutant(seen: &Seen, part: Part, kind: Kind) -> Mutant {
    Mutant {
        service: seen.service.to_owned(),
        endpoint: seen.endpoint.clone(),
        scope: Scope::Answer(seen.request.clone()),
        part,
        kind,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use reqwest::StatusCode;
    use reqwest::header::HeaderMap;
    use serde_json::json;
    use slipway_scenarios::client::http::{Request, Response};

    use super::*;

    fn seen(service: &'static str, target: &str, body: Value) -> Seen {
        Seen {
            service,
            endpoint: format!("GET {}", target.split('?').next().unwrap()),
            request: format!("GET {target}"),
            has_status: true,
            headers: vec!["content-type".to_owned(), "date".to_owned()],
            body,
            whole: Whole::Tool(Arc::from(&b"{}"[..])),
            checks: BTreeSet::from(["a-check"]),
        }
    }

    fn answers() -> Vec<Seen> {
        vec![
            seen(
                "rest",
                "/api/tokens?page=1",
                json!({"tokens": [{"name": "A", "status": "live", "cap": 1.5}, {"name": "B", "status": "funding", "cap": 2}], "totalCount": 2}),
            ),
            seen("rest", "/api/token", json!({"name": "A", "raise": "1000"})),
            seen("swap", "/api/quote", json!({"amountOut": "12"})),
        ]
    }

    fn drawn(seed: u64, count: usize) -> Vec<Mutant> {
        let answers = answers();
        let plan = Plan::new(&answers, seed);
        plan.distinct(count).into_iter().map(|(_, drawn)| drawn.mutant).collect()
    }

    #[test]
    fn equal_seeds_draw_equal_mutants() {
        assert_eq!(drawn(3, 200), drawn(3, 200));
        assert_ne!(drawn(3, 200), drawn(4, 200));
        // More mutants leave the first as they are, and no two are alike.
        let few = drawn(3, 20);
        assert_eq!(drawn(3, 200)[..few.len()], few);
        let mutants = drawn(3, 200);
        assert_eq!(mutants.iter().collect::<BTreeSet<_>>().len(), mutants.len());
    }

    #[test]
    fn refused_methods_are_one_group() {
        let base = "http://127.0.0.1".parse().unwrap();
        let refused = |path: &str| {
            let response = Response {
                request: Request::get(&base, path, &[]),
                status: StatusCode::METHOD_NOT_ALLOWED,
                headers: HeaderMap::new(),
                body: Vec::new(),
                exchange: None,
            };
            Seen {
                endpoint: format!("PUT {path}"),
                request: format!("PUT {path}"),
                whole: Whole::Http(Arc::new(response)),
                ..seen("rest", path, json!({"error": "no"}))
            }
        };
        let mut answers = answers();
        answers.extend((0..50).map(|at| refused(&format!("/api/{at}"))));
        let plan = Plan::new(&answers, 1);
        let drawn = (0..600).filter_map(|number| plan.next(&mut plan.draws(number), |_| false));
        let mutants: Vec<Mutant> = drawn.map(|drawn| drawn.mutant).collect();
        let put = mutants.iter().filter(|mutant| mutant.endpoint.starts_with("PUT ")).count();
        // One of three groups of the service, which is drawn for most but not all of them.
        assert!((60..240).contains(&put), "{put}");
    }

    #[test]
    fn every_endpoint_part_and_kind_is_drawn() {
        let answers = answers();
        let plan = Plan::new(&answers, 1);
        let drawn = (0..3000).filter_map(|number| plan.next(&mut plan.draws(number), |_| false));
        let mutants: Vec<Mutant> = drawn.map(|drawn| drawn.mutant).collect();
        let of = |test: &dyn Fn(&Mutant) -> bool| mutants.iter().any(test);
        for endpoint in ["GET /api/tokens", "GET /api/token", "GET /api/quote", "every endpoint"] {
            assert!(of(&|mutant| mutant.endpoint == endpoint), "{endpoint}");
        }
        assert!(of(&|mutant| mutant.part == Part::Status));
        assert!(of(&|mutant| mutant.part == Part::Header("content-type".to_owned())));
        assert!(!of(&|mutant| mutant.part == Part::Header("date".to_owned())));
        assert!(of(&|mutant| mutant.kind == Kind::OtherValue("\"funding\"".to_owned())));
        let kinds: BTreeSet<String> = mutants.iter().map(|mutant| mutant.kind.to_string()).collect();
        assert_eq!(kinds.len(), 12, "{kinds:?}");
    }
}
