//! Journals: creating, appending, reading.

use std::ops::RangeInclusive;

use plan_run::{RetryAdvice, RunId};
use plan_store::{
    Entity, HeadUpdate, JournalPage, Place, Record, RunHead, Sequence, StoreError, Unreadable,
    Writer,
};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, params};

use crate::checksum::checksum;
use crate::error::failed;
use crate::row::{StoredRun, signed};

/// The most records on one page.
const PAGE_RECORDS: i64 = 4_096;
/// A page ends with the record that reaches this many bytes.
const PAGE_BYTES: usize = 4 << 20;
/// Bits of a key that hold the sequence.
const SEQUENCE_BITS: u32 = 32;

/// The key of a record: its run above, its sequence below.
pub(crate) fn key(run: i64, sequence: Sequence) -> Result<i64, StoreError> {
    let fits = (0..1 << 31).contains(&run) && sequence.get() < 1 << SEQUENCE_BITS;
    match i64::try_from(sequence.get()) {
        Ok(sequence) if fits => Ok(run << SEQUENCE_BITS | sequence),
        _ => Err(StoreError::Backend {
            message: "it holds as many records as its keys can tell apart".to_owned(),
            retry: RetryAdvice::Never,
        }),
    }
}

/// The keys that the records of a run may have.
pub(crate) fn keys(run: i64) -> RangeInclusive<i64> {
    let first = run << SEQUENCE_BITS;
    first..=first | ((1 << SEQUENCE_BITS) - 1)
}

/// The sequence in a key.
pub(crate) fn sequence(key: i64) -> Sequence {
    Sequence::new((key & ((1 << SEQUENCE_BITS) - 1)).cast_unsigned())
}

pub(crate) fn not_found(run: &RunId) -> StoreError {
    StoreError::NotFound {
        what: Entity::Run(run.clone()),
    }
}

pub(crate) fn create(
    connection: &Connection,
    head: &RunHead,
    records: &[Record],
) -> Result<Sequence, StoreError> {
    const RUN: &str = "INSERT INTO runs (run, plan, plan_version, plan_name, status, created_at, \
                       updated_at, journal_end) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
                       ON CONFLICT (run) DO NOTHING RETURNING id";
    const TAG: &str = "INSERT INTO run_tags (run, key, value) VALUES (?1, ?2, ?3)";
    let end = Sequence::START.plus(records.len());
    let values = params![
        head.run.as_str(),
        head.plan.to_string(),
        signed(head.plan_version, "plan version")?,
        head.plan_name,
        head.status.as_str(),
        head.created_at.as_millis(),
        head.updated_at.as_millis(),
        signed(end.get(), "sequence")?,
    ];
    let id: Option<i64> = connection
        .prepare_cached(RUN)
        .and_then(|mut statement| statement.query_row(values, |row| row.get(0)).optional())
        .map_err(failed)?;
    let id = id.ok_or_else(|| StoreError::AlreadyExists {
        run: head.run.clone(),
    })?;
    let mut tag = connection.prepare_cached(TAG).map_err(failed)?;
    for (name, value) in &head.tags {
        tag.execute(params![id, name, value]).map_err(failed)?;
    }
    insert(connection, id, Sequence::START, records)
}

