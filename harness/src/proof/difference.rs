//! The first difference of two answers to one request, bounded so that a person can read it.
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Asked;
use crate::report::events::{Event, Exchange, Message};
use crate::survey::endpoint;

/// Values up to this many characters are kept whole; longer ones are cut around the first difference.
const LONGEST: usize = 240;
const BEFORE: usize = 60;
/// Characters of a request body that are kept.
const ASKED: usize = 600;
/// Headers that differ between any two answers.
const VARYING: [&str; 3] = ["date", "x-request-id", "content-length"];

/// Where two answers differ first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Difference {
    /// `status`, `header NAME`, `body` and a JSON pointer, or `answer` if only one of them exists.
    pub(crate) at: String,
    /// The sound platform's value; null if it has none.
    pub(crate) sound: Value,
    /// The broken platform's value.
    pub(crate) broken: Value,
}

/// Which parts of an answer are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    StatusAndBody,
    Everything,
}

pub(super) fn exchanges(events: &[Event]) -> impl Iterator<Item = &Exchange> {
    events.iter().filter_map(|event| match event {
        Event::Exchange(exchange) => Some(&**exchange),
        _ => None,
    })
}

/// The exchange that shows a failure and the sound answer to its request; if these are equal, the first ones that differ.
pub(super) fn compared(
    evidence: Option<&Exchange>,
    sound: &[Exchange],
    broken: &[&Exchange],
) -> (Option<Asked>, Option<Difference>) {
    let pair = |broken: &Exchange, sound: &Exchange, depth| {
        let difference = between(sound.response.as_ref(), broken.response.as_ref(), depth)?;
        Some((Some(asked(broken)), Some(difference)))
    };
    // Repeated requests are matched by their turn.
    let same = |exchange: &Exchange| {
        let is_same = |other: &Exchange| is_same(&other.request, &exchange.request);
        let turn = broken.iter().filter(|other| other.number < exchange.number && is_same(other)).count();
        let asked: Vec<&Exchange> = sound.iter().filter(|other| is_same(other)).collect();
        asked.get(turn).or(asked.first()).copied()
    };
    // Single-use values, such as captchas, make two requests differ: these are matched by their order at the endpoint.
    let alike = |exchange: &Exchange| {
        let name = endpoint_of(exchange);
        let before = |other: &&&Exchange| endpoint_of(other) == name && other.number < exchange.number;
        let place = broken.iter().filter(before).count();
        sound.iter().filter(|other| endpoint_of(other) == name).nth(place)
    };
    let shown = evidence
        .and_then(|exchange| pair(exchange, same(exchange).or_else(|| alike(exchange))?, Depth::Everything));
    let any = |depth| broken.iter().find_map(|exchange| pair(exchange, same(exchange)?, depth));
    shown
        .or_else(|| any(Depth::StatusAndBody))
        .or_else(|| any(Depth::Everything))
        .unwrap_or_else(|| (evidence.map(asked), None))
}

/// Whether two requests are equal; their lengths follow from their bodies.
fn is_same(left: &Message, right: &Message) -> bool {
    left.head == right.head && left.body == right.body && left.headers == right.headers
}

/// The endpoint of an exchange, without ids of single items.
fn endpoint_of(exchange: &Exchange) -> String {
    let (method, address) = exchange.request.head.split_once(' ').unwrap_or_default();
    let path = address.split_once("://").map_or(address, |(_, rest)| rest);
    endpoint(method, path, exchange.request.body.as_bytes())
}

fn asked(exchange: &Exchange) -> Asked {
    let body = &exchange.request.body;
    let kept: String = body.chars().take(ASKED).collect();
    let body = if kept.len() < body.len() { format!("{kept}…") } else { kept };
    Asked { head: exchange.request.head.clone(), body }
}

/// Where two exchanges differ first, of which one may have no answer.
fn between(sound: Option<&Message>, broken: Option<&Message>, depth: Depth) -> Option<Difference> {
    let reported = |message: Option<&Message>| message.map_or(Value::Null, |message| json!(message.body));
    match (sound, broken) {
        (Some(sound), Some(broken)) => first(sound, broken, depth),
        (None, None) => None,
        (sound, broken) => Some(bounded("answer".to_owned(), &reported(sound), &reported(broken))),
    }
}

