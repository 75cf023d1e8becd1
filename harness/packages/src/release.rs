//! What a release needs besides its packages: checksums, its changes, and the address of the repository in every manifest.
use std::path::Path;

use fs_err as fs;

use crate::{Result, sha256};

const SUMS: &str = "SHA256SUMS";

/// Writes the SHA-256 of every file of a folder into its `SHA256SUMS`, and returns that text.
///
/// # Errors
/// Which file cannot be read or written.
pub fn checksums(folder: &Path) -> Result<String> {
    let mut lines = Vec::new();
    for file in fs::read_dir(folder)? {
        let file = file?;
        let name = file.file_name();
        if file.file_type()?.is_file() && name != SUMS {
            lines.push((name.clone(), format!("{}  {}\n", sha256(&file.path())?, name.display())));
        }
    }
    lines.sort();
    let text: String = lines.into_iter().map(|(_, line)| line).collect();
    fs::write(folder.join(SUMS), &text)?;
    Ok(text)
}

/// The changes of one release in a changelog.
///
/// # Errors
/// The release has no section, or several.
pub fn changes(version: &str, changelog: &str) -> Result<String> {
    let sections = changelog.split("\n## ").skip(1).filter_map(|section| section.split_once('\n'));
    let is_of_release = |title: &str| title.split([',', ' ']).next() == Some(version);
    let found: Vec<&str> = sections.filter(|(title, _)| is_of_release(title)).map(|(_, text)| text).collect();
    let [section] = found[..] else {
        return Err(format!("the changelog has {} sections {version}", found.len()).into());
    };
    Ok(format!("{}\n", section.trim()))
}

/// Writes the address of the repository, which only the forge of a release knows, into every manifest that is published.
///
/// # Errors
/// The text is not an address, or a manifest has no place for it.
pub fn address(address: &str, root: &Path) -> Result<()> {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "_./:-".contains(sign);
    let Some(place) = address.strip_prefix("https://").filter(|place| place.chars().all(is_sign)) else {
        return Err(format!("not the address of a repository: {address}").into());
    };
    // Registries of tool servers identify a server by its owner's domain, reversed.
    let mut parts = place.split('/');
    let host = parts.next().and_then(|host| host.split(':').next()).unwrap_or_default();
    let domain = match (host, parts.next()) {
        ("github.com", Some(owner)) => format!("io.github.{owner}"),
        _ => host.rsplit('.').collect::<Vec<_>>().join("."),
    };
    let npm =
        ("\"repository\": ", format!(r#""repository": {{ "type": "git", "url": "git+{address}.git" }},"#));
    let server = ("\"mcpName\": ", format!(r#""mcpName": "{domain}/slipway","#));
    let cargo = ("repository = \"", format!("repository = \"{address}\""));
    // The index rejects an empty address, so the table is a comment until then.
    let python = ("# [project.urls]", format!("[project.urls]\nRepository = \"{address}\""));
    for (name, (start, line)) in [
        ("Cargo.toml", &cargo),
        ("harness/launchers/npm/package.json", &npm),
        ("harness/launchers/python/pyproject.toml", &python),
        ("harness/packages/npm/package.json", &npm),
        ("harness/packages/npm/package.json", &server),
        ("harness/packages/npm/platform.json", &npm),
        ("sim/quotes/npm/package.json", &npm),
    ] {
        let text = fs::read_to_string(root.join(name))?;
        let (before, rest) =
            text.split_once(start).ok_or_else(|| format!("{name} has no place for the address"))?;
        let after = rest.find('\n').map_or("", |end| &rest[end..]);
        fs::write(root.join(name), format!("{before}{line}{after}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn address_of_the_repository_reaches_every_manifest() {
        const ADDRESS: &str = "https://forge.example/someone/slipway";
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = tempfile::tempdir().unwrap();
        let manifests = [
            "Cargo.toml",
            "harness/launchers/npm/package.json",
            "harness/launchers/python/pyproject.toml",
            "harness/packages/npm/package.json",
            "harness/packages/npm/platform.json",
            "sim/quotes/npm/package.json",
        ];
        for manifest in manifests {
            let copy = folder.path().join(manifest);
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            fs::copy(root.join(manifest), copy).unwrap();
        }
        address(ADDRESS, folder.path()).unwrap();
        for manifest in manifests {
            let text = fs::read_to_string(folder.path().join(manifest)).unwrap();
            assert_eq!(text.matches(ADDRESS).count(), 1, "{manifest}");
            if manifest.ends_with("json") {
                serde_json::from_str::<Value>(&text).unwrap();
            }
        }
        let main = fs::read_to_string(folder.path().join("harness/packages/npm/package.json")).unwrap();
        assert!(main.contains(r#""mcpName": "example.forge/slipway","#), "{main}");
        assert!(address("https://forge.example/$(touch made)", folder.path()).is_err());
    }

    #[test]
    fn changes_of_a_release_are_its_section() {
        let log =
            "# C\n\n## Unreleased\n\n- x\n\n## 0.2.0, 2027-01-01\n\n### Added\n\n- y\n\n## 0.1.0\n\n- z\n";
        assert_eq!(changes("0.2.0", log).unwrap(), "### Added\n\n- y\n");
        assert!(changes("0.3.0", log).is_err(), "there is no such section");
    }
}
