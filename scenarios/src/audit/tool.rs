//! The form of a tool server's answers: the protocol's demands on the greeting, the list of tools and a call.
use std::collections::{BTreeMap, BTreeSet};

use Shape::{List, Object, OneOf};
use jsonschema::Draft;
use serde_json::Value;

use crate::answers::fields::shape::{Member, Misshapen, Shape, member, optional};
use crate::answers::members::excerpt;
use crate::model::verdict::Binding;

const TEXT: Shape = Shape::Text;
const FLAG: Shape = Shape::Flag;
const ANYTHING: Shape = Object(&[]);

const GREETING: Shape = Object(&[
    member("protocolVersion", TEXT),
    member("capabilities", ANYTHING),
    member("serverInfo", Object(&[member("name", TEXT), member("version", TEXT), optional("title", TEXT)])),
    optional("instructions", TEXT),
]);

const HINTS: &[Member] = &[
    optional("title", TEXT),
    optional("readOnlyHint", FLAG),
    optional("destructiveHint", FLAG),
    optional("idempotentHint", FLAG),
    optional("openWorldHint", FLAG),
];
/// A server's description of itself before any greeting, if it has one.
const DISCOVERY: Shape = Object(&[
    member("supportedVersions", List(&TEXT)),
    member("capabilities", ANYTHING),
    optional("instructions", TEXT),
    optional("_meta", ANYTHING),
]);
/// Metadata of any result: that it is complete, how long it stays fresh, and which caches may store it.
const RESULT: Shape = Object(&[
    optional("resultType", OneOf(&["complete"])),
    optional("ttlMs", Shape::Count),
    optional("cacheScope", OneOf(&["private", "public"])),
]);
const TOOLS: Shape = Object(&[
    member(
        "tools",
        List(&Object(&[
            member("name", TEXT),
            optional("title", TEXT),
            optional("description", TEXT),
            member("inputSchema", ANYTHING),
            optional("outputSchema", ANYTHING),
            optional("annotations", Object(HINTS)),
        ])),
    ),
    optional("nextCursor", TEXT),
]);

const CONTENTS: [&str; 5] = ["audio", "image", "resource", "resource_link", "text"];
const CALLED: Shape = Object(&[
    member("content", List(&Object(&[member("type", TEXT), optional("text", TEXT)]))),
    optional("structuredContent", ANYTHING),
    optional("isError", FLAG),
]);

/// Judges the answer to a message: every misshapen place, and the first law that it breaks.
pub(super) fn judge(request: &Value, answer: &Value) -> Vec<Misshapen> {
    let result = &answer["result"];
    if result.is_null() {
        let is_call = request["method"].is_string() && !request["id"].is_null();
        let fits = !is_call || answer.get("result").is_some() || !answer["error"].is_null();
        let bad = || wrong("", "a result or an error", answer, Binding::Interface);
        return (!fits).then(bad).into_iter().collect();
    }
    let (shape, law) = match request["method"].as_str() {
        Some("initialize") => (GREETING, Ok(())),
        Some("server/discover") => (DISCOVERY, discovery(&request["params"], result)),
        Some("tools/list") => (TOOLS, schemas(result)),
        Some("tools/call") => (CALLED, contents(result)),
        _ => return Vec::new(),
    };
    let found = [shape, RESULT].into_iter().flat_map(|shape| shape.judge(result)).chain(law.err());
    found.map(|bad| bad.below("result")).collect()
}

fn wrong(pointer: &str, expected: &str, value: &Value, binding: Binding) -> Misshapen {
    Misshapen { pointer: pointer.to_owned(), expected: expected.to_owned(), actual: excerpt(value), binding }
}