/// Where two answers differ first: in their status, in their bodies, in a header.
fn first(sound: &Message, broken: &Message, depth: Depth) -> Option<Difference> {
    if sound.head != broken.head {
        return Some(bounded("status".to_owned(), &json!(sound.head), &json!(broken.head)));
    }
    if sound.body != broken.body {
        match (value_of(&sound.body), value_of(&broken.body)) {
            (Some(left), Some(right)) if left == right => {}
            (Some(left), Some(right)) => return Some(of_values(&left, &right, "body ")),
            _ => return Some(bounded("body".to_owned(), &json!(sound.body), &json!(broken.body))),
        }
    }
    if depth == Depth::StatusAndBody {
        return None;
    }
    let header = |message: &Message, name: &str| -> Value {
        let found = message.headers.iter().find(|(known, _)| known == name);
        found.map_or(Value::Null, |(_, value)| value.clone().into())
    };
    let mut names = sound.headers.iter().chain(&broken.headers).map(|(name, _)| name.as_str());
    let name = names.find(|name| !VARYING.contains(name) && header(sound, name) != header(broken, name))?;
    Some(bounded(format!("header {name}"), &header(sound, name), &header(broken, name)))
}

/// A body as JSON, without the number that JSON-RPC gives a call.
fn value_of(body: &str) -> Option<Value> {
    let mut value = serde_json::from_str::<Value>(body).ok()?;
    if let Some(fields) = value.as_object_mut().filter(|fields| fields.contains_key("jsonrpc")) {
        fields.shift_remove("id");
    }
    Some(value)
}

/// The first place, in the order of the sound value, at which two values differ; they are not equal.
fn of_values(sound: &Value, broken: &Value, at: &str) -> Difference {
    match (sound, broken) {
        (Value::Array(left), Value::Array(right)) => {
            let place = (0..).find(|place| left.get(*place) != right.get(*place)).unwrap_or_default();
            below(left.get(place), right.get(place), &format!("{at}/{place}"))
        }
        (Value::Object(left), Value::Object(right)) => {
            let mut names = left.keys().chain(right.keys());
            let name = names.find(|name| left.get(*name) != right.get(*name));
            let name = name.map(String::as_str).unwrap_or_default();
            let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
            below(left.get(name), right.get(name), &at)
        }
        _ => bounded(at.to_owned(), sound, broken),
    }
}

/// The difference of two members; one that is missing shows as null or, compared with a null, as absent.
fn below(sound: Option<&Value>, broken: Option<&Value>, at: &str) -> Difference {
    let absent = json!("(absent)");
    let missing = |other: Option<&Value>| if other == Some(&Value::Null) { &absent } else { &Value::Null };
    match (sound, broken) {
        (Some(left), Some(right)) => of_values(left, right, at),
        (left, right) => {
            bounded(at.to_owned(), left.unwrap_or(missing(right)), right.unwrap_or(missing(left)))
        }
    }
}

