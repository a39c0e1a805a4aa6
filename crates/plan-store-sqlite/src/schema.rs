//! The tables, and how an older file becomes a newer one.

use std::path::Path;

use plan_store::StoreError;
use rusqlite::{Connection, TransactionBehavior};

use crate::error::{cannot_open, not_opened};

/// Marks a file as ours: "PLAN".
const APPLICATION_ID: i32 = 0x504c_414e;

/// Every change of the tables, in order. The schema of a file is the count of those it has had.
///
/// INVARIANT: an entry never changes once it was released; a change is a new entry.
const MIGRATIONS: &[&str] = &[include_str!("schema/v1.sql")];

/// The newest schema that this release reads.
pub(crate) fn supported() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

/// Refuses a file that is not ours or is newer than this release, without changing it.
pub(crate) fn check(path: &Path, connection: &Connection) -> Result<(), StoreError> {
    settled_version(path, connection).map(|_| ())
}

/// Brings a file that [`check`] let pass up to the newest schema, in one transaction.
pub(crate) fn migrate(path: &Path, connection: &mut Connection) -> Result<(), StoreError> {
    if settled_version(path, connection)? == supported() {
        return Ok(());
    }
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(|error| not_opened(path, error))?;
    // another process may have migrated it meanwhile
    let found = version(path, &transaction)?;
    let done = usize::try_from(found).unwrap_or(usize::MAX);
    for migration in MIGRATIONS.iter().skip(done) {
        transaction
            .execute_batch(migration)
            .map_err(|error| not_opened(path, error))?;
    }
    transaction
        .pragma_update(None, "application_id", APPLICATION_ID)
        .and_then(|()| transaction.pragma_update(None, "user_version", supported()))
        .and_then(|()| transaction.commit())
        .map_err(|error| not_opened(path, error))
}

/// The version at one moment: another process may be making its first tables just now.
fn settled_version(path: &Path, connection: &Connection) -> Result<u32, StoreError> {
    let moment = connection
        .unchecked_transaction()
        .map_err(|error| not_opened(path, error))?;
    version(path, &moment)
}

/// The version, asked in several statements: within a transaction they see one state.
fn version(path: &Path, connection: &Connection) -> Result<u32, StoreError> {
    let ask = |sql: &str| -> Result<i64, StoreError> {
        connection
            .query_row(sql, [], |row| row.get(0))
            .map_err(|error| not_opened(path, error))
    };
    let application = ask("PRAGMA application_id")?;
    let found = ask("PRAGMA user_version")?;
    if application == i64::from(APPLICATION_ID) {
        return match u32::try_from(found) {
            Ok(found) if found <= supported() => Ok(found),
            found => Err(StoreError::NewerSchema {
                found: found.unwrap_or(u32::MAX),
                supported: supported(),
            }),
        };
    }
    if application == 0 && found == 0 && ask("SELECT count(*) FROM sqlite_schema")? == 0 {
        return Ok(0);
    }
    Err(cannot_open(path, "it is the database of another program"))
}
