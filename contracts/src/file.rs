//! Files that are either complete or absent, and files of users, which may be anything.
use std::fs::{self, File};
use std::io::{self, Read as _, Write};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::{Errno, ioctl_fionbio};
use tempfile::NamedTempFile;

/// Replaces a file atomically: until the whole content is on disk, readers see the old file or none. A link stays; the file that it leads to
/// is replaced.
///
/// # Errors
/// If the path is no regular file, or the file's folder cannot be written.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_whole(path, |file| file.write_all(content))
}

/// Copies a file, its permissions too, as [`write_whole`] writes one; also onto itself.
pub(crate) fn copy_whole(from: &Path, to: &Path) -> io::Result<()> {
    replace_whole(to, |file| fs::copy(from, file.path()).map(drop))
}

fn replace_whole(path: &Path, fill: impl FnOnce(&mut NamedTempFile) -> io::Result<()>) -> io::Result<()> {
    let path = replaceable(path)?;
    let mut file = beside(&path)?;
    fill(&mut file)?;
    file.as_file().sync_all()?;
    file.persist(&path)?;
    // The new name is durable only with its folder.
    File::open(folder_of(&path))?.sync_all()
}

/// Requires that [`write_whole`] can write here; writes nothing that stays.
///
/// # Errors
/// If it cannot.
pub fn require_writable_whole(path: &Path) -> io::Result<()> {
    beside(&replaceable(path)?).map(drop)
}

/// Where the file is that takes the place of a path: renaming replaces devices, pipes and links too.
fn replaceable(path: &Path) -> io::Result<PathBuf> {
    require_regular(path)?;
    match path.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => Ok(path.to_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(io::Error::new(error.kind(), "it is a link to a file that does not exist"))
        }
        found => found,
    }
}

/// A temporary file in the folder of a path.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    NamedTempFile::new_in(folder_of(path))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a file, or opens a device or a pipe to write to. A pipe that nobody reads is refused: opening it would never end.
///
/// # Errors
/// If the file cannot be opened, or is a pipe without a reader.
pub fn create(path: &Path) -> io::Result<File> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).map_err(io::Error::other)?;
    let opened = File::options().write(true).create(true).truncate(true).custom_flags(flags).open(path);
    let file = opened.map_err(|error| {
        let is_pipe = || fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo());
        if Errno::from_io_error(&error) == Some(Errno::NXIO) && is_pipe() {
            io::Error::new(error.kind(), "it is a pipe that nobody reads")
        } else {
            error
        }
    })?;
    // A slow reader is waited for.
    ioctl_fionbio(&file, false)?;
    Ok(file)
}

/// Writes a file as a whole to what [`create`] opens.
///
/// # Errors
/// If the file cannot be opened or written.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    create(path)?.write_all(content)
}

/// Maximum size of a file that a person writes, in bytes.
pub const WRITTEN: u64 = 16 << 20;
/// Maximum size of a file that this program writes, in bytes.
pub const GENERATED: u64 = 1 << 30;

/// Requires that a path is a regular file or absent.
///
/// # Errors
/// If it is a folder, a device or a pipe, which may never end, or cannot be examined.
pub fn require_regular(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) => regular(&found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn regular(found: &fs::Metadata) -> io::Result<()> {
    if found.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if !found.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    Ok(())
}

/// Reads a regular file of at most `most` bytes. Folders, devices and pipes, which may never end, are not read.
///
/// # Errors
/// If the file is not a regular one, is larger, or cannot be read.
pub fn read_bounded(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let found = fs::metadata(path)?;
    regular(&found)?;
    let mut content = Vec::new();
    if found.len() <= most {
        // It may grow meanwhile.
        File::open(path)?.take(most + 1).read_to_end(&mut content)?;
    }
    if found.len().max(content.len() as u64) > most {
        let reason = format!("it has more than {} MiB", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
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
    #[test]
    fn pipe_is_written_only_while_somebody_reads() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(create(&pipe).unwrap_err().to_string(), "it is a pipe that nobody reads");
        assert_eq!(require_regular(&pipe).unwrap_err().to_string(), "it is not a regular file");
        let reader = File::options().read(true).write(true).open(&pipe).unwrap();
        write(&pipe, b"12345").unwrap();
        let mut content = [0; 5];
        (&reader).read_exact(&mut content).unwrap();
        assert_eq!(&content, b"12345");
        let file = folder.path().join("file");
        for content in ["a longer text", "short"] {
            write(&file, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), content);
        }
        require_regular(&file).unwrap();
        require_regular(&folder.path().join("absent")).unwrap();
    }

    #[test]
    fn only_regular_files_are_replaced_and_links_stay() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let made = |program: &str, arguments: &[&str]| {
            let mut command = Command::new(program);
            assert!(command.args(arguments).current_dir(&folder).status().unwrap().success());
        };
        made("mkfifo", &["pipe"]);
        for (name, target) in [("to-pipe", "pipe"), ("to-nothing", "absent"), ("to-file", "file")] {
            std::os::unix::fs::symlink(target, at(name)).unwrap();
        }
        for (name, reason) in [
            ("pipe", "it is not a regular file"),
            ("to-pipe", "it is not a regular file"),
            ("to-nothing", "it is a link to a file that does not exist"),
            (".", "it is a folder"),
        ] {
            for refused in [require_writable_whole(&at(name)), write_whole(&at(name), b"new")] {
                assert_eq!(refused.unwrap_err().to_string(), reason, "{name}");
            }
        }
        assert_eq!(require_writable_whole(&at("absent/file")).unwrap_err().kind(), io::ErrorKind::NotFound);
        for name in ["file", "to-file"] {
            require_writable_whole(&at(name)).unwrap();
            write_whole(&at(name), name.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(at("file")).unwrap(), name);
        }
        assert!(at("to-file").is_symlink() && !at("pipe").is_file());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 5, "nothing else stays");
    }
}
