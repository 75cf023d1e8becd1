//! The private key: read from a file or a variable, kept in memory that is wiped, never displayed.
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::Path;
use std::sync::OnceLock;

use alloy::primitives::{Address, B256, Signature};
use alloy::signers::SignerSync as _;
use alloy::signers::k256::{SecretKey, ecdsa};
use alloy::signers::local::PrivateKeySigner;
use slipway_redaction::Redactor;
use zeroize::Zeroizing;

use crate::config::{ConfigError, Variables};
use crate::ensure::ensure;

const FILE_VARIABLE: &str = "SERVICE_MCP_PRIVATE_KEY_FILE";
const RAW_VARIABLE: &str = "SERVICE_MCP_PRIVATE_KEY";
/// More bytes than a key with its newline can need.
const MAX_KEY_FILE: usize = 1024;

/// Signs for one account. Deriving the address takes a fifth of a start, so it is done on first use.
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
    pub(crate) fn address(&self) -> Address {
        self.signer().address()
    }

    fn signer(&self) -> &PrivateKeySigner {
        self.signer.get_or_init(|| ecdsa::SigningKey::from(&self.secret).into())
    }

    pub(crate) fn sign(&self, hash: &B256) -> Signature {
        self.signer().sign_hash_sync(hash).expect("a key in memory signs every hash")
    }

    /// Teaches a redactor the key.
    pub(crate) fn teach(&self, redactor: &Redactor) {
        let bytes = Zeroizing::new(self.secret.to_bytes());
        redactor.learn_bytes(&bytes);
    }
}

/// Loads the key from the file, or the raw one if no file is configured. The raw key never replaces an unusable file.
///
/// Clause: MCP-KEY-FILE
pub(crate) fn load(variables: &Variables<'_>) -> Result<SigningKey, ConfigError> {
    if let Some(path) = variables.raw(FILE_VARIABLE) {
        return parse(&read_file(Path::new(&path))?, FILE_VARIABLE);
    }
    let text = variables.text(RAW_VARIABLE)?.map(Zeroizing::new).ok_or(ConfigError::KeyMissing)?;
    parse(&text, RAW_VARIABLE)
}

/// Reads the key file. Links are followed, because container secrets are links; the opened file is checked, so that it
/// cannot be replaced between the check and the read.
fn read_file(path: &Path) -> Result<Zeroizing<String>, ConfigError> {
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => ConfigError::KeyFileAbsent,
        kind => ConfigError::KeyFileUnreadable(kind),
    };
    // Opening a pipe would block until it has a writer.
    ensure(std::fs::metadata(path).map_err(unreadable)?.is_file(), ConfigError::KeyFileKind)?;
    let file = File::open(path).map_err(unreadable)?;
    judge(&file.metadata().map_err(unreadable)?)?;
    let mut text = Zeroizing::new(String::with_capacity(MAX_KEY_FILE));
    file.take(MAX_KEY_FILE as u64).read_to_string(&mut text).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidData => ConfigError::KeyMalformed(FILE_VARIABLE),
        reason => ConfigError::KeyFileUnreadable(reason),
    })?;
    ensure(!text.trim().is_empty(), ConfigError::KeyFileEmpty)?;
    Ok(text)
}

/// Refuses a file that is not regular, that another user owns, or that other users may access.
fn judge(opened: &Metadata) -> Result<(), ConfigError> {
    ensure(opened.is_file(), ConfigError::KeyFileKind)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let owner = opened.uid();
        let trusted = [rustix::process::geteuid().as_raw(), rustix::process::Uid::ROOT.as_raw()];
        ensure(trusted.contains(&owner), ConfigError::KeyFileOwner(owner))?;
        let mode = opened.mode() & 0o7777;
        ensure(mode & 0o077 == 0, ConfigError::KeyFileMode(mode))?;
    }
    Ok(())
}

/// Compiles only for keys that wipe their memory on drop.
const fn wiped_on_drop<T: zeroize::ZeroizeOnDrop>() {}
const _: () = {
    wiped_on_drop::<SecretKey>();
    wiped_on_drop::<ecdsa::SigningKey>();
};

fn parse(text: &str, variable: &'static str) -> Result<SigningKey, ConfigError> {
    let text = text.trim();
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    let mut bytes = Zeroizing::new([0_u8; 32]);
    if digits.len() != 64 || alloy::hex::decode_to_slice(digits, bytes.as_mut_slice()).is_err() {
        return Err(ConfigError::KeyMalformed(variable));
    }
    let secret = SecretKey::from_slice(bytes.as_slice()).map_err(|_| ConfigError::KeyOutOfRange(variable))?;
    Ok(SigningKey { secret, signer: OnceLock::new() })
}
