//! Lists of runs.

use std::fmt::Write as _;

use plan_model::Timestamp;
use plan_run::RunId;
use plan_store::{Page, RunCursor, RunFilter, RunPage, StoreError};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use crate::error::failed;
use crate::row::{RUN_COLUMNS, StoredRun, integer, parsed};

pub(crate) fn list(
    connection: &Connection,
    filter: &RunFilter,
    page: &Page,
) -> Result<RunPage, StoreError> {
    let limit = page.bounded_limit();
    let (sql, values) = query(filter, page.after.as_ref(), limit);
    let mut statement = connection.prepare_cached(&sql).map_err(failed)?;
    let mut rows = statement.query(params_from_iter(values)).map_err(failed)?;
    let mut shown = RunPage::default();
    let mut last = None;
    let mut count = 0;
    while let Some(row) = rows.next().map_err(failed)? {
        if count == limit {
            shown.next = last;
            break;
        }
        count += 1;
        last = cursor(row).or(last);
        let head = StoredRun::of(row)
            .map_err(StoreError::Unreadable)
            .and_then(|run| run.with_tags(connection));
        match head {
            Ok(run) => shown.heads.push(run.head),
            Err(StoreError::Unreadable(damage)) => shown.unreadable.push(damage),
            Err(error) => return Err(error),
        }
    }
    Ok(shown)
}

/// The place of a row in the list, which it has even where the rest of it is damaged.
fn cursor(row: &Row<'_>) -> Option<RunCursor> {
    Some(RunCursor {
        created_at: Timestamp::from_millis(integer(row, 6).ok()?),
        run: parsed(row, 1, |text| RunId::new(text)).ok()?,
    })
}

fn query(filter: &RunFilter, after: Option<&RunCursor>, limit: usize) -> (String, Vec<Value>) {
    let mut sql = format!("SELECT {RUN_COLUMNS} FROM runs WHERE true");
    let mut values = Vec::new();
    if !filter.statuses.is_empty() {
        let marks = vec!["?"; filter.statuses.len()].join(", ");
        // a write into a `String` cannot fail
        let _ = write!(sql, " AND status IN ({marks})");
        values.extend(
            filter
                .statuses
                .iter()
                .map(|status| Value::from(status.as_str().to_owned())),
        );
    }
    if let Some(plan) = filter.plan {
        sql.push_str(" AND plan = ?");
        values.push(Value::from(plan.to_string()));
    }
    for (key, value) in &filter.tags {
        sql.push_str(
            " AND EXISTS (SELECT 1 FROM run_tags WHERE run_tags.run = runs.id \
             AND key = ? AND value = ?)",
        );
        values.extend([Value::from(key.clone()), Value::from(value.clone())]);
    }
    if let Some(cursor) = after {
        sql.push_str(" AND created_at <= ? AND (created_at < ? OR run > ?)");
        let created_at = cursor.created_at.as_millis();
        values.extend([
            Value::from(created_at),
            Value::from(created_at),
            Value::from(cursor.run.to_string()),
        ]);
    }
    sql.push_str(" ORDER BY created_at DESC, run LIMIT ?");
    // one more than is shown tells whether there is a next page
    values.push(Value::from(
        i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX),
    ));
    (sql, values)
}
