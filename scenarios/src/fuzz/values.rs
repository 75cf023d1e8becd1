//! Values from schemas: such as a schema takes, with its edges before all, and such as it refuses. Every value is held
//! against the schema before it is used, so that none is taken for what it is not.
use std::collections::BTreeMap;

use alloy::primitives::U256;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::string::string_regex;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

use super::document::Shape;
use crate::seed::Choices;

/// Placeholder in a text for a captcha token that is minted when the request is sent.
pub(super) const CAPTCHA: &str = "captcha-token-minted-on-sending";
/// How often a value is tried for.
const ATTEMPTS: usize = 20;
/// Items of an array without a bound, at most.
const FEW: usize = 4;

/// Texts that the target is known to know, by the name or the pattern under which they can be sent.
#[derive(Clone, Debug)]
pub(super) struct Pool(BTreeMap<String, Vec<String>>);

impl Pool {
    /// The most texts that are kept under one name or pattern.
    const MOST: usize = 64;

    pub(super) fn given(by_name: &BTreeMap<String, Vec<String>>) -> Self {
        Self(by_name.clone())
    }

    /// Keeps the texts of an answer that fit a name or a pattern.
    pub(super) fn learn(&mut self, answer: &Value, wanted: &[(String, &Shape)]) {
        match answer {
            Value::Object(fields) => {
                for (key, value) in fields {
                    if let Some(text) = value.as_str() {
                        self.keep(key, value, text, wanted);
                    }
                    self.learn(value, wanted);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.learn(item, wanted)),
            _ => {}
        }
    }

    fn keep(&mut self, key: &str, value: &Value, text: &str, wanted: &[(String, &Shape)]) {
        for (name, shape) in wanted {
            if !shape.validator.is_valid(value) {
                continue;
            }
            let names = [Some(key).filter(|key| key == name), shape.schema["pattern"].as_str()];
            for name in names.into_iter().flatten() {
                let texts = self.0.entry(name.to_owned()).or_default();
                if texts.len() < Self::MOST && texts.iter().all(|known| known != text) {
                    texts.push(text.to_owned());
                }
            }
        }
    }

    fn known(&self, name: &str, schema: &Value, choices: &mut Choices) -> Option<Value> {
        let pattern = schema["pattern"].as_str().unwrap_or_default();
        let named = self.0.get(name).filter(|_| choices.index(3) > 0);
        let texts = named.or_else(|| self.0.get(pattern));
        let texts = texts.filter(|texts| !texts.is_empty())?;
        Some(choices.pick(texts).clone().into())
    }
}

/// A value that the schema takes; none where none was found.
pub(super) fn valid_value(name: &str, shape: &Shape, pool: &Pool, choices: &mut Choices) -> Option<Value> {
    (0..ATTEMPTS)
        .map(|_| drawn(name, &shape.schema, pool, choices))
        .find(|value| shape.validator.is_valid(value))
}

fn drawn(name: &str, schema: &Value, pool: &Pool, choices: &mut Choices) -> Value {
    if let Some(only) = schema.get("const") {
        return only.clone();
    }
    if let Some(values) = schema["enum"].as_array() {
        return choices.pick(values).clone();
    }
    if let Some(otherwise) = schema.get("default").filter(|_| choices.index(6) == 0) {
        return otherwise.clone();
    }
    if let Some(examples) =
        schema["examples"].as_array().filter(|examples| !examples.is_empty() && choices.index(2) == 0)
    {
        return choices.pick(examples).clone();
    }
    let alternatives = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array());
    if let Some(alternatives) = alternatives {
        return drawn(name, choices.pick(alternatives), pool, choices);
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => choices.pick(kinds).as_str().unwrap_or_default().to_owned(),
        kind => kind.as_str().unwrap_or("string").to_owned(),
    };
    match kind.as_str() {
        "integer" => integer(schema, choices),
        "number" => number(schema, choices),
        "boolean" => (choices.index(2) == 0).into(),
        "null" => Value::Null,
        "array" => array(name, schema, pool, choices),
        "object" => object(schema, pool, choices),
        _ => text(name, schema, pool, choices),
    }
}

fn integer(schema: &Value, choices: &mut Choices) -> Value {
    let least = schema["minimum"].as_i64().unwrap_or(-1_000);
    let most = schema["maximum"].as_i64().unwrap_or((1 << 53) - 1).max(least);
    let within = |number: i64| number.clamp(least, most);
    let small = i64::try_from(choices.index(40)).unwrap_or_default();
    let edges = [
        least,
        within(least.saturating_add(1)),
        most,
        within(most.saturating_sub(1)),
        within(least.saturating_add(small)),
    ];
    (*choices.pick(&edges)).into()
}

