//! Packs folders: equal content gives equal bytes, whatever the owner, the times and the umask.
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use flate2::{Compression, GzBuilder};
use fs_err as fs;
use tar::{Builder, EntryType, Header};
use walkdir::WalkDir;
use zip::write::SimpleFileOptions;

use crate::Result;

const EXECUTABLE: u32 = 0o755;
const PLAIN: u32 = 0o644;
const STICKY: u32 = 0o1000;

/// A compressed archive of a folder under a name.
pub(crate) fn tar_gz(folder: &Path, name: &str, epoch: i64, out: &Path) -> Result<()> {
    let packed = GzBuilder::new().write(fs::File::create(out)?, Compression::default());
    let archive = tar(folder, Path::new(name), epoch, |_| 0, packed)?;
    archive.finish()?;
    Ok(())
}

/// An archive of a folder under a name, or of the folder's content if the name is empty; `owner` gives the owner of each path.
pub(crate) fn tar<W: Write>(
    folder: &Path,
    name: &Path,
    epoch: i64,
    owner: impl Fn(&Path) -> u64,
    out: W,
) -> Result<W> {
    let mut archive = Builder::new(out);
    let top = usize::from(name.as_os_str().is_empty());
    for entry in WalkDir::new(folder).min_depth(top).sort_by_file_name() {
        let entry = entry?;
        let path = name.join(entry.path().strip_prefix(folder)?);
        let mut header = header(epoch)?;
        header.set_uid(owner(&path));
        header.set_gid(owner(&path));
        let about = entry.metadata()?;
        header.set_mode(mode(&about));
        if about.is_dir() {
            header.set_entry_type(EntryType::Directory);
            header.set_size(0);
            archive.append_data(&mut header, path.join(""), io::empty())?;
        } else if about.is_symlink() {
            header.set_entry_type(EntryType::Symlink);
            header.set_size(0);
            archive.append_link(&mut header, path, fs::read_link(entry.path())?)?;
        } else {
            header.set_size(about.len());
            archive.append_data(&mut header, path, fs::File::open(entry.path())?)?;
        }
    }
    Ok(archive.into_inner()?)
}

/// A header of an archive entry owned by root.
pub(crate) fn header(epoch: i64) -> Result<Header> {
    let mut header = Header::new_gnu();
    header.set_uid(0);
    header.set_gid(0);
    header.set_entry_type(EntryType::Regular);
    header.set_mode(PLAIN);
    header.set_mtime(epoch.try_into()?);
    Ok(header)
}

fn mode(about: &std::fs::Metadata) -> u32 {
    let mode = about.mode();
    if mode & STICKY != 0 {
        STICKY | 0o777
    } else if about.is_dir() || mode & 0o100 != 0 {
        EXECUTABLE
    } else {
        PLAIN
    }
}

/// A zip file of a folder's content; links are followed.
pub(crate) fn zip(folder: &Path, out: &Path) -> Result<()> {
    let mut archive = zip::ZipWriter::new(fs::File::create(out)?);
    for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
        let entry = entry?;
        let about = entry.metadata()?;
        if !about.is_file() {
            continue;
        }
        let name = entry.path().strip_prefix(folder)?.to_str().ok_or("a name is not UTF-8")?;
        // The default timestamp is 1980, the earliest that the format can hold.
        archive.start_file(name, SimpleFileOptions::DEFAULT.unix_permissions(mode(&about)))?;
        io::copy(&mut fs::File::open(entry.path())?, &mut archive)?;
    }
    archive.finish()?;
    Ok(())
}