/// A discovery lists versions without duplicates, among them the version of the request.
fn discovery(asked: &Value, result: &Value) -> Result<(), Misshapen> {
    let bad = |name: &str, expected: &str| {
        Err(wrong(&format!("/{name}"), expected, &result[name], Binding::Interface))
    };
    let versions: Vec<&str> =
        result["supportedVersions"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let distinct: BTreeSet<&str> = versions.iter().copied().collect();
    if versions.is_empty() || distinct.len() < versions.len() {
        return bad("supportedVersions", "versions, each once");
    }
    let spoken = asked["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str();
    if spoken.is_some_and(|version| !distinct.contains(version)) {
        return bad("supportedVersions", "the version in which it is asked among them");
    }
    Ok(())
}

/// The schemas of listed tools are JSON Schemas of objects, of the version that they name, else 2020-12.
fn schemas(result: &Value) -> Result<(), Misshapen> {
    for (at, tool) in result["tools"].as_array().into_iter().flatten().enumerate() {
        for name in ["inputSchema", "outputSchema"] {
            let Some(found) = tool.get(name) else { continue };
            let within = |bad: Misshapen| bad.below(name).below(&at.to_string()).below("tools");
            if found["type"] != "object" {
                return Err(within(wrong("/type", "object", &found["type"], Binding::Interface)));
            }
            // A dialect that this library does not know cannot be judged.
            if Draft::Draft202012.detect(found) == Draft::Unknown {
                continue;
            }
            if let Err(error) = jsonschema::meta::validate(found) {
                let place = error.instance_path().as_str();
                let value = found.pointer(place).unwrap_or(&Value::Null);
                let expected = format!("JSON Schema ({})", error.masked());
                return Err(within(wrong(place, &expected, value, Binding::Interface)));
            }
            required_are_stated(found).map_err(within)?;
        }
    }
    Ok(())
}

/// Keywords of JSON Schema whose values are data, not schemas.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];

/// Every property that a schema requires is also defined in it, at every depth.
fn required_are_stated(schema: &Value) -> Result<(), Misshapen> {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let properties = &schema["properties"];
    let missing = |name: &&str| properties.is_object() && properties.get(name).is_none();
    if let Some(name) = required.into_iter().find(missing) {
        let expected = format!("{name}, which is required");
        return Err(wrong("/properties", &expected, properties, Binding::Interface));
    }
    let members = schema.as_object().into_iter().flatten();
    for (name, inner) in members.filter(|(name, _)| !DATA.contains(&name.as_str())) {
        required_are_stated(inner).map_err(|bad| bad.below(name))?;
    }
    for (at, inner) in schema.as_array().into_iter().flatten().enumerate() {
        required_are_stated(inner).map_err(|bad| bad.below(&at.to_string()))?;
    }
    Ok(())
}

/// A server describes itself alike in its discovery and its greetings, and the discovery lists the greeted versions. It greets in the
/// requested version if it supports it, and defines a tool alike in all lists.
pub(super) fn agree(calls: &[(Value, Value)]) -> Vec<Misshapen> {
    let mut found = Vec::new();
    let of = |method: &'static str| {
        let answered = move |(asked, reported): &&(Value, Value)| {
            asked["method"] == method && reported["result"].is_object()
        };
        calls.iter().filter(answered).map(|(asked, reported)| (&asked["params"], &reported["result"]))
    };
    for (_, discovered) in of("server/discover") {
        for (_, greeting) in of("initialize") {
            found.extend(introduced(discovered, greeting));
        }
    }
    let greetings = || {
        of("initialize").map(|(asked, greeting)| (&asked["protocolVersion"], &greeting["protocolVersion"]))
    };
    let spoken: BTreeSet<&str> =
        greetings().filter(|(asked, own)| asked == own).filter_map(|(_, own)| own.as_str()).collect();
    let named = of("server/discover").flat_map(|(_, discovered)| discovered["supportedVersions"].as_array());
    let own: BTreeSet<&str> = named.flatten().filter_map(Value::as_str).chain(spoken).collect();
    for (asked, answered) in greetings() {
        if asked != answered && asked.as_str().is_some_and(|version| own.contains(version)) {
            let expected = format!("{asked}, the requested version, which it supports");
            found.push(wrong("/result/protocolVersion", &expected, answered, Binding::Interface));
        }
    }
    let mut tools: BTreeMap<&str, &Value> = BTreeMap::new();
    for tool in of("tools/list").flat_map(|(_, result)| result["tools"].as_array()).flatten() {
        let before = *tools.entry(tool["name"].as_str().unwrap_or_default()).or_insert(tool);
        if before != tool {
            let expected = format!("{}, as in another list", excerpt(before));
            found.push(wrong("/result/tools", &expected, tool, Binding::Choice));
        }
    }
    found
}

/// A discovery says the same as a greeting.
fn introduced(discovered: &Value, greeting: &Value) -> Vec<Misshapen> {
    let own = &discovered["_meta"]["io.modelcontextprotocol/serverInfo"];
    let mut found = Vec::new();
    for (name, reported) in [
        ("capabilities", &discovered["capabilities"]),
        ("instructions", &discovered["instructions"]),
        ("serverInfo", own),
    ] {
        if *reported != greeting[name] {
            let expected = format!("{}, as in the greeting", excerpt(&greeting[name]));
            found.push(wrong(&format!("/result/{name}"), &expected, reported, Binding::Choice));
        }
    }
    let versions = &discovered["supportedVersions"];
    if versions.as_array().is_none_or(|versions| !versions.contains(&greeting["protocolVersion"])) {
        // Versions spoken after a greeting need not be among those that need no greeting.
        let expected = format!("{} among them, because a greeting agreed on it", greeting["protocolVersion"]);
        found.push(wrong("/result/supportedVersions", &expected, versions, Binding::Choice));
    }
    found
}

/// Each text item has a text. As a choice, a result has exactly one text, and if it is also structured, the text is the same as JSON.
fn contents(result: &Value) -> Result<(), Misshapen> {
    for item in result["content"].as_array().into_iter().flatten() {
        if item["type"].as_str().is_none_or(|name| !CONTENTS.contains(&name)) {
            return Err(wrong("/content", "a type of content", item, Binding::Interface));
        }
        if item["type"] == "text" && !item["text"].is_string() {
            return Err(wrong("/content", "a text", item, Binding::Interface));
        }
    }
    contradictions(result)?;
    let Some([only]) = result["content"].as_array().map(Vec::as_slice) else {
        return Err(wrong("/content", "one text", &result["content"], Binding::Choice));
    };
    let text = only["text"].as_str().unwrap_or_default();
    if result["isError"] == true {
        let reported = &result["_meta"]["slipway/error"];
        let said = |name: &str| {
            reported[name].as_str().is_some_and(|words| !words.is_empty() && text.contains(words))
        };
        return if ["code", "message", "next"].into_iter().all(said) {
            Ok(())
        } else {
            Err(wrong(
                "/_meta",
                "code, message and next of the error, as its text has them",
                reported,
                Binding::Choice,
            ))
        };
    }
    let structured = &result["structuredContent"];
    if serde_json::from_str::<Value>(text).is_ok_and(|text| text == *structured) {
        return Ok(());
    }
    Err(wrong(
        "/content/0/text",
        "structured content, and the same as JSON",
        &result["content"],
        Binding::Choice,
    ))
}

/// A text that is an object in JSON has no member that the structured content has with another value.
fn contradictions(result: &Value) -> Result<(), Misshapen> {
    let Some(structured) = result["structuredContent"].as_object() else { return Ok(()) };
    let texts = result["content"].as_array().into_iter().flatten().filter_map(|item| item["text"].as_str());
    for told in texts.filter_map(|text| serde_json::from_str::<Value>(text).ok()) {
        for (name, value) in told.as_object().into_iter().flatten() {
            let same = structured.get(name).is_none_or(|own| own == value);
            if !same {
                let expected =
                    format!("{name} = {}, as structuredContent has it", excerpt(&structured[name]));
                return Err(wrong("/content", &expected, value, Binding::Interface));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the first misshapen place in a list of one tool with this schema.
    fn in_schema(schema: &Value) -> Option<String> {
        let listed = json!({"result": {"tools": [{"name": "t", "inputSchema": schema}]}});
        judge(&json!({"method": "tools/list"}), &listed).into_iter().next().map(|bad| bad.pointer)
    }

    #[test]
    fn calls_answer_in_text_and_structure_alike() {
        let call = json!({"id": 1, "method": "tools/call"});
        let text = |text: &str| json!({"type": "text", "text": text});
        let (same, at_text) = (json!({"a": 1}), "/result/content/0/text");
        for (answer, place) in [
            (json!({"result": {"content": [text(r#"{"a": 1}"#)], "structuredContent": same}}), None),
            (json!({"error": {"code": 1, "message": "no"}}), None),
            (json!({"result": {"content": [text("done")]}}), Some(at_text)),
            (json!({"result": {"content": [text("{}")], "structuredContent": same}}), Some(at_text)),
            (json!({"result": {"content": [text("{}"), text("{}")]}}), Some("/result/content")),
            (json!({"result": {}}), Some("/result/content")),
            (json!({"id": 1}), Some("")),
        ] {
            let found = judge(&call, &answer);
            assert_eq!(found.first().map(|bad| &*bad.pointer), place, "{answer}");
        }
    }

    #[test]
    fn schemas_are_schemas() {
        let sound = json!({
            "type": "object", "required": ["a"],
            "properties": {"a": {"type": ["string", "null"]}, "b": {"type": "array", "items": {"anyOf": [{"maximum": 3}, true]}}},
        });
        assert_eq!(in_schema(&sound), None);
        for (at, broken, place) in [
            ("/type", json!("array"), "/type"),
            ("/properties/a/type", json!("text"), "/properties/a/type"),
            ("/properties/b/items/anyOf/0/maximum", json!("3"), "/properties/b/items/anyOf/0/maximum"),
            ("/required/0", json!("c"), "/properties"),
        ] {
            let mut schema = sound.clone();
            *schema.pointer_mut(at).unwrap() = broken;
            assert_eq!(in_schema(&schema), Some(format!("/result/tools/0/inputSchema{place}")));
        }
    }

    #[test]
    fn servers_keep_to_their_versions_and_definitions() {
        let greeting = |[asked, answered]: [&str; 2]| {
            let asked = json!({"method": "initialize", "params": {"protocolVersion": asked}});
            (asked, json!({"result": {"protocolVersion": answered}}))
        };
        assert_eq!(agree(&[["2", "2"], ["9", "2"]].map(greeting)), []);
        let bad = agree(&[["2", "2"], ["1", "1"], ["2", "1"]].map(greeting)).remove(0);
        assert_eq!(bad.pointer, "/result/protocolVersion");
        let list = |titles: &[&str]| {
            let tools: Vec<Value> =
                titles.iter().map(|title| json!({"name": title, "title": title})).collect();
            (json!({"method": "tools/list"}), json!({"result": {"tools": tools}}))
        };
        assert_eq!(agree(&[list(&["a", "b"]), list(&["b"])]), []);
        let mut other = list(&["b"]);
        other.1["result"]["tools"][0]["title"] = json!("c");
        assert_eq!(agree(&[list(&["a", "b"]), other])[0].pointer, "/result/tools");
    }

    #[test]
    fn discoveries_say_what_greetings_say() {
        let greeting =
            json!({"result": {"protocolVersion": "1", "capabilities": {}, "serverInfo": {"name": "a"}}});
        let sound = json!({
            "supportedVersions": ["0", "1"], "capabilities": {}, "resultType": "complete",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "a"}},
        });
        for (member, value, place) in [
            ("ttlMs", json!(0), None),
            ("ttlMs", json!("0"), Some("/result/ttlMs")),
            ("capabilities", json!({"tools": {}}), Some("/result/capabilities")),
            ("_meta", json!({}), Some("/result/serverInfo")),
            ("instructions", json!("x"), Some("/result/instructions")),
            ("supportedVersions", json!(["0"]), Some("/result/supportedVersions")),
            ("supportedVersions", json!(["1", "1"]), Some("/result/supportedVersions")),
            ("resultType", json!("half"), Some("/result/resultType")),
            ("cacheScope", json!("Public"), Some("/result/cacheScope")),
        ] {
            let mut discovered = json!({ "result": sound });
            discovered["result"][member] = value;
            let call = json!({"method": "server/discover"});
            let judged = judge(&call, &discovered);
            let calls = [(json!({"method": "initialize"}), greeting.clone()), (call, discovered)];
            let found: Vec<Misshapen> = judged.into_iter().chain(agree(&calls)).collect();
            assert_eq!(found.first().map(|bad| &*bad.pointer), place, "{member}");
        }
    }
}
