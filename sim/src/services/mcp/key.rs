//! The private key: found in the environment, kept in memory that is wiped, shown to nobody.
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::Path;
use std::sync::OnceLock;

use alloy::primitives::{Address, B256, Signature};
use alloy::signers::SignerSync as _;
use alloy::signers::k256::{SecretKey, ecdsa};
use alloy::signers::local::PrivateKeySigner;
use zeroize::Zeroizing;

use super::config::{ConfigError, Variables};
use super::faults::Faults;
use super::guards::Guards;
use super::redact::Redactor;

const FILE_VARIABLE: &str = "SERVICE_MCP_PRIVATE_KEY_FILE";
const RAW_VARIABLE: &str = "SERVICE_MCP_PRIVATE_KEY";
/// More than a key with its newline can need.
const LONGEST_KEY_FILE: usize = 1024;

/// Signs for one account. Its address costs a fifth of a start, so it is found when it is first needed.
pub(crate) struct SigningKey {
    secret: SecretKey,
    signer: OnceLock<PrivateKeySigner>,
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("SigningKey([redacted])")
    }
}

impl SigningKey {
    /// The account.
    pub(crate) fn address(&self) -> Address {
        self.signer().address()
    }

    fn signer(&self) -> &PrivateKeySigner {
        self.signer.get_or_init(|| ecdsa::SigningKey::from(&self.secret).into())
    }

    /// Signs a hash.
    pub(crate) fn sign(&self, hash: &B256) -> Signature {
        self.signer().sign_hash_sync(hash).expect("a key in memory signs every hash")
    }

    /// Tells the redactor what must never leave.
    pub(crate) fn teach(&self, redactor: &Redactor) {
        let bytes = Zeroizing::new(self.secret.to_bytes());
        redactor.learn_bytes(&bytes);
    }
}

/// The key of the file, or the raw one when no file is named. A file that cannot be used is not replaced by it.
pub(crate) fn load(
    variables: &Variables<'_>,
    guards: &Guards,
    faults: &Faults,
) -> Result<SigningKey, ConfigError> {
    let path = variables
        .raw(FILE_VARIABLE)
        .filter(|_| !faults.prefers_raw() || variables.raw(RAW_VARIABLE).is_none());
    match path.map(|path| filed(Path::new(&path), guards)) {
        None => raw(variables),
        Some(Err(_)) if faults.falls_back() => raw(variables),
        Some(filed) => filed,
    }
}

fn filed(path: &Path, guards: &Guards) -> Result<SigningKey, ConfigError> {
    parse(&read_file(path, guards)?, FILE_VARIABLE)
}

fn raw(variables: &Variables<'_>) -> Result<SigningKey, ConfigError> {
    let text = variables.text(RAW_VARIABLE)?.map(Zeroizing::new).ok_or(ConfigError::KeyMissing)?;
    parse(&text, RAW_VARIABLE)
}

fn read_file(path: &Path, guards: &Guards) -> Result<Zeroizing<String>, ConfigError> {
    let unreadable = |error: std::io::Error| ConfigError::KeyFileUnreadable { reason: error.kind() };
    let named = std::fs::symlink_metadata(path).map_err(unreadable)?;
    guards.hold(!named.is_symlink(), ConfigError::KeyFileLink)?;
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(ConfigError::KeyFileKind);
    }
    let file = File::open(path).map_err(unreadable)?;
    let opened = file.metadata().map_err(unreadable)?;
    if !opened.is_file() {
        return Err(ConfigError::KeyFileKind);
    }
    guards.hold(named.is_symlink() || same_file(&named, &opened), ConfigError::KeyFileLink)?;
    let mode = permission_bits(&opened);
    guards.hold(mode & 0o077 == 0, ConfigError::KeyFileMode { mode })?;
    let mut text = Zeroizing::new(String::with_capacity(LONGEST_KEY_FILE));
    file.take(LONGEST_KEY_FILE as u64).read_to_string(&mut text).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidData => ConfigError::KeyMalformed { variable: FILE_VARIABLE },
        reason => ConfigError::KeyFileUnreadable { reason },
    })?;
    if text.trim().is_empty() {
        return Err(ConfigError::KeyFileEmpty);
    }
    Ok(text)
}

/// What was opened is what was looked at.
#[cfg(unix)]
fn same_file(named: &Metadata, opened: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (named.dev(), named.ino()) == (opened.dev(), opened.ino())
}

#[cfg(not(unix))]
fn same_file(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn permission_bits(metadata: &Metadata) -> u32 {
    use std::os::unix::fs::MetadataExt as _;
    metadata.mode() & 0o7777
}

/// Windows keeps permissions elsewhere: the mode is not checked there.
#[cfg(not(unix))]
fn permission_bits(_: &Metadata) -> u32 {
    0o600
}

/// What holds the key wipes its memory when it is dropped: the compiler refuses what does not.
const fn wiped_when_dropped<T: zeroize::ZeroizeOnDrop>() {}
const _: () = {
    wiped_when_dropped::<SecretKey>();
    wiped_when_dropped::<ecdsa::SigningKey>();
};

fn parse(text: &str, variable: &'static str) -> Result<SigningKey, ConfigError> {
    let text = text.trim();
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    let mut bytes = Zeroizing::new([0_u8; 32]);
    if digits.len() != 64 || alloy::hex::decode_to_slice(digits, bytes.as_mut_slice()).is_err() {
        return Err(ConfigError::KeyMalformed { variable });
    }
    let secret =
        SecretKey::from_slice(bytes.as_slice()).map_err(|_| ConfigError::KeyOutOfRange { variable })?;
    Ok(SigningKey { secret, signer: OnceLock::new() })
}
