//! `slipway.toml`: one file that describes a target. Options on the command line override it.
mod conventions;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use conventions::{ConventionError, TargetTable};
use schemars::{JsonSchema, schema_for};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use slipway_contracts::ChainId;

use crate::arguments::{LaneArgument, TargetArguments};
use crate::error::Fatal;
use crate::exit::Exit;
use crate::files::form::{FileError, Form};
use crate::target::address::address;
use crate::terminal::secrets;

/// Name of the file, looked for in the current folder and in those above it.
pub(crate) const NAME: &str = "slipway.toml";
/// The value that disables the search for a file.
const NONE: &str = "none";

pub(crate) const FORM: Form = Form {
    name: "target file",
    described: "`slipway show schema target` prints its form",
    longest: slipway_contracts::WRITTEN,
    schema,
};

/// Why a target file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TargetFileError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{}: {source}; `slipway show schema target` prints its form", path.display())]
    Convention { path: PathBuf, source: ConventionError },
    #[error("{}: image and {field} exclude each other: a platform is started from an image or is at an address", path.display())]
    ImageAndAddress { path: PathBuf, field: &'static str },
    #[error("{}: {field} takes {wanted}, not {value:?}", path.display())]
    Value { path: PathBuf, field: String, wanted: &'static str, value: String },
    #[error("{}: {field} names the variable {variable}, which is not set", path.display())]
    VariableUnset { path: PathBuf, field: &'static str, variable: String },
    #[error("{}: {field} names the file {}, which cannot be read: {source}", path.display(), file.display())]
    SecretUnreadable { path: PathBuf, field: &'static str, file: PathBuf, source: std::io::Error },
}

impl Fatal for TargetFileError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }
}

/// Where a secret is: never in the file itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Secret {
    /// In this file, from the folder of the target file.
    File(PathBuf),
    /// In this environment variable.
    Variable(String),
}

/// Reads a member whose value no error repeats, as those of the parser do: it may be a secret in the wrong place.
fn unshown<'de, T: DeserializeOwned, D: Deserializer<'de>>(member: D, wanted: &str) -> Result<T, D::Error> {
    toml::Value::deserialize(member)?.try_into().map_err(|_| D::Error::custom(wanted))
}

fn place<'de, D: Deserializer<'de>>(member: D) -> Result<Option<Secret>, D::Error> {
    unshown(
        member,
        "it takes { file = \"…\" } or { variable = \"…\" }, where the secret is; it never stands here",
    )
    .map(Some)
}

fn environment<'de, D: Deserializer<'de>>(member: D) -> Result<BTreeMap<String, String>, D::Error> {
    unshown(member, "it takes texts by the names of variables")
}

/// How a platform is started from an image and reached in its container: table `[container]`, which overrides the labels of the
/// image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct ContainerTable {
    /// Ports inside the container, by part: `rest`, `swap`, `control`, `57073`, `4663`.
    pub(crate) ports: BTreeMap<String, u16>,
    /// Variables of the container.
    #[serde(deserialize_with = "environment")]
    pub(crate) environment: BTreeMap<String, String>,
    /// Command that starts the tool server in the container, shell-quoted.
    pub(crate) tool_server: Option<String>,
    /// Variable that the platform reads its operator key from.
    pub(crate) operator_key_variable: Option<String>,
    /// Variable that the platform reads the token of its control plane from.
    pub(crate) control_token_variable: Option<String>,
    /// Variable that the platform reads the address of its REST service as callers know it from.
    pub(crate) public_url_variable: Option<String>,
}

