//! What SQLite says, in the words of the store.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use plan_run::RetryAdvice;
use plan_store::{Place, StoreError, Unreadable};
use rusqlite::{Error, ErrorCode};

/// The pause between two tries where SQLite does not wait by itself.
const PAUSE: Duration = Duration::from_millis(5);

/// A failure while the store is used.
#[expect(clippy::needless_pass_by_value, reason = "used as `map_err(failed)`")]
pub(crate) fn failed(error: Error) -> StoreError {
    let (message, retry) = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
            "another process has been writing to it for too long".to_owned(),
            RetryAdvice::Later,
        ),
        Some(ErrorCode::DiskFull) => ("the disk is full".to_owned(), RetryAdvice::Later),
        Some(ErrorCode::ReadOnly) => ("it may not be written".to_owned(), RetryAdvice::Never),
        Some(ErrorCode::TooBig) => (
            "a value is larger than SQLite keeps".to_owned(),
            RetryAdvice::Never,
        ),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            return StoreError::Unreadable(Unreadable {
                place: Place::Store,
                reason: error.to_string(),
            });
        }
        Some(
            ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::OutOfMemory
            | ErrorCode::FileLockingProtocolFailed
            | ErrorCode::OperationInterrupted,
        ) => (error.to_string(), RetryAdvice::Later),
        _ => (error.to_string(), RetryAdvice::Never),
    };
    StoreError::Backend { message, retry }
}

/// A failure while the store is opened.
pub(crate) fn not_opened(path: &Path, error: Error) -> StoreError {
    let reason = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => "it is not a SQLite database".to_owned(),
        Some(ErrorCode::DatabaseCorrupt) => format!("it is damaged ({error})"),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            "it may not be written".to_owned()
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => return failed(error),
        _ => error.to_string(),
    };
    cannot_open(path, reason)
}

pub(crate) fn cannot_open(path: &Path, reason: impl Into<String>) -> StoreError {
    StoreError::Open {
        location: path.display().to_string(),
        reason: reason.into(),
    }
}

/// The store has lost the thread that serves it.
pub(crate) fn stopped() -> StoreError {
    StoreError::Backend {
        message: "its thread has stopped".to_owned(),
        retry: RetryAdvice::Never,
    }
}

/// Tries again while another process is in the way, up to `patience`.
///
/// SQLite's own busy handler does most of the waiting; but it is not asked where
/// waiting could not help that very statement, as in recovery or a change of mode.
pub(crate) fn patiently<T, E: MayPass>(
    patience: Duration,
    mut attempt: impl FnMut() -> Result<T, E>,
) -> Result<T, E> {
    let began = Instant::now();
    loop {
        match attempt() {
            Err(error) if error.may_pass() && began.elapsed() < patience => thread::sleep(PAUSE),
            outcome => return outcome,
        }
    }
}

/// An error that goes away when another process has finished.
pub(crate) trait MayPass {
    fn may_pass(&self) -> bool;
}

impl MayPass for Error {
    fn may_pass(&self) -> bool {
        matches!(
            self.sqlite_error_code(),
            Some(
                ErrorCode::DatabaseBusy
                    | ErrorCode::DatabaseLocked
                    | ErrorCode::FileLockingProtocolFailed
            )
        )
    }
}

impl MayPass for StoreError {
    fn may_pass(&self) -> bool {
        self.retry() == RetryAdvice::Later
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sqlite(code: i32) -> Error {
        Error::SqliteFailure(rusqlite::ffi::Error::new(code), None)
    }

    #[test]
    fn a_busy_file_is_reported_without_the_words_of_sqlite() {
        let error = failed(sqlite(rusqlite::ffi::SQLITE_BUSY));
        assert_eq!(error.retry(), RetryAdvice::Later);
        assert_eq!(
            error.to_string(),
            "the store failed: another process has been writing to it for too long"
        );
    }

    #[test]
    fn only_a_busy_file_is_tried_again() {
        let mut tries = 0;
        let outcome = patiently(Duration::from_secs(5), || {
            tries += 1;
            match tries {
                1 | 2 => Err(sqlite(rusqlite::ffi::SQLITE_BUSY_RECOVERY)),
                _ => Err::<(), _>(sqlite(rusqlite::ffi::SQLITE_FULL)),
            }
        });
        assert_eq!(tries, 3);
        assert_eq!(
            outcome.unwrap_err().sqlite_error_code(),
            Some(ErrorCode::DiskFull)
        );
    }

    #[test]
    fn patience_ends() {
        let outcome = patiently(Duration::ZERO, || {
            Err::<(), _>(sqlite(rusqlite::ffi::SQLITE_BUSY))
        });
        assert!(outcome.is_err());
    }
}
