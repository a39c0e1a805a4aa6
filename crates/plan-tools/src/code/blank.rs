//! Output files that do not exist yet, made empty so that a sandbox can grant them.
//!
//! The kernel grants files that are there. Granting their folder instead would grant all that lies in it.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plan_exec::{FileAccess, GrantedFile};

/// The empty files that scripts under way may write to, and how many scripts those are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Blanks(Arc<Mutex<BTreeMap<PathBuf, Blank>>>);

#[derive(Debug)]
struct Blank {
    users: usize,
    made: Metadata,
}

/// An empty file for one script. It is taken away with the last of its scripts where none has touched it.
#[derive(Debug)]
pub(crate) struct Held {
    blanks: Blanks,
    path: PathBuf,
}

impl Blanks {
    /// Makes the output files that do not exist. One that cannot be made the script cannot write either.
    pub(crate) fn make(&self, files: &[GrantedFile]) -> Vec<Held> {
        let written = files.iter().filter(|file| file.access == FileAccess::Write);
        written.filter_map(|file| self.hold(&file.path)).collect()
    }

    fn hold(&self, path: &Path) -> Option<Held> {
        let mut blanks = self.lock();
        if let Some(blank) = blanks.get_mut(path) {
            blank.users = blank.users.saturating_add(1);
        } else {
            // never in place of what is there
            let made = File::create_new(path)
                .and_then(|file| file.metadata())
                .ok()?;
            blanks.insert(path.to_owned(), Blank { users: 1, made });
        }
        Some(Held {
            blanks: self.clone(),
            path: path.to_owned(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Blank>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut blanks = self.blanks.lock();
        let Some(blank) = blanks.get_mut(&self.path) else {
            return;
        };
        blank.users = blank.users.saturating_sub(1);
        if blank.users > 0 {
            return;
        }
        let untouched = self
            .path
            .symlink_metadata()
            .is_ok_and(|now| now.len() == 0 && now.modified().ok() == blank.made.modified().ok());
        if untouched {
            let _ = std::fs::remove_file(&self.path);
        }
        blanks.remove(&self.path);
    }
}