fn number(schema: &Value, choices: &mut Choices) -> Value {
    let bound =
        |inclusive: &str, exclusive: &str| schema[inclusive].as_f64().or_else(|| schema[exclusive].as_f64());
    let least = bound("minimum", "exclusiveMinimum").unwrap_or(-1e6);
    let most = bound("maximum", "exclusiveMaximum").unwrap_or(1e9);
    let part = f64::from(u16::try_from(choices.index(10_000)).unwrap_or_default()) / 10_000.0;
    let edges = [least, most, least + (most.min(least + 100.0) - least) * part, part.clamp(least, most)];
    json!(choices.pick(&edges))
}

fn array(name: &str, schema: &Value, pool: &Pool, choices: &mut Choices) -> Value {
    let least = length(schema, "minItems").unwrap_or(0);
    let most = length(schema, "maxItems").unwrap_or(least + FEW);
    let few = (least + choices.index(FEW)).min(most);
    let length = *choices.pick(&[least, few, few, most]);
    (0..length).map(|_| drawn(singular(name), &schema["items"], pool, choices)).collect()
}

/// Under which name the items of a list are known.
fn singular(name: &str) -> &str {
    name.strip_suffix("es").or_else(|| name.strip_suffix('s')).unwrap_or(name)
}

fn object(schema: &Value, pool: &Pool, choices: &mut Choices) -> Value {
    let required = schema["required"].as_array();
    let mut object = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let needed = required.is_some_and(|names| names.iter().any(|one| one == name));
        if needed || choices.index(2) == 0 {
            object.insert(name.clone(), drawn(name, property, pool, choices));
        }
    }
    if schema["additionalProperties"] != false && choices.index(8) == 0 {
        object.insert("unasked".to_owned(), json!([null, { "deep": [1, "two", 3.5e0] }]));
    }
    object.into()
}

fn text(name: &str, schema: &Value, pool: &Pool, choices: &mut Choices) -> Value {
    if let Some(known) = (choices.index(4) > 0).then(|| pool.known(name, schema, choices)).flatten() {
        return known;
    }
    match schema["x-source"].as_str() {
        Some("captcha-token") => return CAPTCHA.into(),
        Some("uint256") => return units(choices).into(),
        _ => {}
    }
    match schema["format"].as_str() {
        Some("date") => return date(choices).into(),
        Some("date-time") => return moment(choices).into(),
        _ => {}
    }
    if let Some(sample) = schema["pattern"].as_str().and_then(|pattern| sampled(pattern, choices)) {
        return sample.into();
    }
    let least = length(schema, "minLength").unwrap_or(0);
    let most = length(schema, "maxLength");
    let some = least + 1 + choices.index(24);
    let length = *choices.pick(&[least, some, most.unwrap_or(least + 80)]);
    letters(length.min(most.unwrap_or(usize::MAX)), choices).into()
}

/// Letters of several scripts, and what programs mistake for something else.
fn letters(length: usize, choices: &mut Choices) -> String {
    const PLAIN: [char; 10] = ['a', 'Z', '0', ' ', '-', '_', '.', '\'', '"', '%'];
    const FOREIGN: [char; 8] = ['é', 'ß', '字', '🚀', '\u{202e}', '\u{301}', '\\', '<'];
    let foreign = choices.index(2) == 0;
    let letter = |choices: &mut Choices| {
        if foreign && choices.index(3) == 0 { *choices.pick(&FOREIGN) } else { *choices.pick(&PLAIN) }
    };
    (0..length).map(|_| letter(choices)).collect()
}

/// Amounts from one unit to all that 256 bits can hold.
fn units(choices: &mut Choices) -> String {
    let some = U256::from_be_bytes(choices.word().0) >> (8 * choices.index(32));
    let power = U256::from(10).pow(U256::from(choices.index(40)));
    let edges = [U256::ONE, power, some, U256::MAX - U256::ONE, U256::MAX];
    choices.pick(&edges).to_string()
}

fn date(choices: &mut Choices) -> String {
    let edges = ["0001-01-01", "1970-01-01", "2024-02-29", "2038-01-19", "9999-12-31"];
    (*choices.pick(&edges)).to_owned()
}

fn moment(choices: &mut Choices) -> String {
    let zone = choices.pick(&["Z", "+00:00", "-11:30", "+14:00"]);
    let part = choices.pick(&["", ".5", ".999999999"]);
    let time = choices.pick(&["00:00:00", "23:59:59", "12:34:56"]);
    format!("{}T{time}{part}{zone}", choices.pick(&["1970-01-02", "2024-02-29", "2026-03-04", "9998-12-31"]))
}

/// A text of a pattern; none where patterns of its kind cannot be sampled.
fn sampled(pattern: &str, choices: &mut Choices) -> Option<String> {
    let inner = pattern.strip_prefix('^').unwrap_or(pattern);
    let inner = inner.strip_suffix('$').unwrap_or(inner);
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, choices.word().as_slice());
    let mut runner = TestRunner::new_with_rng(Config::default(), random);
    let tree = string_regex(inner).ok()?.new_tree(&mut runner).ok()?;
    Some(tree.current())
}

