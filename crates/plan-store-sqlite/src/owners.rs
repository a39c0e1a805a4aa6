//! Locks that die with their process, so that a dead owner is known to be dead.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use plan_run::RunId;
use plan_store::OwnerId;

/// How often a lock file may vanish between being opened and being locked.
const MAX_TRIES: usize = 16;

/// The locks of the owners that use this store, one file each in a folder beside the database.
///
/// An owner holds its lock from before its first claim until after its last: while its
/// claims stand, a lock that somebody else can take means that the owner is dead.
#[derive(Debug)]
pub(crate) struct Owners {
    folder: PathBuf,
    held: Mutex<BTreeMap<OwnerId, Lock>>,
}

#[derive(Debug)]
struct Lock {
    /// Locked; absent where the file system has no locks, and then only time tells.
    file: Option<File>,
    runs: BTreeSet<RunId>,
}

impl Lock {
    fn hold(&self) -> Hold {
        match self.file {
            Some(_) => Hold::Locked,
            None => Hold::Unlocked,
        }
    }
}

/// What came of asking for an owner's lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// The lock is held here.
    Locked,
    /// There are no locks on this file system.
    Unlocked,
    /// Another process, or another store in this one, uses the name.
    Elsewhere,
}

impl Owners {
    /// The owners of a database, in the folder of its own name with `.owners`.
    pub(crate) fn beside(database: &Path) -> Self {
        let mut folder = OsString::from(database.as_os_str());
        folder.push(".owners");
        let owners = Self {
            folder: PathBuf::from(folder),
            held: Mutex::default(),
        };
        owners.sweep();
        owners
    }

    /// Holds the lock of `owner` for the sake of a claim on `run`.
    pub(crate) fn hold(&self, owner: &OwnerId, run: &RunId) -> Hold {
        let mut held = self.held();
        if let Some(lock) = held.get_mut(owner) {
            lock.runs.insert(run.clone());
            return lock.hold();
        }
        let file = match self.lock(owner) {
            Ok(Some(file)) => Some(file),
            Ok(None) => return Hold::Elsewhere,
            Err(error) => {
                tracing::warn!(%owner, %error, "no owner lock: a dead owner is known only by time");
                None
            }
        };
        let lock = Lock {
            file,
            runs: BTreeSet::from([run.clone()]),
        };
        let outcome = lock.hold();
        held.insert(owner.clone(), lock);
        outcome
    }

    /// The claim of `owner` on `run` has ended; with its last claim the lock goes.
    pub(crate) fn let_go(&self, owner: &OwnerId, run: &RunId) {
        let mut held = self.held();
        if let Some(lock) = held.get_mut(owner) {
            lock.runs.remove(run);
            if lock.runs.is_empty() {
                held.remove(owner);
                self.remove(owner);
            }
        }
    }

    /// Whether an owner that once held its lock is dead for certain.
    pub(crate) fn is_dead(&self, owner: &OwnerId) -> bool {
        let held = self.held();
        if held.contains_key(owner) {
            return false;
        }
        let file = match open(&self.file(owner), Create::No) {
            Ok(file) => file,
            Err(error) => return error.kind() == ErrorKind::NotFound,
        };
        let dead = file.try_lock().is_ok();
        if dead {
            self.remove(owner);
        }
        dead
    }

    /// Takes away the files of the dead. Nothing depends on it.
    fn sweep(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let owner = name
                .to_str()
                .and_then(|name| name.strip_suffix(".lock"))
                .and_then(|name| OwnerId::new(name).ok());
            if let Some(owner) = owner {
                self.is_dead(&owner);
            }
        }
    }

    /// The locked file, or none where somebody else has locked it.
    fn lock(&self, owner: &OwnerId) -> io::Result<Option<File>> {
        let path = self.file(owner);
        fs::create_dir_all(&self.folder)?;
        for _ in 0..MAX_TRIES {
            let file = open(&path, Create::Yes)?;
            match file.try_lock() {
                // who looks for the dead may have taken the file away in between
                Ok(()) if is_at(&file, &path) => return Ok(Some(file)),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Err(io::Error::from(ErrorKind::Interrupted))
    }

    fn file(&self, owner: &OwnerId) -> PathBuf {
        self.folder.join(format!("{owner}.lock"))
    }

    fn remove(&self, owner: &OwnerId) {
        // a file that stays does no harm: nobody holds its lock
        let _ = fs::remove_file(self.file(owner));
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<OwnerId, Lock>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the files away while their locks are still held.
impl Drop for Owners {
    fn drop(&mut self) {
        let held = std::mem::take(&mut *self.held());
        for (owner, lock) in held {
            self.remove(&owner);
            drop(lock);
        }
        // only an empty folder goes
        let _ = fs::remove_dir(&self.folder);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Create {
    Yes,
    No,
}

fn open(path: &Path, create: Create) -> io::Result<File> {
    fs::OpenOptions::new()
        .read(true)
        .write(true)
        .create(create == Create::Yes)
        .truncate(false)
        .open(path)
}

/// Whether the path still leads to this very file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(here), Ok(there)) => here.dev() == there.dev() && here.ino() == there.ino(),
        _ => false,
    }
}

/// Whether the path still leads to a file; elsewhere one that is open cannot be taken away.
#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> (tempfile::TempDir, OwnerId, RunId) {
        (
            tempfile::tempdir().unwrap(),
            OwnerId::new("one").unwrap(),
            RunId::new("run").unwrap(),
        )
    }

    #[test]
    fn an_owner_lives_as_long_as_its_store() {
        let (folder, owner, run) = names();
        let database = folder.path().join("state.db");
        let (here, there) = (Owners::beside(&database), Owners::beside(&database));
        assert_eq!(here.hold(&owner, &run), Hold::Locked);
        assert!(!here.is_dead(&owner));
        assert!(!there.is_dead(&owner));
        assert_eq!(there.hold(&owner, &run), Hold::Elsewhere);
        drop(here);
        assert!(there.is_dead(&owner));
        assert_eq!(there.hold(&owner, &run), Hold::Locked);
    }

    #[test]
    fn the_lock_goes_with_the_last_claim() {
        let (folder, owner, run) = names();
        let other = RunId::new("other").unwrap();
        let owners = Owners::beside(&folder.path().join("state.db"));
        owners.hold(&owner, &run);
        owners.hold(&owner, &other);
        let file = owners.file(&owner);
        owners.let_go(&owner, &run);
        assert!(file.exists());
        owners.let_go(&owner, &other);
        assert!(!file.exists());
    }

    #[test]
    fn files_of_the_dead_are_swept_away_and_strangers_stay() {
        let (folder, owner, _) = names();
        let database = folder.path().join("state.db");
        let owners = folder.path().join("state.db.owners");
        fs::create_dir(&owners).unwrap();
        fs::write(owners.join("one.lock"), "").unwrap();
        fs::write(owners.join("README"), "").unwrap();
        let swept = Owners::beside(&database);
        assert!(!swept.file(&owner).exists());
        assert!(owners.join("README").exists());
    }

    #[test]
    fn without_a_folder_for_locks_only_time_tells() {
        let (folder, owner, run) = names();
        fs::write(folder.path().join("state.db.owners"), "").unwrap();
        let owners = Owners::beside(&folder.path().join("state.db"));
        assert_eq!(owners.hold(&owner, &run), Hold::Unlocked);
    }
}