pub(crate) fn append(
    connection: &Connection,
    run: &RunId,
    expected: Sequence,
    writer: Writer,
    update: HeadUpdate,
    records: &[Record],
) -> Result<Sequence, StoreError> {
    const FIND: &str = "SELECT id, journal_end, fence, owner IS NOT NULL FROM runs WHERE run = ?1";
    const UPDATE: &str = "UPDATE runs SET journal_end = ?2, status = ?3, updated_at = ?4, \
                          plan_version = coalesce(?5, plan_version) WHERE id = ?1";
    let (id, actual, fence, owned): (i64, u64, u64, bool) = connection
        .prepare_cached(FIND)
        .and_then(|mut statement| {
            statement
                .query_row([run.as_str()], |row| row.try_into())
                .optional()
        })
        .map_err(failed)?
        .ok_or_else(|| not_found(run))?;
    if let Writer::Fence(held) = writer
        && (!owned || held.get() != fence)
    {
        return Err(StoreError::Fenced { run: run.clone() });
    }
    let actual = Sequence::new(actual);
    if actual != expected {
        return Err(StoreError::Sequence { expected, actual });
    }
    let end = insert(connection, id, actual, records)?;
    let version = update
        .plan_version
        .map(|version| signed(version, "plan version"))
        .transpose()?;
    connection
        .prepare_cached(UPDATE)
        .and_then(|mut statement| {
            statement.execute(params![
                id,
                end.get(),
                update.status.as_str(),
                update.updated_at.as_millis(),
                version,
            ])
        })
        .map_err(failed)?;
    Ok(end)
}

fn insert(
    connection: &Connection,
    run: i64,
    after: Sequence,
    records: &[Record],
) -> Result<Sequence, StoreError> {
    const SQL: &str = "INSERT INTO records (key, checksum, bytes) VALUES (?1, ?2, ?3)";
    let mut statement = connection.prepare_cached(SQL).map_err(failed)?;
    let mut end = after;
    for record in records {
        end = end.plus(1);
        let key = key(run, end)?;
        let bytes = record.as_bytes();
        statement
            .execute(params![key, checksum(key, bytes), bytes])
            .map_err(failed)?;
    }
    Ok(end)
}

pub(crate) fn read(
    connection: &Connection,
    run: &RunId,
    after: Sequence,
) -> Result<JournalPage, StoreError> {
    const SQL: &str = "SELECT key, checksum, bytes FROM records WHERE key > ?1 AND key <= ?2 \
                       ORDER BY key LIMIT ?3";
    let StoredRun { id, head, end } =
        StoredRun::find(connection, run)?.ok_or_else(|| not_found(run))?;
    let mut records = Vec::new();
    if after < end {
        let mut statement = connection.prepare_cached(SQL).map_err(failed)?;
        let mut rows = statement
            .query(params![key(id, after)?, key(id, end)?, PAGE_RECORDS])
            .map_err(failed)?;
        let mut bytes = 0;
        while bytes < PAGE_BYTES
            && let Some(row) = rows.next().map_err(failed)?
        {
            let expected = key(id, after.plus(records.len() + 1))?;
            let record = checked(row, expected).map_err(|reason| Unreadable {
                place: Place::Record(run.clone(), sequence(expected)),
                reason,
            })?;
            bytes += record.as_bytes().len();
            records.push(record);
        }
        if records.is_empty() {
            return Err(StoreError::Unreadable(Unreadable {
                place: Place::Record(run.clone(), after.plus(1)),
                reason: "it is missing".to_owned(),
            }));
        }
    }
    Ok(JournalPage { head, records, end })
}

/// A row of `key, checksum, bytes` as the record that its key should be.
pub(crate) fn checked(row: &rusqlite::Row<'_>, expected: i64) -> Result<Record, String> {
    let key = crate::row::integer(row, 0)?;
    if key != expected {
        return Err("it is missing".to_owned());
    }
    let sum = crate::row::integer(row, 1)?;
    match row.get_ref(2) {
        Ok(ValueRef::Blob(bytes)) if checksum(key, bytes) == sum => Ok(Record::new(bytes)),
        Ok(ValueRef::Blob(_)) => Err("its checksum does not match its bytes".to_owned()),
        _ => Err("it is not bytes".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_keeps_runs_apart_and_records_in_order() {
        let last = key(1, Sequence::new((1 << 32) - 1)).unwrap();
        assert!(keys(1).contains(&last));
        assert!(last < key(2, Sequence::new(1)).unwrap());
        assert_eq!(sequence(last), Sequence::new((1 << 32) - 1));
        assert!(key(1, Sequence::new(1 << 32)).is_err());
        assert!(key(1 << 31, Sequence::new(1)).is_err());
    }
}
