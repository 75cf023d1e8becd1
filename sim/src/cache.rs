//! The deployed and seeded chains on disk, one folder per key, complete or absent; the content of a file is always verified.
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};
use slipway_contracts::{GENERATED, read_bounded};
use tempfile::TempDir;

/// Maximum number of entries; beyond it, the least recently used are dropped.
const KEPT: usize = 8;
const MANIFEST: &str = "manifest.json";

/// The use of the cache by a start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CachePolicy {
    /// Load existing entries, store new ones.
    #[default]
    Use,
    /// Rebuild everything and replace existing entries.
    Refresh,
    /// Neither load nor store.
    Off,
}

/// The cache could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("slipway could not {action} {path}: {source}")]
pub struct CacheError {
    /// The attempted action, as a verb phrase.
    pub action: &'static str,
    /// The path.
    pub path: String,
    /// The system's error.
    pub source: io::Error,
}

#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

/// The files of an entry with their hashes; written last, read first.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Manifest {
    files: BTreeMap<String, String>,
}

/// An entry whose manifest has been read; each file is verified against its hash only when read, so that nodes need not wait for it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    folder: PathBuf,
    hashes: BTreeMap<String, String>,
}

impl Entry {
    /// Reads a file of the entry; `None` if it is missing or its hash does not match.
    pub(crate) fn file(&self, name: &str) -> Option<Vec<u8>> {
        let content = read_bounded(&self.path(name), GENERATED).ok()?;
        (self.hashes.get(name) == Some(&digest(&content))).then_some(content)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Reads all files; `None` if one is missing or its hash does not match.
    pub(crate) fn files(&self) -> Option<BTreeMap<String, Vec<u8>>> {
        self.hashes.keys().map(|name| Some((name.clone(), self.file(name)?))).collect()
    }
}

impl Cache {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// A cache in a temporary folder, which lasts as long as the folder's handle.
    pub(crate) fn passing() -> Result<(TempDir, Self), CacheError> {
        let failed = |source| CacheError {
            action: "create a folder in TMPDIR, which is",
            path: std::env::temp_dir().display().to_string(),
            source,
        };
        let folder = tempfile::tempdir().map_err(failed)?;
        let cache = Self::new(folder.path().to_owned());
        Ok((folder, cache))
    }

    /// The entry with this key, if its manifest can be read.
    pub(crate) fn look(&self, key: &str) -> Option<Entry> {
        entry(&self.folder.join(key))
    }

    /// Requires that every file of an entry is a regular one: a pipe or a device may never end. An absent entry has none.
    pub(crate) fn require_regular(&self, key: &str) -> Result<(), CacheError> {
        let folder = self.folder.join(key);
        let failed = |path: &Path| {
            let path = path.display().to_string();
            move |source| CacheError { action: "read", path, source }
        };
        let found = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            found => found.map_err(failed(&folder))?,
        };
        for file in found {
            let path = file.map_err(failed(&folder))?.path();
            slipway_contracts::require_regular(&path).map_err(failed(&path))?;
        }
        Ok(())
    }

    /// Flushes an entry to the disk, so that it survives a crash of the machine.
    pub(crate) fn make_durable(&self, key: &str) -> Result<(), CacheError> {
        let folder = self.folder.join(key);
        let synced = || -> io::Result<()> {
            for file in fs::read_dir(&folder)? {
                fs::File::open(file?.path())?.sync_all()?;
            }
            [&folder, &self.folder].into_iter().try_for_each(|folder| fs::File::open(folder)?.sync_all())
        };
        synced().map_err(|source| CacheError { action: "write", path: folder.display().to_string(), source })
    }

    /// Finds the entry with this key. An entry with an unreadable manifest is removed and counts as absent.
    pub(crate) fn find(&self, key: &str) -> Option<Entry> {
        let folder = self.folder.join(key);
        if !folder.exists() {
            return None;
        }
        let entry = entry(&folder);
        if entry.is_none() {
            tracing::warn!(folder = %folder.display(), "a broken cache entry is made again");
            self.drop_entry(key);
        }
        entry
    }

