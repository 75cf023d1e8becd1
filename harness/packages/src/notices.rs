//! The crates that a program is linked from: their licence texts, for people, and a bill of materials in SPDX 2.3, for machines.
// `cargo about` also collects licences but writes no bill of materials; every gate would have to compile it, or its hundred crates as a
// library.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fs_err as fs;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{Result, cargo, output};

/// A crate, as `cargo metadata` describes it.
#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
    manifest_path: PathBuf,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// Writes both files for a program and a target.
pub(crate) fn write(
    root: &Path,
    target: &str,
    program: &str,
    epoch: i64,
    notices: &Path,
    bill: &Path,
) -> Result<()> {
    let packages = resolved(root, target, program)?;
    fs::write(notices, texts(&packages)?)?;
    let about = bill_of(target, &packages, Timestamp::from_second(epoch)?);
    Ok(fs::write(bill, serde_json::to_string_pretty(&about)? + "\n")?)
}

/// The registry crates that a program is built from for a target, with the features it has when built alone. The lock file also lists
/// crates for other targets and features.
fn resolved(root: &Path, target: &str, program: &str) -> Result<Vec<Package>> {
    let mut tree = cargo(root);
    // Tests, build scripts and macros are not part of any package.
    tree.args(["tree", "--locked", "-p", program, "--target", target, "--edges", "normal,no-proc-macro"]);
    let tree = output(tree.args(["--prefix", "none"]))?;
    let names: BTreeSet<_> = tree.lines().filter_map(|line| line.split_once(" v")).collect();
    let linked: BTreeSet<_> =
        names.iter().map(|(name, rest)| (*name, rest.split(' ').next().unwrap_or(rest))).collect();
    let mut metadata = cargo(root);
    metadata.args(["metadata", "--locked", "--format-version", "1", "--filter-platform", target]);
    let mut packages = serde_json::from_str::<Metadata>(&output(&mut metadata)?)?.packages;
    packages
        .retain(|package| package.source.is_some() && linked.contains(&(&*package.name, &*package.version)));
    packages.sort_by(|one, other| (&one.name, &one.version).cmp(&(&other.name, &other.version)));
    Ok(packages)
}

/// The licences of all crates, then each text once with the crates that have it.
fn texts(packages: &[Package]) -> Result<String> {
    let mut made =
        "Crates that this program is linked from, with their licences; the texts follow.\n\n".to_owned();
    let mut users: Vec<(String, Vec<String>)> = Vec::new();
    for package in packages {
        let name = format!("{} {}", package.name, package.version);
        let source = package.manifest_path.parent().ok_or("a manifest lies in no folder")?;
        let mut files = fs::read_dir(source)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        files.retain(|path| path.is_file() && is_licence(path));
        files.sort();
        for file in &files {
            let text = String::from_utf8_lossy(&fs::read(file)?).replace("\r\n", "\n").trim().to_owned();
            match users.iter_mut().find(|(known, _)| *known == text) {
                Some((_, names)) if names.contains(&name) => {}
                Some((_, names)) => names.push(name.clone()),
                None => users.push((text, vec![name.clone()])),
            }
        }
        let absent = if files.is_empty() { " (its package has no text)" } else { "" };
        made += &format!("{name}: {}{absent}\n", package.license.as_deref().unwrap_or("no licence"));
    }
    for (text, names) in users {
        made += &format!("\n{}\n{}\n\n{text}\n", "=".repeat(78), names.join(", "));
    }
    Ok(made)
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
    ["LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT", "UNLICENSE"]
        .iter()
        .any(|start| name.starts_with(start))
}

fn bill_of(target: &str, packages: &[Package], made: Timestamp) -> Value {
    let about: Vec<Value> =
        packages.iter().enumerate().map(|(number, package)| entry(number, package)).collect();
    let relationships: Vec<Value> = about
        .iter()
        .map(|each| {
            json!({
                "spdxElementId": "SPDXRef-DOCUMENT",
                "relationshipType": "DESCRIBES",
                "relatedSpdxElement": each["SPDXID"],
            })
        })
        .collect();
    // Equal contents have equal names.
    let digest = Sha256::digest(json!([target, about]).to_string());
    json!({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": format!("slipway for {target}"),
        "documentNamespace": format!("urn:sha256:{digest:x}"),
        "creationInfo": { "created": made.to_string(), "creators": ["Tool: slipway-packages"] },
        "packages": about,
        "relationships": relationships,
    })
}

fn entry(number: usize, package: &Package) -> Value {
    let licence = package.license.as_deref().unwrap_or("NOASSERTION");
    // Some crates still write an alternative as a slash or in lower case.
    let licence = licence.replace(" / ", "/").replace('/', " OR ").replace(" or ", " OR ");
    json!({
        "SPDXID": format!("SPDXRef-crate-{number}"),
        "name": package.name,
        "versionInfo": package.version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": false,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": format!("pkg:cargo/{}@{}", package.name, package.version),
        }],
    })
}