/// A target of `slipway check` and `drill`, and the platform of `slipway up`. Options on the command line override the file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[schemars(title = "slipway.toml")]
pub(crate) struct Described {
    /// Container image of a platform, in place of `base-url`, `swap-url`, `control-url` and `rpc-urls`.
    image: Option<String>,
    /// How a platform is started from the image and reached in its container.
    container: ContainerTable,
    /// Conventions of the platform.
    target: TargetTable,
    /// Address of the REST service.
    base_url: Option<String>,
    /// Address of the swap service.
    swap_url: Option<String>,
    /// Address of the control plane.
    control_url: Option<String>,
    /// RPC address of each chain, by its id, such as `57073`.
    rpc_urls: BTreeMap<String, String>,
    /// Command that starts the tool server on stdio, shell-quoted.
    mcp: Option<String>,
    /// Names that the tool server reads its variables from, by the name that the interface gives each.
    mcp_variables: BTreeMap<String, String>,
    /// Operator key: the credential that chat messages require.
    #[serde(deserialize_with = "place")]
    operator_key: Option<Secret>,
    /// Token of the control plane.
    #[serde(deserialize_with = "place")]
    control_token: Option<Secret>,
    /// Private keys of funded accounts, one hexadecimal key a line.
    #[serde(deserialize_with = "place")]
    private_keys: Option<Secret>,
    /// What the checks may do to the target (default: `"read"`, and `"write"` for a container of this run).
    lane: Option<LaneArgument>,
    /// Hold the target to the choices of this project too (default: `false`).
    strict: Option<bool>,
    /// File of known failures, which do not fail the run: a baseline or an earlier JSON report. Its path is relative to this file.
    baseline: Option<PathBuf>,
    /// Seconds to wait until every part of the target answers (default: 60 for an image, else not at all).
    wait: Option<u64>,
    /// Options of `slipway up` by their names; `exec` and `env` read those that they have too.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    platform: toml::Table,
}

/// The platform table of a file.
#[derive(Debug)]
pub(crate) struct PlatformTable {
    pub(crate) path: PathBuf,
    /// The whole file.
    pub(crate) text: String,
    pub(crate) table: toml::Table,
}

/// JSON Schema of the file.
pub(crate) fn schema() -> serde_json::Value {
    schema_for!(Described).to_value()
}

impl Described {
    /// The first field that names an address.
    fn address(&self) -> Option<&'static str> {
        let fields = [
            ("base-url", self.base_url.is_some()),
            ("swap-url", self.swap_url.is_some()),
            ("control-url", self.control_url.is_some()),
            ("rpc-urls", !self.rpc_urls.is_empty()),
        ];
        fields.into_iter().find_map(|(field, given)| given.then_some(field))
    }
}

/// The settings in the file besides addresses and credentials.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) lane: Option<LaneArgument>,
    pub(crate) strict: bool,
    pub(crate) baseline: Option<PathBuf>,
}

/// The platform table of the file found from the current folder.
pub(crate) fn platform() -> Result<Option<PlatformTable>, TargetFileError> {
    let found = std::env::current_dir().ok().and_then(|folder| found_from(&folder));
    let Some(path) = found else { return Ok(None) };
    let (text, described) = FORM.read::<Described>(&path)?;
    Ok(Some(PlatformTable { path, text, table: described.platform }))
}

/// Fills in what the command line leaves open from the target file: the given one, or the one found from the current folder.
pub(crate) fn apply(arguments: &mut TargetArguments) -> Result<Settings, TargetFileError> {
    let Some(path) = path(arguments) else { return Ok(Settings::default()) };
    let (_, described) = FORM.read(&path)?;
    tracing::info!(path = %path.display(), "target file");
    let settings = fill(arguments, described, &path)?;
    for address in [&arguments.base_url, &arguments.swap_url, &arguments.control_url, &arguments.mcp] {
        address.iter().for_each(|address| secrets::learn(address, false));
    }
    arguments.rpc_urls.iter().for_each(|address| secrets::learn(address, true));
    Ok(settings)
}

/// The target file: the given one, or the one found from the current folder.
pub(crate) fn path(arguments: &TargetArguments) -> Option<PathBuf> {
    match &arguments.target_file {
        Some(path) if path.as_os_str() == NONE => None,
        Some(path) => Some(path.clone()),
        None => std::env::current_dir().ok().and_then(|folder| found_from(&folder)),
    }
}

