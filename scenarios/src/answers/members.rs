//! Required members of an answer, and values as reports show them.
use std::str::FromStr;

use alloy::primitives::Address;
use serde_json::Value;

use crate::client::message::Response;
use crate::client::paths::LIST;
use crate::model::evidence::Evidence;
use crate::model::figure::Figure;
use crate::model::verdict::Verdict;
use crate::trial::Trial;

/// Describes an array where an object belongs; the swap service answers one under the path of the list.
pub(crate) fn array_instead(response: &Response) -> String {
    let is_list = response.request.url.path().ends_with(LIST);
    let hint = if is_list { "; is this the swap service?" } else { "" };
    format!("an array where an object belongs{hint}")
}

impl Trial<'_> {
    /// Returns the `tokens` of an answer, which must be an array.
    pub(crate) fn tokens<'v>(&self, response: &Response, body: &'v Value) -> Verdict<&'v Vec<Value>> {
        let tokens = body.get("tokens").and_then(Value::as_array);
        tokens.ok_or_else(|| {
            let actual = if body.is_array() { array_instead(response) } else { response.excerpt() };
            self.failure(response, "an array tokens", actual)
        })
    }

    /// Returns a member of the body that must be a whole number.
    pub(crate) fn count(&self, response: &Response, body: &Value, name: &str) -> Verdict<u64> {
        let count = body.get(name).and_then(Value::as_u64);
        count.ok_or_else(|| self.failure(response, format!("{name} as a whole number"), response.excerpt()))
    }

    /// Returns a member that must be a number, exactly as it was written.
    pub(crate) fn number(
        &self,
        evidence: &(impl Evidence + ?Sized),
        value: &Value,
        name: &str,
    ) -> Verdict<Figure> {
        let figure = value[name].as_number().and_then(|number| Figure::parse(&number.to_string()));
        figure.ok_or_else(|| self.failure(evidence, format!("{name} as a number"), excerpt(value)))
    }
}

/// Returns every member within a value, at any depth, with its name.
pub(crate) fn members_within(value: &Value) -> Vec<(&str, &Value)> {
    let mut found = Vec::new();
    match value {
        Value::Array(items) => found.extend(items.iter().flat_map(members_within)),
        Value::Object(members) => {
            for (name, member) in members {
                found.push((name.as_str(), member));
                found.extend(members_within(member));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    found
}

/// Returns a value as JSON, shortened for a report.
pub(crate) fn excerpt(value: &Value) -> String {
    value.to_string().chars().take(200).collect()
}

/// Parses a JSON string, for example as an address.
pub(crate) fn parsed<T: FromStr>(value: &Value) -> Option<T> {
    value.as_str()?.parse().ok()
}

/// Whether a text is an address: `0x` and forty hexadecimal digits, in any case.
pub(crate) fn is_address(text: &str) -> bool {
    text.starts_with("0x") && text.parse::<Address>().is_ok()
}
