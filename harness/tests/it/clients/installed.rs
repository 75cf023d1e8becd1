//! The command as installed by a reader, from packages of the built program; they are made and installed once per program.
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, iter};

use slipway_test_support::{Tool, node_path};

use crate::clients::tools::{SLIPWAY, installed, succeed};
use crate::packages::{packages, stamp};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Package {
    Archive,
    Npm,
    Wheel,
}

impl Package {
    /// The programs that the installation needs.
    pub(crate) fn tools(self) -> &'static [Tool] {
        match self {
            Self::Archive => &[],
            Self::Npm => &[Tool::Node],
            Self::Wheel => &[Tool::Python, Tool::Venv],
        }
    }

    /// `PATH` with the installed command, and without the folder of the built one.
    pub(crate) fn path(self) -> OsString {
        let path = node_path();
        let built = Path::new(SLIPWAY).parent();
        let others = env::split_paths(&path).filter(|folder| Some(folder.as_path()) != built);
        env::join_paths(iter::once(self.folder()).chain(others)).unwrap()
    }

    /// The folder of the installed command.
    pub(crate) fn folder(self) -> PathBuf {
        let (name, script, inside) = match self {
            Self::Archive => ("archive", "tar --strip-components=1 -xzf \"$0\"/slipway-*.tar.gz", ""),
            Self::Npm => (
                "npm",
                "npm install --offline --no-audit --no-fund \"$0\"/slipway-cli-*.tgz",
                "node_modules/.bin",
            ),
            Self::Wheel => (
                "wheel",
                "python3 -m venv . && bin/pip install --quiet --no-index --disable-pip-version-check \"$0\"/slipway*.whl",
                "bin",
            ),
        };
        let folder = installed(&format!("installed-{name}"), &stamp(), None, |folder| {
            succeed(Command::new("bash").args(["-c", script]).arg(packages()).current_dir(folder));
        });
        let folder = folder.join(inside);
        assert!(folder.join("slipway").is_file(), "{} has no command", folder.display());
        folder
    }
}
