//! Whether a value keeps a JSON Schema, as far as tools use one: types, members, bounds, choices and alternatives. Leaves out
//! patterns and formats.
use crate::prelude::*;

/// What is broken, and where.
pub(super) fn keeps(schema: &Value, value: &Value) -> Result<(), String> {
    Judge { root: schema }.value(schema, value, "$")
}

struct Judge<'a> {
    root: &'a Value,
}

impl Judge<'_> {
    fn value(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        match schema {
            Value::Bool(true) => return Ok(()),
            Value::Object(_) => {}
            _ => return Err(format!("{at}: there is no schema")),
        }
        if let Some(reference) = schema["$ref"].as_str() {
            let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            return self.value(target.unwrap_or(&Value::Null), value, at);
        }
        for several in ["anyOf", "oneOf"] {
            if let Some(schemas) = schema[several].as_array()
                && !schemas.iter().any(|schema| self.value(schema, value, at).is_ok())
            {
                return Err(format!("{at}: no alternative fits"));
            }
        }
        typed(schema, value, at)?;
        bounded(schema, value, at)?;
        self.members(schema, value, at)?;
        let items = value.as_array().into_iter().flatten().enumerate();
        for (index, item) in items.filter(|_| !schema["items"].is_null()) {
            self.value(&schema["items"], item, &format!("{at}[{index}]"))?;
        }
        Ok(())
    }

    fn members(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let Some(members) = value.as_object() else {
            return Ok(());
        };
        let required = schema["required"].as_array().into_iter().flatten();
        if let Some(missing) = required.filter_map(Value::as_str).find(|name| !members.contains_key(*name)) {
            return Err(format!("{at}.{missing} is missing"));
        }
        for (name, member) in members {
            match schema["properties"].get(name) {
                Some(schema) => self.value(schema, member, &format!("{at}.{name}"))?,
                None if schema["additionalProperties"] == Value::Bool(false) => {
                    return Err(format!("{at}.{name} is not stated"));
                }
                None => {}
            }
        }
        Ok(())
    }
}

fn typed(schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let is = |name: &Value| match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("number") => value.is_number(),
        Some("integer") => value.is_i64() || value.is_u64(),
        _ => false,
    };
    let fits = match &schema["type"] {
        Value::Null => true,
        Value::Array(names) => names.iter().any(is),
        name => is(name),
    };
    if !fits {
        return Err(format!("{at} is not of type {}", schema["type"]));
    }
    let chosen = schema["enum"].as_array().is_none_or(|choices| choices.contains(value));
    let literal = schema.get("const").is_none_or(|literal| literal == value);
    if chosen && literal { Ok(()) } else { Err(format!("{at} is none of the choices")) }
}

fn bounded(schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let measure = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => Some(text.chars().count() as f64),
        Value::Array(items) => Some(items.len() as f64),
        _ => None,
    };
    let (low, high) = match value {
        Value::Number(_) => ("minimum", "maximum"),
        Value::String(_) => ("minLength", "maxLength"),
        _ => ("minItems", "maxItems"),
    };
    let Some(measure) = measure else {
        return Ok(());
    };
    let above = schema[low].as_f64().is_none_or(|low| measure >= low);
    let below = schema[high].as_f64().is_none_or(|high| measure <= high);
    if above && below { Ok(()) } else { Err(format!("{at} is out of bounds")) }
}

#[cfg(test)]
mod tests {
    use super::keeps;
    use serde_json::json;

    #[test]
    fn validates_against_schema() {
        let schema = json!({
            "type": "object", "required": ["a"], "additionalProperties": false,
            "$defs": {"row": {"type": "integer", "minimum": 2}},
            "properties": {
                "a": {"type": ["string", "null"], "maxLength": 2},
                "b": {"type": "array", "maxItems": 2, "items": {"$ref": "#/$defs/row"}},
                "c": {"anyOf": [{"const": 7}, {"enum": ["x", "y"]}]},
            },
        });
        for fits in [json!({"a": "éé"}), json!({"a": null, "b": [2, 3], "c": 7}), json!({"a": "", "c": "y"})]
        {
            assert_eq!(keeps(&schema, &fits), Ok(()), "{fits}");
        }
        for (broken, at) in [
            (json!([]), "$ is not of type"),
            (json!({}), "$.a is missing"),
            (json!({"a": 1}), "$.a is not of type"),
            (json!({"a": "abc"}), "$.a is out of bounds"),
            (json!({"a": "", "b": [2, 1]}), "$.b[1] is out of bounds"),
            (json!({"a": "", "b": [2, 2.5]}), "$.b[1] is not of type"),
            (json!({"a": "", "b": [2, 2, 2]}), "$.b is out of bounds"),
            (json!({"a": "", "c": "z"}), "$.c: no alternative"),
            (json!({"a": "", "d": 1}), "$.d is not stated"),
        ] {
            let result = keeps(&schema, &broken).unwrap_err();
            assert!(result.starts_with(at), "{broken}: {result}");
        }
        assert!(keeps(&json!(null), &json!({})).is_err());
    }
}
