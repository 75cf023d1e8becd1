//! Requests from a document: of the seed and the number of a case follows its request, and what its answer may be.
use reqwest::Method;
use serde_json::Value;

use super::document::{Body, Document, Operation, Parameter, ParameterLocation, Proof, Rule, Shape};
use super::encode::{Content, files, form_reads, quoted};
use super::values::{Pool, refused, refused_texts, valid_value, written};
use crate::seed::Choices;

/// What the answer to a request may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// The request is as the document has it: it is not refused for its form.
    Taken,
    /// Something of it is broken: it is refused, with a declared status from 400 to 499.
    Refused,
    /// It lacks a proof: 401 or 403.
    Unproven,
    /// No operation is there: 404, or 405 with exactly these methods allowed.
    Unrouted(Vec<String>),
    /// The document does not cover what is odd about it: any declared answer but a failure.
    Declared,
}

/// A request that is not yet sent.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Position of the operation in the document.
    pub(super) operation: usize,
    pub(super) method: Method,
    pub(super) path: String,
    /// Name and text of each query parameter, not yet encoded.
    pub(super) query: Vec<(String, String)>,
    /// More of the query, as it is sent.
    pub(super) raw_query: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) content: Option<Content>,
    /// What is broken or odd about it, in words.
    pub(super) what: String,
    /// What of it must stay when it is made smaller.
    pub(super) subject: Option<String>,
    pub(super) proofs: Vec<Proof>,
    pub(super) expected: Expected,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Planner<'a> {
    pub(super) document: &'a Document,
    pub(super) pool: &'a Pool,
    pub(super) seed: u64,
    /// Operations by their positions, the more often the more there is to try of them.
    pub(super) candidates: &'a [usize],
}

