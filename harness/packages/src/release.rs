//! The parts of a release besides its packages: checksums, its changes, and a tree with the repository's address and with licences.
use std::path::{Path, PathBuf};

use fs_err as fs;
use serde_json::{Value, json};

use crate::{Result, cargo, output, sha256};

const SUMS: &str = "SHA256SUMS";

/// Writes the SHA-256 of every file in a folder to its `SHA256SUMS`, and returns that text.
///
/// # Errors
/// If a file cannot be read or written.
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
/// If the release has no section or several.
pub fn changes(version: &str, changelog: &str) -> Result<String> {
    let sections = changelog.split("\n## ").skip(1).filter_map(|section| section.split_once('\n'));
    let is_of_release = |title: &str| title.split([',', ' ']).next() == Some(version);
    let found: Vec<&str> = sections.filter(|(title, _)| is_of_release(title)).map(|(_, text)| text).collect();
    let [section] = found[..] else {
        return Err(format!("the changelog has {} sections {version}", found.len()).into());
    };
    Ok(format!("{}\n", section.trim()))
}

/// Completes a checkout for a release: writes the repository's address, known only to the release workflow, into manifests and documents,
/// and the licences into every published folder.
///
/// # Errors
/// If the text is not an address, a manifest has no place for it, or a file cannot be read or written.
pub fn prepare(address: &str, root: &Path) -> Result<()> {
    manifests(address, root)?;
    documents(&format!("{address}/blob/v{}", env!("CARGO_PKG_VERSION")), &root.join("docs"))?;
    licences(root, &published(root)?)
}

/// The folders that registries get as they are: crates and launchers.
fn published(root: &Path) -> Result<Vec<PathBuf>> {
    let described = output(cargo(root).args(["metadata", "--no-deps", "--format-version", "1", "--locked"]))?;
    let described: Value = serde_json::from_str(&described)?;
    let packages = described["packages"].as_array().ok_or("cargo names no packages")?.iter();
    let crates = packages
        .filter(|package| package["publish"] != json!([]))
        .filter_map(|package| Some(Path::new(package["manifest_path"].as_str()?).parent()?.to_owned()));
    let launchers = ["npm", "python"].map(|launcher| root.join("harness/launchers").join(launcher));
    Ok(crates.chain(launchers).collect())
}

/// Copies the pair of licences of the root into these folders.
fn licences(root: &Path, folders: &[PathBuf]) -> Result<()> {
    for folder in folders {
        for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
            fs::copy(root.join(name), folder.join(name))?;
        }
    }
    Ok(())
}

/// Redirects links that lead out of the documents' folder to the repository: the book contains only that folder.
fn documents(repository: &str, docs: &Path) -> Result<()> {
    for (folder, out) in
        folders(docs)?.into_iter().map(|folder| (folder, "](../../")).chain([(docs.to_owned(), "](../")])
    {
        for page in fs::read_dir(folder)? {
            let page = page?.path();
            if page.extension().is_some_and(|end| end == "md") {
                let text = fs::read_to_string(&page)?;
                fs::write(&page, text.replace(out, &format!("]({repository}/")))?;
            }
        }
    }
    Ok(())
}

fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    let inside = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    Ok(inside.into_iter().filter(|path| path.is_dir()).collect())
}

/// Writes the repository's address into every published manifest.
fn manifests(address: &str, root: &Path) -> Result<()> {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "_./:-".contains(sign);
    let Some(place) = address.strip_prefix("https://").filter(|place| place.chars().all(is_sign)) else {
        return Err(format!("not the address of a repository: {address}").into());
    };
    // Registries of tool servers identify a server by its owner's domain in reverse order.
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
        super::manifests(ADDRESS, folder.path()).unwrap();
        for manifest in manifests {
            let text = fs::read_to_string(folder.path().join(manifest)).unwrap();
            assert_eq!(text.matches(ADDRESS).count(), 1, "{manifest}");
            if manifest.ends_with("json") {
                serde_json::from_str::<Value>(&text).unwrap();
            }
        }
        let main = fs::read_to_string(folder.path().join("harness/packages/npm/package.json")).unwrap();
        assert!(main.contains(r#""mcpName": "example.forge/slipway","#), "{main}");
        assert!(super::manifests("https://forge.example/$(touch made)", folder.path()).is_err());
    }

    #[test]
    fn what_registries_get_has_the_licences() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let published = published(&root).unwrap();
        let ends = |end: &str| published.iter().any(|folder| folder.ends_with(end));
        assert!(ends("sim") && ends("harness/launchers/npm") && !ends("harness/packages"), "{published:?}");
        let folder = tempfile::tempdir().unwrap();
        licences(&root, &[folder.path().to_owned()]).unwrap();
        for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert_eq!(fs::read(folder.path().join(name)).unwrap(), fs::read(root.join(name)).unwrap());
        }
    }

    #[test]
    fn links_that_leave_the_documents_lead_to_the_repository() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("how-to")).unwrap();
        let pages = [
            ("index.md", "[a](../A.md#b) [c](how-to/c.md)"),
            ("how-to/c.md", "[a](../../A.md) [i](../index.md)"),
        ];
        for (page, text) in pages {
            fs::write(folder.path().join(page), text).unwrap();
        }
        documents("https://r/blob/v1", folder.path()).unwrap();
        let read = |page: &str| fs::read_to_string(folder.path().join(page)).unwrap();
        assert_eq!(read("index.md"), "[a](https://r/blob/v1/A.md#b) [c](how-to/c.md)");
        assert_eq!(read("how-to/c.md"), "[a](https://r/blob/v1/A.md) [i](../index.md)");
    }

    #[test]
    fn changes_of_a_release_are_its_section() {
        let log =
            "# C\n\n## Unreleased\n\n- x\n\n## 0.2.0, 2027-01-01\n\n### Added\n\n- y\n\n## 0.1.0\n\n- z\n";
        assert_eq!(changes("0.2.0", log).unwrap(), "### Added\n\n- y\n");
        assert!(changes("0.3.0", log).is_err(), "there is no such section");
    }
}