/// What is wrong with a broken value, in a word, and the value.
pub(super) type Broken<T> = (&'static str, T);

/// JSON values that the schema refuses.
pub(super) fn refused(name: &str, shape: &Shape, pool: &Pool, choices: &mut Choices) -> Vec<Broken<Value>> {
    let schema = &shape.schema;
    let mut broken = vec![
        ("null", Value::Null),
        ("true", Value::Bool(true)),
        ("a number", json!(7)),
        ("a fraction", json!(7.5)),
        ("text", json!("seven")),
        ("empty text", json!("")),
        ("an array", json!([])),
        ("an array of an array", json!([[]])),
        ("an object", json!({})),
    ];
    let mut add = |what, value| broken.push((what, value));
    if let Some(least) = schema["minimum"].as_i64() {
        add("below the minimum", json!(least.saturating_sub(1)));
    }
    if let Some(most) = schema["maximum"].as_i64() {
        add("above the maximum", json!(most.saturating_add(1)));
    }
    if let Some(most) = length(schema, "maxLength") {
        add("too long", letters(most + 1, choices).into());
        add("far too long", letters(4 * most + 1, choices).into());
    }
    if let Some(most) = length(schema, "maxItems") {
        let item = drawn(singular(name), &schema["items"], pool, choices);
        add("too many items", vec![item.clone(); most + 1].into());
        add("a broken item", json!([item, { "not": "an item" }]));
    }
    if let Some(sound) = valid_value(name, shape, pool, choices).as_ref().and_then(Value::as_str) {
        add("cut off", sound.chars().skip(1).collect::<String>().into());
        add("with more behind it", format!("{sound}0").into());
        add("with a foreign letter", format!("{sound}字").into());
        add("with a space before it", format!(" {sound}").into());
        add("with a line break behind it", format!("{sound}\n").into());
    }
    broken.retain(|(_, value)| !shape.validator.is_valid(value));
    broken
}

fn length(schema: &Value, name: &str) -> Option<usize> {
    schema[name].as_u64().and_then(|length| usize::try_from(length).ok())
}

/// A value as the text of a parameter; none where it cannot be written, or not without being read as another.
pub(super) fn written(value: &Value, shape: &Shape) -> Option<String> {
    let splits = |item: &Value| item.as_str().is_some_and(|text| text.contains(','));
    if value.as_array().is_some_and(|items| items.iter().any(splits)) {
        return None;
    }
    as_text(value).filter(|text| shape.validator.is_valid(&read(text, &shape.schema)))
}

/// A value as text, the items of an array with commas between them; none where it has an object or an array inside.
fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::Array(items) => Some(items.iter().map(plain).collect::<Option<Vec<_>>>()?.join(",")),
        other => plain(other),
    }
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The text of a parameter as its schema has it; what is not of its type stays text.
fn read(text: &str, schema: &Value) -> Value {
    let as_text = || Value::from(text);
    match schema["type"].as_str() {
        Some("integer") => text.parse::<i64>().map_or_else(|_| as_text(), Value::from),
        Some("number") => text.parse::<f64>().map_or_else(|_| as_text(), |number| json!(number)),
        // Readers differ in how strict they are here: what some of them accept is never sent as broken.
        Some("boolean") => match text.to_lowercase().as_str() {
            "true" | "1" => true.into(),
            "false" | "0" => false.into(),
            _ => as_text(),
        },
        Some("array") => text.split(',').map(str::trim).filter(|item| !item.is_empty()).collect(),
        _ => as_text(),
    }
}

/// Texts of a parameter that its schema refuses.
pub(super) fn refused_texts(
    name: &str,
    shape: &Shape,
    may_be_empty: bool,
    pool: &Pool,
    choices: &mut Choices,
) -> Vec<Broken<String>> {
    let far = format!("{}0", U256::MAX);
    let fixed = [
        ("empty", ""),
        ("text", "seven"),
        ("negative", "-1"),
        ("a fraction", "1.5"),
        ("not a number", "NaN"),
        ("endless", "Infinity"),
        ("hexadecimal", "0x10"),
        ("larger than any machine integer", &far),
        ("with a space", " 1"),
        ("digits of another script", "١"),
        ("of another letter case", "TRUE"),
        ("a word that is no value", "no-such-value"),
        ("a comma", ","),
    ];
    let mut broken: Vec<Broken<String>> = fixed.map(|(what, text)| (what, text.to_owned())).into();
    for (what, value) in refused(name, shape, pool, choices) {
        broken.extend(as_text(&value).map(|text| (what, text)));
    }
    broken.retain(|(_, text)| {
        let is_blank = text.chars().all(|letter| letter == ',' || letter == ' ');
        let is_list = shape.schema["type"] == "array";
        let as_good_as_none = may_be_empty && (text.is_empty() || (is_list && is_blank));
        !as_good_as_none && !shape.validator.is_valid(&read(text, &shape.schema))
    });
    broken
}