impl Planner<'_> {
    pub(super) fn case(&self, number: u64) -> Plan {
        let mut choices = Choices::new(self.seed, &format!("fuzz case {number}"));
        loop {
            let index = *choices.pick(self.candidates);
            if let Some(plan) = self.of(index, &self.document.operations[index], &mut choices) {
                return plan;
            }
        }
    }

    fn of(&self, index: usize, operation: &Operation, choices: &mut Choices) -> Option<Plan> {
        let sound = self.sound(index, operation, choices)?;
        match choices.index(20) {
            0..=7 => Some(sound),
            8..=11 => self.broken_parameter(operation, sound, choices),
            12 => without_required(operation, sound, choices),
            13 => broken_rule(operation, sound, choices),
            14..=15 => self.broken_field(operation.body.as_ref()?, sound, choices),
            16 => broken_body(operation.body.as_ref()?, sound, choices),
            17 => unproven(operation, sound),
            18 => self.unrouted(operation, sound, choices),
            _ => Some(odd(operation, sound, choices)),
        }
    }

    /// A request as the document has it.
    fn sound(&self, index: usize, operation: &Operation, choices: &mut Choices) -> Option<Plan> {
        let mut plan = Plan {
            operation: index,
            method: operation.method.clone(),
            path: operation.path.clone(),
            query: Vec::new(),
            raw_query: None,
            headers: Vec::new(),
            content: None,
            what: "as the document has it".to_owned(),
            subject: None,
            proofs: operation.security.first().cloned().unwrap_or_default(),
            expected: Expected::Taken,
        };
        for parameter in &operation.parameters {
            let ruled = operation
                .rules
                .iter()
                .any(|rule| matches!(rule, Rule::ExactlyOneOf(names) if names.contains(&parameter.name)));
            if !parameter.required && !ruled && choices.index(3) > 0 {
                continue;
            }
            let value = valid_value(&parameter.name, &parameter.shape, self.pool, choices)?;
            let text = written(&value, &parameter.shape)?;
            plan.send(parameter, text);
        }
        self.settle(operation, &mut plan, choices)?;
        if let Some(body) = &operation.body {
            let value = valid_value("", &body.shape, self.pool, choices)?;
            plan.content = Some(content(body, value));
        }
        Some(plan)
    }

    /// Makes a request keep the rules that bind its parameters; none where it cannot.
    fn settle(&self, operation: &Operation, plan: &mut Plan, choices: &mut Choices) -> Option<()> {
        for rule in &operation.rules {
            match rule {
                Rule::ExactlyOneOf(names) => {
                    let kept = choices.pick(names).clone();
                    plan.query.retain(|(name, _)| !names.contains(name) || *name == kept);
                }
                Rule::Needs { when, is, needed } => {
                    let bound = plan.get(when).is_some_and(|text| text == is);
                    if bound && plan.get(needed).is_none_or(str::is_empty) {
                        let parameter = operation.parameters.iter().find(|one| one.name == *needed)?;
                        let value = valid_value(needed, &parameter.shape, self.pool, choices)?;
                        plan.send(parameter, written(&value, &parameter.shape)?);
                    }
                }
                Rule::Ordered(least, most) => {
                    let (Some(left), Some(right)) = (plan.get(least), plan.get(most)) else {
                        continue;
                    };
                    let (left, right) = (left.to_owned(), right.to_owned());
                    match (left.parse::<f64>(), right.parse::<f64>()) {
                        (Ok(low), Ok(high)) if low <= high => {}
                        (Ok(_), Ok(_)) => {
                            plan.set(least, right);
                            plan.set(most, left);
                        }
                        // Not numbers: only equal ones are in order for certain.
                        _ => plan.set(most, left),
                    }
                }
                Rule::Distinct(left, right) => {
                    let same = |plan: &Plan| match (plan.get(left), plan.get(right)) {
                        (Some(left), Some(right)) => left.eq_ignore_ascii_case(right),
                        _ => false,
                    };
                    if same(plan) {
                        return None;
                    }
                }
            }
        }
        Some(())
    }

    fn broken_parameter(&self, operation: &Operation, mut plan: Plan, choices: &mut Choices) -> Option<Plan> {
        let queried: Vec<&Parameter> = operation.queried().collect();
        let parameter = *any(&queried, choices)?;
        let Parameter { name, shape, may_be_empty, .. } = parameter;
        let broken = refused_texts(name, shape, *may_be_empty, self.pool, choices);
        let (what, value) = any(&broken, choices)?.clone();
        let alone = operation.rules.iter().find_map(|rule| match rule {
            Rule::ExactlyOneOf(names) if names.contains(name) => Some(names),
            _ => None,
        });
        if let Some(names) = alone {
            plan.query.retain(|(sent, _)| !names.contains(sent));
        }
        plan.send(parameter, value);
        Some(plan.refused(name, format!("{name} is {what}")))
    }

    fn broken_field(&self, body: &Body, mut plan: Plan, choices: &mut Choices) -> Option<Plan> {
        let properties = body.shape.schema["properties"].as_object()?;
        let names: Vec<&String> = properties.keys().collect();
        let name = *any(&names, choices)?;
        let (what, value) = if choices.index(4) == 0 {
            ("is missing".to_owned(), None)
        } else {
            let broken = refused(name, &Shape::alone(&properties[name])?, self.pool, choices);
            let (what, value) = any(&broken, choices)?.clone();
            (format!("is {what}"), Some(value))
        };
        let Some(Content::Fields { fields, .. }) = &mut plan.content else {
            return None;
        };
        match value {
            Some(value) => _ = fields.insert(name.clone(), value),
            None => _ = fields.shift_remove(name),
        }
        let whole = Value::Object(fields.clone());
        let fits = match body.media_type.as_str() {
            "multipart/form-data" => form_reads(&whole, &body.shape),
            _ => body.shape.validator.is_valid(&whole),
        };
        (!fits).then(|| plan.refused(name, format!("field {name} {what}")))
    }

    fn unrouted(&self, operation: &Operation, plan: Plan, choices: &mut Choices) -> Option<Plan> {
        if choices.index(2) == 0 {
            let methods = self.document.methods(&operation.path);
            let strange = [Method::PUT, Method::PATCH, Method::DELETE, Method::POST, Method::GET];
            let method = choices.pick(&strange).clone();
            if methods.contains(method.as_str()) {
                return None;
            }
            let what = format!("{method} is no method of this path");
            let expected = Expected::Unrouted(methods.iter().map(|method| (*method).to_owned()).collect());
            return Some(Plan { method, what, expected, ..plan });
        }
        let behind = [
            "/",
            "//",
            "/x",
            "%00",
            "/%2e%2e%2f",
            ";a=b",
            ".json",
            "/..%5c..%5cetc%5cpasswd",
            "%20",
            "/%ff%fe",
            "~",
        ];
        if operation.parameters.iter().any(|parameter| parameter.place == ParameterLocation::Path) {
            return None;
        }
        let path = format!("{}{}", operation.path, choices.pick(&behind));
        let expected = Expected::Unrouted(Vec::new());
        Some(Plan { path, what: "no such path".to_owned(), expected, ..plan })
    }
}