/// The file in a folder or in the nearest one above it.
fn found_from(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(NAME)).find(|path| path.is_file())
}

fn fill(
    arguments: &mut TargetArguments,
    described: Described,
    path: &Path,
) -> Result<Settings, TargetFileError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let secret = |field, secret: Option<Secret>| -> Result<Option<String>, TargetFileError> {
        match secret {
            None => Ok(None),
            Some(Secret::Variable(variable)) => std::env::var(&variable)
                .map(Some)
                .map_err(|_| TargetFileError::VariableUnset { path: path.to_owned(), field, variable }),
            Some(Secret::File(file)) => {
                slipway_contracts::read_text(&folder.join(&file), slipway_contracts::WRITTEN)
                    .map(Some)
                    .map_err(|source| TargetFileError::SecretUnreadable {
                        path: path.to_owned(),
                        field,
                        file,
                        source,
                    })
            }
        }
    };
    if let (Some(_), Some(field)) = (&described.image, described.address()) {
        return Err(TargetFileError::ImageAndAddress { path: path.to_owned(), field });
    }
    arguments.container = described.container;
    arguments.conventions = described
        .target
        .conventions
        .read()
        .map_err(|source| TargetFileError::Convention { path: path.to_owned(), source })?;
    if arguments.image.is_none() {
        if !arguments.has_address() {
            arguments.image = described.image;
        }
        let wrong =
            |(field, wanted, value)| TargetFileError::Value { path: path.to_owned(), field, wanted, value };
        for (field, given, described) in [
            ("base-url", &mut arguments.base_url, described.base_url),
            ("swap-url", &mut arguments.swap_url, described.swap_url),
            ("control-url", &mut arguments.control_url, described.control_url),
        ] {
            fill_one(given, described, |text| is_address(field, text)).map_err(wrong)?;
        }
        fill_one(&mut arguments.mcp, described.mcp, is_command).map_err(wrong)?;
        for (chain, url) in described.rpc_urls {
            if !arguments.rpc_urls.iter().any(|given| given.starts_with(&format!("{chain}="))) {
                if ChainId::named(&chain).is_none() {
                    return Err(wrong(("rpc-urls".to_owned(), "chains 57073 and 4663", chain)));
                }
                is_address(&format!("rpc-urls.{chain}"), &url).map_err(wrong)?;
                arguments.rpc_urls.push(format!("{chain}={url}"));
            }
        }
    }
    // Names on the command line come last and override.
    let named = described.mcp_variables.iter().map(|(ours, theirs)| format!("{ours}={theirs}"));
    arguments.mcp_variables = named.chain(std::mem::take(&mut arguments.mcp_variables)).collect();
    if arguments.operator_key.is_none() {
        arguments.operator_key =
            secret("operator-key", described.operator_key)?.map(|key| key.trim().to_owned());
    }
    if arguments.control_token.is_none() {
        arguments.control_token =
            secret("control-token", described.control_token)?.map(|token| token.trim().to_owned());
    }
    if arguments.private_keys.is_none() {
        arguments.private_keys_text = secret("private-keys", described.private_keys)?;
    }
    if arguments.wait.is_none() {
        arguments.wait = described.wait;
    }
    Ok(Settings {
        lane: described.lane,
        strict: described.strict.unwrap_or_default(),
        baseline: described.baseline.map(|baseline| folder.join(baseline)),
    })
}