    /// Stores the files under a key, all or nothing. If another process was faster, its entry stays.
    pub(crate) fn keep(&self, key: &str, files: &BTreeMap<String, Vec<u8>>) -> Result<(), CacheError> {
        let tried = |action, path: &Path| {
            let path = path.display().to_string();
            move |source| CacheError { action, path, source }
        };
        fs::create_dir_all(&self.folder).map_err(tried("make the folder", &self.folder))?;
        let unfinished = tempfile::Builder::new()
            .prefix("unfinished-")
            .tempdir_in(&self.folder)
            .map_err(tried("make a folder in", &self.folder))?;
        let mut manifest = Manifest { files: BTreeMap::new() };
        for (name, content) in files {
            let path = unfinished.path().join(name);
            fs::write(&path, content).map_err(tried("write", &path))?;
            manifest.files.insert(name.clone(), digest(content));
        }
        let path = unfinished.path().join(MANIFEST);
        let manifest = serde_json::to_vec(&manifest).expect("a manifest has only string keys");
        fs::write(&path, manifest).map_err(tried("write", &path))?;
        let target = self.folder.join(key);
        match fs::rename(unfinished.path(), &target) {
            Ok(()) => drop(unfinished.keep()),
            Err(_) if target.exists() => tracing::debug!(key, "another process kept the entry first"),
            Err(source) => return Err(tried("name", &target)(source)),
        }
        self.prune();
        Ok(())
    }

    /// Removes all entries but one.
    pub(crate) fn keep_only(&self, key: &str) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten();
        let keys = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        keys.filter(|other| other != key).for_each(|other| self.drop_entry(&other));
    }

    /// Removes an entry; files that cannot be removed are left to the next writer.
    pub(crate) fn drop_entry(&self, key: &str) {
        if let Err(error) = fs::remove_dir_all(self.folder.join(key)) {
            tracing::debug!(key, %error, "a cache entry was not removed");
        }
    }

    fn prune(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        let mut ages: Vec<(SystemTime, String)> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let used = entry.path().join(MANIFEST).metadata().ok()?.modified().ok()?;
                Some((used, entry.file_name().into_string().ok()?))
            })
            .collect();
        ages.sort();
        let surplus = ages.len().saturating_sub(KEPT);
        for (_, key) in ages.drain(..surplus) {
            self.drop_entry(&key);
        }
    }
}

fn entry(folder: &Path) -> Option<Entry> {
    let manifest_path = folder.join(MANIFEST);
    let manifest: Manifest = serde_json::from_slice(&read_bounded(&manifest_path, GENERATED).ok()?).ok()?;
    // The time of last use decides which entry is dropped first; if it cannot be updated, the entry only looks older.
    if let Ok(file) = fs::File::options().append(true).open(&manifest_path) {
        drop(file.set_modified(SystemTime::now()));
    }
    Some(Entry { folder: folder.to_owned(), hashes: manifest.files })
}

fn digest(content: &[u8]) -> String {
    alloy::hex::encode(Sha256::digest(content))
}

/// Derives the key from everything that determines an entry's content.
pub(crate) fn key(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    alloy::hex::encode(&hasher.finalize()[..16])
}

#[cfg(test)]
mod tests {
    use super::{Cache, KEPT, key};
    use std::collections::BTreeMap;
    use std::fs;

    fn files(content: &str) -> BTreeMap<String, Vec<u8>> {
        [("one".to_owned(), content.as_bytes().to_vec()), ("two".to_owned(), b"2".to_vec())].into()
    }

    #[test]
    fn what_is_kept_is_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("deep/er"));
        assert!(cache.find("k").is_none());
        cache.keep("k", &files("1")).unwrap();
        let entry = cache.find("k").unwrap();
        assert_eq!(entry.file("one"), Some(b"1".to_vec()));
        assert!(entry.path("two").exists());
        assert_eq!(entry.file("three"), None);
    }

    #[test]
    fn modified_or_missing_file_is_a_cache_miss() {
        type Harm = fn(&std::path::Path);
        let harms: [Harm; 4] = [
            |folder| fs::write(folder.join("one"), "x").unwrap(),
            |folder| fs::remove_file(folder.join("one")).unwrap(),
            |folder| fs::write(folder.join("manifest.json"), "{\"files\":").unwrap(),
            |folder| fs::remove_file(folder.join("manifest.json")).unwrap(),
        ];
        for harm in harms {
            let folder = tempfile::tempdir().unwrap();
            let cache = Cache::new(folder.path().to_owned());
            cache.keep("k", &files("1")).unwrap();
            harm(&folder.path().join("k"));
            assert_eq!(cache.find("k").and_then(|entry| entry.file("one")), None);
            cache.drop_entry("k");
            cache.keep("k", &files("1")).unwrap();
            assert!(cache.find("k").is_some());
        }
    }

    #[test]
    fn first_writer_wins_without_partial_files() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().to_owned());
        cache.keep("k", &files("1")).unwrap();
        cache.keep("k", &files("other")).unwrap();
        assert_eq!(cache.find("k").unwrap().file("one"), Some(b"1".to_vec()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn only_so_many_entries_stay() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().to_owned());
        for number in 0..KEPT + 3 {
            cache.keep(&number.to_string(), &files("1")).unwrap();
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), KEPT);
    }

    #[test]
    fn the_borders_between_parts_count() {
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_eq!(key(&["ab", "c"]), key(&["ab", "c"]));
    }
}
