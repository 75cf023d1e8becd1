//! Files that are either complete or absent, and files of users, which may be anything.
use std::fs::{self, File};
use std::io::{self, Read as _, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Replaces a file atomically: until the whole content is on disk, readers see the old file or none.
///
/// # Errors
/// If the file's folder cannot be written.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Maximum size of a file that a person writes, in bytes.
pub const WRITTEN: u64 = 16 << 20;
/// Maximum size of a file that this program writes, in bytes.
pub const GENERATED: u64 = 1 << 30;

/// Reads a regular file of at most `most` bytes. Folders, devices and pipes, which may never end, are not read.
///
/// # Errors
/// If the file is not a regular one, is larger, or cannot be read.
pub fn read_bounded(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let refused = |kind, reason: String| Err(io::Error::new(kind, reason));
    let found = fs::metadata(path)?;
    if found.is_dir() {
        return refused(io::ErrorKind::IsADirectory, "it is a folder".to_owned());
    }
    if !found.is_file() {
        return refused(io::ErrorKind::InvalidInput, "it is not a regular file".to_owned());
    }
    let mut content = Vec::new();
    if found.len() <= most {
        // It may grow meanwhile.
        File::open(path)?.take(most + 1).read_to_end(&mut content)?;
    }
    if found.len().max(content.len() as u64) > most {
        return refused(io::ErrorKind::FileTooLarge, format!("it has more than {} MiB", most >> 20));
    }
    Ok(content)
}

/// Reads a text file of at most `most` bytes.
///
/// # Errors
/// If the file cannot be read by [`read_bounded`], or is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read_bounded(path, most)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn only_regular_files_within_the_bound_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "12345").unwrap();
        assert_eq!(read_text(&file, 5).unwrap(), "12345");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read_text(&link, 5).unwrap(), "12345");
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let sparse = folder.path().join("sparse");
        File::create(&sparse).unwrap().set_len(GENERATED + 1).unwrap();
        for (path, most, reason) in [
            (file.as_path(), 4, "it has more than 0 MiB"),
            (&sparse, GENERATED, "it has more than 1024 MiB"),
            (&pipe, 5, "it is not a regular file"),
            (Path::new("/dev/zero"), 5, "it is not a regular file"),
            (folder.path(), 5, "it is a folder"),
        ] {
            assert_eq!(read_bounded(path, most).unwrap_err().to_string(), reason, "{}", path.display());
        }
        fs::write(&file, b"\xff").unwrap();
        assert_eq!(read_text(&file, 5).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
