//! Rows of the tables as values, and how they are spelled there.

use plan_model::{PlanId, PlanStatus, Timestamp};
use plan_run::{RetryAdvice, RunId, RunStatus};
use plan_store::{Place, RunHead, Sequence, StoreError, Unreadable};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};

use crate::error::failed;

/// The columns that [`StoredRun::of`] takes, in its order.
pub(crate) const RUN_COLUMNS: &str =
    "id, run, plan, plan_version, plan_name, status, created_at, updated_at, journal_end";

/// A row of `runs`.
#[derive(Debug)]
pub(crate) struct StoredRun {
    pub(crate) id: i64,
    pub(crate) head: RunHead,
    pub(crate) end: Sequence,
}

impl StoredRun {
    /// Reads a row of [`RUN_COLUMNS`], without its tags.
    pub(crate) fn of(row: &Row<'_>) -> Result<Self, Unreadable> {
        let read = || -> Result<Self, String> {
            Ok(Self {
                id: integer(row, 0)?,
                head: RunHead {
                    run: parsed(row, 1, |text| RunId::new(text))?,
                    plan: parsed(row, 2, PlanId::new)?,
                    plan_version: unsigned(row, 3)?,
                    plan_name: text(row, 4)?.to_owned(),
                    status: run_status(text(row, 5)?)?,
                    created_at: Timestamp::from_millis(integer(row, 6)?),
                    updated_at: Timestamp::from_millis(integer(row, 7)?),
                    tags: std::collections::BTreeMap::new(),
                },
                end: Sequence::new(unsigned(row, 8)?),
            })
        };
        read().map_err(|reason| Unreadable {
            place: Place::Run(lossy(row, 1)),
            reason,
        })
    }

    /// Finds a run, with its tags.
    pub(crate) fn find(connection: &Connection, run: &RunId) -> Result<Option<Self>, StoreError> {
        const SQL: &str = "SELECT id, run, plan, plan_version, plan_name, status, created_at, \
                           updated_at, journal_end FROM runs WHERE run = ?1";
        let found = connection
            .prepare_cached(SQL)
            .and_then(|mut statement| {
                statement
                    .query_row([run.as_str()], |row| Ok(Self::of(row)))
                    .optional()
            })
            .map_err(failed)?;
        let Some(found) = found.transpose()? else {
            return Ok(None);
        };
        found.with_tags(connection).map(Some)
    }

    /// Adds the tags of the run.
    pub(crate) fn with_tags(mut self, connection: &Connection) -> Result<Self, StoreError> {
        const SQL: &str = "SELECT key, value FROM run_tags WHERE run = ?1";
        let mut statement = connection.prepare_cached(SQL).map_err(failed)?;
        let mut rows = statement.query([self.id]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let read = || Ok((text(row, 0)?.to_owned(), text(row, 1)?.to_owned()));
            let (key, value) = read().map_err(|reason: String| Unreadable {
                place: Place::Run(self.head.run.to_string()),
                reason,
            })?;
            self.head.tags.insert(key, value);
        }
        Ok(self)
    }
}

pub(crate) fn text<'r>(row: &'r Row<'_>, column: usize) -> Result<&'r str, String> {
    match row.get_ref(column).map_err(|error| error.to_string())? {
        ValueRef::Text(bytes) => {
            std::str::from_utf8(bytes).map_err(|_| format!("`{}` is not text", name(row, column)))
        }
        _ => Err(format!("`{}` is not text", name(row, column))),
    }
}

pub(crate) fn integer(row: &Row<'_>, column: usize) -> Result<i64, String> {
    match row.get_ref(column).map_err(|error| error.to_string())? {
        ValueRef::Integer(number) => Ok(number),
        _ => Err(format!("`{}` is not a number", name(row, column))),
    }
}

pub(crate) fn unsigned(row: &Row<'_>, column: usize) -> Result<u64, String> {
    u64::try_from(integer(row, column)?).map_err(|_| format!("`{}` is negative", name(row, column)))
}

pub(crate) fn parsed<T, E: std::fmt::Display>(
    row: &Row<'_>,
    column: usize,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, String> {
    parse(text(row, column)?).map_err(|error| format!("`{}` {error}", name(row, column)))
}

/// A text for a person, whatever the column holds.
pub(crate) fn lossy(row: &Row<'_>, column: usize) -> String {
    match row.get_ref(column) {
        Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
        Ok(ValueRef::Integer(number)) => number.to_string(),
        _ => "?".to_owned(),
    }
}

fn name(row: &Row<'_>, column: usize) -> String {
    row.as_ref().column_name(column).unwrap_or("?").to_owned()
}

fn run_status(text: &str) -> Result<RunStatus, String> {
    const ALL: [RunStatus; 5] = [
        RunStatus::Running,
        RunStatus::Waiting,
        RunStatus::Succeeded,
        RunStatus::Failed,
        RunStatus::Cancelled,
    ];
    ALL.into_iter()
        .find(|status| status.as_str() == text)
        .ok_or_else(|| format!("`{text}` is no status of a run"))
}

pub(crate) fn plan_status(text: &str) -> Result<PlanStatus, String> {
    match text {
        "draft" => Ok(PlanStatus::Draft),
        "published" => Ok(PlanStatus::Published),
        _ => Err(format!("`{text}` is no status of a plan")),
    }
}

pub(crate) fn plan_status_text(status: PlanStatus) -> &'static str {
    match status {
        PlanStatus::Draft => "draft",
        PlanStatus::Published => "published",
    }
}

/// SQLite counts in signed numbers.
pub(crate) fn signed(number: u64, what: &str) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| StoreError::Backend {
        message: format!("{what} {number} is larger than SQLite counts"),
        retry: RetryAdvice::Never,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_is_read_back_from_its_spelling() {
        for status in [PlanStatus::Draft, PlanStatus::Published] {
            assert_eq!(plan_status(plan_status_text(status)), Ok(status));
        }
        assert_eq!(
            run_status("in_doubt"),
            Err("`in_doubt` is no status of a run".to_owned())
        );
        assert_eq!(
            run_status(RunStatus::Waiting.as_str()),
            Ok(RunStatus::Waiting)
        );
    }
}
