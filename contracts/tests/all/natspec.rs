//! Everything that callers of our contracts can see is documented: contracts, functions, events, errors, structs, parameters and return values.
use std::collections::BTreeSet;
use std::path::Path;

use crate::abi::abis;
use crate::compile::solidity;

/// A declaration with the documentation above it.
struct Declared<'a> {
    documentation: String,
    text: &'a str,
}

const DOCUMENTED: [&str; 10] = [
    "contract ",
    "abstract contract ",
    "interface ",
    "library ",
    "struct ",
    "enum ",
    "event ",
    "error ",
    "constructor(",
    "receive()",
];

/// Whether the declaration that starts at this line is visible outside the source.
fn is_seen(line: &str, text: &str) -> bool {
    if line.starts_with("function ") {
        return [" external", " public"].iter().any(|word| text.contains(word));
    }
    DOCUMENTED.iter().any(|word| line.starts_with(word)) || line.contains(" public ")
}

/// The declarations of a source that need documentation, each up to its body or end.
fn declarations(source: &str) -> Vec<Declared<'_>> {
    let mut found = Vec::new();
    let mut documentation = String::new();
    let mut place = 0;
    for line in source.split_inclusive('\n') {
        let start = place + (line.len() - line.trim_start().len());
        place += line.len();
        let line = line.trim();
        if let Some(words) = line.strip_prefix("///") {
            documentation.push_str(words);
            documentation.push('\n');
            continue;
        }
        let rest = &source[start..];
        let end = rest.find(['{', ';', '}']).unwrap_or(rest.len());
        let text = &rest[..end];
        if !line.starts_with("//") && is_seen(line, text) {
            let documentation = std::mem::take(&mut documentation);
            found.push(Declared { documentation, text });
        }
        documentation.clear();
    }
    found
}

/// The declared name.
fn name(text: &str) -> &str {
    let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
    if let Some((_, variable)) = text.split_once(" public ").filter(|_| kind != "function") {
        let variable = variable.split_once(" = ").map_or(variable, |(variable, _)| variable);
        return variable.split_whitespace().last().unwrap_or(variable);
    }
    rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or(rest)
}

/// The names in the first parentheses, or between `returns (` and its end.
fn names(list: &str) -> Vec<&str> {
    let inner = list.split_once('(').map_or("", |(_, rest)| rest);
    let inner = inner.split_once(')').map_or(inner, |(inner, _)| inner);
    let last = |part: &&str| part.split_whitespace().count() > 1;
    let parts = inner.split(',').filter(last);
    parts
        .filter_map(|part| part.split_whitespace().last())
        .filter(|name| !["calldata", "memory", "payable", "indexed"].contains(name))
        .collect()
}

/// Names missing from the documentation of a declaration.
fn missing(declared: &Declared<'_>) -> Vec<String> {
    let documentation = &declared.documentation;
    if documentation.contains("@inheritdoc") {
        return Vec::new();
    }
    let mut missing = Vec::new();
    // Internal items are documented for developers.
    let is_inner = ["struct ", "enum "].iter().any(|word| declared.text.starts_with(word));
    let is_public = ["@notice", "@title"].iter().any(|tag| documentation.contains(tag));
    let is_internal = is_inner && documentation.contains("@dev");
    if !(is_public || is_internal) {
        missing.push("@notice".to_owned());
    }
    let is_callable =
        ["function ", "event ", "error ", "constructor("].iter().any(|word| declared.text.starts_with(word));
    if !is_callable {
        return missing;
    }
    for name in names(declared.text) {
        if !documentation.contains(&format!("@param {name} ")) {
            missing.push(format!("@param {name}"));
        }
    }
    if let Some((_, answers)) = declared.text.split_once("returns ") {
        for name in names(answers) {
            if !documentation.contains(&format!("@return {name} ")) {
                missing.push(format!("@return {name}"));
            }
        }
    }
    missing
}

#[test]
fn public_interface_is_documented() {
    let mut seen = BTreeSet::new();
    let mut lacking = Vec::new();
    for path in solidity(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sol")) {
        let source = std::fs::read_to_string(&path).unwrap();
        for declared in declarations(&source) {
            seen.insert(name(declared.text).to_owned());
            let missing = missing(&declared);
            if !missing.is_empty() {
                lacking.push(format!("{}: {} lacks {missing:?}", path.display(), declared.text));
            }
        }
    }
    assert!(lacking.is_empty(), "{}", lacking.join("\n"));
    // The parser above misses nothing that a client calls, decodes or catches.
    for (contract, abi) in abis() {
        for item in abi.as_array().unwrap().iter().filter_map(|item| item["name"].as_str()) {
            assert!(seen.contains(item), "{contract}.{item} was not found in the sources");
        }
    }
}

/// The control: missing documentation is detected.
#[test]
fn missing_documentation_is_noticed() {
    let lacks = |source: &str| declarations(source).iter().flat_map(missing).collect::<Vec<_>>();
    assert_eq!(lacks("/// @notice Documented.\nerror Wrong();\n"), [""; 0]);
    assert_eq!(lacks("error Wrong();\n"), ["@notice"]);
    let function = "/// @notice Adds.\n/// @param a One.\nfunction add(uint256 a, uint256 b)\n  external\n  returns (uint256 sum);\n";
    assert_eq!(lacks(function), ["@param b", "@return sum"]);
    assert_eq!(lacks("/// @notice Lost.\n\nuint256 public total;\n"), ["@notice"]);
    assert_eq!(lacks("function hidden(uint256 a) private {}\n"), [""; 0]);
}
