//! The Python wheel of the command.
use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use fs_err as fs;
use memchr::memmem;
use sha2::{Digest as _, Sha256};
use walkdir::WalkDir;

use crate::{Result, Sources, pack};

/// Known only to the release workflow, which writes it into the workspace's manifest.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

pub(crate) fn make(sources: &Sources) -> Result<()> {
    let version = &sources.version;
    let (major, minor) = c_library(&fs::read(&sources.binary)?);
    let tag = sources.system.tag.replace("manylinux-", &format!("manylinux_{major}_{minor}_"));
    let tag = format!("py3-none-{tag}");
    let folder = sources.stage("wheel")?;
    let scripts = folder.join(format!("slipway_cli-{version}.data/scripts"));
    fs::create_dir_all(&scripts)?;
    fs::copy(&sources.binary, scripts.join("slipway"))?;
    let about = format!("slipway_cli-{version}.dist-info");
    let licences = folder.join(&about).join("licenses");
    fs::create_dir_all(&licences)?;
    sources.licences(&licences)?;
    fs::copy(&sources.notices, licences.join("THIRD-PARTY.txt"))?;
    let readme = fs::read_to_string(sources.root.join("harness/README.md"))?;
    fs::write(folder.join(&about).join("METADATA"), metadata(version) + "\n" + &readme)?;
    let wheel = format!("Wheel-Version: 1.0\nGenerator: slipway\nRoot-Is-Purelib: false\nTag: {tag}\n");
    fs::write(folder.join(&about).join("WHEEL"), wheel)?;

    let mut record = String::new();
    for entry in WalkDir::new(&folder).sort_by_file_name() {
        let entry = entry?;
        if entry.file_type().is_file() {
            let content = fs::read(entry.path())?;
            let digest = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&content));
            let name = entry.path().strip_prefix(&folder)?.display();
            writeln!(record, "{name},sha256={digest},{}", content.len())?;
        }
    }
    writeln!(record, "{about}/RECORD,,")?;
    fs::write(folder.join(&about).join("RECORD"), record)?;
    pack::zip(&folder, &sources.out.join(format!("slipway_cli-{version}-{tag}.whl")))
}

/// The newest version of the C library that a program's symbols require.
fn c_library(program: &[u8]) -> (u32, u32) {
    const MARK: &str = "GLIBC_";
    let asked = memmem::find_iter(program, MARK).filter_map(|at| {
        let rest = program[at + MARK.len()..].split(|sign| !sign.is_ascii_digit() && *sign != b'.').next()?;
        let mut numbers = std::str::from_utf8(rest).ok()?.split('.').map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    });
    asked.max().unwrap_or((2, 17))
}

/// The package's entry in the index, without its description.
fn metadata(version: &str) -> String {
    let mut lines = format!(
        "Metadata-Version: 2.4
Name: slipway-cli
Version: {version}
Summary: The command slipway: a token-launch platform on one machine, and the harness that checks any such platform.
Keywords: blockchain,conformance,ethereum,mcp,testing
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-MIT
License-File: LICENSE-APACHE
License-File: THIRD-PARTY.txt
Classifier: Environment :: Console
Classifier: Intended Audience :: Developers
Classifier: Topic :: Software Development :: Testing
Requires-Python: >=3.8
Description-Content-Type: text/markdown
"
    );
    if !REPOSITORY.is_empty() {
        lines += &format!("Project-URL: Repository, {REPOSITORY}\n");
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_version_asked_for_is_the_wheels() {
        assert_eq!(c_library(b"\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_PRIVATE\0GLIBC_2.3.4"), (2, 34));
        assert_eq!(c_library(b"nothing"), (2, 17));
    }
}
