//! What could not be read is noted, so that nothing drives the run it belongs to.

use plan_model::Timestamp;
use plan_run::RunId;
use plan_store::{Place, Sequence, StoreError, Unreadable};
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::failed;
use crate::row::signed;

/// Notes what is damaged. What is damaged stays where it lies, as evidence.
pub(crate) fn set_aside(
    connection: &Connection,
    damage: &Unreadable,
    now: Timestamp,
) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO quarantine (run, sequence, reason, found_at) \
                       VALUES (?1, ?2, ?3, ?4) ON CONFLICT (run, sequence) DO NOTHING";
    let (run, sequence) = match &damage.place {
        Place::Record(run, sequence) => (run.as_str(), *sequence),
        Place::Run(run) => (run.as_str(), Sequence::START),
        // a plan is compared with its digest whenever it is loaded
        Place::Plan(..) | Place::Store => return Ok(()),
    };
    let sequence = signed(sequence.get(), "sequence")?;
    connection
        .prepare_cached(SQL)
        .and_then(|mut statement| {
            statement.execute(params![run, sequence, damage.reason, now.as_millis()])
        })
        .map_err(failed)?;
    Ok(())
}

/// The first damage that is known of a run.
pub(crate) fn of_run(
    connection: &Connection,
    run: &RunId,
) -> Result<Option<Unreadable>, StoreError> {
    const SQL: &str =
        "SELECT sequence, reason FROM quarantine WHERE run = ?1 ORDER BY sequence LIMIT 1";
    let noted: Option<(u64, String)> = connection
        .prepare_cached(SQL)
        .and_then(|mut statement| {
            statement
                .query_row([run.as_str()], |row| row.try_into())
                .optional()
        })
        .map_err(failed)?;
    Ok(noted.map(|(sequence, reason)| Unreadable {
        place: match sequence {
            0 => Place::Run(run.to_string()),
            record => Place::Record(run.clone(), Sequence::new(record)),
        },
        reason,
    }))
}
