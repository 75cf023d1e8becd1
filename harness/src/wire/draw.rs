//! Drawing mutants: first a group of answers, then a part of them, then one answer, so that long lists do not crowd out the rest.
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use slipway_defects::wire::{ChangeKind, Mutant, concrete, general, is_word, kinds_for, places};
use slipway_scenarios::seed::Choices;

use super::survey::Seen;

/// One in this many mutants changes a status.
const STATUS: usize = 16;
/// Draws for each mutant, before the target counts as exhausted.
const DRAWS: usize = 30;
/// A field with more values is not an enumeration.
const LARGEST_ENUMERATION: usize = 8;
/// A mutant with the answer that it was drawn from.
pub(super) struct Drawn<'a> {
    pub(super) mutant: Mutant,
    pub(super) seen: &'a Seen,
}

/// Successful answers of an endpoint, or the refusals of a service with one status.
#[derive(Default)]
struct Group<'a> {
    answers: Vec<&'a Seen>,
    /// By general pointer.
    places: BTreeMap<String, Place<'a>>,
}

/// The answers that have a value at a general pointer, and the words and booleans there.
#[derive(Default)]
struct Place<'a> {
    answers: Vec<&'a Seen>,
    values: BTreeSet<String>,
}

/// This many different mutants, fewer if the target has no more. The first ones are the same for every count.
pub(super) fn draw(answers: &[Seen], seed: u64, count: usize) -> Vec<Drawn<'_>> {
    let groups: Vec<Group<'_>> = grouped(answers).into_values().collect();
    let mut choices = Choices::new(seed, "wire");
    let (mut known, mut all) = (BTreeSet::new(), Vec::new());
    for _ in 0..count.saturating_mul(DRAWS) {
        if all.len() == count || groups.is_empty() {
            break;
        }
        let group = choices.index(groups.len());
        let drawn = one(&groups[group], &mut choices);
        all.extend(drawn.filter(|drawn| known.insert(drawn.mutant.clone())));
    }
    all
}

fn grouped(answers: &[Seen]) -> BTreeMap<(&'static str, String), Group<'_>> {
    let mut groups: BTreeMap<_, Group<'_>> = BTreeMap::new();
    for seen in answers {
        let status = seen.response.status;
        let name = if status.is_success() { seen.endpoint.clone() } else { status.to_string() };
        let group = groups.entry((seen.service, name)).or_default();
        group.answers.push(seen);
        for pointer in places(&seen.body).into_iter().filter(|_| !seen.body.is_null()) {
            let value = seen.body.pointer(&pointer).expect("a place of a value is in it");
            let place = group.places.entry(general(&pointer)).or_default();
            if place.answers.last().is_none_or(|last| last.request != seen.request) {
                place.answers.push(seen);
            }
            let is_listed = value.is_boolean() || value.as_str().is_some_and(is_word);
            if is_listed && place.values.len() <= LARGEST_ENUMERATION {
                place.values.insert(value.to_string());
            }
        }
    }
    groups
}

/// A mutant of a group; none if the draw finds nothing to change.
fn one<'a>(group: &Group<'a>, choices: &mut Choices) -> Option<Drawn<'a>> {
    let places: Vec<(&String, &Place<'a>)> = group.places.iter().collect();
    let (seen, pointer, kind) = if choices.index(STATUS) == 0 || places.is_empty() {
        (*choices.pick(&group.answers), String::new(), ChangeKind::Moved)
    } else {
        let (wide, place) = *choices.pick(&places);
        let seen = *choices.pick(&place.answers);
        let pointer = choices.pick(&concrete(&seen.body, wide)).clone();
        let kinds = kinds_at(&seen.body, &pointer, place, choices);
        let kind = kinds.get(choices.index(kinds.len().max(1)))?.clone();
        (seen, pointer, kind)
    };
    let (endpoint, request) = (seen.endpoint.clone(), seen.request.clone());
    Some(Drawn { mutant: Mutant { service: seen.service, endpoint, request, pointer, kind }, seen })
}

/// The changes that fit the value at a pointer.
fn kinds_at(body: &Value, pointer: &str, place: &Place<'_>, choices: &mut Choices) -> Vec<ChangeKind> {
    let value = body.pointer(pointer).expect("a place of a value is in it");
    let mut kinds = kinds_for(value);
    let parent = pointer.rsplit_once('/').and_then(|(parent, _)| body.pointer(parent));
    if parent.is_some_and(Value::is_object) {
        kinds.push(ChangeKind::Dropped);
    }
    let own = value.to_string();
    let others: Vec<&String> = place.values.iter().filter(|text| **text != own).collect();
    if place.values.contains(&own) && place.values.len() <= LARGEST_ENUMERATION && !others.is_empty() {
        kinds.push(ChangeKind::OtherValue((*choices.pick(&others)).clone()));
    }
    kinds
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use reqwest::StatusCode;
    use reqwest::header::HeaderMap;
    use serde_json::json;
    use slipway_scenarios::client::message::{Request, Response};

    use super::*;

    fn seen(service: &'static str, target: &str, code: u16, body: Value) -> Seen {
        let response = Response {
            request: Request::get(&"http://127.0.0.1".parse().unwrap(), target, &[]),
            status: StatusCode::from_u16(code).unwrap(),
            headers: HeaderMap::new(),
            body: body.to_string().into_bytes(),
            exchange: None,
        };
        let (endpoint, request) =
            (format!("GET {}", target.split('?').next().unwrap()), format!("GET {target}"));
        Seen { service, endpoint, request, response: Arc::new(response), body, checks: BTreeSet::new() }
    }

    fn answers() -> Vec<Seen> {
        let rows = json!([{"name": "A", "status": "live", "cap": 1.5}, {"name": "B", "status": "funding", "cap": 2}]);
        let refused = (0..50).map(|at| seen("rest", &format!("/api/{at}"), 405, json!({"error": "no"})));
        let found = [
            seen("rest", "/api/tokens?page=1", 200, json!({"tokens": rows, "totalCount": 2})),
            seen("rest", "/api/token", 200, json!({"name": "A", "raise": "1000"})),
            seen("swap", "/api/quote", 200, json!({"amountOut": "12"})),
        ];
        found.into_iter().chain(refused).collect()
    }

    fn mutants(seed: u64, count: usize) -> Vec<Mutant> {
        draw(&answers(), seed, count).into_iter().map(|drawn| drawn.mutant).collect()
    }

    #[test]
    fn equal_seeds_draw_equal_mutants() {
        assert_eq!(mutants(3, 60), mutants(3, 60));
        assert_ne!(mutants(3, 60), mutants(4, 60));
        assert_eq!(mutants(3, 60)[..20], mutants(3, 20));
        let all = mutants(3, 60);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    }

    #[test]
    fn every_endpoint_and_kind_is_drawn() {
        let mutants = mutants(1, 100);
        let of = |test: &dyn Fn(&Mutant) -> bool| mutants.iter().filter(|mutant| test(mutant)).count();
        for endpoint in ["GET /api/tokens", "GET /api/token", "GET /api/quote"] {
            assert!(of(&|mutant| mutant.endpoint == endpoint) > 0, "{endpoint}");
        }
        assert!(of(&|mutant| mutant.kind == ChangeKind::Moved) > 0);
        assert!(of(&|mutant| mutant.kind == ChangeKind::OtherValue("\"funding\"".to_owned())) > 0);
        // Refusals of one status are one of four groups, however many there are.
        let refused = of(&|mutant| mutant.endpoint.starts_with("GET /api/") && mutant.endpoint.len() < 12);
        assert!(refused < 80, "{refused} of {}", mutants.len());
    }
}
