//! A file that is replaced as a whole: nobody ever sees half of it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::exit::Halt;

/// Puts new bytes in the place of those that a file is known to hold. Its permissions stay.
///
/// A symbolic link is not followed: the file that it leads to may be another one than its reader thinks.
/// A file that has changed meanwhile is left alone.
pub(crate) fn replace(path: &Path, known: &[u8], new: &[u8]) -> Result<(), Halt> {
    let name = path.display();
    let failed = |error: io::Error| Halt::usage(format!("could not write `{name}`: {error}"));
    let metadata = fs::symlink_metadata(path).map_err(failed)?;
    if metadata.is_symlink() {
        return Err(Halt::usage(format!(
            "`{name}` is a symbolic link, and only files are written"
        ))
        .help("name the file that it leads to"));
    }
    if !metadata.is_file() {
        return Err(Halt::usage(format!(
            "`{name}` is no file that can be written"
        )));
    }
    if metadata.permissions().readonly() {
        return Err(Halt::usage(format!("`{name}` is read-only")));
    }
    let beside = beside(path);
    let written = write(&beside, new, &metadata).and_then(|()| {
        if is_still(path, known)? {
            fs::rename(&beside, path)
        } else {
            Err(io::Error::other("it was changed meanwhile"))
        }
    });
    written.map_err(|error| {
        // it may not have been made at all
        let _ = fs::remove_file(&beside);
        failed(error)
    })
}

/// A new file in the same folder, so that the rename stays within one file system.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.new", std::process::id()))
}

fn write(path: &Path, bytes: &[u8], like: &fs::Metadata) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.set_permissions(like.permissions())?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn is_still(path: &Path, known: &[u8]) -> io::Result<bool> {
    let mut now = Vec::new();
    let most = known.len() as u64 + 1;
    File::open(path)?.take(most).read_to_end(&mut now)?;
    Ok(now == known)
}
