//! The folder's description of its platform, and the states of the chains in it.
use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::export::MOST_COUNTED;
use super::kept::CheckpointRecord;
use crate::cache::{Cache, CacheError, Entry as StateFiles};
use crate::credential::is_credential;
use crate::faults::Ordered;
use crate::store::{IMPORTING, Store, StoreError};

/// Incremented whenever the format of a folder changes.
const FORM: u32 = 1;
pub(super) const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The state in a folder cannot be continued.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Another version wrote it.
    #[error(
        "the state in {folder} has format {form}, of slipway {slipway}, and slipway {OWN_VERSION} reads format {FORM}: \
         continue it with that version, or name another folder"
    )]
    Version {
        /// The folder.
        folder: String,
        /// Its format.
        form: u32,
        /// The version that wrote it.
        slipway: String,
    },
    /// The process ended during the import into it.
    #[error("the import into {folder} was not finished: import the file again, or name another folder")]
    Importing {
        /// The folder.
        folder: String,
    },
    /// A part is missing or altered.
    #[error(
        "the state in {folder} is damaged: {reason}. Restore the folder from a copy, or name another one"
    )]
    Damaged {
        /// The folder.
        folder: String,
        /// The damage, in words.
        reason: String,
    },
}

/// The folder's description of its platform, apart from the store.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Kept {
    form: u32,
    pub(super) slipway: String,
    pub(crate) seed: u64,
    pub(crate) operator_key: String,
    /// Number of the state of the chains that the journal begins with.
    pub(super) state: u64,
    /// The store's savepoint at that moment.
    pub(super) since: i64,
    pub(crate) captchas: u64,
    pub(crate) last_checkpoint: u64,
    /// The checkpoints that cannot be reverted to.
    pub(crate) checkpoints: Vec<CheckpointRecord>,
    pub(crate) faults: BTreeMap<String, Ordered>,
}

/// The version of a folder, which every format contains.
#[derive(Deserialize)]
struct Version {
    form: u32,
    slipway: String,
}

impl Kept {
    pub(crate) fn new(seed: u64, operator_key: String) -> Self {
        Self {
            form: FORM,
            slipway: OWN_VERSION.to_owned(),
            seed,
            operator_key,
            state: 0,
            since: 0,
            captchas: 0,
            last_checkpoint: 0,
            checkpoints: Vec::new(),
            faults: BTreeMap::new(),
        }
    }

    /// Reads the description from a folder's store; `None` if no platform was kept in it.
    pub(crate) async fn read(folder: &Path, store: &Store) -> Result<Option<Self>, KeptReadError> {
        let Some(text) = store.platform().await? else { return Ok(None) };
        let folder = || folder.display().to_string();
        if text == IMPORTING {
            return Err(StateError::Importing { folder: folder() }.into());
        }
        let damaged =
            |error: serde_json::Error| StateError::Damaged { folder: folder(), reason: error.to_string() };
        let Version { form, slipway } = serde_json::from_str(&text).map_err(damaged)?;
        if form != FORM {
            return Err(StateError::Version { folder: folder(), form, slipway }.into());
        }
        let kept: Self = serde_json::from_str(&text).map_err(damaged)?;
        match kept.unusable() {
            Some(reason) => Err(StateError::Damaged { folder: folder(), reason: reason.to_owned() }.into()),
            None => Ok(Some(kept)),
        }
    }

    /// Why no platform can continue from it: callers must be able to send the credential, and counters need room.
    fn unusable(&self) -> Option<&'static str> {
        if !is_credential(&self.operator_key) {
            return Some("operatorKey is not 1 to 256 visible ASCII characters");
        }
        let counters = [self.captchas, self.last_checkpoint, self.state];
        counters.iter().any(|counter| *counter > MOST_COUNTED).then_some("a counter is out of range")
    }

    /// The files of the state that the journal begins with.
    pub(crate) fn files(&self, folder: &Path) -> Result<Option<StateFiles>, CacheError> {
        let (states, key) = (states(folder), state_key(self.state));
        states.require_regular(&key)?;
        Ok(states.look(&key))
    }

    pub(super) fn to_text(&self) -> String {
        serde_json::to_string(self).expect("a record has only string keys")
    }
}

/// The folder's description could not be read.
#[derive(Debug, thiserror::Error)]
pub enum KeptReadError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It is damaged, or of another version.
    #[error(transparent)]
    State(#[from] StateError),
}

pub(super) fn states(folder: &Path) -> Cache {
    Cache::new(folder.join("chains"))
}

pub(super) fn state_key(number: u64) -> String {
    number.to_string()
}

/// Writes the files of a first state to a folder.
pub(crate) fn keep_first(folder: &Path, files: &BTreeMap<String, Vec<u8>>) -> Result<(), CacheError> {
    let (states, key) = (states(folder), state_key(0));
    // Left by a start that did not finish.
    states.drop_entry(&key);
    states.keep(&key, files)?;
    states.make_durable(&key)
}