/// A value that does not fit: its field, what fits, and the value.
type Wrong = (String, &'static str, String);

fn fill_one(
    given: &mut Option<String>,
    described: Option<String>,
    fits: impl FnOnce(&str) -> Result<(), Wrong>,
) -> Result<(), Wrong> {
    if given.is_none() {
        described.as_deref().map_or(Ok(()), fits)?;
        *given = described;
    }
    Ok(())
}

fn is_address(field: &str, text: &str) -> Result<(), Wrong> {
    const WANTED: &str = "an absolute http or https address such as http://127.0.0.1:4700";
    address(text).map(drop).ok_or_else(|| (field.to_owned(), WANTED, text.to_owned()))
}

fn is_command(text: &str) -> Result<(), Wrong> {
    let words = shlex::split(text).filter(|words| !words.is_empty());
    words.map(drop).ok_or_else(|| ("mcp".to_owned(), "a shell-quoted command", text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"
base-url = "http://127.0.0.1:1"
swap-url = "http://127.0.0.1:2"
control-url = "http://127.0.0.1:3"
mcp = "node server.js"
private-keys = { file = "keys" }
lane = "write"
strict = true
baseline = "old.json"
wait = 30

[rpc-urls]
57073 = "http://127.0.0.1:4"
4663 = "http://127.0.0.1:5"

[mcp-variables]
SERVICE_BASE_URL = "A"
"#;

    fn applied(
        text: &str,
        arguments: TargetArguments,
    ) -> Result<(TargetArguments, Settings), TargetFileError> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("keys"), "0x1\n").unwrap();
        let path = folder.path().join(NAME);
        std::fs::write(&path, text).unwrap();
        let mut arguments = TargetArguments { target_file: Some(path), ..arguments };
        let settings = apply(&mut arguments)?;
        Ok((arguments, settings))
    }

    #[test]
    fn target_file_fills_what_options_leave_open() {
        let options = TargetArguments {
            base_url: Some("http://127.0.0.1:9".into()),
            rpc_urls: vec!["4663=http://127.0.0.1:8".into()],
            mcp_variables: vec!["SERVICE_BASE_URL=B".into()],
            ..TargetArguments::default()
        };
        let (arguments, settings) = applied(WHOLE, options).unwrap();
        assert_eq!(arguments.base_url.as_deref(), Some("http://127.0.0.1:9"));
        assert_eq!(arguments.swap_url.as_deref(), Some("http://127.0.0.1:2"));
        assert_eq!(arguments.rpc_urls, ["4663=http://127.0.0.1:8", "57073=http://127.0.0.1:4"]);
        assert_eq!(arguments.mcp_variables, ["SERVICE_BASE_URL=A", "SERVICE_BASE_URL=B"]);
        assert_eq!(arguments.private_keys_text.as_deref(), Some("0x1\n"));
        assert_eq!(arguments.wait, Some(30));
        assert_eq!(settings.lane, Some(LaneArgument::Write));
        assert!(settings.strict && settings.baseline.unwrap().ends_with("old.json"));
    }

    #[test]
    fn target_file_names_an_image_unless_options_name_a_target() {
        let text = "image = \"some/image:1\"\n[container]\nports = { rest = 80 }\n[container.environment]\nA = \"b\"\n";
        let (arguments, _) = applied(text, TargetArguments::default()).unwrap();
        assert_eq!(arguments.image.as_deref(), Some("some/image:1"));
        assert_eq!(
            (arguments.container.ports["rest"], arguments.container.environment["A"].as_str()),
            (80, "b")
        );
        let options =
            TargetArguments { base_url: Some("http://127.0.0.1:9".into()), ..TargetArguments::default() };
        assert_eq!(applied(text, options).unwrap().0.image, None);
        let options = TargetArguments { image: Some("other".into()), ..TargetArguments::default() };
        let (arguments, _) = applied(WHOLE, options).unwrap();
        assert_eq!((arguments.image.as_deref(), arguments.base_url), (Some("other"), None));
        assert!(arguments.rpc_urls.is_empty() && arguments.mcp.is_none());
    }

    #[test]
    fn no_error_repeats_a_secret() {
        for member in ["operator-key", "control-token", "private-keys"] {
            for value in [
                "\"SECRETPW\"",
                "[\"SECRETPW\"]",
                "{ SECRETPW = 1 }",
                "{ value = \"SECRETPW\" }",
                "{ file = [\"SECRETPW\"] }",
                "{ variable = \"A\", file = \"SECRETPW\" }",
                "SECRETPW",
                "\"SECRETPW",
            ] {
                let text = format!("lane = \"read\"\n{member} = {value}\n");
                let error = applied(&text, TargetArguments::default()).unwrap_err().to_string();
                assert!(error.contains(":2: ") && !error.contains("SECRETPW"), "{error}");
            }
        }
        for value in ["\"SECRETPW\"", "[\"SECRETPW\"]", "{ A = [\"SECRETPW\"] }"] {
            let text = format!("image = \"a\"\n[container]\nenvironment = {value}\n");
            let error = applied(&text, TargetArguments::default()).unwrap_err().to_string();
            assert!(error.contains("container.environment") && !error.contains("SECRETPW"), "{error}");
        }
    }

    #[test]
    fn target_file_errors_name_line_and_field() {
        for (text, parts) in [
            ("lane = \"read\"\nbase-uri = \"x\"", &[":2:", "base-uri"][..]),
            ("lane = \"sideways\"", &[":1:", "sideways"]),
            ("wait = \"long\"", &[":1:", "string"]),
            ("private-keys = \"0x1\"", &[":1:"]),
            (
                "base-url = \"localhost:4700\"",
                &["slipway.toml: base-url", "http://127.0.0.1:4700", "localhost"],
            ),
            ("[rpc-urls]\n57073 = \"nowhere\"", &["rpc-urls.57073", "nowhere"]),
            ("[rpc-urls]\n1 = \"http://127.0.0.1:1\"", &["rpc-urls takes", "not \"1\""]),
            ("mcp = \"'\"", &["mcp takes", "command"]),
            (
                "operator-key = { variable = \"SLIPWAY_NO_SUCH_VARIABLE\" }",
                &["operator-key", "SLIPWAY_NO_SUCH_VARIABLE"],
            ),
            ("private-keys = { file = \"absent\" }", &["private-keys", "absent"]),
            ("image = \"a\"\nswap-url = \"http://127.0.0.1:1\"", &["image", "swap-url"]),
            (
                "image = \"a\"\n[container]\nport = 80",
                &[":3:", "container has no field `port`", "did you mean `ports`?"],
            ),
            ("[container]\nports = 80", &[":2:", "container.ports: ", "integer"]),
            ("[target]\nconvention = {}", &[":2:", "did you mean `conventions`?"]),
            ("[target.conventions]\nchat_message = \"\"", &[":2:", "did you mean `chat-message`?"]),
            (
                "[target.conventions]\nzzz = \"\"",
                &[":2:", "target.conventions has no field `zzz`; there are chat-message, "],
            ),
            (
                "[target.conventions]\nchat-message = 5",
                &[":2:", "target.conventions.chat-message: ", "integer"],
            ),
            ("[target.conventions]\ntokens = [\"0x1\"]", &[":2:", "target.conventions.tokens: "]),
            (
                "[target.conventions]\nchat-message = \"{text}\"",
                &["target.conventions.chat-message", "{text}", "{message}"],
            ),
            ("[target.conventions]\nwallet-message = \"\"", &["wallet-message", "wallet-authorization"]),
            ("[target.conventions]\noperator-header = \"a b\"", &["operator-header", "a b"]),
            ("[target.conventions]\ncaptcha-command = \"'\"", &["captcha-command"]),
            ("[target.conventions]\nbearer-command = \"mint\"", &["bearer-command", "{address}"]),
            ("[target.conventions]\nauction = \"0x12\"", &["target.conventions.auction", "0x12"]),
            (
                "[target.conventions]\ntool-server-start = 0",
                &[":2:", "target.conventions.tool-server-start: "],
            ),
        ] {
            let error = applied(text, TargetArguments::default()).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
            for part in parts {
                assert!(error.contains(part), "{part} is missing in {error}");
            }
        }
    }
}
