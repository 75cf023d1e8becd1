//! Changes JSON values in place, anywhere in a document.
use serde_json::{Map, Value, json};

/// Visits every value, inner ones first.
pub(crate) fn each(value: &mut Value, visit: &mut impl FnMut(&mut Value)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| each(item, visit)),
        Value::Object(members) => members.values_mut().for_each(|member| each(member, visit)),
        _ => {}
    }
    visit(value);
}

/// Visits every object, inner ones first.
pub(crate) fn each_object(value: &mut Value, visit: &mut impl FnMut(&mut Map<String, Value>)) {
    each(value, &mut |value| {
        if let Value::Object(members) = value {
            visit(members);
        }
    });
}

/// Changes every member selected by its name, in the selected objects; a changed value is not searched again.
pub(crate) fn each_member(
    value: &mut Value,
    concerned: &impl Fn(&Map<String, Value>) -> bool,
    wanted: &impl Fn(&str) -> bool,
    change: &impl Fn(&mut Value),
) {
    match value {
        Value::Object(members) => {
            let is_concerned = concerned(members);
            for (name, member) in members {
                if is_concerned && wanted(name) && !member.is_null() {
                    change(member);
                } else {
                    each_member(member, concerned, wanted, change);
                }
            }
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|item| each_member(item, concerned, wanted, change));
        }
        _ => {}
    }
}

/// The list under a name.
pub(crate) fn list<'v>(object: &'v mut Value, name: &str) -> Option<&'v mut Vec<Value>> {
    object.get_mut(name)?.as_array_mut()
}

/// The items of the list under a name.
pub(crate) fn items<'v>(object: &'v mut Value, name: &str) -> impl Iterator<Item = &'v mut Value> {
    list(object, name).into_iter().flatten()
}

/// Multiplies a number.
pub(crate) fn times(value: &mut Value, factor: f64) {
    if let Some(number) = value.as_f64() {
        *value = json!(number * factor);
    }
}

/// Gives each of two members the value of the other.
pub(crate) fn exchange(object: &mut Value, one: &str, other: &str) {
    let first = object[one].take();
    object[one] = std::mem::replace(&mut object[other], first);
}

/// Changes a value that is a text.
pub(crate) fn change_text(value: &mut Value, change: impl FnOnce(&str) -> String) {
    if let Some(text) = value.as_str() {
        *value = json!(change(text));
    }
}

/// Appends a character to a text as a JSON escape.
pub(crate) fn push_escaped(text: &mut String, letter: char) {
    letter.encode_utf16(&mut [0; 2]).iter().for_each(|unit| text.push_str(&format!("\\u{unit:04x}")));
}
