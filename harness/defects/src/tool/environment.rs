//! The environment in which the server starts, under the server's names for its variables, and the secrets in it.
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use url::Url;

pub(super) const RPC_URL: &str = "SERVICE_MCP_RPC_URL";
pub(super) const BASE_URL: &str = "SERVICE_BASE_URL";
/// The name server used in place of the system's.
pub(super) const NAME_SERVER: &str = "SLIPWAY_DNS_SERVER";
pub(super) const WRITES: &str = "SERVICE_MCP_ENABLE_WRITES";
pub(super) const KEY: &str = "SERVICE_MCP_PRIVATE_KEY";
pub(super) const KEY_FILE: &str = "SERVICE_MCP_PRIVATE_KEY_FILE";
/// Values that permit launches.
const PERMITTED: [&str; 3] = ["true", "1", "yes"];

/// Variables, accessed by the names of the interface.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    /// Every variable, under the server's names.
    pub(super) values: BTreeMap<OsString, OsString>,
    names: BTreeMap<String, String>,
}

/// Values that must not be shown; some defects show them.
#[derive(Clone, Debug, Default)]
pub(super) struct Secrets {
    /// The private key as given.
    pub(super) key: Option<String>,
    rpc_url: Option<String>,
}

impl Environment {
    /// The environment of this process, with the server's own names of these variables.
    pub(super) fn of_process(names: &BTreeMap<String, String>) -> Self {
        Self { values: std::env::vars_os().collect(), names: names.clone() }
    }

    fn own_name(&self, name: &str) -> OsString {
        self.names.get(name).map_or(name, String::as_str).into()
    }

    /// The value of a variable; an empty one counts as absent.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(&self.own_name(name))?.to_str().filter(|value| !value.is_empty())
    }

    /// Sets a variable.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.values.insert(self.own_name(name), value.into());
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.values.remove(&self.own_name(name));
    }

    pub(super) fn permits_writes(&self) -> bool {
        self.get(WRITES).is_some_and(|value| PERMITTED.contains(&value))
    }

    /// The value of a variable if it is an address.
    pub(super) fn url(&self, name: &str) -> Option<Url> {
        Url::parse(self.get(name)?)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
    }

    pub(super) fn change_url(&mut self, name: &str, change: impl FnOnce(&mut Url)) {
        if let Some(mut url) = self.url(name) {
            change(&mut url);
            self.set(name, url.as_str());
        }
    }

    pub(super) fn secrets(&self) -> Secrets {
        let filed = || std::fs::read_to_string(self.get(KEY_FILE)?).ok();
        let key = self.get(KEY).map(str::to_owned).or_else(filed).map(|key| key.trim().to_owned());
        Secrets { key, rpc_url: self.get(RPC_URL).map(str::to_owned) }
    }

    /// The settings of the interface, one per line.
    pub(super) fn settings(&self) -> String {
        let shown = |name: &str| self.get(name).map(|value| format!("{name}={value}\n"));
        [BASE_URL, RPC_URL, WRITES, KEY, KEY_FILE].into_iter().filter_map(shown).collect()
    }
}

impl Secrets {
    pub(super) fn shown(&self) -> String {
        [&self.key, &self.rpc_url].into_iter().flatten().map(|secret| format!(" {secret}")).collect()
    }

    /// The key with every byte percent-encoded.
    pub(super) fn escaped(&self) -> String {
        self.key.iter().flat_map(|key| key.bytes()).map(|byte| format!("%{byte:02x}")).collect()
    }

    /// The path segments of the RPC's address that are short, yet long enough to be a key.
    pub(super) fn short_pieces(&self) -> String {
        let path = self.rpc_url.iter().flat_map(|url| url.split('/').skip(3));
        path.filter(|piece| (8..20).contains(&piece.len())).collect::<Vec<_>>().join(" ")
    }

    /// Whether a text contains the key, or a piece of the RPC's address that can be a key.
    pub(super) fn held_by(&self, text: &str) -> bool {
        const SHORTEST: usize = 12;
        let pieces = self.rpc_url.iter().flat_map(|url| url.split(['/', ':', '@', '?', '=', '&']));
        let key = self.key.iter().map(|key| key.trim_start_matches("0x"));
        key.chain(pieces).any(|piece| piece.len() >= SHORTEST && text.contains(piece))
    }
}

/// Moves a service whose address has a path to an address that does not answer.
pub(super) fn base_elsewhere(environment: &mut Environment) {
    /// The discard port (RFC 863).
    const DISCARD: u16 = 9;
    if environment.url(BASE_URL).is_some_and(|url| url.path() != "/") {
        environment.change_url(BASE_URL, |url| {
            url.set_path("/");
            // An address with a host can always have a port.
            let _ = url.set_port(Some(DISCARD));
        });
    }
}

/// Invalidates a key without the `0x` prefix, in a variable and in a file.
pub(super) fn keys_with_prefix(environment: &mut Environment) {
    let bare = |text: &str| !text.trim().starts_with("0x");
    if environment.get(KEY).is_some_and(bare) {
        environment.set(KEY, "a key without a prefix");
    }
    let file = environment.get(KEY_FILE).and_then(|path| std::fs::read_to_string(path).ok());
    if file.is_some_and(|text| bare(&text)) {
        environment.set(KEY_FILE, "/dev/null");
    }
}

/// Passes the key of a file that others can read as a raw key, so that the file itself is not checked.
pub(super) fn accept_readable(environment: &mut Environment, linked: bool) {
    let Some(path) = environment.get(KEY_FILE).map(Path::new) else {
        return;
    };
    let accepted = path.is_symlink() == linked && path.is_file() && is_open_to_others(path);
    if accepted && let Ok(key) = std::fs::read_to_string(path) {
        environment.remove(KEY_FILE);
        environment.set(KEY, key.trim());
    }
}

fn is_open_to_others(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

pub(super) fn fall_back_to_raw(environment: &mut Environment) {
    let usable = |path: &str| std::fs::read_to_string(path).is_ok_and(|text| is_key(text.trim()));
    if environment.get(KEY).is_some() && environment.get(KEY_FILE).is_some_and(|path| !usable(path)) {
        environment.remove(KEY_FILE);
    }
}

fn is_key(text: &str) -> bool {
    let digits = text.trim_start_matches("0x");
    digits.len() == 64
        && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        && digits.bytes().any(|digit| digit != b'0')
}

pub(super) fn rpc_without_userinfo(environment: &mut Environment) {
    environment.change_url(RPC_URL, |url| {
        // An address with a host can always lack both.
        let _ = url.set_username("").and_then(|()| url.set_password(None));
    });
}
