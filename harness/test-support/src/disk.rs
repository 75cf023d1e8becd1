//! Small disks for one test, unmounted with their handle.
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::io::Errno;
use tempfile::TempDir;

/// A mounted disk of a few megabytes.
pub struct SmallDisk {
    folder: TempDir,
}

impl SmallDisk {
    /// A disk in memory.
    pub fn tmpfs() -> Self {
        Self::mounted(|_, place| {
            run(Command::new("mount").args(["-t", "tmpfs", "-o", "size=18m", "tmpfs"]).arg(place));
        })
    }

    /// A disk in a file, with blocks smaller than a memory page.
    pub fn ext4() -> Self {
        Self::mounted(|image, place| {
            File::create(image).unwrap().set_len(24 << 20).unwrap();
            run(Command::new("mkfs.ext4").args(["-q", "-b", "1024"]).arg(image));
            run(Command::new("mount").args(["-o", "loop"]).arg(image).arg(place));
        })
    }

    fn mounted(mount: impl FnOnce(&Path, &Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let disk = Self { folder };
        fs::create_dir(disk.path()).unwrap();
        mount(&disk.folder.path().join("image"), &disk.path());
        disk
    }

    /// Its folder.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("disk")
    }

    /// Fills it until no block is free.
    pub fn fill(&self) {
        self.settle();
        let mut filler = File::options().create(true).append(true).open(self.filler()).unwrap();
        for size in [65_536, 1_024, 1] {
            loop {
                match filler.write_all(&vec![7; size]).and_then(|()| filler.sync_data()) {
                    Ok(()) => {}
                    Err(error) if error.raw_os_error() == Some(Errno::NOSPC.raw_os_error()) => break,
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }

    /// Frees the space that [`Self::fill`] took.
    pub fn make_room(&self) {
        fs::remove_file(self.filler()).unwrap();
        self.settle();
    }

    /// Waits until the space of removed files is free: a journaling file system frees it some time later.
    fn settle(&self) {
        rustix::fs::syncfs(File::open(self.path()).unwrap()).unwrap();
    }

    fn filler(&self) -> PathBuf {
        self.path().join("filler")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // A process that still uses it keeps it mounted until then.
        let _ = Command::new("umount").arg("--lazy").arg(self.path()).status();
    }
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
