//! The required values of the active deployment, recognised by value: the interface names only the members hook and status.
use super::read;
use crate::answers::members::{excerpt, is_address};
use crate::model::figure::Figure;
use crate::model::target::CHAINS;
use crate::prelude::*;

clause! {
    CAP_MEMBERS = "CAP-MEMBERS" (S92, S93, S95, S96, S97, S98, S99):
        "The active deployment shows a version, ABI family, fee-withdrawal mode, runtime hash, V4 contracts and start block, whatever their names.";
    check!("capabilities-members" [Read; Rest] shown:
        "looks for each of these by its value, and for a start block that its chain has reached");
}

/// The fewest hexadecimal digits of a hash: those of 16 bytes.
const FEWEST_DIGITS: usize = 32;

/// The values of a deployment by kind, whatever their names and nesting.
#[derive(Default)]
struct Members {
    /// Number of addresses other than the hook.
    contracts: usize,
    /// Number of hashes.
    hashes: usize,
    /// Number of other values, without the status: version, family, mode and block.
    others: usize,
    /// The whole numbers among those.
    numbers: Vec<u64>,
}

pub(super) async fn shown(trial: &Trial<'_>) -> Verdict {
    for id in CHAINS {
        let (response, body) = read(trial, id).await?;
        let active = &body["activeCreationDeployment"];
        let mut members = Members::default();
        for (name, member) in active.as_object().into_iter().flatten() {
            if name != "hook" && name != "status" {
                members.add(member);
            }
        }
        let seen = || excerpt(active);
        trial.require_or(&response, members.contracts > 0, "addresses of V4 contracts", seen)?;
        trial.require_or(&response, members.hashes > 0, "a runtime hash", seen)?;
        let expected = "a version, an ABI family, a fee-withdrawal mode and a start block";
        trial.require_or(&response, members.others >= 4, expected, seen)?;
        let head = match trial.chain(id) {
            Ok(chain) => chain.head().await?.header.number,
            Err(_) => u64::MAX,
        };
        let begun = members.numbers.iter().any(|number| *number <= head);
        trial.require_or(&response, begun, "a start block that the chain has reached", seen)?;
    }
    Ok(())
}

impl Members {
    fn add(&mut self, value: &Value) {
        match value {
            Value::Null => {}
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            Value::Object(members) => members.values().for_each(|member| self.add(member)),
            Value::String(text) if text.trim().is_empty() => {}
            Value::String(text) if is_address(text) => self.contracts += 1,
            Value::String(text) if is_hash(text) => self.hashes += 1,
            other => {
                self.others += 1;
                self.numbers.extend(whole(other));
            }
        }
    }
}

/// Whether a text is digits of a hash, after the name of its function or without; which function that is is left open.
fn is_hash(text: &str) -> bool {
    let digits = text.rsplit([':', '-', ' ']).next().unwrap_or_default();
    let digits = digits.trim_start_matches("0x");
    digits.len() >= FEWEST_DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// Parses a whole number, in digits or as a hexadecimal quantity like `0x1`.
fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => Figure::parse(&number.to_string())?.count(),
        Value::String(text) => match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        },
        _ => None,
    }
}
