//! Reads the declarations of a structure's fields: the JSON Schema of each, and the texts of refusals.
use std::any::TypeId;
use std::collections::HashMap;
use std::sync::LazyLock;

use parking_lot::Mutex;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::{EXCERPT, LARGEST};
use crate::api::refusal::Refusal;

/// A structure whose fields are the inputs of an operation: query parameters, or fields of a JSON object or a form. The doc comment of a
/// field is its description. Its schema also has `x-cause`, the cause id of the refusal of a wrong or absent value; `x-absence`, another
/// cause id for an absent value; and `x-rule`, the rule for the value if the schema does not imply it.
pub(crate) trait Declared: DeserializeOwned + JsonSchema + 'static {}

impl<T: DeserializeOwned + JsonSchema + 'static> Declared for T {}

struct Input {
    name: String,
    cause: String,
    absence: Option<String>,
    /// The rule for the value, as the end of a sentence that starts with the name.
    rule: String,
    description: Option<Value>,
    is_required: bool,
    /// JSON Schema with the default.
    schema: Map<String, Value>,
}

/// The inputs of a structure in the order of its fields.
pub(crate) struct Inputs(Vec<Input>);

impl Inputs {
    pub(crate) fn of<T: Declared>() -> &'static Self {
        static ALL: LazyLock<Mutex<HashMap<TypeId, &'static Inputs>>> = LazyLock::new(Mutex::default);
        ALL.lock().entry(TypeId::of::<T>()).or_insert_with(|| {
            let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
            let generator = settings.with_transform(RecursiveTransform(without_citations)).into_generator();
            let mut schema = generator.into_root_schema_for::<T>();
            Box::leak(Box::new(Self::within(schema.ensure_object())))
        })
    }

    /// Reads the inputs from the schema of an object.
    fn within(object: &mut Map<String, Value>) -> Self {
        let required = object.remove("required").unwrap_or_default();
        let is_required =
            |name: &str| required.as_array().is_some_and(|all| all.iter().any(|one| one == name));
        let Some(Value::Object(properties)) = object.remove("properties") else { return Self(Vec::new()) };
        let inputs = properties.into_iter().filter_map(|(name, schema)| {
            let Value::Object(schema) = schema else { return None };
            Some(Input::new(is_required(&name), name, without_null(schema)))
        });
        Self(inputs.collect())
    }

    pub(crate) fn names(&'static self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|input| &*input.name)
    }

    fn input(&self, name: &str) -> &Input {
        self.0.iter().find(|input| input.name == name).expect("the structure has this field")
    }

    /// The cause id of the refusals of an input.
    pub(crate) fn cause(&'static self, name: &str) -> &'static str {
        &self.input(name).cause
    }

    /// Builds the refusal of a value.
    pub(crate) fn refuse(&'static self, name: &str, value: &str) -> Refusal {
        let Input { cause, rule, .. } = self.input(name);
        let excerpt: String = value.chars().take(EXCERPT).collect();
        let more = if excerpt.len() < value.len() { "…" } else { "" };
        Refusal::bad_input(cause, format!("{name} {rule}")).with_details(format!("got {excerpt:?}{more}"))
    }

    /// Builds the refusal of a request without a required value.
    pub(crate) fn missing(&'static self, name: &str) -> Refusal {
        let Input { cause, absence, rule, .. } = self.input(name);
        match absence {
            Some(absence) => Refusal::bad_input(absence, format!("{name} is required")),
            None => Refusal::bad_input(cause, format!("{name} is required and {rule}")),
        }
    }

    pub(super) fn is_required(&self, name: &str) -> bool {
        self.input(name).is_required
    }

    pub(crate) fn has_required(&self) -> bool {
        self.0.iter().any(|input| input.is_required)
    }

    /// The parameters of a query, for an OpenAPI document.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = Value> {
        self.0.iter().map(Input::parameter)
    }

    /// The JSON Schema of an object with these fields.
    pub(crate) fn object(&self) -> Map<String, Value> {
        let property = |input: &Input| {
            let mut schema = input.schema.clone();
            schema.extend(input.description.clone().map(|text| ("description".to_owned(), text)));
            (input.name.clone(), schema.into())
        };
        let properties: Map<_, _> = self.0.iter().map(property).collect();
        let required = self.0.iter().filter(|input| input.is_required).map(|input| input.name.clone());
        let object = [
            ("type".to_owned(), "object".into()),
            ("properties".to_owned(), properties.into()),
            ("required".to_owned(), required.collect()),
        ];
        object.into_iter().collect()
    }
}

