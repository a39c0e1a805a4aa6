//! Opening the file: folders, permissions, pragmas.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use plan_store::StoreError;
use rusqlite::{Connection, OpenFlags};

use crate::error::{cannot_open, failed, not_opened, patiently};
use crate::schema;
use crate::{Durability, SqliteOptions};

/// How many statements a connection keeps prepared.
const STATEMENTS: usize = 64;
/// What is left of the write-ahead log after it was folded into the file: 16 MiB.
const LOG_BYTES: i64 = 16 << 20;

/// Makes the path absolute, and the folders and the file where they do not exist.
///
/// A new file may be read by its owner alone: journals hold what runs were given.
pub(crate) fn prepare(path: &Path) -> Result<PathBuf, StoreError> {
    if path.as_os_str().is_empty() {
        return Err(cannot_open(path, "the path is empty"));
    }
    let path = std::path::absolute(path).map_err(|error| cannot_open(path, error.to_string()))?;
    if path.is_dir() {
        return Err(cannot_open(&path, "it is a folder"));
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| {
            let folder = folder.display();
            cannot_open(
                &path,
                format!("the folder `{folder}` cannot be made ({error})"),
            )
        })?;
    }
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(&path) {
        Ok(_) => Ok(path),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(path),
        Err(error) => Err(cannot_open(&path, format!("it cannot be made ({error})"))),
    }
}

/// The connection that writes: checks the file, brings it up to date and sets its modes.
pub(crate) fn writer(path: &Path, options: &SqliteOptions) -> Result<Connection, StoreError> {
    let mut connection = open(path, options.patience)?;
    // look before touching: a file of another program must stay as it is
    patiently(options.patience, || schema::check(path, &connection))?;
    patiently(options.patience, || log_ahead(&connection))
        .map_err(|error| not_opened(path, error))?;
    let synchronous = match options.durability {
        Durability::PowerLoss => "FULL",
        Durability::ProcessCrash => "NORMAL",
    };
    connection
        .pragma_update(None, "synchronous", synchronous)
        // only some systems tell writing to the drive from writing to the disk
        .and_then(|()| connection.pragma_update(None, "fullfsync", true))
        .and_then(|()| connection.pragma_update(None, "checkpoint_fullfsync", true))
        .and_then(|()| {
            connection.pragma_update_and_check(None, "journal_size_limit", LOG_BYTES, |_| Ok(()))
        })
        .map_err(|error| not_opened(path, error))?;
    patiently(options.patience, || schema::migrate(path, &mut connection))?;
    Ok(connection)
}

/// A connection that only reads, to a file that a writer has prepared.
pub(crate) fn reader(path: &Path, patience: Duration) -> Result<Connection, StoreError> {
    let connection = open(path, patience)?;
    connection
        .pragma_update(None, "query_only", true)
        .map_err(failed)?;
    Ok(connection)
}

fn open(path: &Path, patience: Duration) -> Result<Connection, StoreError> {
    // no CREATE: `prepare` made the file; no URI: a path is a path
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(path, flags).map_err(|error| not_opened(path, error))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection
        .busy_timeout(patience)
        .and_then(|()| connection.pragma_update(None, "trusted_schema", false))
        .and_then(|()| connection.pragma_update(None, "cell_size_check", true))
        .map_err(|error| not_opened(path, error))?;
    Ok(connection)
}

/// Turns on the write-ahead log, unless the file has it already.
fn log_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
    if mode == "wal" {
        return Ok(());
    }
    let mode: String = connection.query_row("PRAGMA journal_mode = wal", [], |row| row.get(0))?;
    if mode == "wal" {
        Ok(())
    } else {
        Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN),
            Some("the file system takes no write-ahead log".to_owned()),
        ))
    }
}
