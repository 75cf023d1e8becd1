//! An OpenAPI document as a fuzzer needs it: operations with what they take and what they may answer. What it cannot read
//! is an error, never passed over.
use std::collections::{BTreeMap, BTreeSet};

use jsonschema::Validator;
use reqwest::Method;
use serde_json::{Value, json};

/// A document cannot be used, and why.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct DocumentError(String);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParameterLocation {
    Query,
    Path,
    Header,
}

#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) place: ParameterLocation,
    pub(super) required: bool,
    /// An empty value is as good as none.
    pub(super) may_be_empty: bool,
    pub(super) shape: Shape,
}

/// A schema with what judges values by it.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) schema: Value,
    pub(super) validator: Validator,
}

impl Shape {
    /// Of a schema that refers to nothing outside itself; none where it is no schema.
    pub(super) fn alone(schema: &Value) -> Option<Self> {
        Some(Self { schema: schema.clone(), validator: validator(schema).ok()? })
    }
}

#[derive(Debug)]
pub(super) struct Body {
    pub(super) media_type: String,
    pub(super) shape: Shape,
    pub(super) most: Option<usize>,
}

/// What binds several parameters.
#[derive(Clone, Debug)]
pub(super) enum Rule {
    ExactlyOneOf(Vec<String>),
    Distinct(String, String),
    Ordered(String, String),
    Needs { when: String, is: String, needed: String },
}

#[derive(Debug, Default)]
pub(super) struct ResponseSpec {
    pub(super) content: BTreeMap<String, Validator>,
    pub(super) headers: Vec<Header>,
    /// Messages of refusals that a request of the right form may meet.
    pub(super) beyond_form: BTreeSet<String>,
}

#[derive(Debug)]
pub(super) struct Header {
    pub(super) name: String,
    pub(super) required: bool,
    pub(super) shape: Shape,
}

/// How a caller may prove itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    Bearer,
    Header(String),
    Unknown,
}

#[derive(Debug)]
pub(super) struct Operation {
    pub(super) id: String,
    pub(super) path: String,
    pub(super) method: Method,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Option<Body>,
    pub(super) rules: Vec<Rule>,
    /// Alternatives; none at all means that nothing is asked for.
    pub(super) security: Vec<Vec<Proof>>,
    pub(super) responses: BTreeMap<u16, ResponseSpec>,
}

impl Operation {
    /// Whether the operation needs no credential.
    pub(super) fn is_open(&self) -> bool {
        self.security.is_empty() || self.security.iter().any(Vec::is_empty)
    }

    /// How much there is to try of it.
    pub(super) fn weight(&self) -> usize {
        let fields = self.body.as_ref().and_then(|body| body.shape.schema["properties"].as_object());
        1 + self.parameters.len() + fields.map_or(0, serde_json::Map::len)
    }

    /// Its parameters in the query.
    pub(super) fn queried(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(|parameter| parameter.place == ParameterLocation::Query)
    }
}

/// A document that requests can be made from.
#[derive(Debug)]
pub struct Document {
    pub(super) operations: Vec<Operation>,
    /// What is answered where no operation is, by status.
    pub(super) unrouted: BTreeMap<u16, ResponseSpec>,
}

impl Document {
    /// Reads a document.
    pub fn read(root: &Value) -> Result<Self, DocumentError> {
        let version = root["openapi"].as_str().unwrap_or_default();
        if !version.starts_with("3.1.") {
            return Err(DocumentError(format!("the document is not OpenAPI 3.1: {version}")));
        }
        let reader = Reader { root };
        let mut operations = Vec::new();
        for (path, item) in entries(&root["paths"]) {
            for (method, operation) in entries(item) {
                let known = ["get", "post", "put", "patch", "delete"];
                if known.contains(&method.as_str()) {
                    operations.push(reader.operation(path, method, &item["parameters"], operation)?);
                }
            }
        }
        if operations.is_empty() {
            return Err(DocumentError("the document has no operation".to_owned()));
        }
        let unrouted = reader.responses("x-unrouted", &root["x-unrouted"])?;
        Ok(Self { operations, unrouted })
    }

