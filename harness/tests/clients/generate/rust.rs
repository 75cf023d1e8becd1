//! The typed calls in Rust.
use std::fmt::Write as _;

use serde_json::Value;

use super::{NOTE, Place, Shape, calls, pascal, shape, snake};

fn rust_type(schema: &Value) -> String {
    let (shape, nullable) = shape(schema);
    let text = match shape {
        Shape::Text => "String".to_owned(),
        Shape::Number => "u64".to_owned(),
        Shape::Truth => "bool".to_owned(),
        Shape::List(items) if matches!(super::shape(items).0, Shape::Object(_)) => "Vec<Value>".to_owned(),
        Shape::List(items) => format!("Vec<{}>", rust_type(items)),
        Shape::Named(_) | Shape::Anything | Shape::Object(_) => "Value".to_owned(),
    };
    if nullable { format!("Option<{text}>") } else { text }
}

/// `control.rs`.
const HEAD: &str = "//! The calls of the control plane. NOTE
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A call of the control plane failed.
#[derive(Debug)]
pub enum ControlError {
    /// It could not be made.
    Transport(minreq::Error),
    /// It was refused.
    Refused {
        /// Status of the answer.
        status: u16,
        /// Its body.
        body: String,
    },
}

impl std::fmt::Display for ControlError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Transport(error) => write!(formatter, \"the control plane cannot be reached: {error}\"),
            Self::Refused { status, body } => write!(formatter, \"the control plane refused ({status}): {body}\"),
        }
    }
}

impl std::error::Error for ControlError {}
";

const ANSWERS: &str = "
/// Declares what the calls answer; members are named as in the document.
macro_rules! answers {
    ($($(#[$doc:meta])* $name:ident { $($member:ident: $kind:ty),* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Deserialize)]
        #[serde(rename_all = \"camelCase\")]
        pub struct $name {
            $(pub $member: $kind),*
        }
    )*};
}

answers! {
";

const CLIENT: &str = "
/// The control plane of a platform.
#[derive(Clone, Debug)]
pub struct Control {
    url: String,
    token: Option<String>,
}

impl Control {
    /// The control plane at an address, and the token that it requires.
    #[must_use]
    pub fn new(url: &str, token: Option<&str>) -> Self {
        Self { url: url.to_owned(), token: token.map(str::to_owned) }
    }

    fn call<T: DeserializeOwned>(
        &self,
        method: minreq::Method,
        path: &str,
        query: &[(&str, Option<Value>)],
        body: Option<&[(&str, Option<Value>)]>,
    ) -> Result<T, ControlError> {
        let mut request = minreq::Request::new(method, format!(\"{}{path}\", self.url));
        for (name, value) in query.iter().filter_map(|(name, value)| Some((*name, value.as_ref()?))) {
            request = request.with_param(name, value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
        if let Some(token) = &self.token {
            request = request.with_header(\"authorization\", format!(\"Bearer {token}\"));
        }
        if let Some(body) = body {
            let given = body.iter().filter_map(|(name, value)| Some(((*name).to_owned(), value.clone()?)));
            request = request.with_body(Value::from(given.collect::<Map<_, _>>()).to_string());
        }
        let answer = request.send().map_err(ControlError::Transport)?;
        let status = answer.status_code;
        let refused = || ControlError::Refused { status, body: String::from_utf8_lossy(answer.as_bytes()).into_owned() };
        if status != 200 {
            return Err(refused());
        }
        serde_json::from_slice(answer.as_bytes()).map_err(|_| refused())
    }
";

pub(crate) fn rust(document: &Value) -> String {
    let mut text = HEAD.replace("NOTE", NOTE);
    text.push_str(ANSWERS);
    for call in calls(document) {
        let Shape::Object(members) = shape(&call.answer).0 else { panic!("{} answers no object", call.id) };
        let members: Vec<String> =
            members.iter().map(|(name, member)| format!("{}: {}", snake(name), rust_type(member))).collect();
        let (id, name) = (snake(&call.id), pascal(&call.id));
        let _ =
            writeln!(text, "    /// Answer of [`Control::{id}`].\n    {name} {{ {} }}", members.join(", "));
    }
    text.push_str("}\n");
    text.push_str(CLIENT);
    for call in calls(document) {
        let parameters: String = call
            .members
            .iter()
            .map(|member| {
                let ty = match rust_type(&member.schema).as_str() {
                    "String" => "&str".to_owned(),
                    "Value" => "&Value".to_owned(),
                    other => other.to_owned(),
                };
                let name = snake(&member.name);
                if member.required { format!(", {name}: {ty}") } else { format!(", {name}: Option<{ty}>") }
            })
            .collect();
        let pairs = |place| {
            let of = call.members.iter().filter(|member| member.place == place);
            of.map(|member| {
                let name = snake(&member.name);
                let value = match (member.required, rust_type(&member.schema).as_str()) {
                    (true, "Value") => format!("Some({name}.clone())"),
                    (true, _) => format!("Some(Value::from({name}))"),
                    (false, "Value") => format!("{name}.cloned()"),
                    (false, _) => format!("{name}.map(Value::from)"),
                };
                format!("(\"{}\", {value})", member.name)
            })
            .collect::<Vec<_>>()
            .join(", ")
        };
        let body = pairs(Place::Body);
        let body = if call.members.iter().any(|member| member.place == Place::Body) {
            format!("Some(&[{body}])")
        } else {
            "None".to_owned()
        };
        let in_path = call.members.iter().filter(|member| member.place == Place::Path);
        let path = in_path.fold(call.path.clone(), |path, member| {
            path.replace(&format!("{{{}}}", member.name), &format!("{{{}}}", snake(&member.name)))
        });
        let formatted =
            if path.contains('{') { format!("&format!(\"{path}\")") } else { format!("\"{path}\"") };
        let wide = if call.members.len() > 6 {
            "    #[expect(clippy::too_many_arguments, reason = \"the call has as many members\")]\n"
        } else {
            ""
        };
        let _ = write!(
            text,
            "\n    /// {}.\n    ///\n    /// # Errors\n    /// When the control plane cannot be reached or refuses.\n{wide}    pub fn {}(&self{parameters}) -> Result<{}, ControlError> {{\n        self.call(minreq::Method::{}, {formatted}, &[{}], {body})\n    }}\n",
            call.summary,
            snake(&call.id),
            pascal(&call.id),
            pascal(&call.method.to_lowercase()),
            pairs(Place::Query),
        );
    }
    text.push_str("}\n");
    text
}
