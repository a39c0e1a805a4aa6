//! Folders that a run was granted, and what lies in them.

use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

/// A granted folder, held open: what is opened through it lies in it, whatever links there are.
///
/// On Linux the kernel sees to it (`openat2`, beneath the handle), so that a link which is put
/// in the way at the last moment leads nowhere. Elsewhere the path is resolved first and looked at.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    #[cfg(target_os = "linux")]
    handle: std::os::fd::OwnedFd,
}

impl Folder {
    /// Takes hold of a folder. Relative paths begin in the folder of this process.
    ///
    /// # Errors
    /// When it does not exist, is no folder, or may not be looked at.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref().canonicalize()?;
        if !path.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self {
            #[cfg(target_os = "linux")]
            handle: beneath::hold(&path)?,
            path,
        })
    }

    /// Where it is, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file of the folder for reading; `path` is relative to it, or leads into it.
    ///
    /// # Errors
    /// When it cannot be opened, or lies elsewhere.
    pub fn read(&self, path: impl AsRef<Path>) -> io::Result<File> {
        self.opened(path.as_ref(), Access::Read)
    }

    /// Opens a file of the folder for writing, empty, and makes it where it does not exist.
    ///
    /// # Errors
    /// When it cannot be opened, or lies elsewhere.
    pub fn write(&self, path: impl AsRef<Path>) -> io::Result<File> {
        self.opened(path.as_ref(), Access::Write)
    }

    /// Whether a path, absolute or relative to the folder, leads into it. What does not exist is judged by
    /// the nearest folder above it that does.
    pub fn contains(&self, path: impl AsRef<Path>) -> bool {
        real(&self.path.join(path)).is_ok_and(|real| real.starts_with(&self.path))
    }

    /// The path below the folder.
    fn below(&self, path: &Path) -> io::Result<PathBuf> {
        let real = real(&self.path.join(path))?;
        real.strip_prefix(&self.path)
            .map(Path::to_owned)
            .map_err(|_| outside())
    }

    #[cfg(target_os = "linux")]
    fn opened(&self, path: &Path, access: Access) -> io::Result<File> {
        beneath::open(&self.handle, &self.below(path)?, access)
    }

    #[cfg(not(target_os = "linux"))]
    fn opened(&self, path: &Path, access: Access) -> io::Result<File> {
        let path = self.path.join(self.below(path)?);
        match access {
            Access::Read => File::open(path),
            Access::Write => File::create(path),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

fn outside() -> io::Error {
    io::Error::new(
        io::ErrorKind::PermissionDenied,
        "the path leads out of the folder",
    )
}

/// A path without links and dots. Of what does not exist yet, the part that does is resolved.
pub(crate) fn real(path: &Path) -> io::Result<PathBuf> {
    let mut missing = Vec::new();
    let mut above = path;
    loop {
        match above.canonicalize() {
            Ok(mut real) => {
                real.extend(missing.iter().rev());
                return Ok(real);
            }
            // a link whose target is missing is no name that is free
            Err(error) if error.kind() == io::ErrorKind::NotFound && !above.is_symlink() => {
                match (above.components().next_back(), above.parent()) {
                    (Some(Component::Normal(name)), Some(parent)) => {
                        missing.push(name);
                        above = parent;
                    }
                    _ => return Err(error),
                }
            }
            Err(error) => return Err(error),
        }
    }
}

#[cfg(target_os = "linux")]
mod beneath {
    use std::fs::File;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};

    use super::Access;

    pub(super) fn hold(path: &Path) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(rustix::fs::open(path, flags, Mode::empty())?)
    }

    pub(super) fn open(folder: &OwnedFd, path: &Path, access: Access) -> io::Result<File> {
        let (flags, mode) = match access {
            Access::Read => (OFlags::RDONLY, Mode::empty()),
            Access::Write => (
                OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC,
                Mode::from_raw_mode(0o666),
            ),
        };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let opened = openat2(folder, path, flags | OFlags::CLOEXEC, mode, resolve)?;
        Ok(File::from(opened))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let path =
            std::env::temp_dir().join(format!("plan-exec-folder-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(path.join("in/deep")).unwrap();
        std::fs::write(path.join("out"), "outside").unwrap();
        path
    }

    #[test]
    fn what_is_opened_through_a_folder_lies_in_it() {
        let base = folder("opened");
        let root = Folder::open(base.join("in")).unwrap();
        root.write("deep/new").unwrap().write_all(b"x").unwrap();
        let mut text = String::new();
        root.read("deep/../deep/new")
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, "x");
        for path in ["../out", "deep/../../out", "/etc/passwd"] {
            assert!(root.read(path).is_err(), "{path}");
            assert!(root.write(path).is_err(), "{path}");
        }
        std::fs::remove_dir_all(base).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_folder_leads_nowhere_and_one_within_it_does() {
        let base = folder("links");
        let inner = base.join("in");
        let link =
            |to: &Path, name: &str| std::os::unix::fs::symlink(to, inner.join(name)).unwrap();
        std::fs::write(inner.join("deep/file"), "inside").unwrap();
        link(&base.join("out"), "away");
        link(&base, "up");
        link(&base.join("nothing"), "dangling");
        link(&inner.join("deep"), "within");
        let root = Folder::open(&inner).unwrap();
        for path in ["away", "up/out", "up/new", "dangling"] {
            assert!(!root.contains(path), "{path}");
            assert!(root.read(path).is_err(), "{path}");
            assert!(root.write(path).is_err(), "{path}");
        }
        assert!(root.contains("within/file") && root.read("within/file").is_ok());
        assert!(root.contains("not/there/yet"));
        std::fs::remove_dir_all(base).unwrap();
    }
}