impl Plan {
    fn get(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(one, _)| one == name).map(|(_, text)| text.as_str())
    }

    fn set(&mut self, name: &str, text: String) {
        self.query.retain(|(one, _)| one != name);
        self.query.push((name.to_owned(), text));
    }

    fn send(&mut self, parameter: &Parameter, text: String) {
        match parameter.place {
            ParameterLocation::Query => self.set(&parameter.name, text),
            ParameterLocation::Path => {
                let place = format!("{{{}}}", parameter.name);
                self.path = self.path.replace(&place, &quoted(&text));
            }
            ParameterLocation::Header => self.headers.push((parameter.name.clone(), text)),
        }
    }

    fn refused(mut self, subject: &str, what: String) -> Self {
        self.subject = Some(subject.to_owned());
        self.what = what;
        self.expected = Expected::Refused;
        self
    }
}

/// One of several; none of none.
fn any<'t, T>(items: &'t [T], choices: &mut Choices) -> Option<&'t T> {
    (!items.is_empty()).then(|| choices.pick(items))
}

fn content(body: &Body, value: Value) -> Content {
    match value {
        Value::Object(fields) => Content::Fields {
            fields,
            form: body.media_type == "multipart/form-data",
            files: files(&body.shape.schema),
        },
        other => Content::Raw { media_type: body.media_type.clone(), bytes: other.to_string().into_bytes() },
    }
}

fn without_required(operation: &Operation, mut plan: Plan, choices: &mut Choices) -> Option<Plan> {
    let required: Vec<&Parameter> = operation.queried().filter(|parameter| parameter.required).collect();
    let parameter = *any(&required, choices)?;
    plan.query.retain(|(name, _)| *name != parameter.name);
    Some(plan.refused(&parameter.name, format!("{} is missing", parameter.name)))
}

fn broken_rule(operation: &Operation, mut plan: Plan, choices: &mut Choices) -> Option<Plan> {
    match any(&operation.rules, choices)? {
        Rule::ExactlyOneOf(names) => {
            let sent = plan.query.iter().find(|(name, _)| names.contains(name))?.1.clone();
            plan.query.retain(|(name, _)| !names.contains(name));
            if choices.index(2) == 0 {
                names.iter().for_each(|name| plan.set(name, sent.clone()));
                return Some(plan.refused("", format!("all of {} are sent", names.join(", "))));
            }
            Some(plan.refused("", format!("none of {} is sent", names.join(", "))))
        }
        Rule::Distinct(left, right) => {
            let same = plan.get(left)?.to_owned();
            plan.set(right, same);
            Some(plan.refused("", format!("{left} and {right} are the same")))
        }
        Rule::Ordered(least, most) => {
            let parameter = operation.parameters.iter().find(|one| one.name == *least)?;
            if !matches!(parameter.shape.schema["type"].as_str(), Some("integer" | "number")) {
                return None;
            }
            plan.set(least, "1".to_owned());
            plan.set(most, "0".to_owned());
            Some(plan.refused("", format!("{least} is above {most}")))
        }
        Rule::Needs { when, is, needed } => {
            plan.set(when, is.clone());
            plan.query.retain(|(name, _)| name != needed);
            Some(plan.refused("", format!("{needed} is missing next to {when}")))
        }
    }
}