impl Input {
    fn new(is_required: bool, name: String, mut schema: Map<String, Value>) -> Self {
        let mut taken = |key| schema.shift_remove(key);
        let mut said = |key| taken(key).and_then(|said| said.as_str().map(str::to_owned));
        let cause = said("x-cause").expect("an input says the cause of its refusals");
        let (absence, rule) = (said("x-absence"), said("x-rule"));
        let (description, default) = (taken("description"), taken("default"));
        if schema.contains_key("properties") {
            schema = Inputs::within(&mut schema).object();
        }
        join_words(&mut schema);
        schema.get_mut("items").and_then(Value::as_object_mut).map(join_words);
        let rule = rule.unwrap_or_else(|| self::rule(&schema));
        schema.extend(default.filter(|value| !value.is_null()).map(|value| ("default".to_owned(), value)));
        Self { name, cause, absence, rule, description, is_required, schema }
    }

    fn parameter(&self) -> Value {
        let mut parameter = json!({ "name": self.name, "in": "query", "description": self.description });
        let presence = if self.is_required { "required" } else { "allowEmptyValue" };
        parameter[presence] = true.into();
        if self.schema["type"] == "array" {
            parameter["style"] = "form".into();
            parameter["explode"] = false.into();
        }
        parameter["schema"] = self.schema.clone().into();
        parameter
    }
}

/// The rule that a schema implies for its values.
fn rule(schema: &Map<String, Value>) -> String {
    let words = |schema: &Value| Some(alternatives(schema.get("enum")?.as_array()?));
    let bound = |key| schema.get(key).and_then(Value::as_u64).unwrap_or_default();
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return format!("must be {}", alternatives(words));
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") => match (bound("minimum"), bound("maximum")) {
            (0, LARGEST..) => "must be a whole number of at least 0".to_owned(),
            (least, LARGEST..) => format!("must be a whole number from {least}"),
            (least, most) => format!("must be a whole number from {least} to {most}"),
        },
        Some("boolean") => "must be true or false".to_owned(),
        Some("array") => {
            let words = schema.get("items").and_then(words).unwrap_or_default();
            format!("must name {words}, with commas between")
        }
        _ => "must be text".to_owned(),
    }
}

/// Joins words that have a comment each into one list.
fn join_words(schema: &mut Map<String, Value>) {
    let words = schema
        .get("oneOf")
        .and_then(|all| all.as_array()?.iter().map(|one| one.get("const").cloned()).collect());
    if let Some(words) = words {
        schema.shift_remove("oneOf");
        schema.extend([("type".to_owned(), "string".into()), ("enum".to_owned(), Value::Array(words))]);
    }
}

/// `a, b or c`.
fn alternatives(words: &[Value]) -> String {
    let words: Vec<String> =
        words.iter().map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned)).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => String::new(),
    }
}

