//! Parameter names in a published ABI. Leaves out types, which the compiler provides.
//!
//! An entry point that forwards its whole call (`LaunchHook.buy`) leaves its parameters unnamed in the source, because it reads none of them.
//! The interface that declares it has the names, and clients find them in the ABI.
use std::collections::BTreeMap;

use serde_json::Value;

/// The parameters of every function that names all of them, by signature.
pub(super) struct ParameterNames<'a>(BTreeMap<String, &'a Value>);

impl<'a> ParameterNames<'a> {
    /// Reads the compiler's output of contracts and interfaces.
    pub(super) fn of(outputs: impl Iterator<Item = &'a Value>) -> Self {
        let items = outputs.filter_map(|compiled| compiled["abi"].as_array()).flatten();
        let named = items.filter(|item| item["type"] == "function" && is_named(&item["inputs"]));
        Self(named.map(|item| (signature(item), &item["inputs"])).collect())
    }

    /// An ABI completed with the names that its contract leaves out.
    pub(super) fn filled_in(&self, abi: &Value) -> Value {
        let mut abi = abi.clone();
        let items = abi.as_array_mut().into_iter().flatten();
        for item in items.filter(|item| item["type"] == "function" && !is_named(&item["inputs"])) {
            if let Some(inputs) = self.0.get(&signature(item)) {
                item["inputs"] = (*inputs).clone();
            }
        }
        abi
    }
}

fn is_named(inputs: &Value) -> bool {
    inputs.as_array().is_some_and(|inputs| inputs.iter().all(|input| input["name"] != ""))
}

fn signature(item: &Value) -> String {
    format!("{}{}", item["name"].as_str().unwrap_or_default(), types(&item["inputs"]))
}

/// The parameter types in parentheses, with tuples expanded.
fn types(parameters: &Value) -> String {
    let type_of = |parameter: &Value| {
        let written = parameter["type"].as_str().unwrap_or_default();
        match written.strip_prefix("tuple") {
            Some(array) => format!("{}{array}", types(&parameter["components"])),
            None => written.to_owned(),
        }
    };
    let types: Vec<String> = parameters.as_array().into_iter().flatten().map(type_of).collect();
    format!("({})", types.join(","))
}
