//! Reads typed data of EIP-712 within limits: its types are resolved into a tree by recursion, and a short text can state a large tree.
use std::collections::{BTreeMap, BTreeSet};

use alloy::dyn_abi::TypedData;
use alloy::dyn_abi::eip712::{Eip712Types, PropertyDef};
use alloy::sol_types::Eip712Domain;
use serde::Deserialize;
use serde_json::Value;

/// Maximum number of types.
const TYPES: usize = 128;
/// Maximum nesting depth of types and of a message: of structs, and of the dimensions of arrays.
const DEPTH: usize = 32;
/// Maximum number of members of a type, with those of the types of its members.
const MEMBERS: usize = 4_096;
/// Maximum product of a message's objects and of the characters of all types: each object is hashed with its types.
const HASHED: usize = 16 << 20;
/// Maximum number of characters of a name in an error.
const NAME: usize = 64;

/// Typed data whose types are not parsed yet.
#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    domain: Eip712Domain,
    types: BTreeMap<String, Vec<Member>>,
    #[serde(rename = "primaryType")]
    primary_type: String,
    #[serde(default)]
    message: Value,
}

#[derive(Deserialize)]
struct Member {
    #[serde(rename = "type")]
    kind: String,
    name: String,
}

/// Reads typed data, given as an object or as its text; the error is a sentence.
pub(super) fn read(data: Value) -> Result<TypedData, String> {
    let written = match data {
        Value::String(text) => serde_json::from_str::<Written>(&text),
        data => serde_json::from_value(data),
    };
    let written = written.map_err(|error| error.to_string())?;
    written.check()?;
    let mut types = BTreeMap::new();
    for (name, members) in written.types {
        let members = members.into_iter().map(|member| PropertyDef::new(member.kind, member.name));
        types.insert(name, members.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?);
    }
    Ok(TypedData {
        domain: written.domain,
        resolver: Eip712Types::from(types).into(),
        primary_type: written.primary_type,
        message: written.message,
    })
}

impl Written {
    fn check(&self) -> Result<(), String> {
        let primary = short(&self.primary_type);
        if self.types.len() > TYPES {
            return Err(format!(
                "typed data may have {TYPES} types: {primary} comes with {}",
                self.types.len()
            ));
        }
        let mut characters = 0_usize;
        for (name, members) in &self.types {
            let mut names = BTreeSet::new();
            for member in members {
                if !names.insert(&member.name) {
                    let (name, member) = (short(name), short(&member.name));
                    return Err(format!(
                        "the members of a type have different names: {name} has {member} twice"
                    ));
                }
                characters += member.kind.len() + member.name.len() + ", ".len();
            }
            characters += name.len() + "()".len();
            // Parentheses are parsed by recursion too; no type of EIP-712 has any.
            let kinds = members.iter().map(|member| &member.kind);
            if let Some(kind) = kinds.chain([name]).find(|kind| kind.contains(['(', ')'])) {
                return Err(format!("the name of a type has no parentheses: {}", short(kind)));
            }
        }
        Sizes { types: &self.types, known: BTreeMap::new() }.of(&self.primary_type)?;
        if depth(&self.message) > DEPTH {
            return Err(format!("a message may nest {DEPTH} deep: that of {primary} nests deeper"));
        }
        if objects(&self.message).saturating_mul(characters) > HASHED {
            return Err(format!(
                "the objects of a message times the characters of its types may be {HASHED}: {primary} has more"
            ));
        }
        Ok(())
    }
}

/// The size of a resolved type.
#[derive(Clone, Copy, Default)]
struct Size {
    depth: usize,
    members: usize,
}

struct Sizes<'a> {
    types: &'a BTreeMap<String, Vec<Member>>,
    /// The size of each type seen so far; `None` while it is computed.
    known: BTreeMap<&'a str, Option<Size>>,
}

impl<'a> Sizes<'a> {
    /// The size of a type without dimensions. The recursion is no deeper than there are types.
    fn of(&mut self, name: &str) -> Result<Size, String> {
        let Some((name, members)) = self.types.get_key_value(name) else { return Ok(Size::default()) };
        match self.known.get(name.as_str()) {
            Some(Some(size)) => return Ok(*size),
            Some(None) => return Err(format!("a type may not contain itself: {} does", short(name))),
            None => {}
        }
        self.known.insert(name, None);
        let mut size = Size { depth: 1, members: 0 };
        for Member { kind, .. } in members {
            let root = kind.split_once('[').map_or(kind.as_str(), |(root, _)| root);
            let inner = self.of(root)?;
            let dimensions = kind.matches('[').count();
            size.depth = size.depth.max(1 + dimensions + inner.depth);
            size.members = size.members.saturating_add(1).saturating_add(inner.members);
        }
        if size.depth > DEPTH {
            return Err(format!("types may nest {DEPTH} deep: {} nests deeper", short(name)));
        }
        if size.members > MEMBERS {
            let name = short(name);
            return Err(format!(
                "a type may have {MEMBERS} members with those of their types: {name} has more"
            ));
        }
        self.known.insert(name, Some(size));
        Ok(size)
    }
}

/// The nesting depth of objects and arrays, which the parser bounds.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(values) => 1 + values.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn objects(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.iter().map(objects).sum(),
        Value::Object(members) => 1 + members.values().map(objects).sum::<usize>(),
        _ => 0,
    }
}

/// A name in an error.
fn short(name: &str) -> String {
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests;