    /// Whether it has an operation of this id.
    pub fn has(&self, id: &str) -> bool {
        self.operations.iter().any(|operation| operation.id == id)
    }

    /// Positions of the operations that may be sent, the more often the more there is to try of them.
    pub(super) fn candidates(
        &self,
        only_reads: bool,
        only: Option<&str>,
    ) -> Result<Vec<usize>, DocumentError> {
        let allowed = || {
            let operations = self.operations.iter().enumerate();
            operations.filter(|(_, operation)| operation.method.is_safe() || !only_reads)
        };
        let chosen = allowed().filter(|(_, operation)| only.is_none_or(|id| operation.id == id));
        let candidates: Vec<usize> =
            chosen.flat_map(|(index, operation)| std::iter::repeat_n(index, operation.weight())).collect();
        if candidates.is_empty() {
            let there: Vec<&str> = allowed().map(|(_, operation)| operation.id.as_str()).collect();
            return Err(DocumentError(format!(
                "the document has no operation {:?} that may be sent; there are {}",
                only.unwrap_or_default(),
                there.join(", ")
            )));
        }
        Ok(candidates)
    }

    pub(super) fn methods(&self, path: &str) -> BTreeSet<&str> {
        let of_path = self.operations.iter().filter(|operation| operation.path == path);
        of_path.map(|operation| operation.method.as_str()).collect()
    }
}

/// What judges values by a schema, their formats included; the reason where the schema is none.
fn validator(schema: &Value) -> Result<Validator, String> {
    jsonschema::draft202012::options()
        .should_validate_formats(true)
        .build(schema)
        .map_err(|error| error.to_string())
}

struct Reader<'a> {
    root: &'a Value,
}

