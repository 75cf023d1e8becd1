//! `--watch`: runs, and runs again after each change of a watched file, until Ctrl-C.
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{sleep, timeout};

use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::terminal::output;
use crate::terminal::signals::shutdown_signal;

/// An editor writes a file in several steps; a change is over after this much silence.
const SETTLED: Duration = Duration::from_millis(100);

/// Why watching is impossible.
#[derive(Debug, thiserror::Error)]
enum WatchError {
    #[error("there is nothing to watch: name files or folders after --watch")]
    Nothing,
    #[error("{path} cannot be watched: {source}")]
    Unwatchable { path: String, source: notify::Error },
}

impl Fatal for WatchError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }
}

/// Runs, and runs again after each change of these files, or of anything in these folders. Ends on Ctrl-C; while waiting, with the exit
/// code of the last run.
pub(crate) async fn again(
    paths: &[PathBuf],
    mut run: impl AsyncFnMut() -> Result<Exit, CommandError>,
) -> Result<Exit, CommandError> {
    if paths.is_empty() {
        return Err(WatchError::Nothing.into());
    }
    // What is wrong from the start is told before the run, which takes long.
    drop(Changes::of(paths)?);
    let mut number = 0;
    loop {
        number += 1;
        let mut stop = pin!(shutdown_signal());
        let now = TimeZone::UTC.to_datetime(Timestamp::now()).time();
        output::narrate(&format!("run {number}, {now:.0} UTC"));
        let before = versions(paths);
        let exit = match run().await {
            Ok(Exit::Interrupted) => return Ok(Exit::Interrupted),
            Ok(exit) => exit,
            Err(error) => {
                output::complain(&error);
                error.exit()
            }
        };
        tokio::select! {
            changed = changed(paths, &before) => changed?,
            () = &mut stop => return Ok(exit),
        }
    }
}

/// Resolves once something has changed after the run, or one of the files during it, and all is there and at rest.
async fn changed(paths: &[PathBuf], before: &[Version]) -> Result<(), WatchError> {
    // Watched after the run: files that it writes must not trigger another.
    let mut changes = there(paths).await?;
    if versions(paths) == before {
        let named: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        output::narrate(&format!("waiting for a change of {}; Ctrl-C ends", named.join(", ")));
        changes.next().await;
        changes = there(paths).await?;
    }
    changes.rest().await;
    Ok(())
}

/// Watches, once every path is there: a build empties its folder, and a checkout or an editor removes a file before it writes it again.
async fn there(paths: &[PathBuf]) -> Result<Changes, WatchError> {
    let mut is_told = false;
    loop {
        match Changes::of(paths) {
            Err(WatchError::Unwatchable { path, source }) if is_absence(&source) => {
                if !is_told {
                    output::narrate(&format!("waiting for {path}, which is not there; Ctrl-C ends"));
                }
                is_told = true;
                sleep(SETTLED).await;
            }
            watched => return watched,
        }
    }
}

fn is_absence(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::Io(error) => error.kind() == ErrorKind::NotFound,
        kind => matches!(kind, notify::ErrorKind::PathNotFound),
    }
}

type Version = Option<(SystemTime, u64)>;

/// When the files among the paths were last written, and their sizes.
fn versions(paths: &[PathBuf]) -> Vec<Version> {
    let version = |path: &PathBuf| {
        let file = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some((file.modified().ok()?, file.len()))
    };
    paths.iter().map(version).collect()
}

/// Changes of files and folders from now on.
struct Changes {
    _watcher: RecommendedWatcher,
    changed: UnboundedReceiver<()>,
}

impl Changes {
    fn of(paths: &[PathBuf]) -> Result<Self, WatchError> {
        let failed = |path: &Path| {
            let path = path.display().to_string();
            |source| WatchError::Unwatchable { path, source }
        };
        let (mut files, mut folders, mut watched) = (BTreeSet::new(), Vec::new(), Vec::new());
        for path in paths {
            let whole = path.canonicalize().map_err(|error| failed(path)(error.into()))?;
            match whole.parent().filter(|_| !whole.is_dir()) {
                // Watch its folder: editors replace the file.
                Some(folder) => {
                    watched.push((path, folder.to_owned(), RecursiveMode::NonRecursive));
                    // The folder may be replaced as a whole.
                    files.insert(folder.to_owned());
                    files.insert(whole);
                }
                None => {
                    watched.push((path, whole.clone(), RecursiveMode::Recursive));
                    folders.push(whole);
                }
            }
        }
        let is_concerned =
            move |path: &PathBuf| files.contains(path) || folders.iter().any(|it| path.starts_with(it));
        let (told, changed) = unbounded_channel();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let is_change = |event: &notify::Event| !matches!(event.kind, EventKind::Access(_));
            if event.is_ok_and(|event| is_change(&event) && event.paths.iter().any(&is_concerned)) {
                // Once it is closed nobody waits any more.
                let _ = told.send(());
            }
        })
        .map_err(failed(&paths[0]))?;
        for (path, place, mode) in watched {
            watcher.watch(&place, mode).map_err(failed(path))?;
        }
        Ok(Self { _watcher: watcher, changed })
    }

    /// Resolves once something has changed.
    async fn next(&mut self) {
        if self.changed.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    /// Resolves once nothing changes any more.
    async fn rest(&mut self) {
        while timeout(SETTLED, self.changed.recv()).await.is_ok_and(|told| told.is_some()) {}
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::Changes;

    async fn seen(changes: &mut Changes) {
        timeout(Duration::from_secs(30), changes.next()).await.unwrap();
        changes.rest().await;
    }

    /// Writing or replacing a named file, and anything in a named folder, is a change; other files next to it, and reading, are not.
    #[tokio::test]
    async fn changes_are_those_of_the_named_files_and_folders() {
        let folder = tempfile::tempdir().unwrap();
        let inside = |name: &str| folder.path().join(name);
        std::fs::create_dir(inside("sources")).unwrap();
        for name in ["named.toml", "other.toml"] {
            std::fs::write(inside(name), "1").unwrap();
        }
        let paths = [inside("named.toml"), inside("sources")];
        let mut changes = Changes::of(&paths).unwrap();
        std::fs::write(inside("other.toml"), "2").unwrap();
        std::fs::read(inside("named.toml")).unwrap();
        let idle = timeout(Duration::from_millis(300), changes.next()).await;
        assert!(idle.is_err(), "nothing that is named has changed");
        std::fs::write(inside("named.toml"), "2").unwrap();
        seen(&mut changes).await;
        std::fs::rename(inside("other.toml"), inside("named.toml")).unwrap();
        seen(&mut changes).await;
        std::fs::write(inside("sources/a.rs"), "1").unwrap();
        seen(&mut changes).await;
        assert!(Changes::of(&[inside("absent")]).is_err());
    }
}
