//! `slipway explain` of an error of a contract: by its name, or by the data of a revert, which begins with its selector.
use std::fmt::Write as _;

use alloy::hex;
use serde_json::{Value, json};
use slipway_contracts::decode::{self, DeclaredError, declared_errors};

/// The errors of the language itself, which no contract declares: the selector, the signature and what it says.
const OF_THE_LANGUAGE: [(&str, &str, &str); 2] = [
    (
        "0x08c379a0",
        "Error(string)",
        "The contract gives its reason as a text, as by `require(condition, text)`.",
    ),
    (
        "0x4e487b71",
        "Panic(uint256)",
        "The compiler's own check failed: 0x01 an assertion, 0x11 arithmetic, 0x12 a division by zero, 0x32 an index.",
    ),
];

/// What is known about an error.
pub(super) struct Known {
    /// With its arguments if there is data, else with their types.
    text: String,
    /// What it says, if it is one of the language.
    meaning: Option<&'static str>,
    declared: Vec<&'static DeclaredError>,
}

/// The error of a name, with or without its types, or of the data of a revert.
pub(super) fn known(id: &str) -> Option<Known> {
    let is_named = |signature: &str| signature == id || signature.split('(').next() == Some(id);
    if let Some((_, signature, meaning)) =
        OF_THE_LANGUAGE.iter().find(|(selector, signature, _)| *selector == id || is_named(signature))
    {
        return Some(Known { text: (*signature).to_owned(), meaning: Some(*meaning), declared: Vec::new() });
    }
    let Some(digits) = id.strip_prefix("0x") else {
        let declared: Vec<_> =
            declared_errors().iter().filter(|error| error.signature == id || error.name() == id).collect();
        let text = declared.first()?.signature.clone();
        return Some(Known { text, meaning: None, declared });
    };
    let data = hex::decode(digits).ok()?;
    let named = decode::error(&data)?;
    let declared: Vec<_> =
        declared_errors().iter().filter(|error| data.starts_with(&error.selector[..])).collect();
    // A selector alone has no arguments to show.
    let text = match (declared.first(), data.len()) {
        (Some(error), 4) => error.signature.clone(),
        _ => named.to_string(),
    };
    Some(Known { text, meaning: None, declared })
}

/// The names of all known errors.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    declared_errors().iter().map(DeclaredError::name).chain(["Error", "Panic"])
}

impl Known {
    pub(super) fn text(&self) -> String {
        let mut text = format!("error {}\n", self.text);
        if let Some(meaning) = self.meaning {
            let _ = writeln!(text, "  {meaning}");
        }
        for error in &self.declared {
            for meaning in &error.meanings {
                let _ = writeln!(text, "  {meaning}");
            }
            let _ = writeln!(text, "  declared: {}, selector {}", error.signature, error.selector);
            let contracts = error.contracts.join(", ");
            let _ = writeln!(
                text,
                "  by: {}",
                if contracts.is_empty() { "a published contract" } else { &contracts }
            );
        }
        text
    }

    pub(super) fn json(&self) -> Value {
        let declared = self.declared.iter().map(|error| {
            json!({
                "signature": error.signature,
                "selector": error.selector,
                "contracts": error.contracts,
                "meanings": error.meanings,
            })
        });
        json!({"kind": "error", "text": self.text, "declared": declared.collect::<Vec<_>>()})
    }
}

#[cfg(test)]
mod tests {
    use super::known;

    #[test]
    fn an_error_is_known_by_its_name_its_selector_and_its_data() {
        let sentence = "The target raise is outside its bounds.";
        let text = known("RaiseOutOfRange").unwrap().text();
        assert!(text.starts_with("error RaiseOutOfRange()\n") && text.contains(sentence), "{text}");
        let selector = known("RaiseOutOfRange").unwrap().declared[0].selector.to_string();
        assert!(
            text.contains(&format!("declared: RaiseOutOfRange(), selector {selector}\n  by: LaunchHook")),
            "{text}"
        );
        for id in ["RaiseOutOfRange()", selector.as_str()] {
            assert_eq!(known(id).unwrap().text(), text);
        }
        let zeros = "0".repeat(127);
        let data = known(&format!("0xe450d38c{zeros}5{}", "0".repeat(64))).unwrap().text();
        assert!(data.starts_with("error ERC20InsufficientBalance(sender: 0x0000"), "{data}");
        assert!(data.contains("  declared: ERC20InsufficientBalance(address,uint256,uint256), selector 0xe450d38c\n  by: a published contract\n"), "{data}");
        // Error(string) and Panic(uint256) belong to the language.
        let panic = known(&format!("0x4e487b71{}11", "0".repeat(62))).unwrap();
        assert_eq!(panic.text(), "error Panic(code: 0x11 (arithmetic underflow or overflow))\n");
        for id in ["Panic", "Panic(uint256)", "0x4e487b71"] {
            assert!(
                known(id).unwrap().text().starts_with("error Panic(uint256)\n  The compiler's own"),
                "{id}"
            );
        }
        assert!(known("0x08c379a0").unwrap().text().starts_with("error Error(string)\n  The contract gives"));
        for id in ["0x", "0x01020304", "0x4e487b", "raiseoutofrange", "RaiseOutOfRange(uint256)", ""] {
            assert!(known(id).is_none(), "{id}");
        }
    }
}