impl<'a> Reader<'a> {
    /// What a reference refers to; anything else unchanged.
    fn resolved(&self, value: &'a Value) -> Result<&'a Value, DocumentError> {
        let Some(reference) = value["$ref"].as_str() else {
            return Ok(value);
        };
        reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)).ok_or_else(|| {
            DocumentError(format!("the document refers to {reference:?}, which it does not hold"))
        })
    }

    fn validator(&self, place: &str, schema: &Value) -> Result<Validator, DocumentError> {
        let whole = json!({ "allOf": [schema], "components": self.root["components"] });
        let failed = |reason| DocumentError(format!("the schema of {place} cannot be used: {reason}"));
        validator(&whole).map_err(failed)
    }

    fn shape(&self, place: &str, schema: &'a Value) -> Result<Shape, DocumentError> {
        Ok(Shape { schema: self.resolved(schema)?.clone(), validator: self.validator(place, schema)? })
    }

    fn operation(
        &self,
        path: &str,
        method: &str,
        common: &'a Value,
        operation: &'a Value,
    ) -> Result<Operation, DocumentError> {
        let place = format!("{method} {path}");
        let parameters = items(common).chain(items(&operation["parameters"]));
        let body = self.resolved(&operation["requestBody"])?;
        let method = Method::from_bytes(method.to_uppercase().as_bytes());
        let security = operation.get("security").unwrap_or(&self.root["security"]);
        Ok(Operation {
            id: operation["operationId"].as_str().unwrap_or(&place).to_owned(),
            path: path.to_owned(),
            method: method.map_err(|error| part(&place, error))?,
            parameters: parameters
                .map(|parameter| self.parameter(&place, parameter))
                .collect::<Result<_, _>>()?,
            body: self.body(&place, body)?,
            rules: items(&operation["x-rules"])
                .map(|written| rule(written).ok_or_else(|| part(&place, format!("no such rule: {written}"))))
                .collect::<Result<_, _>>()?,
            security: items(security)
                .map(|schemes| entries(schemes).map(|(name, _)| self.proof(name)).collect())
                .collect(),
            responses: self.responses(&place, &operation["responses"])?,
        })
    }

    fn parameter(&self, place: &str, parameter: &'a Value) -> Result<Parameter, DocumentError> {
        let parameter = self.resolved(parameter)?;
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        let place = format!("{place}, parameter {name:?}");
        let sent = match parameter["in"].as_str() {
            Some("query") => ParameterLocation::Query,
            Some("path") => ParameterLocation::Path,
            Some("header") => ParameterLocation::Header,
            other => return Err(part(&place, format!("it is sent in {other:?}"))),
        };
        let shape = self.shape(&place, &parameter["schema"])?;
        if shape.schema["type"] == "array" && parameter["explode"] != false {
            return Err(part(&place, "an array with a parameter for each item"));
        }
        Ok(Parameter {
            name,
            place: sent,
            required: parameter["required"] == true,
            may_be_empty: parameter["allowEmptyValue"] == true,
            shape,
        })
    }

    fn body(&self, place: &str, body: &'a Value) -> Result<Option<Body>, DocumentError> {
        let Some((media_type, content)) = entries(&body["content"]).next() else {
            return Ok(None);
        };
        if !["application/json", "multipart/form-data"].contains(&media_type.as_str()) {
            return Err(part(place, format!("a body of {media_type}")));
        }
        Ok(Some(Body {
            media_type: media_type.clone(),
            shape: self.shape(&format!("{place}, body"), &content["schema"])?,
            most: body["x-max-bytes"].as_u64().and_then(|most| usize::try_from(most).ok()),
        }))
    }

    fn proof(&self, name: &str) -> Proof {
        let scheme = &self.root["components"]["securitySchemes"][name];
        match (scheme["type"].as_str(), scheme["scheme"].as_str(), scheme["in"].as_str()) {
            (Some("http"), Some("bearer"), _) => Proof::Bearer,
            (Some("apiKey"), _, Some("header")) => {
                Proof::Header(scheme["name"].as_str().unwrap_or_default().to_owned())
            }
            _ => Proof::Unknown,
        }
    }

    fn responses(
        &self,
        place: &str,
        responses: &'a Value,
    ) -> Result<BTreeMap<u16, ResponseSpec>, DocumentError> {
        let mut read = BTreeMap::new();
        for (status, response) in entries(responses) {
            let place = format!("{place}, response {status}");
            let code = status.parse().map_err(|_| part(&place, "a range of statuses"))?;
            let response = self.resolved(response)?;
            let mut content = BTreeMap::new();
            for (media_type, held) in entries(&response["content"]) {
                let schema = held.get("schema").cloned().unwrap_or(Value::Bool(true));
                content.insert(media_type.clone(), self.validator(&place, &schema)?);
            }
            let mut headers = Vec::new();
            for (name, header) in entries(&response["headers"]) {
                let header = self.resolved(header)?;
                headers.push(Header {
                    name: name.clone(),
                    required: header["required"] == true,
                    shape: self.shape(&format!("{place}, header {name}"), &header["schema"])?,
                });
            }
            let beyond = items(&response["x-beyond-form"]).filter_map(Value::as_str);
            let beyond_form = beyond.map(str::to_owned).collect();
            read.insert(code, ResponseSpec { content, headers, beyond_form });
        }
        Ok(read)
    }
}

fn rule(written: &Value) -> Option<Rule> {
    let names = |written: &Value| -> Vec<String> {
        items(written).filter_map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let two = |name: &str| -> Option<[String; 2]> { names(written.get(name)?).try_into().ok() };
    if let Some(one_of) = written.get("exactlyOneOf") {
        return Some(Rule::ExactlyOneOf(names(one_of)));
    }
    if let Some([left, right]) = two("distinct") {
        return Some(Rule::Distinct(left, right));
    }
    if let Some([least, most]) = two("ordered") {
        return Some(Rule::Ordered(least, most));
    }
    let (when, is) = entries(&written["when"]).next()?;
    Some(Rule::Needs {
        when: when.clone(),
        is: is.to_string(),
        needed: written["required"].as_str()?.to_owned(),
    })
}

fn part(place: &str, reason: impl std::fmt::Display) -> DocumentError {
    DocumentError(format!("{place} of the document cannot be used: {reason}"))
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}
