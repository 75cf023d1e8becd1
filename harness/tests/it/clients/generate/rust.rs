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

const HEAD: &str = "//! The calls of the control plane; each fails when it cannot be reached or refuses. NOTE
use serde::Deserialize;
use serde_json::Value;

use crate::client::{Control, ControlError, answers};

answers! {
";

/// `control.rs`.
pub(crate) fn rust(document: &Value) -> String {
    let mut text = HEAD.replace("NOTE", NOTE);
    for call in calls(document) {
        let Shape::Object(members) = shape(&call.answer).0 else { panic!("{} answers no object", call.id) };
        let members: Vec<String> =
            members.iter().map(|(name, member)| format!("{}: {}", snake(name), rust_type(member))).collect();
        let (id, name) = (snake(&call.id), pascal(&call.id));
        let _ =
            writeln!(text, "    /// Answer of [`Control::{id}`].\n    {name} {{ {} }}", members.join(", "));
    }
    text.push_str("}\n\nimpl Control {\n");
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
            "\n    /// {}.\n{wide}    pub fn {}(&self{parameters}) -> Result<{}, ControlError> {{\n        self.call(minreq::Method::{}, {formatted}, &[{}], {body})\n    }}\n",
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
