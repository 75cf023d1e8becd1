//! The form of a tool server's answers: what the protocol demands of a greeting, of the list of tools and of a call.
use Shape::{List, Object, Of};
use serde_json::Value;

use super::shape::{Member, Misshapen, Shape, member, optional};
use crate::clause::Binding;
use crate::expect::fields::{Kind, excerpt};

const TEXT: Shape = Of(Kind::Text);
const FLAG: Shape = Of(Kind::Flag);
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
const SCHEMA: Shape = Object(&[
    member("type", TEXT),
    optional("properties", ANYTHING),
    optional("required", List(&TEXT)),
    optional("description", TEXT),
]);
const TOOLS: Shape = Object(&[member(
    "tools",
    List(&Object(&[
        member("name", TEXT),
        optional("title", TEXT),
        optional("description", TEXT),
        member("inputSchema", SCHEMA),
        optional("outputSchema", SCHEMA),
        optional("annotations", Object(HINTS)),
    ])),
)]);

const CALLED: Shape = Object(&[
    member("content", List(&Object(&[member("type", TEXT), optional("text", TEXT)]))),
    optional("structuredContent", ANYTHING),
    optional("isError", FLAG),
]);

/// Judges the answer to a message.
pub(super) fn judge(request: &Value, answer: &Value) -> Result<(), Misshapen> {
    let result = &answer["result"];
    if result.is_null() {
        return Ok(());
    }
    let shape = match request["method"].as_str() {
        Some("initialize") => GREETING,
        Some("tools/list") => TOOLS,
        Some("tools/call") => CALLED,
        _ => return Ok(()),
    };
    shape.judge(result).map_err(|bad| bad.below("result"))?;
    if request["method"] == "tools/call" {
        contents(result).map_err(|bad| bad.below("result"))
    } else {
        Ok(())
    }
}

/// Text has a text, and where the result is also structured, by choice, it is that in words of JSON.
fn contents(result: &Value) -> Result<(), Misshapen> {
    let wrong = |pointer: &str, expected: &str, value: &Value, binding| Misshapen {
        pointer: pointer.to_owned(),
        expected: expected.to_owned(),
        actual: excerpt(value),
        binding,
    };
    for item in result["content"].as_array().into_iter().flatten() {
        if item["type"] == "text" && !item["text"].is_string() {
            return Err(wrong("/content", "a text", item, Binding::Interface));
        }
    }
    if result["isError"] == true {
        let reported = &result["_meta"]["slipway/error"];
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
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
                Binding::ImplementationDefined,
            ))
        };
    }
    let structured = &result["structuredContent"];
    if structured.is_null() {
        return Ok(());
    }
    let text =
        result["content"][0]["text"].as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    if text.as_ref() == Some(structured) {
        return Ok(());
    }
    Err(wrong(
        "/content/0/text",
        "the structured content as JSON",
        &result["content"],
        Binding::ImplementationDefined,
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn calls_answer_in_text_and_structure_alike() {
        let call = json!({"method": "tools/call"});
        let answer = |text: &str, structured: Value| json!({"result": {"content": [{"type": "text", "text": text}], "structuredContent": structured}});
        assert_eq!(judge(&call, &answer("{\"a\":1}", json!({"a": 1}))), Ok(()));
        assert_eq!(
            judge(&call, &answer("{\"a\":2}", json!({"a": 1}))).unwrap_err().pointer,
            "/result/content/0/text"
        );
        assert_eq!(judge(&call, &json!({"result": {}})).unwrap_err().pointer, "/result/content");
        assert_eq!(judge(&call, &json!({"error": {"code": 1, "message": "no"}})), Ok(()));
        let greeting =
            json!({"result": {"protocolVersion": "1", "capabilities": {}, "serverInfo": {"name": "a"}}});
        let bad = judge(&json!({"method": "initialize"}), &greeting).unwrap_err();
        assert_eq!(bad.pointer, "/result/serverInfo/version");
    }
}