/// The schema of an optional value without null, since requests leave an absent value out.
fn without_null(mut schema: Map<String, Value>) -> Map<String, Value> {
    let null = json!({ "type": "null" });
    if let Some([Value::Object(value), other]) =
        schema.get("anyOf").and_then(|any| Some(&any.as_array()?[..]))
        && *other == null
    {
        let mut value = value.clone();
        schema.shift_remove("anyOf");
        value.extend(schema);
        return value;
    }
    if let Some([value, other]) = schema.get("type").and_then(|types| Some(&types.as_array()?[..]))
        && *other == null["type"]
    {
        schema["type"] = value.clone();
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    schema
}

/// Descriptions come from doc comments; the document omits the clauses cited there.
pub(crate) fn without_citations(schema: &mut Schema) {
    let Some(description) = schema.get("description").and_then(Value::as_str) else {
        return;
    };
    match description.find("Clause: ").map(|at| description[..at].trim_end().to_owned()) {
        Some(empty) if empty.is_empty() => _ = schema.ensure_object().shift_remove("description"),
        Some(text) => _ = schema.insert("description".to_owned(), text.into()),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::{Map, Value, json};

    use super::super::kinds::{KnownChain, Whole};
    use super::super::{read, strict};
    use super::Inputs;
    use crate::api::refusal::Reason;

    #[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Letter {
        /// The first.
        A,
        /// The second.
        B,
        /// The last.
        C,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    struct Sample {
        /// page number
        ///
        /// Clause: SVC-EXTRA
        #[schemars(extend("x-cause" = "test-page", "x-absence" = "test-no-page"))]
        page: Whole<1>,
        /// a letter
        #[schemars(extend("x-cause" = "test-letter"))]
        letter: Letter,
        /// rows
        #[serde(default)]
        #[schemars(extend("x-cause" = "test-rows"))]
        rows: Whole<1, 50, 7>,
        /// a flag
        #[serde(default)]
        #[schemars(extend("x-cause" = "test-flag"))]
        is_set: bool,
        #[schemars(extend("x-cause" = "test-letters"))]
        letters: Option<Vec<Letter>>,
        #[schemars(extend("x-cause" = "test-count"))]
        count: Option<Whole>,
        #[schemars(extend("x-cause" = "test-chain"))]
        chain: Option<KnownChain>,
        #[schemars(extend("x-cause" = "test-name"))]
        name: Option<String>,
    }

    fn sent(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn the_first_wrong_or_absent_field_is_refused_by_its_rule() {
        let good = json!({ "page": 1, "letter": "b" });
        let sample: Sample = read(&sent(good.clone())).unwrap();
        assert_eq!(
            (sample.page, sample.letter, sample.rows, sample.is_set),
            (Whole(1), Letter::B, Whole(7), false)
        );
        assert!(
            sample.letters.is_none()
                && sample.count.is_none()
                && sample.chain.is_none()
                && sample.name.is_none()
        );
        for (change, cause, message) in [
            (json!({ "page": 0, "letter": 1 }), "test-page", "page must be a whole number from 1"),
            (json!({ "letter": "d" }), "test-letter", "letter must be a, b or c"),
            (json!({ "rows": 51, "count": -1 }), "test-rows", "rows must be a whole number from 1 to 50"),
            (json!({ "isSet": 1 }), "test-flag", "isSet must be true or false"),
            (json!({ "letters": ["d"] }), "test-letters", "letters must name a, b or c, with commas between"),
            (json!({ "count": -1 }), "test-count", "count must be a whole number of at least 0"),
            (json!({ "chain": 1 }), "test-chain", "chain must be 57073 or 4663"),
            (json!({ "name": null }), "test-name", "name must be text"),
        ] {
            let mut bad = sent(good.clone());
            bad.extend(sent(change.clone()));
            let refusal = read::<Sample>(&bad).unwrap_err();
            assert_eq!(
                (refusal.reason, refusal.cause, &*refusal.message),
                (Reason::BadInput, cause, message)
            );
        }
        // An absent field is refused before a wrong one after it.
        for (given, cause, message) in [
            (json!({ "letter": "d" }), "test-no-page", "page is required"),
            (json!({ "page": 1, "rows": 0 }), "test-letter", "letter is required and must be a, b or c"),
        ] {
            let refusal = read::<Sample>(&sent(given)).unwrap_err();
            assert_eq!((refusal.cause, &*refusal.message, refusal.details), (cause, message, None));
        }
        let refusal = read::<Sample>(&sent(json!({ "page": "x".repeat(100) }))).unwrap_err();
        let details = refusal.details.unwrap();
        assert!(details.starts_with("got \"\\\"xx") && details.ends_with("x\"…"), "{details}");
    }

    #[test]
    fn orders_have_no_other_fields_and_null_counts_as_absent() {
        let refusal = strict::<Sample>("in.", sent(json!({ "page": 1, "pages": 1 }))).unwrap_err();
        assert_eq!(
            (refusal.cause, &*refusal.message),
            ("control-field", "in.pages is not a field of this call")
        );
        let names = "it takes page, letter, rows, isSet, letters, count, chain, name";
        assert_eq!(refusal.details.as_deref(), Some(names));
        let refusal = strict::<Sample>("in.", sent(json!({ "page": null }))).unwrap_err();
        assert_eq!((refusal.cause, &*refusal.message), ("test-no-page", "in.page is required"));
        assert!(strict::<Sample>("", sent(json!({ "page": 1, "letter": "a", "name": null }))).is_ok());
    }

    #[test]
    fn rules_and_schemas_state_the_bounds_that_are_read() {
        let object = Value::from(Inputs::of::<Sample>().object());
        assert_eq!(object["required"], json!(["page", "letter"]));
        let letters = json!({ "type": "string", "enum": ["a", "b", "c"] });
        for (name, expected) in [
            (
                "page",
                json!({ "type": "integer", "minimum": 1, "maximum": 9_007_199_254_740_991_u64, "description": "page number" }),
            ),
            ("letter", json!({ "type": "string", "enum": ["a", "b", "c"], "description": "a letter" })),
            (
                "rows",
                json!({ "type": "integer", "minimum": 1, "maximum": 50, "default": 7, "description": "rows" }),
            ),
            ("isSet", json!({ "type": "boolean", "default": false, "description": "a flag" })),
            ("letters", json!({ "type": "array", "items": letters })),
            ("chain", json!({ "type": "integer", "enum": [57073, 4663] })),
            ("name", json!({ "type": "string" })),
        ] {
            assert_eq!(object["properties"][name].to_string(), expected.to_string());
        }
        let parameters: Vec<Value> = Inputs::of::<Sample>().parameters().collect();
        let [page, _, rows, _, letters, ..] = &parameters[..] else { panic!("{parameters:?}") };
        assert_eq!((&page["required"], &page["allowEmptyValue"]), (&json!(true), &Value::Null));
        assert_eq!((&rows["required"], &rows["allowEmptyValue"]), (&Value::Null, &json!(true)));
        assert_eq!((&letters["style"], &letters["explode"]), (&json!("form"), &json!(false)));
    }
}
