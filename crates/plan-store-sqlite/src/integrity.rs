//! Reads everything and says what cannot be read.

use async_trait::async_trait;
use plan_store::{Integrity, Maintain, Place, Sequence, StoreError, Unreadable};
use rusqlite::{Connection, params};

use crate::SqliteStore;
use crate::error::failed;
use crate::journal::{checked, key, keys, sequence};
use crate::row::{RUN_COLUMNS, StoredRun};
use crate::{plans, quarantine};

#[async_trait]
impl Maintain for SqliteStore {
    async fn integrity(&self) -> Result<Integrity, StoreError> {
        let found = self.look(inspect).await?;
        let (now, damaged) = (self.now(), found.unreadable.clone());
        if !damaged.is_empty() {
            self.commit(move |connection| {
                damaged
                    .iter()
                    .try_for_each(|damage| quarantine::set_aside(connection, damage, now))
            })
            .await?;
        }
        Ok(found)
    }
}

fn inspect(connection: &Connection) -> Result<Integrity, StoreError> {
    let mut found = Integrity::default();
    pages(connection, &mut found)?;
    let runs = runs(connection, &mut found)?;
    for run in &runs {
        records(connection, run, &mut found)?;
    }
    versions(connection, &mut found)?;
    Ok(found)
}

/// What SQLite itself knows to be damaged.
fn pages(connection: &Connection, found: &mut Integrity) -> Result<(), StoreError> {
    let mut statement = connection
        .prepare("PRAGMA quick_check(20)")
        .map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let reason: String = row.get(0).map_err(failed)?;
        if reason != "ok" {
            found.unreadable.push(Unreadable {
                place: Place::Store,
                reason,
            });
        }
    }
    Ok(())
}

fn runs(connection: &Connection, found: &mut Integrity) -> Result<Vec<StoredRun>, StoreError> {
    let sql = format!("SELECT {RUN_COLUMNS} FROM runs ORDER BY run");
    let mut statement = connection.prepare(&sql).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let mut sound = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        found.runs += 1;
        let run = StoredRun::of(row)
            .map_err(StoreError::Unreadable)
            .and_then(|run| run.with_tags(connection));
        match run {
            Ok(run) => sound.push(run),
            Err(StoreError::Unreadable(damage)) => found.unreadable.push(damage),
            Err(error) => return Err(error),
        }
    }
    Ok(sound)
}

/// One finding for each damaged record, and one for each gap.
fn records(
    connection: &Connection,
    run: &StoredRun,
    found: &mut Integrity,
) -> Result<(), StoreError> {
    const SQL: &str =
        "SELECT key, checksum, bytes FROM records WHERE key BETWEEN ?1 AND ?2 ORDER BY key";
    let damage = |place: Sequence, reason: String| Unreadable {
        place: Place::Record(run.head.run.clone(), place),
        reason,
    };
    let keys = keys(run.id);
    let mut statement = connection.prepare_cached(SQL).map_err(failed)?;
    let mut rows = statement
        .query(params![keys.start(), keys.end()])
        .map_err(failed)?;
    let mut next = Sequence::new(1);
    while let Some(row) = rows.next().map_err(failed)? {
        found.records += 1;
        let at = sequence(row.get(0).map_err(failed)?);
        if at > run.end {
            let reason = "it lies past the end of its journal".to_owned();
            found.unreadable.push(damage(at, reason));
            continue;
        }
        if at != next {
            found
                .unreadable
                .push(damage(next, "it is missing".to_owned()));
        }
        if let Err(reason) = checked(row, key(run.id, at)?) {
            found.unreadable.push(damage(at, reason));
        }
        next = at.plus(1);
    }
    if next <= run.end {
        found
            .unreadable
            .push(damage(next, "it is missing".to_owned()));
    }
    Ok(())
}

fn versions(connection: &Connection, found: &mut Integrity) -> Result<(), StoreError> {
    const SQL: &str = "SELECT plan, version, digest, name, status, stored_at, document \
                       FROM plans ORDER BY plan, version";
    let mut statement = connection.prepare(SQL).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        found.plans += 1;
        if let Err(damage) = plans::whole(row) {
            found.unreadable.push(damage);
        }
    }
    Ok(())
}