/// A body that is broken as a whole.
fn broken_body(body: &Body, mut plan: Plan, choices: &mut Choices) -> Option<Plan> {
    let (media_type, bytes) = plan.content.take()?.encoded();
    let deep = "[".repeat(20_000);
    let mut broken: Vec<(&str, String, Vec<u8>)> = vec![
        ("the body is empty", media_type.clone(), Vec::new()),
        ("the body is cut off", media_type.clone(), bytes[..bytes.len() / 2].to_vec()),
        ("the body is null", media_type.clone(), b"null".to_vec()),
        ("the body is an array", media_type.clone(), b"[{}]".to_vec()),
        ("the body is nested without end", media_type.clone(), deep.into_bytes()),
        ("the body is declared as plain text", "text/plain".to_owned(), bytes.clone()),
        ("the body is declared as a form", "application/x-www-form-urlencoded".to_owned(), bytes.clone()),
        ("the body has no content type", String::new(), bytes.clone()),
    ];
    // Before its first part a form may hold anything.
    if body.media_type == "application/json" {
        let not_unicode = [&[0xff, 0xfe], bytes.as_slice()].concat();
        broken.push(("the body is not Unicode", media_type.clone(), not_unicode));
    }
    // A form of megabytes each time would make nothing clearer.
    if let Some(most) = body.most.filter(|most| *most <= 1 << 20 || choices.index(10) == 0) {
        broken.push(("the body is longer than the most", media_type, [vec![b' '; most + 1], bytes].concat()));
    }
    let (what, media_type, bytes) = choices.pick(&broken).clone();
    plan.content = Some(Content::Raw { media_type, bytes });
    Some(plan.refused("", what.to_owned()))
}

fn unproven(operation: &Operation, plan: Plan) -> Option<Plan> {
    let what = "no proof of the caller".to_owned();
    let unproven = Plan { proofs: Vec::new(), what, expected: Expected::Unproven, ..plan };
    (!operation.is_open()).then_some(unproven)
}

/// A request that the document does not cover.
fn odd(operation: &Operation, mut plan: Plan, choices: &mut Choices) -> Plan {
    let mut send = |name: &str, value: &str| plan.headers.push((name.to_owned(), value.to_owned()));
    let (raw_query, what) = match choices.index(8) {
        0 if !plan.query.is_empty() => {
            let (name, text) = choices.pick(&plan.query);
            (format!("{}={}", quoted(name), quoted(text)), "a parameter is sent twice")
        }
        1 => ("%zz=%&search=%ff".to_owned(), "escapes are broken"),
        2 => ("=&&==&&&".to_owned(), "the query is empty pairs"),
        3 => (format!("unasked={}", "a".repeat(17 * 1024)), "the target is very long"),
        4 => {
            send("accept", "text/html;q=0.9, */*;q=0");
            (String::new(), "something else than JSON is asked for")
        }
        5 => {
            send("x-forwarded-for", "not an address, 10.0.0.1");
            send("x-request-id", &"x".repeat(4_000));
            (String::new(), "headers are strange")
        }
        6 if operation.method == Method::GET => {
            plan.method = Method::HEAD;
            (String::new(), "only the head is asked for")
        }
        _ => ("__proto__=1&unasked[]=2&unasked=%00".to_owned(), "unasked parameters are sent"),
    };
    plan.raw_query = Some(raw_query).filter(|query| !query.is_empty());
    Plan { what: what.to_owned(), expected: Expected::Declared, ..plan }
}
