//! The database file of one process: locked, and refused if it is missing, damaged or not writable.
use std::fs::{File, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use sqlx::{AnyConnection, AnyPool, Connection as _, Executor as _, Row};
use url::Url;

use super::sql::Sql;
use super::{StoreError, own, schema};

/// Nothing acknowledged is lost when the process or the machine stops. A rollback journal needs no memory shared with other readers, unlike
/// a write-ahead log, whose mapped index ends the process by a signal on a full disk. A file with a write-ahead log, from an earlier
/// release, is converted while no other reader can turn it back.
const SETTINGS: &str = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = TRUNCATE; PRAGMA locking_mode = NORMAL; PRAGMA synchronous = FULL;";
/// Content of the lock file once the folder has a database.
const MADE: &[u8] = b"store.sqlite\n";
/// The files of the database.
const FILES: [&str; 4] = ["store.lock", "store.sqlite", "store.sqlite-journal", "store.sqlite-wal"];

/// Opens the database of a folder, which it creates if necessary. It is locked for this process until the returned file is closed.
pub(super) async fn open(folder: &Path) -> Result<(AnyPool, File), StoreError> {
    let (folder, mut lock) = locked(folder)?;
    let path = folder.join("store.sqlite");
    let mut noted = Vec::new();
    let unusable = |reason: &dyn std::error::Error| StoreError::Unusable {
        path: folder.display().to_string(),
        reason: causes(reason),
    };
    lock.read_to_end(&mut noted).map_err(|error| unusable(&error))?;
    if !noted.is_empty() && path.metadata().map_or(0, |found| found.len()) == 0 {
        return Err(StoreError::Lost(folder.display().to_string()));
    }
    let address = Url::from_file_path(&path).expect("a canonical path is absolute");
    let address = format!("sqlite://{}?mode=rwc", address.path());
    let opened = async {
        // A pool would keep retrying to open a damaged database, and then not say why.
        let mut alone = AnyConnection::connect(&address).await?;
        alone.execute(SETTINGS).await?;
        let row = sqlx::query("PRAGMA quick_check(1)").fetch_one(&mut alone).await?;
        let found = row.try_get::<String, _>(0)?;
        alone.close().await?;
        if found != "ok" {
            return Err(StoreError::Damaged(found));
        }
        let pool = own(&address, SETTINGS).await?;
        schema::bring_up_to_date(&pool, false).await?;
        // A database that accepts no writes is reported now, not by the first caller.
        let mut sql = Sql::begin(&pool).await?;
        for change in ["UPDATE progress SET at = at + 1", "UPDATE progress SET at = at - 1"] {
            sqlx::query(change).execute(&mut *sql).await?;
        }
        sql.commit().await?;
        Ok(pool)
    };
    let pool = opened.await.map_err(|error| unusable(&error))?;
    if noted.is_empty() {
        lock.write_all(MADE).and_then(|()| lock.sync_all()).map_err(|error| unusable(&error))?;
    }
    Ok((pool, lock))
}

/// Creates the folder and locks it for this process.
fn locked(folder: &Path) -> Result<(PathBuf, File), StoreError> {
    let path = || folder.display().to_string();
    let failed = |source| StoreError::Folder { path: path(), source };
    std::fs::create_dir_all(folder).map_err(failed)?;
    for name in FILES {
        slipway_contracts::require_regular(&folder.join(name))
            .map_err(|error| StoreError::Unusable { path: path(), reason: format!("{name}: {error}") })?;
    }
    let file = folder.join("store.lock");
    let lock = File::options().read(true).write(true).create(true).truncate(false).open(file);
    let lock = lock.map_err(failed)?;
    lock.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => StoreError::InUse(path()),
        TryLockError::Error(source) => failed(source),
    })?;
    Ok((folder.canonicalize().map_err(failed)?, lock))
}

/// The last cause of an error, in the words of the database or the system.
fn causes(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}
