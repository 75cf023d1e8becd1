//! The typed calls in Rust.
use std::fmt::Write as _;

use serde_json::Value;

use super::{Member, NOTE, Place, Shape, calls, pascal, shape, snake};

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

use crate::client::{Control, ControlError, answers, calls};

answers! {
";

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
    text.push_str("}\n\ncalls! {\n");
    for call in calls(document) {
        let parameter = |member: &Member| {
            let ty = match rust_type(&member.schema).as_str() {
                "String" => "&str".to_owned(),
                "Value" => "&Value".to_owned(),
                other => other.to_owned(),
            };
            let name = snake(&member.name);
            if member.required { format!("{name}: {ty}") } else { format!("{name}: Option<{ty}>") }
        };
        let parameters: Vec<String> = call.members.iter().map(parameter).collect();
        let names = |place| {
            let of = call.members.iter().filter(|member| member.place == place);
            of.map(|member| snake(&member.name)).collect::<Vec<_>>().join(", ")
        };
        let path = snake(&call.path);
        let body = names(Place::Body);
        let body = if body.is_empty() { String::new() } else { format!(", body({body})") };
        let wide = if call.members.len() > 6 {
            "    #[expect(clippy::too_many_arguments, reason = \"the call has as many members\")]\n"
        } else {
            ""
        };
        let (id, answer, method) = (snake(&call.id), pascal(&call.id), pascal(&call.method.to_lowercase()));
        let _ = writeln!(
            text,
            "    /// {}.\n{wide}    {id}({}) -> {answer}\n        = {method} \"{path}\", query({}){body};",
            call.summary,
            parameters.join(", "),
            names(Place::Query),
        );
    }
    text.push_str("}\n");
    text
}