/// Both values, or for long ones the text around their first difference.
fn bounded(at: String, sound: &Value, broken: &Value) -> Difference {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let (left, right): (Vec<char>, Vec<char>) =
        (text(sound).chars().collect(), text(broken).chars().collect());
    if left.len().max(right.len()) <= LONGEST {
        return Difference { at, sound: sound.clone(), broken: broken.clone() };
    }
    let differs = left.iter().zip(&right).take_while(|(left, right)| left == right).count();
    let from = differs.saturating_sub(BEFORE);
    let around = |value: &Value, letters: &[char]| {
        if value.is_null() {
            return Value::Null;
        }
        let from = from.min(letters.len());
        let until = (from + LONGEST).min(letters.len());
        let (before, after) = (if from > 0 { "…" } else { "" }, if until < letters.len() { "…" } else { "" });
        format!("{before}{}{after}", letters[from..until].iter().collect::<String>()).into()
    };
    Difference { at, sound: around(sound, &left), broken: around(broken, &right) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::events::ExchangeKind;

    fn message(body: &str) -> Message {
        Message { head: "200 OK".to_owned(), headers: Vec::new(), body: body.to_owned(), bytes: 0 }
    }

    #[test]
    fn the_first_difference_is_found() {
        let at = |left: &str, right: &str| {
            let found = first(&message(left), &message(right), Depth::Everything);
            found.map(|found| (found.at, found.sound, found.broken))
        };
        assert_eq!(
            at(r#"{"a":[1,{"b":2}],"c":3}"#, r#"{"a":[1,{"b":9}],"c":4}"#),
            Some(("body /a/1/b".to_owned(), json!(2), json!(9)))
        );
        assert_eq!(at(r#"{"a":1}"#, "{}"), Some(("body /a".to_owned(), json!(1), Value::Null)));
        let dropped = Some(("body /a".to_owned(), Value::Null, json!("(absent)")));
        assert_eq!(at(r#"{"a":null}"#, "{}"), dropped);
        assert_eq!(at("[1,2]", "[1]"), Some(("body /1".to_owned(), json!(2), Value::Null)));
        assert_eq!(at(r#"{"jsonrpc":"2.0","id":1}"#, r#"{"jsonrpc":"2.0","id":2}"#), None);
        assert_eq!(at("x", "x"), None);
        let long = |end: &str| format!("{}{end}", "0".repeat(1000));
        let (_, sound, broken) = at(&long("1"), &long("22")).unwrap();
        assert_eq!(sound, format!("…{}1", "0".repeat(BEFORE)));
        assert_eq!(broken, format!("…{}22", "0".repeat(BEFORE)));
        let other = Message { head: "404 Not Found".to_owned(), ..message("x") };
        assert_eq!(first(&message("x"), &other, Depth::Everything).unwrap().at, "status");
        let mut named = message("x");
        named.headers = vec![("date".to_owned(), "a".to_owned()), ("etag".to_owned(), "b".to_owned())];
        assert_eq!(first(&message("x"), &named, Depth::StatusAndBody), None);
        assert_eq!(first(&message("x"), &named, Depth::Everything).unwrap().at, "header etag");
    }

    #[test]
    fn requests_are_paired_by_text_and_then_by_order() {
        let exchange = |number, head: &str, sent: &str, answer: &str| Exchange {
            number,
            check: String::new(),
            kind: ExchangeKind::Http,
            at: 0,
            took: 0,
            request: Message { head: head.to_owned(), ..message(sent) },
            response: Some(message(answer)),
            error: None,
        };
        let post = "POST http://127.0.0.1:4700/api/chat";
        let sound = [exchange(1, post, "captcha a", "1"), exchange(2, post, "captcha b", "2")];
        let broken = [exchange(7, post, "captcha x", "1"), exchange(8, post, "captcha y", "3")];
        let all: Vec<&Exchange> = broken.iter().collect();
        let (asked, difference) = compared(Some(&broken[1]), &sound, &all);
        assert_eq!(asked.unwrap().body, "captcha y");
        let difference = difference.unwrap();
        assert_eq!((difference.sound, difference.broken), (json!(2), json!(3)));
        // Without an exchange that shows the failure, only equal requests are compared.
        assert_eq!(compared(None, &sound, &all), (None, None));
        // Equal requests are matched by their turn, and no answer differs from an answer.
        let sound = [exchange(1, post, "a", "1"), exchange(2, post, "a", "2"), exchange(3, post, "b", "3")];
        let silent = Exchange { response: None, ..exchange(9, post, "b", "") };
        let broken = [exchange(7, post, "a", "1"), exchange(8, post, "a", "1"), silent];
        let all: Vec<&Exchange> = broken.iter().collect();
        let (_, difference) = compared(Some(&broken[1]), &sound, &all);
        assert_eq!(difference.unwrap().sound, json!(2));
        let (_, difference) = compared(Some(&broken[2]), &sound, &all);
        let silence = Difference { at: "answer".to_owned(), sound: json!("3"), broken: Value::Null };
        assert_eq!(difference, Some(silence));
    }
}
